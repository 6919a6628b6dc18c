/* The reductions by name, cp_NAME(x, options), made from reduce.def by tools/make_api.py. reduce.h includes this. */
#ifndef CUPRITE_REDUCE_CALLS_H
#define CUPRITE_REDUCE_CALLS_H

#define cp_sum(x, ...) CP_REDUCE_CALL(sum, x, __VA_ARGS__)
#define cp_prod(x, ...) CP_REDUCE_CALL(prod, x, __VA_ARGS__)
#define cp_mean(x, ...) CP_REDUCE_CALL(mean, x, __VA_ARGS__)
#define cp_var(x, ...) CP_REDUCE_CALL(var, x, __VA_ARGS__)
#define cp_std(x, ...) CP_REDUCE_CALL(std, x, __VA_ARGS__)
#define cp_min(x, ...) CP_REDUCE_CALL(min, x, __VA_ARGS__)
#define cp_max(x, ...) CP_REDUCE_CALL(max, x, __VA_ARGS__)
#define cp_argmin(x, ...) CP_REDUCE_CALL(argmin, x, __VA_ARGS__)
#define cp_argmax(x, ...) CP_REDUCE_CALL(argmax, x, __VA_ARGS__)
#define cp_any(x, ...) CP_REDUCE_CALL(any, x, __VA_ARGS__)
#define cp_all(x, ...) CP_REDUCE_CALL(all, x, __VA_ARGS__)
#define cp_count_nonzero(x, ...) CP_REDUCE_CALL(count_nonzero, x, __VA_ARGS__)
#define cp_nansum(x, ...) CP_REDUCE_CALL(nansum, x, __VA_ARGS__)
#define cp_nanprod(x, ...) CP_REDUCE_CALL(nanprod, x, __VA_ARGS__)
#define cp_nanmin(x, ...) CP_REDUCE_CALL(nanmin, x, __VA_ARGS__)
#define cp_nanmax(x, ...) CP_REDUCE_CALL(nanmax, x, __VA_ARGS__)

#endif
