#ifndef HLSPART_AP_INT_H
#define HLSPART_AP_INT_H
/* what it declares is known to the C++ reader itself */
#endif
