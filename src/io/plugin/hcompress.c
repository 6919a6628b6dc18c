/* Walks an H-compressed tile as CFITSIO's decoder will.
 *
 * The decoder neither knows where a tile ends nor frees its workspace when a bit plane begins with a code it does not
 * know. A tile is a header (magic number, extents, scale, sum, numbers of bit planes), the bit planes of four
 * quadrants, 4 zero bits, and from the next byte on a sign bit for each pixel that is not 0. A bit plane is packed as
 * it is, four pixels in 4 bits, or as a quadtree of Huffman codes. So how many bits there must be is known only when it
 * is known which pixels are 0: they are all that is kept here.
 * R. L. White, "High-performance compression of astronomical images" (1992). */
#include "plugin.h"

#include <string.h>

enum { HEADER = 25, PACKED = 0, QUADTREE = 15, MOST_PLANES = 64 };

typedef struct bits {
    const uint8_t *bytes;
    int64_t at, end;
    bool missing; /* more was wanted than there is */
} bits;

/* The next n <= 4 bits; 0 where they are missing. */
static int take(bits *s, int n)
{
    if (s->at + n > s->end) {
        s->missing = true;
        return 0;
    }
    int64_t byte = s->at >> 3;
    int pair = s->bytes[byte] << 8 | (8 * (byte + 1) < s->end ? s->bytes[byte + 1] : 0);
    int v = pair >> (16 - (int)(s->at & 7) - n) & ((1 << n) - 1);
    s->at += n;
    return v;
}

/* A Huffman code of 3 to 6 bits: which of four pixels have a bit. */
static int take_code(bits *s)
{
    static const uint8_t of_four[] = {3, 5, 10, 12, 15}, of_five[] = {6, 7, 9, 11, 13};
    int c = take(s, 3);
    if (c < 4) return 1 << c;
    c = c << 1 | take(s, 1);
    if (c < 13) return of_four[c - 8];
    c = c << 1 | take(s, 1);
    if (c < 31) return of_five[c - 26];
    return take(s, 1) ? 14 : 0;
}

/* The bit of pixel (i, j) among those of its four, `wide` to a row. */
static int bit_at(const uint8_t *fours, int64_t wide, int64_t i, int64_t j)
{
    return fours[i / 2 * wide + j / 2] >> (3 - 2 * (i & 1) - (j & 1)) & 1;
}

static int levels(int64_t extent)
{
    int n = 0;
    while ((int64_t)1 << n < extent) n++;
    return n;
}

/* The bits of nx x ny pixels from a quadtree, into `fours`; `other` is as large. The root comes first; each level has a
 * code for every bit of the one before, from the last to the first. */
static void take_tree(bits *s, int64_t nx, int64_t ny, uint8_t *fours, uint8_t *other)
{
    int64_t x = 1, y = 1, rest_x = nx, rest_y = ny;
    int n = levels(nx > ny ? nx : ny);
    fours[0] = (uint8_t)take_code(s);
    for (int k = 1; k < n && !s->missing; k++) {
        int64_t half = (int64_t)1 << (n - k), wide = y;
        x *= 2, y *= 2;
        if (rest_x <= half) x--;
        else rest_x -= half;
        if (rest_y <= half) y--;
        else rest_y -= half;
        memcpy(other, fours, (size_t)((x + 1) / 2 * wide));
        for (int64_t i = x - 1; i >= 0; i--)
            for (int64_t j = y - 1; j >= 0; j--)
                fours[i * y + j] = bit_at(other, wide, i, j) ? (uint8_t)take_code(s) : 0;
    }
}

/* How many of nx x ny pixels have a bit in `fours`. */
static int64_t count(const uint8_t *fours, int64_t nx, int64_t ny)
{
    int64_t n = 0, across = (ny + 1) / 2;
    for (int64_t i = 0; i < nx; i += 2)
        for (int64_t j = 0; j < across; j++) {
            int inside = (i + 1 < nx ? 15 : 12) & (2 * j + 1 < ny ? 15 : 10);
            n += __builtin_popcount(fours[i / 2 * across + j] & (unsigned)inside);
        }
    return n;
}

/* One of the four quadrants, nx x ny pixels; *signs grows by those that are not 0. */
static bool read_quadrant(bits *s, int planes, int64_t nx, int64_t ny, uint8_t *memory, int64_t *signs)
{
    int64_t size = (nx + 1) / 2 * ((ny + 1) / 2);
    uint8_t *set = memory, *fours = set + size, *other = fours + size;
    memset(set, 0, (size_t)size);
    for (int p = 0; p < planes; p++) {
        int format = take(s, 4);
        if (format == PACKED)
            for (int64_t k = 0; k < size; k++) fours[k] = (uint8_t)take(s, 4);
        else if (format == QUADTREE && size)
            take_tree(s, nx, ny, fours, other);
        else
            return false;
        if (s->missing) return false;
        for (int64_t k = 0; k < size; k++) set[k] |= fours[k];
    }
    *signs += count(set, nx, ny);
    return true;
}

static uint32_t number_at(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static bool visit(bits *s, const uint8_t *planes, int64_t nx, int64_t ny, uint8_t *memory)
{
    int64_t left = (nx + 1) / 2, top = (ny + 1) / 2, signs = 0;
    if (!read_quadrant(s, planes[0], left, top, memory, &signs) ||
        !read_quadrant(s, planes[1], left, ny / 2, memory, &signs) ||
        !read_quadrant(s, planes[1], nx / 2, top, memory, &signs) ||
        !read_quadrant(s, planes[2], nx / 2, ny / 2, memory, &signs) || take(s, 4) || s->missing)
        return false;
    return (s->at + 7) / 8 * 8 + signs <= s->end;
}

cp_code cpi_hcompress_check(const uint8_t *b, int64_t n, int64_t pixels, bool *good)
{
    *good = false;
    if (n < HEADER || b[0] != 0xdd || b[1] != 0x99) return CP_OK;
    int64_t nx = number_at(b + 2), ny = number_at(b + 6);
    const uint8_t *planes = b + HEADER - 3;
    if (nx > INT32_MAX || ny > INT32_MAX || nx * ny != pixels) return CP_OK;
    if (planes[0] > MOST_PLANES || planes[1] > MOST_PLANES || planes[2] > MOST_PLANES) return CP_OK;
    int64_t fours = ((nx + 1) / 2 + 1) / 2 * (((ny + 1) / 2 + 1) / 2);
    uint8_t *memory = HOST->malloc((size_t)(3 * fours));
    if (!memory) return CP_ERROR_MEMORY;
    bits s = {b, 8 * HEADER, 8 * n, false};
    *good = visit(&s, planes, nx, ny, memory);
    HOST->free(memory);
    return CP_OK;
}
