"""Nests of the third set, written for hlspart after public projects: plain C, a few with pragmas."""

_MATRIX = "float A[64][64]"

NESTS = {
    "transposed": f"""void transposed({_MATRIX}, float p[64], float r[64], float s_out[64], float q_out[64])
{{
    float a[64][64], lp[64], lr[64], s[64], q[64];
    READ: for (int i = 0; i < 64; i++) {{
        lp[i] = p[i]; lr[i] = r[i]; s[i] = 0; q[i] = 0;
        for (int j = 0; j < 64; j++) a[i][j] = A[i][j];
    }}
    ROWS: for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) s[j] = s[j] + a[i][j] * lr[i];
    SUMS: for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) q[i] = q[i] + a[i][j] * lp[j];
    WRITE: for (int i = 0; i < 64; i++) {{ s_out[i] = s[i]; q_out[i] = q[i]; }}
}}
""",
    "both_ways": f"""void both_ways({_MATRIX}, float x1[64], float x2[64], float y1[64], float y2[64],
               float o1[64], float o2[64])
{{
    float a[64][64], b1[64], b2[64], c1[64], c2[64];
    READ: for (int i = 0; i < 64; i++) {{
        b1[i] = x1[i]; b2[i] = x2[i]; c1[i] = y1[i]; c2[i] = y2[i];
        for (int j = 0; j < 64; j++) a[i][j] = A[i][j];
    }}
    ALONG: for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) b1[i] = b1[i] + a[i][j] * c1[j];
    ACROSS: for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) b2[i] = b2[i] + a[j][i] * c2[j];
    WRITE: for (int i = 0; i < 64; i++) {{ o1[i] = b1[i]; o2[i] = b2[i]; }}
}}
""",
    "two_sums": f"""void two_sums(float alpha, float beta, {_MATRIX}, float B[64][64], float x[64], float y[64])
{{
    float a[64][64], b[64][64], lx[64], ly[64], t1[64], t2[64];
    READ: for (int i = 0; i < 64; i++) {{
        lx[i] = x[i]; t1[i] = 0; t2[i] = 0; ly[i] = 0;
        for (int j = 0; j < 64; j++) {{ a[i][j] = A[i][j]; b[i][j] = B[i][j]; }}
    }}
    ONE: for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) t1[i] += alpha * a[i][j] * lx[j];
    TWO: for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) t2[i] += beta * b[i][j] * lx[j];
    JOIN: for (int i = 0; i < 64; i++) ly[i] = t1[i] + t2[i];
    WRITE: for (int i = 0; i < 64; i++) y[i] = ly[i];
}}
""",
    "product": f"""void product(float alpha, float beta, {_MATRIX}, float B[64][64], float C[64][64], float D[64][64])
{{
    float a[64][64], b[64][64], c[64][64], t[64][64];
    RI: for (int i = 0; i < 64; i++)
        RJ: for (int j = 0; j < 64; j++) {{ a[i][j] = A[i][j]; b[i][j] = B[i][j]; c[i][j] = C[i][j]; t[i][j] = 0; }}
    MI: for (int i = 0; i < 64; i++)
        MJ: for (int j = 0; j < 64; j++)
            for (int k = 0; k < 64; k++) t[i][j] = alpha * a[i][k] * b[k][j] + t[i][j];
    SI: for (int i = 0; i < 64; i++)
        SJ: for (int j = 0; j < 64; j++) c[i][j] = beta * c[i][j] + t[i][j];
    WI: for (int i = 0; i < 64; i++)
        WJ: for (int j = 0; j < 64; j++) D[i][j] = c[i][j];
}}
""",
    "relax": """void relax(double A[120][120])
{
    for (int t = 0; t < 40; t++)
        for (int i = 1; i < 119; i++)
            ROW: for (int j = 1; j < 119; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1]
                           + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}
""",
    "factor": """void factor(double A[40][40])
{
    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < i; j++) {
            LOWER: for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
            A[i][j] /= A[j][j];
        }
        for (int j = i; j < 40; j++)
            for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];
    }
}
""",
    "forward": """void forward(double L[40][40], double x[40], double b[40])
{
    for (int i = 0; i < 40; i++) {
        x[i] = b[i];
        SOLVE: for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
        x[i] = x[i] / L[i][i];
    }
}
""",
    "shortest": """void shortest(int d[60][60])
{
    K: for (int k = 0; k < 60; k++)
        I: for (int i = 0; i < 60; i++)
            J: for (int j = 0; j < 60; j++)
                d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
}
""",
    "digits": """void digits(int a[2048], int bucket[2048], int sum[128], int exp)
{
    ZERO: for (int i = 0; i < 2048; i++) bucket[i] = 0;
    CB: for (int b = 0; b < 512; b++)
        CI: for (int i = 0; i < 4; i++) bucket[((a[b * 4 + i] >> exp) & 3) * 512 + b + 1]++;
    SCAN: for (int r = 0; r < 128; r++)
        for (int i = 1; i < 16; i++) bucket[r * 16 + i] += bucket[r * 16 + i - 1];
    SUM: for (int r = 1; r < 128; r++) sum[r] = sum[r - 1] + bucket[r * 16 - 1];
    LAST: for (int r = 0; r < 128; r++)
        for (int i = 0; i < 16; i++) bucket[r * 16 + i] = bucket[r * 16 + i] + sum[r];
}
""",
    "neighbours": """void neighbours(double fx[1024], double fy[1024], double fz[1024],
                double px[1024], double py[1024], double pz[1024], int near[262144])
{
    ATOM: for (int i = 0; i < 1024; i++) {
        double x = px[i], y = py[i], z = pz[i], sx = 0, sy = 0, sz = 0;
        PAIR: for (int j = 0; j < 256; j++) {
            int n = near[i * 256 + j];
            double dx = x - px[n], dy = y - py[n], dz = z - pz[n];
            double r2 = 1.0 / (dx * dx + dy * dy + dz * dz);
            double r6 = r2 * r2 * r2;
            double force = r2 * (r6 * (1.5 * r6 - 2.0));
            sx += dx * force;
            sy += dy * force;
            sz += dz * force;
        }
        fx[i] = sx;
        fy[i] = sy;
        fz[i] = sz;
    }
}
""",
    "blocks": """void blocks(double m1[4096], double m2[4096], double prod[4096])
{
    JJ: for (int jj = 0; jj < 64; jj += 8)
        KK: for (int kk = 0; kk < 64; kk += 8)
            I: for (int i = 0; i < 64; i++)
                K: for (int k = 0; k < 8; k++) {
                    double t = m1[i * 64 + k + kk];
                    for (int j = 0; j < 8; j++) prod[i * 64 + j + jj] += t * m2[(k + kk) * 64 + j + jj];
                }
}
""",
    "window": """void window(int orig[8192], int sol[8192], int f[9])
{
    R: for (int r = 0; r < 126; r++)
        C: for (int c = 0; c < 62; c++) {
            int t = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) t += f[i * 3 + j] * orig[(r + i) * 64 + c + j];
            sol[r * 64 + c] = t;
        }
}
""",
    "cube": """void cube(int c[2], int orig[16384], int sol[16384])
{
    H: for (int i = 1; i < 31; i++)
        C: for (int j = 1; j < 31; j++)
            R: for (int k = 1; k < 15; k++) {
                int centre = orig[k + 16 * (j + 32 * i)];
                int around = orig[k + 16 * (j + 32 * (i + 1))] + orig[k + 16 * (j + 32 * (i - 1))]
                             + orig[k + 16 * (j + 1 + 32 * i)] + orig[k + 16 * (j - 1 + 32 * i)]
                             + orig[k + 1 + 16 * (j + 32 * i)] + orig[k - 1 + 16 * (j + 32 * i)];
                sol[k + 16 * (j + 32 * i)] = centre * c[0] + around * c[1];
            }
}
""",
    "project": """void project(double A[20][30], double R[30][30], double Q[20][30])
{
    for (int k = 0; k < 30; k++) {
        double n = 0.0;
        NORM: for (int i = 0; i < 20; i++) n += A[i][k] * A[i][k];
        R[k][k] = n;
        SCALE: for (int i = 0; i < 20; i++) Q[i][k] = A[i][k] / R[k][k];
        for (int j = k + 1; j < 30; j++) R[k][j] = Q[0][k] * A[0][j];
    }
}
""",
    "sort_pass": """void sort_pass(unsigned key[256], unsigned value[256])
{
    unsigned old_key[256], old_value[256], where[16], count[16];
#pragma HLS ARRAY_PARTITION variable=where complete dim=1
#pragma HLS ARRAY_PARTITION variable=count complete dim=1
    COPY: for (int i = 0; i < 256; i++) {
#pragma HLS PIPELINE II=1
        old_key[i] = key[i];
        old_value[i] = value[i];
    }
    EMPTY: for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
        count[i] = 0;
    }
    FIND: for (int i = 1; i < 16; i++) {
#pragma HLS PIPELINE II=1
        where[i] = where[i - 1] + count[i - 1];
    }
}
""",
    "first_codes": """void first_codes(unsigned lengths[64], unsigned first[27])
{
    first[0] = 0;
    CODES: for (int i = 1; i < 27; i++) {
#pragma HLS PIPELINE II=1
        first[i] = (first[i - 1] + lengths[i - 1]) << 1;
    }
}
""",
    "rank_two": """int rank_two(void)
{
    float m[65536], p[256], q[256], r[256], s[256];
    PRESET_I: for (int i = 0; i < 256; i++) {
        p[i] = 0.5f; q[i] = 0.5f; r[i] = 0.5f; s[i] = 0.5f;
        PRESET_J: for (int j = 0; j < 256; j++) m[i * 256 + j] = 0.25f;
    }
    int row = 0;
    UPDATE_I: for (int i = 0; i < 256; i++) {
        UPDATE_J: for (int j = 0; j < 256; j++) m[row + j] += p[i] * q[j] + r[i] * s[j];
        row += 256;
    }
    int same = 0;
    CHECK: for (int j = 0; j < 256; j++) same += m[j] == p[j];
    return same;
}
""",
    "cubes": """void cubes(float given[256], float out[256])
{
    float a[256], w[256];
    for (int i = 0; i < 256; i++) { a[i] = given[i]; w[i] = given[255 - i]; }
    CUBES: for (int i = 0; i < 255; i++) {
        float q = w[i];
        a[i + 1] = a[i] + q * q * q;
    }
    for (int i = 0; i < 256; i++) out[i] = a[i];
}
""",
    "mirror_kept": """int mirror_kept(float va, float vb)
{
    float m[1024], n[1024], c[1024];
    SET_I: for (int i = 0; i < 32; i++)
        SET_J: for (int j = 0; j < 32; j++) { m[i * 32 + j] = va; n[i * 32 + j] = vb; c[i * 32 + j] = 0.5f; }
    int row = 0;
    for (int i = 0; i < 32; i++) {
        int other = 0;
        MIRROR: for (int j = 0; j <= i; j++) {
            float sum = c[row + j] * 0.5f;
            for (int k = 0; k < 32; k++)
                sum += 0.75f * m[row + k] * n[other + k] + 0.75f * n[row + k] * m[other + k];
            c[row + j] = sum;
            other += 32;
        }
        row += 32;
    }
    return c[7] == c[8];
}
""",
    "two_products": """void two_products(float a[65536], float b[65536], float t[256], float y[256], float x[256])
{
    int row = 0;
    ROW: for (int i = 0; i < 256; i++) {
        float sa = 0.0f, sb = 0.0f;
        COLUMN: for (int j = 0; j < 256; j++) {
            sa = a[row + j] * x[j] + sa;
            sb = b[row + j] * x[j] + sb;
        }
        t[i] = sa;
        y[i] = 0.5f * sa + 1.5f * sb;
        row += 256;
    }
}
""",
    "norm": """float norm(float given[32][32])
{
    float a[32][32], q[32][32], total = 0;
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) a[i][j] = given[i][j];
    for (int k = 0; k < 32; k++) {
        float n = 0;
        NORM: for (int i = 0; i < 32; i++) n += a[i][k] * a[i][k];
        total += n;
        SCALE: for (int i = 0; i < 32; i++) q[i][k] = a[i][k] / n;
        for (int j = k + 1; j < 32; j++) a[0][j] = a[0][j] - q[0][k];
    }
    for (int i = 0; i < 32; i++) total += q[i][i];
    return total;
}
""",
    "expand": """void expand(unsigned char *key, const unsigned char *given, const unsigned char table[256])
{
    unsigned char t[4];
    FIRST: for (int i = 0; i < 4; i++) {
        key[i * 4] = given[i * 4]; key[i * 4 + 1] = given[i * 4 + 1];
        key[i * 4 + 2] = given[i * 4 + 2]; key[i * 4 + 3] = given[i * 4 + 3];
    }
    REST: for (int i = 4; i < 44; i++) {
        t[0] = key[i * 4 - 4]; t[1] = key[i * 4 - 3]; t[2] = key[i * 4 - 2]; t[3] = key[i * 4 - 1];
        if (i % 4 == 0) {
            unsigned char first = t[0];
            t[0] = t[1]; t[1] = t[2]; t[2] = t[3]; t[3] = first;
        }
        key[i * 4] = key[i * 4 - 16] ^ t[0];
        key[i * 4 + 1] = key[i * 4 - 15] ^ t[1];
        key[i * 4 + 2] = key[i * 4 - 14] ^ t[2];
        key[i * 4 + 3] = key[i * 4 - 13] ^ t[3];
    }
}
void top(unsigned char given[16], unsigned char table[256], unsigned char out[176])
{
    unsigned char key[176];
    expand(key, given, table);
    for (int i = 0; i < 176; i++) out[i] = key[i];
}
""",
    "rows_and_back": """void take(short in[64], short kept[8][8])
{
    TAKE_R: for (int r = 0; r < 8; r++)
        TAKE_C: for (int c = 0; c < 8; c++) {
#pragma HLS PIPELINE
            kept[r][c] = in[r * 8 + c];
        }
}
void one(short row[8], short out[8])
{
    const short table[8][8] = { { 1, 2, 3, 4, 5, 6, 7, 8 }, { 11, 22, 33, 44, 55, 66, 77, 88 } };
    OUT: for (int k = 0; k < 8; k++) {
        int sum = 0;
        IN: for (int n = 0; n < 8; n++) {
#pragma HLS PIPELINE
            sum += row[n] * (int)table[k][n];
        }
        out[k] = (sum + 4096) >> 13;
    }
}
void both(short in[64], short out[64])
{
    short kept[8][8], made[8][8];
    take(in, kept);
    for (int i = 0; i < 8; i++) one(kept[i], made[i]);
    BACK_R: for (int r = 0; r < 8; r++)
        BACK_C: for (int c = 0; c < 8; c++) {
#pragma HLS PIPELINE
            out[c * 8 + r] = made[r][c];
        }
}
""",
    "shared_row": """void shared_row(short row[8], short out[8], const short table[64])
{
    OUT: for (int k = 0; k < 8; k++) {
#pragma HLS PIPELINE
        int sum = 0;
        for (int n = 0; n < 8; n++) sum += row[n] * k;
        out[k] = (sum + 4096) >> 13;
    }
}
""",
}
