#ifndef HLSPART_AP_UTILS_H
#define HLSPART_AP_UTILS_H
void ap_wait(void);
void ap_wait_n(int cycles);
#endif
