// Sparse matrices, graphs, dynamic programming, text.

extern "C" __global__ void spmv_csr_scalar(int rows, const int *ptr, const int *indices, const float *data,
                                           const float *x, float *y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < rows) {
        float dot = 0;
        int row_start = ptr[row], row_end = ptr[row + 1];
        for (int jj = row_start; jj < row_end; jj++) dot += data[jj] * x[indices[jj]];
        y[row] += dot;
    }
}

// A warp a row; the lanes' sums are added in shared memory.
extern "C" __global__ void spmv_csr_vector(int rows, const int *ptr, const int *indices, const float *data,
                                           const float *x, float *y)
{
    __shared__ float vals[128];
    int thread_id = blockDim.x * blockIdx.x + threadIdx.x;
    int warp_id = thread_id / 32, lane = thread_id & (32 - 1), row = warp_id;
    if (row < rows) {
        vals[threadIdx.x] = 0;
        for (int jj = ptr[row] + lane; jj < ptr[row + 1]; jj += 32) vals[threadIdx.x] += data[jj] * x[indices[jj]];
        __syncwarp();
        for (int d = 16; d > 0; d >>= 1) {
            if (lane < d) vals[threadIdx.x] += vals[threadIdx.x + d];
            __syncwarp();
        }
        if (lane == 0) y[row] += vals[threadIdx.x];
    }
}

// One level of a breadth-first search; new vertices go to a queue.
extern "C" __global__ void bfs_step(const int *row, const int *neighbour, int *level, const int *frontier, int n,
                                    int *next, int *next_size, int depth)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int v = frontier[t];
    for (int e = row[v]; e < row[v + 1]; e++) {
        int u = neighbour[e];
        if (atomicCAS(&level[u], -1, depth) == -1) next[atomicAdd(next_size, 1)] = u;
    }
}

// With a queue of the block's own in shared memory, which overflows into the global one.
#define LOCAL_QUEUE 64

extern "C" __global__ void bfs_step_queued(const int *row, const int *neighbour, int *level, const int *frontier, int n,
                                           int *next, int *next_size, int depth)
{
    __shared__ int queue[LOCAL_QUEUE], size, start;
    if (threadIdx.x == 0) size = 0;
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) {
        int v = frontier[t];
        for (int e = row[v]; e < row[v + 1]; ++e) {
            int u = neighbour[e];
            if (atomicCAS(&level[u], -1, depth) != -1) continue;
            int at = atomicAdd(&size, 1);
            if (at < LOCAL_QUEUE) {
                queue[at] = u;
            } else {
                size = LOCAL_QUEUE;
                next[atomicAdd(next_size, 1)] = u;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        size = min(size, LOCAL_QUEUE);
        start = atomicAdd(next_size, size);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x) next[start + i] = queue[i];
}

// Shortest ways between all pairs, by way of vertex k.
extern "C" __global__ void floyd_warshall(int *distance, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    __shared__ int best;
    if (threadIdx.x == 0) best = distance[n * i + k];
    __syncthreads();
    if (j >= n) return;
    if (best == 1 << 29) return;
    int by = distance[k * n + j];
    if (by == 1 << 29) return;
    if (best + by < distance[n * i + j]) distance[n * i + j] = best + by;
}

// Bellman and Ford: one round over the edges.
extern "C" __global__ void relax_edges(const int *from, const int *to, const int *weight, int edges, int *distance,
                                       int *changed)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges && distance[from[e]] < (1 << 29)) {
        int d = distance[from[e]] + weight[e];
        if (d < atomicMin(&distance[to[e]], d)) *changed = 1;
    }
}

// Edit distance by diagonals, which take turns in shared memory: three of them are alive.
extern "C" __global__ void edit_distance(const char *a, int m, const char *b, int n, int *result)
{
    extern __shared__ int diagonals[];
    int *before = diagonals, *last = diagonals + (m + 1), *now = diagonals + 2 * (m + 1);
    for (int d = 0; d <= m + n; d++) {
        for (int i = threadIdx.x; i <= m; i += blockDim.x) {
            int j = d - i;
            if (j < 0 || j > n) continue;
            if (i == 0 || j == 0) {
                now[i] = i + j;
            } else {
                int best = before[i - 1] + (a[i - 1] != b[j - 1]);
                best = min(best, last[i - 1] + 1);
                now[i] = min(best, last[i] + 1);
            }
        }
        __syncthreads();
        int *t = before;
        before = last;
        last = now;
        now = t;
    }
    if (threadIdx.x == 0) *result = last[m];
}

// Where a word stands in a text.
extern "C" __global__ void find_word(const char *text, int n, const char *word, int m, int *places, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - m) return;
    int k = 0;
    while (k < m && text[i + k] == word[k]) k++;
    if (k == m) places[atomicAdd(count, 1)] = i;
}

// Caesar's cipher, and whether all letters were small ones, by a vote of the block.
extern "C" __global__ void caesar(char *text, int n, int by, int *blocks_of_small_letters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool small = true;
    if (i < n) {
        char c = text[i];
        small = c >= 'a' && c <= 'z';
        switch (c) {
        case ' ':
        case '.': break;
        default:
            if (small) text[i] = 'a' + (c - 'a' + by) % 26;
            else if (c >= 'A' && c <= 'Z') text[i] = 'A' + (c - 'A' + by) % 26;
        }
    }
    if (__syncthreads_and(small) && threadIdx.x == 0) atomicAdd(blocks_of_small_letters, 1);
}

// Labels of connected pixels: everybody takes the least label around until nobody changes.
extern "C" __global__ void label_components(const unsigned char *image, int *label, int height, int width)
{
    int tid = threadIdx.x, pixels = height * width;
    for (int i = tid; i < pixels; i += blockDim.x) label[i] = image[i] ? i : -1;
    __syncthreads();
    int again;
    do {
        int mine = 0;
        for (int i = tid; i < pixels; i += blockDim.x) {
            if (label[i] < 0) continue;
            int x = i % width, y = i / width, least = label[i];
            if (x > 0 && label[i - 1] >= 0) least = min(least, label[i - 1]);
            if (x + 1 < width && label[i + 1] >= 0) least = min(least, label[i + 1]);
            if (y > 0 && label[i - width] >= 0) least = min(least, label[i - width]);
            if (y + 1 < height && label[i + width] >= 0) least = min(least, label[i + width]);
            if (least < label[i]) {
                atomicMin(&label[i], least);
                mine = 1;
            }
        }
        again = __syncthreads_or(mine);
    } while (again);
}
