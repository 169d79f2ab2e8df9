/* whywork.h - what the parts of an explanation share: why.c asks, evidence.c
 * looks at the machine, helps.c tries changes. */
#ifndef TORI_LIVE_WHYWORK_H
#define TORI_LIVE_WHYWORK_H

#include <tori/why.h>

#include "missing.h"

/* What is true of all jobs with the same request. */
struct evidence {
    tori_request request;
    tori_placement place;
    uint32_t missing;
    tori_blocker *blockers;
    size_t nblockers;
    tori_link links[TORI_WHY_LINKS];
    size_t nlinks;
    uint32_t *down;
    size_t ndown;
};

/* What comes of it if a running job ends: who starts, and where. */
struct ending {
    tori_job job;
    tori_job *started; /* ascending */
    tori_placement *place;
    size_t n;
    bool known;
};

struct whywork {
    tori_sched *after; /* a copy that has run */
    const tori_state *state;
    const tori_machine *machine;
    tori_time now;

    tori_job *running;
    tori_job_info *info; /* of these */
    size_t nrunning;

    struct missing missing;
    tori_box largest;
    bool plain; /* shapes are answered with boxes of these sides */

    struct evidence *evidence;
    size_t nevidence, evidence_room;

    struct ending *endings; /* as running */
    size_t tried;           /* of these */
    tori_shape *shapes;     /* of the machine, sorted sides, largest first */
    size_t nshapes;
    signed char *fits; /* whether one has a place now, by wiring and wrap: 0
                          not asked yet, 1 yes, -1 no */

    tori_time *freed;       /* when reservations and windows
                               begin, ascending */
    size_t nfreed;
};

/* ---- evidence.c ---- */

/* The evidence for a request, which is kept; NULL without memory. */
const struct evidence *evidence_for (struct whywork *work,
                                     const tori_request *request,
                                     tori_error *err);
void evidence_clear (struct whywork *work);

/* ---- helps.c ---- */

enum { MAX_HELPS = 5 };

/* The changes that would start a job that waits, the first of each kind.
 * Returns how many, or -1. */
int helps_find (struct whywork *work, const tori_why *why,
                tori_help ret_helps[MAX_HELPS], tori_error *err);
void helps_clear (struct whywork *work);

#endif
