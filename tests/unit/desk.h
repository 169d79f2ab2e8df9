/* desk.h - a desk with a scheduler on it, for cases small enough to work out
 * by hand. A job is called by a letter, which is its tag, too; estimates and
 * times are in ticks.
 *
 * Helpers that can fail end the test.
 */
#ifndef TORI_TESTS_DESK_H
#define TORI_TESTS_DESK_H

#include "support.h"

#include <tori/sched.h>

struct desk {
    tori_machine *machine;
    tori_sched *sched;
    tori_job job[128]; /* by letter */
    char said[1024];   /* the decisions of the last run */
};

void open_desk (struct desk *desk, const char *machine, const char *policy,
                tori_order order, const char *alloc);

void open_desk_with (struct desk *desk, const char *machine,
                     const char *policy, tori_order order,
                     const tori_alloc_config *alloc);
void close_desk (struct desk *desk);

/* ---- what happens ---- */

void submit_request (struct desk *desk, tori_time now, char letter,
                     tori_request request, tori_time estimate);
void submit (struct desk *desk, tori_time now, char letter, uint32_t count,
             tori_time estimate);
void submit_shape (struct desk *desk, tori_time now, char letter,
                   const char *shape, tori_wiring wiring, tori_time estimate);
void finish (struct desk *desk, tori_time now, char letter);
void cancel (struct desk *desk, tori_time now, char letter);
void set_down (struct desk *desk, tori_time now, uint32_t node, bool down);
void set_drained (struct desk *desk, tori_time now, uint32_t node,
                  bool drained);
void set_link (struct desk *desk, tori_time now, const char *text, bool down);

/* ---- what comes of it ---- */

/* All decisions that were not fetched yet, with a space between them:
 * "A@0,1/2x2" or, of a list of nodes, the first and the last, "A@4-6";
 * "A killed"; "A requeued"; "A to @2,0/2x2"; "A rejected: why". Good until
 * called again. */
const char *fetch (struct desk *desk);

/* Run the scheduler, and fetch. */
void expect_run (struct desk *desk, tori_time now, const char *said);

/* The job's reservation, at a time and, for a shape, at a box; or none. */
void expect_reserved (struct desk *desk, char letter, tori_time at,
                      const char *box);
void expect_unreserved (struct desk *desk, char letter);

/* The answer of tori_sched_blocked. */
void expect_blocked (const struct desk *desk, tori_reason reason);

/* So many nodes are free. */
void expect_free (const struct desk *desk, uint32_t count);

/* A call that was invalid, and what it said of that. */
void expect_refused (int answer, const tori_error *err, const char *text);

#endif
