/* Are there pivots for all columns, as far as places of elements say? Each column is matched with a row of its own, by
 * ways through columns that have one already (Duff, ACM Trans. Math. Softw. 7 (1981)). Rounding would hide from
 * elimination that there are none. */
#include "sparse/lu.h"

#include <string.h>

#include "core/memory.h"

typedef struct matching {
    int32_t *row;    /* of a row: its column, or -1 */
    int32_t *mark;   /* of a column: the last one that looked at it */
    int32_t *column, *through; /* the way: columns, and the rows that lead on */
    int64_t *cheap;  /* of a column: before this element all rows have a column */
    int64_t *next;   /* of the way: the next element */
} matching;

static bool augment(const cpi_sparse_lu_matrix *a, matching *m, int32_t k)
{
    int32_t head = 0;
    m->column[0] = k;
    while (head >= 0) {
        const int32_t j = m->column[head];
        const int64_t end = a->indptr[j + 1];
        if (m->mark[j] != k) {
            m->mark[j] = k;
            int64_t p = m->cheap[j];
            while (p < end && m->row[a->indices[p]] >= 0) p++;
            m->cheap[j] = p;
            if (p < end) {
                m->through[head] = a->indices[p];
                for (; head >= 0; head--) m->row[m->through[head]] = m->column[head];
                return true;
            }
            m->next[head] = a->indptr[j];
        }
        int64_t p = m->next[head];
        while (p < end && m->mark[m->row[a->indices[p]]] == k) p++;
        m->next[head] = p + 1;
        if (p == end) {
            head--;
            continue;
        }
        m->through[head] = a->indices[p];
        m->column[head + 1] = m->row[a->indices[p]];
        head++;
    }
    return false;
}
static bool has_diagonal(const cpi_sparse_lu_matrix *a)
{
    for (int32_t c = 0; c < a->n; c++) {
        int64_t low = a->indptr[c], high = a->indptr[c + 1];
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (a->indices[middle] < c) low = middle + 1;
            else high = middle;
        }
        if (low == a->indptr[c + 1] || a->indices[low] != c) return false;
    }
    return true;
}
int cpi_sparse_lu_matches(const cpi_sparse_lu_matrix *a)
{
    const size_t n = (size_t)a->n;
    if (has_diagonal(a)) return 1;
    matching m = {.row = cpi_malloc(4 * n * sizeof *m.row), .cheap = cpi_malloc(2 * n * sizeof *m.cheap)};
    bool all = m.row && m.cheap;
    const int failed = all ? 0 : -1;
    if (all) {
        m.mark = m.row + n, m.column = m.mark + n, m.through = m.column + n;
        m.next = m.cheap + n;
        memset(m.row, -1, 2 * n * sizeof *m.row);
        memcpy(m.cheap, a->indptr, n * sizeof *m.cheap);
    }
    for (int32_t k = 0; all && k < a->n; k++) all = augment(a, &m, k);
    cpi_free_host(m.cheap);
    cpi_free_host(m.row);
    return all ? 1 : failed;
}
