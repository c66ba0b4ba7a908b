#ifndef HLSPART_AP_FIXED_H
#define HLSPART_AP_FIXED_H
/* what it declares is known to the C++ reader itself */
#endif
