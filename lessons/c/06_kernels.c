/* Lesson 6: kernels of your own, in C.
 *
 *     cc 06_kernels.c $(pkg-config --cflags --libs cuprite) -o kernels && ./kernels
 *
 * A formula as a string is computed in one pass over memory, without a compiler. A kernel in CUDA C++ is compiled when
 * the program runs: by NVRTC on a GPU, by the machine's C++ compiler on the CPU. */
#include "workshop.h"

static const char soft_source[] =
    "extern \"C\" __global__ void soft(const double *x, double t, double *y, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = x[i] > t ? x[i] - t : x[i] < -t ? x[i] + t : 0;\n"
    "}\n";

static const char julia_source[] =
    "extern \"C\" __global__ void julia(unsigned char *picture, int height, int width, double a, double b)\n"
    "{\n"
    "    int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    if (column >= width || row >= height) return;\n"
    "    double x = 3.0 * column / width - 1.5, y = 2.0 * row / height - 1.0;\n"
    "    int steps = 0;\n"
    "    for (; x * x + y * y < 4 && steps < 255; steps++) {\n"
    "        double next = x * x - y * y + a;\n"
    "        y = 2 * x * y + b;\n"
    "        x = next;\n"
    "    }\n"
    "    picture[row * width + column] = steps;\n"
    "}\n";

/* y = x made quiet by t, by the kernel. */
static cp_array *soft(cp_array *x, double t)
{
    cp_array *y = cp_empty_like(x, CP_FLOAT64);
    int n = (int)cp_size(x);
    cp_argument arguments[] = {{.array = x}, {.value = &t, .bytes = sizeof t}, {.array = y},
                               {.value = &n, .bytes = sizeof n}};
    cp_kernel *k = cp_kernel_compile(soft_source, "soft");
    cp_kernel_launch(k, (cp_dim3){(uint32_t)(n + 127) / 128, 1, 1}, (cp_dim3){128, 1, 1}, 4, arguments, NULL);
    cp_kernel_free(k);
    return y;
}

static cp_array *julia(void)
{
    cp_array *picture = cp_zeros(CP_SHAPE(HEIGHT, WIDTH), CP_UINT8);
    int height = HEIGHT, width = WIDTH;
    double a = -0.7, b = 0.27;
    cp_argument arguments[] = {{.array = picture}, {.value = &height, .bytes = sizeof height},
                               {.value = &width, .bytes = sizeof width}, {.value = &a, .bytes = sizeof a},
                               {.value = &b, .bytes = sizeof b}};
    cp_kernel *k = cp_kernel_compile(julia_source, "julia");
    cp_dim3 grid = {(WIDTH + 15) / 16, (HEIGHT + 15) / 16, 1};
    cp_kernel_launch(k, grid, (cp_dim3){16, 16, 1}, 5, arguments, NULL);
    cp_kernel_free(k);
    return picture;
}

int main(void)
{
    const double numbers[] = {-3, -0.5, 0, 0.5, 2};
    for (CP_SCOPE) {
        cp_array *x = cp_from_host(numbers, CP_FLOAT64, CP_SHAPE(5), NULL);
        const char *formula = "where(x > 1, x - 1, where(x < -1, x + 1, 0))";
        cp_print(cp_fused(formula, 1, (const char *[]){"x"}, &x));
        cp_print(soft(x, 1));

        cp_array *sky = workshop_sky();
        workshop_show(cp_clip(soft(sky, 3), cp_float(-3), cp_float(15)), "soft.png");
        cp_array *picture = julia();
        printf("at least one step: %d\n", cp_item_int(cp_min(picture)) > 0);
        cp_png_write("julia.png", picture);
    }
    return workshop_end();
}

/* It prints:
 *
 * [-2.  0.  0.  0.  1.]
 * [-2.  0.  0.  0.  1.]
 * at least one step: 1
 */
