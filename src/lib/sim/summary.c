/* summary.c - mean, percentiles and maximum of a sample. */
#include "measure.h"

static void swap_values (double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* A pivot from three places, so that sorted input is no worst case. */
static double pivot_of (const double *v, size_t low, size_t high)
{
    double a = v[low], b = v[low + (high - low) / 2], c = v[high];
    if (a > b)
        swap_values (&a, &b);
    return c < a ? a : c > b ? b : c;
}

/* Reorder v[low..n-1] so that v[k] is the value that sorting would put there,
 * nothing before it larger and nothing after it smaller. */
static double select_rank (double *v, size_t low, size_t n, size_t k)
{
    size_t high = n - 1;
    while (low < high) {
        double pivot = pivot_of (v, low, high);
        size_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                swap_values (&v[i++], &v[j]);
                if (j == 0)
                    break;
                j--;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return v[k];
}

/* The index of the nearest rank of p percent. */
static size_t rank_of (size_t n, size_t percent)
{
    return (n * percent + 99) / 100 - 1;
}

tori_summary summarise (double *values, size_t n)
{
    tori_summary summary = {0};
    double sum = 0;
    if (n == 0)
        return summary;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    summary.mean = sum / (double)n;
    summary.p50 = select_rank (values, 0, n, rank_of (n, 50));
    summary.p90 = select_rank (values, rank_of (n, 50), n, rank_of (n, 90));
    summary.p99 = select_rank (values, rank_of (n, 90), n, rank_of (n, 99));
    summary.max = select_rank (values, rank_of (n, 99), n, n - 1);
    return summary;
}
