/* libnccl.so.2 for tests: ranks are threads or handles of one process, addresses are the host's.
 *
 * It answers the calls of NCCL's interface that Cuprite makes, as its header describes them: collectives of all ranks
 * meet, sends meet receives, a group's calls begin together at its end, an aborted communicator lets go of what waits.
 * Every call is recorded as a line (mock_calls), and a call can be made to fail (mock_fail). A collective whose count,
 * type or operation is not that of the rank that came first is refused with ncclInvalidArgument; the real one hangs. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUCCESS, CUDA_ERROR, SYSTEM_ERROR, INTERNAL, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR };
enum { MOST_RANKS = 16, MOST_SLOTS = 256, MOST_GROUPS = 64, MOST_QUEUED = 256 };
typedef struct { char internal[128]; } unique_id;
typedef enum { ALL_REDUCE, REDUCE, BROADCAST, REDUCE_SCATTER, ALL_GATHER, SPLIT } kind;

typedef struct {
    int arrived, left, status;
    kind kind;
    size_t count;
    int type, op, root;
    const void *send[MOST_RANKS];
    void *receive[MOST_RANKS];
    int color[MOST_RANKS], key[MOST_RANKS];
} slot;

typedef struct message { struct message *next; int type; size_t count; char *bytes; } message;

typedef struct group {
    char id[128];
    int ranks, joined, aborted, asynchronous;
    slot slots[MOST_SLOTS]; /* a ring: the n-th collective of every rank is slots[n % MOST_SLOTS] */
    message *mail[MOST_RANKS][MOST_RANKS];
} group;

typedef struct comm { group *group; int rank, device; unsigned next; } comm;
typedef struct { comm *c; slot *slot; int peer, type; size_t count; void *to; } waiting;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static group *groups[MOST_GROUPS];
static char record[1 << 16], fails[64];
static int fail_status, version = 22105, unique_ids;
static size_t recorded;
static __thread int depth, queued, queued_error;
static __thread waiting queue[MOST_QUEUED];

const char *mock_calls(void) { return record; }
void mock_clear(void) { recorded = 0, record[0] = 0; }
void mock_fail(const char *name, int status) { snprintf(fails, sizeof fails, "%s", name), fail_status = status; }
void mock_version(int v) { version = v; }
void mock_asynchronous(comm *c, int status) { c->group->asynchronous = status; }

static int note(const char *name, size_t count, int type, int more, const void *stream)
{
    pthread_mutex_lock(&lock);
    if (recorded + 200 < sizeof record)
        recorded += (size_t)snprintf(record + recorded, 200, "%s %zu %d %d %zu\n", name, count, type, more,
                                     (size_t)stream);
    int status = strcmp(fails, name) == 0 ? fail_status : SUCCESS;
    if (status) fails[0] = 0;
    pthread_mutex_unlock(&lock);
    return status;
}

static size_t bytes_of(int type) { return (size_t[]){1, 1, 4, 4, 8, 8, 2, 4, 8, 2}[type]; }

static double read_real(const void *p, int type, size_t i)
{
    uint32_t word;
    float f;
    switch (type) {
    case 6: return (double)((const _Float16 *)p)[i];
    case 7: return ((const float *)p)[i];
    case 9:
        word = (uint32_t)((const uint16_t *)p)[i] << 16;
        memcpy(&f, &word, 4);
        return f;
    default: return ((const double *)p)[i];
    }
}

static void write_real(void *p, int type, size_t i, double v)
{
    float f = (float)v;
    uint32_t word;
    switch (type) {
    case 6: ((_Float16 *)p)[i] = (_Float16)v; break;
    case 7: ((float *)p)[i] = f; break;
    case 9:
        memcpy(&word, &f, 4);
        ((uint16_t *)p)[i] = (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
        break;
    default: ((double *)p)[i] = v;
    }
}

static uint64_t read_integer(const void *p, int type, size_t i)
{
    switch (type) {
    case 0: return (uint64_t)((const int8_t *)p)[i];
    case 1: return ((const uint8_t *)p)[i];
    case 2: return (uint64_t)((const int32_t *)p)[i];
    case 3: return ((const uint32_t *)p)[i];
    default: return ((const uint64_t *)p)[i];
    }
}

static uint64_t of_integers(uint64_t a, uint64_t b, int type, int op)
{
    int less = type == 0 || type == 2 || type == 4 ? (int64_t)b < (int64_t)a : b < a;
    return op == 0 ? a + b : op == 1 ? a * b : (op == 2) == less ? a : b;
}

static double of_reals(double a, double b, int op)
{
    return op == 0 || op == 4 ? a + b : op == 1 ? a * b : (op == 2) == (b < a) ? a : b;
}

/* Elements first .. first + count of all ranks, combined, into `out`. */
static void combine(const slot *s, int ranks, size_t first, size_t count, char *out)
{
    size_t size = bytes_of(s->type);
    for (size_t i = 0; i < count; i++) {
        if (s->type >= 6) {
            double v = read_real(s->send[0], s->type, first + i);
            for (int r = 1; r < ranks; r++) v = of_reals(v, read_real(s->send[r], s->type, first + i), s->op);
            write_real(out, s->type, i, s->op == 4 ? v / ranks : v);
        } else {
            uint64_t v = read_integer(s->send[0], s->type, first + i);
            for (int r = 1; r < ranks; r++)
                v = of_integers(v, read_integer(s->send[r], s->type, first + i), s->type, s->op);
            memcpy(out + i * size, &v, size);
        }
    }
}

/* All ranks have come: into copies first, since what is sent and received may be the same. */
static void compute(slot *s, int ranks)
{
    size_t bytes = s->count * bytes_of(s->type), all = bytes * (size_t)ranks;
    char *whole = malloc(all + 1);
    switch (s->kind) {
    case ALL_REDUCE: case REDUCE:
        combine(s, ranks, 0, s->count, whole);
        for (int r = 0; r < ranks; r++)
            if (s->kind == ALL_REDUCE || r == s->root) memcpy(s->receive[r], whole, bytes);
        break;
    case BROADCAST:
        memcpy(whole, s->send[s->root], bytes);
        for (int r = 0; r < ranks; r++) memcpy(s->receive[r], whole, bytes);
        break;
    case REDUCE_SCATTER:
        combine(s, ranks, 0, s->count * (size_t)ranks, whole);
        for (int r = 0; r < ranks; r++) memcpy(s->receive[r], whole + (size_t)r * bytes, bytes);
        break;
    case ALL_GATHER:
        for (int r = 0; r < ranks; r++) memcpy(whole + (size_t)r * bytes, s->send[r], bytes);
        for (int r = 0; r < ranks; r++) memcpy(s->receive[r], whole, all);
        break;
    case SPLIT: break;
    }
    free(whole);
}

/* Under the lock: this rank's part of the next collective. */
static slot *post(comm *c, kind k, const void *send, void *receive, size_t count, int type, int op, int root)
{
    slot *s = &c->group->slots[c->next++ % MOST_SLOTS];
    if (s->arrived == c->group->ranks && s->left == s->arrived) memset(s, 0, sizeof *s);
    if (!s->arrived) s->kind = k, s->count = count, s->type = type, s->op = op, s->root = root;
    else if (s->kind != k || s->count != count || s->type != type || s->op != op || s->root != root)
        s->status = INVALID_ARGUMENT;
    s->send[c->rank] = send;
    s->receive[c->rank] = receive;
    if (++s->arrived == c->group->ranks) {
        if (!s->status) compute(s, c->group->ranks);
        pthread_cond_broadcast(&changed);
    }
    return s;
}

static int await_slot(comm *c, slot *s)
{
    while (s->arrived < c->group->ranks && !c->group->aborted) pthread_cond_wait(&changed, &lock);
    if (s->arrived < c->group->ranks) return REMOTE_ERROR;
    s->left++;
    return s->status;
}

static int await_message(const waiting *w)
{
    message **box = &w->c->group->mail[w->peer][w->c->rank];
    while (!*box && !w->c->group->aborted) pthread_cond_wait(&changed, &lock);
    if (!*box) return REMOTE_ERROR;
    message *m = *box;
    *box = m->next;
    int same = m->count == w->count && m->type == w->type;
    if (same) memcpy(w->to, m->bytes, m->count * bytes_of(m->type));
    free(m->bytes);
    free(m);
    return same ? SUCCESS : INVALID_ARGUMENT;
}

static int await(waiting w)
{
    if (depth) {
        if (queued == MOST_QUEUED) return INTERNAL;
        queue[queued++] = w;
        return SUCCESS;
    }
    return w.slot ? await_slot(w.c, w.slot) : await_message(&w);
}

static int collective(const char *name, comm *c, kind k, const void *send, void *receive, size_t count, int type,
                      int op, int root, const void *stream)
{
    int status = note(name, count, type, k == BROADCAST ? root : op, stream);
    if (status) return status;
    if (type < 0 || type > 9 || root < 0 || root >= c->group->ranks) return INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    status = await((waiting){.c = c, .slot = post(c, k, send, receive, count, type, op, root)});
    pthread_mutex_unlock(&lock);
    return status;
}

int ncclGetVersion(int *v) { return *v = version, SUCCESS; }
const char *ncclGetErrorString(int status) { return status == INVALID_ARGUMENT ? "invalid argument" : "mock error"; }
const char *ncclGetLastError(comm *c) { return c && c->group->aborted ? "the mock was aborted" : ""; }

int ncclGetUniqueId(unique_id *id)
{
    int status = note("ncclGetUniqueId", 0, 0, 0, NULL);
    memset(id, 0, sizeof *id);
    pthread_mutex_lock(&lock);
    snprintf(id->internal, sizeof id->internal, "%d", ++unique_ids);
    id->internal[127] = (char)0x9c; /* all bytes of it count */
    pthread_mutex_unlock(&lock);
    return status;
}

/* Under the lock. */
static comm *join(const unique_id *id, int ranks, int rank)
{
    group **at = groups;
    while (*at && memcmp((*at)->id, id, sizeof *id) != 0) at++;
    if (at == groups + MOST_GROUPS - 1) return NULL;
    if (!*at) {
        *at = calloc(1, sizeof **at);
        memcpy((*at)->id, id, sizeof *id);
        (*at)->ranks = ranks;
    }
    comm *c = calloc(1, sizeof *c);
    c->group = *at;
    c->rank = rank;
    (*at)->joined++;
    pthread_cond_broadcast(&changed);
    return c;
}

int ncclCommInitRank(comm **made, int ranks, unique_id id, int rank)
{
    int status = note("ncclCommInitRank", (size_t)ranks, rank, 0, NULL);
    if (status) return status;
    if (ranks > MOST_RANKS || rank < 0 || rank >= ranks) return INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    comm *c = join(&id, ranks, rank);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    while (c && c->group->joined < ranks && !status) status = pthread_cond_timedwait(&changed, &lock, &until);
    pthread_mutex_unlock(&lock);
    *made = c;
    return !c || status ? SYSTEM_ERROR : SUCCESS;
}

int ncclCommInitRankConfig(comm **made, int ranks, unique_id id, int rank, const unsigned *config)
{
    note("config", config[0], (int)config[3], ((const int *)config)[10], NULL); /* size, version, splitShare */
    return ncclCommInitRank(made, ranks, id, rank);
}

int ncclCommInitAll(comm **made, int n, const int *devices)
{
    unique_id id;
    int status = ncclGetUniqueId(&id);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n && !status; i++)
        if ((made[i] = join(&id, n, i))) made[i]->device = devices[i];
    pthread_mutex_unlock(&lock);
    return status;
}

int ncclCommSplit(comm *c, int color, int key, comm **made, const void *config)
{
    (void)config;
    pthread_mutex_lock(&lock);
    slot *s = &c->group->slots[c->next % MOST_SLOTS];
    if (s->arrived == c->group->ranks) memset(s, 0, sizeof *s);
    s->color[c->rank] = color, s->key[c->rank] = key;
    post(c, SPLIT, NULL, NULL, 0, 0, 0, 0);
    int status = await_slot(c, s);
    unique_id id = {0};
    int ranks = 0, rank = 0;
    for (int r = 0; r < c->group->ranks; r++)
        if (s->color[r] == color) {
            ranks++;
            rank += s->key[r] < key || (s->key[r] == key && r < c->rank);
        }
    snprintf(id.internal, sizeof id.internal, "split %.60s %u %d", c->group->id, c->next, color);
    *made = status || color < 0 ? NULL : join(&id, ranks, rank);
    pthread_mutex_unlock(&lock);
    return status;
}

int ncclCommDestroy(comm *c) { return (void)c, note("ncclCommDestroy", 0, 0, 0, NULL); }

int ncclCommAbort(comm *c)
{
    note("ncclCommAbort", 0, 0, 0, NULL);
    pthread_mutex_lock(&lock);
    c->group->aborted = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

int ncclCommGetAsyncError(comm *c, int *status) { return *status = c->group->asynchronous, SUCCESS; }
int ncclCommCount(const comm *c, int *n) { return *n = c->group->ranks, SUCCESS; }
int ncclCommCuDevice(const comm *c, int *device) { return *device = c->device, SUCCESS; }
int ncclCommUserRank(const comm *c, int *rank) { return *rank = c->rank, SUCCESS; }

int ncclGroupStart(void) { return depth++, SUCCESS; }

int ncclGroupEnd(void)
{
    if (--depth) return SUCCESS;
    int status = queued_error;
    queued_error = SUCCESS;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < queued; i++) {
        int one = await(queue[i]);
        if (!status) status = one;
    }
    pthread_mutex_unlock(&lock);
    queued = 0;
    return status;
}

int ncclAllReduce(const void *s, void *r, size_t n, int type, int op, comm *c, void *stream)
{
    return collective("ncclAllReduce", c, ALL_REDUCE, s, r, n, type, op, 0, stream);
}

int ncclReduce(const void *s, void *r, size_t n, int type, int op, int root, comm *c, void *stream)
{
    return collective("ncclReduce", c, REDUCE, s, r, n, type, op, root, stream);
}

int ncclBroadcast(const void *s, void *r, size_t n, int type, int root, comm *c, void *stream)
{
    return collective("ncclBroadcast", c, BROADCAST, s, r, n, type, 0, root, stream);
}

int ncclBcast(void *p, size_t n, int type, int root, comm *c, void *stream)
{
    return collective("ncclBcast", c, BROADCAST, p, p, n, type, 0, root, stream);
}

int ncclReduceScatter(const void *s, void *r, size_t n, int type, int op, comm *c, void *stream)
{
    return collective("ncclReduceScatter", c, REDUCE_SCATTER, s, r, n, type, op, 0, stream);
}

int ncclAllGather(const void *s, void *r, size_t n, int type, comm *c, void *stream)
{
    return collective("ncclAllGather", c, ALL_GATHER, s, r, n, type, 0, 0, stream);
}

int ncclSend(const void *p, size_t n, int type, int peer, comm *c, void *stream)
{
    int status = note("ncclSend", n, type, peer, stream);
    if (status) return queued_error = depth ? status : 0, status;
    if (peer < 0 || peer >= c->group->ranks || type < 0 || type > 9) return INVALID_ARGUMENT;
    message *m = calloc(1, sizeof *m);
    m->type = type;
    m->count = n;
    m->bytes = malloc(n * bytes_of(type) + 1);
    memcpy(m->bytes, p, n * bytes_of(type));
    pthread_mutex_lock(&lock);
    message **at = &c->group->mail[c->rank][peer];
    while (*at) at = &(*at)->next;
    *at = m;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

int ncclRecv(void *p, size_t n, int type, int peer, comm *c, void *stream)
{
    int status = note("ncclRecv", n, type, peer, stream);
    if (status) return queued_error = depth ? status : 0, status;
    if (peer < 0 || peer >= c->group->ranks || type < 0 || type > 9) return INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    status = await((waiting){.c = c, .peer = peer, .type = type, .count = n, .to = p});
    pthread_mutex_unlock(&lock);
    return status;
}
