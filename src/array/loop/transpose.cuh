/* Transposition of a tile by way of shared memory, for all kernels that transpose: both sides are read and written
 * along their own rows. This header needs no other one, so that tests compile it as a user's kernel. */
#ifndef CPI_TRANSPOSE_CUH
#define CPI_TRANSPOSE_CUH

/* A row is as much longer as keeps a column's elements in different banks. */
template <class E, int TILE> struct cpi_tile {
    E at[TILE][TILE + (sizeof(E) >= 4 ? 1 : 4 / (int)sizeof(E))];
};

/* TILE x ROWS threads, each at column x, row y, call load(j, v) for the input's elements at rows y + j, column x, and
 * then store(j, v) for the output's at rows y + j, column x, with v from row x, column y + j of the input. All loads
 * are under way before the first is waited for; what is not loaded is not defined. AGAIN: the block used the tile. */
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
