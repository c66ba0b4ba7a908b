#ifndef HLSPART_AP_AXI_SDATA_H
#define HLSPART_AP_AXI_SDATA_H
/* what it declares is known to the C++ reader itself */
#endif
