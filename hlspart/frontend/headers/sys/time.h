#ifndef HLSPART_SYS_TIME_H
#define HLSPART_SYS_TIME_H
#include <time.h>
struct timeval { long tv_sec; long tv_usec; };
struct timezone { int tz_minuteswest; int tz_dsttime; };
int gettimeofday(struct timeval *result, struct timezone *zone);
#endif
