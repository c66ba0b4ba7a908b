#ifndef HLSPART_STDARG_H
#define HLSPART_STDARG_H
typedef char *va_list;
#define va_start(list, last) ((void)(list))
#define va_end(list) ((void)(list))
#define va_copy(to, from) ((to) = (from))
#define va_arg(list, type) (*(type *)(list))
#endif
