/* Errors: one record for each thread; the first error stays until it is cleared.
 *
 * A function that fails returns NULL (arrays) or a code other than CP_OK, and writes the record where the failure
 * arose: a code, and one line that begins with the function's name. A call that gets a NULL array because an earlier
 * call failed returns NULL and keeps the first record, so calls nest and are checked once. Nothing in the library
 * aborts or prints.
 *
 * Work on a GPU runs after the call that issued it has returned. Its error stays with its stream and is reported by the
 * next operation, copy to the host or wait there. The report names the operation that failed, or those that were in
 * progress. */
#ifndef CUPRITE_ERROR_H
#define CUPRITE_ERROR_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, the Python exception it becomes */
#define CP_ERRORS(X)                                                   \
    X(OK, "no error", "")                                              \
    X(VALUE, "invalid value", "ValueError")                            \
    X(TYPE, "invalid type", "TypeError")                               \
    X(INDEX, "index out of bounds", "IndexError")                      \
    X(AXIS, "axis out of bounds", "AxisError")                         \
    X(OVERFLOW, "value out of range", "OverflowError")                 \
    X(MEMORY, "out of memory", "MemoryError")                          \
    X(CASTING, "conversion not allowed", "UFuncTypeError")             \
    X(NOT_FOUND, "no such file", "FileNotFoundError")                  \
    X(IO, "input or output failed", "OSError")                         \
    X(FORMAT, "malformed data", "ValueError")                          \
    X(DEVICE, "device failure", "RuntimeError")                        \
    X(UNSUPPORTED, "not available in this build", "NotImplementedError") \
    X(INTERNAL, "internal error", "RuntimeError")                      \
    X(RUNTIME, "operation not possible", "RuntimeError")               \
    X(ZERO_DIVISION, "division by zero", "ZeroDivisionError")          \
    X(COMPILE, "compilation failed", "CompileException")               \
    X(DRIVER, "the driver refused", "CUDADriverError")                 \
    X(SYNCHRONIZED, "waiting is not allowed", "DeviceSynchronized")    \
    X(INTERRUPTED, "interrupted", "KeyboardInterrupt")                 \
    X(LINALG, "no such result", "LinAlgError")                         \
    X(BUFFER, "memory cannot be shared so", "BufferError")             \
    X(END_OF_FILE, "nothing left to read", "EOFError")                 \
    X(TWO_DEVICES, "operands on different devices", "ValueError")

/* Warnings of a call; the messages are NumPy's. */
#define CP_WARNINGS(X)                                                                                       \
    X(COMPLEX, "Casting complex values to real discards the imaginary part", "ComplexWarning")               \
    X(MEAN, "Mean of empty slice", "RuntimeWarning")                                                         \
    X(FREEDOM, "Degrees of freedom <= 0 for slice", "RuntimeWarning")                                        \
    X(KNOWN_FREEDOM, "Degrees of freedom <= 0 for slice.", "RuntimeWarning")                                 \
    X(ALL_NAN, "All-NaN slice encountered", "RuntimeWarning")                                                \
    X(SINGULAR, "singular transform; consider changing the bias", "RuntimeWarning")                          \
    X(COVARIANCE, "covariance is not symmetric positive-semidefinite.", "RuntimeWarning")                         \
    X(ATTENUATION, "This window is not suitable for spectral analysis for attenuation values lower than about 45dB " \
      "because the equivalent noise bandwidth of a Chebyshev window does not grow monotonically with increasing " \
      "sidelobe attenuation when the attenuation is smaller than about 45 dB.", "UserWarning")

typedef enum cp_warning {
#define X(NAME, text, category) CP_WARNING_##NAME,
    CP_WARNINGS(X)
#undef X
    CP_NWARNINGS
} cp_warning;

typedef enum cp_code {
#define X(NAME, text, exception) CP_ERROR_##NAME,
    CP_ERRORS(X)
#undef X
    CP_NERRORS,
    CP_OK = CP_ERROR_OK
} cp_code;

/* The calling thread's record: CP_OK when nothing failed since it was last cleared. */
CP_API cp_code cp_error(void);
/* Its message, "" when nothing failed; valid until the record is cleared. */
CP_API const char *cp_error_message(void); /* of the first error; "" without one */
CP_API void cp_error_clear(void); /* the thread has no error then */
/* The fixed message of a code ("axis out of bounds"), and its Python exception. */
CP_API const char *cp_code_string(cp_code code); /* what the code means */
CP_API const char *cp_code_exception(cp_code code); /* Python's exception for it */
/* The calling thread's warnings since the last clear: bit 1 << CP_WARNING_NAME for each. Warnings that depend on the
 * values of a result are given on the CPU, where results are complete when a call returns, and not on a GPU. */
CP_API unsigned cp_warnings(void); /* bits that are set */
CP_API void cp_warnings_clear(void); /* no bit is set then */
/* A warning's message, and its Python category. */
CP_API const char *cp_warning_string(cp_warning warning); /* NumPy's words */
CP_API const char *cp_warning_category(cp_warning warning); /* Python's category */

#ifdef __cplusplus
}
#endif
#endif
