#ifndef HLSPART_SYS_TYPES_H
#define HLSPART_SYS_TYPES_H
#include <stddef.h>
typedef long ssize_t;
typedef long off_t;
typedef int pid_t;
typedef unsigned int mode_t;
typedef unsigned int uid_t;
typedef unsigned char u_char;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned short u_short;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#endif
