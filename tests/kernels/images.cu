// Pictures: a thread a pixel, filters in constant memory, tiles with halos, dithering.

// Colours to grey, four bytes at a time, in integers.
extern "C" __global__ void greyscale(const uchar4 *in, unsigned char *out, int height, int width)
{
    int col = threadIdx.x + blockIdx.x * blockDim.x;
    int row = threadIdx.y + blockIdx.y * blockDim.y;
    if (col < width && row < height) {
        uchar4 rgba = in[row * width + col];
        out[row * width + col] = (unsigned char)((77 * rgba.x + 151 * rgba.y + 28 * rgba.z) >> 8);
    }
}

// The mean of what there is of a square around a pixel.
#define BLUR_SIZE 2

extern "C" __global__ void blur(const uchar4 *in, uchar4 *out, int w, int h)
{
    int Col = blockIdx.x * blockDim.x + threadIdx.x;
    int Row = blockIdx.y * blockDim.y + threadIdx.y;
    if (Col < w && Row < h) {
        int3 sum = make_int3(0, 0, 0);
        int pixels = 0;
        for (int blurRow = -BLUR_SIZE; blurRow < BLUR_SIZE + 1; ++blurRow) {
            for (int blurCol = -BLUR_SIZE; blurCol < BLUR_SIZE + 1; ++blurCol) {
                int curRow = Row + blurRow, curCol = Col + blurCol;
                if (curRow > -1 && curRow < h && curCol > -1 && curCol < w) {
                    uchar4 p = in[curRow * w + curCol];
                    sum.x += p.x;
                    sum.y += p.y;
                    sum.z += p.z;
                    pixels++;
                }
            }
        }
        out[Row * w + Col] = make_uchar4(sum.x / pixels, sum.y / pixels, sum.z / pixels, in[Row * w + Col].w);
    }
}

// Edges by Sobel's filters.
__device__ int clamped(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

extern "C" __global__ void sobel(const unsigned char *in, short *out, int height, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int p[3][3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            p[j][i] = in[clamped(y + j - 1, 0, height - 1) * width + clamped(x + i - 1, 0, width - 1)];
    int gx = (p[0][2] + 2 * p[1][2] + p[2][2]) - (p[0][0] + 2 * p[1][0] + p[2][0]);
    int gy = (p[2][0] + 2 * p[2][1] + p[2][2]) - (p[0][0] + 2 * p[0][1] + p[0][2]);
    out[y * width + x] = (short)(abs(gx) + abs(gy));
}

// A filter that all threads read lies in constant memory.
#define FILTER_RADIUS 2
#define FILTER_DIM (2 * FILTER_RADIUS + 1)
#define IN_TILE_DIM 16
#define OUT_TILE_DIM (IN_TILE_DIM - 2 * FILTER_RADIUS)

__constant__ float F[FILTER_DIM][FILTER_DIM];

extern "C" __global__ void convolution_2d_constant(const float *N, float *P, int width, int height)
{
    int outCol = blockIdx.x * blockDim.x + threadIdx.x, outRow = blockIdx.y * blockDim.y + threadIdx.y;
    if (outCol >= width || outRow >= height) return;
    float Pvalue = 0.0f;
    for (int fRow = 0; fRow < FILTER_DIM; fRow++) {
        for (int fCol = 0; fCol < FILTER_DIM; fCol++) {
            int inRow = outRow - FILTER_RADIUS + fRow;
            int inCol = outCol - FILTER_RADIUS + fCol;
            if (inRow >= 0 && inRow < height && inCol >= 0 && inCol < width)
                Pvalue += F[fRow][fCol] * N[inRow * width + inCol];
        }
    }
    P[outRow * width + outCol] = Pvalue;
}

// Tiles of input larger than those of output: the threads of the border only load.
extern "C" __global__ void convolution_tiled(const float *N, float *P, int width, int height)
{
    int col = blockIdx.x * OUT_TILE_DIM + threadIdx.x - FILTER_RADIUS;
    int row = blockIdx.y * OUT_TILE_DIM + threadIdx.y - FILTER_RADIUS;
    __shared__ float N_s[IN_TILE_DIM][IN_TILE_DIM];
    if (row >= 0 && row < height && col >= 0 && col < width) {
        N_s[threadIdx.y][threadIdx.x] = N[row * width + col];
    } else {
        N_s[threadIdx.y][threadIdx.x] = 0.0;
    }
    __syncthreads();
    int tileCol = threadIdx.x - FILTER_RADIUS;
    int tileRow = threadIdx.y - FILTER_RADIUS;
    if (col >= 0 && col < width && row >= 0 && row < height) {
        if (tileCol >= 0 && tileCol < OUT_TILE_DIM && tileRow >= 0 && tileRow < OUT_TILE_DIM) {
            float Pvalue = 0.0f;
            for (int fRow = 0; fRow < FILTER_DIM; fRow++) {
                for (int fCol = 0; fCol < FILTER_DIM; fCol++) {
                    Pvalue += F[fRow][fCol] * N_s[tileRow + fRow][tileCol + fCol];
                }
            }
            P[row * width + col] = Pvalue;
        }
    }
}

// Rows of a separable filter; the tile holds what lies left and right of the block too.
extern "C" __global__ void convolution_rows(const float *in, float *out, const float *filter, int width, int radius)
{
    extern __shared__ float line[];
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const float *row = in + (size_t)blockIdx.y * width;
    for (int i = threadIdx.x; i < blockDim.x + 2 * radius; i += blockDim.x) {
        int at = (int)(blockIdx.x * blockDim.x) + i - radius;
        line[i] = at >= 0 && at < width ? row[at] : 0.f;
    }
    __syncthreads();
    if (x < width) {
        float sum = 0.f;
        for (int k = 0; k <= 2 * radius; k++) sum += filter[k] * line[threadIdx.x + k];
        out[(size_t)blockIdx.y * width + x] = sum;
    }
}

// Ordered dithering with a matrix of thresholds.
__constant__ unsigned char thresholds[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

extern "C" __global__ void dither_ordered(const unsigned char *in, unsigned char *out, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = in[y * width + x] > thresholds[y & 3][x & 3] * 16 + 8 ? 255 : 0;
}

// Errors handed on to the right and below: a row waits until the one above is three pixels ahead. One block, rows in
// threads, a barrier after each step of the wave.
extern "C" __global__ void dither_diffusion(int *image, int height, int width)
{
    for (int step = 0; step < width + 3 * height; step++) {
        int y = threadIdx.x, x = step - 3 * y;
        if (y < height && x >= 0 && x < width) {
            int i = y * width + x, old = image[i], now = old < 128 ? 0 : 255, error = old - now;
            image[i] = now;
            if (x + 1 < width) image[i + 1] += error * 7 / 16;
            if (y + 1 < height) {
                if (x > 0) image[i + width - 1] += error * 3 / 16;
                image[i + width] += error * 5 / 16;
                if (x + 1 < width) image[i + width + 1] += error / 16;
            }
        }
        __syncthreads();
    }
}
