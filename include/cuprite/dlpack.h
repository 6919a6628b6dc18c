/* Memory shared with other libraries through DLPack's structures, without copies.
 *
 * The structures are those of DLPack 1 (dlpack.h, which a program may include beside this): DLManagedTensorVersioned,
 * and DLManagedTensor of the versions before, which cannot mark memory as read-only. The consumer of a tensor calls its
 * `deleter` once. The host is kDLCPU, a GPU kDLCUDA with its number, and a device of another backend kDLExtDev. */
#ifndef CUPRITE_DLPACK_H
#define CUPRITE_DLPACK_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Exports x's memory to another library. It lives until `deleter` was called, on any thread. NULL on failure:
 * CP_ERROR_BUFFER where DLPack cannot express x (strides that are no multiple of the element; read-only memory in the
 * old structure). Does not wait for pending work on x: see cp_dlpack_hand_over. */
CP_API struct DLManagedTensorVersioned *cp_to_dlpack(cp_array *x); /* versioned (1.0 on) */
CP_API struct DLManagedTensor *cp_to_dlpack_old(cp_array *x); /* of before 1.0 */
/* The same, flagged as a copy that nobody else holds. */
CP_API struct DLManagedTensorVersioned *cp_to_dlpack_copied(cp_array *x);
/* An array over another library's memory, which the array owns from then on: `deleter` is called when the last view is
 * gone, and not on failure. CP_ERROR_BUFFER: an unknown type or device, or memory that cannot be used. CP_ERROR_VALUE:
 * an invalid shape. Elements that are not aligned to their size are copied. */
CP_API cp_array *cp_from_dlpack(struct DLManagedTensorVersioned *tensor);
CP_API cp_array *cp_from_dlpack_old(struct DLManagedTensor *tensor); /* of before 1.0 */
/* x's device, in DLPack's numbers. */
CP_API cp_code cp_dlpack_device(const cp_array *x, int *type, int *number);
/* The device with those numbers; CP_NO_DEVICE and CP_ERROR_BUFFER when there is none. */
CP_API int cp_dlpack_device_of(int type, int number);
/* Later work in stream `to` waits for the work that the calling thread's stream on x's device has so far. When x is
 * freed, its memory is not reused before `to` has finished the work it has by then. */
CP_API cp_code cp_dlpack_hand_over(cp_array *x, cp_stream *to);

#ifdef __cplusplus
}
#endif
#endif
