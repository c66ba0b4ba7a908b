/* B[30] in 3 banks. Element (x0) is in bank x0 mod 3,
   word [x0 / 3] (partition per dimension, UG1399). Written by hlspart.
   b, w: bank and word of an access; p: what a port loads; v: the value read; d: the value to store; e: whether to. */
#define B_DIV3(n) ((n) * 11u >> 5) /* n / 3 for n <= 29 */
#define B_MOD3(n) ((n) - 3u * B_DIV3(n))
#define B_BANK(x0) (B_MOD3((unsigned)(x0)))
#define B_WORD(x0) (B_DIV3((unsigned)(x0)))
#define B_PICK(b, y) ((b) == 0 ? y##0 : (b) == 1 ? y##1 : y##2)

void relax(int A[30])
{
    int B_0[10], B_1[10], B_2[10];
    #pragma HLS bind_storage variable=B_0 type=ram_s2p
    #pragma HLS bind_storage variable=B_1 type=ram_s2p
    #pragma HLS bind_storage variable=B_2 type=ram_s2p
// hlspart: B is B_0 .. B_2 (cyclic factor=3 dim=1)
    for (int i = 0; i < 30; i++) {
        /* B: bank and word of each store of this iteration. */
        const unsigned B_b0 = B_BANK(i), B_w0 = B_WORD(i); /* B[i] */
        int B_d0;
        B_d0 = A[i];
        if (B_b0 == 0) B_0[B_w0] = B_d0;
        if (B_b0 == 1) B_1[B_w0] = B_d0;
        if (B_b0 == 2) B_2[B_w0] = B_d0;
    }
    for (int i = 1; i < 29; i++) {
#pragma HLS pipeline II=1
        /* B: 1 load per bank and iteration. Accesses that share a load never need two
           elements of one bank at once (proved over all iterations). */
        const unsigned B_b0 = B_BANK(i), B_w0 = B_WORD(i); /* B[i] */
        const unsigned B_b1 = B_BANK(i - 1), B_w1 = B_WORD(i - 1); /* B[i - 1] */
        const unsigned B_b2 = B_BANK(i + 1), B_w2 = B_WORD(i + 1); /* B[i + 1] */
        const int B_p0_0 = B_0[B_b0 == 0 ? B_w0 : B_b1 == 0 ? B_w1 : B_b2 == 0 ? B_w2 : 0];
        const int B_p0_1 = B_1[B_b0 == 1 ? B_w0 : B_b1 == 1 ? B_w1 : B_b2 == 1 ? B_w2 : 0];
        const int B_p0_2 = B_2[B_b0 == 2 ? B_w0 : B_b1 == 2 ? B_w1 : B_b2 == 2 ? B_w2 : 0];
        const int B_v0 = B_PICK(B_b0, B_p0_);
        const int B_v1 = B_PICK(B_b1, B_p0_);
        const int B_v2 = B_PICK(B_b2, B_p0_);
        int B_d0 = B_v0;
        unsigned B_e0 = 0;
        if (A[i] > 0)
            (B_e0 = 1, B_d0 += B_v1 + B_v2);
        if (B_e0 && B_b0 == 0) B_0[B_w0] = B_d0;
        if (B_e0 && B_b0 == 1) B_1[B_w0] = B_d0;
        if (B_e0 && B_b0 == 2) B_2[B_w0] = B_d0;
    }
    for (int i = 0; i < 30; i++) {
#pragma HLS pipeline II=1
        /* B: 1 load per bank and iteration. Accesses that share a load never need two
           elements of one bank at once (proved over all iterations). */
#pragma HLS dependence variable=B_0 type=inter dependent=false
#pragma HLS dependence variable=B_1 type=inter dependent=false
#pragma HLS dependence variable=B_2 type=inter dependent=false
        const unsigned B_b0 = B_BANK(i), B_w0 = B_WORD(i); /* B[i] */
        const int B_p0_0 = B_0[B_b0 == 0 ? B_w0 : 0];
        const int B_p0_1 = B_1[B_b0 == 1 ? B_w0 : 0];
        const int B_p0_2 = B_2[B_b0 == 2 ? B_w0 : 0];
        const int B_v0 = B_PICK(B_b0, B_p0_);
        int B_d0 = B_v0;
        B_d0++;
        if (B_b0 == 0) B_0[B_w0] = B_d0;
        if (B_b0 == 1) B_1[B_w0] = B_d0;
        if (B_b0 == 2) B_2[B_w0] = B_d0;
    }
    for (int i = 0; i < 30; i++) {
        /* B: 1 load per bank and iteration. Accesses that share a load never need two
           elements of one bank at once (proved over all iterations). */
        const unsigned B_b0 = B_BANK(i), B_w0 = B_WORD(i); /* B[i] */
        const int B_p0_0 = B_0[B_b0 == 0 ? B_w0 : 0];
        const int B_p0_1 = B_1[B_b0 == 1 ? B_w0 : 0];
        const int B_p0_2 = B_2[B_b0 == 2 ? B_w0 : 0];
        const int B_v0 = B_PICK(B_b0, B_p0_);
        A[i] = B_v0;
    }
}
