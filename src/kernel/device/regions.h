/* What kernels with barriers are written with: loops over the threads of the block __cu_block. */
#pragma once

/* The loop, and, inside, the thread's number and its context. */
#define __CU_THREADS                                                                                       \
    for (unsigned __cu_z = 0; __cu_z < __cu_block.bd.z; __cu_z++)                                          \
        for (unsigned __cu_y = 0; __cu_y < __cu_block.bd.y; __cu_y++)                                      \
            for (unsigned long __cu_x = 0,                                                                 \
                               __cu_t = (__cu_z * __cu_block.bd.y + __cu_y) * (unsigned long)__cu_block.bd.x; \
                 __cu_x < __cu_block.bd.x; __cu_x++, __cu_t++)
#define __CU_THREAD __cu_ctx __ctx = __cu_block; __ctx.t = {(unsigned)__cu_x, __cu_y, __cu_z}; __CU_SHOW(__ctx);

static inline unsigned __cu_threads(const __cu_ctx &block) { return block.bd.x * block.bd.y * block.bd.z; }
static inline void __cu_fill(unsigned char *alive, const __cu_ctx &block)
{
    for (unsigned i = 0; i < __cu_threads(block); i++) alive[i] = 1;
}

/* Whether a thread is left. */
static inline bool __cu_left(const unsigned char *alive, const __cu_ctx &block)
{
    for (unsigned i = 0; i < __cu_threads(block); i++)
        if (alive[i]) return true;
    return false;
}

/* What threads say to a condition in front of a barrier. */
struct __cu_ballot {
    unsigned yes = 0, no = 0, one_yes = 0, one_no = 0;
    void add(unsigned thread, bool is)
    {
        if (is) yes++, one_yes = thread;
        else no++, one_no = thread;
    }
    bool all(const __cu_ctx &block, int line)
    {
        if (yes && no) block.worker->host->divergent(block.worker, line, &block.b.x, one_yes, one_no);
        return yes > 0;
    }
};
