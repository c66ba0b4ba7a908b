#ifndef HLSPART_SDS_LIB_H
#define HLSPART_SDS_LIB_H
#include <stddef.h>
void *sds_alloc(size_t size);
void *sds_alloc_non_cacheable(size_t size);
void *sds_mmap(void *physical, size_t size, void *virtual_address);
void sds_munmap(void *address);
void sds_free(void *memory);
void sds_wait(unsigned int event);
unsigned long long sds_clock_counter(void);
unsigned long long sds_clock_frequency(void);
#endif
