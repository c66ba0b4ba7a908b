#ifndef HLSPART_AP_CINT_H
#define HLSPART_AP_CINT_H
#endif
