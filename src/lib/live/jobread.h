/* jobread.h - a job of a snapshot, and a window, from JSON. Errors name the
 * member, as in member.h. */
#ifndef TORI_LIVE_JOBREAD_H
#define TORI_LIVE_JOBREAD_H

#include <tori/snapshot.h>

#include "choice.h"
#include "jobmembers.h"

/* Read the members that a job of a snapshot has (jobmembers.h) into one that
 * was zeroed; *ret_given, if not NULL, is JOB_BIT of each that is there. The
 * job must be cleared, also after a failure. */
int job_read (const struct member_of *of, const struct job_reading *how,
              tori_snapshot_job *job, uint64_t *ret_given, tori_error *err);
void job_clear (tori_snapshot_job *job);

/* A job that asks for nothing but has alternatives asks for the first of them.
 * TORI_INVALID without any. */
int job_read_wish (const struct member_of *of, tori_job_spec *spec,
                   tori_error *err);

/* A window that was zeroed: `from`, `until`, `jobs`, and a place or a `count`.
 * It must be cleared afterwards, also after a failure. */
int window_read (const struct member_of *of, const tori_machine *machine,
                 tori_time now, tori_snapshot_window *window,
                 tori_error *err);
void snapshot_window_clear (tori_snapshot_window *window);

/* Whether a request asks for no nodes. */
bool request_is_empty (const tori_request *request);

/* One of a table of names, as its number: 1, 0 if there is no such member, or
 * -1. */
int choice_read (const struct member_of *of, const char *key, const char *what,
                 name_fn *name, size_t *ret_which, tori_error *err);

/* A place (place_read). Boxes are wired in the usual way, if `box_wiring` does
 * not say otherwise. */
int wired_place_read (const struct member_of *of, const tori_machine *machine,
                      tori_wiring usual, tori_placement *ret_place,
                      tori_error *err);

#endif
