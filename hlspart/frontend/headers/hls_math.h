#ifndef HLSPART_HLS_MATH_H
#define HLSPART_HLS_MATH_H
#include <math.h>
#endif
