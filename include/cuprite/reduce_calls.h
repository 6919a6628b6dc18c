/* The reductions by name, cp_NAME(x, options), made from reduce.def by tools/make_api.py. reduce.h includes this. */
#ifndef CUPRITE_REDUCE_CALLS_H
#define CUPRITE_REDUCE_CALLS_H

#define cp_sum(...) CP_CALL(cp_sum, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_prod(...) CP_CALL(cp_prod, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_mean(...) CP_CALL(cp_mean, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_var(...) CP_CALL(cp_var, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_std(...) CP_CALL(cp_std, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_min(...) CP_CALL(cp_min, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_max(...) CP_CALL(cp_max, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_argmin(...) CP_CALL(cp_argmin, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_argmax(...) CP_CALL(cp_argmax, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_any(...) CP_CALL(cp_any, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_all(...) CP_CALL(cp_all, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_count_nonzero(...) CP_CALL(cp_count_nonzero, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_nansum(...) CP_CALL(cp_nansum, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_nanprod(...) CP_CALL(cp_nanprod, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_nanmin(...) CP_CALL(cp_nanmin, cp_reduce_options, __VA_ARGS__, ._ = 0)
#define cp_nanmax(...) CP_CALL(cp_nanmax, cp_reduce_options, __VA_ARGS__, ._ = 0)

#endif
