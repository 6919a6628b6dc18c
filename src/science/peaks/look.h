/* What is looked at around one element or peak, shared by C17 and CUDA C++. */
#ifndef CPI_PEAKS_LOOK_H
#define CPI_PEAKS_LOOK_H

#include "peaks/peaks.h"

#ifdef __CUDACC__
#define CPI_LOOK static __host__ __device__ __forceinline__
#else
#define CPI_LOOK static inline
#endif

CPI_LOOK int64_t cpi_plateau_end(const double *x, int64_t n, int64_t i)
{
    int64_t end = i;
    while (end + 1 < n && x[end + 1] == x[i]) end++;
    return end;
}

CPI_LOOK bool cpi_rises(const double *x, int64_t n, int64_t i)
{
    if (i < 1 || i + 1 >= n || !(x[i - 1] < x[i])) return false;
    const int64_t end = cpi_plateau_end(x, n, i);
    return end + 1 < n && x[end + 1] < x[i];
}

/* Where peak k stands, and the first and last element that count for its prominence. */
CPI_LOOK int64_t cpi_peak_window(const cpi_peaks *p, int64_t k, int64_t *first, int64_t *last)
{
    const int64_t at = p->peak[k], half = p->wlen / 2;
    *first = p->wlen >= 2 && at > half ? at - half : 0;
    *last = p->wlen >= 2 && half < p->n - 1 - at ? at + half : p->n - 1;
    return at;
}

/* The lowest elements on both sides, before one that is above the peak; the prominence is above the higher of them. */
CPI_LOOK void cpi_peak_prominence(const cpi_peaks *p, int64_t k)
{
    const double *x = p->x;
    int64_t first, last;
    const int64_t at = cpi_peak_window(p, k, &first, &last);
    int64_t left = at, right = at;
    double low_left = x[at], low_right = x[at];
    for (int64_t i = at; i >= first && x[i] <= x[at]; i--)
        if (x[i] < low_left) low_left = x[i], left = i;
    for (int64_t i = at; i <= last && x[i] <= x[at]; i++)
        if (x[i] < low_right) low_right = x[i], right = i;
    p->left[k] = left;
    p->right[k] = right;
    p->prominence[k] = x[at] - (low_left > low_right ? low_left : low_right);
}

/* Where the signal crosses a height on both sides, between the bases. */
CPI_LOOK void cpi_peak_width(const cpi_peaks *p, int64_t k)
{
    const double *x = p->x, height = x[p->peak[k]] - p->prominence[k] * p->rel_height;
    int64_t i = p->peak[k];
    while (p->left[k] < i && height < x[i]) i--;
    double left = (double)i, right;
    if (x[i] < height) left += (height - x[i]) / (x[i + 1] - x[i]);
    i = p->peak[k];
    while (i < p->right[k] && height < x[i]) i++;
    right = (double)i;
    if (x[i] < height) right -= (height - x[i]) / (x[i - 1] - x[i]);
    p->height[k] = height;
    p->left_place[k] = left;
    p->right_place[k] = right;
    p->width[k] = right - left;
}

#endif
