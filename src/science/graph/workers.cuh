/* Threads that search a graph together: those of one block, or those of a grid whose blocks all run at once.
 *
 * Invariant: all of the threads come to each barrier. What they wrote before it is read behind it. */
#ifndef CPI_GRAPH_WORKERS_CUH
#define CPI_GRAPH_WORKERS_CUH

typedef unsigned long long graph_word;

enum { LANES = 8 }; /* threads that share the edges of a node */

struct block_workers {
    __device__ block_workers(unsigned *) {}
    static __device__ long long block() { return 0; }
    static __device__ long long blocks() { return 1; }
    static __device__ long long thread() { return threadIdx.x; }
    static __device__ long long threads() { return blockDim.x; }
    __device__ void barrier() { __syncthreads(); }
};

struct grid_workers {
    unsigned *arrived, goal; /* both may wrap around */
    __device__ grid_workers(unsigned *zero) : arrived(zero), goal(0) {}
    static __device__ long long block() { return blockIdx.x; }
    static __device__ long long blocks() { return gridDim.x; }
    static __device__ long long thread() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
    static __device__ long long threads() { return (long long)gridDim.x * blockDim.x; }
    __device__ void barrier()
    {
        goal += gridDim.x;
        __syncthreads();
        if (!threadIdx.x) {
            __threadfence();
            atomicAdd(arrived, 1u);
            while ((int)(*(volatile unsigned *)arrived - goal) < 0) {
            }
            __threadfence();
        }
        __syncthreads();
    }
};

#endif
