/* Delaunay's triangulation by divide and conquer (Guibas and Stolfi, ACM Transactions on Graphics 4, 1985), in strips
 * (Dwyer, Algorithmica 2, 1987): halves of a strip are joined one above the other, then the strips side by side.
 *
 * Invariants: two parts that are joined are apart by a line. A part has the edges 3f to 3l of its points f to l; those
 * not in use are a chain. All decisions are signs that are exact, so that no rounding makes a mesh that is none, and
 * the parts depend on the points alone: the same input gives the same triangles. */
#include "spatial/mesh.h"

#include "core/memory.h"
#include "cpu/threads.h"

typedef struct part {
    int32_t free, end; /* the chain of edges not in use, through their first halves' `next`; its last one */
    int32_t low, high; /* the border's half counterclockwise out of the first point, clockwise out of the last */
} part;

typedef struct work {
    cpi_mesh *m;
    part *parts;    /* of the strips; of those joined where the first one was */
    int64_t stride; /* between parts that are to be joined */
} work;

/* --- edges --- */

static void put_behind(cpi_half *h, int32_t e, int32_t x) /* x counterclockwise behind e, around the same point */
{
    const int32_t next = h[e].next;
    h[x].next = next, h[x].last = e;
    h[next].last = x, h[e].next = x;
}

static int32_t make_edge(cpi_half *h, part *p, int32_t from, int32_t to)
{
    const int32_t e = p->free;
    p->free = h[e].next;
    h[e] = (cpi_half){e, e, from, CPI_INSIDE}, h[e + 1] = (cpi_half){e + 1, e + 1, to, CPI_INSIDE};
    return e;
}

/* An edge from where a ends to where b begins, with what is to the left of both to its left. */
static int32_t connect(cpi_half *h, part *p, int32_t a, int32_t b)
{
    const int32_t e = make_edge(h, p, h[a ^ 1].from, h[b].from);
    put_behind(h, h[a ^ 1].last, e);
    put_behind(h, b, e + 1);
    return e;
}

static void take_out(cpi_half *h, int32_t e)
{
    h[h[e].next].last = h[e].last, h[h[e].last].next = h[e].next;
    h[e].from = -1;
}

static void remove_edge(cpi_half *h, part *p, int32_t e)
{
    take_out(h, e), take_out(h, e ^ 1);
    e &= ~1;
    if (p->free < 0) p->end = e;
    h[e].next = p->free, p->free = e;
}

/* --- joining --- */

static inline double turn(const cpi_mesh *m, int32_t a, int32_t b, int32_t c)
{
    return cpi_orient(m->points[a], m->points[b], m->points[c]);
}

/* The lower tangent of two parts, from the right one to the left one. */
static int32_t tangent(const cpi_mesh *m, part *p, int32_t *left_inner, int32_t *right_inner)
{
    cpi_half *h = m->halves;
    int32_t l = *left_inner, r = *right_inner;
    for (;;) {
        if (turn(m, h[l].from, h[l ^ 1].from, h[r].from) > 0) l = cpi_half_next(h, l);
        else if (turn(m, h[r].from, h[r ^ 1].from, h[l].from) < 0) r = h[r ^ 1].next;
        else break;
    }
    *left_inner = l, *right_inner = r;
    return connect(h, p, r ^ 1, l);
}

/* From the tangent up: each new edge makes a triangle with the last one; edges within its circle go. The chain has
 * edges enough: there are never more than 3 n - 3 in a plane. */
static cp_code zip(const cpi_mesh *m, part *p, int32_t base, cpi_lookout *watch)
{
    cpi_half *h = m->halves;
    const cpi_xy *x = m->points;
    for (;;) {
        if (cpi_lookout_ends(watch)) return CP_ERROR_INTERRUPTED;
        const cpi_xy right = x[h[base].from], left = x[h[base ^ 1].from];
        int32_t l = h[base ^ 1].next, r = h[base].last;
        cpi_xy a = x[h[l ^ 1].from], b = x[h[r ^ 1].from];
        const bool rises = cpi_orient(left, right, a) > 0, climbs = cpi_orient(left, right, b) > 0;
        if (rises)
            for (;;) {
                const int32_t next = h[l].next;
                const cpi_xy c = x[h[next ^ 1].from];
                if (cpi_circle(&m->plane, left, right, a, c) <= 0) break;
                remove_edge(h, p, l);
                l = next, a = c;
            }
        if (climbs)
            for (;;) {
                const int32_t next = h[r].last;
                const cpi_xy c = x[h[next ^ 1].from];
                if (cpi_circle(&m->plane, left, right, b, c) <= 0) break;
                remove_edge(h, p, r);
                r = next, b = c;
            }
        if (!rises && !climbs) return CP_OK;
        if (!rises || (climbs && cpi_circle(&m->plane, a, left, right, b) > 0)) base = connect(h, p, r, base ^ 1);
        else base = connect(h, p, base ^ 1, l ^ 1);
    }
}

static cp_code join(const cpi_mesh *m, part left, part right, cpi_lookout *watch, part *p)
{
    cpi_half *h = m->halves;
    *p = left;
    if (p->free < 0) p->free = right.free;
    else if (right.free >= 0) h[p->end].next = right.free;
    if (right.free >= 0) p->end = right.end;
    p->high = right.high;
    int32_t l = left.high, r = right.low;
    const int32_t base = tangent(m, p, &l, &r);
    if (h[l].from == h[left.low].from) p->low = base ^ 1;
    if (h[r].from == h[right.high].from) p->high = base;
    return zip(m, p, base, watch);
}

/* --- parts --- */

static part leaf(const cpi_mesh *m, int64_t first, int64_t count)
{
    cpi_half *h = m->halves;
    const int32_t f = (int32_t)first, begin = 6 * f, end = begin + 6 * (int32_t)count - 2;
    for (int32_t e = begin; e <= end; e += 2) h[e] = (cpi_half){e + 2, e, -1, 0}, h[e + 1] = (cpi_half){e, e, -1, 0};
    h[end].next = -1;
    part p = {.free = begin, .end = end};
    const int32_t a = make_edge(h, &p, f, f + 1);
    p.low = a, p.high = a ^ 1;
    if (count == 2) return p;
    const int32_t b = make_edge(h, &p, f + 1, f + 2);
    put_behind(h, a ^ 1, b);
    p.high = b ^ 1;
    const double side = turn(m, f, f + 1, f + 2);
    if (side == 0) return p;
    const int32_t c = connect(h, &p, b, a);
    if (side < 0) p.low = c ^ 1, p.high = c;
    return p;
}

/* As deep as the logarithm of `count`, 2 or more. */
static cp_code solve(const cpi_mesh *m, int64_t first, int64_t count, cpi_lookout *watch, part *p)
{
    if (count <= 3) return *p = leaf(m, first, count), CP_OK;
    part low, high;
    cp_code code = solve(m, first, count / 2, watch, &low);
    if (!code) code = solve(m, first + count / 2, count - count / 2, watch, &high);
    return code ? code : join(m, low, high, watch, p);
}

static bool before(cpi_xy a, cpi_xy b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }

static void strip_task(void *context, int64_t strip, int worker)
{
    const work *w = context;
    cpi_mesh *m = w->m;
    cpi_half *h = m->halves;
    cpi_lookout watch = {&m->ending, worker};
    const int64_t first = cpi_mesh_strip(m, strip);
    part *p = w->parts + strip;
    if (solve(m, first, cpi_mesh_strip(m, strip + 1) - first, &watch, p)) return;
    int32_t e = p->low; /* the first and the last point from side to side */
    const int32_t begin = e;
    p->high = e ^ 1;
    do {
        if (before(m->points[h[e].from], m->points[h[p->low].from])) p->low = e;
        if (before(m->points[h[p->high].from], m->points[h[e ^ 1].from])) p->high = e ^ 1;
        e = cpi_half_rim(h, e);
    } while (e != begin);
}

static void join_task(void *context, int64_t pair, int worker)
{
    const work *w = context;
    cpi_lookout watch = {&w->m->ending, worker};
    part *p = w->parts + 2 * pair * w->stride;
    join(w->m, p[0], p[w->stride], &watch, p);
}

cp_code cpi_mesh_make(cpi_mesh *m)
{
    work w = {.m = m, .stride = 1};
    w.parts = cpi_malloc((size_t)m->strips * sizeof *w.parts);
    if (!w.parts) return CP_ERROR_MEMORY;
    cpi_parallel(m->strips, strip_task, &w);
    for (; w.stride < m->strips && !cpi_ending_code(&m->ending); w.stride *= 2)
        cpi_parallel((m->strips - w.stride + 2 * w.stride - 1) / (2 * w.stride), join_task, &w);
    const bool ended = cpi_ending_code(&m->ending) != CP_OK;
    if (!ended) m->border = w.parts->low;
    cpi_free_host(w.parts);
    if (ended) return CP_ERROR_INTERRUPTED;
    cpi_half *h = m->halves;
    int32_t e = m->border;
    do {
        h[e ^ 1].face = CPI_OUTSIDE;
        e = cpi_half_rim(h, e);
    } while (e != m->border);
    return CP_OK;
}
