/* whylines.h - why a job waits, in lines for people. */
#ifndef TORI_CLI_WHYLINES_H
#define TORI_CLI_WHYLINES_H

#include <stdio.h>

#include <tori/snapshot.h>
#include <tori/why.h>

/* Of what and where a text is. */
struct why_scene {
    const tori_snapshot *snapshot;
    FILE *out;
    bool asks;          /* torid may be asked about a job that is held, ... */
    const char *socket; /* ... here */
    size_t next;        /* see queued_find */
};

void why_print (struct why_scene *scene, const tori_why *why);

/* The same without its number. */
void why_print_wait (const struct why_scene *scene, const tori_why *why);

/* All that tori why has to say of one job of a running torid: nothing if it no
 * longer waits. */
int why_job (const char *socket, uint64_t id, FILE *out, tori_error *err);

#endif
