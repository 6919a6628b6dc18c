/* Tasks, and the copies they keep: see late.h. Invariant: a task owns all that its call points to in the host's
 * memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "late/late.h"

/* Copies that do not fit into the task's own room. */
typedef struct late_more {
    struct late_more *next;
    _Alignas(16) char space[];
} late_more;

enum { SPARE = 512 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static late_task *spare; /* kept for the next calls */
static int spares;

late_task *late_task_new_quietly(cp_code (*run)(void *call), size_t bytes)
{
    pthread_mutex_lock(&lock);
    late_task *t = spare;
    if (t) spare = t->next, spares--;
    pthread_mutex_unlock(&lock);
    if (!t && !(t = malloc(sizeof *t))) return NULL;
    memset(t, 0, offsetof(late_task, space) + bytes);
    t->run = run;
    t->used = (bytes + 15) / 16 * 16;
    return t;
}

late_task *late_task_new(const char *name, cp_code (*run)(void *call), size_t bytes)
{
    late_task *t = late_task_new_quietly(run, bytes);
    if (t) {
        t->name = name;
    } else {
        late_host->fail(CP_ERROR_MEMORY, "%s: out of host memory", name);
    }
    return t;
}

void late_task_free(late_task *t)
{
    while (t->more) {
        late_more *m = t->more;
        t->more = m->next;
        free(m);
    }
    pthread_mutex_lock(&lock);
    if (spares < SPARE) {
        t->next = spare;
        spare = t;
        spares++;
        t = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(t);
}

static void *space_for(late_task *t, size_t bytes)
{
    size_t size = (bytes + 15) / 16 * 16;
    if (size <= sizeof t->space - t->used) {
        t->used += size;
        return t->space + t->used - size;
    }
    late_more *m = malloc(sizeof *m + size);
    if (!m) {
        t->broken = true;
        return NULL;
    }
    m->next = t->more;
    t->more = m;
    return m->space;
}

void *late_keep_host(late_task *t, const void *values, size_t bytes)
{
    void *kept = values ? space_for(t, bytes) : NULL;
    return kept ? memcpy(kept, values, bytes) : NULL;
}

void *late_keep(late_task *t, const void *structure, size_t bytes)
{
    void *kept = late_keep_host(t, structure, bytes);
    if (kept) late_addresses_in(kept, bytes);
    return kept;
}

/* Operands that are host scalars lie in records that may end with the call. */
cpi_loop *late_keep_loops(late_task *t, const cpi_loop *loops, size_t n)
{
    cpi_loop *kept = space_for(t, n * sizeof *kept);
    for (size_t k = 0; kept && k < n; k++) {
        const cpi_loop *loop = &loops[k];
        memcpy(&kept[k], loop, offsetof(cpi_loop, op) + (size_t)loop->nop * sizeof loop->op[0]);
        for (int i = 0; i < loop->nop; i++) {
            const cpi_operand *op = &loop->op[i];
            kept[k].op[i].data =
                op->host ? late_keep_host(t, op->data, (size_t)cpi_itemsize(op->type)) : late_inside(op->data);
        }
    }
    return kept;
}

cp_array *late_keep_array(late_task *t, const cp_array *x)
{
    if (!x) return NULL;
    cp_array *kept = late_keep_host(t, x, sizeof *x + 2 * (size_t)x->ndim * sizeof x->dims[0]);
    if (!kept) return NULL;
    kept->shape = kept->dims;
    kept->strides = kept->dims + x->ndim;
    kept->data = x->flags & CPI_HOST_SCALAR ? (char *)kept->value : late_inside(x->data);
    return kept;
}

void late_take_back(void *structure, const void *kept, size_t bytes)
{
    memcpy(structure, kept, bytes);
    late_addresses_out(structure, bytes);
}
