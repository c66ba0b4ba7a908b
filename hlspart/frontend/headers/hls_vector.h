#ifndef HLSPART_HLS_VECTOR_H
#define HLSPART_HLS_VECTOR_H
/* classes are known to the C++ reader itself */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <stdio.h>
#endif
