#ifndef HLSPART_FCNTL_H
#define HLSPART_FCNTL_H
#include <unistd.h>
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 64
#define O_TRUNC 512
#endif
