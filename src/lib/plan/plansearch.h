/* plansearch.h - a better order of the jobs. */
#ifndef TORI_PLAN_PLANSEARCH_H
#define TORI_PLAN_PLANSEARCH_H

#include "greedy.h"

/* Change the order, in which jobs come by size, to one whose plan is shorter,
 * as far as values of the fewest words tell; they are the same on every
 * machine, so the search is. */
int search_order (const struct problem *problem,
                  const tori_contention_search *search, uint32_t order[],
                  tori_error *err);

#endif
