// Counting: by atomics in global memory, in a copy of each block, and with several elements a thread.

extern "C" __global__ void histogram_global(const unsigned char *data, int n, unsigned *bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);
}

extern "C" __global__ void histogram_shared(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;
    while (i < n) {
        atomicAdd(&local[data[i]], 1);
        i += stride;
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

// Letters in bins of four; runs of one bin are counted in a register before they are added.
#define NUM_BINS 7

extern "C" __global__ void histogram_private_coarse(const char *text, unsigned length, unsigned *histo, int each)
{
    __shared__ unsigned histo_s[NUM_BINS];
    for (unsigned bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) histo_s[bin] = 0u;
    __syncthreads();
    unsigned accumulator = 0;
    int previous = -1;
    unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (unsigned i = first; i < min(first + each, length); ++i) {
        int position = text[i] - 'a';
        if (position >= 0 && position < 26) {
            int bin = position / 4;
            if (bin == previous) {
                ++accumulator;
            } else {
                if (accumulator > 0) atomicAdd(&histo_s[previous], accumulator);
                accumulator = 1;
                previous = bin;
            }
        }
    }
    if (accumulator > 0) atomicAdd(&histo_s[previous], accumulator);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) {
        unsigned count = histo_s[bin];
        if (count > 0) atomicAdd(&histo[bin], count);
    }
}

// One copy a warp in dynamic shared memory, for floating-point values in equal bins.
extern "C" __global__ void histogram_per_warp(const float *x, int n, float low, float high, int nbins, int *bins)
{
    extern __shared__ int copies[];
    int warps = blockDim.x / 32, warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < warps * nbins; i += blockDim.x) copies[i] = 0;
    __syncthreads();
    int *mine = copies + warp * nbins;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float v = x[i];
        if (!(v >= low && v < high)) continue;
        int bin = (int)((v - low) / (high - low) * nbins);
        atomicAdd(&mine[bin < nbins ? bin : nbins - 1], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < nbins; b += blockDim.x) {
        int sum = 0;
        for (int w = 0; w < warps; w++) sum += copies[w * nbins + b];
        if (sum) atomicAdd(&bins[b], sum);
    }
}

// Lanes with equal keys find each other, and one of them adds for all.
extern "C" __global__ void histogram_match(const int *keys, int n, int *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned here = __ballot_sync(0xffffffffu, i < n);
    if (i < n) {
        int key = keys[i];
        unsigned same = __match_any_sync(here, key);
        if ((threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&bins[key], __popc(same));
    }
}
