/* whylines.h - why a job waits, in lines for people. */
#ifndef TORI_CLI_WHYLINES_H
#define TORI_CLI_WHYLINES_H

#include <jansson.h>
#include <stdio.h>

#include <tori/snapshot.h>
#include <tori/why.h>

/* The subject of the lines, and their output. */
struct why_scene {
    const tori_snapshot *snapshot;
    FILE *out;
    size_t next; /* see queued_find */
};

void why_print (struct why_scene *scene, const tori_why *why);

/* Print which jobs give way at the start, if any do. */
void why_print_pushes (const struct why_scene *scene, const tori_why *why);

/* The same for all jobs of a forecast. */
struct forecast_rows;
void rows_print_pushes (const struct forecast_rows *list, FILE *out);

/* Print the same as why_print without the job's number. */
void why_print_wait (struct why_scene *scene, const tori_why *why);

/* Print all that `tori why` prints for one job of a running torid, unless `out`
 * is NULL; nothing if the job no longer waits. The job, as JSON, gets its
 * reason, and when and where it is expected to start. */
int why_job (const char *socket, json_t *job, FILE *out, tori_error *err);

#endif
