/* From a loop to a launch: the operands' layout chooses a kernel, and a list of integers holds the rest.
 *
 * Kernel arguments are each parameter (an address, or a number's value), the memory of partial results, and a structure
 * of 64-bit integers, the geometry. python/cuprite/_compiler/loop_source.py writes the kernels' source and gets the
 * shared constants from _loop_constants. Work is split by the size of the problem alone, so a reduction has the same
 * bits every time. */
#include "loop.h"
#include "loop_run_rows.h"

#include <string.h>
#include <unistd.h>

enum {
    CPU_CHUNK = 1 << 14,       /* elements of one task of the CPU */
    CPU_LEAST = 256,           /* and at least */
    CPU_TASKS = 64,            /* as many are wanted */
    CPU_COLUMNS = 256,         /* results that a task of the CPU gathers side by side */
    GPU_THREADS = 256,         /* of a block that reduces */
    GPU_BLOCKS = 528,          /* as many are wanted of a reduction, and where threads have this much to do, */
    GPU_WORK = 64,
    MOST_GPU_BLOCKS = 2112,    /* up to so many */
    MOST_BLOCKS = 1 << 16,     /* of an elementwise kernel; threads go on to further elements */
    VECTOR = 16,               /* bytes of a thread's load */
    MOST_NUMBERS = 4096
};

typedef struct geometry {
    int n;
    int64_t v[MOST_NUMBERS];
} geometry;

/* How a reduction is cut. */
typedef struct cut {
    int64_t groups, chunks, length; /* of results; of each group's elements; elements of a chunk */
    int64_t per, side;              /* CPU: groups and chunks of a block; GPU: results of a block */
} cut;

static void append_number(geometry *g, int64_t v) { g->v[g->n++] = v; }
static int64_t parts(int64_t n, int64_t of) { return (n + of - 1) / of; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/* The power of two from n on, at most `limit`, which is one. */
static int64_t power_from(int64_t n, int64_t limit)
{
    int64_t p = 1;
    while (p < n && p < limit) p *= 2;
    return p;
}

/* --- how operands lie --- */
static bool is_dense(const loop_call *c, int i, int from, int to)
{
    int64_t expected = (int64_t)cp_type_size(c->s->types[i]);
    for (int d = to - 1; d >= from; d--) {
        if (c->shape[d] != 1 && c->stride[i][d] != expected) return false;
        expected *= c->shape[d];
    }
    return true;
}

static int by_stride(const loop_call *c, int i, int axis)
{
    int64_t s = c->stride[i][axis];
    if (c->s->gpu && c->wide == 1) return STRIDED;
    return s == 0 ? REPEATED : s == (int64_t)cp_type_size(c->s->types[i]) ? UNIT : STRIDED;
}

static int lie(const loop_call *c, int i)
{
    const loop_kernel *k = c->k;
    if (!c->x[i]) return IS_NUMBER;
    if (k->raw[i]) return cp_is_c_contiguous(c->x[i]) ? RAW_DENSE : RAW_STRIDED;
    if (!k->reduction) return is_dense(c, i, 0, c->ndim) ? DENSE : by_stride(c, i, c->ndim - 1);
    if (i >= k->nin) return is_dense(c, i, 0, c->nkept) ? DENSE : STRIDED;
    return by_stride(c, i, c->column ? c->nkept - 1 : c->ndim - 1);
}

/* Whether vectors of `bytes` may be read or written wherever the operand has neighbours. */
static bool is_aligned(const loop_call *c, int i, int64_t bytes)
{
    const int last = c->ndim - 1;
    const bool dense = is_dense(c, i, 0, c->ndim);
    if (!dense && !c->stride[i][last]) return true; /* one for all */
    if ((uintptr_t)cp_data(c->x[i]) % (uintptr_t)bytes) return false;
    for (int d = 0; !dense && d < last; d++)
        if (c->stride[i][d] % bytes) return false;
    return true;
}

/* Whether what is written may be read as another operand later in a step, which inputs in registers would miss. Fused
 * functions are made of what their inputs held before (and are prepared without memory that could show it). */
static bool reads_what_it_writes(const loop_call *c)
{
    const int n = loop_operands(c->k);
    if (c->k->single || c->k->may_wait) return false;
    for (int i = c->k->nin; i < n; i++)
        for (int k = 0; k < n && !c->made[i]; k++)
            if (k != i && c->x[k] && loop_overlap(c->x[i], c->x[k])) return true;
    return false;
}

/* As many neighbours as the widest operand has in one load, where row lengths are multiples of that; else 1. */
static int neighbours(const loop_call *c)
{
    int64_t widest = 0, n;
    bool flat = true;
    if (!c->s->gpu || !c->k->wide) return 1;
    for (int i = 0; i < loop_operands(c->k); i++) {
        if (!loop_steps(c, i)) continue;
        widest = most(widest, (int64_t)cp_type_size(c->s->types[i]));
        if (is_dense(c, i, 0, c->ndim)) continue;
        flat = false;
        int64_t step = c->stride[i][c->ndim - 1];
        if (step && step != (int64_t)cp_type_size(c->s->types[i])) return 1; /* more lines of memory at a time */
    }
    n = widest ? VECTOR / widest : 1;
    if (n < 2 || (!flat && c->shape[c->ndim - 1] % n)) return 1;
    for (int i = 0; i < loop_operands(c->k); i++)
        if (loop_steps(c, i) && !is_aligned(c, i, n * (int64_t)cp_type_size(c->s->types[i]))) return 1;
    return reads_what_it_writes(c) ? 1 : (int)n;
}

/* Whether neighbours in memory belong to different results, by the first operand that moves. */
static bool by_columns(const loop_call *c)
{
    if (c->shape[c->nkept - 1] == 1) return false;
    for (int i = 0; i < c->k->nin; i++) {
        if (!loop_steps(c, i)) continue;
        int64_t kept = magnitude(c->stride[i][c->nkept - 1]), reduced = magnitude(c->stride[i][c->ndim - 1]);
        if (!kept && !reduced) continue;
        return kept && (kept < reduced || !reduced);
    }
    return c->reduced == 1;
}

/* Whether 31 bits hold every count and distance. */
static bool is_narrow(const loop_call *c)
{
    if (!c->s->gpu || (double)c->kept * (double)most(c->reduced, 1) >= 0x1p30) return false;
    for (int i = 0; i < loop_operands(c->k); i++) {
        const cp_array *x = c->x[i];
        double reach = 0;
        if (!x) continue;
        for (int d = 0; d < cp_ndim(x); d++) reach += (double)magnitude(cp_strides(x)[d]) * (double)cp_dims(x)[d];
        if (reach >= 0x1p31) return false;
    }
    return true;
}

/* --- variants --- */
enum { NARROW = 1, SPLIT = 2, COLUMN = 4, WIDE = 8 };
/* A variant's key: flags, axes of the result, axes that are reduced, and of each operand how it lies and, where it is
 * raw, how many axes it has. */
enum { KEY_FLAGS, KEY_KEPT, KEY_REDUCED, KEY_OPERANDS };

static PyObject *type_names(const loop_kernel *k, const signature *s)
{
    PyObject *types = PyTuple_New(loop_operands(k));
    for (int i = 0; types && i < loop_operands(k); i++) {
        PyObject *name = PyUnicode_FromString(cp_type_name(s->types[i]));
        if (!name) Py_CLEAR(types);
        else PyTuple_SET_ITEM(types, i, name);
    }
    return types;
}

static variant *known_variant(const signature *s, const unsigned char *key, int length)
{
    variant *v = s->variants;
    while (v && (v->length != length || memcmp(v->key, key, (size_t)length) != 0)) v = v->next;
    return v;
}

/* What _build returns goes to the variant, which may have been announced. */
static variant *enter_variant(signature *s, const unsigned char *key, int length, PyObject *first, PyObject *second)
{
    variant *v = known_variant(s, key, length);
    if (!v) {
        if (!(v = PyMem_Calloc(1, sizeof *v + (size_t)length))) return PyErr_NoMemory(), NULL;
        v->length = length;
        memcpy(v->key, key, (size_t)length);
        v->next = s->variants;
        s->variants = v;
    }
    if (v->first || !first) return v; /* another thread was quicker */
    v->second = Py_XNewRef(second);
    v->first = Py_NewRef(first);
    return v;
}

static variant *make_variant(loop_kernel *k, signature *s, const unsigned char *key, int length)
{
    PyObject *types = type_names(k, s);
    PyObject *r = types ? PyObject_CallMethod((PyObject *)k, "_build", "Oiy#", types, s->device, (char *)key,
                                              (Py_ssize_t)length) : NULL;
    Py_XDECREF(types);
    PyObject *first = r, *second = NULL;
    bool done = r && ((PyTuple_Check(r) && PyArg_ParseTuple(r, "OO", &first, &second)) || cpy_is_kernel(r));
    if (done && second == Py_None) second = NULL;
    done = done && cpy_is_kernel(first) && (!second || cpy_is_kernel(second));
    variant *v = done ? enter_variant(s, key, length, first, second) : NULL;
    if (r && !v && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "_build must return kernels");
    Py_XDECREF(r);
    return v;
}

/* --- until a variant is compiled --- */
/* The program of the engine for these types, or None. */
static bool ask_engine(loop_kernel *k, signature *s)
{
    PyObject *types = type_names(k, s), *engine = NULL;
    PyObject *r = types ? PyObject_CallMethod((PyObject *)k, "_engine", "Oi", types, s->device) : NULL;
    int no_alias = 1;
    bool done = r && (r == Py_None || PyArg_ParseTuple(r, "Op", &engine, &no_alias));
    Py_XDECREF(types);
    if (done && !s->engine) {
        s->no_alias = no_alias;
        s->engine = Py_NewRef(engine ? engine : Py_None);
    }
    Py_XDECREF(r);
    return done;
}

/* NULL, where the engine did the call, or with an exception. */
static variant *first_variant(loop_call *c, const unsigned char *key, int length, variant *announced)
{
    signature *s = (signature *)c->s;
    if (c->k->direct && !s->engine && !ask_engine(c->k, s)) return NULL;
    if (!s->engine || s->engine == Py_None || !loop_first(c)) return make_variant(c->k, s, key, length);
    c->served = true;
    if (announced && announced->asker == (int)getpid()) return NULL;
    if (!announced && !(announced = enter_variant(s, key, length, NULL, NULL))) return c->served = false, NULL;
    announced->asker = (int)getpid();
    PyObject *r = PyObject_CallMethod((PyObject *)c->k, "_later", "iy#y#", s->device, (char *)s->key,
                                      (Py_ssize_t)loop_operands(c->k), (char *)key, (Py_ssize_t)length);
    c->served = r != NULL;
    Py_XDECREF(r);
    return NULL;
}

PyObject *loop_make(PyObject *o, PyObject *args)
{
    loop_kernel *k = (loop_kernel *)o;
    const char *of, *key;
    Py_ssize_t n, length;
    int device;
    if (!PyArg_ParseTuple(args, "iy#y#:_make", &device, &of, &n, &key, &length)) return NULL;
    signature *s = k->signatures;
    while (s && (s->device != device || n != loop_operands(k) || memcmp(s->key, of, (size_t)n) != 0)) s = s->next;
    if (!s) return PyErr_Format(PyExc_ValueError, "_make: there was no call with such types");
    const int before = cp_device_current();
    if (before != device && cp_device_use(device) != CP_OK) return cpy_raise();
    bool done = make_variant(k, s, (const unsigned char *)key, (int)length) != NULL;
    if (before != device) cp_device_use(before);
    return done ? Py_NewRef(Py_None) : NULL;
}

static variant *find_variant(loop_call *c, int flags)
{
    unsigned char key[KEY_OPERANDS + 2 * MOST_OPERANDS];
    const int n = loop_operands(c->k);
    int length = KEY_OPERANDS;
    key[KEY_FLAGS] = (unsigned char)flags;
    key[KEY_KEPT] = (unsigned char)c->nkept;
    key[KEY_REDUCED] = (unsigned char)(c->ndim - c->nkept);
    for (int i = 0; i < n; i++) {
        key[length++] = (unsigned char)lie(c, i);
        key[length++] = c->x[i] && c->k->raw[i] ? (unsigned char)cp_ndim(c->x[i]) : 0;
    }
    variant *v = known_variant(c->s, key, length);
    if (v && v->first) return v;
    if (c->k->may_wait && !c->prepare) return c->declined = true, NULL;
    if (c->prepare) return make_variant(c->k, (signature *)c->s, key, length);
    return first_variant(c, key, length, v);
}

/* --- geometry --- */
/* Its first numbers, by the names that they have in kernels; the shape is behind them. */
#define ELEMENTWISE_NUMBERS(X) X(n, c->kept) X(piece, per)
#define REDUCTION_NUMBERS(X) \
    X(kept, c->kept) X(all, c->reduced) X(groups, t->groups) X(chunks, t->chunks) X(length, t->length) X(per, t->per) \
    X(side, t->side)
#define NUMBER_OF(name, value) value,
#define NAME_OF(name, value) #name,

static void put_numbers(geometry *g, const loop_call *c, int count, const int64_t *numbers)
{
    for (int i = 0; i < count; i++) append_number(g, numbers[i]);
    for (int d = 0; d < c->ndim; d++) append_number(g, c->shape[d]);
}

/* Strides of the operands that move, then size, shape and strides of those that are raw. */
static bool put_operands(const loop_call *c, geometry *g)
{
    for (int i = 0; i < loop_operands(c->k); i++) {
        int axes = c->k->reduction && i >= c->k->nin ? c->nkept : c->ndim;
        if (!loop_steps(c, i) || lie(c, i) == DENSE) continue;
        if (g->n + axes > MOST_NUMBERS - 3 * CP_MAXDIM) return false;
        for (int d = 0; d < axes; d++) append_number(g, c->stride[i][d]);
    }
    for (int i = 0; i < loop_operands(c->k); i++) {
        const cp_array *x = c->x[i];
        if (!x || !c->k->raw[i]) continue;
        if (g->n > MOST_NUMBERS - 3 * CP_MAXDIM) return false;
        append_number(g, cp_size(x));
        for (int d = 0; d < cp_ndim(x); d++) append_number(g, cp_dims(x)[d]);
        for (int d = 0; d < cp_ndim(x); d++) append_number(g, cp_strides(x)[d]);
    }
    return true;
}

static bool too_much(void)
{
    PyErr_SetString(PyExc_ValueError, "a kernel over so many operands of so many axes is too large");
    return false;
}

static bool fill_arguments(loop_call *c, cp_array *part, const geometry *g, cp_argument *a)
{
    static void *const none = NULL;
    const int n = loop_operands(c->k);
    for (int i = 0; i < n; i++)
        a[i] = c->x[i] ? (cp_argument){.array = c->x[i]}
                       : (cp_argument){.value = &c->value[i], .bytes = (int64_t)cp_type_size(c->s->types[i])};
    int more = n;
    if (c->k->reduction)
        a[more++] = part ? (cp_argument){.array = part} : (cp_argument){.value = &none, .bytes = sizeof none};
    a[more] = (cp_argument){.value = g->v, .bytes = (int64_t)sizeof *g->v * g->n};
    return true;
}

static bool launch_kernel(PyObject *kernel, cp_dim3 grid, cp_dim3 block, int n, const cp_argument *a)
{
    cp_code code;
    cp_launch_options options = {0};
    Py_INCREF(kernel);
    CPY_UNLOCKED(code = cp_kernel_launch(((cpy_kernel *)kernel)->kernel, grid, block, n, a, &options));
    Py_DECREF(kernel);
    return code == CP_OK || (cpy_raise(), false);
}

static bool run_elementwise(loop_call *c)
{
    geometry g;
    cp_argument a[MOST_OPERANDS + 2];
    g.n = 0;
    c->wide = neighbours(c);
    variant *v = find_variant(c, (is_narrow(c) ? NARROW : 0) | (c->wide > 1 ? WIDE : 0));
    if (!v || c->prepare) return v != NULL || c->served;
    int64_t per = most(CPU_LEAST, least(CPU_CHUNK, parts(c->kept, CPU_TASKS)));
    per = (per + 63) / 64 * 64;
    const int64_t numbers[] = {ELEMENTWISE_NUMBERS(NUMBER_OF)};
    put_numbers(&g, c, sizeof numbers / sizeof *numbers, numbers);
    if (!put_operands(c, &g)) return too_much();
    fill_arguments(c, NULL, &g, a);
    int64_t threads = !c->s->gpu ? 1 : c->threads ? c->threads : 128;
    int64_t blocks = parts(c->kept, c->s->gpu ? threads * c->wide : per);
    if (c->s->gpu && c->wide == 1) blocks = least(blocks, MOST_BLOCKS);
    return launch_kernel(v->first, (cp_dim3){(uint32_t)blocks, 1, 1}, (cp_dim3){(uint32_t)threads, 1, 1},
                  loop_operands(c->k) + 1, a);
}

static cut cut_for_cpu(const loop_call *c)
{
    int64_t inner = c->shape[c->nkept - 1];
    cut t = {.groups = c->column ? c->kept / inner * parts(inner, CPU_COLUMNS) : c->kept, .chunks = 1};
    int64_t work = c->reduced * (c->column ? CPU_COLUMNS : 1);
    if (c->s->part && work >= 2 * CPU_CHUNK && t.groups < CPU_TASKS)
        t.chunks = least(parts(CPU_TASKS, t.groups), work / CPU_CHUNK);
    t.length = most(1, (parts(c->reduced, t.chunks) + 31) / 32 * 32);
    t.chunks = most(1, parts(c->reduced, t.length));
    t.per = least(t.groups * t.chunks, most(1, CPU_CHUNK / most(1, work / t.chunks)));
    t.side = CPU_COLUMNS;
    return t;
}

/* Elements side by side that a thread of a reduction takes in turn; by types and sizes, so that the order of joins is
 * the same wherever they lie. */
static int64_t side_by_side(const loop_call *c)
{
    int64_t widest = 0;
    if (!c->s->gpu || !c->k->wide || c->column) return 1;
    for (int i = 0; i < c->k->nin; i++)
        if (loop_steps(c, i)) widest = most(widest, (int64_t)cp_type_size(c->s->types[i]));
    int64_t n = widest ? VECTOR / widest : 1;
    return n > 1 && c->reduced >= 2 * GPU_THREADS * n ? n : 1;
}

/* Whether those may be read at once: every row begins where a vector may, also where rows follow one another. */
static bool are_vectors(const loop_call *c, int64_t n)
{
    if (n == 1 || c->ndim - c->nkept != 1) return false;
    for (int i = 0; i < c->k->nin; i++) {
        if (!loop_steps(c, i)) continue;
        int64_t size = (int64_t)cp_type_size(c->s->types[i]), step = c->stride[i][c->ndim - 1];
        if (!step) continue;
        if (step != size || (uintptr_t)cp_data(c->x[i]) % (uintptr_t)(n * size)) return false;
        for (int d = 0; d < c->nkept; d++)
            if (c->shape[d] != 1 && c->stride[i][d] % (n * size)) return false;
    }
    return true;
}

static cut cut_for_gpu(const loop_call *c, int64_t together)
{
    int64_t lanes = power_from(most(c->reduced, 1), GPU_THREADS);
    if (c->column) lanes = least(lanes, GPU_THREADS / power_from(c->shape[c->nkept - 1], 32));
    int64_t blocks = c->kept * c->reduced / (GPU_THREADS * GPU_WORK);
    blocks = c->column ? GPU_BLOCKS : most(GPU_BLOCKS, least(blocks, MOST_GPU_BLOCKS));
    cut t = {.chunks = 1, .side = GPU_THREADS / lanes};
    t.groups = parts(c->kept, t.side);
    if (c->s->part && t.groups < GPU_BLOCKS / 2 && c->reduced >= lanes * 32)
        t.chunks = least(parts(blocks, t.groups), c->reduced / (lanes * 16));
    t.length = most(1, parts(parts(c->reduced, t.chunks), together) * together);
    t.chunks = most(1, parts(c->reduced, t.length));
    t.per = 1;
    return t;
}

static bool launch_reduction(loop_call *c, const cut *t, cp_array *part, int flags)
{
    geometry g;
    cp_argument a[MOST_OPERANDS + 2];
    g.n = 0;
    variant *v = find_variant(c, (is_narrow(c) ? NARROW : 0) | (part ? SPLIT : 0) | flags);
    if (!v) return false;
    const int64_t numbers[] = {REDUCTION_NUMBERS(NUMBER_OF)};
    put_numbers(&g, c, sizeof numbers / sizeof *numbers, numbers);
    if (!put_operands(c, &g)) return too_much();
    fill_arguments(c, part, &g, a);
    const int n = loop_operands(c->k) + 2;
    int64_t blocks = c->s->gpu ? t->groups : parts(t->groups * t->chunks, t->per);
    cp_dim3 grid = {(uint32_t)blocks, c->s->gpu ? (uint32_t)t->chunks : 1, 1};
    cp_dim3 block = {c->s->gpu ? GPU_THREADS : 1, 1, 1};
    if (!launch_kernel(v->first, grid, block, n, a)) return false;
    return !part || launch_kernel(v->second, (cp_dim3){(uint32_t)c->kept, 1, 1}, block, n, a);
}

static bool run_reduction(loop_call *c)
{
    c->column = by_columns(c);
    const int64_t together = side_by_side(c);
    const int flags = (c->column ? COLUMN : 0) | (together > 1 ? WIDE : 0);
    if (are_vectors(c, together)) c->wide = (int)together;
    cut t = c->s->gpu ? cut_for_gpu(c, together) : cut_for_cpu(c);
    if (t.chunks == 1) return launch_reduction(c, &t, NULL, flags);
    int64_t bytes = c->kept * t.chunks * c->s->part;
    cp_array *part = CPY_MADE(cp_empty(CP_SHAPE(bytes), CP_UINT8));
    if (!part) return cpy_raise(), false;
    bool done = launch_reduction(c, &t, part, flags);
    cpy_free(part);
    return done;
}

bool loop_run(loop_call *c) { return c->k->reduction ? run_reduction(c) : run_elementwise(c); }

/* --- what the source of kernels must know of this --- */
static const struct { const char *name; int value; } CONSTANTS[] = {
    {"NARROW", NARROW}, {"SPLIT", SPLIT}, {"COLUMN", COLUMN}, {"WIDE", WIDE},
    {"KEY_FLAGS", KEY_FLAGS}, {"KEY_KEPT", KEY_KEPT}, {"KEY_REDUCED", KEY_REDUCED}, {"KEY_OPERANDS", KEY_OPERANDS},
    {"NUMBER", IS_NUMBER}, {"RAW_DENSE", RAW_DENSE}, {"RAW_STRIDED", RAW_STRIDED}, {"DENSE", DENSE}, {"UNIT", UNIT},
    {"REPEATED", REPEATED}, {"STRIDED", STRIDED}, {"COLUMNS", CPU_COLUMNS}, {"THREADS", GPU_THREADS},
};

static bool add_names(PyObject *dict, const char *key, int n, const char *const *names)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *name = PyUnicode_FromString(names[i]);
        if (!name) Py_CLEAR(tuple);
        else PyTuple_SET_ITEM(tuple, i, name);
    }
    const bool done = tuple && PyDict_SetItemString(dict, key, tuple) == 0;
    Py_XDECREF(tuple);
    return done;
}

/*: function("_loop_constants", "", body=True, returns="object",
             doc="Numbers, letters and names that loops and the source of their kernels share, by name.") */
PyObject *py__loop_constants(const py__loop_constants_args *v)
{
    static const char *const elementwise[] = {ELEMENTWISE_NUMBERS(NAME_OF)};
    static const char *const reduction[] = {REDUCTION_NUMBERS(NAME_OF)};
    (void)v;
    PyObject *dict = PyDict_New();
    bool done = dict && add_names(dict, "ELEMENTWISE", sizeof elementwise / sizeof *elementwise, elementwise) &&
                add_names(dict, "REDUCTION", sizeof reduction / sizeof *reduction, reduction);
    for (size_t i = 0; i < sizeof CONSTANTS / sizeof *CONSTANTS && done; i++) {
        PyObject *value = PyLong_FromLong(CONSTANTS[i].value);
        done = value && PyDict_SetItemString(dict, CONSTANTS[i].name, value) == 0;
        Py_XDECREF(value);
    }
    if (!done) Py_CLEAR(dict);
    return dict;
}
