/* desk.h - a desk with a scheduler on it, for cases small enough to work out
 * by hand. A job is called by a letter, which is its tag, too; estimates and
 * times are in ticks.
 *
 * Helpers that can fail end the test.
 */
#ifndef TORI_TESTS_DESK_H
#define TORI_TESTS_DESK_H

#include "cases.h"
#include "support.h"

#include <tori/sched.h>

struct desk {
    tori_machine *machine;
    tori_sched *sched;
    tori_job job[128]; /* by letter */
    char said[1024];   /* the decisions of the last run */
    tori_time now;     /* of on_desk */
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

/* ---- cases of a line a moment ---- */

/* A case on a desk as "mesh:4 easy row-ff", with an order of the queue after it if that is
 * not the one of submission. Each line begins with a time, or goes on at that of the line
 * before; its words are what happens, and what is expected:
 *
 *     A*3/10      submit A, for 3 nodes and 10 ticks
 *     A=3x2m/10   for a shape; m: with the links of a mesh, t: of a torus
 *     -A  !A      A ends, is cancelled
 *     down 2, up 2, down 2-3, up 2-3, drain 2, undrain 2     nodes and links
 *     > A@0-2 B@3-3 ;     the scheduler is run, and decides so (as by fetch); ";" may be
 *                         left out at the end of a line
 *     said A killed ;     it had decided so before
 *     B~10  B~10@0/4  B~  B is to start at 10, in a box; has no planned start
 *     aside B/many        B is set aside: too many nodes, beside "nodes" or "links" that
 *                         are out of service; "none": it is not
 *     reserve B/10, reserve B/no     B is promised a start; it may have none
 *     waits B/reserved    the reason why B waits
 *     blocked numerical, free 3, links 1, running 1, queued 2, queue BCD, head B */
#define DESK_TEST(name, head, ...)                                            \
    TEST_AFTER (name, desk_teardown)                                          \
    {                                                                         \
        play_desk (head, (const char *const[]){__VA_ARGS__, NULL});           \
    }

/* A line, or several, of such a case. */
void on_desk (struct desk *desk, const char *line);
void play_desk (const char *head, const char *const lines[]);

/* Show the line of a case that failed. */
int desk_teardown (void **state);

/* A job is set aside for this reason, or, without one, is not. */
void expect_aside (struct desk *desk, char letter, const char *why);

/* The queue in its order, those that are set aside included. */
void expect_queue (const struct desk *desk, const char *letters);

/* A call that was invalid, and what it said of that. */
void expect_refused (int answer, const tori_error *err, const char *text);

#endif
