/* traffic_result.h - the results of messages, for programs and for people. */
#ifndef TORI_REPORT_TRAFFIC_RESULT_H
#define TORI_REPORT_TRAFFIC_RESULT_H

#include <stdio.h>

#include <tori/traffic.h>

#include "sheet.h"

/* The load of links: flits per cycle over their capacity. */
struct link_loads {
    double mean, most;
    const tori_net_link *busiest; /* the first of them; NULL: no links */
};

struct link_loads link_loads (const tori_traffic_result *result,
                              const tori_net_config *config);

/* The measures of a tori_traffic_outcome. */
extern const struct sheet outcome_sheet;

/* A link and its load, for sheets of links, and the links of a run. */
struct link_row {
    const tori_machine *machine;
    tori_net_link is;
    double load;
};

/* From which node to which, and along which dimension. */
extern const struct sheet link_ends_sheet;

/* Every link: as a field of an answer whose row has a struct net_links there,
 * and as lines of CSV in a file. */
struct net_links {
    const tori_machine *machine;
    const tori_traffic_result *result;
    const tori_net_config *config;
};
extern const struct sheet net_link_sheet;
field_emit_fn net_links_emit;
int net_links_write (const struct net_links *links, const char *path,
                     tori_error *err);

/* How busy they are, as an object, at the same place of a row. */
extern const struct sheet link_loads_sheet;
field_emit_fn link_loads_emit;

/* Write the node at the place of a field as its coordinates. The row begins
 * with its machine. */
field_emit_fn node_emit;

/* One row per job, under its name. */
int outcomes_print (const char *const names[],
                    const tori_traffic_result *result, FILE *out, bool bold,
                    tori_error *err);

#endif
