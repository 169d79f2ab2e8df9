/* starts.h - the decisions of a simulation: which job started when and where,
 * to compare two simulations. */
#ifndef TORI_PAPERS_STARTS_H
#define TORI_PAPERS_STARTS_H

#include <tori/sim.h>

/* A box that does not wrap is given by its first node and its last. */
struct start {
    size_t job; /* in the workload */
    tori_time time;
    uint32_t first, last;
};

struct starts {
    const tori_machine *machine;
    const tori_workload *workload;
    struct start *start;
    size_t n;
};

/* Begin for a simulation of this workload. starts_clear releases it in any
 * case. */
int starts_init (struct starts *starts, const tori_machine *machine,
                 const tori_workload *workload, tori_error *err);
void starts_clear (struct starts *starts);

/* The callback of a simulation: config->on_start, with the starts as
 * config->arg. Jobs must be placed in boxes that do not wrap. */
int starts_add (void *starts, const tori_sim_job *job, tori_error *err);

/* Compare two: the number of the first start that differs (which may be
 * missing in one of them), or SIZE_MAX if all are the same. */
size_t starts_differ (const struct starts *a, const struct starts *b);

#endif
