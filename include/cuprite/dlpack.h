/* Memory shared with other libraries, as DLPack's structures say it: nothing is copied.
 *
 * The structures are those of DLPack 1 (dlpack.h, which a program may include beside this): DLManagedTensorVersioned,
 * and DLManagedTensor of the versions before, which cannot say that memory is read-only. Whoever holds a tensor calls
 * its `deleter` once. The host is kDLCPU, a GPU kDLCUDA with its number, another backend's device kDLExtDev. */
#ifndef CUPRITE_DLPACK_H
#define CUPRITE_DLPACK_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* x's memory for another library; lives until `deleter` was called, which may be on any thread. NULL on failure:
 * CP_ERROR_BUFFER where DLPack cannot say it (strides that are no whole elements; memory that is read-only, of the old
 * kind). What is under way in x is not waited for: cp_dlpack_hand_over. */
CP_API struct DLManagedTensorVersioned *cp_to_dlpack(cp_array *x); /* versioned (1.0 on) */
CP_API struct DLManagedTensor *cp_to_dlpack_old(cp_array *x); /* of before 1.0 */
/* The same said to be a copy that nobody else has. */
CP_API struct DLManagedTensorVersioned *cp_to_dlpack_copied(cp_array *x);
/* An array over another library's memory, which is the array's from then on: `deleter` is called when the last view is
 * gone. On failure it is not called. CP_ERROR_BUFFER: a type or a device that is not there; CP_ERROR_VALUE: extents
 * that no array has; CP_ERROR_BUFFER: memory that cannot be used so. Elements that do not lie on a multiple of their
 * size are copied. */
CP_API cp_array *cp_from_dlpack(struct DLManagedTensorVersioned *tensor);
CP_API cp_array *cp_from_dlpack_old(struct DLManagedTensor *tensor); /* of before 1.0 */
/* Where x lies, in DLPack's numbers. */
CP_API cp_code cp_dlpack_device(const cp_array *x, int *type, int *number);
/* The device with those numbers; CP_NO_DEVICE and CP_ERROR_BUFFER when there is none. */
CP_API int cp_dlpack_device_of(int type, int number);
/* Later work in the stream comes behind what the calling thread's stream has got for x's device, and x's memory is not
 * reused before that stream has passed what it has when x is freed. */
CP_API cp_code cp_dlpack_hand_over(cp_array *x, cp_stream *to);

#ifdef __cplusplus
}
#endif
#endif
