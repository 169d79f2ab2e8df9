/* event_search.h - the shortest plan with contention among those that start
 * jobs at events, by branch and bound.
 *
 * An event is time 0 or the end of a job. At each event a plan starts some
 * jobs, in some order, each on a free place, or lets the event pass. The
 * search tries every such choice unless a bound shows that no plan below it
 * is shorter than the best one, or another choice leads to the same plans.
 * Times have 128 bits: most are exact, others are rounded far behind the
 * digits that are shown. Times that do not fit are not searched.
 */
#ifndef TORI_PLAN_EVENT_SEARCH_H
#define TORI_PLAN_EVENT_SEARCH_H

#include "greedy.h"

enum { EVENT_SEARCH_MOST = TORI_CONTENTION_BRANCH };

struct event_search_result {
    bool found;    /* a plan shorter than the first; its turns are set */
    bool complete; /* no plan that starts jobs at events is shorter */
    double bound;  /* no such plan is shorter than this */
};

/* Search for a plan shorter than `first`, at most as far as `search` allows;
 * its seed is not used. `turns` has room for all jobs. */
int event_search (const struct problem *problem,
                  const tori_contention_search *search, double first,
                  struct turns *turns, struct event_search_result *ret_result,
                  tori_error *err);

#endif
