"""The kernels that kernels_cpu.py times: CUDA C++ as programs write it, and the same work as plain loops in C++.

A row is CASES[name] = (arguments, grid, block, CUDA, C++). Both functions take the same arguments. An argument is `f N`
(float32, values in [0, 1)), `i N` (int32 below 1000), `d N` (float64), `o N`, `oi N` and `od N` (results, zeros),
or a number,
which is an int. N may be a product."""

CASES = {}


def case(name, arguments, grid, block, cuda, cpp, head=""):
    CASES[name] = (arguments, grid, block, head + 'extern "C" __global__ void k' + cuda.strip(),
                   'extern "C" void k' + cpp.strip())


I = "int i = blockIdx.x * blockDim.x + threadIdx.x; "
CG = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n"

# --- one loop ---
ROW = "(const float *x, const float *y, float *z, int n) "
ROWS = "f 1048576, f 1048576, o 1048576, 1048576"
for name, e in {"add": "x[i] + y[i]", "triad": "x[i] + 3.0f * y[i]", "polynomial":
                "((x[i] * 0.3f + y[i]) * x[i] - 0.7f) * x[i] + 1.5f", "root": "sqrtf(x[i] * x[i] + y[i] * y[i])",
                "choice": "x[i] > 0.5f ? x[i] * y[i] : y[i] - x[i]", "exponential": "expf(-x[i]) * y[i]"}.items():
    case(name, ROWS, (4096,), (256,), ROW + "{ " + I + f"if (i < n) z[i] = {e}; }}",
         ROW + f"{{ for (int i = 0; i < n; i++) z[i] = {e}; }}")
case("grid stride", ROWS, (64,), (256,), ROW + "{ for (" + I + "i < n; i += blockDim.x * gridDim.x) z[i] = x[i] * "
     "y[i] + "
     "z[i] * 0.5f; }", ROW + "{ for (int i = 0; i < n; i++) z[i] = x[i] * y[i] + z[i] * 0.5f; }")
case("integers", "i 1048576, oi 1048576, 1048576", (4096,), (256,), "(const int *x, int *z, int n) { " + I +
     "if (i < n) { int v = x[i]; v ^= v << 7; v += v >> 3; z[i] = v * 9 + 1; } }",
     "(const int *x, int *z, int n) { for (int i = 0; i < n; i++) { int v = x[i]; v ^= v << 7; v += v >> 3; z[i] = v "
     "* 9 "
     "+ 1; } }")
case("doubles", "d 524288, od 524288, 524288", (2048,), (256,), "(const double *x, double *z, int n) { " + I +
     "if (i < n) z[i] = x[i] / (1.0 + x[i] * x[i]); }", "(const double *x, double *z, int n) { for (int i = 0; i < n; "
                                                        "i++) "
     "z[i] = x[i] / (1.0 + x[i] * x[i]); }")
case("gather", "f 1048576, i 1048576, o 1048576, 1048576", (4096,), (256,), "(const float *x, const int *at, float "
     "*z, int "
     "n) { " + I + "if (i < n) z[i] = x[at[i]] * 2.0f; }", "(const float *x, const int *at, float *z, int n) { for "
                                                           "(int i = "
     "0; i < n; i++) z[i] = x[at[i]] * 2.0f; }")
case("mandelbrot", "oi 65536, 256", (16, 16), (16, 16), "(int *z, int n) { int x = blockIdx.x * 16 + threadIdx.x, y = "
     "blockIdx.y * 16 + threadIdx.y; float cr = x * 3.0f / n - 2.0f, ci = y * 2.0f / n - 1.0f, r = 0, i = 0; int k = "
     "0; "
     "for (; k < 100 && r * r + i * i < 4.0f; k++) { float t = r * r - i * i + cr; i = 2 * r * i + ci; r = t; } z[y * "
     "n + "
     "x] = k; }", "(int *z, int n) { for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) { float cr = x * 3.0f / "
                  "n - "
     "2.0f, ci = y * 2.0f / n - 1.0f, r = 0, i = 0; int k = 0; for (; k < 100 && r * r + i * i < 4.0f; k++) { float t "
     "= r * "
     "r - i * i + cr; i = 2 * r * i + ci; r = t; } z[y * n + x] = k; } }")
case("matrix and vector", "f 1048576, f 1024, o 1024, 1024", (8,), (128,), "(const float *a, const float *x, float "
     "*y, int "
     "n) { " + I + "if (i < n) { float s = 0; for (int k = 0; k < n; k++) s += a[k * n + i] * x[k]; y[i] = s; } }",
     "(const float *a, const float *x, float *y, int n) { for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k "
     "< n; k++) s += a[k * n + i] * x[k]; y[i] = s; } }")
case("product, naive", "f 65536, f 65536, o 65536, 256", (16, 16), (16, 16), "(const float *a, const float *b, float "
     "*c, "
     "int n) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; float s = 0; for (int k = 0; "
     "k < "
     "n; k++) s += a[y * n + k] * b[k * n + x]; c[y * n + x] = s; }", "(const float *a, const float *b, float *c, int "
     "n) { "
     "for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) { float s = 0; for (int k = 0; k < n; k++) s += a[y * n "
     "+ k] * "
     "b[k * n + x]; c[y * n + x] = s; } }")
case("bodies", "f 1024, f 1024, o 1024, 1024", (8,), (128,),
     "(const float *x, const float *m, float *f, int n) { " + I +
     "float s = 0; for (int k = 0; k < n; k++) { float d = x[k] - x[i]; s += m[k] * d / sqrtf(d * d + 0.01f); } f[i] "
     "= s; }",
     "(const float *x, const float *m, float *f, int n) { for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; "
     "k < n; "
     "k++) { float d = x[k] - x[i]; s += m[k] * d / sqrtf(d * d + 0.01f); } f[i] = s; } }")

# --- stencils ---
S2 = "x[p - 1] + x[p + 1] + x[p - n] + x[p + n]"
S3 = f"{S2} + x[p - n * n] + x[p + n * n]"
for shape in ((32, 8), (16, 16)):
    case(f"stencil 2-d, {shape[0]} x {shape[1]}", "f 1048576, o 1048576, 1024", (1024 // shape[0], 1024 // shape[1]),
         shape, "(const float *x, float *y, int n) { int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * "
         f"blockDim.y + threadIdx.y, p = r * n + c; if (c > 0 && c < n - 1 && r > 0 && r < n - 1) y[p] = 0.25f * "
         f"({S2}); "
         "}", "(const float *x, float *y, int n) { for (int r = 1; r < n - 1; r++) for (int c = 1; c < n - 1; c++) { "
              "int p "
         f"= r * n + c; y[p] = 0.25f * ({S2}); }} }}")
for shape in ((8, 8, 8), (32, 4, 2), (16, 4, 4)):
    case("stencil 3-d, {} x {} x {}".format(*shape), "f 2097152, o 2097152, 128", tuple(128 // s for s in shape), shape,
         "(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * "
         "blockDim.y + "
         "threadIdx.y, k = blockIdx.z * blockDim.z + threadIdx.z, p = (k * n + j) * n + i; if (i > 0 && i < n - 1 && "
         "j > 0 "
         f"&& j < n - 1 && k > 0 && k < n - 1) y[p] = x[p] + 0.1f * ({S3} - 6.0f * x[p]); }}",
         "(const float *x, float *y, int n) { for (int k = 1; k < n - 1; k++) for (int j = 1; j < n - 1; j++) for "
         "(int i = "
         f"1; i < n - 1; i++) {{ int p = (k * n + j) * n + i; y[p] = x[p] + 0.1f * ({S3} - 6.0f * x[p]); }} }}")
case("stencil 2-d, shared", "f 1048576, o 1048576, 1024", (64, 64), (16, 16), "(const float *x, float *y, int n) { "
     "__shared__ float s[18][18]; int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16 + tx, r = blockIdx.y * "
     "16 + "
     "ty; s[ty + 1][tx + 1] = x[r * n + c]; if (tx == 0) s[ty + 1][0] = c ? x[r * n + c - 1] : 0; if (tx == 15) s[ty "
     "+ 1][17] "
     "= c < n - 1 ? x[r * n + c + 1] : 0; if (ty == 0) s[0][tx + 1] = r ? x[(r - 1) * n + c] : 0; if (ty == 15) "
     "s[17][tx + 1] "
     "= r < n - 1 ? x[(r + 1) * n + c] : 0; __syncthreads(); y[r * n + c] = 0.25f * (s[ty][tx + 1] + s[ty + 2][tx + "
     "1] + "
     "s[ty + 1][tx] + s[ty + 1][tx + 2]); }", "(const float *x, float *y, int n) { for (int r = 0; r < n; r++) for "
                                              "(int c = "
     "0; c < n; c++) { int p = r * n + c; y[p] = 0.25f * ((r ? x[p - n] : 0) + (r < n - 1 ? x[p + n] : 0) + (c ? x[p "
     "- 1] "
     ": 0) + (c < n - 1 ? x[p + 1] : 0)); } }")
case("stencil 1-d, shared", "f 1048576, o 1048576, 1048576", (4096,), (256,), "(const float *x, float *y, int n) { "
     "__shared__ float s[256 + 6]; " + I + "int t = threadIdx.x + 3; s[t] = x[i]; if (threadIdx.x < 3) { s[t - 3] = i "
                                           ">= 3 "
     "? x[i - 3] : 0; s[t + 256] = i + 256 < n ? x[i + 256] : 0; } __syncthreads(); float r = 0; for (int k = -3; k "
     "<= 3; "
     "k++) r += s[t + k]; y[i] = r; }", "(const float *x, float *y, int n) { for (int i = 0; i < n; i++) { float r = "
                                        "0; for "
     "(int k = -3; k <= 3; k++) r += i + k >= 0 && i + k < n ? x[i + k] : 0; y[i] = r; } }")
case("convolution, constant", "f 1048576, f 81, o 1048576, 1024", (64, 64), (16, 16), "(const float *x, const float "
     "*w, "
     "float *y, int n) { int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y; if (c < 4 || r < 4 "
     "|| c "
     ">= n - 4 || r >= n - 4) return; float s = 0; for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) s += w[i * "
     "9 + "
     "j] * x[(r + i - 4) * n + c + j - 4]; y[r * n + c] = s; }", "(const float *x, const float *w, float *y, int n) { "
     "for "
     "(int r = 4; r < n - 4; r++) for (int c = 4; c < n - 4; c++) { float s = 0; for (int i = 0; i < 9; i++) for (int "
     "j = "
     "0; j < 9; j++) s += w[i * 9 + j] * x[(r + i - 4) * n + c + j - 4]; y[r * n + c] = s; } }")

# --- transposes ---
NATIVE = ("(const float *x, float *y, int n) { for (int r = 0; r < n; r += 32) for (int c = 0; c < n; c += 32) for "
          "(int i = "
          "0; i < 32; i++) for (int j = 0; j < 32; j++) y[(c + i) * n + r + j] = x[(r + j) * n + c + i]; }")
case("transpose, 32 x 8", "f 1048576, o 1048576, 1024", (32, 32), (32, 8), "(const float *x, float *y, int n) { "
     "__shared__ "
     "float s[32][33]; int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y; for (int j = 0; j < "
     "32; j "
     "+= 8) s[threadIdx.y + j][threadIdx.x] = x[(r + j) * n + c]; __syncthreads(); c = blockIdx.y * 32 + threadIdx.x; "
     "r = "
     "blockIdx.x * 32 + threadIdx.y; for (int j = 0; j < 32; j += 8) y[(r + j) * n + c] = s[threadIdx.x][threadIdx.y + "
     "j]; }", NATIVE)
case("transpose, 16 x 16", "f 1048576, o 1048576, 1024", (64, 64), (16, 16), "(const float *x, float *y, int n) { "
     "__shared__ float s[16][17]; int tx = threadIdx.x, ty = threadIdx.y; s[ty][tx] = x[(blockIdx.y * 16 + ty) * n + "
     "blockIdx.x * 16 + tx]; __syncthreads(); y[(blockIdx.x * 16 + ty) * n + blockIdx.y * 16 + tx] = s[tx][ty]; }",
     NATIVE)
case("transpose, naive", "f 1048576, o 1048576, 1024", (32, 128), (32, 8), "(const float *x, float *y, int n) { int c "
     "= "
     "blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y; y[c * n + r] = x[r * n + c]; }", NATIVE)

# --- reductions ---
SUM = ("(const float *x, float *y, int n) { for (int b = 0; b < n / 256; b++) { float s[8] = {}; for (int i = 0; i < "
       "256; i++) "
       "s[i & 7] += x[b * 256 + i]; y[b] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])); } }")
TREE = ("(const float *x, float *y, int n) { __shared__ float s[256]; int t = threadIdx.x; s[t] = x[blockIdx.x * 256 "
        "+ t]; "
        "__syncthreads(); %s if (t == 0) y[blockIdx.x] = s[0]; }")
REDUCED = ("f 1048576, o 4096, 1048576", (4096,), (256,))
for name, loop in {
        "sequential": "for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }",
        "while": "int k = blockDim.x / 2; while (k != 0) { if (t < k) s[t] += s[t + k]; __syncthreads(); k /= 2; }",
        "interleaved": "for (int k = 1; k < blockDim.x; k *= 2) { if (t % (2 * k) == 0) s[t] += s[t + k]; "
                       "__syncthreads(); }",
        "strided": "for (int k = 1; k < 256; k *= 2) { int i = 2 * k * t; if (i < 256) s[i] += s[i + k]; "
                   "__syncthreads(); }"
}.items():
    case(f"reduction, {name}", *REDUCED, TREE % loop, SUM)
case("reduction, shuffles", *REDUCED, "(const float *x, float *y, int n) { __shared__ float s[8]; int t = "
                                      "threadIdx.x; float "
     "v = x[blockIdx.x * 256 + t]; for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o); if (t % "
     "32 == 0) "
     "s[t / 32] = v; __syncthreads(); if (t < 32) { v = t < 8 ? s[t] : 0; for (int o = 4; o > 0; o /= 2) v += "
     "__shfl_down_sync(0xffffffff, v, o); if (t == 0) y[blockIdx.x] = v; } }", SUM)
case("reduction, groups", *REDUCED, "(const float *x, float *y, int n) { __shared__ float s[256]; cg::thread_block b = "
     "cg::this_thread_block(); int t = b.thread_rank(); s[t] = x[blockIdx.x * 256 + t]; cg::sync(b); for (int k = "
     "b.size() / "
     "2; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; b.sync(); } if (t == 0) y[blockIdx.x] = s[0]; }", SUM, CG)
case("reduction, tiles", *REDUCED, "(const float *x, float *y, int n) { __shared__ float s[8]; auto b = "
     "cg::this_thread_block(); auto w = cg::tiled_partition<32>(b); float v = cg::reduce(w, x[blockIdx.x * 256 + "
     "b.thread_rank()], cg::plus<float>()); if (w.thread_rank() == 0) s[w.meta_group_rank()] = v; b.sync(); if "
     "(b.thread_rank() == 0) { float r = 0; for (int i = 0; i < 8; i++) r += s[i]; y[blockIdx.x] = r; } }", SUM, CG)
# The same by methods, functors and lambdas that hold the barriers.
OBJECT = "(const float *x, float *y, int n) { int t = threadIdx.x; float v = x[blockIdx.x * 256 + t]; "
WRITTEN = " if (t == 0) y[blockIdx.x] = v; }"
STEPS = "for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }"
DOWN = "for (int o = 16; o > 0; o /= 2) "
case("reduction, method", *REDUCED, OBJECT + "__shared__ float s[256]; Block b{s}; v = b.sum(v);" + WRITTEN, SUM,
     "struct Block { float *s; __device__ float sum(float v) { int t = threadIdx.x; s[t] = v; __syncthreads(); " +
     STEPS + " return s[0]; } };\n")
case("reduction, class with storage", *REDUCED, OBJECT + "__shared__ Sum<float, 256>::Storage s; v = Sum<float, "
     "256>(s).of(v, Plus());" + WRITTEN, SUM,
     "struct Plus { __device__ float operator()(float a, float b) const { return a + b; } };\n"
     "template <typename T, int N> class Sum { public: struct Storage { T s[N]; }; __device__ Sum(Storage &to) : "
     "store(to), t(threadIdx.x) {} template <class Op> __device__ T of(T v, Op op) { store.s[t] = v; "
     "__syncthreads(); for (int k = N / 2; k > 0; k >>= 1) { if (t < k) store.s[t] = op(store.s[t], store.s[t + k]); "
     "__syncthreads(); } return store.s[0]; } private: Storage &store; int t; };\n")
case("reduction, functor of shuffles", *REDUCED, OBJECT + "__shared__ float s[8]; Warp sum; v = sum(v); if (t % 32 == "
     "0) s[t / 32] = v; __syncthreads(); if (t < 32) v = sum(t < 8 ? s[t] : 0.0f);" + WRITTEN, SUM,
     "struct Warp { __device__ float operator()(float v) const { " + DOWN + "v += __shfl_down_sync(0xffffffff, v, o); "
     "return v; } };\n")
case("reduction, lambda", *REDUCED, OBJECT + "v = fold(v, [](float a, float b) { return a + b; });" + WRITTEN, SUM,
     "template <class T, class Op> __device__ T fold(T v, Op op) { __shared__ T s[8]; int t = threadIdx.x; " + DOWN +
     "v = op(v, __shfl_down_sync(0xffffffff, v, o)); if (t % 32 == 0) s[t / 32] = v; __syncthreads(); if (t < 32) { "
     "v = t < 8 ? s[t] : T(0); " + DOWN + "v = op(v, __shfl_down_sync(0xffffffff, v, o)); } return v; }\n")
case("reduction, lambda with barriers", *REDUCED, OBJECT + "__shared__ float s[256]; auto sum = [&](float v) { s[t] = "
     "v; __syncthreads(); " + STEPS + " return s[0]; }; v = sum(v);" + WRITTEN, SUM)
case("dot product", "f 1048576, f 1048576, o 64, 1048576", (64,), (256,), "(const float *x, const float *y, float *z, "
     "int n) "
     "{ __shared__ float s[256]; int t = threadIdx.x; float v = 0; for (" + I + "i < n; i += blockDim.x * gridDim.x) "
     "v += "
     "x[i] * y[i]; s[t] = v; __syncthreads(); for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; "
     "__syncthreads(); } if (t == 0) z[blockIdx.x] = s[0]; }", "(const float *x, const float *y, float *z, int n) { "
     "for (int "
     "b = 0; b < 64; b++) { float s[256] = {}; for (int i = b * 256; i < n; i += 64 * 256) for (int t = 0; t < 256; "
     "t++) s[t] "
     "+= x[i + t] * y[i + t]; float r = 0; for (int t = 0; t < 256; t++) r += s[t]; z[b] = r; } }")
case("rows of a softmax", "f 1048576, o 1048576, 256", (4096,), (256,), "(const float *x, float *y, int n) { "
     "__shared__ float "
     "s[256]; int t = threadIdx.x; float v = x[blockIdx.x * n + t]; s[t] = v; __syncthreads(); for (int k = 128; k > "
     "0; k >>= "
     "1) { if (t < k) s[t] = fmaxf(s[t], s[t + k]); __syncthreads(); } float m = s[0]; __syncthreads(); float e = "
     "expf(v - "
     "m); s[t] = e; __syncthreads(); for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; "
     "__syncthreads(); } "
     "y[blockIdx.x * n + t] = e / s[0]; }", "(const float *x, float *y, int n) { for (int b = 0; b < 4096; b++) { "
                                            "const float "
     "*p = x + b * n; float *q = y + b * n, m = p[0], s = 0; for (int i = 0; i < n; i++) m = p[i] > m ? p[i] : m; for "
     "(int i = "
     "0; i < n; i++) q[i] = expf(p[i] - m); for (int i = 0; i < n; i++) s += q[i]; for (int i = 0; i < n; i++) q[i] "
     "/= s; } }")

# --- products of matrices ---
MULTIPLY = ("(const float *a, const float *b, float *c, int n) { for (int y = 0; y < n; y++) { for (int x = 0; x < n; "
            "x++) c[y "
            "* n + x] = 0; for (int k = 0; k < n; k++) for (int x = 0; x < n; x++) c[y * n + x] += a[y * n + k] * b[k "
            "* n + x]; "
            "} }")
TILED = ("(const float *a, const float *b, float *c, int n) {{ __shared__ float s[{0}][{0}], u[{0}][{0}]; int x = "
         "threadIdx.x, "
         "y = threadIdx.y, row = blockIdx.y * {0} + y, col = blockIdx.x * {0} + x; float v = 0; {1} {{ {2} "
         "__syncthreads(); "
         "for (int k = 0; k < {0}; k++) v += s[y][k] * u[k][x]; __syncthreads(); }} c[row * n + col] = v; }}")
LOAD = "s[y][x] = a[row * n + m * {0} + x]; u[y][x] = b[(m * {0} + y) * n + col];"
for size in (16, 32):
    case(f"product, {size} x {size}", "f 65536, f 65536, o 65536, 256", (256 // size,) * 2, (size, size),
         TILED.format(size, f"for (int m = 0; m < n / {size}; m++)", LOAD.format(size)), MULTIPLY)
case("product, two counters", "f 65536, f 65536, o 65536, 256", (8, 8), (32, 32), TILED.format(
    32, "int first = n * 32 * blockIdx.y, last = first + n - 1; for (int p = first, q = 32 * blockIdx.x; p <= last; p "
        "+= 32, q "
    "+= 32 * n)", "s[y][x] = a[p + n * y + x]; u[y][x] = b[q + n * y + x];"), MULTIPLY)

# --- others with barriers ---
case("histogram, shared", "i 1048576, oi 1024, 1048576", (64,), (256,), "(const int *x, int *y, int n) { __shared__ "
     "int s[1024]; "
     "for (int k = threadIdx.x; k < 1024; k += 256) s[k] = 0; __syncthreads(); for (" + I + "i < n; i += blockDim.x * "
     "gridDim.x) atomicAdd(&s[x[i]], 1); __syncthreads(); for (int k = threadIdx.x; k < 1024; k += 256) "
     "atomicAdd(&y[k], "
     "s[k]); }", "(const int *x, int *y, int n) { for (int i = 0; i < n; i++) y[x[i]]++; }")
case("scan, Hillis and Steele", "i 262144, oi 262144, 262144", (1024,), (256,), "(const int *x, int *y, int n) { "
     "__shared__ int "
     "s[256]; int t = threadIdx.x; s[t] = x[blockIdx.x * 256 + t]; __syncthreads(); for (int d = 1; d < 256; d *= 2) "
     "{ int v = "
     "t >= d ? s[t - d] : 0; __syncthreads(); s[t] += v; __syncthreads(); } y[blockIdx.x * 256 + t] = s[t]; }",
     "(const int *x, int *y, int n) { for (int b = 0; b < n; b += 256) { int s = 0; for (int i = b; i < b + 256; i++) "
     "y[i] = s "
     "+= x[i]; } }")
case("scan, shuffles", "i 262144, oi 262144, 262144", (1024,), (256,), "(const int *x, int *y, int n) { __shared__ "
     "int s[8]; int t = "
     "threadIdx.x, v = x[blockIdx.x * 256 + t]; for (int d = 1; d < 32; d *= 2) { int w = __shfl_up_sync(0xffffffff, "
     "v, d); if "
     "(t % 32 >= d) v += w; } if (t % 32 == 31) s[t / 32] = v; __syncthreads(); for (int k = 0; k < t / 32; k++) v += "
     "s[k]; "
     "y[blockIdx.x * 256 + t] = v; }", "(const int *x, int *y, int n) { for (int b = 0; b < n; b += 256) { int s = 0; "
                                       "for (int i "
     "= b; i < b + 256; i++) y[i] = s += x[i]; } }")
case("bitonic sort", "i 65536, oi 65536, 65536", (256,), (256,), "(const int *x, int *y, int n) { __shared__ int "
     "s[256]; int t = "
     "threadIdx.x; s[t] = x[blockIdx.x * 256 + t]; __syncthreads(); for (int k = 2; k <= 256; k *= 2) for (int j = k "
     "/ 2; j > 0; "
     "j /= 2) { int o = t ^ j; if (o > t && (s[t] > s[o]) == ((t & k) == 0)) { int v = s[t]; s[t] = s[o]; s[o] = v; } "
     "__syncthreads(); } y[blockIdx.x * 256 + t] = s[t]; }", "(const int *x, int *y, int n) { for (int b = 0; b < n; "
     "b += 256) { "
     "int *s = y + b; for (int i = 0; i < 256; i++) s[i] = x[b + i]; for (int k = 2; k <= 256; k *= 2) for (int j = k "
     "/ 2; j > 0; "
     "j /= 2) for (int t = 0; t < 256; t++) { int o = t ^ j; if (o > t && (s[t] > s[o]) == ((t & k) == 0)) { int v = "
     "s[t]; s[t] "
     "= s[o]; s[o] = v; } } } }")
