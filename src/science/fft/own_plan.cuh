/* Which transforms the GPU's own kernels serve, and by which launches (own.cuh is what a launch does).
 *
 * A line of n elements, n of factors 2, 3, 5, 7 and 11, is transformed by one block in shared memory: each axis is one
 * launch. A longer one is a matrix of n1 rows of n2: one launch for its columns, with the factors that stand between,
 * and one for its rows (four steps). The axis of real numbers is halved on the way: of even lengths as half as many
 * complex numbers, of a matrix as the first n1 / 2 + 1 rows. Sides have any strides; nothing is copied beforehand.
 *
 * Invariant: the choice depends on the request alone, and a served one needs no library. This header needs no CUDA
 * header, so that tests compile it for the CPU; cpi_fft_call is fft.h's. */
#ifndef CPI_FFT_OWN_PLAN_CUH
#define CPI_FFT_OWN_PLAN_CUH

#include "loop/divisor.h"

#define CPI_FFT_OWN_CALL static __host__ __device__ inline

enum {
    CPI_FFT_OWN_MOST = 1 << 23,     /* elements of a request; more are cuFFT's */
    CPI_FFT_OWN_AXIS = 1 << 21,     /* along an axis: longer ones take cuFFT less than half as long */
    CPI_FFT_OWN_SMALL = 1 << 13,    /* of one that takes no longer than a launch in any case */
    CPI_FFT_OWN_DIMS = 8,           /* of a side's lines, merged */
    CPI_FFT_OWN_RADICES = 8,
    CPI_FFT_OWN_LAUNCHES = 24,      /* 2^23 elements have at most 23 axes; one of two launches counts for ten of them */
    CPI_FFT_OWN_SHARED = 48 << 10,  /* bytes of a block, that no device refuses */
    CPI_FFT_OWN_BASES = 24,         /* bytes that say where a line is, in shared memory */
    CPI_FFT_OWN_THREADS = 512,      /* of a block, at most */
    CPI_FFT_OWN_BLOCK = 1024        /* elements of a block, if lines are short and adjacent */
};
/* What a line's elements come from, and what they become. */
enum cpi_fft_load {
    CPI_FFT_LOAD_COMPLEX, CPI_FFT_LOAD_REAL, CPI_FFT_LOAD_PAIRS, /* pairs: two real numbers are a complex one */
    CPI_FFT_LOAD_HERMITE,           /* of the first half of a line, or of the matrix that the line is a column of */
    CPI_FFT_LOAD_HALF               /* the same, made to pairs */
};
enum cpi_fft_store {
    CPI_FFT_STORE_COMPLEX, CPI_FFT_STORE_REAL, CPI_FFT_STORE_PAIRS,
    CPI_FFT_STORE_HALF,             /* of pairs */
    CPI_FFT_STORE_HERMITE           /* the first half of a matrix that the line is a row of, once */
};
enum cpi_fft_where { CPI_FFT_IN, CPI_FFT_OUT, CPI_FFT_SCRATCH };

/* Where lines are: dimensions of the line's number, the innermost first; bytes. */
struct cpi_fft_side {
    cpi_fft_where where;
    int ndim;
    bool lines_first;               /* neighbouring lines are nearer than neighbouring elements */
    bool direct;                    /* the first pass reads it, or the last one writes it, if its memory is aligned */
    int64_t next;                   /* of a direct side: from a complex element to the next */
    cpi_divisor shape[CPI_FFT_OWN_DIMS];
    int64_t step[CPI_FFT_OWN_DIMS], along;
    cpi_divisor count;              /* elements that are read or written of a line */
};

/* The roots of unity of an order: pi / (2 n), rounded, and what is left, in both precisions. */
struct cpi_fft_circle {
    uint32_t n;
    float quarters, step, left;     /* quarters: 4 / n */
    double wide_step, wide_left;
};

/* A launch. */
struct cpi_fft_pass {
    cpi_fft_side in, out;
    cpi_fft_load load;
    cpi_fft_store store;
    bool inverse, conjugate_in, conjugate_out; /* of halves */
    double scale;
    uint32_t n, lines, pitch;       /* complex elements of a line; lines in all; elements from one to the next */
    cpi_divisor together;           /* lines of a block */
    int radices;
    struct {
        int radix;
        cpi_divisor before, each;   /* the product of the radices before; butterflies of a line */
        uint32_t row, step, to_row; /* of shared memory: `before` elements and a gap; from one of a butterfly on */
        cpi_fft_circle circle;      /* of radix * before */
    } at[CPI_FFT_OWN_RADICES];
    cpi_fft_circle half, turn;      /* of 2 n, if load or store are halves; of `whole`, if it is turned */
    uint32_t whole, apart;          /* a line of a matrix: its elements, and from one of the line's to the next */
    bool turned;                    /* stored times exp(-2 pi i (line's position) (element) / whole) */
    cpi_divisor inner, positions;   /* the position of a line in the matrix: (line / inner) mod positions */
    unsigned blocks, threads, bytes;
};
struct cpi_fft_launches {
    int count;
    int64_t scratch;                /* bytes */
    cpi_fft_pass pass[CPI_FFT_OWN_LAUNCHES];
};

/* --- one launch --- */

/* Dimensions of the lines, the outermost first. */
struct cpi_fft_lines {
    int ndim;
    int64_t n[CP_MAXDIM + 1], in[CP_MAXDIM + 1], out[CP_MAXDIM + 1];
};
CPI_FFT_OWN_CALL void cpi_fft_add(cpi_fft_lines *l, int64_t n, int64_t in, int64_t out)
{
    if (n == 1) return;
    l->n[l->ndim] = n, l->in[l->ndim] = in, l->out[l->ndim++] = out;
}

CPI_FFT_OWN_CALL bool cpi_fft_side_of(cpi_fft_side *s, const cpi_fft_lines *l, const int64_t *step, cpi_fft_where where,
                                      int64_t along, int64_t count)
{
    int64_t length[CPI_FFT_OWN_DIMS];
    s->where = where, s->along = along, s->ndim = 0, s->direct = false;
    for (int d = l->ndim - 1; d >= 0; d--) {
        const int last = s->ndim - 1;
        if (last >= 0 && step[d] == s->step[last] * length[last]) {
            length[last] *= l->n[d];
            continue;
        }
        if (s->ndim == CPI_FFT_OWN_DIMS) return false;
        length[s->ndim] = l->n[d], s->step[s->ndim++] = step[d];
    }
    for (int d = 0; d < s->ndim; d++) s->shape[d] = cpi_divisor_of(length[d]);
    s->count = cpi_divisor_of(count);
    const int64_t near = s->ndim ? s->step[0] : 0;
    s->lines_first = s->ndim && (near < 0 ? -near : near) < (along < 0 ? -along : along);
    return true;
}

/* Radices of n, the largest first: as few as can be, of these the smallest as large as can be, because it says how many
 * threads there are, and then with the least sum. The result is how many, or -1: n has prime factors above 11. */
CPI_FFT_OWN_CALL int cpi_fft_radices(int64_t n, int *radix)
{
    const int all[] = {16, 15, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2};
    int best = CPI_FFT_OWN_RADICES + 1, best_sum = 0, now[CPI_FFT_OWN_RADICES + 1], count = 0, sum = 0;
    int i = 0, least = 0;
    if (n < 1 || n > 8192) return -1;
    for (int rest = (int)n;;) {
        const int last = count ? all[now[count - 1]] : 1;
        if (rest == 1 && (count < best || last > least || (last == least && sum < best_sum))) {
            best = count, best_sum = sum, least = last;
            for (int k = 0; k < count; k++) radix[k] = all[now[k]];
        }
        while (i < 13 && rest % all[i]) i++;
        if (i < 13 && rest > 1 && (count + 1 < best || rest <= all[i])) { /* the last one would be all that is left */
            now[count++] = i, sum += all[i], rest /= all[i]; /* one more radix, none larger than the last */
            continue;
        }
        if (!count) break;
        i = now[--count], sum -= all[i], rest *= all[i++];
    }
    return best > CPI_FFT_OWN_RADICES ? -1 : best;
}

/* Elements of a row of shared memory that holds `before` of a line: an odd number, so that neighbours in other rows are
 * in other banks. */
CPI_FFT_OWN_CALL uint32_t cpi_fft_row(int64_t before) { return (uint32_t)(before > 1 ? before | 1 : before); }

/* Elements from a line to the next: rows of any pass have room. */
CPI_FFT_OWN_CALL uint32_t cpi_fft_pitch(int64_t n, int radices, const int *radix)
{
    int64_t most = n, before = 1;
    for (int i = 0; i + 1 < radices; i++) {
        before *= radix[i];
        const int64_t all = n / before * cpi_fft_row(before);
        if (all > most) most = all;
    }
    return (uint32_t)(most | 1);
}

CPI_FFT_OWN_CALL cpi_fft_circle cpi_fft_circle_of(int64_t n)
{
    const double pi = 3.14159265358979311600, rest = 1.22464679914735317723e-16; /* their sum is pi */
    cpi_fft_circle c;
    c.n = (uint32_t)n, c.quarters = 4.0f / (float)n;
    c.wide_step = pi / (2.0 * n);
    c.wide_left = (fma(-c.wide_step, 2.0 * n, pi) + rest) / (2.0 * n);
    c.step = (float)c.wide_step, c.left = (float)(c.wide_step - c.step + c.wide_left);
    return c;
}

/* Most lines of n complex elements that a block can have; 0: none. */
CPI_FFT_OWN_CALL int64_t cpi_fft_capacity(bool single, int64_t n)
{
    int radix[CPI_FFT_OWN_RADICES];
    const int radices = cpi_fft_radices(n, radix), item = single ? 8 : 16;
    if (radices < 0) return 0;
    const int64_t threads = CPI_FFT_OWN_THREADS * (radices ? radix[radices - 1] : 1) / n;
    const int64_t memory = CPI_FFT_OWN_SHARED / ((int64_t)cpi_fft_pitch(n, radices, radix) * item + CPI_FFT_OWN_BASES);
    return memory < threads ? memory : threads;
}

/* A direct side: complex numbers, or pairs that are such, all aligned to their size if the first one is; neighbouring
 * threads have neighbours in memory, 32 bytes of them at least. adjacent: elements of the line, that are theirs. */
CPI_FFT_OWN_CALL void cpi_fft_direct(cpi_fft_side *s, bool complex, bool pairs, int64_t adjacent, bool single)
{
    const int64_t item = single ? 8 : 16;
    s->next = pairs ? 2 * s->along : s->along;
    s->direct = (complex || (pairs && 2 * s->along == item)) && s->next % item == 0 &&
                (s->lines_first || adjacent * item >= 32);
    for (int d = 0; d < s->ndim; d++) s->direct = s->direct && s->step[d] % item == 0;
}

/* What follows from the lines, their sides and n. */
CPI_FFT_OWN_CALL bool cpi_fft_arrange(cpi_fft_pass *p, bool single, const cpi_fft_lines *l)
{
    const bool half = p->load == CPI_FFT_LOAD_HALF || p->store == CPI_FFT_STORE_HALF;
    const int64_t n = p->n, item = single ? 8 : 16, capacity = cpi_fft_capacity(single, n);
    int radix[CPI_FFT_OWN_RADICES];
    int64_t lines = 1, most = CPI_FFT_OWN_BLOCK / n, before = 1;
    if (capacity < 1) return false;
    for (int d = 0; d < l->ndim; d++) lines *= l->n[d];
    if (most < 1) most = 1;
    if ((p->in.lines_first || p->out.lines_first) && most < 128 / item) most = 128 / item;
    if (most > capacity) most = capacity;
    if (most > 32 / item) most -= most % (32 / item); /* whole sectors of memory */
    if (most > lines) most = lines;
    p->lines = (uint32_t)lines, p->together = cpi_divisor_of(most), p->radices = cpi_fft_radices(n, radix);
    p->pitch = cpi_fft_pitch(n, p->radices, radix);
    for (int i = 0; i < p->radices; before *= radix[i++]) {
        p->at[i].radix = radix[i];
        p->at[i].before = cpi_divisor_of(before), p->at[i].each = cpi_divisor_of(n / radix[i]);
        p->at[i].circle = cpi_fft_circle_of(before * radix[i]);
        p->at[i].row = cpi_fft_row(before), p->at[i].to_row = cpi_fft_row(before * radix[i]);
        p->at[i].step = (uint32_t)(n / radix[i] / before) * p->at[i].row;
    }
    if (half) p->half = cpi_fft_circle_of(2 * n);
    if (p->turned) p->turn = cpi_fft_circle_of(p->whole);
    p->in.direct = p->out.direct = false;
    if (p->radices) {
        const bool all = p->store == CPI_FFT_STORE_COMPLEX && p->out.count.by == n;
        const int64_t ahead = p->at[0].each.by, behind = before / radix[p->radices - 1];
        cpi_fft_direct(&p->in, p->load == CPI_FFT_LOAD_COMPLEX, p->load == CPI_FFT_LOAD_PAIRS, ahead, single);
        cpi_fft_direct(&p->out, all, p->store == CPI_FFT_STORE_PAIRS, behind, single);
        if (p->radices == 1 && p->in.lines_first != p->out.lines_first) p->out.direct = false; /* one map of threads */
        if (p->conjugate_out) p->out.direct = false;
    }
    p->blocks = (unsigned)((lines + most - 1) / most);
    p->threads = (unsigned)((most * n / (p->radices ? radix[p->radices - 1] : 1) + 31) / 32 * 32);
    p->bytes = (unsigned)(most * (p->pitch * item + CPI_FFT_OWN_BASES));
    return true;
}

/* --- one axis --- */

/* The array: dimensions in the order of the result's memory. `taken`: the axis of the call that it is, or -1. */
struct cpi_fft_array {
    int ndim;
    int64_t n[CP_MAXDIM], in[CP_MAXDIM], out[CP_MAXDIM];
    int taken[CP_MAXDIM];
};
struct cpi_fft_stage {
    const cpi_fft_call *c;
    const cpi_fft_array *a;
    cpi_fft_kind kind;
    int d;                          /* the dimension */
    bool first;                     /* its source is the input, else the result */
};

CPI_FFT_OWN_CALL cpi_fft_pass *cpi_fft_new_pass(cpi_fft_launches *to, const cpi_fft_stage *x, int64_t n)
{
    if (to->count == CPI_FFT_OWN_LAUNCHES) return nullptr;
    cpi_fft_pass *p = &to->pass[to->count++];
    p->load = CPI_FFT_LOAD_COMPLEX, p->store = CPI_FFT_STORE_COMPLEX;
    p->inverse = x->kind != CPI_FFT_R2C && (x->kind == CPI_FFT_C2R || x->c->sign > 0);
    p->conjugate_in = x->kind == CPI_FFT_C2R && x->c->sign < 0; /* the first of two launches */
    p->conjugate_out = x->kind == CPI_FFT_R2C && x->c->sign > 0; /* the second */
    p->scale = 1, p->n = (uint32_t)n;
    p->whole = 0, p->apart = 1, p->turned = false;
    p->inner = p->positions = cpi_divisor_of(1);
    return p;
}

/* The lines of the axis; of a matrix there are `positions` of them side by side, with these steps. */
CPI_FFT_OWN_CALL int64_t cpi_fft_lines_of(const cpi_fft_stage *x, cpi_fft_lines *l, int64_t positions, int64_t in,
                                          int64_t out)
{
    int64_t inner = 1;
    l->ndim = 0;
    for (int d = 0; d < x->a->ndim; d++) {
        if (d == x->d) {
            cpi_fft_add(l, positions, in, out);
            continue;
        }
        cpi_fft_add(l, x->a->n[d], x->first ? x->a->in[d] : x->a->out[d], x->a->out[d]);
        if (d > x->d) inner *= x->a->n[d];
    }
    return inner;
}

/* One launch: n elements in a block. */
CPI_FFT_OWN_CALL bool cpi_fft_one_launch(cpi_fft_launches *to, const cpi_fft_stage *x, int64_t n)
{
    const bool paired = x->kind != CPI_FFT_C2C && n % 2 == 0;
    const int64_t inside = paired ? n / 2 : n, in_step = x->first ? x->a->in[x->d] : x->a->out[x->d];
    const bool back = x->kind == CPI_FFT_C2R, forth = x->kind == CPI_FFT_R2C;
    cpi_fft_pass *p = cpi_fft_new_pass(to, x, inside);
    cpi_fft_lines l;
    if (!p) return false;
    if (forth) p->load = paired ? CPI_FFT_LOAD_PAIRS : CPI_FFT_LOAD_REAL;
    if (forth && paired) p->store = CPI_FFT_STORE_HALF;
    if (back) p->load = paired ? CPI_FFT_LOAD_HALF : CPI_FFT_LOAD_HERMITE, p->whole = (uint32_t)n;
    if (back) p->store = paired ? CPI_FFT_STORE_PAIRS : CPI_FFT_STORE_REAL;
    cpi_fft_lines_of(x, &l, 1, 0, 0);
    return cpi_fft_side_of(&p->in, &l, l.in, x->first ? CPI_FFT_IN : CPI_FFT_OUT, in_step, inside) &&
           cpi_fft_side_of(&p->out, &l, l.out, CPI_FFT_OUT, x->a->out[x->d], forth ? n / 2 + 1 : inside) &&
           cpi_fft_arrange(p, x->c->single, &l);
}

/* Steps of scratch memory, in which the axis is `rows` of n2 elements and all else as in the result. */
CPI_FFT_OWN_CALL int64_t cpi_fft_scratch_steps(const cpi_fft_stage *x, cpi_fft_lines *l, int64_t *step, int64_t rows,
                                               int64_t n2, int64_t positions, int64_t position_step)
{
    int64_t bytes = x->c->single ? 8 : 16;
    int i = l->ndim;
    for (int d = x->a->ndim - 1; d >= 0; d--) {
        const int64_t n = d == x->d ? positions : x->a->n[d];
        if (n > 1) step[--i] = d == x->d ? bytes * position_step : bytes;
        bytes *= d == x->d ? rows * n2 : n;
    }
    return bytes;
}

/* Two launches. Forward: columns of the matrix [n1][n2] to scratch memory, rows to where the transposed matrix has
 * them. Back to real numbers: first the columns of [n2][n1], of which only n1 / 2 + 1 are needed, as rows to scratch
 * memory; then its columns. */
CPI_FFT_OWN_CALL bool cpi_fft_two_launches(cpi_fft_launches *to, const cpi_fft_stage *x, int64_t n1, int64_t n2)
{
    const bool back = x->kind == CPI_FFT_C2R, forth = x->kind == CPI_FFT_R2C, single = x->c->single;
    const bool paired = x->kind != CPI_FFT_C2C && n1 % 2 == 0;
    const int64_t rows = x->kind == CPI_FFT_C2C ? n1 : n1 / 2 + 1, inside = paired ? n1 / 2 : n1;
    const int64_t in_step = x->first ? x->a->in[x->d] : x->a->out[x->d], out_step = x->a->out[x->d];
    const cpi_fft_where from = x->first ? CPI_FFT_IN : CPI_FFT_OUT;
    cpi_fft_lines l;
    cpi_fft_pass *a = cpi_fft_new_pass(to, x, back ? n2 : inside), *b = cpi_fft_new_pass(to, x, back ? inside : n2);
    if (!a || !b) return false;
    a->whole = b->whole = (uint32_t)(n1 * n2);
    a->turned = true;
    /* the first: columns, or rows of the half */
    const int64_t item = single ? 8 : 16, a_count = back ? rows : n2, b_count = back ? n2 : rows;
    int64_t inner = cpi_fft_lines_of(x, &l, a_count, back ? 0 : in_step, 0);
    int64_t bytes = cpi_fft_scratch_steps(x, &l, l.out, rows, n2, a_count, back ? n2 : 1);
    if (forth) a->load = paired ? CPI_FFT_LOAD_PAIRS : CPI_FFT_LOAD_REAL;
    if (forth && paired) a->store = CPI_FFT_STORE_HALF;
    if (forth) a->conjugate_out = false;
    if (back) a->load = CPI_FFT_LOAD_HERMITE, a->apart = (uint32_t)n1;
    a->inner = cpi_divisor_of(inner), a->positions = cpi_divisor_of(a_count);
    if (!cpi_fft_side_of(&a->in, &l, l.in, from, back ? in_step : n2 * in_step, back ? n2 : inside) ||
        !cpi_fft_side_of(&a->out, &l, l.out, CPI_FFT_SCRATCH, (back ? 1 : n2) * inner * item, back ? n2 : rows) ||
        !cpi_fft_arrange(a, single, &l))
        return false;
    /* the second */
    cpi_fft_lines_of(x, &l, b_count, 0, forth ? 0 : out_step);
    cpi_fft_scratch_steps(x, &l, l.in, rows, n2, b_count, back ? 1 : n2);
    if (back) b->load = paired ? CPI_FFT_LOAD_HALF : CPI_FFT_LOAD_HERMITE, b->whole = (uint32_t)n1;
    if (back) b->store = paired ? CPI_FFT_STORE_PAIRS : CPI_FFT_STORE_REAL, b->conjugate_in = false;
    if (forth) b->store = CPI_FFT_STORE_HERMITE, b->apart = (uint32_t)n1;
    if (!back) b->inner = cpi_divisor_of(inner), b->positions = cpi_divisor_of(b_count);
    if (bytes > to->scratch) to->scratch = bytes;
    return cpi_fft_side_of(&b->in, &l, l.in, CPI_FFT_SCRATCH, (back ? n2 : 1) * inner * item, back ? inside : n2) &&
           cpi_fft_side_of(&b->out, &l, l.out, CPI_FFT_OUT, forth ? out_step : (back ? n2 : n1) * out_step,
                           back ? inside : n2) &&
           cpi_fft_arrange(b, single, &l);
}

CPI_FFT_OWN_CALL bool cpi_fft_along(cpi_fft_launches *to, const cpi_fft_stage *x, int64_t n)
{
    const bool single = x->c->single, real = x->kind != CPI_FFT_C2C;
    const bool paired = real && n % 2 == 0;
    if (cpi_fft_capacity(single, paired ? n / 2 : n)) return cpi_fft_one_launch(to, x, n);
    int n1 = 1, whole = (int)n;
    while ((n1 + 1) * (n1 + 1) <= whole) n1++;
    for (; n1 > 1; n1--) { /* the sides are as equal as they can be */
        if (whole % n1) continue;
        const bool half = real && n1 % 2 == 0;
        if (cpi_fft_capacity(single, half ? n1 / 2 : n1) && cpi_fft_capacity(single, n / n1))
            return cpi_fft_two_launches(to, x, n1, n / n1);
    }
    return false;
}

/* --- all axes --- */

CPI_FFT_OWN_CALL void cpi_fft_add_dimension(cpi_fft_array *a, int64_t n, int64_t in, int64_t out, int taken)
{
    int at = a->ndim++;
    for (; at > 0 && (a->out[at - 1] < 0 ? -a->out[at - 1] : a->out[at - 1]) < (out < 0 ? -out : out); at--) {
        a->n[at] = a->n[at - 1], a->in[at] = a->in[at - 1], a->out[at] = a->out[at - 1];
        a->taken[at] = a->taken[at - 1];
    }
    a->n[at] = n, a->in[at] = in, a->out[at] = out, a->taken[at] = taken;
}

/* The launches of a request; false: cuFFT is for it. */
CPI_FFT_OWN_CALL bool cpi_fft_own_plan(const cpi_fft_call *c, cpi_fft_launches *to)
{
    int64_t total = 1;
    for (int i = 0; i < c->rank + c->ndim; i++) {
        const int64_t n = i < c->rank ? c->n[i] : c->shape[i - c->rank];
        const int64_t most = c->ready ? CPI_FFT_OWN_MOST : CPI_FFT_OWN_SMALL;
        if (n > most || (total *= n) > most || (i < c->rank && n > CPI_FFT_OWN_AXIS)) return false;
    }
    cpi_fft_array a;
    a.ndim = 0;
    for (int i = 0; i < c->ndim; i++)
        if (c->shape[i] > 1) cpi_fft_add_dimension(&a, c->shape[i], c->in_stride[i], c->out_stride[i], -1);
    for (int i = 0; i < c->rank; i++) {
        const bool halved = c->kind == CPI_FFT_R2C && i == c->rank - 1;
        cpi_fft_add_dimension(&a, halved ? c->n[i] / 2 + 1 : c->n[i], c->in_step[i], c->out_step[i], i);
    }
    to->count = 0, to->scratch = 0;
    for (int i = c->rank - 1; i >= 0; i--) {
        cpi_fft_stage x = {c, &a, i == c->rank - 1 ? c->kind : CPI_FFT_C2C, 0, to->count == 0};
        if (x.kind == CPI_FFT_C2C && c->n[i] == 1 && (i || to->count)) continue;
        while (a.taken[x.d] != i) x.d++;
        if (!cpi_fft_along(to, &x, c->n[i])) return false;
    }
    if (to->count) to->pass[to->count - 1].scale = c->scale;
    return to->count > 0 && (c->ready || to->count == 1);
}

#endif
