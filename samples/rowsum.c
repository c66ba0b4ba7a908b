/* Rows scaled by their sum: the line buffer belongs to one row, so rows may run side by side. */
#define ROWS 24
#define COLS 16

void rowsum(const int x[ROWS][COLS], int y[ROWS][COLS])
{
    int line[COLS];
EACH_ROW:
    for (int r = 0; r < ROWS; r++) {
#pragma hlspart expand pe=4
        int sum = 1;
    LOAD:
        for (int c = 0; c < COLS; c++) {
#pragma HLS PIPELINE
            line[c] = x[r][c] & 255;
            sum += line[c];
        }
    SCALE:
        for (int c = 0; c < COLS; c++) {
#pragma HLS PIPELINE
            y[r][c] = line[c] * sum;
        }
    }
}
