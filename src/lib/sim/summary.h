/* summary.h - mean, percentiles and maximum of a sample. */
#ifndef TORI_SIM_SUMMARY_H
#define TORI_SIM_SUMMARY_H

#include <tori/sim.h>

/* Summarise n values, which are reordered. A percentile p is the value of
 * rank ceil (p/100 * n) in ascending order (nearest rank). */
tori_summary summarise (double *values, size_t n);

#endif
