// Each result is made of its neighbours: in global memory, and from a tile in shared memory with a halo around it.

#define RADIUS 3
#define BLOCK 128

extern "C" __global__ void stencil_1d_plain(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int offset = -RADIUS; offset <= RADIUS; ++offset) {
        int at = i + offset;
        if (at >= 0 && at < n) sum += in[at];
    }
    out[i] = sum;
}

// The block reads BLOCK + 2 RADIUS elements once; its first RADIUS threads bring the halo.
extern "C" __global__ void stencil_1d_shared(const int *in, int *out, int n)
{
    __shared__ int tile[BLOCK + 2 * RADIUS];
    int global = blockIdx.x * blockDim.x + threadIdx.x;
    int local = threadIdx.x + RADIUS;
    tile[local] = global < n ? in[global] : 0;
    if (threadIdx.x < RADIUS) {
        tile[local - RADIUS] = global >= RADIUS ? in[global - RADIUS] : 0;
        tile[local + BLOCK] = global + BLOCK < n ? in[global + BLOCK] : 0;
    }
    __syncthreads();
    if (global < n) {
        int sum = 0;
#pragma unroll
        for (int offset = -RADIUS; offset <= RADIUS; offset++) sum += tile[local + offset];
        out[global] = sum;
    }
}

// Five points, the border kept.
extern "C" __global__ void laplace_step(const float *in, float *out, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int i = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
        out[i] = in[i];
    else
        out[i] = 0.25f * ((in[i - 1] + in[i + 1]) + (in[i - width] + in[i + width]));
}

#define TILE 16
#define IDX(row, col) ((row) * width + (col))

// The same from a tile with a border of one; a macro computes indices.
extern "C" __global__ void laplace_step_shared(const float *in, float *out, int height, int width)
{
    __shared__ float s[TILE + 2][TILE + 2];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    const bool inside = row < height && col < width;
    if (inside) {
        s[ty + 1][tx + 1] = in[IDX(row, col)];
        if (tx == 0 && col > 0) s[ty + 1][0] = in[IDX(row, col - 1)];
        if (tx == TILE - 1 && col + 1 < width) s[ty + 1][TILE + 1] = in[IDX(row, col + 1)];
        if (ty == 0 && row > 0) s[0][tx + 1] = in[IDX(row - 1, col)];
        if (ty == TILE - 1 && row + 1 < height) s[TILE + 1][tx + 1] = in[IDX(row + 1, col)];
    }
    __syncthreads();
    if (!inside) return;
    bool border = row == 0 || col == 0 || row == height - 1 || col == width - 1;
    out[IDX(row, col)] = border ? s[ty + 1][tx + 1]
                                : 0.25f * ((s[ty + 1][tx] + s[ty + 1][tx + 2]) + (s[ty][tx + 1] + s[ty + 2][tx + 1]));
}

// Heat in three dimensions: a block has threads in x, y and z.
extern "C" __global__ void heat_3d(const double *u, double *next, int nx, int ny, int nz, double k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    long long i = ((long long)z * ny + y) * nx + x, row = nx, plane = (long long)nx * ny;
    double left = x > 0 ? u[i - 1] : 0, right = x + 1 < nx ? u[i + 1] : 0;
    double up = y > 0 ? u[i - row] : 0, down = y + 1 < ny ? u[i + row] : 0;
    double front = z > 0 ? u[i - plane] : 0, back = z + 1 < nz ? u[i + plane] : 0;
    next[i] = u[i] + k * (left + right + up + down + front + back - 6 * u[i]);
}

// Marching through z with the planes in registers; each plane's tile goes through shared memory, two barriers a plane.
extern "C" __global__ void heat_3d_marching(const double *u, double *next, int nx, int ny, int nz, double k)
{
    __shared__ double plane[8][8];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
    bool in = x < nx && y < ny;
    int i = y * nx + x;
    double below = 0, here = in ? u[i] : 0;
    for (int z = 0; z < nz; z++) {
        double above = in && z + 1 < nz ? u[i + nx * ny] : 0;
        plane[ty][tx] = here;
        __syncthreads();
        if (in) {
            double left = tx > 0 ? plane[ty][tx - 1] : x > 0 ? u[i - 1] : 0;
            double right = tx < 7 ? plane[ty][tx + 1] : x + 1 < nx ? u[i + 1] : 0;
            double up = ty > 0 ? plane[ty - 1][tx] : y > 0 ? u[i - nx] : 0;
            double down = ty < 7 ? plane[ty + 1][tx] : y + 1 < ny ? u[i + nx] : 0;
            if (x + 1 >= nx) right = 0;
            if (y + 1 >= ny) down = 0;
            next[i] = here + k * (left + right + up + down + below + above - 6 * here);
        }
        __syncthreads();
        below = here;
        here = above;
        i += nx * ny;
    }
}

// Conway's Game of Life on a torus.
extern "C" __global__ void life(const unsigned char *cells, unsigned char *next, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int alive = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                if (dx || dy) alive += cells[(y + dy + height) % height * width + (x + dx + width) % width];
        unsigned char me = cells[y * width + x];
        next[y * width + x] = alive == 3 || (alive == 2 && me) ? 1 : 0;
    }
}
