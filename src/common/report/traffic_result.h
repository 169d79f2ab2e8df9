/* traffic_result.h - the results of messages, for programs and for people. */
#ifndef TORI_REPORT_TRAFFIC_RESULT_H
#define TORI_REPORT_TRAFFIC_RESULT_H

#include <stdio.h>

#include <tori/traffic.h>

#include "emit.h"

/* The load of links: flits per cycle over their capacity. */
struct link_loads {
    double mean, most;
    const tori_net_link *busiest; /* the first of them; NULL: no links */
};

struct link_loads link_loads (const tori_traffic_result *result,
                              const tori_net_config *config);

/* The measures of a tori_traffic_outcome. */
extern const struct sheet outcome_sheet;

/* The loads as a member: {"links":N,"mean":X,"max":X,"busiest":{...}}. */
void loads_emit (struct emit *e, const char *key, const tori_machine *machine,
                 const tori_traffic_result *result,
                 const tori_net_config *config);

/* Every link as a member: [{"from":[...],"to":[...],"dim":N,"step":N,
 * "flits":N,"load":X}...], and as lines of CSV in a file. */
void links_emit (struct emit *e, const char *key, const tori_machine *machine,
                 const tori_traffic_result *result,
                 const tori_net_config *config);
int links_write (const tori_machine *machine,
                 const tori_traffic_result *result,
                 const tori_net_config *config, const char *path,
                 tori_error *err);

/* One row per job, under its name. */
int outcomes_print (const char *const names[],
                    const tori_traffic_result *result, FILE *out, bool bold,
                    tori_error *err);

#endif
