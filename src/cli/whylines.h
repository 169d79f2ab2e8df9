/* whylines.h - why a job waits, in lines for people. */
#ifndef TORI_CLI_WHYLINES_H
#define TORI_CLI_WHYLINES_H

#include <stdio.h>

#include <tori/why.h>

/* Of what and where a text is. */
struct why_scene {
    const tori_machine *machine;
    tori_time now;
    FILE *out;
};

void why_print (const struct why_scene *scene, const tori_why *why);

/* Moves in words: "job 104 to 0,0,2/4x2x4 and job 105 to ...". */
enum { MOVES_TEXT_MAX = 1024 };
void moves_format (const tori_machine *machine, const tori_help *help,
                   char text[MOVES_TEXT_MAX]);

/* All that tori why has to say of one job of a running torid: nothing if it no
 * longer waits. */
int why_job (const char *socket, uint64_t id, FILE *out, tori_error *err);

#endif
