/* The launches of a scan: the same for all traits (runs.cuh). How work is split follows from the sizes alone. */
#ifndef CPI_SCAN_LAUNCH_CUDA_H
#define CPI_SCAN_LAUNCH_CUDA_H

#include "cuda/cuda.h"
#include "scan/runs.cuh"
#include "scan/scan.h"

enum {
    CPI_SCAN_CHUNKS = 1024,      /* chunks of all long rows together: a few for each resident block */
    CPI_SCAN_SMALL = 256,        /* fewer rows than this do not keep the device busy */
    CPI_SCAN_ALONE = 16384,      /* up to this length one block is faster than two launches */
    CPI_SCAN_SHORT = 16,         /* length up to which a thread takes a whole row, where there are MANY rows */
    CPI_SCAN_LONGER = 64,
    CPI_SCAN_LARGE = 1 << 14,
    CPI_SCAN_THREADS = 1 << 17,  /* threads over columns that keep the device busy */
    CPI_SCAN_LEAST = 16          /* least elements in a chunk of a column */
};

template <class W> cp_code cpi_scan_columns(cp_stream *stream, const cpi_scan *s, uint64_t mode)
{
    typedef typename W::In In;
    typedef typename W::Out Out;
    typedef typename W::A A;
    const cudaStream_t cs = cpi_cuda_stream(stream);
    const int64_t lines = s->outer * s->inner, n = s->n;
    int64_t nchunks = CPI_SCAN_THREADS / lines, most = n / CPI_SCAN_LEAST;
    if (nchunks > most) nchunks = most;
    if (nchunks < 1) nchunks = 1;
    const int64_t each = (n - 1) / nchunks + 1;
    nchunks = (n - 1) / each + 1;
    const unsigned across = cpi_cuda_blocks(lines, runs::COLUMNS, 1 << 30);
    A *sums = NULL;
    cp_code code = CP_OK;
    if (nchunks > 1) {
        if (!(sums = (A *)cpi_host->work_alloc(stream, (size_t)((nchunks - 1) * lines) * sizeof(A))))
            return CP_ERROR_MEMORY;
        runs::column_sums<W><<<dim3(across, (unsigned)(nchunks - 1)), runs::COLUMNS, 0, cs>>>(
            (const In *)s->from, lines, n, s->inner, each, sums, mode);
        code = CPI_LAUNCHED(stream, "scan");
    }
    if (!code) {
        runs::columns<W><<<dim3(across, (unsigned)nchunks), runs::COLUMNS, 0, cs>>>(
            (const In *)s->from, (Out *)s->to, lines, n, s->inner, each, sums, mode);
        code = CPI_LAUNCHED(stream, "scan");
    }
    cpi_host->work_free(stream, sums);
    return code;
}

template <class W> cp_code cpi_scan_rows(cp_stream *stream, const cpi_scan *s, uint64_t mode)
{
    typedef typename W::In In;
    typedef typename W::Out Out;
    typedef typename W::A A;
    const cudaStream_t cs = cpi_cuda_stream(stream);
    const int64_t segment = runs::reach<W>::SEGMENT, longest = s->n + runs::reach<W>::V - 1;
    const bool few = s->outer < CPI_SCAN_SMALL, alone = s->n <= CPI_SCAN_ALONE;
    const unsigned threads = longest <= segment ? 32 : longest <= 4 * segment ? 128
                           : few && alone && longest > 8 * segment ? (unsigned)runs::THREADS : 256;
    const int64_t tiles = (longest - 1) / (segment * (threads / 32)) + 1;
    int64_t nchunks = 1, each = tiles;
    if (few && !alone) {
        each = (tiles - 1) / ((CPI_SCAN_CHUNKS - 1) / s->outer + 1) + 1;
        nchunks = (tiles - 1) / each + 1;
    }
    const int64_t all = s->outer * nchunks;
    const unsigned blocks = cpi_cuda_blocks(all, 1, 1 << 30);
    A *sums = NULL;
    cp_code code = CP_OK;
    if (nchunks > 1) {
        if (!(sums = (A *)cpi_host->work_alloc(stream, (size_t)all * sizeof(A)))) return CP_ERROR_MEMORY;
        runs::sums<W><<<blocks, threads, 0, cs>>>((const In *)s->from, s->n, nchunks, all, each, sums, mode);
        code = CPI_LAUNCHED(stream, "scan");
    }
    if (!code) {
        runs::rows<W><<<blocks, threads, 0, cs>>>((const In *)s->from, (Out *)s->to, s->n, nchunks, all, each, sums,
                                                  mode);
        code = CPI_LAUNCHED(stream, "scan");
    }
    cpi_host->work_free(stream, sums);
    return code;
}

/* mode: what W is made of. */
template <class W> cp_code cpi_scan_launch(cp_stream *stream, const cpi_scan *s, uint64_t mode)
{
    const bool threads = s->inner > 1 || (s->n <= CPI_SCAN_SHORT && s->outer > CPI_SCAN_SMALL) ||
                         (s->n <= CPI_SCAN_LONGER && s->outer >= CPI_SCAN_LARGE);
    return threads ? cpi_scan_columns<W>(stream, s, mode) : cpi_scan_rows<W>(stream, s, mode);
}

/* scan_choices_cuda.cu: maximum, minimum, bits, and all of bools. */
cp_code cpi_scan_choices(cp_stream *stream, const cpi_scan *s);

#endif
