/* Softmax of 40 rows; the rows are independent of each other. */
#include <math.h>

#define ROWS 40
#define COLS 64

void softmax(const float x[ROWS][COLS], float y[ROWS][COLS]) {
  EACH_ROW: for (int r = 0; r < ROWS; r++) {
    float e[COLS];
    float most = x[r][0];
    MOST: for (int j = 1; j < COLS; j++) {
#pragma HLS PIPELINE
      if (x[r][j] > most) most = x[r][j];
    }
    float sum = 0;
    EXP: for (int j = 0; j < COLS; j++) {
#pragma HLS PIPELINE
      e[j] = expf(x[r][j] - most);
      sum += e[j];
    }
    SCALE: for (int j = 0; j < COLS; j++) {
#pragma HLS PIPELINE
      y[r][j] = e[j] / sum;
    }
  }
}
