/* classes.h - requests that are the same to an allocator.
 *
 * A log has tens of thousands of jobs but few different requests. A finding
 * about one job (it can never run; it does not fit since the last release)
 * holds for all jobs of its class. */
#ifndef TORI_SCHED_CLASSES_H
#define TORI_SCHED_CLASSES_H

#include <tori/sched.h>

#include "ask.h"
#include "futile.h"

/* The requests of a job: the first that fits is granted. All are possible, or
 * there is only one. */
struct wish {
    struct prepared all[1 + TORI_MAX_ALTERNATIVES];
    size_t n;
    const uint64_t *only; /* the allowed nodes, in so many words; or NULL: all
                           * of them */
    size_t words;
};

struct class {
    struct prepared asks; /* the same for all of its jobs, so its `asked` is
                             what they may want at most */
    struct prepared *others;    /* alternatives, in order; and ... */
    tori_request *alternatives; /* ... as the driver gave them */
    size_t nothers;
    uint64_t *only; /* as in a wish */
    size_t words;
    tori_placement *exact;  /* the one place that its one job takes, or NULL:
                               suspend.c */
    int64_t nodes;          /* the least that a job gets */
    int64_t asked_instead;  /* the least of the alternatives */
    uint64_t hash;          /* of all requests */
    size_t members;         /* jobs of it that wait or run */
    size_t urgent;          /* ... of a level above 0 */
    uint32_t next_vacant;   /* for a number that is not in use */

    /* The epoch (see core.h) in which it was found not to fit: among the
     * running jobs; and among these and the one reservation, for jobs of at
     * least this length. */
    uint64_t misfit;
    uint64_t undecided; /* ... because the allocator gave up */
    uint64_t misfit_reserved;
    tori_time misfit_length;

    /* A search for victims was in vain when there had been so many chances
     * (core.h): for jobs of at most this level and at least this length; or of
     * exactly these. */
    struct {
        uint64_t chances;
        uint32_t level;
        bool exactly;
        tori_time length;
    } vain;

    /* Whether it fits beside what is down: as of these outages (core.h), and
     * the reason if not, or NULL. */
    uint64_t weighed;
    const char *aside;

    /* Times at which no job of it can start: at present, and later. */
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

/* The i-th request of a class, NULL past the end. */
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

/* The class of a wish, made if it is new. It is there until the next call at
 * least, and as long as it has members, which the caller counts. Knowledge
 * that is kept elsewhere by the number of a class must not outlive its last
 * member: here it lasts no longer than the epoch (core.h), which ends when a
 * member goes. */
int classes_find (struct classes *classes, struct wish *wish,
                  uint32_t *ret_class, tori_error *err);

/* A new class like this one, for one job that takes no other place. */
int classes_add_place (struct classes *classes, uint32_t like,
                       const tori_placement *place, uint32_t *ret_class,
                       tori_error *err);

/* Give a copy of a class memory of its own. If memory runs out it has none,
 * and must not be used. */
int class_copy_parts (struct class *class, tori_error *err);

#endif
