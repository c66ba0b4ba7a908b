/* Forms of declarations and uses, one function each; every array named P.. is partitioned, none may be refused. */
#include <stdio.h>

/* sizes of arrays, in extents and constants too */
#define LEN(a) (sizeof(a) / sizeof((a)[0]))
struct pair { int x; short y[3]; };
static int sizes_of(int P1[8], short P2[][4]) {
    return sizeof(P2[0]) + sizeof(P2[0][0]) + P1[3] + P2[1][2];
}
int sizes(int x)
{
    int Pa[8] = {1, 2, 3}, B[sizeof Pa / sizeof *Pa], s = 0;
    short Pb[2][4] = {{1}, {2, 3}};
    struct pair Pc[4] = {{1, {2}}};
#pragma HLS array_partition variable=Pa cyclic factor=4
#pragma HLS array_partition variable=Pb cyclic factor=2 dim=2
#pragma HLS array_partition variable=Pc cyclic factor=2
    _Static_assert(sizeof Pa == 32, "size");
    enum { K = sizeof(Pa) };
    for (unsigned i = 0; i < LEN(Pa); i++) B[i] = Pa[i] + x;
    for (int i = 0; i < 8; i++) s = (s + B[i] + (int)sizeof(Pc[i / 2].y)) % 1000;
    return s + K + (int)sizeof Pc[0] + (int)sizeof Pc + Pc[0].x + Pc[3].y[1] + sizes_of(Pa, Pb);
}

/* pointers that are arrays, pointer arithmetic */
static int rows(int (*m)[6], const int *w, int *restrict v);
static int pass(int *restrict, const int *, int (*)[6]);
static int rows(int (*m)[6], const int *w, int *restrict v)
{
    int s = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++) { s = (s + m[i][j] * w[j]) % 1000; (*m)[j] += 1; v[j] = *(*(m + i) + j); }
    return s;
}
static int pass(int *restrict p, const int *q, int (*r)[6]) { p[1] = 3; return *q + *p + rows(r, q, p); }
int pointers(int x)
{
    int Pa[4][6], Pv[6], Pw[6], s;
#pragma HLS array_partition variable=Pa cyclic factor=2 dim=2
#pragma HLS array_partition variable=Pw cyclic factor=2
#pragma HLS array_partition variable=Pv block factor=3
    for (int i = 0; i < 4; i++) for (int j = 0; j < 6; j++) { Pa[i][j] = x * i + j; Pv[j] = j; j[Pw] = j * j; }
    for (int i = 0; i < 5; i++) *(Pw + i + 1) += *(Pw + 4 - i) + (Pw + i)[1] + *(1 + Pw + i);
    for (int j = 0; j < 6; j++) *(Pa[1] + 5 - j) ^= 3, (*Pa)[j] += 2, *Pa[2] += j, **Pa -= 1;
    s = pass(Pv, Pw, Pa);
    for (int j = 0; j < 6; j++) s = (s * 3 + Pv[j] + Pa[0][j] + Pa[1][j] + Pa[2][j]) % 10007;
    return s;
}

/* macros that contain accesses, declarations, swaps */
#define DECLARE(name, size) int name[size]
#define ROW(i) Pm[i]
#define ENTRY(i, j) ROW(i)[(j)]
#define SWAP(a, b) do { int t_ = a; a = b; b = t_; } while (0)
#define MIX(x) s = (s * 3 + (x)) % 10007
#define PASTE(x) P##x
#define SQUARE(x) ((x) * (x))
int macros(int x)
{
    DECLARE(Pn, 8);
    int Pm[4][6], s = 0;
#pragma HLS array_partition variable=Pm cyclic factor=2 dim=2
#pragma HLS array_partition variable=Pn cyclic factor=2
    for (int i = 0; i < 4; i++) for (int j = 0; j < 6; j++) ENTRY(i, j) = i * j + x;
    for (int i = 0; i < 8; i++) PASTE(n)[i] = SQUARE(x) + SQUARE(i);
    for (int i = 0; i < 4; i++) SWAP(Pm[i][1], Pn[2 * i]);
    for (int i = 0; i < 4; i++) for (int j = 0; j < 6; j++) MIX(ENTRY(i,
        j) ^ Pn[i + 1]);
    return s + SQUARE(Pn[1] % 100);
}

/* typedefs, attributes, several declarators, one pragma for two arrays, old-style parameters */
typedef int row_t[6];
typedef const short tab_t[2][4];
static tab_t Pt = { /* first */ {1, 2}, // second
   {3, 4, 5, /* last */ 6} };
static row_t Pg, Ph = {1, 2, 3};
static int old(v, n, p) int v[6], n; int *p; { return v[2] + n + p[1] + v[0]; }
int declarations(int x)
{
    row_t Pa[4], Pb;
    static row_t C, Pd[2] = {{1}, {2, 3}};
    int Pe[6] __attribute__((aligned(32))) = {1}, (Pf)[6], s = 0, *q = &s;
    static int __attribute__((aligned(16))) Pi[6];
#pragma HLS array_partition variable=Pa cyclic factor=2 dim=2
#pragma HLS array_partition variable=Pb, Pf cyclic factor=2
#pragma HLS array_partition variable=Pt cyclic factor=2 dim=2
#pragma HLS array_partition variable=Pd cyclic factor=3 dim=2
#pragma HLS array_partition variable=Pg cyclic factor=3
#pragma HLS array_partition variable=Ph block factor=3
#pragma HLS array_partition variable=Pe cyclic factor=2
#pragma HLS array_partition variable=Pi cyclic factor=2
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++) {
            Pa[i][j] = x * i + j; Pb[j] = Pa[i][j] + Ph[j]; (Pf)[j] = i; Pe[j] += Pi[j]; Pi[(j)] += j; Pg[j] = j;
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++) {
            C[j] = (C[j] + Pt[i / 2][j % 4]) & 63;
            Pd[i % 2][j] ^= C[j];
            *q = (*q * 3 + (Pa[i][j] ^ Pb[j]) + Pd[i % 2][j] + Pg[5 - j] + Pf[j] + Pe[j]) % 10007;
        }
    return s + old(Pb, 2, Pe);
}

/* names, conditions, statements */
int Ps[4] = {9, 8, 7, 6};
int uses(int x)
{
    int s = Ps[1], i;
    {
        int Ps[8];
#pragma HLS array_partition variable=Ps cyclic factor=2
        for (i = 0; i < 8; i++) Ps[i] = i, s++;
        for (i = 0; i < 7; i++) if (Ps[i] > Ps[i+1] ? Ps[i] : Ps[i + 1]) s += (Ps[i]++, ++Ps[i], Ps[i] -= 2); else s--;
        for (i = 0; i < 8 && Ps[i] < 100; i++) s = Ps[i] = Ps[7 - i] = (s + x) & 63;
        for (i = 0; i < Ps[0] % 5; i++) s += x;
        while (Ps[1] > 0) Ps[1] >>= 1;
        do Ps[2] /= 2; while (Ps[2] > 0);
        switch (Ps[3]) { case 1: s += Ps[4]; break; default: s -= Ps[5]; }
        for (int i = 0, Ps_0 = 3, Pq[4] = {1, 2, 3, 4}; i < 4; i++) {
#pragma HLS array_partition variable=Pq cyclic factor=2
            s += Ps[i] + Ps_0 + Pq[3 - i];
        }
        for (int i = 0, Pu[8] = {1, 2, 3, 4}; i < 8; i += 4) {
#pragma HLS array_partition variable=Pu cyclic factor=4
            s += Pu[i + 1];
        }
        { int Ps = 5; s += Ps; }
    }
    return s ? Ps[2] + s : Ps[3];
}

int main(void)
{
    for (int x = 1; x < 4; x++)
        printf("%d %d %d %d %d\n", sizes(x), pointers(x), macros(x), declarations(x), uses(x));
    return 0;
}
