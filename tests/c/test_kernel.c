/* User kernels from C: compiling, launching, each tier, limits, errors, variables. */
#include "check.h"

#include "cuprite/kernel.h"

static cp_array *float32_range(int64_t n) { return cp_arange(0, (double)n, 1, CP_FLOAT32); }

static const char add_text[] =
    "extern \"C\" __global__ void add(const float *a, const float *b, float *c, const int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) c[i] = a[i] + b[i];\n"
    "}\n";

static void add_of_some_sizes(void **state)
{
    (void)state;
    static const int sizes[] = {1, 31, 1024, 100003};
    for (FOR_DEVICES(d)) {
        cp_kernel *k = cp_kernel_compile(add_text, "add");
        ok(k);
        for (int i = 0; i < 4; i++) {
            int n = sizes[i];
            cp_array *a = float32_range(n), *b = cp_ones(CP_SHAPE(n), CP_FLOAT32),
                     *c = cp_zeros(CP_SHAPE(n), CP_FLOAT32);
            cp_argument arguments[] = {{a}, {b}, {c}, {.value = &n, .bytes = sizeof n}};
            ok(cp_kernel_launch(k, (cp_dim3){(unsigned)(n + 255) / 256}, (cp_dim3){256}, 4, arguments, NULL) == CP_OK);
            cp_array *want = cp_add(a, b);
            cp_array *other = cp_not_equal(c, want), *count = cp_sum(other);
            check_values(count, 1, (double[]){0});
            cp_free(a), cp_free(b), cp_free(c), cp_free(want), cp_free(other), cp_free(count);
        }
        cp_kernel_free(k);
    }
}

/* The sum of each block, by a tree in shared memory and by shuffles: n threads of 1 give n. */
static const char sums_text[] =
    "__device__ int lanes(int v) { for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o); return v; }\n"
    "extern \"C\" __global__ void tree(const int *x, int *sums)\n"
    "{\n"
    "    __shared__ int part[256];\n"
    "    unsigned t = threadIdx.x;\n"
    "    part[t] = x[blockIdx.x * blockDim.x + t];\n"
    "    __syncthreads();\n"
    "    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {\n"
    "        if (t < s) part[t] += part[t + s];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    if (t == 0) sums[blockIdx.x] = part[0];\n"
    "}\n"
    "extern \"C\" __global__ void shuffles(const int *x, int *sums)\n"
    "{\n"
    "    extern __shared__ int part[];\n"
    "    unsigned t = threadIdx.x;\n"
    "    int v = lanes(x[blockIdx.x * blockDim.x + t]);\n"
    "    if (t % 32 == 0) part[t / 32] = v;\n"
    "    __syncthreads();\n"
    "    if (t < 32) {\n"
    "        v = lanes(t < blockDim.x / 32 ? part[t] : 0);\n"
    "        if (t == 0) sums[blockIdx.x] = v;\n"
    "    }\n"
    "}\n";

static void sums_of_blocks(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_module *m = cp_module_compile(sums_text);
        ok(m);
        const char *names[] = {"tree", "shuffles"};
        for (int i = 0; i < 2; i++) {
            cp_kernel *k = cp_module_kernel(m, names[i]);
            ok(k);
            cp_array *x = cp_arange_int(0, 16 * 256, 1, CP_INT32), *sums = cp_zeros(CP_SHAPE(16), CP_INT32);
            cp_launch_options o = {.shared = 8 * sizeof(int)};
            ok(cp_kernel_launch(k, (cp_dim3){16}, (cp_dim3){256}, 2, (cp_argument[]){{x}, {sums}}, &o) == CP_OK);
            double want[16];
            for (int b = 0; b < 16; b++) want[b] = 256 * 256.0 * b + 255 * 128;
            check_values(sums, 16, want);
            cp_free(x), cp_free(sums);
            cp_kernel_free(k);
        }
        cp_module_free(m);
    }
}

static void templates_and_variables(void **state)
{
    (void)state;
    static const char text[] = "namespace space { template <class T, int n> __global__ void times(T *x) "
                               "{ x[threadIdx.x] *= n; } }\n"
                               "__device__ int counter = 5;\n"
                               "extern \"C\" __global__ void count() { atomicAdd(&counter, 2); }\n";
    const char *names[] = {"space::times<float, 3>", "space::times<int, 2>"};
    for (FOR_DEVICES(d)) {
        cp_module *m = cp_module_compile(text, .names = names, .nnames = 2), *other = cp_module_compile(text);
        ok(m);
        ok(other);
        cp_array *x = float32_range(4), *y = cp_arange_int(0, 4, 1, CP_INT32);
        cp_kernel *f = cp_module_kernel(m, names[0]), *g = cp_module_kernel(m, names[1]),
                  *c = cp_module_kernel(m, "count");
        ok(f && g && c);
        ok(cp_kernel_launch(f, (cp_dim3){1}, (cp_dim3){4}, 1, (cp_argument[]){{x}}, NULL) == CP_OK);
        ok(cp_kernel_launch(g, (cp_dim3){1}, (cp_dim3){4}, 1, (cp_argument[]){{y}}, NULL) == CP_OK);
        ok(cp_kernel_launch(c, (cp_dim3){3}, (cp_dim3){7}, 0, NULL, NULL) == CP_OK);
        check_values(x, 4, (double[]){0, 3, 6, 9});
        check_values(y, 4, (double[]){0, 2, 4, 6});
        void *address = NULL, *others = NULL;
        int64_t bytes = 0;
        ok(cp_module_global(m, "counter", &address, &bytes) == CP_OK);
        ok(cp_module_global(other, "counter", &others, &bytes) == CP_OK);
        assert_int_equal(bytes, 4);
        assert_ptr_not_equal(address, others); /* each module has variables of its own */
        cp_device_synchronize(d);
        if (d < 0) assert_int_equal(*(int *)address, 5 + 2 * 21);
        if (d < 0) assert_int_equal(*(int *)others, 5);
        assert_null(cp_module_kernel(m, "nothing"));
        failed(CP_ERROR_DRIVER);
        assert_int_equal(cp_module_global(m, "nothing", &address, &bytes), CP_ERROR_DRIVER);
        failed(CP_ERROR_DRIVER);
        cp_free(x), cp_free(y);
        cp_kernel_free(f), cp_kernel_free(g), cp_kernel_free(c);
        cp_module_free(m), cp_module_free(other);
    }
}

static void limits_and_errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        assert_null(cp_kernel_compile("extern \"C\" __global__ void f(int *x) {\n  x[0] = nowhere;\n}", "f"));
        assert_non_null(strstr(cp_error_message(), "nowhere"));
        assert_non_null(strstr(cp_error_message(), "(2)") ? strstr(cp_error_message(), "(2)")
                                                          : strstr(cp_error_message(), ":2:")); /* the user's line */
        failed(CP_ERROR_COMPILE);
        assert_null(cp_kernel_compile("extern \"C\" __global__ void f(int *x) { (x = 0; }", "f")); /* no leak */
        failed(CP_ERROR_COMPILE);
        cp_kernel *k = cp_kernel_compile(add_text, "add");
        ok(k);
        int n = 4;
        cp_array *a = float32_range(4);
        cp_argument arguments[] = {{a}, {a}, {a}, {.value = &n, .bytes = sizeof n}};
        assert_int_equal(cp_kernel_launch(k, (cp_dim3){1}, (cp_dim3){2048}, 4, arguments, NULL), CP_ERROR_DRIVER);
        failed(CP_ERROR_DRIVER);
        assert_int_equal(cp_kernel_launch(k, (cp_dim3){0}, (cp_dim3){32}, 4, arguments, NULL), CP_ERROR_DRIVER);
        failed(CP_ERROR_DRIVER);
        assert_int_equal(cp_kernel_launch(k, (cp_dim3){1, 70000}, (cp_dim3){32}, 4, arguments, NULL), CP_ERROR_DRIVER);
        failed(CP_ERROR_DRIVER);
        assert_int_equal(cp_kernel_launch(k, (cp_dim3){1}, (cp_dim3){32}, 3, arguments, NULL), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        ok(cp_kernel_launch(k, (cp_dim3){1}, (cp_dim3){32}, 4, arguments, NULL) == CP_OK);
        check_values(a, 4, (double[]){0, 2, 4, 6});
        int value;
        ok(cp_kernel_get(k, CP_KERNEL_MAX_THREADS_PER_BLOCK, &value) == CP_OK);
        assert_int_equal(value, 1024);
        ok(cp_kernel_set(k, CP_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000) == CP_OK);
        cp_free(a);
        cp_kernel_free(k);
    }
}

/* On the CPU faults that would crash or hang the process are errors. */
static void faults(void **state)
{
    (void)state;
    static const char text[] =
        "extern \"C\" __global__ void null(int *x) { *(volatile int *)0 = x[0]; }\n"
        "extern \"C\" __global__ void wild(int *x) { x[1ll << 50] = 1; }\n"
        "extern \"C\" __global__ void trap(int *x) { assert(x[threadIdx.x] == -1); }\n"
        "extern \"C\" __global__ void divergent(int *x) {\n"
        "    if (threadIdx.x == 3)\n"
        "        __syncthreads();\n"
        "    else\n"
        "        __syncthreads();\n"
        "}\n"
        "extern \"C\" __global__ void stuck(int *x) { if (threadIdx.x) __shfl_sync(1, x[0], 0); }\n"
        "extern \"C\" __global__ void zero(int *x) { x[0] = 7 / x[1]; x[2] = 7 % x[1]; }\n";
    static const char *const names[] = {"null", "wild", "trap", "divergent"};
    static const char *const said[] = {"address", "address", "assertion", "divergent barrier"};
    ok(cp_device_use(CP_CPU) == CP_OK);
    cp_module *m = cp_module_compile(text);
    ok(m);
    cp_array *x = cp_zeros(CP_SHAPE(8), CP_INT32);
    for (int i = 0; i < 4; i++) {
        cp_kernel *k = cp_module_kernel(m, names[i]);
        ok(k);
        assert_int_equal(cp_kernel_launch(k, (cp_dim3){4}, (cp_dim3){8}, 1, (cp_argument[]){{x}}, NULL),
                         CP_ERROR_DEVICE);
        if (!strstr(cp_error_message(), said[i])) fail_msg("%s: %s", names[i], cp_error_message());
        failed(CP_ERROR_DEVICE);
        cp_kernel_free(k);
    }
    cp_kernel *k = cp_module_kernel(m, "zero");
    ok(cp_kernel_launch(k, (cp_dim3){1}, (cp_dim3){1}, 1, (cp_argument[]){{x}}, NULL) == CP_OK);
    check_values(x, 8, (double[]){-1, 0, 7, 0, 0, 0, 0, 0});
    cp_kernel_free(k);
    cp_free(x);
    cp_module_free(m);
    assert_null(cp_module_compile("__global__ void f() { asm(\"wgmma.fence.sync.aligned;\"); }"));
    failed(CP_ERROR_UNSUPPORTED);
    assert_null(cp_module_load("image", 5));
    failed(CP_ERROR_UNSUPPORTED);
}

/* Arrays by value. */
static void structs(void **state)
{
    (void)state;
    static const char text[] =
        "#include <cupy/carray.cuh>\n#include <cuda/std/mdspan>\n"
        "namespace s = cuda::std;\n"
        "typedef s::mdspan<float, s::dextents<int, 2>, s::layout_stride> span;\n"
        "extern \"C\" __global__ void f(CArray<float, 2> x, span y) {\n"
        "    int i = threadIdx.x; if (i < x.size()) y(i / 3, i % 3) = x[i] + x.shape()[1]; }\n";
    for (FOR_DEVICES(d)) {
        cp_kernel *k = cp_kernel_compile(text, "f");
        ok(k);
        cp_array *line = float32_range(6), *x = cp_reshape(line, CP_SHAPE(2, 3)), *back = cp_flip(x, CP_AXES(0)),
                 *y = cp_zeros(CP_SHAPE(2, 3), CP_FLOAT32), *number = cp_float(1);
        cp_struct of_x, of_y;
        ok(cp_cstruct(back, &of_x) == CP_OK);
        ok(cp_mdspan(y, CP_INT32, &of_y) == CP_OK);
        cp_argument arguments[] = {cp_struct_argument(&of_x), cp_struct_argument(&of_y)};
        ok(cp_kernel_launch(k, (cp_dim3){1}, (cp_dim3){8}, 2, arguments, NULL) == CP_OK);
        check_values(y, 6, (double[]){6, 7, 8, 3, 4, 5});
        assert_int_equal(cp_mdspan(back, CP_INT64, &of_y), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        ok(cp_mdspan(back, CP_INT64, &of_y, .allow_unsafe = true) == CP_OK);
        assert_int_equal(of_y.value[3], -3);
        assert_int_equal(cp_mdspan(y, CP_FLOAT32, &of_y), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        assert_int_equal(cp_cstruct(number, &of_x), CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        cp_kernel_free(k);
        cp_free(line), cp_free(x), cp_free(back), cp_free(y), cp_free(number);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_of_some_sizes),
        cmocka_unit_test(sums_of_blocks),
        cmocka_unit_test(templates_and_variables),
        cmocka_unit_test(limits_and_errors),
        cmocka_unit_test(structs),
        cmocka_unit_test(faults),
    };
    return check_run(tests);
}
