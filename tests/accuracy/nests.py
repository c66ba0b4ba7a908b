"""Nests of the second calibration set, written for hlspart: plain C without pragmas."""

NESTS = {
    "adi": """void adi(double u[60][60], double v[60][60], double p[60][60], double q[60][60])
{
    const double a = -1.25, b = 3.5, c = -1.25, d = -0.75, f = -0.75;
    TIME: for (int t = 1; t <= 40; t++) {
        ROW: for (int i = 1; i < 59; i++) {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = v[0][i];
            COLUMN: for (int j = 1; j < 59; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1])
                          / (a * p[i][j - 1] + b);
            }
            v[59][i] = 1.0;
            RETURN: for (int j = 0; j <= 57; j++) {
                int k = 58 - j;
                v[k][i] = p[i][k] * v[k + 1][i] + q[i][k];
            }
        }
        MIRROR: for (int i = 1; i < 59; i++) {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = u[i][0];
            ALONG: for (int j = 1; j < 59; j++) {
                p[i][j] = -f / (d * p[i][j - 1] + b);
                q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1])
                          / (d * p[i][j - 1] + b);
            }
            u[i][59] = 1.0;
            AGAIN: for (int j = 0; j <= 57; j++) {
                int k = 58 - j;
                u[i][k] = p[i][k] * u[i][k + 1] + q[i][k];
            }
        }
    }
}
""",
    "correlation": """#include <math.h>
void correlation(double float_n, double data[100][80], double corr[80][80], double mean[80], double stddev[80])
{
    DEVIATION: for (int j = 0; j < 80; j++) {
        stddev[j] = 0.0;
        SQUARES: for (int i = 0; i < 100; i++)
            stddev[j] += pow(data[i][j] - mean[j], (double)2);
        stddev[j] /= float_n;
        stddev[j] = sqrt(stddev[j]);
        stddev[j] = stddev[j] <= 0.1 ? 1.0 : stddev[j];
    }
    CENTRE_I: for (int i = 0; i < 100; i++)
        CENTRE_J: for (int j = 0; j < 80; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt(float_n) * stddev[j];
        }
    ROWS: for (int i = 0; i < 79; i++) {
        corr[i][i] = 1.0;
        PAIRS: for (int j = i + 1; j < 80; j++) {
            corr[i][j] = 0.0;
            PRODUCTS: for (int k = 0; k < 100; k++)
                corr[i][j] += data[k][i] * data[k][j];
            corr[j][i] = corr[i][j];
        }
    }
}
""",
    "covariance": """void covariance(double float_n, double data[100][80], double cov[80][80], double mean[80])
{
    MEAN: for (int j = 0; j < 80; j++) {
        mean[j] = 0.0;
        SUM: for (int i = 0; i < 100; i++)
            mean[j] += data[i][j];
        mean[j] /= float_n;
    }
    CENTRE_I: for (int i = 0; i < 100; i++)
        CENTRE_J: for (int j = 0; j < 80; j++)
            data[i][j] -= mean[j];
    ROWS: for (int i = 0; i < 80; i++)
        PAIRS: for (int j = i; j < 80; j++) {
            cov[i][j] = 0.0;
            PRODUCTS: for (int k = 0; k < 100; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= float_n - 1.0;
            cov[j][i] = cov[i][j];
        }
}
""",
    "doitgen": """void doitgen(double A[25][20][30], double C4[30][30], double sum[30])
{
    R: for (int r = 0; r < 25; r++)
        Q: for (int q = 0; q < 20; q++) {
            P: for (int p = 0; p < 30; p++) {
                sum[p] = 0.0;
                S: for (int s = 0; s < 30; s++)
                    sum[p] += A[r][q][s] * C4[s][p];
            }
            BACK: for (int p = 0; p < 30; p++)
                A[r][q][p] = sum[p];
        }
}
""",
    "durbin": """void durbin(double r[40], double y[40])
{
    double z[40];
    y[0] = -r[0];
    double beta = 1.0, alpha = -r[0];
    STEP: for (int k = 1; k < 40; k++) {
        beta = (1 - alpha * alpha) * beta;
        double sum = 0.0;
        DOT: for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        FORM: for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        COPY: for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
}
""",
    "fdtd": """void fdtd(double ex[60][80], double ey[60][80], double hz[60][80], double fict[40])
{
    TIME: for (int t = 0; t < 40; t++) {
        EDGE: for (int j = 0; j < 80; j++)
            ey[0][j] = fict[t];
        EY_I: for (int i = 1; i < 60; i++)
            EY_J: for (int j = 0; j < 80; j++)
                ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
        EX_I: for (int i = 0; i < 60; i++)
            EX_J: for (int j = 1; j < 80; j++)
                ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
        HZ_I: for (int i = 0; i < 59; i++)
            HZ_J: for (int j = 0; j < 79; j++)
                hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}
""",
    "heat": """#define STEP(Y, X) \\
    Y[i][j][k] = 0.125 * (X[i + 1][j][k] - 2.0 * X[i][j][k] + X[i - 1][j][k]) \\
               + 0.125 * (X[i][j + 1][k] - 2.0 * X[i][j][k] + X[i][j - 1][k]) \\
               + 0.125 * (X[i][j][k + 1] - 2.0 * X[i][j][k] + X[i][j][k - 1]) + X[i][j][k]
void heat(double A[20][20][20], double B[20][20][20])
{
    TIME: for (int t = 1; t <= 40; t++) {
        B_I: for (int i = 1; i < 19; i++)
            B_J: for (int j = 1; j < 19; j++)
                B_K: for (int k = 1; k < 19; k++)
                    STEP(B, A);
        A_I: for (int i = 1; i < 19; i++)
            A_J: for (int j = 1; j < 19; j++)
                A_K: for (int k = 1; k < 19; k++)
                    STEP(A, B);
    }
}
""",
    "jacobi1d": """void jacobi1d(double A[120], double B[120])
{
    TIME: for (int t = 0; t < 40; t++) {
        FORTH: for (int i = 1; i < 119; i++)
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        BACK: for (int i = 1; i < 119; i++)
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
}
""",
    "jacobi2d": """void jacobi2d(double A[90][90], double B[90][90])
{
    TIME: for (int t = 0; t < 40; t++) {
        FORTH_I: for (int i = 1; i < 89; i++)
            FORTH_J: for (int j = 1; j < 89; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
        BACK_I: for (int i = 1; i < 89; i++)
            BACK_J: for (int j = 1; j < 89; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
    }
}
""",
    "avg_pool": """void avg_pool(float in[512][7][7], float out[512])
{
    D: for (int d = 0; d < 512; d++) {
        float sum = 0.0f;
        I: for (int i = 0; i < 7; i++)
            J: for (int j = 0; j < 7; j++)
                sum += in[d][i][j];
        out[d] = sum / 49;
    }
}
""",
    "histogram": """void histogram(int in[10240], int hist[256])
{
    COUNT: for (int i = 0; i < 10240; i++)
        hist[in[i]] += 1;
}
""",
}
