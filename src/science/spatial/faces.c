/* The triangles of a mesh: thin ones at the border, numbers, corners and neighbours. Invariant: a triangle is found at
 * the lowest of its three halves, so that its number depends on the mesh alone. */
#include "core/memory.h"
#include "cpu/threads.h"
#include "spatial/mesh.h"

/* --- the border --- */

/* Whether c, between a and b, is so near to the line through them. */
static bool is_flat(cpi_xy a, cpi_xy b, cpi_xy c, double flat)
{
    const double x = b.x - a.x, y = b.y - a.y;
    return (c.x - a.x) * x + (c.y - a.y) * y > 0 && (b.x - c.x) * x + (b.y - c.y) * y > 0 &&
           cpi_orient(a, b, c) <= flat * (x * x + y * y);
}

static void unlink_half(cpi_half *h, int32_t e)
{
    h[h[e].next].last = h[e].last, h[h[e].last].next = h[e].next;
    h[e].from = -1;
}

cp_code cpi_mesh_trim(cpi_mesh *m, double flat)
{
    cpi_half *h = m->halves;
    const cpi_xy *x = m->points;
    const int32_t first = h[m->border].from; /* stays at the border */
    bool *rim = cpi_calloc((size_t)m->n, sizeof *rim); /* points of the border */
    if (!rim) return CP_ERROR_MEMORY;
    int32_t e = m->border;
    do {
        rim[h[e].from] = true;
        e = cpi_half_rim(h, e);
    } while (e != m->border);
    for (;;) {
        const int32_t up = cpi_half_next(h, e), back = cpi_half_next(h, up), top = h[back].from;
        if (h[e].face == CPI_OUTSIDE || rim[top] || !is_flat(x[h[e].from], x[h[up].from], x[top], flat)) {
            e = cpi_half_rim(h, e);
            if (h[e].from == first) break;
            continue;
        }
        unlink_half(h, e), unlink_half(h, e ^ 1);
        h[up].face = h[back].face = CPI_OUTSIDE;
        rim[top] = true;
        if (e == m->border) m->border = back ^ 1;
        e = back ^ 1;
    }
    cpi_free_host(rim);
    return CP_OK;
}

/* --- numbers --- */

typedef struct job {
    const cpi_mesh *m;
    cpi_faces *count;
    const cpi_faces *faces;
    const int32_t *names;
    int32_t *corners, *neighbours;
} job;

/* Lists the lowest halves of triangles. No branch depends on them: a third is, in no order. */
static void count_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    const cpi_half *h = j->m->halves;
    const int64_t begin = task * j->count->each, all = 6 * j->m->n;
    const int64_t end = all - begin < j->count->each ? all : begin + j->count->each;
    int32_t *list = j->count->first + begin;
    for (int64_t i = begin; i < end; i++) {
        const int32_t e = (int32_t)i, b = cpi_half_next(h, e), c = cpi_half_next(h, b);
        *list = e;
        list += (h[e].from >= 0) & (h[e].face != CPI_OUTSIDE) & (e < b) & (e < c);
    }
    j->count->starts[task + 1] = list - (j->count->first + begin);
}

cp_code cpi_mesh_count(const cpi_mesh *m, cpi_faces *faces)
{
    faces->first = cpi_malloc((size_t)m->n * 6 * sizeof *faces->first);
    if (!faces->first) return CP_ERROR_MEMORY;
    faces->tasks = cpi_cut(6 * m->n, 8192, &faces->each);
    faces->starts[0] = 0;
    job j = {.m = m, .count = faces};
    cpi_parallel(faces->tasks, count_task, &j);
    for (int64_t i = 0; i < faces->tasks; i++) faces->starts[i + 1] += faces->starts[i];
    faces->count = faces->starts[faces->tasks];
    return CP_OK;
}

/* Each triangle t of a task, and its lowest half e. */
#define EACH(f, task, t, e)                                                                       \
    for (int64_t t = (f)->starts[task], e; t < (f)->starts[(task) + 1] &&                         \
         (e = (f)->first[(task) * (f)->each + t - (f)->starts[task]], true); t++)

static void corners_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    cpi_half *h = j->m->halves;
    EACH(j->faces, task, t, e) {
        int32_t k = (int32_t)e;
        for (int i = 0; i < 3; i++, k = cpi_half_next(h, k)) {
            j->corners[3 * t + i] = j->names[h[k].from];
            h[k].face = (int32_t)t;
        }
    }
}

static void neighbours_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    const cpi_half *h = j->m->halves;
    EACH(j->faces, task, t, e) {
        int32_t k = (int32_t)e;
        for (int i = 0; i < 3; i++, k = cpi_half_next(h, k)) j->neighbours[3 * t + (i + 2) % 3] = h[k ^ 1].face;
    }
}

void cpi_mesh_faces(const cpi_mesh *m, const cpi_faces *faces, const int32_t *names, int32_t *corners,
                    int32_t *neighbours)
{
    job j = {.m = m, .faces = faces, .names = names, .corners = corners, .neighbours = neighbours};
    cpi_parallel(faces->tasks, corners_task, &j);
    cpi_parallel(faces->tasks, neighbours_task, &j);
}
