#ifndef HLSPART_ERRNO_H
#define HLSPART_ERRNO_H
extern int errno;
#define EINVAL 22
#define ENOMEM 12
#define ERANGE 34
#endif
