/* nvcuda::experimental::awbarrier: the toolkit's first barriers in memory, by cuda::barrier. */
#pragma once
#include <cuda/barrier>

namespace nvcuda {
namespace experimental {
class awbarrier {
    cuda::barrier<cuda::thread_scope_block> meeting;

public:
    typedef cuda::barrier<cuda::thread_scope_block>::arrival_token arrival_token;
    awbarrier() = default;
    awbarrier(const awbarrier &) = delete;
    friend void init(awbarrier *b, unsigned n) { init(&b->meeting, (ptrdiff_t)n); }
    friend void inval(awbarrier *) {}
    arrival_token arrive(int line = __builtin_LINE()) { return meeting.arrive(1, line); }
    arrival_token arrive_and_drop(int line = __builtin_LINE())
    {
        meeting.arrive_and_drop(line);
        return 0;
    }
    bool timed_wait(arrival_token t, unsigned, int line = __builtin_LINE())
    {
        return meeting.try_wait((arrival_token &&)t, line);
    }
    bool timed_wait_parity(bool parity, unsigned, int line = __builtin_LINE())
    {
        return meeting.try_wait_parity(parity, line);
    }
    void wait(arrival_token t, int line = __builtin_LINE()) { meeting.wait((arrival_token &&)t, line); }
    void arrive_and_wait(int line = __builtin_LINE()) { meeting.arrive_and_wait(line); }
    static unsigned max() { return (1u << 20) - 1; }
};
} // namespace experimental
} // namespace nvcuda
