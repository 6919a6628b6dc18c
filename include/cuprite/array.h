/* Arrays: creation, attributes, views, conversion, copies between host and devices.
 *
 * An array is a counted reference. The caller owns the result of a function and releases it once, with cp_free. The
 * returned pointer is never one of the arguments, even where it shares their elements (x on its own device, `out`).
 * Inside a scope, the scope owns the result and releases it at its end, unless cp_keep takes it out. Views share memory
 * with their base and keep it alive. Strides are in bytes. Functions return NULL on failure (see error.h). With
 * CUPRITE_DEBUG=leaks in the environment, arrays that were never freed are printed with their origin when the process
 * exits. */
#ifndef CUPRITE_ARRAY_H
#define CUPRITE_ARRAY_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- lifetime --- */
CP_API cp_array *cp_retain(cp_array *x); /* one more reference, for one more cp_free; returns x */
CP_API void cp_free(cp_array *x);        /* one less; NULL is fine; the last one removes x from its scope */
typedef struct cp_scope cp_scope;
/* Until cp_scope_end, the scope owns the arrays that this thread makes. NULL on failure. cp_scope_end does nothing for
 * NULL or for a scope that is not open in this thread. Open scopes inside s end with s. */
CP_API cp_scope *cp_scope_begin(void); /* ended with cp_scope_end */
CP_API void cp_scope_end(cp_scope *s);
CP_API cp_array *cp_keep(cp_array *x);   /* takes x out of its scope: the caller owns it; returns x */
/* Ends s and frees all that it owns except x, which moves to the enclosing scope or to the caller; returns x. */
CP_API cp_array *cp_scope_return(cp_scope *s, cp_array *x);
/* for (CP_SCOPE) { ... }: a scope around a block, which runs once. The scope ends however the block is left: by its
 * end, break, return, goto, or in C++ an exception. If no scope can be begun, the block is skipped. */
#ifdef __cplusplus
extern "C++" {
class cp_scope_block {
    cp_scope *scope = cp_scope_begin();
    bool done = false;

public:
    cp_scope_block() = default;
    cp_scope_block(const cp_scope_block &) = delete;
    cp_scope_block &operator=(const cp_scope_block &) = delete;
    ~cp_scope_block() { cp_scope_end(scope); }
    bool once()
    {
        const bool first = scope && !done;
        done = true;
        return first;
    }
};
}
#define CP_SCOPE cp_scope_block cp_scope_; cp_scope_.once();
#else
static inline void cp_scope_end_at(cp_scope **s) { cp_scope_end(*s); }
#define CP_SCOPE cp_scope *cp_scope_ __attribute__((cleanup(cp_scope_end_at))) = cp_scope_begin(), \
    *cp_once_ = cp_scope_; cp_once_; cp_once_ = NULL
#endif

/* --- attributes --- */
CP_API cp_type cp_type_of(const cp_array *x); /* element type */
CP_API int cp_ndim(const cp_array *x); /* number of dimensions */
CP_API int64_t cp_size(const cp_array *x);              /* number of elements */
CP_API int64_t cp_nbytes(const cp_array *x);            /* size times bytes of an element */
CP_API const int64_t *cp_dims(const cp_array *x);       /* the shape: ndim lengths */
CP_API const int64_t *cp_strides(const cp_array *x);    /* ndim strides, bytes */
CP_API int64_t cp_dim(const cp_array *x, int axis);     /* one length, negative axes from the end; -1 out of bounds */
CP_API void *cp_data(const cp_array *x);                /* first element, in the device's memory */
CP_API int cp_device_of(const cp_array *x); /* number of the device */
CP_API bool cp_is_c_contiguous(const cp_array *x); /* C-contiguous, row-major */
CP_API bool cp_is_f_contiguous(const cp_array *x); /* Fortran-contiguous, column-major */
CP_API bool cp_is_writable(const cp_array *x);          /* false of a view whose elements share memory */
/* Sets whether x, and views made of it from now on, may be written to; existing views are unchanged. */
CP_API cp_code cp_set_writable(cp_array *x, bool writable);

/* --- making arrays (on the current device) --- */
CP_API cp_array *cp_empty(cp_shape shape, cp_type type);      /* contents undefined */
CP_API cp_array *cp_zeros(cp_shape shape, cp_type type);
CP_API cp_array *cp_eye(int64_t rows, int64_t columns, int64_t k, cp_type type); /* ones on the k-th diagonal */
CP_API cp_array *cp_ones(cp_shape shape, cp_type type);
CP_API cp_array *cp_full(cp_shape shape, cp_type type, const cp_array *value); /* value broadcasts */
CP_API cp_array *cp_empty_like(const cp_array *x, cp_type type); /* CP_DEFAULT keeps x's; keeps order "K" */
CP_API cp_array *cp_zeros_like(const cp_array *x, cp_type type);
CP_API cp_array *cp_ones_like(const cp_array *x, cp_type type);
CP_API cp_array *cp_full_like(const cp_array *x, cp_type type, const cp_array *value);
/* start, start + step, ... below stop; values are start + i*step as in NumPy. */
CP_API cp_array *cp_arange(double start, double stop, double step, cp_type type);
CP_API cp_array *cp_arange_int(int64_t start, int64_t stop, int64_t step, cp_type type);
/* n elements: first, second (host scalars), and on by their difference, computed in `type` as arange does. */
CP_API cp_array *cp_progression(int64_t n, const cp_array *first, const cp_array *second, cp_type type);
/* num numbers start + i*step. step is (stop - start) / num, or with the endpoint (stop - start) / (num - 1); the last
 * number is then stop itself. Computed in float64. */
CP_API cp_array *cp_ramp(double start, double stop, int64_t num, bool endpoint, cp_type type);
typedef struct cp_linspace_options {
    CP_OPTION(bool, open);        /* without stop itself */
    CP_OPTION(bool, typed);       /* dtype is meant */
    CP_OPTION(cp_type, dtype);    /* of the result, with `typed`; else the floating type of both ends */
    CP_OPTION(int, axis);         /* position of the samples' axis in the result, where start and stop are arrays */
    CP_OPTION(cp_array **, step); /* where not NULL: receives the step, which the caller frees */
    int _;
} cp_linspace_options;
/* num samples from start to stop, evenly spaced: numbers, or arrays that broadcast (numpy.linspace). */
CP_API cp_array *cp_linspace(cp_array *start, cp_array *stop, int64_t num, const cp_linspace_options *options);
#define cp_linspace(...) CP_CALL3(cp_linspace, cp_linspace_options, __VA_ARGS__, ._ = 0)

/* Scalars for use as operands: 0-d, held in host memory, fit for any device. The first three are weak, as
 * Python's numbers are (NEP 50): they take the other operand's type. cp_scalar has the type it is given. Each is a new
 * array. In cp_add(x, cp_float(2)) nobody has its pointer, so the call belongs in a scope, which frees it:
 *     for (CP_SCOPE) y = cp_keep(cp_add(x, cp_float(2)));
 * Outside of a scope it leaks, and CUPRITE_DEBUG=leaks says so. */
CP_API cp_array *cp_int(int64_t v); /* a weak integer */
CP_API cp_array *cp_float(double v); /* a weak real number */
CP_API cp_array *cp_complex(double re, double im); /* a weak complex number */
CP_API cp_array *cp_scalar(cp_type type, const void *value);

/* --- copies --- */
/* From host memory to the current device. `strides` in bytes, NULL for C order. The memory is read before
 * the call returns. */
CP_API cp_array *cp_from_host(const void *data, cp_type type, cp_shape shape, const int64_t *strides);
/* Wraps foreign memory as an array of `device`, without a copy. `release(owner)` is called once, when the last view is
 * gone, and not on failure. */
CP_API cp_array *cp_from_memory(void *data, cp_type type, cp_shape shape, const int64_t *strides, int device,
                                void (*release)(void *owner), void *owner);
/* To host memory, C order, x's type; `bytes` must be at least cp_nbytes. Waits for x's stream. */
CP_API cp_code cp_to_host(const cp_array *x, void *data, size_t bytes);
CP_API cp_array *cp_to_device(cp_array *x, int device);           /* a view of x when it is there */
CP_API cp_array *cp_copy(const cp_array *x);                      /* C order */
CP_API cp_array *cp_copy_order(const cp_array *x, char order);    /* 'C', 'F', 'A' or 'K' as NumPy */
CP_API cp_array *cp_astype(cp_array *x, cp_type type);            /* always a new array, order 'K' */
CP_API cp_array *cp_contiguous(cp_array *x);                      /* a view of x when C-contiguous, else a copy */
/* dst[...] = src: broadcast, converted without a casting rule, correct for overlapping operands. */
CP_API cp_code cp_assign(cp_array *dst, const cp_array *src); /* dst[...] = src */
CP_API cp_code cp_fill(cp_array *dst, const cp_array *value); /* dst[...] = value */
/* Writes one element: x.ndim indices, negative ones from the end; `value` points at a value of x's type. */
CP_API cp_code cp_set_item(cp_array *x, int n, const int64_t *index, const void *value);
/* The value of an array with one element. Waits. NAN or 0 with the error set on failure. */
CP_API double cp_item_float(const cp_array *x); /* the one element, a real number */
CP_API int64_t cp_item_int(const cp_array *x); /* the one element, an integer */

/* --- views and shapes --- */
CP_API cp_array *cp_reshape(cp_array *x, cp_shape shape);   /* one length may be -1: inferred; copies if needed */
CP_API cp_array *cp_ravel(cp_array *x);
CP_API cp_array *cp_transpose(cp_array *x, cp_axes axes);   /* CP_ALL reverses */
CP_API cp_array *cp_broadcast_to(cp_array *x, cp_shape shape);
CP_API cp_array *cp_squeeze(cp_array *x, cp_axes axes);
CP_API cp_array *cp_expand_dims(cp_array *x, cp_axes axes);
CP_API cp_array *cp_moveaxis(cp_array *a, cp_axes source, cp_axes destination); /* the others keep their order */
CP_API cp_array *cp_rollaxis(cp_array *a, int axis, int start); /* one axis to before `start` */
CP_API cp_array *cp_flip(cp_array *x, cp_axes axes);        /* elements in reverse order along axes; CP_ALL: all */
CP_API cp_array *cp_swapaxes(cp_array *x, int a, int b);
CP_API cp_array *cp_diagonal(cp_array *x, int64_t offset, int axis1, int axis2);
/* A view from the first element on with any shape and n strides, in bytes, inside x's buffer. */
CP_API cp_array *cp_as_strided(cp_array *x, cp_shape shape, int n, const int64_t *strides);
CP_API cp_array *cp_view_as(cp_array *x, cp_type type);     /* same bytes, another type (last axis scales) */
CP_API cp_array *cp_real_part(cp_array *x);                 /* a view; for a real array, of all of x */
CP_API cp_array *cp_imag_part(cp_array *x);                 /* a view; for a real array, zeros */

typedef struct cp_copyto_options {
    CP_OPTION(cp_casting, casting); /* rule from src's type to dst's; CP_SAME_KIND by default */
    CP_OPTION(cp_array *, where);   /* boolean, broadcast: elements of dst where it is false are left as they are */
    int _;
} cp_copyto_options;
/* dst[...] = src: broadcast, under the casting rule; correct for overlapping operands of one device. */
CP_API cp_code cp_copyto(cp_array *dst, cp_array *src, const cp_copyto_options *options);
#define cp_copyto(...) CP_CALL2(cp_copyto, cp_copyto_options, __VA_ARGS__, ._ = 0)

/* As an axis: of the flattened array. */
#define CP_FLAT INT32_MIN

/* --- padding --- */
/* Pads a with widths[2 * i] elements before axis i and widths[2 * i + 1] after it; n = 2 * ndim. The modes are NumPy's:
 * `value`, the nearest element, a mirrored without or with its edge, or a repeated. */
typedef enum cp_pad_mode {
    CP_PAD_MODE_CONSTANT, CP_PAD_MODE_EDGE, CP_PAD_MODE_REFLECT, CP_PAD_MODE_SYMMETRIC, CP_PAD_MODE_WRAP
} cp_pad_mode;
CP_API cp_array *cp_pad(cp_array *a, int n, const int64_t *widths, cp_pad_mode mode, cp_array *value);

/* --- joining --- */
typedef struct cp_join_options {
    CP_OPTION(cp_array *, out);      /* result goes here; its type takes the place of dtype */
    CP_OPTION(bool, typed);          /* dtype is meant */
    CP_OPTION(cp_type, dtype);       /* of the result, with `typed`; else the type that holds all of the parts' */
    CP_OPTION(cp_casting, casting);  /* rule from the parts' types to the result's; CP_SAME_KIND by default */
    int _;
} cp_join_options;
/* Joins n arrays along an existing axis (CP_FLAT: each flattened); their other lengths are equal. */
CP_API cp_array *cp_concatenate(int n, cp_array *const *arrays, int axis, const cp_join_options *options);
#define cp_concatenate(...) CP_CALL3(cp_concatenate, cp_join_options, __VA_ARGS__, ._ = 0)
/* Joins n arrays of one shape along a new axis. */
CP_API cp_array *cp_stack(int n, cp_array *const *arrays, int axis, const cp_join_options *options);
#define cp_stack(...) CP_CALL3(cp_stack, cp_join_options, __VA_ARGS__, ._ = 0)

/* --- indexing --- */
typedef enum cp_index_kind { CP_IX_INT, CP_IX_SLICE, CP_IX_NEW, CP_IX_ELLIPSIS, CP_IX_ARRAY } cp_index_kind;
/* One item of x[...]: an integer (start), a slice (start, stop, step; `has` says which bounds were given),
 * np.newaxis, `...`, or an array of integers or truth values (for cp_index_get and cp_index_set; the caller keeps it).
 * CP_AT(i), CP_RANGE(a, b), CP_STEP(a, b, s), CP_FULL, CP_NEW, CP_ELLIPSIS, CP_BY(array) make them. */
typedef struct cp_index { cp_index_kind kind; int64_t start, stop, step; int has; cp_array *array; } cp_index;
enum { CP_HAS_START = 1, CP_HAS_STOP = 2 };
#define CP_AT(i) CP_VALUE(cp_index, CP_IX_INT, (int64_t)(i), 0, 1, 0, NULL)
#define CP_RANGE(a, b) CP_STEP(a, b, 1)
#define CP_STEP(a, b, s) \
    CP_VALUE(cp_index, CP_IX_SLICE, (int64_t)(a), (int64_t)(b), (int64_t)(s), CP_HAS_START | CP_HAS_STOP, NULL)
#define CP_FULL CP_VALUE(cp_index, CP_IX_SLICE, 0, 0, 1, 0, NULL)
#define CP_NEW CP_VALUE(cp_index, CP_IX_NEW, 0, 0, 1, 0, NULL)
#define CP_ELLIPSIS CP_VALUE(cp_index, CP_IX_ELLIPSIS, 0, 0, 1, 0, NULL)
#define CP_BY(array) CP_VALUE(cp_index, CP_IX_ARRAY, 0, 0, 1, 0, array)
/* CP_ITEMS(CP_AT(0), CP_FULL): number of items and pointer, the last two arguments of cp_slice. */
#define CP_ITEMS(...) CP_COUNT(cp_index, __VA_ARGS__), CP_LIST(cp_index, __VA_ARGS__)
/* x[items]: always a view. */
CP_API cp_array *cp_slice(cp_array *x, int n, const cp_index *items);

#ifdef __cplusplus
}
#endif
#endif
