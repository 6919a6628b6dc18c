/* From a label to its region on the CPU. Invariant: memory is proportional to the size of the index, whatever the
 * labels' values. */
#include "ndimage/lookup.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

typedef struct entry { int64_t key, result; } entry;

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->result < y->result ? -1 : 1;
}

/* The entries that have a key, sorted; returns their number. */
static int64_t sorted_entries(entry *e, const cpi_measure_plan *plan)
{
    int64_t n = 0;
    bool sorted = true;
    cpi_domain domain = cpi_domain_of(plan->labels->type);
    for (int64_t i = 0; i < plan->n; i++) {
        e[n].result = i;
        if (!cpi_index_key(plan->index->type, plan->index->data, i, domain, &e[n].key)) continue;
        if (n && e[n].key < e[n - 1].key) sorted = false;
        n++;
    }
    if (!sorted) qsort(e, (size_t)n, sizeof *e, compare);
    return n;
}

static cp_code direct_table(cpi_lookup *l)
{
    if (!l->slots) return CP_OK;
    uint64_t span = (uint64_t)l->keys[l->slots - 1] - (uint64_t)l->keys[0];
    if (span > (uint64_t)l->n * 8 + 65536 || l->slots > INT32_MAX) return CP_OK;
    l->first = l->keys[0];
    l->span = span + 1;
    if (l->span == (uint64_t)l->slots) return CP_OK; /* no gaps */
    l->direct = cpi_malloc(l->span * sizeof *l->direct);
    if (!l->direct) return CP_ERROR_MEMORY;
    memset(l->direct, 0xff, l->span * sizeof *l->direct);
    for (int64_t s = 0; s < l->slots; s++) l->direct[(uint64_t)l->keys[s] - (uint64_t)l->keys[0]] = (int32_t)s;
    return CP_OK;
}

cp_code cpi_lookup_make(cpi_lookup *l, const cpi_measure_plan *plan)
{
    *l = (cpi_lookup){.kind = plan->kind, .type = plan->labels ? plan->labels->type : CP_INT64, .n = plan->n,
                      .slots = plan->n, .key = plan->key};
    if (plan->kind == CPI_REGIONS_COUNT && !cpi_is_float(l->type)) {
        l->first = cpi_small_key(1, cpi_domain_of(l->type));
        l->span = (uint64_t)plan->n;
    }
    if (plan->kind != CPI_REGIONS_INDEX) return CP_OK;
    entry *e = cpi_calloc((size_t)plan->n + 1, sizeof *e);
    l->keys = cpi_calloc((size_t)plan->n, sizeof *l->keys);
    l->of_result = cpi_calloc((size_t)plan->n, sizeof *l->of_result);
    cp_code code = e && l->keys && l->of_result ? CP_OK : CP_ERROR_MEMORY;
    if (code == CP_OK) {
        memset(l->of_result, 0xff, (size_t)plan->n * sizeof *l->of_result);
        int64_t n = sorted_entries(e, plan);
        l->slots = 0;
        for (int64_t i = 0; i < n; i++) {
            if (i == 0 || e[i].key != e[i - 1].key) l->keys[l->slots++] = e[i].key;
            l->of_result[e[i].result] = l->slots - 1;
        }
        code = direct_table(l);
        if (l->slots == 0) { /* one empty region, so that tables have a cell */
            l->slots = 1;
            l->kind = CPI_REGIONS_NONE;
            l->span = 0;
        }
    }
    cpi_free_host(e);
    if (code != CP_OK) cpi_lookup_free(l);
    return code;
}

void cpi_lookup_free(cpi_lookup *l)
{
    cpi_free_host(l->keys);
    cpi_free_host(l->of_result);
    cpi_free_host(l->direct);
    memset(l, 0, sizeof *l);
}

static int64_t slot_of_key(const cpi_lookup *l, int64_t key)
{
    if (l->span) return cpi_near_slot(l, key);
    if (key < l->keys[0] || key > l->keys[l->slots - 1]) return -1;
    int64_t low = 0, high = l->slots;
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (l->keys[mid] <= key)
            low = mid;
        else
            high = mid;
    }
    return l->keys[low] == key ? low : -1;
}

int64_t cpi_slot_of(const cpi_lookup *l, const void *labels, int64_t i)
{
    int64_t key;
    if (l->kind == CPI_REGIONS_ALL) return 0;
    if (l->kind == CPI_REGIONS_NONE || !cpi_label_key(l->type, labels, i, &key)) return -1;
    switch (l->kind) {
    case CPI_REGIONS_POSITIVE: return key > cpi_small_key(0, cpi_domain_of(l->type)) ? 0 : -1;
    case CPI_REGIONS_ONE: return key == l->key ? 0 : -1;
    case CPI_REGIONS_COUNT: {
        if (l->span) return cpi_near_slot(l, key);
        double d = cpi_is_float(l->type) ? cpi_load_double(l->type, labels, i) : 0;
        return d >= 1 && d <= (double)l->n && d == (double)(int64_t)d ? (int64_t)d - 1 : -1;
    }
    case CPI_REGIONS_INDEX:
    case CPI_REGIONS_ALL:
    case CPI_REGIONS_NONE: break;
    }
    return slot_of_key(l, key);
}

int64_t cpi_slot_of_result(const cpi_lookup *l, int64_t i)
{
    return l->of_result ? l->of_result[i] : i;
}
