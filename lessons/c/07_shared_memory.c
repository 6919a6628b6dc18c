/* Lesson 7: shared memory, in C.
 *
 *     cc 07_shared_memory.c $(pkg-config --cflags --libs cuprite) -o shared_memory && ./shared_memory */
#include "workshop.h"

/* Sums of 128 elements each, in a tree: all threads of the block meet at the barrier after each step. */
static const char source[] =
    "extern \"C\" __global__ void block_sums(const float *x, float *partial, int n)\n"
    "{\n"
    "    __shared__ float part[128];\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    part[threadIdx.x] = i < n ? x[i] : 0;\n"
    "    __syncthreads();\n"
    "    for (int step = 64; step; step /= 2) {\n"
    "        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    if (threadIdx.x == 0) partial[blockIdx.x] = part[0];\n"
    "}\n"
    /* a moving mean of seven; the size of the tile comes with the launch */
    "extern \"C\" __global__ void moving_mean(const float *x, float *y, int n)\n"
    "{\n"
    "    extern __shared__ float tile[];\n"
    "    int first = blockIdx.x * blockDim.x - 3;\n"
    "    for (int k = threadIdx.x; k < blockDim.x + 6; k += blockDim.x)\n"
    "        tile[k] = first + k >= 0 && first + k < n ? x[first + k] : 0;\n"
    "    __syncthreads();\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i >= n) return;\n"
    "    float sum = 0;\n"
    "    for (int d = 0; d < 7; d++) sum += tile[threadIdx.x + d];\n"
    "    y[i] = sum / 7;\n"
    "}\n";

static void launch(cp_module *m, const char *name, cp_array *x, cp_array *y, int64_t shared)
{
    int n = (int)cp_size(x);
    cp_argument arguments[] = {{.array = x}, {.array = y}, {.value = &n, .bytes = sizeof n}};
    cp_launch_options options = {.shared = shared};
    cp_kernel *k = cp_module_kernel(m, name);
    cp_kernel_launch(k, (cp_dim3){(uint32_t)(n + 127) / 128, 1, 1}, (cp_dim3){128, 1, 1}, 3, arguments, &options);
    cp_kernel_free(k);
}

int main(void)
{
    cp_module *m = cp_module_compile(source);
    for (CP_SCOPE) {
        cp_array *x = cp_remainder(cp_arange(0, 1000, 1, CP_FLOAT32), cp_float(10));
        cp_array *partial = cp_empty(CP_SHAPE(8), CP_FLOAT32);
        launch(m, "block_sums", x, partial, 0);
        cp_print(partial);
        printf("%g %g\n", cp_item_float(cp_sum(partial)), cp_item_float(cp_sum(x)));

        cp_array *y = cp_empty(CP_SHAPE(1000), CP_FLOAT32);
        launch(m, "moving_mean", x, y, (128 + 6) * sizeof(float));
        cp_print(cp_slice(y, CP_ITEMS(CP_RANGE(0, 5))));
    }
    cp_module_free(m);
    return workshop_end();
}

/* It prints:
 *
 * [568. 572. 576. 580. 584. 568. 572. 480.]
 * 4500 4500
 * [0.85714287 1.4285715  2.142857   3.         4.        ]
 */
