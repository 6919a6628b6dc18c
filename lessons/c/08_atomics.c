/* Lesson 8: atomics, in C.
 *
 *     cc 08_atomics.c $(pkg-config --cflags --libs cuprite) -o atomics && ./atomics */
#include "workshop.h"

/* A histogram: each block counts in shared memory, and adds its counters to the global ones. */
static const char source[] =
    "extern \"C\" __global__ void histogram(const int *values, int *counts, int n)\n"
    "{\n"
    "    __shared__ int own[256];\n"
    "    own[threadIdx.x] = 0;\n"
    "    __syncthreads();\n"
    "    int all = gridDim.x * blockDim.x;\n"
    "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all)\n"
    "        atomicAdd(&own[values[i]], 1);\n"
    "    __syncthreads();\n"
    "    if (own[threadIdx.x]) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);\n"
    "}\n";

int main(void)
{
    for (CP_SCOPE) {
        cp_array *x = cp_add(cp_multiply(workshop_sky(), cp_float(8)), cp_float(40));
        cp_array *values = cp_astype(cp_clip(x, cp_float(0), cp_float(255)), CP_INT32);
        cp_array *flat = cp_reshape(values, CP_SHAPE(-1));
        cp_array *counts = cp_zeros(CP_SHAPE(256), CP_INT32);
        int n = (int)cp_size(flat);
        cp_argument arguments[] = {{.array = flat}, {.array = counts}, {.value = &n, .bytes = sizeof n}};
        cp_kernel *k = cp_kernel_compile(source, "histogram");
        cp_kernel_launch(k, (cp_dim3){32, 1, 1}, (cp_dim3){256, 1, 1}, 3, arguments, NULL);
        cp_kernel_free(k);

        cp_array *expected = cp_bincount(flat, .minlength = 256);
        printf("%d values, the most frequent one is %lld\n", n, (long long)cp_item_int(cp_argmax(counts)));
        printf("as bincount: %d\n", cp_array_equal(counts, expected, false));
    }
    return workshop_end();
}

/* It prints:
 *
 * 86400 values, the most frequent one is 43
 * as bincount: 1
 */
