/* Hooks for tests: allocation failure on demand, the choice of kernels. Not for programs. */
#ifndef CUPRITE_TESTING_H
#define CUPRITE_TESTING_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The n-th allocation from now (1 is the next; host memory and device memory count alike) fails, once;
 * 0 turns the hook off. Process-wide. */
CP_API void cp_test_fail_allocation(int64_t n);
/* Allocations asked for since the hook was last set. */
CP_API int64_t cp_test_allocations(void);
/* Live host blocks and live device blocks that the library holds for arrays and temporaries (not caches). */
CP_API int64_t cp_test_live(void);
/* The n-th operation issued to the device from now on (1 is the next) fails when it runs, once; 0 turns the hook off.
 * CP_ERROR_UNSUPPORTED unless the device belongs to the deferred mock backend `late`. */
CP_API cp_code cp_test_fail_operation(int device, int64_t n);
/* While on, this thread's reductions on the CPU use the kernels generated from src/array/reduce/reduce.def instead of
 * hand-written ones. */
CP_API void cp_test_row_kernels(bool on);

#ifdef __cplusplus
}
#endif
#endif
