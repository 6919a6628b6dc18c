/* Places and stretches of ufuncs on the CPU, which goes through places in their order. */
#include "core/error.h"
#include "elementwise/table.h"
#include "index/index.h"

cp_code cpi_index_cpu_at_once(cp_stream *stream, const cpi_indexed *p) { return cpi_elementwise_cpu.at(stream, p); }

#define ROWS(T, SIGN)                                                                                          \
    for (int64_t i = 0; i < p->n; i++) {                                                                       \
        T *x = (T *)p->x + p->row[i] * p->width;                                                               \
        const char *v = p->v + (p->order ? p->order[i] : i) * p->v_step;                                       \
        if (p->v_column)                                                                                       \
            for (int64_t k = 0; k < p->width; k++) x[k] = x[k] SIGN ((const T *)v)[k];                         \
        else                                                                                                   \
            for (int64_t k = 0; k < p->width; k++) x[k] = x[k] SIGN *(const T *)v;                             \
    }
#define ROWS_OF(T)                         \
    if (p->op == CP_OP_add) ROWS(T, +)     \
    else if (p->op == CP_OP_subtract) ROWS(T, -) \
    else ROWS(T, *)

cp_code cpi_index_cpu_at_rows(cp_stream *stream, const cpi_at_rows *p)
{
    (void)stream;
    if (p->type == CP_FLOAT32) {
        ROWS_OF(float)
    } else {
        ROWS_OF(double)
    }
    return CP_OK;
}

cp_code cpi_index_cpu_wrap(cp_stream *stream, int op, const int64_t *position, int64_t n, int64_t size,
                           int64_t *wrapped)
{
    (void)stream;
    for (int64_t i = 0; i < n; i++) {
        if (position[i] < -size || position[i] >= size)
            return cpi_fail(CP_ERROR_INDEX, "%s: index %lld is out of bounds for axis 0 with size %lld",
                            cpi_op_rows[op].name, (long long)position[i], (long long)size);
        wrapped[i] = position[i] + (position[i] < 0 ? size : 0);
    }
    return CP_OK;
}

/* Work behind this that a queue has already goes on where it fails: then there must be stretches too. */
cp_code cpi_index_cpu_segments(cp_stream *stream, int op, const int64_t *starts, int64_t m, int64_t n, int64_t *first,
                                int64_t *last)
{
    (void)stream;
    int64_t wrong = m;
    for (int64_t j = 0; j < m; j++) {
        const int64_t end = j + 1 < m ? starts[j + 1] : n;
        const bool in = starts[j] >= 0 && starts[j] < n;
        if (!in && wrong == m) wrong = j;
        first[j] = in ? starts[j] : 0, last[j] = in && end > starts[j] && end <= n ? end : first[j] + 1;
    }
    if (wrong == m) return CP_OK;
    const char *name = cpi_op_rows[op].name;
    return cpi_fail(CP_ERROR_INDEX, "%s: index %lld out-of-bounds in %s.reduceat [0, %lld)", name,
                    (long long)starts[wrong], name, (long long)n);
}
