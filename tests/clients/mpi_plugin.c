/* libcuprite-mpi.so: every function on every type, compared with what each rank can compute by itself; ranks that
 * differ or have failed. Run by tests/python/test_mpi_plugin.py: mpiexec -n N ./mpi_plugin DEVICE [FAULT]. */
#include <cuprite.h>
#include <cuprite/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
#define CHECK(condition)                                                                               \
    do {                                                                                               \
        if (!(condition)) {                                                                            \
            fprintf(stderr, "line %d rank %d: %s (%s)\n", __LINE__, rank, #condition, cp_error_message());     \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                              \
        }                                                                                              \
    } while (0)

/* Small numbers of rank r, exact in every type: r + (0 1 2 3 4 5) modulo 4, shape (2, 3). */
static cp_array *of(int r, cp_type type)
{
    cp_array *x = cp_remainder(cp_arange_int(r, r + 6, 1, CP_INT64), cp_int(4));
    return cp_reshape(cp_astype(x, type), CP_SHAPE(2, 3));
}

static bool same(cp_array *a, cp_array *b)
{
    if (!a || !b || cp_type_of(a) != cp_type_of(b) || cp_ndim(a) != cp_ndim(b)) return false;
    for (int i = 0; i < cp_ndim(a); i++)
        if (cp_dims(a)[i] != cp_dims(b)[i]) return false;
    return cp_item_int(cp_count_nonzero(cp_not_equal(a, b))) == 0;
}

static cp_array *all_rows(cp_type type)
{
    cp_array *rows[64];
    for (int r = 0; r < ranks; r++) rows[r] = cp_expand_dims(of(r, type), CP_AXES(0));
    return cp_concatenate(ranks, rows, 0);
}

static void test_reductions(cp_type type)
{
    const bool complex = type == CP_COMPLEX64 || type == CP_COMPLEX128;
    for (int op = CP_MPI_SUM; op <= (complex ? CP_MPI_PROD : CP_MPI_MIN); op++) {
        cp_array *expected = of(0, type);
        for (int r = 1; r < ranks; r++) {
            cp_array *next = of(r, type);
            expected = op == CP_MPI_SUM ? cp_add(expected, next) : op == CP_MPI_PROD ? cp_multiply(expected, next)
                     : op == CP_MPI_MAX ? cp_maximum(expected, next) : cp_minimum(expected, next);
        }
        CHECK(same(cp_allreduce(of(rank, type), MPI_COMM_WORLD, .op = op), expected));
        cp_array *there = cp_reduce_to_root(of(rank, type), MPI_COMM_WORLD, .op = op, .root = ranks - 1);
        CHECK(there && (rank == ranks - 1 ? same(there, expected) : cp_size(there) == 0));
    }
    if (complex) {
        CHECK(!cp_allreduce(of(rank, type), MPI_COMM_WORLD, .op = CP_MPI_MAX) && cp_error() == CP_ERROR_TYPE);
        cp_error_clear();
    }
}

static void test_moves(cp_type type)
{
    cp_array *every = all_rows(type), *mine = of(rank, type);
    CHECK(same(cp_bcast(rank == ranks - 1 ? mine : NULL, MPI_COMM_WORLD, .root = ranks - 1), of(ranks - 1, type)));
    CHECK(same(cp_allgather(mine, MPI_COMM_WORLD), every));
    cp_array *there = cp_gather(mine, MPI_COMM_WORLD);
    CHECK(there && (rank == 0 ? same(there, every) : cp_dim(there, 0) == 0 && cp_ndim(there) == 3));
    CHECK(same(cp_scatter(rank == 0 ? every : NULL, MPI_COMM_WORLD), mine));
    /* row j of rank i is of(i + j): the same table on all ranks of that sum */
    cp_array *rows[64];
    for (int r = 0; r < ranks; r++) rows[r] = cp_expand_dims(of(rank + r, type), CP_AXES(0));
    cp_array *table = cp_concatenate(ranks, rows, 0);
    CHECK(same(cp_alltoall(table, MPI_COMM_WORLD), table));
    const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    if (rank == 0) {
        CHECK(cp_send(cp_transpose(mine, CP_ALL), MPI_COMM_WORLD, next, .tag = 5) == CP_OK); /* in another order */
        CHECK(same(cp_recv(MPI_COMM_WORLD, last, .tag = 5), cp_transpose(of(last, type), CP_ALL)));
    } else {
        CHECK(same(cp_recv(MPI_COMM_WORLD, last, .tag = 5), cp_transpose(of(last, type), CP_ALL)));
        CHECK(cp_send(cp_transpose(mine, CP_ALL), MPI_COMM_WORLD, next, .tag = 5) == CP_OK);
    }
}

/* The error has these words; afterwards the communicator is of use. */
#define REFUSED(call, ...)                                                       \
    do {                                                                         \
        char words[200];                                                         \
        snprintf(words, sizeof words, __VA_ARGS__);                              \
        CHECK(!(call) && strstr(cp_error_message(), words));                     \
        cp_error_clear();                                                        \
    } while (0)

static void test_errors(void)
{
    const int other = rank == 0;
    cp_array *x = cp_ones(CP_SHAPE(rank == 0 ? 3 : 4), CP_FLOAT32), *y = cp_ones(CP_SHAPE(3), CP_FLOAT32);
    REFUSED(cp_allreduce(x, MPI_COMM_WORLD), "allreduce on rank %d of %d: rank %d called allreduce of float32 (", rank,
            ranks, other);
    REFUSED(cp_allgather(cp_astype(y, rank == 0 ? CP_INT8 : CP_FLOAT64), MPI_COMM_WORLD), "allgather on rank %d", rank);
    REFUSED(cp_allreduce(y, MPI_COMM_WORLD, .op = rank == 0 ? CP_MPI_MAX : CP_MPI_SUM), "this rank allreduce of");
    if (rank == 0) REFUSED(cp_bcast(y, MPI_COMM_WORLD), "rank 1 called allgather of");
    else REFUSED(cp_allgather(y, MPI_COMM_WORLD), "rank 0 called bcast of");
    if (rank == 0) REFUSED(cp_allreduce(NULL, MPI_COMM_WORLD), "allreduce on rank 0 of %d: the array is NULL", ranks);
    else REFUSED(cp_allreduce(y, MPI_COMM_WORLD), "rank 0 failed before this call");
    if (rank == 0) REFUSED(cp_scatter(NULL, MPI_COMM_WORLD), "the array is NULL");
    else REFUSED(cp_scatter(NULL, MPI_COMM_WORLD), "rank 0 failed before this call");
    if (rank == 0) REFUSED(cp_allreduce(cp_add(y, cp_ones(CP_SHAPE(5), CP_INT8)), MPI_COMM_WORLD), "add: ");
    else REFUSED(cp_allreduce(y, MPI_COMM_WORLD), "rank 0 failed before this call");
    REFUSED(cp_alltoall(cp_ones(CP_SHAPE(ranks + 1), CP_INT8), MPI_COMM_WORLD),
            "the array has %d rows, and there are %d", ranks + 1, ranks);
    if (rank == 0) REFUSED(cp_send(NULL, MPI_COMM_WORLD, 1) == CP_OK, "send on rank 0 of %d: the array is NULL", ranks);
    if (rank == 1) REFUSED(cp_recv(MPI_COMM_WORLD, 0), "recv on rank 1 of %d: rank 0 failed before its send", ranks);
    REFUSED(cp_bcast(y, MPI_COMM_WORLD, .root = ranks), "there is no rank %d", ranks);
    if (rank == 0) REFUSED(cp_bcast(y, MPI_COMM_WORLD, .root = -1, .timeout = 9), "there is no rank -1");
    else REFUSED(cp_bcast(NULL, MPI_COMM_WORLD, .timeout = 9), "rank 0 failed before this call");
    if (rank == 1) REFUSED(cp_allreduce(y, MPI_COMM_WORLD, .op = (cp_mpi_op)9, .timeout = 9), "no such operation");
    else REFUSED(cp_allreduce(y, MPI_COMM_WORLD, .timeout = 9), "rank 1 failed before this call");
    REFUSED(cp_recv(MPI_COMM_WORLD, -1), "there is no rank -1");
    REFUSED(cp_allreduce(y, MPI_COMM_NULL), "MPI_COMM_NULL");
    if (rank == 0) MPI_Send("no header", 9, MPI_BYTE, 1, 9, MPI_COMM_WORLD);
    if (rank == 1) REFUSED(cp_recv(MPI_COMM_WORLD, 0, .tag = 9), "was not sent by cp_send");
    CHECK(cp_barrier(MPI_COMM_WORLD) == CP_OK);
}

/* The error goes into a file: an MPI's launcher may end before it has read what the rank wrote to it. */
static void test_fault(const char *fault, const char *path)
{
    cp_array *x = cp_ones(CP_SHAPE(3), CP_FLOAT64);
    CHECK(cp_barrier(MPI_COMM_WORLD) == CP_OK);
    if (rank == 1 && strcmp(fault, "dies") == 0) _exit(3);
    if (rank == 1) sleep(600);
    if (!cp_allreduce(x, MPI_COMM_WORLD, .timeout = strcmp(fault, "dies") == 0 ? 100 : 1)) {
        FILE *f = fopen(path, "w");
        CHECK(f && fprintf(f, "%s\n", cp_error_message()) > 0 && fclose(f) == 0);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
}

int main(int argc, char **argv)
{
    int device = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(argc > 1 && cp_device_parse(argv[1], &device) == CP_OK && cp_device_use(device) == CP_OK);
    if (argc > 3) test_fault(argv[2], argv[3]);
    for (int t = 0; t < CP_NTYPES; t++)
        for (CP_SCOPE) {
            test_reductions((cp_type)t);
            test_moves((cp_type)t);
        }
    for (CP_SCOPE) {
        cp_array *empty = cp_ones(CP_SHAPE(0, 3), CP_FLOAT32);
        CHECK(same(cp_allreduce(empty, MPI_COMM_WORLD), empty) && same(cp_bcast(empty, MPI_COMM_WORLD), empty));
        CHECK(cp_dim(cp_allgather(empty, MPI_COMM_WORLD), 0) == ranks);
        CHECK(same(cp_allreduce(cp_float(2), MPI_COMM_WORLD), cp_full(CP_SHAPE0, CP_FLOAT64, cp_int(2 * ranks))));
        test_errors();
    }
    CHECK(cp_error() == CP_OK && (cp_mpi_is_cuda_aware() || true));
    printf("rank %d done\n", rank);
    MPI_Finalize();
    return 0;
}
