/* Distances of a point to a tile of others on the CPU, compiled once per instruction set. */
#ifndef CPI_SPATIAL_TILES_H
#define CPI_SPATIAL_TILES_H

#include "spatial/pairs.h"

enum { CPI_PAIR_TILE = 64 };

/* to[k]: the distance of x to the tile's point k, whose coordinate d is tile[d * CPI_PAIR_TILE + k]. */
typedef void cpi_pair_tile(const cpi_distances *m, const double *x, const double *tile, double *to);
extern cpi_pair_tile cpi_pair_tile_v2, cpi_pair_tile_v3, cpi_pair_tile_v4;

#endif
