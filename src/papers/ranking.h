/* ranking.h - which of some values is best. */
#ifndef TORI_PAPERS_RANKING_H
#define TORI_PAPERS_RANKING_H

#include <stddef.h>

/* The places of n values, the least first; ties in the order given. */
void rank (const double value[], size_t n, size_t ranking[]);

/* Their names in that order, with commas between them. */
void rank_text (const char *const names[], const size_t ranking[], size_t n,
                char *text, size_t size);

#endif
