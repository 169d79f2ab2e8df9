/* snapshot_source.h - snapshots from files or from torid, and times as text. */
#ifndef TORI_CLI_SNAPSHOT_SOURCE_H
#define TORI_CLI_SNAPSHOT_SOURCE_H

#include "clock.h"
#include "duration.h"
#include "forecast_rows.h"
#include "plugin.h"

/* Read a snapshot, and report on standard error which parts of it have no
 * effect. If the path is NULL or the number of a job, get the snapshot from
 * the running torid. `own` has the allocators that a file may name beside
 * tori's, or is NULL. */
int snapshot_open (const char *socket, const char *path,
                   const tori_snapshot_own *own, tori_snapshot **ret_snapshot, tori_error *err);

/* The same with the allocators of --alloc, as typed, which may be NULL.
 * `plugins` must outlive the snapshot. */
int snapshot_open_with (const char *socket, const char *path,
                        const char *alloc, struct plugins *plugins,
                        tori_snapshot **ret_snapshot, tori_error *err);

/* The state of torid as if jobs were submitted, with its time set to the clock;
 * and the same without them, unless that is NULL. */
int snapshot_submit (const char *socket, json_t *jobs,
                     tori_snapshot **ret_before, tori_snapshot **ret_with,
                     tori_error *err);

/* Whether an operand is the number of a job, not a file. */
bool snapshot_is_job (const char *operand);

/* The jobs that a command is about: none, if all that wait. */
struct waiting_ids {
    uint64_t *id;
    size_t n;
    const char *socket; /* of torid; NULL: the default */
    bool live;          /* they are jobs of torid, not of a file */
    tori_error missing; /* about the first that does not wait */
};

#define OPTION_ROW_WAITING(values)                                         \
    {                                                                      \
        .name = "id", .kind = OPTION_STRINGS, OPTION_AT (values, ids),     \
        .value = "ID", .operand = true, .asks = "jobs",                    \
        .help = "only these jobs, by their numbers or, of a running "      \
                "torid, their names elsewhere, such as slurm:19; if not "  \
                "given, all that wait"                                     \
    }

/* Read numbers and names; the operand for a snapshot may be the first. */
int waiting_read (const char *snapshot, const struct strings *words,
                  const char *socket, struct waiting_ids *ret_ids,
                  tori_error *err);

/* Leave out those that do not wait. Fails if none is left. */
int waiting_keep (struct waiting_ids *ids, const tori_snapshot *snapshot,
                  tori_error *err);

/* Free them. The status of the answer, which is -1 if some were left out. */
int waiting_end (struct waiting_ids *ids, int status, tori_error *err);

/* A line for each of these jobs. */
void ids_print (const struct ids_said *ids, const char *what, FILE *out);

/* Times as text: in seconds to the millisecond, "54000"; a start, as seconds
 * or, for a service, as clock time; a time limit that is at least a second, to
 * the second below, as --time takes it; a moment and how soon it is, "54000 s,
 * in 6h". */
enum {
    TIME_TEXT_MAX = 32,
    LENGTH_TEXT_MAX = CLOCK_TEXT_MAX + DURATION_TEXT_MAX + 16
};
void start_format (tori_time time, char text[CLOCK_TEXT_MAX]);
void limit_format (tori_time time, char text[DURATION_TEXT_MAX]);
void moment_format (tori_time time, tori_time now, char text[LENGTH_TEXT_MAX]);

/* Whether a forecast start means: as soon as a job ends that has already
 * exceeded its estimate. Such a job is expected to end in the next tick. */
bool start_is_soon (tori_time start, tori_time now);

/* How long until then, in a cell of a table: "now", "soon", "6h". */
void wait_format (tori_time start, tori_time now,
                  char text[DURATION_TEXT_MAX]);

#endif
