/* `where` with three arguments on the CPU; and the kernel table of an instruction set. */
#include "elementwise/loops_list.h"

#define EACH _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++)

typedef struct { uint64_t a, b; } pair;

/* --- selection --- */
#define CHOOSER(name, E)                                                                                \
    static void name(void *out_, const uint8_t *cond, const void *a_, const void *b_, int64_t n,        \
                     unsigned scalars)                                                                  \
    {                                                                                                   \
        E *out = out_;                                                                                  \
        const E *a = a_, *b = b_;                                                                       \
        if (scalars == 3) {                                                                             \
            const E x = *a, y = *b;                                                                     \
            EACH out[i] = cond[i] ? x : y;                                                              \
        } else if (scalars == 1) {                                                                      \
            const E x = *a;                                                                             \
            EACH { const E y = b[i]; out[i] = cond[i] ? x : y; }                                        \
        } else if (scalars == 2) {                                                                      \
            const E y = *b;                                                                             \
            EACH { const E x = a[i]; out[i] = cond[i] ? x : y; }                                        \
        } else {                                                                                        \
            EACH { const E x = a[i], y = b[i]; out[i] = cond[i] ? x : y; }                              \
        }                                                                                               \
    }
CHOOSER(choose_1, uint8_t) CHOOSER(choose_2, uint16_t) CHOOSER(choose_4, uint32_t) CHOOSER(choose_8, uint64_t)
CHOOSER(choose_16, pair)

/* --- the whole set --- */
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_f32)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_f64)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_c64)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_c128)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i8)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u8)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i16)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u16)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i32)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u32)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i64)[CPI_NKERNELS];
extern const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u64)[CPI_NKERNELS];
extern const cpi_closer CPI_ISA_NAME(cpi_closers)[5];
const cpi_kernels CPI_ISA_NAME(cpi_kernels) = {
    .ops = cpi_ops,
    .chapters = cpi_chapters,
    .mathematics = {[CP_FLOAT32] = CPI_ISA_NAME(cpi_mathematics_f32), [CP_FLOAT64] = CPI_ISA_NAME(cpi_mathematics_f64),
                    [CP_COMPLEX64] = CPI_ISA_NAME(cpi_mathematics_c64),
                    [CP_COMPLEX128] = CPI_ISA_NAME(cpi_mathematics_c128),
                    [CP_INT8] = CPI_ISA_NAME(cpi_mathematics_i8),
                    [CP_UINT8] = CPI_ISA_NAME(cpi_mathematics_u8),
                    [CP_INT16] = CPI_ISA_NAME(cpi_mathematics_i16),
                    [CP_UINT16] = CPI_ISA_NAME(cpi_mathematics_u16),
                    [CP_INT32] = CPI_ISA_NAME(cpi_mathematics_i32),
                    [CP_UINT32] = CPI_ISA_NAME(cpi_mathematics_u32),
                    [CP_INT64] = CPI_ISA_NAME(cpi_mathematics_i64),
                    [CP_UINT64] = CPI_ISA_NAME(cpi_mathematics_u64)},
    .close = CPI_ISA_NAME(cpi_closers),
    .choose = {choose_1, choose_2, choose_4, choose_8, choose_16},
};
