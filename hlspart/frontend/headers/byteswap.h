#ifndef HLSPART_BYTESWAP_H
#define HLSPART_BYTESWAP_H
unsigned short bswap_16(unsigned short value);
unsigned int bswap_32(unsigned int value);
unsigned long bswap_64(unsigned long value);
#endif
