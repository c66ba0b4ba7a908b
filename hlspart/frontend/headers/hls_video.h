#ifndef HLSPART_HLS_VIDEO_H
#define HLSPART_HLS_VIDEO_H
/* the memories of a sliding window: what they hold, how they are partitioned, what each operation touches */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>
#endif
#ifdef __cplusplus
namespace hls {
template <int ROWS, int COLS, typename T> class Window {
public:
  T val[ROWS][COLS];
  Window() {
#pragma HLS ARRAY_PARTITION variable=val complete dim=1
#pragma HLS ARRAY_PARTITION variable=val complete dim=2
  }
  void shift_pixels_left() {
#pragma HLS INLINE
    for (int i = 0; i < ROWS; i++) {
#pragma HLS UNROLL
      for (int j = 0; j < COLS - 1; j++) {
#pragma HLS UNROLL
        val[i][j] = val[i][j + 1];
      }
    }
  }
  void shift_left() {
#pragma HLS INLINE
    for (int i = 0; i < ROWS; i++) {
#pragma HLS UNROLL
      for (int j = 0; j < COLS - 1; j++) {
#pragma HLS UNROLL
        val[i][j] = val[i][j + 1];
      }
    }
  }
  void shift_pixels_right() {
#pragma HLS INLINE
    for (int i = 0; i < ROWS; i++) {
#pragma HLS UNROLL
      for (int j = 0; j < COLS - 1; j++) {
#pragma HLS UNROLL
        val[i][COLS - 1 - j] = val[i][COLS - 2 - j];
      }
    }
  }
  void shift_right() {
#pragma HLS INLINE
    for (int i = 0; i < ROWS; i++) {
#pragma HLS UNROLL
      for (int j = 0; j < COLS - 1; j++) {
#pragma HLS UNROLL
        val[i][COLS - 1 - j] = val[i][COLS - 2 - j];
      }
    }
  }
  void shift_pixels_up() {
#pragma HLS INLINE
    for (int i = 0; i < ROWS - 1; i++) {
#pragma HLS UNROLL
      for (int j = 0; j < COLS; j++) {
#pragma HLS UNROLL
        val[i][j] = val[i + 1][j];
      }
    }
  }
  void shift_up() {
#pragma HLS INLINE
    for (int i = 0; i < ROWS - 1; i++) {
#pragma HLS UNROLL
      for (int j = 0; j < COLS; j++) {
#pragma HLS UNROLL
        val[i][j] = val[i + 1][j];
      }
    }
  }
  void shift_pixels_down() {
#pragma HLS INLINE
    for (int i = 0; i < ROWS - 1; i++) {
#pragma HLS UNROLL
      for (int j = 0; j < COLS; j++) {
#pragma HLS UNROLL
        val[ROWS - 1 - i][j] = val[ROWS - 2 - i][j];
      }
    }
  }
  void shift_down() {
#pragma HLS INLINE
    for (int i = 0; i < ROWS - 1; i++) {
#pragma HLS UNROLL
      for (int j = 0; j < COLS; j++) {
#pragma HLS UNROLL
        val[ROWS - 1 - i][j] = val[ROWS - 2 - i][j];
      }
    }
  }
  void insert_pixel(T value, int row, int col) {
#pragma HLS INLINE
    val[row][col] = value;
  }
  void insert(T value, int row, int col) {
#pragma HLS INLINE
    val[row][col] = value;
  }
  void insert_row(T value[COLS], int row) {
#pragma HLS INLINE
    for (int i = 0; i < COLS; i++) {
#pragma HLS UNROLL
      val[row][i] = value[i];
    }
  }
  void insert_top_row(T value[COLS]) {
#pragma HLS INLINE
    for (int i = 0; i < COLS; i++) {
#pragma HLS UNROLL
      val[0][i] = value[i];
    }
  }
  void insert_top(T value[COLS]) {
#pragma HLS INLINE
    for (int i = 0; i < COLS; i++) {
#pragma HLS UNROLL
      val[0][i] = value[i];
    }
  }
  void insert_bottom_row(T value[COLS]) {
#pragma HLS INLINE
    for (int i = 0; i < COLS; i++) {
#pragma HLS UNROLL
      val[ROWS - 1][i] = value[i];
    }
  }
  void insert_bottom(T value[COLS]) {
#pragma HLS INLINE
    for (int i = 0; i < COLS; i++) {
#pragma HLS UNROLL
      val[ROWS - 1][i] = value[i];
    }
  }
  void insert_col(T value[ROWS], int col) {
#pragma HLS INLINE
    for (int i = 0; i < ROWS; i++) {
#pragma HLS UNROLL
      val[i][col] = value[i];
    }
  }
  void insert_left_col(T value[ROWS]) {
#pragma HLS INLINE
    for (int i = 0; i < ROWS; i++) {
#pragma HLS UNROLL
      val[i][0] = value[i];
    }
  }
  void insert_left(T value[ROWS]) {
#pragma HLS INLINE
    for (int i = 0; i < ROWS; i++) {
#pragma HLS UNROLL
      val[i][0] = value[i];
    }
  }
  void insert_right_col(T value[ROWS]) {
#pragma HLS INLINE
    for (int i = 0; i < ROWS; i++) {
#pragma HLS UNROLL
      val[i][COLS - 1] = value[i];
    }
  }
  void insert_right(T value[ROWS]) {
#pragma HLS INLINE
    for (int i = 0; i < ROWS; i++) {
#pragma HLS UNROLL
      val[i][COLS - 1] = value[i];
    }
  }
  T &getval(int row, int col) {
#pragma HLS INLINE
    return val[row][col];
  }
  T &operator()(int row, int col) {
#pragma HLS INLINE
    return val[row][col];
  }
};
template <int ROWS, int COLS, typename T, int RESHAPE = 0> class LineBuffer {
public:
  T val[ROWS][COLS];
  LineBuffer() {
#pragma HLS ARRAY_PARTITION variable=val complete dim=1
  }
  void shift_pixels_up(int col) {
#pragma HLS INLINE
    for (int i = 0; i < ROWS - 1; i++) {
#pragma HLS UNROLL
      val[i][col] = val[i + 1][col];
    }
  }
  void shift_up(int col) {
#pragma HLS INLINE
    for (int i = 0; i < ROWS - 1; i++) {
#pragma HLS UNROLL
      val[i][col] = val[i + 1][col];
    }
  }
  void shift_pixels_down(int col) {
#pragma HLS INLINE
    for (int i = 0; i < ROWS - 1; i++) {
#pragma HLS UNROLL
      val[ROWS - 1 - i][col] = val[ROWS - 2 - i][col];
    }
  }
  void shift_down(int col) {
#pragma HLS INLINE
    for (int i = 0; i < ROWS - 1; i++) {
#pragma HLS UNROLL
      val[ROWS - 1 - i][col] = val[ROWS - 2 - i][col];
    }
  }
  void insert_bottom_row(T value, int col) {
#pragma HLS INLINE
    val[ROWS - 1][col] = value;
  }
  void insert_bottom(T value, int col) {
#pragma HLS INLINE
    val[ROWS - 1][col] = value;
  }
  void insert_top_row(T value, int col) {
#pragma HLS INLINE
    val[0][col] = value;
  }
  void insert_top(T value, int col) {
#pragma HLS INLINE
    val[0][col] = value;
  }
  void get_col(T value[ROWS], int col) {
#pragma HLS INLINE
    for (int i = 0; i < ROWS; i++) {
#pragma HLS UNROLL
      value[i] = val[i][col];
    }
  }
  T &getval(int row, int col) {
#pragma HLS INLINE
    return val[row][col];
  }
  T &operator()(int row, int col) {
#pragma HLS INLINE
    return val[row][col];
  }
};
}
#endif
#endif
