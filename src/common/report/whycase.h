/* whycase.h - why the jobs of a snapshot wait: the answer of `tori why` and of
 * the service. */
#ifndef TORI_REPORT_WHYCASE_H
#define TORI_REPORT_WHYCASE_H

#include "forecast_rows.h"

struct why_case {
    const tori_snapshot *snapshot;
    const uint64_t *ids; /* of the jobs in question; ... */
    size_t n;            /* ... 0: all that wait */
    tori_sched *sched;
    struct decided_ids decided; /* jobs that can never run, and others */
    struct emit *e;
    size_t next; /* where the search in the queue continues: queued_find */
};

/* A waiting job, or NULL. The search begins at *next, and is short for jobs in
 * the order of the queue. */
const tori_snapshot_job *queued_find (const tori_snapshot *snapshot,
                                      uint64_t id, size_t *next);

/* Like tori_why_text, with the reason that the holder of the job may have
 * given. The job may be NULL. */
void why_say (const tori_why *why, const tori_machine *machine,
              const tori_snapshot_job *job, char *text, size_t size);

/* The snapshot and the ids must outlive it. TORI_INVALID if one of the jobs
 * does not wait. */
int why_open (const tori_snapshot *snapshot, const uint64_t ids[], size_t n,
              struct why_case *ret_case, tori_error *err);
void why_close (struct why_case *it);

/* Visit the jobs in the order of the queue, and then those that can never
 * run; as tori_why_each. */
typedef int why_visit_fn (void *arg, const tori_why *why);
int why_each (const struct why_case *it, why_visit_fn *visit, void *arg,
              tori_error *err);

/* The answer, as members of the object that is open; and what describes it and
 * each of its jobs. */
int why_emit (struct why_case *it, struct emit *e, tori_error *err);
extern const struct sheet answer_why, why_job_sheet;

/* "4x4x1", "32 nodes": what a job takes when its patience ends. */
enum { LATER_TEXT = 120 };
void later_format (const tori_request *request, char text[LATER_TEXT]);

/* All moves in words: "job 104 to 0,0,2/4x2x4 and job 105 to ...". To be
 * freed; NULL without memory. */
char *moves_text (const tori_machine *machine, const tori_help *help);

/* All jobs that give way at the start, in words: "job 4 is requeued". To be
 * freed; NULL without memory. */
char *pushes_text (const tori_push *pushes, size_t n);

/* Whether a help changes one of several requests of a job: the first. */
bool help_changes_request (const tori_job_spec *was, const tori_help *help);

/* A reason by its name (tori_reason_name), as a sentence. */
const char *reason_text (const char *reason);

/* The reason of a waiting job, as in the service's answers. */
void waiting_format (const json_t *job, char *text, size_t size);

#endif
