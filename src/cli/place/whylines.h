/* whylines.h - why a job waits, in lines for people. */
#ifndef TORI_CLI_WHYLINES_H
#define TORI_CLI_WHYLINES_H

#include <stdio.h>

#include <tori/snapshot.h>
#include <tori/why.h>

/* The subject of the lines, and their output. */
struct why_scene {
    const tori_snapshot *snapshot;
    FILE *out;
    bool asks;          /* torid may be asked about a held job, ... */
    const char *socket; /* ... at this socket */
    size_t next;        /* see queued_find */
};

void why_print (struct why_scene *scene, const tori_why *why);

/* Print the same without the job's number. */
void why_print_wait (const struct why_scene *scene, const tori_why *why);

/* Print all that `tori why` prints for one job of a running torid; nothing if
 * the job no longer waits. */
int why_job (const char *socket, uint64_t id, FILE *out, tori_error *err);

#endif
