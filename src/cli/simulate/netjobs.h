/* netjobs.h - boxes and files of messages as jobs of the network. */
#ifndef TORI_CLI_NETJOBS_H
#define TORI_CLI_NETJOBS_H

#include <tori/tori.h>

#include "options.h"

struct netjobs {
    tori_traffic_job *job; /* a box each */
    tori_box *box;
    char **name; /* the boxes as text */
    size_t n;
    tori_traffic_message *messages; /* of all of them */
};

/* A job for each of the boxes, or one for the machine as a whole if there is
 * none. Boxes may wrap if `wrap`. In any case netjobs_clear releases what
 * there is. */
int netjobs_open (const tori_machine *machine, const struct strings *boxes,
                  bool wrap, struct netjobs *ret_jobs, tori_error *err);

/* Give each job its messages of a file: "SRC DST FLITS [CYCLE]" a line, both
 * nodes of one of the boxes. */
int netjobs_read (struct netjobs *jobs, const tori_machine *machine,
                  const char *path, tori_error *err);

/* How many messages of a round of a pattern are not sent, because their nodes
 * have nobody to send to. Of all-to-all and nbody on more than 2000 nodes or
 * so, which have none, it is not looked for. */
uint64_t netjobs_silent (const tori_traffic_job *job);
void netjobs_clear (struct netjobs *jobs);

#endif
