/* outlook.h - snapshots that are read or asked for, and times for people. */
#ifndef TORI_CLI_OUTLOOK_H
#define TORI_CLI_OUTLOOK_H

#include "clock.h"
#include "duration.h"
#include "forecast_rows.h"

/* Read a snapshot, and tell on standard error what in it means nothing. With
 * NULL, or the number of a job, the running torid is asked for one. */
int snapshot_open (const char *socket, const char *path,
                   tori_snapshot **ret_snapshot, tori_error *err);

/* One that torid has told; it is set to the time of the clock. */
int snapshot_of_json (json_t *value, tori_snapshot **ret_snapshot,
                      tori_error *err);

/* Whether an operand is the number of a job, not a file. */
bool snapshot_is_job (const char *operand);

/* A line for each of these jobs. */
void ids_print (const struct ids_said *ids, const char *what, FILE *out);

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
