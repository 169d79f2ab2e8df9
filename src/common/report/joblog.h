/* joblog.h - the jobs of a simulation, as they start, for other programs.
 *
 * The formats; the first is the default:
 *
 *   lines   one line of JSON per job; times in seconds, count is the number
 * asked for, nodes are ids in ascending order, shape and origin are there only
 * for a box:
 *             {"id":1,"submit":0,"start":0,"finish":60,"count":4,
 *              "shape":[2,2],"origin":[0,0],"wiring":"none","nodes":[0,1,8,9]}
 *   csv     a table with the columns of Batsim's jobs.csv, which evalys draws;
 *           the metadata are the user, and how long the job waited for nodes
 *           (numerical) and for a box (topological), in seconds
 *   events  trace events, which chrome://tracing and Perfetto show as a Gantt
 *           chart: a bar per job, in lanes without overlap
 */
#ifndef TORI_REPORT_JOBLOG_H
#define TORI_REPORT_JOBLOG_H

#include <stdio.h>

#include <tori/sim.h>

struct joblog;

/* The name of the i-th format; NULL past the end. */
const char *joblog_formats (size_t i);

struct joblog_options {
    const tori_machine *machine; /* must outlive the log */
    int format;                  /* by its number */
    const char *name;            /* of the workload */
    FILE *to;                    /* the stream for the log; NULL: the file */
    bool more; /* lines also have how often a job was started, how long it
                  waited and ran in all, and whether it was killed */
};

/* Begin. Nothing appears under `path` before it is committed; "-" is standard
 * output. */
int joblog_create (const char *path, const struct joblog_options *options,
                   struct joblog **ret_log, tori_error *err);
int joblog_add (struct joblog *log, const tori_sim_job *job, tori_error *err);
int joblog_commit (struct joblog *log, tori_error *err);
void joblog_destroy (struct joblog *log);

#endif
