#include "hls_video.h"
#include "ap_int.h"
void top(ap_uint<8> in[16][32], ap_uint<8> out[16][32]) {
  hls::LineBuffer<2, 32, ap_uint<8> > lb;
  hls::Window<3, 3, ap_uint<8> > w;
  for (int r = 0; r < 16; r++) {
    for (int c = 0; c < 32; c++) {
#pragma HLS PIPELINE II=1
      ap_uint<8> x = in[r][c];
      w.shift_pixels_left();
      w.insert_pixel(lb.getval(0, c), 0, 2);
      w.insert_pixel(lb.getval(1, c), 1, 2);
      w.insert_pixel(x, 2, 2);
      lb.shift_pixels_up(c);
      lb.insert_bottom_row(x, c);
      out[r][c] = w.getval(0, 0) + w.getval(1, 1) + w.getval(2, 2);
    }
  }
}
