/* outlook.h - when and where the jobs of a queue start, as rows: what `tori
 * forecast` and `tori what-if` show. */
#ifndef TORI_CLI_OUTLOOK_H
#define TORI_CLI_OUTLOOK_H

#include <tori/forecast.h>
#include <tori/snapshot.h>
#include <tori/why.h>

#include "clock.h"
#include "duration.h"
#include "emit.h"

/* Read a snapshot, and tell on standard error what in it means nothing. With
 * NULL, or the number of a job, the running torid is asked for one. */
int snapshot_open (const char *socket, const char *path,
                   tori_snapshot **ret_snapshot, tori_error *err);

/* Whether an operand is the number of a job, not a file. */
bool snapshot_is_job (const char *operand);

/* A job that waits. */
struct outlook_row {
    uint64_t id;
    bool starts;
    tori_time start;
    tori_placement place;
};

struct outlook {
    struct outlook_row *row; /* in the order of the queue */
    size_t n;
};

/* The forecast of a scheduler, whose jobs' tags are their ids. */
int outlook_make (const tori_sched *sched, struct outlook *ret_list,
                     tori_error *err);
void outlook_clear (struct outlook *list);

/* The ids of jobs that decisions not yet fetched are about, kind by kind, as a
 * list of JSON or a line for people. */
struct ids_said {
    uint64_t *id;
    size_t n;
};

/* Fetch the decisions of a scheduler: whom they reject and whom they kill. */
int decisions_fetch (tori_sched *sched, struct ids_said *ret_rejected,
                     struct ids_said *ret_killed, tori_error *err);
void ids_emit (struct emit *e, const char *key, const struct ids_said *ids);
void ids_print (const struct ids_said *ids, const char *what, FILE *out);

/* The row of this id, or NULL. */
const struct outlook_row *outlook_find (const struct outlook *list,
                                     uint64_t id);

/* When and where as members of the object that is open: start, and place for a
 * box, nodes for a list of them; null for a job that does not start, and for
 * no row. */
void outlook_emit (struct emit *e, const tori_machine *machine,
                  const struct outlook_row *row);

/* Places as members: a box, which is null if there is none, and nodes. And a
 * move as an object of a list. */
void place_emit (struct emit *e, const char *key, const char *nodes,
                 const tori_machine *machine, const tori_placement *place);
void move_emit (struct emit *e, const tori_machine *machine,
                const tori_help_move *move);

/* The same for people: a box, or the first nodes of a list. */
enum { PLACE_TEXT_MAX = TORI_TEXT_MAX + 200 };
void place_format (const tori_machine *machine, const tori_placement *place,
                   char text[PLACE_TEXT_MAX]);

/* Times for people, to the millisecond: in seconds, "54000"; when, the same or,
 * of a service, a clock time; how long, "3600 s (1h)"; when and how soon,
 * "54000 s, in 6h". */
enum {
    TIME_TEXT_MAX = 32,
    LENGTH_TEXT_MAX = CLOCK_TEXT_MAX + DURATION_TEXT_MAX + 16
};
void start_format (tori_time time, char text[CLOCK_TEXT_MAX]);
void seconds_format (tori_time time, char text[TIME_TEXT_MAX]);
void length_format (tori_time time, char text[LENGTH_TEXT_MAX]);
void moment_format (tori_time time, tori_time now, char text[LENGTH_TEXT_MAX]);

/* Whether a forecast means: once a job ends that has outlived its estimate. It
 * is expected to in the next tick. */
bool start_is_soon (tori_time start, tori_time now);

/* How long until then, in a cell of a table: "now", "soon", "6h". */
void wait_format (tori_time start, tori_time now,
                  char text[DURATION_TEXT_MAX]);

#endif
