#ifndef TAPS_H
#define TAPS_H
#define TAPS 8
#define BLOCK 64
#endif
