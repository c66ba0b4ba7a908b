#ifndef HLSPART_STRING_H
#define HLSPART_STRING_H
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *memory, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *memory, int value, size_t size);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t size);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strchr(const char *text, int character);
char *strrchr(const char *text, int character);
char *strstr(const char *text, const char *part);
char *strtok(char *text, const char *separators);
char *strdup(const char *text);
size_t strlen(const char *text);
size_t strspn(const char *text, const char *characters);
size_t strcspn(const char *text, const char *characters);
char *strerror(int number);
#endif
