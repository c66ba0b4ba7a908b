#ifndef HLSPART_SIGNAL_H
#define HLSPART_SIGNAL_H
typedef int sig_atomic_t;
typedef void (*sighandler_t)(int);
sighandler_t signal(int number, sighandler_t handler);
#define SIGINT 2
#define SIGSEGV 11
#endif
