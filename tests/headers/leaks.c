/* Forgets arrays; tests/python/test_headers.py reads what CUPRITE_DEBUG=leaks says of it. The lines that leak are
 * marked. */
#include <cuprite.h>

static void spill(cp_array *x)
{
    for (int i = 0; i < 1000; i++) cp_free(cp_sqrt(cp_add(x, x))); /* add */
}

int main(void)
{
    cp_array *x = cp_arange(0, 1000, 1, CP_FLOAT64);
    for (CP_SCOPE) cp_negative(x);
    spill(x);
    cp_sum(x, .keepdims = true); /* sum */
    cp_reshape(x, CP_SHAPE(10, 100)); /* reshape */
    cp_free(cp_add(x, cp_float(2))); /* float */
    cp_scope_begin();
    cp_copy(x); /* copy */
    cp_free(x);
    return 0;
}
