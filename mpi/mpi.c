/* libcuprite-mpi.so: arrays between ranks, by whatever MPI it is compiled with. It calls public functions only, so one
 * library serves every device and needs no slot of a backend.
 *
 * Every collective begins with an exchange of headers (agree): type, shape, operation and root of all ranks, or that a
 * rank failed before. Every call is one that does not block, with a wait that ends (await). Invariant: memory that MPI
 * may still write to after a time-out is not freed. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuprite/extend.h"
#include "cuprite/mpi.h"

#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
#endif

typedef struct header {
    int64_t shape[CP_MAXDIM];
    int32_t type, ndim, op, root, failed, length;
    char call[24];
} header;

/* A call: who makes it, and until when it waits. */
typedef struct call {
    const char *name;
    MPI_Comm comm;
    int rank, ranks;
    double timeout;
    cp_mpi_options options;
} call;

static cp_code fail(const call *c, cp_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
static cp_code fail(const call *c, cp_code code, const char *format, ...)
{
    char text[700];
    int n = snprintf(text, sizeof text, "%s on rank %d of %d: ", c->name, c->rank, c->ranks);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    return cp_error_set(code, text);
}

static cp_code check(const call *c, int status)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    if (status == MPI_SUCCESS) return CP_OK;
    MPI_Error_string(status, text, &n);
    return fail(c, CP_ERROR_RUNTIME, "%s", text);
}

static cp_code begin(call *c, const char *name, MPI_Comm comm, const cp_mpi_options *options)
{
    const char *limit = getenv("CUPRITE_DISTRIBUTED_TIMEOUT");
    int running = 0, ended = 0;
    *c = (call){.name = name, .comm = comm, .ranks = 1};
    if (options) c->options = *options;
    c->timeout = c->options.timeout > 0 ? c->options.timeout : limit && atof(limit) > 0 ? atof(limit) : 600;
    MPI_Initialized(&running);
    MPI_Finalized(&ended);
    if (!running || ended) return fail(c, CP_ERROR_RUNTIME, "MPI is not running");
    if (comm == MPI_COMM_NULL) return fail(c, CP_ERROR_VALUE, "the communicator is MPI_COMM_NULL");
    MPI_Comm_rank(comm, &c->rank);
    MPI_Comm_size(comm, &c->ranks);
    return CP_OK;
}

/* The options of a collective call. What is wrong with them is set as the error, of which agree() tells the others. */
static cp_code begin_collective(call *c, const char *name, MPI_Comm comm, const cp_mpi_options *options)
{
    cp_code code = begin(c, name, comm, options);
    if (code != CP_OK) return code;
    if ((unsigned)c->options.op > CP_MPI_MIN) {
        fail(c, CP_ERROR_VALUE, "there is no such operation");
        c->options.op = CP_MPI_SUM;
    }
    if (c->options.root < 0 || c->options.root >= c->ranks) {
        fail(c, CP_ERROR_VALUE, "there is no rank %d", c->options.root);
        c->options.root = 0;
    }
    return CP_OK;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for a request: first looking all the time, then with pauses, so that ranks that share a processor get it. */
static cp_code await(const call *c, MPI_Request *request, MPI_Status *status)
{
    const double start = seconds();
    for (;;) {
        int done = 0;
        cp_code code = check(c, MPI_Test(request, &done, status ? status : MPI_STATUS_IGNORE));
        if (code != CP_OK || done) return code;
        const double waited = seconds() - start;
        if (waited > c->timeout)
            return fail(c, CP_ERROR_RUNTIME, "a rank did not come within %g s", c->timeout);
        if (waited > 3e-4) nanosleep(&(struct timespec){0, waited < 0.05 ? 20000 : 200000}, NULL);
    }
}

/* --- what ranks agree on --- */
static void describe(const header *h, char *text, size_t bytes)
{
    static const char *const ops[] = {"sum", "prod", "max", "min"};
    int n = snprintf(text, bytes, "%s of %s (", h->call, cp_type_name((cp_type)h->type));
    for (int i = 0; i < h->ndim && n < (int)bytes; i++)
        n += snprintf(text + n, bytes - (size_t)n, i ? ", %lld" : "%lld", (long long)h->shape[i]);
    if (n < (int)bytes) snprintf(text + n, bytes - (size_t)n, "), %s, root %d", ops[h->op & 3], h->root);
}

static header header_of(const call *c, const cp_array *x)
{
    header h;
    memset(&h, 0, sizeof h); /* padding too: headers are compared as bytes */
    snprintf(h.call, sizeof h.call, "%s", c->name);
    h.op = (int32_t)c->options.op;
    h.root = c->options.root;
    h.failed = !x;
    if (x) {
        h.type = (int32_t)cp_type_of(x);
        h.ndim = cp_ndim(x);
        memcpy(h.shape, cp_dims(x), (size_t)h.ndim * sizeof *h.shape);
    }
    return h;
}

/* Compares the headers of all ranks, or of all with the root's where only that one has an array; *of is the common one.
 * Every rank that gets an error here is told of it by all others, or is the one that made it. */
static cp_code agree(const call *c, const cp_array *x, bool one, header *of)
{
    header mine = header_of(c, x), *all = calloc((size_t)c->ranks, sizeof *all);
    char theirs[300], ours[300];
    if (one && c->rank != c->options.root) mine.failed = 0;
    if (cp_error() != CP_OK) mine.failed = 1;
    if (!all) return fail(c, CP_ERROR_MEMORY, "out of host memory");
    header *kept = malloc(sizeof mine); /* MPI may read it after a time-out */
    if (!kept) return free(all), fail(c, CP_ERROR_MEMORY, "out of host memory");
    *kept = mine;
    MPI_Request request;
    MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
    cp_code code = check(c, MPI_Iallgather(kept, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, c->comm, &request));
    if (code != CP_OK || (code = await(c, &request, NULL)) != CP_OK) return code;
    *of = all[one ? c->options.root : c->rank];
    if (mine.failed) code = cp_error() != CP_OK ? cp_error() : fail(c, CP_ERROR_VALUE, "the array is NULL");
    for (int r = 0; r < c->ranks && code == CP_OK; r++)
        if (all[r].failed) code = fail(c, CP_ERROR_RUNTIME, "rank %d failed before this call", r);
    for (int r = 0; r < c->ranks && code == CP_OK; r++) {
        bool same = memcmp(&all[r], &mine, sizeof mine) == 0;
        if (one) same = strcmp(all[r].call, mine.call) == 0 && all[r].root == mine.root;
        if (same) continue;
        describe(&all[r], theirs, sizeof theirs);
        describe(&mine, ours, sizeof ours);
        code = fail(c, CP_ERROR_RUNTIME, "rank %d called %s; this rank %s", r, theirs, ours);
    }
    free(all);
    free(kept);
    return code;
}

/* --- memory --- */
bool cp_mpi_is_cuda_aware(void)
{
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() != 0;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
    int aware = 0;
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &aware) == MPI_SUCCESS && aware;
#else
    return false;
#endif
}

/* Elements in C order where MPI can reach them. */
typedef struct memory {
    void *data;
    cp_array *array; /* a reference, while MPI works on the array itself */
    void *host;      /* or page-locked memory, as large as `bytes` */
    size_t bytes;
    int device;
} memory;

static bool is_direct(int device)
{
    cp_device_info info;
    if (device == CP_CPU) return true;
    return cp_device_query(device, &info) == CP_OK && strcmp(info.backend, "cuda") == 0 && cp_mpi_is_cuda_aware();
}

static cp_code host_memory(const call *c, memory *m)
{
    m->host = m->data = cp_memory_new(m->device, m->bytes ? m->bytes : 1, CP_MEMORY_PINNED);
    return m->host ? CP_OK : fail(c, CP_ERROR_MEMORY, "out of host memory");
}

static cp_code open_input(const call *c, cp_array *x, memory *m)
{
    *m = (memory){.bytes = (size_t)cp_nbytes(x), .array = cp_contiguous(x)};
    if (!m->array) return cp_error();
    cp_keep(m->array);
    m->device = cp_device_of(m->array); /* a host scalar becomes an array of the current one */
    if (!is_direct(m->device)) {
        cp_code code = host_memory(c, m);
        return code == CP_OK ? cp_to_host(m->array, m->host, m->bytes) : code;
    }
    m->data = cp_data(m->array);
    return m->device == CP_CPU ? CP_OK : cp_stream_synchronize(cp_stream_current(m->device));
}

static cp_code open_output(const call *c, cp_type type, int ndim, const int64_t *shape, memory *m)
{
    *m = (memory){.device = cp_device_current()};
    m->array = cp_empty((cp_shape){ndim, shape}, type);
    if (!m->array) return cp_error();
    cp_keep(m->array);
    m->bytes = (size_t)cp_nbytes(m->array);
    m->data = cp_data(m->array);
    if (!is_direct(m->device)) return host_memory(c, m);
    return m->device == CP_CPU ? CP_OK : cp_stream_synchronize(cp_stream_current(m->device));
}

static void close_memory(memory *m)
{
    cp_free(m->array);
    if (m->host) cp_memory_free(m->device, m->host, m->bytes ? m->bytes : 1, CP_MEMORY_PINNED);
    *m = (memory){0};
}

/* The array of an output, which the caller owns. */
static cp_array *take(memory *m, cp_code code)
{
    cp_array *x = NULL;
    if (code == CP_OK && m->array) {
        x = m->array;
        if (m->host && m->bytes) {
            x = cp_from_host(m->host, cp_type_of(m->array), (cp_shape){cp_ndim(m->array), cp_dims(m->array)}, NULL);
            if (x) cp_keep(x);
            cp_free(m->array);
        }
        m->array = NULL;
    }
    close_memory(m);
    return x;
}

/* Bytes of one rank as one element of MPI's, so that counts in int hold any size. */
static cp_code type_of_bytes(const call *c, size_t bytes, MPI_Datatype *type)
{
    const size_t large = (size_t)1 << 30;
    MPI_Datatype part = MPI_DATATYPE_NULL;
    int status;
    if (bytes <= INT_MAX) {
        status = MPI_Type_contiguous((int)bytes, MPI_BYTE, type);
    } else {
        status = MPI_Type_contiguous((int)large, MPI_BYTE, &part);
        int lengths[2] = {(int)(bytes / large), (int)(bytes % large)};
        MPI_Aint at[2] = {0, (MPI_Aint)(bytes - bytes % large)};
        MPI_Datatype types[2] = {part, MPI_BYTE};
        if (status == MPI_SUCCESS) status = MPI_Type_create_struct(2, lengths, at, types, type);
        if (part != MPI_DATATYPE_NULL) MPI_Type_free(&part);
    }
    if (status == MPI_SUCCESS) status = MPI_Type_commit(type);
    return check(c, status);
}

/* --- reductions --- */
static MPI_Datatype element_type(cp_type type)
{
    switch ((int)type) {
    case CP_BOOL: return MPI_C_BOOL;
    case CP_INT8: return MPI_INT8_T;
    case CP_UINT8: return MPI_UINT8_T;
    case CP_INT16: return MPI_INT16_T;
    case CP_UINT16: return MPI_UINT16_T;
    case CP_INT32: return MPI_INT32_T;
    case CP_UINT32: return MPI_UINT32_T;
    case CP_INT64: return MPI_INT64_T;
    case CP_UINT64: return MPI_UINT64_T;
    case CP_FLOAT32: return MPI_FLOAT;
    case CP_FLOAT64: return MPI_DOUBLE;
    case CP_COMPLEX64: return MPI_C_FLOAT_COMPLEX;
    case CP_COMPLEX128: return MPI_C_DOUBLE_COMPLEX;
    default: return MPI_DATATYPE_NULL; /* a small floating type: summed as float32, and rounded once */
    }
}

static cp_code reduce_memory(const call *c, const memory *from, memory *to, cp_type type, size_t size, bool all)
{
    static const size_t most = (size_t)1 << 30;
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN}, of_bool[] = {MPI_LOR, MPI_LAND, MPI_LOR, MPI_LAND};
    MPI_Op op = (type == CP_BOOL ? of_bool : ops)[c->options.op];
    MPI_Datatype element = element_type(type);
    const size_t bytes = size ? from->bytes / size : 1;
    cp_code code = CP_OK;
    for (size_t at = 0; at < size && code == CP_OK; at += most) {
        const int n = (int)(size - at < most ? size - at : most);
        const char *in = (const char *)from->data + at * bytes;
        char *out = to->data ? (char *)to->data + at * bytes : NULL;
        MPI_Request request;
        code = check(c, all ? MPI_Iallreduce(in, out, n, element, op, c->comm, &request)
                            : MPI_Ireduce(in, out, n, element, op, c->options.root, c->comm, &request));
        if (code == CP_OK) code = await(c, &request, NULL);
    }
    return code;
}

static cp_array *reduced(const char *name, cp_array *x, MPI_Comm comm, const cp_mpi_options *options, bool all)
{
    call c;
    header h;
    memory from = {0}, to = {0};
    if (begin_collective(&c, name, comm, options) != CP_OK) return NULL;
    if (agree(&c, x, false, &h) != CP_OK) return NULL;
    const cp_type type = cp_type_of(x);
    if ((type == CP_COMPLEX64 || type == CP_COMPLEX128) && c.options.op > CP_MPI_PROD) {
        fail(&c, CP_ERROR_TYPE, "complex numbers have no order");
        return NULL;
    }
    const bool small = element_type(type) == MPI_DATATYPE_NULL, here = all || c.rank == c.options.root;
    cp_array *wide = small ? cp_astype(x, CP_FLOAT32) : x;
    const int64_t none = 0;
    cp_code code = wide ? open_input(&c, wide, &from) : cp_error();
    if (code == CP_OK)
        code = here ? open_output(&c, cp_type_of(wide), cp_ndim(x), cp_dims(x), &to)
                    : open_output(&c, cp_type_of(wide), 1, &none, &to);
    if (code == CP_OK) code = reduce_memory(&c, &from, &to, cp_type_of(wide), (size_t)cp_size(x), all);
    if (code != CP_OK) return NULL; /* MPI may still access both */
    close_memory(&from);
    cp_array *r = take(&to, code);
    if (small) {
        cp_free(wide);
        cp_array *narrow = r ? cp_astype(r, type) : NULL;
        cp_free(r);
        r = narrow;
    }
    return r;
}

cp_array *(cp_allreduce)(cp_array *x, MPI_Comm comm, const cp_mpi_options *options)
{
    return reduced("allreduce", x, comm, options, true);
}

cp_array *(cp_reduce_to_root)(cp_array *x, MPI_Comm comm, const cp_mpi_options *options)
{
    return reduced("reduce_to_root", x, comm, options, false);
}

/* --- moves: of bytes, a row of each rank --- */
typedef enum move { BCAST, ALLGATHER, GATHER, SCATTER, ALLTOALL } move;

static cp_code start_move(const call *c, move kind, const memory *from, const memory *to, MPI_Datatype row,
                          MPI_Request *request)
{
    const int root = c->options.root;
    const void *in = from->data;
    void *out = to->data;
    switch (kind) {
    case BCAST:
        return check(c, MPI_Ibcast(c->rank == root ? from->data : out, 1, row, root, c->comm, request));
    case ALLGATHER: return check(c, MPI_Iallgather(in, 1, row, out, 1, row, c->comm, request));
    case GATHER: return check(c, MPI_Igather(in, 1, row, out, 1, row, root, c->comm, request));
    case SCATTER: return check(c, MPI_Iscatter(in, 1, row, out, 1, row, root, c->comm, request));
    case ALLTOALL: break;
    }
    return check(c, MPI_Ialltoall(in, 1, row, out, 1, row, c->comm, request));
}

/* The shape of the result, from the header that all agreed on; rows: the bytes of one. */
static cp_code shape_after(const call *c, move kind, const header *h, int64_t *shape, int *ndim, size_t *row)
{
    const bool rows_in = kind == SCATTER || kind == ALLTOALL, rows_out = kind == ALLGATHER || kind == GATHER;
    if (rows_in && (h->ndim == 0 || h->shape[0] != c->ranks))
        return fail(c, CP_ERROR_VALUE, "the array has %lld rows, and there are %d ranks",
                    (long long)(h->ndim ? h->shape[0] : 0), c->ranks);
    if (rows_out && h->ndim == CP_MAXDIM) return fail(c, CP_ERROR_VALUE, "the result has too many dimensions");
    *ndim = h->ndim + rows_out - (kind == SCATTER);
    if (rows_out) shape[0] = kind == GATHER && c->rank != c->options.root ? 0 : c->ranks;
    for (int i = 0; i < h->ndim - (kind == SCATTER); i++) shape[i + rows_out] = h->shape[i + (kind == SCATTER)];
    *row = (size_t)cp_type_size((cp_type)h->type);
    for (int i = rows_in; i < h->ndim; i++) *row *= (size_t)h->shape[i];
    return CP_OK;
}

static cp_array *moved(const char *name, cp_array *x, MPI_Comm comm, const cp_mpi_options *options, move kind)
{
    call c;
    header h;
    memory from = {0}, to = {0};
    int64_t shape[CP_MAXDIM];
    int ndim = 0;
    size_t bytes = 0;
    MPI_Request request;
    MPI_Datatype row = MPI_DATATYPE_NULL;
    const bool one = kind == BCAST || kind == SCATTER;
    if (begin_collective(&c, name, comm, options) != CP_OK || agree(&c, x, one, &h) != CP_OK) return NULL;
    cp_code code = shape_after(&c, kind, &h, shape, &ndim, &bytes);
    if (code == CP_OK && (!one || c.rank == c.options.root)) code = open_input(&c, x, &from);
    if (code == CP_OK) code = open_output(&c, (cp_type)h.type, ndim, shape, &to);
    if (code == CP_OK && bytes) {
        code = type_of_bytes(&c, bytes, &row);
        if (code == CP_OK) code = start_move(&c, kind, &from, &to, row, &request);
        if (code == CP_OK) code = await(&c, &request, NULL);
        if (row != MPI_DATATYPE_NULL) MPI_Type_free(&row);
    }
    if (code != CP_OK) return NULL; /* MPI may still access both */
    if (kind == BCAST && c.rank == c.options.root) {
        close_memory(&to);
        close_memory(&from);
        return cp_copy(x);
    }
    close_memory(&from);
    return take(&to, code);
}

cp_array *(cp_bcast)(cp_array *x, MPI_Comm comm, const cp_mpi_options *options)
{
    return moved("bcast", x, comm, options, BCAST);
}

cp_array *(cp_allgather)(cp_array *x, MPI_Comm comm, const cp_mpi_options *options)
{
    return moved("allgather", x, comm, options, ALLGATHER);
}

cp_array *(cp_gather)(cp_array *x, MPI_Comm comm, const cp_mpi_options *options)
{
    return moved("gather", x, comm, options, GATHER);
}

cp_array *(cp_scatter)(cp_array *x, MPI_Comm comm, const cp_mpi_options *options)
{
    return moved("scatter", x, comm, options, SCATTER);
}

cp_array *(cp_alltoall)(cp_array *x, MPI_Comm comm, const cp_mpi_options *options)
{
    return moved("alltoall", x, comm, options, ALLTOALL);
}

/* --- two ranks: a header, then the elements --- */
static cp_code peer(const call *c, int rank)
{
    if (rank < 0 || rank >= c->ranks) return fail(c, CP_ERROR_VALUE, "there is no rank %d", rank);
    MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
    return CP_OK;
}

cp_code (cp_send)(cp_array *x, MPI_Comm comm, int rank, const cp_mpi_options *options)
{
    call c;
    memory from = {0};
    MPI_Request request;
    MPI_Datatype row = MPI_DATATYPE_NULL;
    cp_code code = begin(&c, "send", comm, options);
    if (code == CP_OK) code = peer(&c, rank);
    header *h = code == CP_OK ? malloc(sizeof *h) : NULL;
    if (!h) return code == CP_OK ? fail(&c, CP_ERROR_MEMORY, "out of host memory") : code;
    if (x && cp_error() == CP_OK) code = open_input(&c, x, &from);
    *h = header_of(&c, x);
    h->failed = !x || cp_error() != CP_OK; /* the receiver does not wait for elements then */
    cp_code sent = check(&c, MPI_Isend(h, sizeof *h, MPI_BYTE, rank, c.options.tag, comm, &request));
    if (sent == CP_OK) sent = await(&c, &request, NULL);
    if (sent != CP_OK) return sent;
    if (h->failed) code = cp_error() != CP_OK ? cp_error() : fail(&c, CP_ERROR_VALUE, "the array is NULL");
    free(h);
    if (code == CP_OK && from.bytes) {
        code = type_of_bytes(&c, from.bytes, &row);
        if (code == CP_OK) code = check(&c, MPI_Isend(from.data, 1, row, rank, c.options.tag, comm, &request));
        if (code == CP_OK) code = await(&c, &request, NULL);
        if (row != MPI_DATATYPE_NULL) MPI_Type_free(&row);
        if (code != CP_OK) return code;
    }
    close_memory(&from);
    return code;
}

cp_array *(cp_recv)(MPI_Comm comm, int rank, const cp_mpi_options *options)
{
    call c;
    memory to = {0};
    MPI_Request request;
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Status status;
    int got = 0;
    cp_code code = begin(&c, "recv", comm, options);
    if (code == CP_OK) code = peer(&c, rank);
    header *h = code == CP_OK ? calloc(1, sizeof *h) : NULL;
    if (!h) {
        if (code == CP_OK) fail(&c, CP_ERROR_MEMORY, "out of host memory");
        return NULL;
    }
    code = check(&c, MPI_Irecv(h, sizeof *h, MPI_BYTE, rank, c.options.tag, comm, &request));
    if (code == CP_OK) code = await(&c, &request, &status);
    if (code != CP_OK) return NULL; /* the header may still be written */
    MPI_Get_count(&status, MPI_BYTE, &got);
    if (got != (int)sizeof *h || strcmp(h->call, "send") != 0)
        code = fail(&c, CP_ERROR_RUNTIME, "what came from rank %d was not sent by cp_send", rank);
    else if (h->failed) code = fail(&c, CP_ERROR_RUNTIME, "rank %d failed before its send", rank);
    else code = open_output(&c, (cp_type)h->type, h->ndim, h->shape, &to);
    free(h);
    if (code == CP_OK && to.bytes) {
        code = type_of_bytes(&c, to.bytes, &row);
        if (code == CP_OK) code = check(&c, MPI_Irecv(to.data, 1, row, rank, c.options.tag, comm, &request));
        if (code == CP_OK) code = await(&c, &request, NULL);
        if (row != MPI_DATATYPE_NULL) MPI_Type_free(&row);
        if (code != CP_OK) return NULL;
    }
    return take(&to, code);
}

cp_code (cp_barrier)(MPI_Comm comm, const cp_mpi_options *options)
{
    call c;
    MPI_Request request;
    cp_code code = begin(&c, "barrier", comm, options);
    if (code != CP_OK) return code;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    code = check(&c, MPI_Ibarrier(comm, &request));
    return code == CP_OK ? await(&c, &request, NULL) : code;
}
