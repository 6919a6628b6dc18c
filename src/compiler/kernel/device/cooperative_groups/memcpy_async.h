/* Copies by a group, which are done when it has waited for them. */
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {

/* The part of one of `threads` threads. */
static inline void __cu_copy_part(unsigned rank, unsigned threads, void *to, const void *from, size_t bytes)
{
    const size_t step = 16;
    for (size_t at = rank * step; at < bytes; at += threads * step)
        for (size_t i = at; i < at + step && i < bytes; i++) ((char *)to)[i] = ((const char *)from)[i];
}
template <class G> static inline void __cu_copy(const G &g, char *to, const char *from, size_t bytes)
{
    const size_t step = 16;
    for (size_t at = g.thread_rank() * step; at < bytes; at += g.size() * step)
        for (size_t i = at; i < at + step && i < bytes; i++) to[i] = from[i];
}
template <class G, class T> static inline void memcpy_async(const G &g, T *to, const T *from, size_t bytes)
{
    __cu_copy(g, (char *)to, (const char *)from, bytes);
}
/* Sizes in elements, of both sides. */
template <class G, class T, class D, class S>
static inline void memcpy_async(const G &g, T *to, const D &capacity, const T *from, const S &there)
{
    const size_t n = (size_t)capacity < (size_t)there ? (size_t)capacity : (size_t)there;
    __cu_copy(g, (char *)to, (const char *)from, n * sizeof(T));
}
template <unsigned stage, class G> static inline void wait_prior(const G &g) { g.sync(); }
template <class G> static inline void wait(const G &g) { g.sync(); }

} // namespace cooperative_groups
