/* classes.h - requests that are the same to an allocator.
 *
 * A log has tens of thousands of jobs but few different requests. What is
 * found out about one (it can never run; it does not fit since the last
 * release) holds for all of its class.
 */
#ifndef TORI_SCHED_CLASSES_H
#define TORI_SCHED_CLASSES_H

#include <tori/sched.h>

#include "ask.h"
#include "futile.h"

/* What a job asks for: the first of these that fits. All are possible, or
 * there is but one. */
struct wish {
    struct prepared all[1 + TORI_MAX_ALTERNATIVES];
    size_t n;
    const uint64_t *only; /* the nodes that will do, in so many words; or NULL:
                             all of them */
    size_t words;
};

struct class {
    struct prepared asks; /* the same for all of its jobs, so its `asked` is
                             what they may want at most */
    struct prepared *others; /* what they take instead, in order; and ... */
    tori_request *alternatives; /* ... as a driver says it */
    size_t nothers;
    uint64_t *only; /* as in a wish */
    size_t words;
    tori_placement *exact;  /* the one place that its one job takes, or NULL:
                               suspend.c */
    int64_t nodes;          /* that they get at least */
    int64_t asked_instead;  /* of the others, the least that one asks for */
    uint64_t hash;          /* of all that it asks for */
    size_t members;         /* jobs of it that wait or run */
    size_t urgent;          /* ... of a level above 0 */
    uint32_t next_vacant;   /* of a number that is no class's */

    /* The epoch (see core.h) in which it was found not to fit: among the
     * running jobs; and among these and the one reservation, for jobs of at
     * least this length. */
    uint64_t misfit;
    uint64_t undecided; /* ... because the allocator gave up on it */
    uint64_t misfit_reserved;
    tori_time misfit_length;

    /* Searched in vain for whom to send away, when there had been so many
     * chances (core.h): for jobs of at most this level and at least this
     * length; or of exactly these. */
    struct {
        uint64_t chances;
        uint32_t level;
        bool exactly;
        tori_time length;
    } vain;

    /* Whether it fits beside what is down: as of these outages (core.h), and
     * why not, or NULL. */
    uint64_t weighed;
    const char *aside;

    /* When jobs of it cannot start: at present, and later. */
    struct futile now, later;
};

struct classes {
    struct class *all;
    size_t n; /* numbers, of which some may be vacant */
    size_t room;
    uint32_t vacant; /* the first of them + 1, or 0 */
    uint32_t *buckets; /* index + 1 into `all`, open addressing */
    size_t nbuckets;
};

void classes_clear (struct classes *classes);

/* The i-th of what a class asks for, NULL past the end. */
static inline const struct prepared *class_asks (const struct class *class,
                                                 size_t i)
{
    if (i == 0)
        return &class->asks;
    return i <= class->nothers ? &class->others[i - 1] : NULL;
}

/* Whether jobs of a class may use this node. */
static inline bool class_may_use (const struct class *class, uint32_t node)
{
    return !class->only || class->only[node / 64] >> node % 64 & 1;
}

/* The class of a wish, made if it is new. It is there until the next call
 * at least, and as long as it has members, which the caller counts. What
 * others know of a class by its number must not outlive its last member: here
 * that is nothing beyond the epoch (core.h), which ends when a member goes. */
int classes_find (struct classes *classes, struct wish *wish,
                  uint32_t *ret_class, tori_error *err);

/* A new class like this one, for one job that takes no other place. */
int classes_add_place (struct classes *classes, uint32_t like,
                       const tori_placement *place, uint32_t *ret_class,
                       tori_error *err);

/* Give a copy of a class memory of its own. Without memory it has none, and is
 * of no use. */
int class_copy_parts (struct class *class, tori_error *err);

#endif
