#ifndef HLSPART_STDIO_H
#define HLSPART_STDIO_H
#include <stddef.h>
#include <stdarg.h>
typedef struct hlspart_file FILE;
typedef long fpos_t;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define BUFSIZ 8192
int printf(const char *format, ...);
int fprintf(FILE *stream, const char *format, ...);
int sprintf(char *text, const char *format, ...);
int snprintf(char *text, size_t size, const char *format, ...);
int vprintf(const char *format, va_list list);
int vfprintf(FILE *stream, const char *format, va_list list);
int vsprintf(char *text, const char *format, va_list list);
int vsnprintf(char *text, size_t size, const char *format, va_list list);
int scanf(const char *format, ...);
int fscanf(FILE *stream, const char *format, ...);
int sscanf(const char *text, const char *format, ...);
FILE *fopen(const char *name, const char *mode);
FILE *freopen(const char *name, const char *mode, FILE *stream);
int fclose(FILE *stream);
int fflush(FILE *stream);
size_t fread(void *data, size_t size, size_t count, FILE *stream);
size_t fwrite(const void *data, size_t size, size_t count, FILE *stream);
int fgetc(FILE *stream);
char *fgets(char *text, int size, FILE *stream);
int fputc(int character, FILE *stream);
int fputs(const char *text, FILE *stream);
int getc(FILE *stream);
int getchar(void);
int putc(int character, FILE *stream);
int putchar(int character);
int puts(const char *text);
int ungetc(int character, FILE *stream);
int fseek(FILE *stream, long offset, int whence);
long ftell(FILE *stream);
void rewind(FILE *stream);
int feof(FILE *stream);
int ferror(FILE *stream);
void perror(const char *text);
int remove(const char *name);
int rename(const char *from, const char *to);
#endif
