/* estimate.h - a mean of repeated measurements, and its confidence interval.
 */
#ifndef TORI_REPORT_ESTIMATE_H
#define TORI_REPORT_ESTIMATE_H

#include <stddef.h>

/* A mean and half of its 95 % interval. */
struct estimate {
    double mean, half;
};

/* Student's interval for n independent values, n at least 2. */
struct estimate estimate_of (const double value[], size_t n);

/* The same, from their mean and the sum of the squares of their distances from
 * it. */
struct estimate estimate_from (double mean, double squares, size_t n);

/* The same, if the n values are those of logs that were drawn from one log,
 * each as long as that. Each is an estimate from as many jobs as the log has,
 * so their standard deviation is the standard error of the log's own value
 * (Efron, "Bootstrap methods: another look at the jackknife", 1979). More of
 * them make the interval steadier, not narrower. */
struct estimate estimate_resampled (struct estimate independent, size_t n);

#endif
