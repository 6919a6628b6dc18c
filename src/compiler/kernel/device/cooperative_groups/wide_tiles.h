/* Tiles of 64 to 1024 threads, included by cooperative_groups.h. What threads bring lies in memory of the block's, a
 * word each; the first thread works on it between two barriers of the tile. Invariant: behind the second one a thread
 * reads its own word alone, so that the next operation may begin. */

/* The words of the block that runs: one for each block that this worker has begun. */
static inline unsigned long long *__cu_block_words()
{
    struct node { const char *arena; node *next; unsigned long long word[1024]; };
    static thread_local node *first;
    node *n = first;
    while (n && n->arena != __ctx.arena) n = n->next;
    if (!n) {
        n = (node *)malloc(sizeof(node));
        n->arena = __ctx.arena;
        n->next = first;
        first = n;
    }
    return n->word;
}

struct __cu_place { unsigned rank_above, number_above; };
template <unsigned n, class Parent> class thread_block_tile<n, Parent, true> : __cu_place {
    static_assert(n <= 1024 && (n & (n - 1)) == 0, "a tile has 1, 2, 4, ... 1024 threads");
    static unsigned first() { return thread_block::thread_rank() & ~(n - 1); }
    static unsigned there()
    {
        const unsigned left = thread_block::size() - first();
        return left < n ? left : n;
    }
    static void wait(int line)
    {
        /* 16 tiles of 64, 8 of 128, 4, 2 and 1 */
        const unsigned number = 16 + 32 - 2048 / n + first() / n;
        (void)__cu_wait(__ctx.worker->host->part(__ctx.worker, line, number, there(), 0, 0));
    }
    template <class T> static T at(const unsigned long long *word) { return __cu_unpack<T>(*word); }
    /* f(words, how many) by the first thread */
    template <class T, class F> static T all(T v, int line, F f)
    {
        static_assert(sizeof(T) <= 8, "threads of tiles of more than 32 exchange at most 8 bytes");
        unsigned long long *const word = __cu_block_words() + first();
        word[thread_rank()] = __cu_pack(v);
        wait(line);
        if (thread_rank() == 0) f(word, there());
        wait(line);
        return at<T>(&word[thread_rank()]);
    }

public:
    thread_block_tile(const __cu_place &place) : __cu_place(place) {}
    unsigned meta_group_rank() const { return rank_above; }
    unsigned meta_group_size() const { return number_above; }
    static unsigned thread_rank() { return thread_block::thread_rank() & (n - 1); }
    static constexpr unsigned size() { return n; }
    static constexpr unsigned num_threads() { return n; }
    static void sync(int line = __builtin_LINE()) { wait(line); }
    template <class T> T shfl(T v, unsigned from, int line = __builtin_LINE()) const
    {
        return all(v, line, [from](unsigned long long *word, unsigned count) {
            const unsigned long long brought = word[from % n];
            for (unsigned i = 0; i < count; i++) word[i] = brought;
        });
    }
    int any(int p, int line = __builtin_LINE()) const
    {
        return fold((int)(p != 0), [](int a, int b) { return a | b; }, line);
    }
    int all(int p, int line = __builtin_LINE()) const
    {
        return fold((int)(p != 0), [](int a, int b) { return a & b; }, line);
    }
    template <class T, class F> T fold(T v, F f, int line = __builtin_LINE()) const
    {
        return all(v, line, [&f](unsigned long long *word, unsigned count) {
            T r = at<T>(word);
            for (unsigned i = 1; i < count; i++) r = f(r, at<T>(&word[i]));
            for (unsigned i = 0; i < count; i++) word[i] = __cu_pack(r);
        });
    }
    template <class T, class F> T scan(T v, F f, int line = __builtin_LINE()) const
    {
        return all(v, line, [&f](unsigned long long *word, unsigned count) {
            for (unsigned i = 1; i < count; i++) word[i] = __cu_pack((T)f(at<T>(&word[i - 1]), at<T>(&word[i])));
        });
    }
    template <class T, class F> T scan_before(T v, F f, int line = __builtin_LINE()) const
    {
        return all(v, line, [&f](unsigned long long *word, unsigned count) {
            T before{};
            for (unsigned i = 0; i < count; i++) {
                const T own = at<T>(&word[i]);
                word[i] = __cu_pack(before);
                before = i ? (T)f(before, own) : own;
            }
        });
    }
};
template <class G> struct __cu_is_wide { static constexpr bool value = false; };
template <unsigned n, class P> struct __cu_is_wide<thread_block_tile<n, P, true>> {
    static constexpr bool value = true;
};
