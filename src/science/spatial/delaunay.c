/* The triangulation of points in the plane: arguments, the points' order, results. The mesh is mesh.c's.
 *
 * Invariant: of equal points the first one is in the mesh. What is computed of coordinates is exact (exact.h). */
#include <string.h>

#include "compose/compose.h"
#include "core/memory.h"
#include "cpu/threads.h"
#include "operands/operands.h"
#include "spatial/mesh.h"
#include "spatial/spatial.h"
#include "spatial/trees.h"

enum { MOST_POINTS = INT32_MAX / 6, STRIP = 4, MANY = 1 << 14 };

typedef struct keyed {
    uint64_t key;
    int32_t index;
} keyed;

typedef struct plane_points {
    int64_t n, equal;     /* points that differ, and others */
    cpi_xy *at;           /* as given, scaled */
    keyed *order, *spare; /* by x and y; spare: (point, the equal one that is kept) behind the last */
    cpi_xy *placed;       /* in the mesh's order */
    int32_t *names;       /* their indices */
    const cpi_mesh *mesh;
} plane_points;

/* --- order --- */

static inline uint64_t key_of(double x) /* in the order of the numbers */
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 63 ? UINT64_MAX : (uint64_t)1 << 63);
}

/* Sorts by the keys and keeps the order of equal ones: by digits, from the last one. The result is in x. */
static void sort_keys(keyed *x, keyed *spare, int64_t n)
{
    enum { SIZE = 1 << 11, PASSES = 8 };
    const int bits = n < MANY ? 8 : 11, passes = n < MANY ? 8 : 6;
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    uint32_t counts[PASSES * SIZE];
    memset(counts, 0, (size_t)passes * SIZE * sizeof *counts);
    for (int64_t i = 0; i < n; i++)
        for (int p = 0; p < passes; p++) counts[p * SIZE + (int)(x[i].key >> (p * bits) & mask)]++;
    keyed *from = x, *to = spare;
    for (int p = 0; p < passes; p++) {
        uint32_t *c = counts + p * SIZE, at = 0;
        if (c[from[0].key >> (p * bits) & mask] == (uint64_t)n) continue; /* all have this digit */
        for (int k = 0; k < 1 << bits; k++) {
            const uint32_t many = c[k];
            c[k] = at, at += many;
        }
        for (int64_t i = 0; i < n; i++) to[c[from[i].key >> (p * bits) & mask]++] = from[i];
        keyed *other = from;
        from = to, to = other;
    }
    if (from != x) memcpy(x, from, (size_t)n * sizeof *x);
}

/* By x, and those of the same x by y. */
static void sort_points(plane_points *p)
{
    bool same = false;
    for (int64_t i = 0; i < p->n; i++) p->order[i] = (keyed){key_of(p->at[i].x), (int32_t)i};
    sort_keys(p->order, p->spare, p->n);
    for (int64_t i = 1; i < p->n; i++) same |= p->order[i].key == p->order[i - 1].key;
    if (!same) return;
    for (int64_t i = 0; i < p->n; i++) p->order[i] = (keyed){key_of(p->at[i].y), (int32_t)i};
    sort_keys(p->order, p->spare, p->n);
    for (int64_t i = 0; i < p->n; i++) p->order[i].key = key_of(p->at[p->order[i].index].x);
    sort_keys(p->order, p->spare, p->n);
}

/* Of equal points the first one stays; the others go, with it, to where `spare` begins. */
static void take_equal(plane_points *p)
{
    int64_t kept = 1;
    for (int64_t i = 1; i < p->n; i++) {
        const keyed k = p->order[i], last = p->order[kept - 1];
        if (k.key == last.key && p->at[k.index].y == p->at[last.index].y)
            p->spare[p->equal++] = (keyed){(uint64_t)last.index, k.index};
        else
            p->order[kept++] = k;
    }
    p->n = kept;
}

/* A strip by y, and those of the same y by falling x. */
static void place_task(void *context, int64_t strip, int worker)
{
    (void)worker;
    const plane_points *p = context;
    const int64_t first = cpi_mesh_strip(p->mesh, strip), n = cpi_mesh_strip(p->mesh, strip + 1) - first;
    keyed *order = p->order + first, *spare = p->spare + p->equal + first;
    for (int64_t i = 0; i < n; i++) {
        const int32_t index = order[n - 1 - i].index;
        spare[i] = (keyed){key_of(p->at[index].y), index};
    }
    sort_keys(spare, order, n);
    for (int64_t i = 0; i < n; i++) p->placed[first + i] = p->at[spare[i].index], p->names[first + i] = spare[i].index;
}

/* Whether no point is farther than `flat` times the largest coordinate from the line through two that are far apart. */
static bool on_line(const plane_points *p, double flat)
{
    cpi_xy left = p->at[0], right = left, down = left, up = left;
    for (int64_t i = 1; i < p->n; i++) {
        const cpi_xy x = p->at[i];
        left = x.x < left.x ? x : left, right = x.x > right.x ? x : right;
        down = x.y < down.y ? x : down, up = x.y > up.y ? x : up;
    }
    const double wide = right.x - left.x, high = up.y - down.y;
    const double most = fmax(fmax(-left.x, right.x), fmax(-down.y, up.y));
    const cpi_xy a = wide > high ? left : down, b = wide > high ? right : up;
    const double bound = flat * most * hypot(b.x - a.x, b.y - a.y);
    for (int64_t i = 0; i < p->n; i++)
        if (fabs(cpi_orient(a, b, p->at[i])) > bound) return false;
    return true;
}

/* --- results --- */

typedef struct result {
    cp_array *corners, *neighbours, *equal;
} result;

static result no_triangles(void)
{
    return (result){cp_zeros(CP_SHAPE(0, 3), CP_INT32), cp_zeros(CP_SHAPE(0, 3), CP_INT32),
                    cp_zeros(CP_SHAPE(0, 3), CP_INT32)};
}

/* Rows of three numbers from the host; the memory is freed. */
static cp_array *rows(int32_t *data, int64_t n)
{
    cp_array *r = data ? cp_from_host(data, CP_INT32, CP_SHAPE(n, 3), NULL) : NULL;
    cpi_free_host(data);
    return r;
}

static int32_t *three(int64_t n) { return cpi_malloc((size_t)(n ? n : 1) * 3 * sizeof(int32_t)); }

/* (point, a triangle of the equal one, that one) of each that is not in the mesh. */
static cp_array *equal_points(const plane_points *p, int64_t points, const int32_t *corners, int64_t triangles)
{
    const int64_t rest = triangles ? p->equal : 0;
    int32_t *of = rest ? cpi_malloc((size_t)points * sizeof *of) : NULL, *to = three(rest);
    if (!to || (rest && !of)) return cpi_free_host(of), cpi_free_host(to), NULL;
    for (int64_t i = 3 * triangles; rest && i-- > 0;) of[corners[i]] = (int32_t)(i / 3);
    for (int64_t i = 0; i < rest; i++) {
        const int32_t kept = (int32_t)p->spare[i].key;
        to[3 * i] = p->spare[i].index, to[3 * i + 1] = of[kept], to[3 * i + 2] = kept;
    }
    cpi_free_host(of);
    return rows(to, rest);
}

/* The mesh of placed points. */
static cp_code triangulate(plane_points *p, cpi_mesh *m, double flat, int64_t points, result *r)
{
    cpi_faces faces = {0};
    m->halves = cpi_malloc((size_t)p->n * 6 * sizeof *m->halves);
    cp_code code = m->halves ? cpi_mesh_make(m) : CP_ERROR_MEMORY;
    if (!code && flat > 0) code = cpi_mesh_trim(m, flat);
    if (!code) code = cpi_mesh_count(m, &faces);
    if (!code) {
        const int64_t n = faces.count;
        int32_t *corners = three(n), *neighbours = three(n);
        if (corners && neighbours) {
            cpi_mesh_faces(m, &faces, p->names, corners, neighbours);
            r->equal = equal_points(p, points, corners, n);
        }
        r->corners = rows(corners, n), r->neighbours = rows(neighbours, n);
        code = r->equal && r->corners && r->neighbours ? CP_OK : CP_ERROR_MEMORY;
    }
    cpi_free_host(faces.first), cpi_free_host(m->halves);
    return code;
}

/* Of n points on the host, 3 or more. */
static cp_code plane_mesh(const char *name, const double *x, int64_t n, double flat, result *r)
{
    plane_points p = {.n = n};
    cpi_mesh m = {.n = n};
    bool finite = false;
    cp_code code = CP_ERROR_MEMORY;
    /* spare begins with the equal points, and has room for as many as there are in all */
    p.at = cpi_malloc((size_t)n * (2 * sizeof(cpi_xy) + 2 * sizeof(keyed) + sizeof(int32_t)));
    if (!p.at) return code;
    p.placed = p.at + n, p.order = (keyed *)(p.placed + n), p.spare = p.order + n, p.names = (int32_t *)(p.spare + n);
    if (!cpi_plane_fits(x, n, p.at, &m.plane, &finite)) {
        code = finite ? cpi_fail(CP_ERROR_VALUE, "%s: the coordinates' magnitudes are out of range", name)
                      : cpi_fail(CP_ERROR_VALUE, "%s: points must be finite", name);
    } else if (flat > 0 && on_line(&p, flat)) {
        *r = no_triangles(), code = CP_OK;
    } else {
        sort_points(&p);
        take_equal(&p);
        if (p.n < 3) {
            *r = no_triangles(), code = CP_OK;
        } else {
            m.n = p.n, m.points = p.placed;
            m.strips = (int64_t)(sqrt((double)p.n) / STRIP);
            m.strips = m.strips > 1 ? m.strips : 1;
            p.mesh = &m;
            cpi_parallel(m.strips, place_task, &p);
            code = triangulate(&p, &m, flat, n, r);
        }
    }
    cpi_free_host(p.at);
    return cpi_ending_named(name, code);
}

/*: function("delaunay", "points: array, flat: double", module="_spatial",
             returns="(simplices, neighbours, coplanar)", unlock="always",
             about={"points": "(points, 2)", "flat": "0, or how low triangles are, beside their longest side, that are "
                    "left out where that side is the border; and beside the largest coordinate a set of points that "
                    "counts as lying on a line"},
             raises={"ValueError": "other shapes; coordinates that are not finite; of which the largest is above "
                     "2^1000 or below 2^-1000, or above about 2^430 times the smallest that is not 0; more than 357 "
                     "million points; flat below 0",
                     "TypeError": "complex points"},
             doc="""Delaunay's triangulation of points in the plane, computed on the host: the corners of triangles,
counterclockwise, the triangles across from each corner (-1: none), and for each point that is equal to an earlier one
a row (point, a triangle, the earlier one). Of int32, (n, 3) each; no triangles where all points lie on a line. Signs of
determinants are exact. Which diagonals points on a circle get is determined by the points.""") */
cp_code cp_delaunay(cp_array *points, double flat, cp_array **simplices, cp_array **neighbours, cp_array **coplanar)
{
    const char *name = "Delaunay";
    cpi_composite f;
    if (!cpi_begin(&f, name, points)) return cp_error();
    result r = {0};
    cp_code code = cpi_check_real(name, points);
    const int64_t n = points->ndim == 2 ? points->shape[0] : 0;
    if (!code && (points->ndim != 2 || points->shape[1] != 2))
        code = cpi_fail(CP_ERROR_VALUE, "%s: points must be (points, 2)", name);
    if (!code && n > MOST_POINTS) code = cpi_fail(CP_ERROR_VALUE, "%s: %lld points are too many", name, (long long)n);
    if (!code && !(flat >= 0)) code = cpi_fail(CP_ERROR_VALUE, "%s: flat must be 0 or above", name);
    if (!code && n < 3) r = no_triangles();
    else if (!code) {
        cp_array *x = cpi_dense_in_scope(name, points, CP_FLOAT64, cpi_device_current());
        double *host = x ? cpi_malloc((size_t)cp_nbytes(x)) : NULL;
        code = host ? cp_to_host(x, host, (size_t)cp_nbytes(x)) : cp_error();
        if (!code) code = plane_mesh(name, host, n, flat, &r);
        cpi_free_host(host);
    }
    cp_keep(r.neighbours), cp_keep(r.equal);
    cp_array *first = cpi_end(&f, !code && r.neighbours && r.equal ? r.corners : NULL);
    if (!first) return cp_free(r.neighbours), cp_free(r.equal), cp_error();
    cpi_into_scope(r.neighbours), cpi_into_scope(r.equal);
    *simplices = first, *neighbours = r.neighbours, *coplanar = r.equal;
    return CP_OK;
}
