#ifndef HLSPART_AP_INT_H
#define HLSPART_AP_INT_H
/* classes are known to the C++ reader itself */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <stdio.h>
#endif
