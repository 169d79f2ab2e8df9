/* netjobs.h - boxes and files of messages as jobs of the network. */
#ifndef TORI_CLI_NETJOBS_H
#define TORI_CLI_NETJOBS_H

#include <tori/tori.h>

#include "options.h"

struct netjobs {
    tori_traffic_job *job; /* one per box */
    tori_box *box;
    char **name; /* the boxes as text */
    size_t n;
    tori_traffic_message *messages; /* of all jobs */
};

/* Make a job for each of the boxes, or one for the whole machine if there are
 * no boxes. Boxes may wrap if `wrap`. Call netjobs_clear afterwards, also on
 * failure. */
int netjobs_open (const tori_machine *machine, const struct strings *boxes,
                  bool wrap, struct netjobs *ret_jobs, tori_error *err);

/* Give each job its messages from a file with lines "SRC DST FLITS [CYCLE]";
 * both nodes are in one box. */
int netjobs_read (struct netjobs *jobs, const tori_machine *machine,
                  const char *path, tori_error *err);

/* How many messages of a round are not sent, because their nodes have no
 * partner in the pattern. Not counted, and 0, if there are very many messages:
 * all-to-all and nbody on more than about 2000 nodes, which have no such
 * messages. */
uint64_t netjobs_silent (const tori_traffic_job *job);
void netjobs_clear (struct netjobs *jobs);

#endif
