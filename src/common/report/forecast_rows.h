/* forecast_rows.h - when and where the jobs of a queue start, as rows: the
 * answers of `tori forecast` and `tori what-if`. */
#ifndef TORI_REPORT_FORECAST_ROWS_H
#define TORI_REPORT_FORECAST_ROWS_H

#include <tori/forecast.h>
#include <tori/snapshot.h>
#include <tori/why.h>

#include "sheet.h"

/* A placement with its machine, and its members of JSON: a box or all boxes,
 * which is null if there is none; and nodes, if there are only these. */
struct placed {
    const tori_machine *machine;
    tori_placement place;
};
field_emit_fn place_emit, place_emit_nodes;
field_when_fn place_has_boxes, place_has_nodes;

/* Nodes as an array of texts. */
void nodes_emit (struct emit *e, const char *key, const tori_machine *machine,
                 const uint32_t nodes[], size_t n);

/* A job that waits. */
struct forecast_row {
    uint64_t id;
    tori_job job;
    size_t rank; /* in the order of the queue */
    tori_hold hold;
    bool starts;
    bool broken; /* a job that had to end well before it is gone, or it has more
                    nodes than a limit allows */
    tori_time start; /* -1 if it does not start */
    struct placed at;
    tori_condition condition; /* of the start */
    tori_push *pushes;        /* jobs that give way then */
    size_t npushes;
    const char *const *unsure; /* why its start is not a promise, beside what
                                  holds for all; NULL if there is no reason */
};

struct forecast_rows {
    struct forecast_row *row; /* in the order of the queue */
    size_t n;
};

/* Sort the rows by their starts. Jobs that do not start come last, and among
 * equals the order of the queue holds. */
void forecast_rows_sort (struct forecast_rows *list);

/* Whether a hold ends by itself: other jobs, an array or a limit cause it. */
bool hold_passes (tori_hold hold);

/* The condition of a start, "job 12 ends at its time limit"; empty if there is
 * none. */
enum { CONDITION_TEXT = 96 };

/* The text for a job without a start: "open" or "never". */
const char *no_start (const struct forecast_row *row);

/* How many rows from the i-th on, with ids one after another, have no start
 * for the same reason; at least 1. */
size_t forecast_rows_alike (const struct forecast_rows *list, size_t i);

/* The forecast of a scheduler, whose jobs' tags are their ids, with the rules
 * of a snapshot for held jobs. */
int forecast_rows_make (const tori_sched *sched, const tori_snapshot *rules,
                        struct forecast_rows *ret_list, tori_error *err);
void forecast_rows_clear (struct forecast_rows *list);

/* The ids of jobs in decisions not yet fetched, kind by kind, as a list of
 * JSON. */
struct ids_said {
    uint64_t *id;
    char **why; /* for rejected jobs, or NULL */
    size_t n;
};
void ids_clear (struct ids_said *ids);
bool ids_include (const struct ids_said *ids, uint64_t id);

/* Fetch the decisions of a scheduler: the jobs that they reject, kill and
 * requeue. To be cleared in any case. */
struct decided_ids {
    struct ids_said rejected, killed, requeued;
};
int decisions_fetch (tori_sched *sched, struct decided_ids *ret_ids,
                     tori_error *err);
void decisions_clear (struct decided_ids *ids);
field_emit_fn ids_emit;

/* The row of this id, or NULL. The search begins at *from, goes around, and
 * leaves *from after the row: rows in nearly their order are found at once. */
const struct forecast_row *
forecast_rows_find (const struct forecast_rows *list, uint64_t id,
                    size_t *from);

/* The id, start and place of a row; and the latter two alone. */
extern const struct sheet forecast_job_sheet, begins_sheet, push_sheet;

/* The condition of a start, if there is one, and the jobs that give way. */
field_emit_fn condition_emit;
field_when_fn condition_stands;
void pushes_emit (struct emit *e, const char *key, const tori_push *pushes,
                  size_t n);

/* A move as an object of a list, and its description. */
struct move_row {
    uint64_t job;
    struct placed from, to;
    const struct move_cost *cost; /* or NULL */
};

/* The cost of a move for the job: how long it is stopped, and how much of its
 * work it does again. */
struct move_cost {
    tori_time stopped, redone;
};
extern const struct sheet move_sheet;
void move_emit (struct emit *e, const tori_machine *machine,
                const tori_help_move *move);

enum { FORECAST_REASONS = 4 };

/* A snapshot run forward. The snapshot must outlive it; to be cleared in any
 * case. `answer_forecast` describes it. */
struct forecast {
    const tori_snapshot *snapshot;
    tori_time now; /* of the snapshot */
    tori_sched *sched;
    struct forecast_rows list;
    struct decided_ids decided;
    const char *reasons[FORECAST_REASONS + 1]; /* why no start is a promise, */
    const char *const *unsure; /* the same, or NULL if there is no reason */
};
int forecast_make (const tori_snapshot *snapshot, struct forecast *it,
                   tori_error *err);
/* Leave out all jobs but these. */
void forecast_keep (struct forecast *it, const uint64_t ids[], size_t n);
void forecast_clear (struct forecast *it);
extern const struct sheet answer_forecast;

/* Print why the starts are not promises, if there is a reason. */
void forecast_print_unsure (const struct forecast *it, FILE *out);

/* The same for people: a box, or the first nodes of a list. */
enum { PLACE_TEXT_MAX = TORI_TEXT_MAX + 200 };
void place_format (const tori_machine *machine, const tori_placement *place,
                   char text[PLACE_TEXT_MAX]);

#endif
