/* group_standings.h - the comparison of the policies of a grid, for each group
 * of jobs by itself (groups.h). */
#ifndef TORI_CLI_GROUP_STANDINGS_H
#define TORI_CLI_GROUP_STANDINGS_H

#include "cells.h"
#include "comparison_row.h"
#include "groups.h"

struct group_row {
    char scene_text[COMPARISON_TEXT], policy_text[COMPARISON_TEXT];
    char name[GROUP_TEXT];
    uint64_t seeds; /* those in which there are jobs of the group */
    uint64_t ran, rejected, killed, hopeless; /* jobs, over all seeds */
    uint64_t compared; /* of those that ran, the jobs that all policies ran */
    struct comparison_measure wait, slowdown;
    double longer, longer_half; /* how much longer jobs wait than with the first
                                   policy, in seconds */
};

struct group_standings {
    const struct design *design;
    struct group_row *row; /* by scene, group and policy */
    size_t n;
    size_t left_out; /* groups beyond the first */
};

/* Without groups there are no rows. Sizes and classes are in their order,
 * users, groups and queues in that of their node-hours, the most first; only
 * the first 20 are compared. Call group_standings_clear afterwards, also on failure. */
int group_standings_make (const struct cells *cells,
                          struct group_standings *ret_standings,
                          tori_error *err);
void group_standings_clear (struct group_standings *standings);

extern const struct sheet group_row_sheet;

int group_standings_print (const struct group_standings *standings, FILE *out,
                           bool bold, tori_error *err);

#endif
