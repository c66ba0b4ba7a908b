#ifndef HLSPART_TIME_H
#define HLSPART_TIME_H
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; };
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
time_t time(time_t *result);
clock_t clock(void);
double difftime(time_t a, time_t b);
struct tm *localtime(const time_t *moment);
int clock_gettime(int clock, struct timespec *result);
#endif
