// Kernels as applications have them: records with methods, operators, functors, virtual functions, lambdas, recursion;
// hashes, ciphers, graphs, dynamic programming, geometry, networks.
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ inline int here() { return blockIdx.x * blockDim.x + threadIdx.x; }

// --- hashes, ciphers, texts ---

extern "C" __global__ void crc32_rows(const unsigned char *x, u32 *out, int rows, int columns)
{
    int r = here();
    if (r >= rows) return;
    u32 c = ~0u;
    for (int i = 0; i < columns; i++) {
        c ^= x[(long long)r * columns + i];
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    out[r] = ~c;
}

struct Adler {
    u32 a, b;
    __device__ Adler() : a(1), b(0) {}
    __device__ void add(unsigned char c) { a = (a + c) % 65521u, b = (b + a) % 65521u; }
    __device__ operator u32() const { return b << 16 | a; }
};

extern "C" __global__ void adler32_rows(const unsigned char *x, u32 *out, int rows, int columns)
{
    for (int r = here(); r < rows; r += gridDim.x * blockDim.x) {
        Adler sum;
        for (int i = 0; i < columns; i++) sum.add(x[(long long)r * columns + i]);
        out[r] = sum;
    }
}

class Murmur {
    u32 h;
    static __device__ u32 mixed(u32 k) { return __funnelshift_l(k * 0xcc9e2d51u, k * 0xcc9e2d51u, 15) * 0x1b873593u; }

public:
    __device__ explicit Murmur(u32 seed) : h(seed) {}
    __device__ Murmur &operator<<(u32 word)
    {
        h ^= mixed(word);
        h = __funnelshift_l(h, h, 13) * 5 + 0xe6546b64u;
        return *this;
    }
    __device__ u32 finish(u32 bytes)
    {
        h ^= bytes;
        h = (h ^ h >> 16) * 0x85ebca6bu, h = (h ^ h >> 13) * 0xc2b2ae35u;
        return h ^ h >> 16;
    }
};

extern "C" __global__ void murmur3(const u32 *x, u32 *out, int rows, int words, u32 seed)
{
    int r = here();
    if (r >= rows) return;
    Murmur m(seed);
    for (int i = 0; i < words; i++) m << x[r * words + i];
    out[r] = m.finish(4 * words);
}

extern "C" __global__ void xtea(uint2 *blocks, const u32 *key, int n, bool back)
{
    __shared__ u32 k[4];
    if (threadIdx.x < 4) k[threadIdx.x] = key[threadIdx.x];
    __syncthreads();
    int i = here();
    if (i >= n) return;
    uint2 v = blocks[i];
    const u32 delta = 0x9e3779b9u;
    u32 sum = back ? delta * 32 : 0;
    for (int round = 0; round < 32; round++) {
        if (!back) {
            v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + k[sum & 3]);
            sum += delta;
            v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + k[sum >> 11 & 3]);
        } else {
            v.y -= ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + k[sum >> 11 & 3]);
            sum -= delta;
            v.x -= ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + k[sum & 3]);
        }
    }
    blocks[i] = v;
}

extern "C" __global__ void base64(const unsigned char *x, char *out, int groups)
{
    const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int g = here();
    if (g >= groups) return;
    u32 three = x[3 * g] << 16 | x[3 * g + 1] << 8 | x[3 * g + 2];
    for (int i = 0; i < 4; i++) out[4 * g + i] = letters[three >> (18 - 6 * i) & 63];
}

extern "C" __global__ void hamming_distances(const u64 *x, int *out, int n, int words)
{
    int i = here(), j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    int d = 0;
    for (int w = 0; w < words; w++) d += __popcll(x[i * words + w] ^ x[j * words + w]);
    out[j * n + i] = d;
}

// --- numbers ---

template <typename T> struct Matrix2 {
    T a, b, c, d;
    __device__ Matrix2 operator*(const Matrix2 &o) const
    {
        const T m = 1000000007;
        return {(a * o.a + b * o.c) % m, (a * o.b + b * o.d) % m, (c * o.a + d * o.c) % m, (c * o.b + d * o.d) % m};
    }
};

extern "C" __global__ void fibonacci(const u64 *n, u64 *out, int count)
{
    int i = here();
    if (i >= count) return;
    Matrix2<u64> r{1, 0, 0, 1}, p{1, 1, 1, 0};
    for (u64 e = n[i]; e; e >>= 1, p = p * p)
        if (e & 1) r = r * p;
    out[i] = r.b;
}

template <typename T> __device__ T gcd(T a, T b) { return b ? gcd(b, a % b) : a; }

template <typename T> __global__ void totients(const T *n, T *out, int count)
{
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        __shared__ T sum;
        if (!threadIdx.x) sum = 0;
        __syncthreads();
        T own = 0;
        for (T k = 1 + threadIdx.x; k <= n[i]; k += blockDim.x) own += gcd(k, n[i]) == 1;
        atomicAdd(&sum, own);
        __syncthreads();
        if (!threadIdx.x) out[i] = sum;
        __syncthreads();
    }
}

struct Modulo {
    u64 n;
    __device__ u64 times(u64 a, u64 b) const { return a * b % n; } // n below 2^32
    __device__ u64 power(u64 a, u64 e) const
    {
        u64 r = 1;
        for (a %= n; e; e >>= 1, a = times(a, a))
            if (e & 1) r = times(r, a);
        return r;
    }
};

extern "C" __global__ void miller_rabin(const u32 *x, bool *prime, int count)
{
    int i = here();
    if (i >= count) return;
    const u32 n = x[i];
    bool good = n > 1 && (n == 2 || n & 1);
    const Modulo m{n};
    const u32 witnesses[] = {2, 7, 61};
    u32 d = n - 1, s = 0;
    while (n > 2 && !(d & 1)) d >>= 1, s++;
    for (u32 w : witnesses) {
        if (!good || n == 2 || w % n == 0) continue;
        u64 y = m.power(w, d);
        bool passes = y == 1 || y == n - 1;
        for (u32 k = 1; k < s && !passes; k++) y = m.times(y, y), passes = y == n - 1;
        good = passes;
    }
    prime[i] = good;
}

struct Wide {
    u32 limb[8];
    __device__ friend Wide operator+(const Wide &a, const Wide &b)
    {
        Wide r;
        u64 carry = 0;
#pragma unroll
        for (int i = 0; i < 8; i++) carry += (u64)a.limb[i] + b.limb[i], r.limb[i] = (u32)carry, carry >>= 32;
        return r;
    }
    __device__ Wide &operator*=(u32 f)
    {
        u64 carry = 0;
        for (int i = 0; i < 8; i++) carry += (u64)limb[i] * f, limb[i] = (u32)carry, carry >>= 32;
        return *this;
    }
};

extern "C" __global__ void wide_numbers(const Wide *a, const Wide *b, Wide *out, u32 f, int n)
{
    int i = here();
    if (i >= n) return;
    Wide r = a[i] + b[i];
    out[i] = r *= f;
}

struct Gaussian {
    int re, im;
    __device__ Gaussian(int re = 0, int im = 0) : re(re), im(im) {}
    __device__ Gaussian operator*(Gaussian o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
    __device__ Gaussian operator-() const { return Gaussian(-re, -im); }
    __device__ int &operator[](int part) { return part ? im : re; }
};

extern "C" __global__ void gaussian_powers(const int2 *x, int2 *out, int e, int n)
{
    int i = here();
    if (i >= n) return;
    Gaussian z(x[i].x, x[i].y), r = 1;
    for (int k = 0; k < e; k++) r = r * z;
    r = -r;
    out[i] = make_int2(r[0], r[1]);
}

__device__ int queens(u32 columns, u32 left, u32 right, u32 all)
{
    if (columns == all) return 1;
    int n = 0;
    for (u32 free = all & ~(columns | left | right); free; free &= free - 1) {
        u32 one = free & -free;
        n += queens(columns | one, (left | one) << 1, (right | one) >> 1, all);
    }
    return n;
}

extern "C" __global__ void count_queens(int n, int *count) // a thread for each place in the first row
{
    int i = here();
    if (i >= n) return;
    u32 one = 1u << i;
    atomicAdd(count, queens(one, one << 1, one >> 1, (1u << n) - 1));
}

// --- graphs ---

extern "C" __global__ void triangles(const int *start, const int *to, int n, u64 *count)
{
    int v = here();
    if (v >= n) return;
    auto has = [&](int a, int b) {
        int lo = start[a], hi = start[a + 1];
        while (lo < hi) {
            int mid = (lo + hi) / 2;
            if (to[mid] < b) lo = mid + 1;
            else hi = mid;
        }
        return lo < start[a + 1] && to[lo] == b;
    };
    int found = 0;
    for (int i = start[v]; i < start[v + 1]; i++)
        for (int j = i + 1; j < start[v + 1]; j++) found += to[i] > v && has(to[i], to[j]);
    if (found) atomicAdd(count, (u64)found);
}

extern "C" __global__ void jaccard(const int *start, const int *to, const int2 *pairs, double *out, int n)
{
    int k = here();
    if (k >= n) return;
    int i = start[pairs[k].x], j = start[pairs[k].y], common = 0;
    const int ei = start[pairs[k].x + 1], ej = start[pairs[k].y + 1], all = ei - i + ej - j;
    while (i < ei && j < ej) {
        int a = to[i], b = to[j];
        common += a == b, i += a <= b, j += b <= a;
    }
    out[k] = all ? (double)common / (all - common) : 0;
}

extern "C" __global__ void pagerank_step(const int *start, const int *from, const int *degree, const double *rank,
                                         double *next, double damping, int n)
{
    int v = here();
    if (v >= n) return;
    double sum = 0;
    for (int i = start[v]; i < start[v + 1]; i++) sum += rank[from[i]] / degree[from[i]];
    next[v] = (1 - damping) / n + damping * sum;
}

__device__ int root(int *parent, int v)
{
    int p = parent[v];
    while (p != parent[p]) {
        parent[v] = parent[p]; // path halving
        v = p, p = parent[v];
    }
    return p;
}

extern "C" __global__ void hook(const int2 *edges, int *parent, int n)
{
    int i = here();
    if (i >= n) return;
    int a = root(parent, edges[i].x), b = root(parent, edges[i].y);
    while (a != b) {
        if (a < b) {
            int t = a;
            a = b, b = t;
        }
        int seen = atomicCAS(&parent[a], a, b);
        if (seen == a) break;
        a = root(parent, seen), b = root(parent, b);
    }
}

extern "C" __global__ void flatten(int *parent, int n)
{
    int v = here();
    if (v < n) {
        int p = v;
        while (p != parent[p]) p = parent[p];
        parent[v] = p;
    }
}

extern "C" __global__ void independent_round(const int *start, const int *to, const u32 *priority, const char *state,
                                             char *next, int n)
{
    int v = here(); // states: 0 undecided, 1 in the set, 2 out of it
    if (v >= n) return;
    char s = state[v];
    if (!s) {
        bool greatest = true, beside = false;
        for (int i = start[v]; i < start[v + 1]; i++) {
            beside |= state[to[i]] == 1;
            greatest &= state[to[i]] == 2 || priority[v] > priority[to[i]];
        }
        s = beside ? 2 : greatest ? 1 : 0;
    }
    next[v] = s;
}

// --- dynamic programming ---

extern "C" __global__ void pathfinder(const int *wall, int *out, int rows, int columns)
{
    extern __shared__ int cost[]; // two rows
    int *before = cost, *now = cost + columns;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) before[c] = wall[c];
    for (int r = 1; r < rows; r++) {
        __syncthreads();
        for (int c = threadIdx.x; c < columns; c += blockDim.x) {
            int least = before[c];
            if (c) least = min(least, before[c - 1]);
            if (c + 1 < columns) least = min(least, before[c + 1]);
            now[c] = least + wall[r * columns + c];
        }
        int *t = before;
        before = now, now = t;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += blockDim.x) out[c] = before[c];
}

extern "C" __global__ void needleman_wunsch(const char *a, const char *b, int *score, int n, int m, int gap)
{
    const int w = m + 1; // (n + 1) x (m + 1), one block, a diagonal at a time
    for (int k = threadIdx.x; k <= n || k <= m; k += blockDim.x) {
        if (k <= n) score[k * w] = -gap * k;
        if (k <= m) score[k] = -gap * k;
    }
    for (int d = 2; d <= n + m; d++) {
        __syncthreads();
        for (int i = max(1, d - m) + threadIdx.x; i <= min(n, d - 1); i += blockDim.x) {
            int j = d - i, s = score[(i - 1) * w + j - 1] + (a[i - 1] == b[j - 1] ? 2 : -1);
            score[i * w + j] = max(s, max(score[(i - 1) * w + j], score[i * w + j - 1]) - gap);
        }
    }
}

// Coins are at least blockDim.x.
extern "C" __global__ void count_change(const int *coins, int kinds, int amount, u64 *ways)
{
    for (int i = threadIdx.x; i <= amount; i += blockDim.x) ways[i] = i == 0;
    for (int k = 0; k < kinds; k++)
        for (int first = coins[k]; first <= amount; first += blockDim.x) {
            __syncthreads();
            int i = first + threadIdx.x;
            if (i <= amount) ways[i] += ways[i - coins[k]];
        }
}

// --- pictures ---

struct Least {
    static __device__ int start() { return 2147483647; }
    __device__ int operator()(int a, int b) const { return a < b ? a : b; }
};
struct Greatest {
    static __device__ int start() { return -2147483647 - 1; }
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

template <class Op, int R> __global__ void morphology(const int *x, int *out, int height, int width)
{
    __shared__ int tile[16 + 2 * R][16 + 2 * R];
    Op op;
    for (int ty = threadIdx.y; ty < 16 + 2 * R; ty += 16)
        for (int tx = threadIdx.x; tx < 16 + 2 * R; tx += 16) {
            int r = blockIdx.y * 16 + ty - R, c = blockIdx.x * 16 + tx - R;
            tile[ty][tx] = r >= 0 && r < height && c >= 0 && c < width ? x[r * width + c] : Op::start();
        }
    __syncthreads();
    int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x, best = Op::start();
    for (int dy = 0; dy <= 2 * R; dy++)
        for (int dx = 0; dx <= 2 * R; dx++) best = op(best, tile[threadIdx.y + dy][threadIdx.x + dx]);
    if (r < height && c < width) out[r * width + c] = best;
}

__device__ void order(float &a, float &b)
{
    float least = fminf(a, b), greatest = fmaxf(a, b);
    a = least, b = greatest;
}

extern "C" __global__ void median_3x3(const float *x, float *out, int height, int width)
{
    int c = here(), r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= height || c >= width) return;
    float v[9];
    for (int k = 0; k < 9; k++) {
        int y = min(max(r + k / 3 - 1, 0), height - 1), z = min(max(c + k % 3 - 1, 0), width - 1);
        v[k] = x[y * width + z];
    }
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++) order(v[i], v[j]);
    out[r * width + c] = v[4];
}

extern "C" __global__ void bilateral(const float *x, float *out, int height, int width, int radius, float space,
                                     float colour)
{
    int c = here(), r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= height || c >= width) return;
    float sum = 0, weights = 0, own = x[r * width + c];
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            int y = min(max(r + dy, 0), height - 1), z = min(max(c + dx, 0), width - 1);
            float v = x[y * width + z], d = v - own;
            float w = expf(-(dx * dx + dy * dy) / (2 * space * space) - d * d / (2 * colour * colour));
            sum += w * v, weights += w;
        }
    out[r * width + c] = sum / weights;
}

extern "C" __global__ void integral_rows(const int *x, int *out, int height, int width)
{
    int r = here(), sum = 0;
    if (r < height)
        for (int c = 0; c < width; c++) out[r * width + c] = sum += x[r * width + c];
}

extern "C" __global__ void integral_columns(int *x, int height, int width)
{
    int c = here(), sum = 0;
    if (c < width)
        for (int r = 0; r < height; r++) x[r * width + c] = sum += x[r * width + c];
}

extern "C" __global__ void resize_bilinear(const float *x, float *out, int h, int w, int height, int width)
{
    int c = here(), r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= height || c >= width) return;
    float fy = (r + 0.5f) * h / height - 0.5f, fx = (c + 0.5f) * w / width - 0.5f;
    int y = (int)floorf(fy), z = (int)floorf(fx);
    fy -= y, fx -= z;
    int y0 = min(max(y, 0), h - 1), y1 = min(max(y + 1, 0), h - 1);
    int z0 = min(max(z, 0), w - 1), z1 = min(max(z + 1, 0), w - 1);
    float top = x[y0 * w + z0] * (1 - fx) + x[y0 * w + z1] * fx;
    float bottom = x[y1 * w + z0] * (1 - fx) + x[y1 * w + z1] * fx;
    out[r * width + c] = top * (1 - fy) + bottom * fy;
}

extern "C" __global__ void equalize(unsigned char *x, const int *cumulative, int n)
{
    __shared__ unsigned char table[256];
    const int least = cumulative[0], all = cumulative[255];
    for (int v = threadIdx.x; v < 256; v += blockDim.x)
        table[v] = all > least ? (unsigned char)((long long)(cumulative[v] - least) * 255 / (all - least)) : 0;
    __syncthreads();
    for (int i = here(); i < n; i += gridDim.x * blockDim.x) x[i] = table[x[i]];
}

extern "C" __global__ void dct_8x8(const float *x, float *out, int width)
{
    __shared__ float wave[8][8], in[8][8], half[8][8];
    const int u = threadIdx.y, v = threadIdx.x;
    wave[u][v] = (u ? 0.5f : 0.35355339f) * cospif((2 * v + 1) * u / 16.0f);
    const int at = (blockIdx.y * 8 + u) * width + blockIdx.x * 8 + v;
    in[u][v] = x[at];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 8; k++) s += in[u][k] * wave[v][k];
    half[u][v] = s;
    __syncthreads();
    s = 0;
    for (int k = 0; k < 8; k++) s += wave[u][k] * half[k][v];
    out[at] = s;
}

extern "C" __global__ void haar_1d(int *x, int n) // one block a row of n = 2^k integers; sums and differences
{
    extern __shared__ int row[];
    int *line = x + (long long)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = line[i];
    __syncthreads();
    for (int size = n / 2; size; size /= 2) {
        for (int i = threadIdx.x; i < size; i += blockDim.x) line[size + i] = row[2 * i] - row[2 * i + 1];
        int sum = 0;
        if (threadIdx.x < size) sum = row[2 * threadIdx.x] + row[2 * threadIdx.x + 1];
        __syncthreads();
        if (threadIdx.x < size) row[threadIdx.x] = sum;
        __syncthreads();
    }
    if (!threadIdx.x) line[0] = row[0];
}

// --- geometry ---

struct Vec {
    float x, y, z;
    __device__ friend Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    __device__ friend Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    __device__ friend Vec operator*(float f, Vec a) { return {f * a.x, f * a.y, f * a.z}; }
    __device__ float dot(Vec o) const { return x * o.x + y * o.y + z * o.z; }
    __device__ Vec cross(Vec o) const { return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x}; }
};

struct Quaternion {
    float w;
    Vec v;
    __device__ Vec turn(Vec a) const
    {
        Vec t = 2.0f * v.cross(a);
        return a + w * t + v.cross(t);
    }
};

extern "C" __global__ void rotate(const Quaternion *q, const Vec *a, Vec *out, int n)
{
    int i = here();
    if (i < n) out[i] = q[i].turn(a[i]);
}

struct Shape {
    __device__ virtual double area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    double side;
    __device__ Square(double side) : side(side) {}
    __device__ double area() const override { return side * side; }
};
struct Triangle : Shape {
    double base, height;
    __device__ Triangle(double base, double height) : base(base), height(height) {}
    __device__ double area() const override { return base * height / 2; }
};

extern "C" __global__ void areas(const int *kind, const double *size, double *out, int n)
{
    int i = here();
    if (i >= n) return;
    Square square(size[i]);
    Triangle triangle(size[i], 3);
    const Shape *shape = kind[i] ? (const Shape *)&triangle : &square;
    out[i] = shape->area();
}

extern "C" __global__ void points_in_polygon(const float2 *points, const float2 *corners, int n, int m, bool *inside)
{
    int i = here();
    if (i >= n) return;
    float2 p = points[i];
    bool in = false;
    for (int a = 0, b = m - 1; a < m; b = a++) {
        float2 s = corners[a], t = corners[b];
        if ((s.y > p.y) != (t.y > p.y) && p.x < (t.x - s.x) * (p.y - s.y) / (t.y - s.y) + s.x) in = !in;
    }
    inside[i] = in;
}

struct Place {
    double latitude, longitude;
    __device__ double distance(const Place &o) const
    {
        double a = sin((o.latitude - latitude) / 2), b = sin((o.longitude - longitude) / 2);
        return 2 * 6371.0 * asin(sqrt(a * a + cos(latitude) * cos(o.latitude) * b * b));
    }
};

extern "C" __global__ void haversine(const Place *a, const Place *b, double *out, int n)
{
    int i = here();
    if (i < n) out[i] = a[i].distance(b[i]);
}

template <int K> __global__ void nearest(const int3 *points, const int3 *asked, int *out, int n, int m)
{
    __shared__ int3 tile[64];
    int q = here(), best[K], where[K];
    for (int k = 0; k < K; k++) best[k] = 2147483647, where[k] = -1;
    int3 a = q < m ? asked[q] : make_int3(0, 0, 0);
    for (int from = 0; from < n; from += 64) {
        __syncthreads();
        if (threadIdx.x < 64 && from + threadIdx.x < n) tile[threadIdx.x] = points[from + threadIdx.x];
        __syncthreads();
        for (int t = 0; t < min(64, n - from); t++) {
            int x = tile[t].x - a.x, y = tile[t].y - a.y, z = tile[t].z - a.z, d = x * x + y * y + z * z, k = K - 1;
            if (d >= best[k]) continue;
            for (; k > 0 && best[k - 1] > d; k--) best[k] = best[k - 1], where[k] = where[k - 1];
            best[k] = d, where[k] = from + t;
        }
    }
    for (int k = 0; k < K && q < m; k++) out[q * K + k] = where[k];
}

// --- simulation ---

template <class F> __device__ Vec rk4(F f, Vec y, float h)
{
    Vec a = f(y), b = f(y + 0.5f * h * a), c = f(y + 0.5f * h * b), d = f(y + h * c);
    return y + h / 6 * (a + 2.0f * b + 2.0f * c + d);
}

extern "C" __global__ void lorenz(Vec *y, float h, int steps, int n)
{
    int i = here();
    if (i >= n) return;
    const float sigma = 10, rho = 28, beta = 8.0f / 3;
    auto flow = [=](Vec p) { return Vec{sigma * (p.y - p.x), p.x * (rho - p.z) - p.y, p.x * p.y - beta * p.z}; };
    Vec p = y[i];
    for (int s = 0; s < steps; s++) p = rk4(flow, p, h);
    y[i] = p;
}

struct Polynomial {
    double a, b, c;
    __device__ double operator()(double x) const { return (a * x + b) * x * x + c; }
};

template <class F, int LEVELS> __device__ double romberg(const F &f, double from, double to)
{
    double row[LEVELS], h = to - from;
    row[0] = h / 2 * (f(from) + f(to));
    for (int k = 1; k < LEVELS; k++) {
        double mid = 0, last = row[0], power = 1;
        h /= 2;
        for (int i = 1; i < 1 << k; i += 2) mid += f(from + i * h);
        row[0] = row[0] / 2 + h * mid;
        for (int j = 1; j <= k; j++) {
            power *= 4;
            double next = row[j - 1] + (row[j - 1] - last) / (power - 1);
            if (j < k) last = row[j];
            row[j] = next;
        }
    }
    return row[LEVELS - 1];
}

extern "C" __global__ void integrals(const double *a, double *out, int n)
{
    int i = here();
    if (i < n) out[i] = romberg<Polynomial, 5>(Polynomial{a[i], 1, -2}, 0, 2 + i % 3);
}

__device__ u32 hash(u32 a, u32 b)
{
    u32 h = a * 0x9e3779b1u ^ (b + 0x85ebca77u) * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    return h ^ h >> 13;
}

extern "C" __global__ void ising(signed char *spin, int n, int colour, u32 step, const u32 *chance)
{
    int c = here(), r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= n || c >= n || (r + c) % 2 != colour) return;
    int around = spin[(r + 1) % n * n + c] + spin[(r + n - 1) % n * n + c] + spin[r * n + (c + 1) % n] +
                 spin[r * n + (c + n - 1) % n], energy = spin[r * n + c] * around;
    if (energy <= 0 || hash(r * n + c, step) < chance[energy / 2]) spin[r * n + c] = -spin[r * n + c];
}

extern "C" __global__ void leaky_neurons(const float *current, float *v, int *spikes, int steps, int n)
{
    int i = here();
    if (i >= n) return;
    float u = v[i];
    int fired = 0;
    for (int s = 0; s < steps; s++) {
        u = 0.9375f * u + current[s * n + i];
        if (u >= 1) u = 0, fired++;
    }
    v[i] = u, spikes[i] = fired;
}

extern "C" __global__ void hotspot(const float *t, const float *power, float *out, int height, int width)
{
    int c = here(), r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= height || c >= width) return;
    auto at = [=](int y, int x) { return t[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)]; };
    float own = at(r, c);
    out[r * width + c] = own + 0.125f * (power[r * width + c] + at(r - 1, c) + at(r + 1, c) + at(r, c - 1) +
                                         at(r, c + 1) - 4 * own);
}

// --- networks ---

extern "C" __global__ void adam(float *w, float *m, float *v, const float *g, int step, float rate, int n)
{
    const float b1 = 0.9f, b2 = 0.999f;
    for (int i = here(); i < n; i += gridDim.x * blockDim.x) {
        m[i] = b1 * m[i] + (1 - b1) * g[i];
        v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
        w[i] -= rate * (m[i] / (1 - powf(b1, step))) / (sqrtf(v[i] / (1 - powf(b2, step))) + 1e-8f);
    }
}

template <int D> __global__ void attention(const float *q, const float *k, const float *v, float *out, int n)
{
    extern __shared__ float score[]; // a block for each query, blockDim.x >= D
    __shared__ float top, total;
    const float *own = q + blockIdx.x * D;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        float s = 0;
        for (int d = 0; d < D; d++) s += own[d] * k[j * D + d];
        score[j] = s * rsqrtf((float)D);
    }
    __syncthreads();
    if (!threadIdx.x) {
        top = score[0], total = 0;
        for (int j = 1; j < n; j++) top = fmaxf(top, score[j]);
        for (int j = 0; j < n; j++) total += score[j] = expf(score[j] - top);
    }
    __syncthreads();
    if (threadIdx.x < D) {
        float s = 0;
        for (int j = 0; j < n; j++) s += score[j] * v[j * D + threadIdx.x];
        out[blockIdx.x * D + threadIdx.x] = s / total;
    }
}

extern "C" __global__ void gelu(const float *x, float *out, int n)
{
    int i = here();
    if (i < n) out[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
}

extern "C" __global__ void embedding_bag(const int *table, const int *index, const int *start, int *out, int bags,
                                         int width)
{
    int b = blockIdx.x;
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        int sum = 0;
        for (int i = start[b]; i < start[b + 1]; i++) sum += table[index[i] * width + c];
        if (b < bags) out[b * width + c] = sum;
    }
}

extern "C" __global__ void scatter_add(int *out, const int *index, const int *value, int n)
{
    int i = here();
    if (i < n) atomicAdd(out + index[i], value[i]);
}
