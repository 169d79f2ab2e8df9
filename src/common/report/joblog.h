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
 *   table   a table for studies: per job its owner, what it asked for, when
 *           and where it ran, and its fate (tori_fate); if nodes fail at
 *           random, also whether it can hardly ever finish
 *           (tori_sim_is_hopeless), 1 or 0
 *
 * Jobs that are rejected are logged with the reason: as a line with "fate" and
 * "reason" and without a start, as a row whose final state is REJECTED, as an
 * instant event, and as a row whose fate is rejected.
 */
#ifndef TORI_REPORT_JOBLOG_H
#define TORI_REPORT_JOBLOG_H

#include <stdio.h>

#include <tori/sim.h>

struct joblog;

/* The name of the i-th format; NULL past the end. */
const char *joblog_formats (size_t i);

/* The number of a format that exists, by its name. */
int joblog_format (const char *name);

struct joblog_options {
    const tori_machine *machine; /* must outlive the log */
    int format;                  /* by its number */
    const char *name;            /* of the workload */
    FILE *to;                    /* the stream for the log; NULL: the file */
    const tori_sim_interrupts *interrupts; /* a table then also says which jobs
                                              can hardly ever finish; or NULL */
    bool more; /* lines also have how often a job was started, how long it
                  waited and ran in all, and whether it was killed */
};

/* Begin. Nothing appears under `path` before it is committed; "-" is standard
 * output. */
int joblog_create (const char *path, const struct joblog_options *options,
                   struct joblog **ret_log, tori_error *err);
int joblog_add (struct joblog *log, const tori_sim_job *job, tori_error *err);

/* A failure to write is reported when the log is committed. */
void joblog_reject (struct joblog *log, const tori_work *work,
                    const char *why);
int joblog_commit (struct joblog *log, tori_error *err);
void joblog_destroy (struct joblog *log);

#endif
