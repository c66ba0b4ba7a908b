#ifndef HLSPART_UNISTD_H
#define HLSPART_UNISTD_H
#include <stddef.h>
#include <sys/types.h>
ssize_t read(int file, void *data, size_t size);
ssize_t write(int file, const void *data, size_t size);
int open(const char *name, int flags, ...);
int close(int file);
int getpid(void);
unsigned int sleep(unsigned int seconds);
int usleep(unsigned int microseconds);
long sysconf(int name);
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#endif
