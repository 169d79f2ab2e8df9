/* joblog.h - the jobs of a simulation, as they start: a JSON line each.
 *
 *     {"id":1,"submit":0,"start":0,"finish":60,"count":4,"shape":[2,2],
 *      "origin":[0,0],"wiring":"none","nodes":[0,1,8,9]}
 *
 * Times are in seconds, count is what was asked for, nodes are ids in
 * ascending order; shape and origin are there only for a box.
 */
#ifndef TORI_REPORT_JOBLOG_H
#define TORI_REPORT_JOBLOG_H

#include <tori/sim.h>

struct joblog;

/* Begin. Nothing appears under `path` before it is committed; "-" is standard
 * output. The machine must outlive the log. With `more`, lines also have how
 * often a job was started, how long it waited and ran in all, and whether it
 * was killed. */
int joblog_create (const char *path, const tori_machine *machine, bool more,
                   struct joblog **ret_log, tori_error *err);
int joblog_add (struct joblog *log, const tori_sim_job *job, tori_error *err);
int joblog_commit (struct joblog *log, tori_error *err);
void joblog_destroy (struct joblog *log);

#endif
