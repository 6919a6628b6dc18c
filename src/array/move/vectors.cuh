/* Neighbouring elements at once: loads and stores of up to 16 bytes. memory_runs_cuda.h converts on the way. */
#ifndef CPI_VECTORS_CUH
#define CPI_VECTORS_CUH

enum { CPI_RUN = 4 /* neighbours that a thread of most kernels has */ };

template <class E, int V> struct alignas(sizeof(E) * V > 16 ? 16 : sizeof(E) * V) cpi_pack { E x[V]; };
template <class E> __device__ __forceinline__ cpi_pack<E, CPI_RUN> cpi_take(const void *p, bool aligned)
{
    if (aligned) return *(const cpi_pack<E, CPI_RUN> *)p;
    cpi_pack<E, CPI_RUN> v;
#pragma unroll
    for (int j = 0; j < CPI_RUN; j++) v.x[j] = ((const E *)p)[j];
    return v;
}
template <class E> __device__ __forceinline__ void cpi_give(void *p, bool aligned, const cpi_pack<E, CPI_RUN> &v)
{
    if (aligned) {
        *(cpi_pack<E, CPI_RUN> *)p = v;
        return;
    }
#pragma unroll
    for (int j = 0; j < CPI_RUN; j++) ((E *)p)[j] = v.x[j];
}

#endif
