#ifndef HLSPART_SYS_STAT_H
#define HLSPART_SYS_STAT_H
#include <sys/types.h>
struct stat { unsigned long st_dev, st_ino; mode_t st_mode; off_t st_size; };
int stat(const char *name, struct stat *result);
int fstat(int file, struct stat *result);
#endif
