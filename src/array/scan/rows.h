/* Scans of columns, and of rows in strict element order, for one type and operation. The file is included once for
 * each, with these macros defined (scan_cpu.c undefines them):
 *
 * T: an element as stored. A: the accumulator. NAME(f): the functions' names. LOAD, STORE: an element as A, and back.
 * JOIN(a, b): the operation. NOTHING: its identity. */

/* Scans n elements onto `carry`, which becomes the last result. */
static void NAME(row)(void *carry, const void *from, void *out, int64_t n)
{
    const T *x = from;
    T *to = out;
    A a;
    memcpy(&a, carry, sizeof a);
    for (int64_t i = 0; i < n; i++) {
        a = JOIN(a, LOAD(x[i]));
        to[i] = STORE(a);
    }
    memcpy(carry, &a, sizeof a);
}

static void NAME(begin)(void *carry)
{
    const A nothing = NOTHING;
    memcpy(carry, &nothing, sizeof nothing);
}

/* Contiguous rows of n elements. */
static void NAME(rows)(const void *from, void *out, int64_t rows, int64_t n)
{
    const T *x = from;
    T *to = out;
    for (; rows; rows--, x += n, to += n) {
        A a = NOTHING;
        for (int64_t i = 0; i < n; i++) {
            a = JOIN(a, LOAD(x[i]));
            to[i] = STORE(a);
        }
    }
}

/* Columns first .. first + count of one outer index, side by side. */
static void NAME(columns)(const job *j, int64_t outer, int64_t first, int count)
{
    A a[COLUMNS];
    const T *x = (const T *)j->s->from + outer * j->s->n * j->s->inner + first;
    T *to = (T *)j->s->to + outer * j->s->n * j->s->inner + first;
    for (int k = 0; k < count; k++) a[k] = NOTHING;
    for (int64_t i = 0; i < j->s->n; i++, x += j->s->inner, to += j->s->inner)
        for (int k = 0; k < count; k++) {
            a[k] = JOIN(a[k], LOAD(x[k]));
            to[k] = STORE(a[k]);
        }
}

static const kernels NAME(kernels) = {NAME(begin), NAME(row), NAME(rows), NAME(columns)};

#undef T
#undef A
#undef NAME
#undef LOAD
#undef STORE
#undef JOIN
#undef NOTHING
