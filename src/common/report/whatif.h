/* whatif.h - the forecast of a snapshot with something changed, beside the
 * unchanged one: the answer of `tori what-if` and of the service. */
#ifndef TORI_REPORT_WHATIF_H
#define TORI_REPORT_WHATIF_H

#include "changes.h"
#include "forecast_rows.h"

/* The question, from the command or the service. */
struct what_if_question {
    int sched; /* another scheduler, of batch_names; or -1 */
    const tori_alloc_info *alloc, *counts; /* other allocators, or NULL; the
                                              second only with the first */
    int order;      /* another tori_order, or -1 */
    int64_t depth;  /* another one, or 0 */
    struct changes changes;
};

/* The two forecasts. */
struct what_if {
    const tori_snapshot *snapshot;
    tori_snapshot *with; /* the same, perhaps with further jobs */
    tori_time now; /* of the snapshot */
    tori_sched *sched[2]; /* without the changes, and with */
    struct forecast_rows list[2];
    struct decided_ids decided[2];
};

/* The snapshot is extended for the added jobs, and must outlive the result,
 * which is to be cleared in any case. `with` is the snapshot with further jobs,
 * to which the changes are made, or NULL. */
int what_if_make (tori_snapshot *snapshot, tori_snapshot *with,
                  const struct what_if_question *v, struct what_if *it,
                  tori_error *err);
void what_if_clear (struct what_if *it);

extern const struct sheet answer_what_if;

#endif
