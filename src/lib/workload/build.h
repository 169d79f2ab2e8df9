/* build.h - a workload in the making.
 *
 * Logs and models give jobs as numbers of processors, some as boxes, and
 * times. A builder turns these into requests according to the options. At the
 * end it sorts them and stretches their arrivals.
 *
 *     builder_init (&b, name, machine, options, err);
 *     while (!builder_full (&b))
 *         builder_add (&b, &draft, err);
 *     builder_finish (&b, ret_workload, err);
 *     builder_clear (&b);
 */
#ifndef TORI_WORKLOAD_BUILD_H
#define TORI_WORKLOAD_BUILD_H

#include <tori/workload.h>

#include "random.h"
#include "size_from.h"

/* Each purpose draws from its own stream of the seed, so that the jobs of a
 * model do not depend on which of them are tori, nor the other way round. */
enum { STREAM_MODEL, STREAM_WIRING, STREAM_COUNTS, STREAM_BLOCKS };

struct draft {
    int64_t id;
    tori_time submit;
    tori_time runtime;
    tori_time estimate;
    int64_t procs;    /* at least 1 */
    bool in_nodes;    /* these are nodes */
    tori_shape shape; /* of that volume; no dimensions: a number only */
    bool wired;       /* use `wiring`, not the options */
    tori_wiring wiring;
    tori_work_owner owner;
};

struct shape_cache;

enum {
    MARK_LATE = 1, /* it ran longer than requested */
    MARK_UNSHAPED = 2 /* its shape became a count */
};

struct builder {
    const char *name; /* of the log or model, in messages */
    const tori_machine *machine;
    tori_workload_options options;
    struct size_from size_from; /* if options.size_from */
    struct rng wiring, counts;
    struct shape_cache *shapes;
    tori_workload work;
    size_t room; /* in work.jobs */
    uint8_t *marks; /* by job: MARK_... */
    size_t marks_room;
    size_t labels_room;
    bool paced; /* arrivals have the requested load: no stretching */
};

/* Check the options and start. On failure there is nothing to clear. Name and
 * machine must outlive the builder. */
int builder_init (struct builder *b, const char *name,
                  const tori_machine *machine,
                  const tori_workload_options *options, tori_error *err);
void builder_clear (struct builder *b);

/* TORI_INVALID if sizes are to be scaled: for models whose sizes come from the
 * machine, so that there is nothing to convert. */
int builder_unscaled (const struct builder *b, tori_error *err);

/* Whether it has as many jobs as the options allow. */
bool builder_full (const struct builder *b);
int builder_add (struct builder *b, const struct draft *draft,
                 tori_error *err);

/* Set the text for an owner's number, by the index of its field. */
int builder_label (struct builder *b, size_t field, const char *text,
                   tori_error *err);

/* Hand the workload over. */
int builder_finish (struct builder *b, tori_workload *ret_workload,
                    tori_error *err);

/* Seconds to the nearest tick. False above TORI_MAX_SECONDS and below 0. */
bool ticks_from_seconds (double seconds, tori_time *ret_ticks);

/* Those of the machine; on a pod, of a box of all its cubes. Cubes that have no
 * places lie in the box whose sides have the smallest sum. */
tori_shape longest_sides (const tori_machine *machine);

/* Whether jobs go by submission, no time is negative, and all would end before
 * half of TORI_TIME_MAX if they ran one after the other by their estimates: no
 * schedule, and no plan, then leaves the range of the clock. If not,
 * TORI_INVALID with "NAME: job ID: what is wrong"; NAME may be NULL. */
int workload_check (const tori_workload *work, const char *name,
                    tori_error *err);

struct cutter;

/* Add the jobs of a table to a workload; the line last cut is the first. */
int table_add (struct builder *b, struct cutter *lines, tori_error *err);

#endif
