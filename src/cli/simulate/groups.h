/* groups.h - the jobs of a simulation by user, group, queue, size or class.
 *
 * Sizes are powers of two: 1, 2, 3-4, 5-8 and so on. Classes are the four of
 * the literature on backfilling: jobs of up to an hour are short, jobs of up to
 * 8 nodes are narrow.
 */
#ifndef TORI_CLI_GROUPS_H
#define TORI_CLI_GROUPS_H

#include "cell_jobs.h"
#include "emit.h"
#include "sheet.h"

/* The i-th way to group jobs, NULL past the end: "user", "group", "queue",
 * "size", "class". */
const char *group_names (size_t i);

enum { GROUP_TEXT = 64 };

struct job_group {
    char name[GROUP_TEXT];
    int64_t key;
    uint64_t ran, rejected, killed, hopeless;
    double wait, response, bounded_slowdown, distance; /* means of those that
                                                          ran */
    double node_hours; /* that those that ran asked for */
    uint64_t apart; /* of those that ran, jobs of two or more nodes */
};

struct job_groups {
    struct job_group *all;
    size_t n;
};

/* Users, groups and queues are in the order of their node-hours, the most
 * first; sizes and classes in their own. The jobs then know their groups. Call
 * groups_clear afterwards, also on failure. */
int groups_make (struct cell_jobs *jobs, const tori_workload *workload,
                 int by, struct job_groups *ret_groups, tori_error *err);
void groups_clear (struct job_groups *groups);

extern const struct sheet job_group_sheet;

/* A table of the first 20, and how many more there are. */
int groups_print (const struct job_groups *groups, FILE *out, bool bold,
                  tori_error *err);

#endif
