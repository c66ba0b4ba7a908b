#ifndef HLSPART_ZLIB_H
#define HLSPART_ZLIB_H
#include <stddef.h>
#include <stdio.h>
#define OF(parameters) parameters
#define ZEXPORT
#define ZEXTERN extern
#define FAR
typedef unsigned char Byte;
typedef Byte Bytef;
typedef unsigned int uInt;
typedef unsigned long uLong;
typedef uLong uLongf;
typedef void *voidp;
typedef void *voidpf;
typedef const void *voidpc;
typedef unsigned int z_crc_t;
typedef long z_off_t;
typedef long z_off64_t;
typedef struct gzFile_s *gzFile;
typedef voidpf (*alloc_func)(voidpf opaque, uInt items, uInt size);
typedef void (*free_func)(voidpf opaque, voidpf address);
typedef struct z_stream_s {
    const Bytef *next_in;
    uInt avail_in;
    uLong total_in;
    Bytef *next_out;
    uInt avail_out;
    uLong total_out;
    const char *msg;
    void *state;
    alloc_func zalloc;
    free_func zfree;
    voidpf opaque;
    int data_type;
    uLong adler, reserved;
} z_stream;
typedef z_stream *z_streamp;
#define ZLIB_VERSION "1.2.11"
#define MAX_WBITS 15
#define MAX_MEM_LEVEL 9
#define Z_NO_FLUSH 0
#define Z_SYNC_FLUSH 2
#define Z_FINISH 4
#define Z_OK 0
#define Z_STREAM_END 1
#define Z_ERRNO (-1)
#define Z_STREAM_ERROR (-2)
#define Z_DATA_ERROR (-3)
#define Z_MEM_ERROR (-4)
#define Z_BUF_ERROR (-5)
#define Z_DEFAULT_COMPRESSION (-1)
#define Z_DEFAULT_STRATEGY 0
#define Z_BINARY 0
#define Z_ASCII 1
#define Z_UNKNOWN 2
#define Z_DEFLATED 8
#define Z_NULL 0
int deflateInit(z_streamp stream, int level);
int deflateInit2(z_streamp stream, int level, int method, int bits, int memory, int strategy);
int deflate(z_streamp stream, int flush);
int deflateEnd(z_streamp stream);
int inflateInit(z_streamp stream);
int inflateInit2(z_streamp stream, int bits);
int inflate(z_streamp stream, int flush);
int inflateEnd(z_streamp stream);
int compress(Bytef *to, uLongf *size, const Bytef *from, uLong length);
int uncompress(Bytef *to, uLongf *size, const Bytef *from, uLong length);
uLong crc32(uLong crc, const Bytef *data, uInt length);
uLong adler32(uLong adler, const Bytef *data, uInt length);
const z_crc_t *get_crc_table(void);
gzFile gzopen(const char *path, const char *mode);
int gzread(gzFile file, void *data, unsigned int length);
int gzwrite(gzFile file, const void *data, unsigned int length);
int gzclose(gzFile file);
#endif
