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
}
