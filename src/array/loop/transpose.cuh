/* Transposition of a tile through shared memory, for all kernels that transpose: both sides are read and written
 * along their own rows. This header needs no other one, so that tests compile it as a user's kernel. */
#ifndef CPI_TRANSPOSE_CUH
#define CPI_TRANSPOSE_CUH

/* Rows are padded so that a column's elements lie in different banks. */
template <class E, int TILE> struct cpi_tile {
    E at[TILE][TILE + (sizeof(E) >= 4 ? 1 : 4 / (int)sizeof(E))];
};

/* TILE x ROWS threads, each at column x, row y, call load(j, v) for the input's elements at rows y + j, column x.
 * Then they call store(j, v) for the output's at rows y + j, column x, with v from row x, column y + j of the input.
 * All loads are issued before the first is waited for; elements not loaded are undefined. AGAIN: the block used the
 * tile before. */
template <int ROWS, bool AGAIN, class E, int TILE, class Load, class Store>
__device__ __forceinline__ void cpi_transpose_tile(cpi_tile<E, TILE> &tile, int x, int y, Load load, Store store)
{
    E v[TILE / ROWS];
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS) load(j, v[j / ROWS]);
    if (AGAIN) __syncthreads();
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS) tile.at[y + j][x] = v[j / ROWS];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS) store(j, tile.at[x][y + j]);
}

#endif
