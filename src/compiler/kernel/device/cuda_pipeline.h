/* Copies to shared memory that are asked for before they are waited for: made at once. */
#pragma once
#include "cuprite_device.h"

/* The last `zeros` of `bytes` bytes become 0. */
static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = i < bytes - zeros ? ((const char *)from)[i] : 0;
}
static inline void __pipeline_commit() {}
static inline void __pipeline_wait_prior(unsigned) {}
