#ifndef HLSPART_HLS_VIDEO_H
#define HLSPART_HLS_VIDEO_H
/* the memories of a sliding window: what they hold, how they are partitioned, what each operation touches */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ap_axi_sdata.h>
#include <hls_stream.h>
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
#pragma HLS DEPENDENCE variable=val inter false
#pragma HLS DEPENDENCE variable=val intra false
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
typedef int HLS_SIZE_T;
typedef int HLS_CHANNEL_T;
/* Images are channels, one for each component, and functions go over them one pixel a cycle (reports of three
   repositories). What a function computes of a pixel, and so its states, is left open. */
#define HLS_MAT_DEPTH(flags) ((flags) % 8)
#define HLS_MAT_CN(flags) ((flags) / 8 + 1)
#define HLS_TNAME(flags) typename hls::Type<HLS_MAT_DEPTH(flags)>::name
/* a depth alone is the type of one component */
#define HLS_8U 0
#define HLS_8S 1
#define HLS_16U 2
#define HLS_16S 3
#define HLS_32S 4
#define HLS_32F 5
#define HLS_64F 6
#define HLS_8UC1 0
#define HLS_8SC1 1
#define HLS_16UC1 2
#define HLS_16SC1 3
#define HLS_32SC1 4
#define HLS_32FC1 5
#define HLS_64FC1 6
#define HLS_8UC2 8
#define HLS_8SC2 9
#define HLS_16UC2 10
#define HLS_16SC2 11
#define HLS_32SC2 12
#define HLS_32FC2 13
#define HLS_64FC2 14
#define HLS_8UC3 16
#define HLS_8SC3 17
#define HLS_16UC3 18
#define HLS_16SC3 19
#define HLS_32SC3 20
#define HLS_32FC3 21
#define HLS_64FC3 22
#define HLS_8UC4 24
#define HLS_8SC4 25
#define HLS_16UC4 26
#define HLS_16SC4 27
#define HLS_32SC4 28
#define HLS_32FC4 29
#define HLS_64FC4 30
#define HLS_RGB2GRAY 0
#define HLS_BGR2GRAY 1
#define HLS_GRAY2RGB 2
#define HLS_GRAY2BGR 3
#define HLS_RGB2XYZ 4
#define HLS_BGR2XYZ 5
#define HLS_XYZ2RGB 6
#define HLS_XYZ2BGR 7
#define HLS_RGB2YCrCb 8
#define HLS_BGR2YCrCb 9
#define HLS_YCrCb2RGB 10
#define HLS_YCrCb2BGR 11
#define HLS_RGB2HSV 12
#define HLS_BGR2HSV 13
#define HLS_HSV2RGB 14
#define HLS_HSV2BGR 15
#define HLS_RGB2HLS 16
#define HLS_BGR2HLS 17
#define HLS_HLS2RGB 18
#define HLS_HLS2BGR 19
#define HLS_CMP_EQ 0
#define HLS_CMP_GT 1
#define HLS_CMP_GE 2
#define HLS_CMP_LT 3
#define HLS_CMP_LE 4
#define HLS_CMP_NE 5
#define HLS_THRESH_BINARY 0
#define HLS_THRESH_BINARY_INV 1
#define HLS_THRESH_TRUNC 2
#define HLS_THRESH_TOZERO 3
#define HLS_THRESH_TOZERO_INV 4
#define HLSPART_FRAME(ROWS, COLS) \
  loop_height: for (int i = 0; i < ROWS; i++) loop_width: for (int j = 0; j < COLS; j++)
namespace hls {
enum { BORDER_REPLICATE, BORDER_CONSTANT, BORDER_REFLECT, BORDER_WRAP, BORDER_REFLECT101, BORDER_DEFAULT };
template <int DEPTH> struct Type { typedef unsigned char name; };
template <> struct Type<1> { typedef signed char name; };
template <> struct Type<2> { typedef unsigned short name; };
template <> struct Type<3> { typedef short name; };
template <> struct Type<4> { typedef int name; };
template <> struct Type<5> { typedef float name; };
template <> struct Type<6> { typedef double name; };
template <typename T> struct Point_ { T x; T y; };
typedef Point_<int> Point;
template <int N, typename T> class Scalar {
public:
  T val[N];
  Scalar() {
#pragma HLS ARRAY_PARTITION variable=val complete dim=1
  }
  Scalar(T v) {
#pragma HLS ARRAY_PARTITION variable=val complete dim=1
    for (int k = 0; k < N; k++) {
#pragma HLS UNROLL
      val[k] = v;
    }
  }
  Scalar(T v0, T v1) {
#pragma HLS ARRAY_PARTITION variable=val complete dim=1
    val[0] = v0;
    val[1] = v1;
  }
  Scalar(T v0, T v1, T v2) {
#pragma HLS ARRAY_PARTITION variable=val complete dim=1
    val[0] = v0;
    val[1] = v1;
    val[2] = v2;
  }
  Scalar(T v0, T v1, T v2, T v3) {
#pragma HLS ARRAY_PARTITION variable=val complete dim=1
    val[0] = v0;
    val[1] = v1;
    val[2] = v2;
    val[3] = v3;
  }
};
template <int ROWS, int COLS, int T> class Mat {
public:
  int rows, cols;
  stream<HLS_TNAME(T)> data_stream[HLS_MAT_CN(T)];
  Mat() {
    rows = ROWS;
    cols = COLS;
  }
  Mat(int r, int c) {
    rows = r;
    cols = c;
  }
  void read(Scalar<HLS_MAT_CN(T), HLS_TNAME(T)> &s) {
#pragma HLS INLINE
    for (int k = 0; k < HLS_MAT_CN(T); k++) {
#pragma HLS UNROLL
      data_stream[k] >> s.val[k];
    }
  }
  void operator>>(Scalar<HLS_MAT_CN(T), HLS_TNAME(T)> &s) {
#pragma HLS INLINE
    for (int k = 0; k < HLS_MAT_CN(T); k++) {
#pragma HLS UNROLL
      data_stream[k] >> s.val[k];
    }
  }
  void write(Scalar<HLS_MAT_CN(T), HLS_TNAME(T)> &s) {
#pragma HLS INLINE
    for (int k = 0; k < HLS_MAT_CN(T); k++) {
#pragma HLS UNROLL
      data_stream[k] << s.val[k];
    }
  }
  void operator<<(Scalar<HLS_MAT_CN(T), HLS_TNAME(T)> &s) {
#pragma HLS INLINE
    for (int k = 0; k < HLS_MAT_CN(T); k++) {
#pragma HLS UNROLL
      data_stream[k] << s.val[k];
    }
  }
};
#ifndef HLSPART_RUN /* what happens to pixels is not computed */
template <int R, int C, int S, int D> void Duplicate(Mat<R, C, S> &src, Mat<R, C, D> &one, Mat<R, C, D> &two) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLS_TNAME(S) v = src.data_stream[k].read();
      one.data_stream[k].write(v);
      two.data_stream[k].write(v);
    }
  }
}
template <int R, int C, int S, int D> void Split(Mat<R, C, S> &src, Mat<R, C, D> &d0, Mat<R, C, D> &d1) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    d0.data_stream[0].write(src.data_stream[0].read());
    d1.data_stream[0].write(src.data_stream[1].read());
  }
}
template <int R, int C, int S, int D> void Split(Mat<R, C, S> &src, Mat<R, C, D> &d0, Mat<R, C, D> &d1, Mat<R, C, D> &d2) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    d0.data_stream[0].write(src.data_stream[0].read());
    d1.data_stream[0].write(src.data_stream[1].read());
    d2.data_stream[0].write(src.data_stream[2].read());
  }
}
template <int R, int C, int S, int D> void Split(Mat<R, C, S> &src, Mat<R, C, D> &d0, Mat<R, C, D> &d1, Mat<R, C, D> &d2, Mat<R, C, D> &d3) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    d0.data_stream[0].write(src.data_stream[0].read());
    d1.data_stream[0].write(src.data_stream[1].read());
    d2.data_stream[0].write(src.data_stream[2].read());
    d3.data_stream[0].write(src.data_stream[3].read());
  }
}
template <int R, int C, int S, int D> void Merge(Mat<R, C, S> &s0, Mat<R, C, S> &s1, Mat<R, C, D> &dst) {
  HLSPART_FRAME(dst.rows, dst.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    dst.data_stream[0].write(s0.data_stream[0].read());
    dst.data_stream[1].write(s1.data_stream[0].read());
  }
}
template <int R, int C, int S, int D> void Merge(Mat<R, C, S> &s0, Mat<R, C, S> &s1, Mat<R, C, S> &s2, Mat<R, C, D> &dst) {
  HLSPART_FRAME(dst.rows, dst.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    dst.data_stream[0].write(s0.data_stream[0].read());
    dst.data_stream[1].write(s1.data_stream[0].read());
    dst.data_stream[2].write(s2.data_stream[0].read());
  }
}
template <int R, int C, int S, int D> void Merge(Mat<R, C, S> &s0, Mat<R, C, S> &s1, Mat<R, C, S> &s2, Mat<R, C, S> &s3, Mat<R, C, D> &dst) {
  HLSPART_FRAME(dst.rows, dst.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    dst.data_stream[0].write(s0.data_stream[0].read());
    dst.data_stream[1].write(s1.data_stream[0].read());
    dst.data_stream[2].write(s2.data_stream[0].read());
    dst.data_stream[3].write(s3.data_stream[0].read());
  }
}
template <int R, int C, int S, int D> void Not(Mat<R, C, S> &src, Mat<R, C, D> &dst) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLSPART_OPEN v = src.data_stream[k].read();
      dst.data_stream[k].write(v);
    }
  }
}
template <int R, int C, int S, int D, typename A = double, typename B = double> void Scale(Mat<R, C, S> &src, Mat<R, C, D> &dst, A scale = 1.0, B shift = 0.0) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLSPART_OPEN v = src.data_stream[k].read();
      dst.data_stream[k].write(v);
    }
  }
}
template <int R, int C, int S, int D, typename A = double, typename B = double> void ConvertScaleAbs(Mat<R, C, S> &src, Mat<R, C, D> &dst, A scale = 1.0, B shift = 0.0) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLSPART_OPEN v = src.data_stream[k].read();
      dst.data_stream[k].write(v);
    }
  }
}
template <int R, int C, int S, int D, typename A = double, typename B = double> void Threshold(Mat<R, C, S> &src, Mat<R, C, D> &dst, A thresh, B maxval, int kind) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLSPART_OPEN v = src.data_stream[k].read();
      dst.data_stream[k].write(v);
    }
  }
}
template <int CODE, int R, int C, int S, int D> void CvtColor(Mat<R, C, S> &src, Mat<R, C, D> &dst) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    HLSPART_OPEN v = 0;
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      v = v + src.data_stream[k].read();
    }
    for (int k = 0; k < HLS_MAT_CN(D); k++) {
#pragma HLS UNROLL
      dst.data_stream[k].write(v);
    }
  }
}
template <int R, int C, int S, int T, int D, typename A = double, typename B = double, typename G = double> void AddWeighted(Mat<R, C, S> &src, A alpha, Mat<R, C, T> &other, B beta, G gamma, Mat<R, C, D> &dst) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLSPART_OPEN v = src.data_stream[k].read();
      dst.data_stream[k].write(v + other.data_stream[k].read());
    }
  }
}
#define HLSPART_OF_TWO(NAME) \
  template <int R, int C, int S, int T, int D> void NAME(Mat<R, C, S> &src, Mat<R, C, T> &other, Mat<R, C, D> &dst) { \
    HLSPART_FRAME(src.rows, src.cols) { \
      _Pragma("HLS LOOP_FLATTEN OFF") _Pragma("HLS PIPELINE II=1") \
      for (int k = 0; k < HLS_MAT_CN(S); k++) { \
        _Pragma("HLS UNROLL") \
        HLSPART_OPEN v = src.data_stream[k].read(); \
        dst.data_stream[k].write(v + other.data_stream[k].read()); \
      } \
    } \
  }
HLSPART_OF_TWO(AbsDiff)
HLSPART_OF_TWO(Mul)
HLSPART_OF_TWO(And)
HLSPART_OF_TWO(Max)
HLSPART_OF_TWO(Min)
template <int R, int C, int S, int D> void CmpS(Mat<R, C, S> &src, double value, Mat<R, C, D> &dst, int kind) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    HLSPART_OPEN all = 0;
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      all = all + src.data_stream[k].read();
    }
    for (int k = 0; k < HLS_MAT_CN(D); k++) {
#pragma HLS UNROLL
      dst.data_stream[k].write(all);
    }
  }
}
template <int R, int C, int S, int T, int D> void Cmp(Mat<R, C, S> &src, Mat<R, C, T> &other, Mat<R, C, D> &dst, int kind) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    HLSPART_OPEN all = 0;
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      all = all + src.data_stream[k].read() + other.data_stream[k].read();
    }
    for (int k = 0; k < HLS_MAT_CN(D); k++) {
#pragma HLS UNROLL
      dst.data_stream[k].write(all);
    }
  }
}
template <int R, int C, int S, int M, int D, typename V> void PaintMask(Mat<R, C, S> &src, Mat<R, C, M> &mask, Mat<R, C, D> &dst, V &color) {
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    HLSPART_OPEN m = mask.data_stream[0].read();
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      dst.data_stream[k].write(m + src.data_stream[k].read());
    }
  }
}
template <int BORDER, int R, int C, int S, int D, int KH, int KW, typename K, typename P> void Filter2D(Mat<R, C, S> &src, Mat<R, C, D> &dst, Window<KH, KW, K> &kernel, P anchor) {
  HLS_TNAME(S) k_buf[HLS_MAT_CN(S)][KH][C + KW];
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=1
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=2
#pragma HLS DEPENDENCE variable=k_buf inter false
  HLSPART_FRAME(src.rows + KH - 1, src.cols + KW - 1) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLS_TNAME(S) v = 0;
      if (i < src.rows && j < src.cols) v = src.data_stream[k].read();
      HLSPART_OPEN all = v;
      for (int r = KH - 1; r >= 0; r--) {
#pragma HLS UNROLL
        all = all + k_buf[k][r][j];
        k_buf[k][r][j] = r == 0 ? v : k_buf[k][r - 1][j];
      }
      if (i >= KH - 1 && j >= KW - 1) dst.data_stream[k].write(all);
    }
  }
}
template <int SHAPE, int ITERATIONS, int R, int C, int S, int D> void Erode(Mat<R, C, S> &src, Mat<R, C, D> &dst) {
  HLS_TNAME(S) k_buf[HLS_MAT_CN(S)][3][C + 3];
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=1
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=2
#pragma HLS DEPENDENCE variable=k_buf inter false
  HLSPART_FRAME(src.rows + 2, src.cols + 2) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLS_TNAME(S) v = 0;
      if (i < src.rows && j < src.cols) v = src.data_stream[k].read();
      HLSPART_OPEN all = v;
      for (int r = 2; r >= 0; r--) {
#pragma HLS UNROLL
        all = all + k_buf[k][r][j];
        k_buf[k][r][j] = r == 0 ? v : k_buf[k][r - 1][j];
      }
      if (i >= 2 && j >= 2) dst.data_stream[k].write(all);
    }
  }
}
template <int R, int C, int S, int D> void Erode(Mat<R, C, S> &src, Mat<R, C, D> &dst) {
  HLS_TNAME(S) k_buf[HLS_MAT_CN(S)][3][C + 3];
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=1
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=2
#pragma HLS DEPENDENCE variable=k_buf inter false
  HLSPART_FRAME(src.rows + 2, src.cols + 2) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLS_TNAME(S) v = 0;
      if (i < src.rows && j < src.cols) v = src.data_stream[k].read();
      HLSPART_OPEN all = v;
      for (int r = 2; r >= 0; r--) {
#pragma HLS UNROLL
        all = all + k_buf[k][r][j];
        k_buf[k][r][j] = r == 0 ? v : k_buf[k][r - 1][j];
      }
      if (i >= 2 && j >= 2) dst.data_stream[k].write(all);
    }
  }
}
template <int SHAPE, int ITERATIONS, int R, int C, int S, int D, int KH, int KW, typename K> void Erode(Mat<R, C, S> &src, Mat<R, C, D> &dst, Window<KH, KW, K> &kernel) {
  HLS_TNAME(S) k_buf[HLS_MAT_CN(S)][KH][C + KW];
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=1
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=2
#pragma HLS DEPENDENCE variable=k_buf inter false
  HLSPART_FRAME(src.rows + KH - 1, src.cols + KW - 1) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLS_TNAME(S) v = 0;
      if (i < src.rows && j < src.cols) v = src.data_stream[k].read();
      HLSPART_OPEN all = v;
      for (int r = KH - 1; r >= 0; r--) {
#pragma HLS UNROLL
        all = all + k_buf[k][r][j];
        k_buf[k][r][j] = r == 0 ? v : k_buf[k][r - 1][j];
      }
      if (i >= KH - 1 && j >= KW - 1) dst.data_stream[k].write(all);
    }
  }
}
template <int SHAPE, int ITERATIONS, int R, int C, int S, int D> void Dilate(Mat<R, C, S> &src, Mat<R, C, D> &dst) {
  HLS_TNAME(S) k_buf[HLS_MAT_CN(S)][3][C + 3];
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=1
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=2
#pragma HLS DEPENDENCE variable=k_buf inter false
  HLSPART_FRAME(src.rows + 2, src.cols + 2) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLS_TNAME(S) v = 0;
      if (i < src.rows && j < src.cols) v = src.data_stream[k].read();
      HLSPART_OPEN all = v;
      for (int r = 2; r >= 0; r--) {
#pragma HLS UNROLL
        all = all + k_buf[k][r][j];
        k_buf[k][r][j] = r == 0 ? v : k_buf[k][r - 1][j];
      }
      if (i >= 2 && j >= 2) dst.data_stream[k].write(all);
    }
  }
}
template <int R, int C, int S, int D> void Dilate(Mat<R, C, S> &src, Mat<R, C, D> &dst) {
  HLS_TNAME(S) k_buf[HLS_MAT_CN(S)][3][C + 3];
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=1
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=2
#pragma HLS DEPENDENCE variable=k_buf inter false
  HLSPART_FRAME(src.rows + 2, src.cols + 2) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLS_TNAME(S) v = 0;
      if (i < src.rows && j < src.cols) v = src.data_stream[k].read();
      HLSPART_OPEN all = v;
      for (int r = 2; r >= 0; r--) {
#pragma HLS UNROLL
        all = all + k_buf[k][r][j];
        k_buf[k][r][j] = r == 0 ? v : k_buf[k][r - 1][j];
      }
      if (i >= 2 && j >= 2) dst.data_stream[k].write(all);
    }
  }
}
template <int SHAPE, int ITERATIONS, int R, int C, int S, int D, int KH, int KW, typename K> void Dilate(Mat<R, C, S> &src, Mat<R, C, D> &dst, Window<KH, KW, K> &kernel) {
  HLS_TNAME(S) k_buf[HLS_MAT_CN(S)][KH][C + KW];
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=1
#pragma HLS ARRAY_PARTITION variable=k_buf complete dim=2
#pragma HLS DEPENDENCE variable=k_buf inter false
  HLSPART_FRAME(src.rows + KH - 1, src.cols + KW - 1) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    for (int k = 0; k < HLS_MAT_CN(S); k++) {
#pragma HLS UNROLL
      HLS_TNAME(S) v = 0;
      if (i < src.rows && j < src.cols) v = src.data_stream[k].read();
      HLSPART_OPEN all = v;
      for (int r = KH - 1; r >= 0; r--) {
#pragma HLS UNROLL
        all = all + k_buf[k][r][j];
        k_buf[k][r][j] = r == 0 ? v : k_buf[k][r - 1][j];
      }
      if (i >= KH - 1 && j >= KW - 1) dst.data_stream[k].write(all);
    }
  }
}
template <int XORDER, int YORDER, int SIZE, int R, int C, int S, int D> void Sobel(Mat<R, C, S> &src, Mat<R, C, D> &dst) {
#pragma HLS INLINE
  Window<SIZE, SIZE, short> kernel;
  Point anchor;
  Filter2D<BORDER_DEFAULT>(src, dst, kernel, anchor);
}
template <int KH, int KW, int R, int C, int S, int D> void GaussianBlur(Mat<R, C, S> &src, Mat<R, C, D> &dst) {
#pragma HLS INLINE
  Window<KH, KW, short> kernel;
  Point anchor;
  Filter2D<BORDER_DEFAULT>(src, dst, kernel, anchor);
}
template <int R, int C, int T, typename A = double> void MinMaxLoc(Mat<R, C, T> &src, A *least, A *most, Point &lowest, Point &highest) {
  HLS_TNAME(T) low = 0, high = 0;
  HLSPART_FRAME(src.rows, src.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    HLS_TNAME(T) v = src.data_stream[0].read();
    if ((i == 0 && j == 0) || v < low) {
      low = v;
      lowest.x = j;
      lowest.y = i;
    }
    if ((i == 0 && j == 0) || v > high) {
      high = v;
      highest.x = j;
      highest.y = i;
    }
  }
  *least = low;
  *most = high;
}
template <typename W, int R, int C, int T> int AXIvideo2Mat(stream<W> &video, Mat<R, C, T> &img) {
  W word;
  bool first = false;
loop_wait_for_start:
  while (!first) {
#pragma HLS PIPELINE II=1
    video >> word;
    first = word.user;
  }
loop_height:
  for (int i = 0; i < img.rows; i++) {
    bool last = false;
  loop_width:
    for (int j = 0; j < img.cols; j++) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
      if (first || last) {
        first = false;
      } else {
        video >> word;
      }
      last = word.last;
      for (int k = 0; k < HLS_MAT_CN(T); k++) {
#pragma HLS UNROLL
        img.data_stream[k].write(word.data >> (8 * k));
      }
    }
  loop_wait_for_eol:
    while (!last) {
#pragma HLS PIPELINE II=1
      video >> word;
      last = word.last;
    }
  }
  return 0;
}
template <typename W, int R, int C, int T> int Mat2AXIvideo(Mat<R, C, T> &img, stream<W> &video) {
  bool first = true;
  HLSPART_FRAME(img.rows, img.cols) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE II=1
    W word;
    word.user = first;
    word.last = j == img.cols - 1;
    word.data = 0;
    for (int k = 0; k < HLS_MAT_CN(T); k++) {
#pragma HLS UNROLL
      HLSPART_OPEN v = img.data_stream[k].read(); // reports: two states or three
      word.data = word.data | (v << (8 * k));
    }
    video << word;
    first = false;
  }
  return 0;
}
#endif
}
#endif
#endif
