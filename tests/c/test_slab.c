/* Slabs (core/slab.h): blocks of all sizes do not overlap and keep what is written, in several threads, and what is
 * given back wrongly is noticed. The source is part of the test, since nothing of it is exported. */
#include "core/forks.c"
#include "core/slab.c"

#include <string.h>

#include "check.h"

enum { BLOCKS = 2000, STEPS = 60000, THREADS = 4 };
typedef struct taken { unsigned char *at, value; size_t bytes; bool heap; } taken;

static bool is_whole(const taken *b)
{
    for (size_t k = 0; k < b->bytes; k += 61)
        if (b->at[k] != b->value) return false;
    return !b->bytes || b->at[b->bytes - 1] == b->value;
}

static bool give_back(taken *b)
{
    void *block = b->at;
    bool done = is_whole(b);
    if (!b->heap) cpi_slab_put(1, &block);
    else done = done && cpi_slab_heap_size(block) >= b->bytes && cpi_slab_heap_put(block) == CPI_SLAB_GIVEN_BACK;
    b->at = NULL;
    return done;
}

static bool take(taken *b, unsigned *seed)
{
    size_t most = rand_r(seed) % 4 ? 700 : 4097;
    void *block = NULL;
    b->heap = rand_r(seed) % 2;
    if (b->heap && most > 700) most = 60000;
    b->value = (unsigned char)rand_r(seed);
    b->bytes = (size_t)rand_r(seed) % most;
    if (b->heap) block = cpi_slab_heap_take(b->bytes);
    else cpi_slab_take(cpi_slab_size_of(b->bytes), 1, &block);
    if (!block || (uintptr_t)block % CPI_SLAB_UNIT) return false;
    b->at = memset(block, b->value, b->bytes);
    return true;
}

/* In a thread: NULL where all was right. */
static void *work(void *number)
{
    unsigned seed = (unsigned)(uintptr_t)number + 1;
    taken *blocks = calloc(BLOCKS, sizeof *blocks);
    bool done = blocks != NULL;
    for (int i = 0; done && i < STEPS; i++) {
        taken *b = &blocks[rand_r(&seed) % BLOCKS];
        done = b->at ? give_back(b) : take(b, &seed);
    }
    for (int i = 0; done && i < BLOCKS; i++) done = !blocks[i].at || give_back(&blocks[i]);
    free(blocks);
    return done ? NULL : number;
}

static void several_threads(void **state)
{
    pthread_t thread[THREADS];
    (void)state;
    for (int round = 0; round < 2; round++) { /* the second one meets slabs that were used before */
        for (uintptr_t i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, work, (void *)(i + 1)), 0);
        for (int i = 0; i < THREADS; i++) {
            void *failed;
            pthread_join(thread[i], &failed);
            assert_null(failed);
        }
    }
}

static void sizes(void **state)
{
    (void)state;
    for (size_t n = 0; n <= CPI_SLAB_SMALL; n++) {
        size_t size = cpi_slab_size_of(n);
        assert_true(size < CPI_SLAB_SMALL_SIZES && bytes_of(size) >= n);
        assert_true(!size || bytes_of(size - 1) < n);
    }
    assert_int_equal(bytes_of(SIZES - 1), CPI_SLAB_MOST);
}

static void wrong_blocks(void **state)
{
    static int variable;
    void *element = NULL;
    (void)state;
    char *p = cpi_slab_heap_take(100);
    assert_non_null(p);
    assert_int_equal(cpi_slab_heap_put(p + 1), CPI_SLAB_NOT_TAKEN);
    assert_int_equal(cpi_slab_heap_put(p + CPI_SLAB_UNIT), CPI_SLAB_NOT_TAKEN);
    assert_int_equal(cpi_slab_heap_put(p), CPI_SLAB_GIVEN_BACK);
    assert_int_equal(cpi_slab_heap_put(p), CPI_SLAB_NOT_TAKEN);
    assert_int_equal(cpi_slab_heap_put(&variable), CPI_SLAB_NOWHERE);
    assert_int_equal(cpi_slab_take(3, 1, &element), 1);
    assert_int_equal(cpi_slab_heap_put(element), CPI_SLAB_NOWHERE);
    assert_int_equal(cpi_slab_heap_size(element), 0);
    cpi_slab_put(1, &element);
    assert_null(cpi_slab_heap_take(CPI_SLAB_MOST + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(wrong_blocks),
                                       cmocka_unit_test(several_threads)};
    return check_run(tests);
}
