/* What can happen to a scheduler, in cases small enough to work out by hand.
 * A job's tag is a letter; estimates and times are in ticks. */
#include "support.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include <tori/sched.h>

/* ---- a desk with a scheduler on it ---- */

struct desk {
    tori_machine *machine;
    tori_sched *sched;
    tori_job job[128]; /* by letter */
    char said[1024];   /* the decisions of the last run */
};

static void open_desk (struct desk *desk, const char *machine,
                       const char *policy, tori_order order,
                       const char *alloc)
{
    memset (desk, 0, sizeof *desk);
    desk->machine = make_machine (machine);
    assert_int_equal (tori_sched_create (desk->machine, policy, order, alloc,
                                         &desk->sched, NULL),
                      0);
}

static void close_desk (struct desk *desk)
{
    tori_sched_destroy (desk->sched);
    tori_machine_destroy (desk->machine);
}

/* "A@0,1/2x2" or, of a list of nodes, the first and the last, "A@4-6";
 * "A killed"; "A rejected: why". */
static void say (FILE *to, const tori_decision *decision)
{
    const tori_placement *place = decision->place;
    char box[TORI_TEXT_MAX];
    fputc ((int)decision->tag, to);
    if (decision->kind == TORI_KILL) {
        fprintf (to, " killed");
    } else if (decision->kind == TORI_REJECT) {
        fprintf (to, " rejected: %s", decision->why);
    } else if (place->is_box) {
        tori_box_format (&place->box, box);
        fprintf (to, "@%s", box);
    } else {
        fprintf (to, "@%u-%u", place->nodes[0],
                 place->nodes[place->count - 1]);
    }
}

/* All decisions, with a space between them. */
static const char *fetch (struct desk *desk)
{
    tori_decision decision;
    FILE *to;
    memset (desk->said, 0, sizeof desk->said);
    to = fmemopen (desk->said, sizeof desk->said, "w");
    assert_non_null (to);
    for (int i = 0; tori_sched_next (desk->sched, &decision); i++) {
        if (i > 0)
            fputc (' ', to);
        say (to, &decision);
    }
    assert_int_equal (fclose (to), 0);
    return desk->said;
}

static void expect_run (struct desk *desk, tori_time now, const char *said)
{
    assert_int_equal (tori_sched_run (desk->sched, now, NULL), 0);
    assert_string_equal (fetch (desk), said);
}

static void submit_request (struct desk *desk, tori_time now, char letter,
                            tori_request request, tori_time estimate)
{
    tori_job_spec spec = {request, estimate, (uint64_t)letter};
    assert_int_equal (tori_sched_submit (desk->sched, now, &spec,
                                         &desk->job[(int)letter], NULL),
                      0);
}

static void submit (struct desk *desk, tori_time now, char letter,
                    uint32_t count, tori_time estimate)
{
    submit_request (desk, now, letter, (tori_request){.count = count},
                    estimate);
}

static void submit_shape (struct desk *desk, tori_time now, char letter,
                          const char *shape, tori_wiring wiring,
                          tori_time estimate)
{
    tori_request request = {.shape = make_shape (shape), .wiring = wiring};
    request.count = (uint32_t)tori_shape_volume (&request.shape);
    submit_request (desk, now, letter, request, estimate);
}

static void finish (struct desk *desk, tori_time now, char letter)
{
    assert_int_equal (tori_sched_finish (desk->sched, now,
                                         desk->job[(int)letter], NULL),
                      0);
}

static void cancel (struct desk *desk, tori_time now, char letter)
{
    assert_int_equal (tori_sched_cancel (desk->sched, now,
                                         desk->job[(int)letter], NULL),
                      0);
}

static void set_down (struct desk *desk, tori_time now, uint32_t node,
                      bool down)
{
    assert_int_equal (tori_sched_set_down (desk->sched, now, node, down, NULL),
                      0);
}

static void set_drained (struct desk *desk, tori_time now, uint32_t node,
                         bool drained)
{
    assert_int_equal (
        tori_sched_set_drained (desk->sched, now, node, drained, NULL), 0);
}

static void set_link (struct desk *desk, tori_time now, const char *text,
                      bool down)
{
    tori_link link;
    assert_int_equal (tori_link_parse (desk->machine, text, &link, NULL), 0);
    assert_int_equal (
        tori_sched_set_link_down (desk->sched, now, &link, down, NULL), 0);
}

/* The job's reservation, at a time and, for a shape, at a box. */
static void expect_reserved (struct desk *desk, char letter, tori_time at,
                             const char *box)
{
    char text[TORI_TEXT_MAX];
    const tori_placement *place;
    tori_time start;
    assert_int_equal (tori_sched_reservation (desk->sched,
                                              desk->job[(int)letter], &start,
                                              &place, NULL),
                      1);
    assert_int_equal (start, at);
    assert_int_equal (place != NULL, box != NULL);
    if (!box)
        return;
    tori_box_format (&place->box, text);
    assert_string_equal (text, box);
}

static void expect_unreserved (struct desk *desk, char letter)
{
    const tori_placement *place;
    tori_time start;
    assert_int_equal (tori_sched_reservation (desk->sched,
                                              desk->job[(int)letter], &start,
                                              &place, NULL),
                      0);
}

/* ---- policies ---- */

/* Four nodes. A has three until 10; B wants all, C one for 10, D one for 11
 * and E one for 5. */
static void fill_desk (struct desk *desk, const char *policy)
{
    open_desk (desk, "mesh:4", policy, TORI_ORDER_SUBMIT, "row-ff");
    submit (desk, 0, 'A', 3, 10);
    submit (desk, 0, 'B', 4, 10);
    submit (desk, 0, 'D', 1, 11);
    submit (desk, 0, 'C', 1, 10);
    submit (desk, 0, 'E', 1, 5);
}

static void test_fcfs (void **state)
{
    struct desk desk;
    fill_desk (&desk, "fcfs");
    expect_run (&desk, 0, "A@0-2");
    assert_int_equal (tori_sched_blocked (desk.sched), TORI_NUMERICAL);
    expect_unreserved (&desk, 'B');
    finish (&desk, 7, 'A');
    expect_run (&desk, 7, "B@0-3");
    close_desk (&desk);
}

/* D takes the node that B waits for. */
static void test_backfill (void **state)
{
    struct desk desk;
    fill_desk (&desk, "backfill");
    expect_run (&desk, 0, "A@0-2 D@3-3");
    expect_unreserved (&desk, 'B');
    finish (&desk, 10, 'A');
    expect_run (&desk, 10, "C@0-0 E@1-1");
    close_desk (&desk);
}

/* B is to start at 10: D would be in its way, C is not. */
static void test_easy (void **state)
{
    struct desk desk;
    fill_desk (&desk, "easy");
    expect_run (&desk, 0, "A@0-2 C@3-3");
    expect_reserved (&desk, 'B', 10, NULL);
    expect_unreserved (&desk, 'D');
    finish (&desk, 4, 'C');
    expect_run (&desk, 4, "E@3-3");
    finish (&desk, 9, 'E');
    finish (&desk, 9, 'A');
    expect_run (&desk, 9, "B@0-3");
    close_desk (&desk);
}

/* The same with an allocator that takes counts and shapes: it gives nodes, so
 * a reservation is a number of them. */
static void test_easy_without_boxes (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "mc");
    submit (&desk, 0, 'A', 3, 10);
    submit_shape (&desk, 0, 'B', "2", TORI_WIRE_NONE, 10);
    submit (&desk, 0, 'C', 1, 99);
    submit (&desk, 0, 'D', 1, 99);
    /* At 10 there will be nodes for B and two others. */
    expect_run (&desk, 0, "A@0-2 C@3-3");
    expect_reserved (&desk, 'B', 10, NULL);
    close_desk (&desk);
}

/* D waits for B, and E for D: only C is in nobody's way. */
static void test_conservative (void **state)
{
    struct desk desk;
    fill_desk (&desk, "conservative");
    expect_run (&desk, 0, "A@0-2 C@3-3");
    expect_reserved (&desk, 'B', 10, NULL);
    expect_reserved (&desk, 'D', 20, NULL);
    expect_reserved (&desk, 'E', 20, NULL);
    /* A ends early, but C has a node until 10, and D needs 11 ticks. */
    finish (&desk, 3, 'A');
    expect_run (&desk, 3, "E@0-0");
    expect_reserved (&desk, 'B', 10, NULL);
    expect_reserved (&desk, 'D', 20, NULL);
    close_desk (&desk);
}

/* A job behind may pass where it has nothing in common with the reservation,
 * and be sent to another place than the allocator's first. */
static void test_reserved_box (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:6", "easy", TORI_ORDER_SUBMIT, "first-fit");
    submit_shape (&desk, 0, 'A', "2", TORI_WIRE_NONE, 5);
    expect_run (&desk, 0, "A@0/2");
    submit_shape (&desk, 0, 'B', "2", TORI_WIRE_NONE, 9);
    expect_run (&desk, 0, "B@2/2");
    finish (&desk, 1, 'A');
    submit_shape (&desk, 1, 'C', "4", TORI_WIRE_NONE, 4);
    submit_shape (&desk, 1, 'D', "1", TORI_WIRE_NONE, 9);
    submit_shape (&desk, 1, 'E', "1", TORI_WIRE_NONE, 8);
    /* C will have nodes 0 to 3 at 9. D, until 10, is sent to 4; E, until 9,
     * is in nobody's way. */
    expect_run (&desk, 1, "D@4/1 E@0/1");
    expect_reserved (&desk, 'C', 9, "0/4");
    close_desk (&desk);
}

/* On a torus line the links of a torus partition are all of the line's. */
static void test_reserved_links (void **state)
{
    struct desk desk;
    open_desk (&desk, "torus:6", "easy", TORI_ORDER_SUBMIT, "first-fit");
    submit_shape (&desk, 0, 'A', "2", TORI_WIRE_TORUS, 5);
    submit_shape (&desk, 0, 'B', "2", TORI_WIRE_TORUS, 5);
    submit_shape (&desk, 0, 'C', "2", TORI_WIRE_NONE, 5);
    submit_shape (&desk, 0, 'D', "2", TORI_WIRE_NONE, 6);
    expect_run (&desk, 0, "A@0/2 C@2/2 D@4/2");
    assert_int_equal (tori_sched_blocked (desk.sched), TORI_NUMERICAL);
    finish (&desk, 1, 'C');
    submit_shape (&desk, 1, 'E', "2", TORI_WIRE_MESH, 4);
    /* B waits for links, not for nodes; a mesh cannot pass it, but who wants
     * none can. */
    expect_run (&desk, 1, "");
    assert_int_equal (tori_sched_blocked (desk.sched), TORI_TOPOLOGICAL);
    expect_reserved (&desk, 'B', 5, "0/2");
    submit_shape (&desk, 2, 'F', "2", TORI_WIRE_NONE, 9);
    expect_run (&desk, 2, "F@2/2");
    close_desk (&desk);
}

/* A job that goes to the front takes over the only reservation. */
static void test_new_head (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SHORTEST, "row-ff");
    submit (&desk, 0, 'A', 3, 10);
    submit (&desk, 0, 'B', 4, 15);
    expect_run (&desk, 0, "A@0-2");
    expect_reserved (&desk, 'B', 10, NULL);
    submit (&desk, 1, 'C', 2, 1);
    expect_run (&desk, 1, "");
    expect_reserved (&desk, 'C', 10, NULL);
    expect_unreserved (&desk, 'B');
    /* D is in the way of B but not of C. */
    submit (&desk, 1, 'D', 1, 20);
    expect_run (&desk, 1, "D@3-3");
    close_desk (&desk);
}

/* Who is first in the queue may not take what others were promised for an
 * earlier time than his own. */
static void test_first_keeps_clear (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:10", "conservative", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'X', 6, 10);
    submit (&desk, 0, 'Y', 2, 8);
    submit (&desk, 0, 'Z', 2, 30);
    submit (&desk, 0, 'A', 8, 10);
    submit (&desk, 0, 'B', 2, 2);
    expect_run (&desk, 0, "X@0-5 Y@6-7 Z@8-9");
    expect_reserved (&desk, 'A', 10, NULL);
    expect_reserved (&desk, 'B', 8, NULL);
    finish (&desk, 7, 'X');
    finish (&desk, 7, 'Y');
    expect_run (&desk, 7, "B@0-1");
    finish (&desk, 9, 'B');
    expect_run (&desk, 9, "A@0-7");
    close_desk (&desk);
}

/* ---- estimates that do not hold ---- */

static void test_overdue (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'A', 3, 4);
    submit (&desk, 0, 'B', 4, 5);
    expect_run (&desk, 0, "A@0-2");
    expect_reserved (&desk, 'B', 4, NULL);
    /* A should be gone: it is expected to go in a tick, whenever one asks. */
    expect_run (&desk, 4, "");
    expect_reserved (&desk, 'B', 5, NULL);
    submit (&desk, 6, 'C', 1, 2);
    submit (&desk, 6, 'D', 1, 1);
    expect_run (&desk, 6, "D@3-3");
    expect_reserved (&desk, 'B', 7, NULL);
    finish (&desk, 7, 'D');
    expect_run (&desk, 7, "");
    finish (&desk, 9, 'A');
    expect_run (&desk, 9, "B@0-3");
    close_desk (&desk);
}

/* When A outlives its estimate B and C are each in the other's way: B's time
 * has come but there is no longer time for it in front of C, whose turn it is
 * in the queue. D, in front of both, waits for a node that is down. Nothing
 * would ever happen again if neither B nor C started. */
static void test_nobody_waits_for_nothing (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:3", "conservative", TORI_ORDER_SHORTEST,
               "row-ff");
    set_down (&desk, 0, 2, true);
    submit (&desk, 0, 'A', 2, 2);
    submit (&desk, 0, 'B', 2, 3);
    submit (&desk, 0, 'D', 3, 0);
    expect_run (&desk, 0, "A@0-1");
    expect_reserved (&desk, 'B', 2, NULL);
    submit (&desk, 1, 'C', 2, 1);
    expect_run (&desk, 1, "");
    expect_reserved (&desk, 'C', 5, NULL);
    finish (&desk, 3, 'A');
    expect_run (&desk, 3, "C@0-1");
    finish (&desk, 4, 'C');
    expect_run (&desk, 4, "B@0-1");
    expect_unreserved (&desk, 'D');
    close_desk (&desk);
}

/* A job of length 0 holds its nodes until it is reported to have ended. */
static void test_zero_length (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:2", "easy", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 3, 'A', 2, 0);
    submit (&desk, 3, 'B', 1, 0);
    expect_run (&desk, 3, "A@0-1");
    expect_reserved (&desk, 'B', 4, NULL);
    finish (&desk, 3, 'A');
    expect_run (&desk, 3, "B@0-0");
    close_desk (&desk);
}

/* Nobody can wait for the end of time, and whoever can start is not held
 * back by it. */
static void test_endless (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "conservative", TORI_ORDER_SUBMIT,
               "first-fit");
    submit_shape (&desk, 1, 'A', "3", TORI_WIRE_NONE, TORI_TIME_MAX);
    submit_shape (&desk, 1, 'B', "2", TORI_WIRE_NONE, TORI_TIME_MAX);
    submit_shape (&desk, 1, 'C', "1", TORI_WIRE_NONE, TORI_TIME_MAX);
    expect_run (&desk, 1, "A@0/3 C@3/1");
    expect_unreserved (&desk, 'B');
    finish (&desk, TORI_TIME_MAX, 'A');
    expect_run (&desk, TORI_TIME_MAX, "B@0/2");
    close_desk (&desk);
}

/* ---- cancelling ---- */

static void test_cancel (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "conservative", TORI_ORDER_SUBMIT,
               "first-fit");
    submit_shape (&desk, 0, 'A', "3", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 0, 'B', "4", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 0, 'C', "2", TORI_WIRE_NONE, 5);
    submit_shape (&desk, 0, 'D', "1", TORI_WIRE_NONE, 12);
    expect_run (&desk, 0, "A@0/3");
    expect_reserved (&desk, 'B', 10, "0/4");
    expect_reserved (&desk, 'C', 20, "0/2");
    expect_reserved (&desk, 'D', 20, "2/1");
    /* A reserved one: those behind it move up. */
    cancel (&desk, 1, 'B');
    assert_int_equal (tori_sched_queued (desk.sched), 2);
    expect_run (&desk, 1, "D@3/1");
    expect_reserved (&desk, 'C', 10, "0/2");
    /* A running one. */
    cancel (&desk, 2, 'A');
    assert_int_equal (tori_sched_running (desk.sched), 1);
    expect_run (&desk, 2, "C@0/2");
    cancel (&desk, 2, 'C');
    cancel (&desk, 2, 'D');
    assert_int_equal (tori_state_free_count (tori_sched_state (desk.sched)),
                      4);
    /* One that nobody has looked at yet. */
    submit_shape (&desk, 3, 'E', "4", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 3, 'F', "4", TORI_WIRE_NONE, 10);
    cancel (&desk, 3, 'E');
    expect_run (&desk, 3, "F@0/4");
    expect_run (&desk, 4, "");
    assert_int_equal (tori_sched_blocked (desk.sched), TORI_PLACED);
    close_desk (&desk);
}

/* What became of a job before its start was fetched is what is told. */
static void test_gone_before_told (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "fcfs", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'A', 1, 5);
    submit (&desk, 0, 'B', 1, 5);
    submit (&desk, 0, 'C', 1, 5);
    assert_int_equal (tori_sched_run (desk.sched, 0, NULL), 0);
    finish (&desk, 0, 'A');
    set_down (&desk, 0, 2, true);
    assert_string_equal (fetch (&desk), "B@1-1 C killed");
    expect_run (&desk, 1, "");
    close_desk (&desk);
}

/* ---- down and up ---- */

static void test_node_down (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:6", "easy", TORI_ORDER_SUBMIT, "first-fit");
    submit_shape (&desk, 0, 'A', "3", TORI_WIRE_MESH, 10);
    submit_shape (&desk, 0, 'B', "2", TORI_WIRE_MESH, 20);
    submit_shape (&desk, 0, 'C', "3", TORI_WIRE_MESH, 5);
    expect_run (&desk, 0, "A@0/3 B@3/2");
    expect_reserved (&desk, 'C', 10, "0/3");
    /* A is killed and its other two nodes are free: too few for C, which has
     * to wait for B now. */
    set_down (&desk, 2, 1, true);
    assert_string_equal (fetch (&desk), "A killed");
    assert_int_equal (tori_sched_running (desk.sched), 1);
    assert_int_equal (tori_state_free_count (tori_sched_state (desk.sched)),
                      3);
    assert_int_equal (tori_state_links_taken (tori_sched_state (desk.sched)),
                      1);
    submit_shape (&desk, 2, 'D', "1", TORI_WIRE_MESH, 99);
    expect_run (&desk, 2, "D@0/1");
    expect_reserved (&desk, 'C', 20, "2/3");
    set_down (&desk, 3, 1, false);
    expect_run (&desk, 3, "");
    expect_reserved (&desk, 'C', 20, "1/3");
    finish (&desk, 8, 'D');
    expect_run (&desk, 8, "C@0/3");
    close_desk (&desk);
}

/* Of many reservations those that need the node are given up, the others
 * stay. */
static void test_node_down_under_plan (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:4x2", "conservative", TORI_ORDER_SUBMIT,
               "first-fit");
    submit_shape (&desk, 0, 'A', "4x2", TORI_WIRE_MESH, 10);
    submit_shape (&desk, 0, 'B', "2x2", TORI_WIRE_MESH, 5);
    submit_shape (&desk, 0, 'C', "2x2", TORI_WIRE_MESH, 5);
    submit_shape (&desk, 0, 'D', "4x2", TORI_WIRE_MESH, 5);
    expect_run (&desk, 0, "A@0,0/4x2");
    expect_reserved (&desk, 'B', 10, "0,0/2x2");
    expect_reserved (&desk, 'C', 10, "2,0/2x2");
    expect_reserved (&desk, 'D', 15, "0,0/4x2");
    finish (&desk, 1, 'A');
    set_drained (&desk, 1, 0, true);
    expect_run (&desk, 1, "B@1,0/2x2");
    expect_reserved (&desk, 'C', 6, "1,0/2x2");
    expect_unreserved (&desk, 'D');
    set_drained (&desk, 2, 0, false);
    expect_run (&desk, 2, "");
    expect_reserved (&desk, 'C', 6, "1,0/2x2");
    expect_reserved (&desk, 'D', 11, "0,0/4x2");
    close_desk (&desk);
}

/* B will get three nodes of a box of four, and needs all four to be there. */
static void test_drain_under_room (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:8", "conservative", TORI_ORDER_SUBMIT,
               "isomorphic");
    submit_shape (&desk, 0, 'A', "8", TORI_WIRE_NONE, 5);
    submit_shape (&desk, 0, 'B', "3", TORI_WIRE_NONE, 5);
    expect_run (&desk, 0, "A@0/8");
    expect_reserved (&desk, 'B', 5, "0/3");
    set_drained (&desk, 1, 3, true);
    expect_run (&desk, 1, "");
    expect_reserved (&desk, 'B', 5, "4/3");
    close_desk (&desk);
}

static void test_drain (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'A', 3, 10);
    submit (&desk, 0, 'B', 3, 10);
    expect_run (&desk, 0, "A@0-2");
    expect_reserved (&desk, 'B', 10, NULL);
    /* A goes on, but its node will not come back; nor will node 3. */
    set_drained (&desk, 1, 1, true);
    set_drained (&desk, 1, 3, true);
    expect_run (&desk, 1, "");
    assert_int_equal (tori_sched_running (desk.sched), 1);
    expect_unreserved (&desk, 'B');
    finish (&desk, 5, 'A');
    expect_run (&desk, 5, "");
    assert_int_equal (tori_sched_blocked (desk.sched), TORI_NUMERICAL);
    set_drained (&desk, 6, 3, false);
    expect_run (&desk, 6, "B@0-3");
    /* Down as well as drained: both have to end. */
    set_down (&desk, 7, 1, true);
    set_drained (&desk, 7, 1, false);
    submit (&desk, 7, 'C', 1, 1);
    expect_run (&desk, 7, "");
    set_down (&desk, 8, 1, false);
    expect_run (&desk, 8, "C@1-1");
    close_desk (&desk);
}

static void test_link_down (void **state)
{
    struct desk desk;
    open_desk (&desk, "torus:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    submit_shape (&desk, 0, 'A', "2", TORI_WIRE_TORUS, 10);
    submit_shape (&desk, 0, 'B', "1", TORI_WIRE_TORUS, 10);
    submit_shape (&desk, 0, 'C', "2", TORI_WIRE_TORUS, 5);
    expect_run (&desk, 0, "A@0/2 B@2/1");
    expect_reserved (&desk, 'C', 10, "0/2");
    /* The ring of A passes through a link outside its box; B has no link. */
    set_link (&desk, 1, "2-3", true);
    assert_string_equal (fetch (&desk), "A killed");
    submit_shape (&desk, 1, 'D', "2", TORI_WIRE_MESH, 9);
    submit_shape (&desk, 1, 'E', "2", TORI_WIRE_MESH, 9);
    expect_run (&desk, 1, "D@0/2");
    expect_unreserved (&desk, 'C');
    finish (&desk, 2, 'B');
    expect_run (&desk, 2, "");
    set_link (&desk, 3, "2-3", false);
    expect_run (&desk, 3, "");
    expect_reserved (&desk, 'C', 10, "0/2");
    finish (&desk, 4, 'D');
    expect_run (&desk, 4, "C@0/2");
    close_desk (&desk);
}

/* ---- what is refused ---- */

static void test_rejections (void **state)
{
    struct desk desk;
    open_desk (&desk, "torus:4x3m", "fcfs", TORI_ORDER_SUBMIT, "first-fit");
    submit_shape (&desk, 0, 'A', "5x1", TORI_WIRE_NONE, 1);
    submit_shape (&desk, 0, 'B', "4x3", TORI_WIRE_NONE, 1);
    submit_shape (&desk, 0, 'C', "4x3", TORI_WIRE_TORUS, 1);
    submit_shape (&desk, 0, 'D', "2", TORI_WIRE_NONE, 1);
    submit (&desk, 0, 'E', 2, 1);
    submit (&desk, 0, 'F', 13, 1);
    submit_shape (&desk, 0, 'G', "4x4", TORI_WIRE_NONE, 1);
    assert_int_equal (tori_sched_queued (desk.sched), 1);
    assert_string_equal (
        fetch (&desk),
        "A rejected: the shape does not fit the machine's sides "
        "C rejected: a mesh dimension cannot be wired as a torus "
        "D rejected: the shape has another number of dimensions than the "
        "machine "
        "E rejected: the allocator takes a shape, not a count "
        "F rejected: larger than the machine "
        "G rejected: larger than the machine");
    expect_run (&desk, 0, "B@0,0/4x3");
    close_desk (&desk);
}

static void expect_refused (int answer, const tori_error *err,
                            const char *text)
{
    assert_int_equal (answer, -1);
    assert_int_equal (err->status, TORI_INVALID);
    assert_string_equal (err->text, text);
}

static void test_time_goes_back (void **state)
{
    static const char back[] = "time goes back";
    tori_job_spec spec = {.request.count = 1};
    tori_link link = {0, TORI_NEAR, 0};
    struct desk desk;
    tori_error err;
    tori_job job;
    open_desk (&desk, "mesh:4", "fcfs", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 5, 'A', 4, 1);
    submit (&desk, 5, 'B', 4, 1);
    expect_run (&desk, 5, "A@0-3");
    expect_refused (tori_sched_run (desk.sched, 4, &err), &err, back);
    expect_refused (tori_sched_submit (desk.sched, 4, &spec, &job, &err), &err,
                    back);
    expect_refused (
        tori_sched_finish (desk.sched, 4, desk.job['A'], &err), &err, back);
    expect_refused (
        tori_sched_cancel (desk.sched, 4, desk.job['B'], &err), &err, back);
    expect_refused (tori_sched_set_down (desk.sched, 4, 0, true, &err), &err,
                    back);
    expect_refused (tori_sched_set_drained (desk.sched, 4, 0, true, &err),
                    &err, back);
    expect_refused (
        tori_sched_set_link_down (desk.sched, 4, &link, true, &err), &err,
        back);
    assert_int_equal (tori_sched_queued (desk.sched), 1);
    assert_int_equal (tori_sched_running (desk.sched), 1);
    expect_run (&desk, 5, "");
    close_desk (&desk);
}

static void test_bad_calls (void **state)
{
    static const char unknown[] = "no such running job";
    tori_job_spec spec = {.request.count = 1, .estimate = -1};
    struct desk desk;
    tori_error err;
    tori_job job;
    open_desk (&desk, "mesh:4", "fcfs", TORI_ORDER_SUBMIT, "row-ff");
    expect_refused (tori_sched_finish (desk.sched, 0, 0, &err), &err, unknown);
    expect_refused (tori_sched_cancel (desk.sched, 0, 0, &err), &err,
                    "no such job");
    expect_refused (tori_sched_submit (desk.sched, 0, &spec, &job, &err), &err,
                    "negative estimate");
    expect_refused (tori_sched_set_down (desk.sched, 0, 4, true, &err), &err,
                    "no such node: 4");
    submit (&desk, 0, 'A', 4, 1);
    expect_refused (tori_sched_finish (desk.sched, 0, desk.job['A'], &err),
                    &err, unknown);
    expect_unreserved (&desk, 'A');
    expect_run (&desk, 0, "A@0-3");
    expect_unreserved (&desk, 'A');
    finish (&desk, 1, 'A');
    expect_refused (tori_sched_finish (desk.sched, 1, desk.job['A'], &err),
                    &err, unknown);
    expect_refused (tori_sched_cancel (desk.sched, 1, desk.job['A'], &err),
                    &err, "no such job");
    close_desk (&desk);
}

/* Bytes that are allocated. */
static size_t in_use (void)
{
    return mallinfo2 ().uordblks;
}

static void reject_some (struct desk *desk, uint32_t n)
{
    tori_decision decision;
    for (uint32_t i = 0; i < n; i++) {
        submit (desk, 0, 'R', 1001 + i, 1);
        assert_int_equal (desk->job['R'], TORI_NO_JOB);
        assert_true (tori_sched_next (desk->sched, &decision));
        assert_int_equal (decision.kind, TORI_REJECT);
    }
}

static void start_and_end_some (struct desk *desk, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        submit (desk, 0, 'S', 3 + i % 900, 1);
        assert_int_equal (tori_sched_run (desk->sched, 0, NULL), 0);
        cancel (desk, 0, 'S');
    }
}

/* Memory is for jobs that are there, not for what was ever asked for. */
static void test_memory (void **state)
{
    struct desk desk;
    size_t before;
    open_desk (&desk, "mesh:1000", "easy", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'A', 1, 9);
    submit (&desk, 0, 'B', 2, 9);
    expect_run (&desk, 0, "A@0-0 B@1-2");
    reject_some (&desk, 100);
    start_and_end_some (&desk, 3000);
    before = in_use ();
    reject_some (&desk, 20000);
    start_and_end_some (&desk, 3000);
    assert_true (in_use () <= before);
    finish (&desk, 1, 'A');
    finish (&desk, 1, 'B');
    close_desk (&desk);
}

/* ---- numbers ---- */

enum { RESTING = 1024 }; /* as tori/sched.h says */

/* Submit and cancel some, whose numbers are all different. */
static void come_and_go (struct desk *desk, size_t n, tori_job other)
{
    tori_job last = TORI_NO_JOB;
    for (size_t i = 0; i < n; i++) {
        submit (desk, 1, 'Z', 4, 1);
        assert_true (desk->job['Z'] != last && desk->job['Z'] != other);
        last = desk->job['Z'];
        cancel (desk, 1, 'Z');
    }
}

/* The number of a job that is gone is given to another when so many others are
 * gone after it, and then it is. */
static void test_numbers_rest (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'A', 4, 1);
    expect_run (&desk, 0, "A@0-3");
    finish (&desk, 1, 'A');
    for (int i = 0; i < 3; i++) {
        come_and_go (&desk, RESTING, desk.job['A']);
        submit (&desk, 1, 'B', 4, 1);
        assert_int_equal (desk.job['B'], desk.job['A']);
        expect_run (&desk, 1, "B@0-3");
        submit (&desk, 1, 'C', 4, 1);
        assert_true (desk.job['C'] <= desk.job['A'] + RESTING + 1);
        expect_run (&desk, 1, "");
        expect_reserved (&desk, 'C', 2, NULL);
        cancel (&desk, 1, 'B');
        cancel (&desk, 1, 'C');
        desk.job['A'] = desk.job['B'];
    }
    close_desk (&desk);
}

/* A is killed, and its end is reported late: that must not be the end of
 * another, however many came since. */
static void test_late_message (void **state)
{
    struct desk desk;
    tori_decision decision;
    tori_error err;
    tori_job killed;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'A', 1, 9);
    expect_run (&desk, 0, "A@0-0");
    killed = desk.job['A'];
    set_down (&desk, 1, 0, true);
    for (int i = 0; i < 3 * RESTING; i++) {
        submit (&desk, 1, 'B', 3, 9);
        assert_true (desk.job['B'] != killed);
        assert_int_equal (tori_sched_run (desk.sched, 1, NULL), 0);
        expect_refused (tori_sched_finish (desk.sched, 1, killed, &err), &err,
                        "no such running job");
        expect_refused (tori_sched_cancel (desk.sched, 1, killed, &err), &err,
                        "no such job");
        cancel (&desk, 1, 'B');
    }
    assert_true (tori_sched_next (desk.sched, &decision));
    assert_int_equal (decision.kind, TORI_KILL);
    assert_int_equal (decision.job, killed);
    assert_false (tori_sched_next (desk.sched, &decision));
    come_and_go (&desk, RESTING, killed);
    submit (&desk, 1, 'B', 3, 9);
    expect_run (&desk, 1, "B@1-3");
    close_desk (&desk);
}

/* ---- an allocator that gives up ---- */

/* As open_desk, with exact and so few steps that 20 nodes are too many. */
static void open_hasty_desk (struct desk *desk, const char *policy)
{
    tori_alloc_options hasty = {.steps = 1000};
    memset (desk, 0, sizeof *desk);
    desk->machine = make_machine ("mesh:8x8");
    assert_int_equal (tori_sched_create_with (desk->machine, policy,
                                              TORI_ORDER_SUBMIT, "exact",
                                              &hasty, &desk->sched, NULL),
                      0);
}

static void expect_waits (const struct desk *desk, char letter,
                          tori_outcome waits)
{
    tori_job_info info;
    assert_true (tori_sched_look (desk->sched, desk->job[(int)letter], &info));
    assert_int_equal (info.phase, TORI_JOB_QUEUED);
    assert_int_equal (info.spec.tag, letter);
    assert_int_equal (info.waits, waits);
    assert_string_equal (tori_outcome_name (waits),
                         tori_outcome_name (info.waits));
}

static void expect_gave_up (const struct desk *desk, char letter)
{
    const char *why = NULL;
    tori_job job = 99;
    uint64_t tag = 0;
    assert_true (tori_sched_gave_up (desk->sched, &job, &tag, &why));
    assert_int_equal (tag, letter);
    assert_int_equal (job, desk->job[(int)letter]);
    assert_non_null (strstr (why, "exact"));
}

static void expect_decided (const struct desk *desk)
{
    const char *why;
    uint64_t tag;
    tori_job job;
    assert_false (tori_sched_gave_up (desk->sched, &job, &tag, &why));
}

/* Who is given up on waits, and does not keep others from starting but by
 * what the policy says. */
static void test_gives_up (void **state)
{
    for (size_t i = 0; tori_sched_list (i); i++) {
        const char *policy = tori_sched_list (i)->name;
        bool overtaken = strcmp (policy, "fcfs") != 0;
        struct desk desk;
        open_hasty_desk (&desk, policy);
        submit (&desk, 0, 'A', 20, 5);
        submit (&desk, 0, 'B', 1, 5);
        expect_decided (&desk);
        expect_run (&desk, 0, overtaken ? "B@0-0" : "");
        expect_gave_up (&desk, 'A');
        assert_int_equal (tori_sched_blocked (desk.sched), TORI_UNDECIDED);
        /* As long as nothing changes it is not asked again. */
        expect_run (&desk, 1, "");
        expect_decided (&desk);
        assert_int_equal (tori_sched_blocked (desk.sched), TORI_UNDECIDED);
        if (overtaken) {
            finish (&desk, 5, 'B');
            expect_run (&desk, 5, "");
            expect_gave_up (&desk, 'A');
        }
        cancel (&desk, 6, 'A');
        expect_decided (&desk);
        expect_run (&desk, 6, overtaken ? "" : "B@0-0");
        assert_int_equal (tori_sched_blocked (desk.sched), TORI_PLACED);
        close_desk (&desk);
    }
}

/* Of several that are given up on in a run the first is named. */
static void test_gives_up_twice (void **state)
{
    struct desk desk;
    open_hasty_desk (&desk, "backfill");
    submit (&desk, 0, 'A', 20, 5);
    submit (&desk, 0, 'B', 1, 5);
    submit (&desk, 0, 'C', 21, 5);
    expect_run (&desk, 0, "B@0-0");
    expect_waits (&desk, 'A', TORI_UNDECIDED);
    expect_waits (&desk, 'C', TORI_UNDECIDED);
    expect_gave_up (&desk, 'A');
    close_desk (&desk);
}

/* B outlives its estimate: whoever waits is looked at again, but once, as long
 * as no time passes. */
static void test_outlived_once (void **state)
{
    struct desk desk;
    open_hasty_desk (&desk, "backfill");
    submit (&desk, 0, 'A', 20, 5);
    submit (&desk, 0, 'B', 1, 5);
    expect_run (&desk, 0, "B@0-0");
    expect_run (&desk, 5, "");
    expect_gave_up (&desk, 'A');
    expect_run (&desk, 5, "");
    expect_decided (&desk);
    expect_run (&desk, 6, "");
    expect_gave_up (&desk, 'A');
    close_desk (&desk);
}

/* What is too much among many free nodes need not be among few. */
static void test_gives_up_for_now (void **state)
{
    struct desk desk;
    open_hasty_desk (&desk, "easy");
    submit (&desk, 0, 'A', 64, 10);
    expect_run (&desk, 0, "A@0-63");
    submit (&desk, 0, 'B', 20, 5);
    expect_run (&desk, 0, "");
    assert_int_equal (tori_sched_blocked (desk.sched), TORI_NUMERICAL);
    expect_reserved (&desk, 'B', 10, NULL);
    finish (&desk, 10, 'A');
    for (uint32_t i = 0; i < 44; i++)
        set_down (&desk, 10, i, true);
    expect_run (&desk, 10, "B@44-63");
    expect_decided (&desk);
    close_desk (&desk);
}

/* ---- looking at jobs ---- */

/* Each waits for something else. */
static void test_why_it_waits (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:5", "easy", TORI_ORDER_SUBMIT, "first-fit");
    submit_shape (&desk, 0, 'A', "2", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 0, 'B', "1", TORI_WIRE_NONE, 20);
    submit_shape (&desk, 0, 'C', "5", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 0, 'D', "2", TORI_WIRE_NONE, 30);
    expect_waits (&desk, 'A', TORI_PLACED);
    expect_run (&desk, 0, "A@0/2 B@2/1");
    expect_waits (&desk, 'C', TORI_NUMERICAL);
    expect_waits (&desk, 'D', TORI_HELD);
    submit_shape (&desk, 0, 'E', "1", TORI_WIRE_NONE, 40);
    expect_waits (&desk, 'E', TORI_PLACED);
    finish (&desk, 1, 'A');
    expect_waits (&desk, 'D', TORI_PLACED);
    expect_waits (&desk, 'C', TORI_NUMERICAL);
    cancel (&desk, 1, 'C');
    expect_run (&desk, 1, "D@0/2 E@3/1");
    submit_shape (&desk, 1, 'F', "1", TORI_WIRE_NONE, 5);
    submit_shape (&desk, 1, 'G', "1", TORI_WIRE_NONE, 5);
    expect_run (&desk, 1, "F@4/1");
    finish (&desk, 2, 'B');
    finish (&desk, 2, 'F');
    cancel (&desk, 2, 'G');
    submit_shape (&desk, 2, 'H', "2", TORI_WIRE_NONE, 5);
    expect_run (&desk, 2, "");
    expect_waits (&desk, 'H', TORI_TOPOLOGICAL);
    close_desk (&desk);
}

static void test_undecided_waits (void **state)
{
    struct desk desk;
    open_hasty_desk (&desk, "fcfs");
    submit (&desk, 0, 'A', 20, 5);
    submit (&desk, 0, 'B', 1, 5);
    expect_run (&desk, 0, "");
    expect_waits (&desk, 'A', TORI_UNDECIDED);
    expect_waits (&desk, 'B', TORI_HELD);
    close_desk (&desk);
}

static void test_look (void **state)
{
    struct desk desk;
    tori_job_info info = {.start = 77};
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    assert_false (tori_sched_look (desk.sched, 0, &info));
    submit_shape (&desk, 3, 'A', "2", TORI_WIRE_MESH, 0);
    expect_run (&desk, 5, "A@0/2");
    assert_true (tori_sched_look (desk.sched, desk.job['A'], &info));
    assert_int_equal (info.phase, TORI_JOB_RUNNING);
    assert_int_equal (info.spec.tag, 'A');
    assert_int_equal (info.spec.estimate, 0);
    assert_int_equal (info.spec.request.wiring, TORI_WIRE_MESH);
    assert_int_equal (info.start, 5);
    assert_int_equal (info.end, 6);
    assert_int_equal (info.place->count, 2);
    finish (&desk, 9, 'A');
    assert_false (tori_sched_look (desk.sched, desk.job['A'], &info));
    assert_false (tori_sched_look (desk.sched, TORI_NO_JOB, &info));
    close_desk (&desk);
}

/* ---- taking over ---- */

static int adopt (struct desk *desk, tori_time now, char letter,
                  tori_time start, const char *box, tori_error *err)
{
    tori_job_spec spec = {.estimate = 10, .tag = (uint64_t)letter};
    tori_placement place = {.is_box = true};
    assert_int_equal (tori_box_parse (desk->machine, box, &place.box, NULL),
                      0);
    spec.request.shape = place.box.shape;
    place.count = (uint32_t)tori_shape_volume (&place.box.shape);
    return tori_sched_adopt (desk->sched, now, &spec, start, &place,
                             &desk->job[(int)letter], err);
}

/* A ran before; B, which needs its nodes, may expect them at its end. */
static void test_adopt (void **state)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    assert_int_equal (adopt (&desk, 5, 'A', 2, "1/2", NULL), 0);
    submit_shape (&desk, 5, 'B', "3", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 5, 'C', "1", TORI_WIRE_NONE, 7);
    submit_shape (&desk, 5, 'D', "1", TORI_WIRE_NONE, 8);
    expect_run (&desk, 5, "C@0/1 D@3/1");
    expect_reserved (&desk, 'B', 12, "0/3");
    finish (&desk, 12, 'A');
    expect_run (&desk, 12, "");
    finish (&desk, 12, 'C');
    expect_run (&desk, 12, "B@0/3");
    close_desk (&desk);
}

static void test_adopt_refused (void **state)
{
    tori_job_spec spec = {.estimate = 1};
    uint32_t beyond = 4;
    tori_placement place = {.nodes = &beyond};
    struct desk desk;
    tori_error err;
    tori_job job = 99;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    expect_refused (adopt (&desk, 5, 'A', 6, "1/2", &err), &err,
                    "a start in the future");
    expect_refused (adopt (&desk, 5, 'A', -1, "1/2", &err), &err,
                    "a start before time 0");
    expect_refused (adopt (&desk, 5, 'A', INT64_MIN, "1/2", &err), &err,
                    "a start before time 0");
    expect_refused (tori_sched_adopt (desk.sched, 5, &spec, 5, &place, &job,
                                      &err),
                    &err, "a job without nodes");
    place.count = 1;
    assert_int_equal (tori_sched_adopt (desk.sched, 5, &spec, 5, &place, &job,
                                        &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (job, 99);
    assert_int_equal (adopt (&desk, 5, 'A', 5, "1/2", NULL), 0);
    expect_refused (adopt (&desk, 4, 'B', 4, "3/1", &err), &err,
                    "time goes back");
    assert_int_equal (adopt (&desk, 5, 'B', 5, "2/2", &err), -1);
    assert_int_equal (err.status, TORI_NOT_NOW);
    assert_string_equal (err.text, "node 2 is not free");
    assert_int_equal (tori_sched_running (desk.sched), 1);
    assert_int_equal (tori_state_free_count (tori_sched_state (desk.sched)),
                      2);
    close_desk (&desk);
}

/* What fails leaves the clock where it was. */
static void test_failures_take_no_time (void **state)
{
    tori_job_spec wrong = {.estimate = -1};
    tori_link absent = {5, TORI_NEAR, 0};
    struct desk desk;
    tori_job job = 99;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    assert_int_equal (adopt (&desk, 5, 'A', 5, "1/2", NULL), 0);
    assert_int_equal (adopt (&desk, 100, 'B', 5, "2/2", NULL), -1);
    assert_int_equal (
        tori_sched_set_link_down (desk.sched, 100, &absent, true, NULL), -1);
    assert_int_equal (tori_sched_set_down (desk.sched, 100, 4, true, NULL),
                      -1);
    assert_int_equal (tori_sched_set_drained (desk.sched, 100, 4, true, NULL),
                      -1);
    assert_int_equal (tori_sched_finish (desk.sched, 100, 77, NULL), -1);
    assert_int_equal (tori_sched_cancel (desk.sched, 100, 77, NULL), -1);
    assert_int_equal (tori_sched_submit (desk.sched, 100, &wrong, &job, NULL),
                      -1);
    assert_int_equal (job, 99);
    submit_shape (&desk, 50, 'C', "1", TORI_WIRE_NONE, 7);
    expect_run (&desk, 50, "C@0/1");
    close_desk (&desk);
}

/* Whoever has a reservation when another job is adopted has none any more, as
 * it may be in its way: B, which was to start at 10, waits for D. */
static void test_adopt_voids (void **state)
{
    static const char *const policies[] = {"easy", "conservative"};
    for (size_t i = 0; i < LENGTH (policies); i++) {
        tori_placement place = {.is_box = true, .count = 3};
        struct desk desk;
        open_desk (&desk, "mesh:4", policies[i], TORI_ORDER_SUBMIT,
                   "first-fit");
        assert_int_equal (adopt (&desk, 0, 'A', 0, "0/2", NULL), 0);
        submit_shape (&desk, 0, 'B', "3", TORI_WIRE_NONE, 5);
        place.box.shape = make_shape ("3");
        assert_int_equal (tori_sched_reserve (desk.sched, desk.job['B'], 10,
                                              &place, NULL),
                          0);
        assert_int_equal (adopt (&desk, 5, 'D', 5, "2/1", NULL), 0);
        expect_run (&desk, 5, "");
        expect_reserved (&desk, 'B', 15, "0/3");
        finish (&desk, 10, 'A');
        expect_run (&desk, 10, "");
        finish (&desk, 15, 'D');
        expect_run (&desk, 15, "B@0/3");
        close_desk (&desk);
    }
}

/* A has outlived its estimate, and who promised B to start at 20 knew that. */
static void test_adopt_outlived (void **state)
{
    tori_placement place = {.is_box = true, .count = 4};
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    assert_int_equal (adopt (&desk, 12, 'A', 0, "0/2", NULL), 0);
    submit_shape (&desk, 12, 'B', "4", TORI_WIRE_NONE, 5);
    place.box.shape = make_shape ("4");
    assert_int_equal (tori_sched_reserve (desk.sched, desk.job['B'], 20,
                                          &place, NULL),
                      0);
    expect_run (&desk, 12, "");
    expect_reserved (&desk, 'B', 20, "0/4");
    expect_run (&desk, 13, "");
    expect_reserved (&desk, 'B', 14, "0/4");
    close_desk (&desk);
}

/* Reservations are the policy's to give. */
static void test_reserve_refused (void **state)
{
    static const char none[] = "no queued job that may hold a reservation";
    tori_placement place = {0};
    struct desk desk;
    tori_error err;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'A', 4, 5);
    submit (&desk, 0, 'B', 4, 5);
    submit (&desk, 0, 'C', 4, 5);
    expect_run (&desk, 0, "A@0-3");
    expect_refused (tori_sched_reserve (desk.sched, desk.job['A'], 5, NULL,
                                        &err),
                    &err, none);
    expect_refused (tori_sched_reserve (desk.sched, desk.job['C'], 5, NULL,
                                        &err),
                    &err, none);
    expect_refused (tori_sched_reserve (desk.sched, desk.job['B'], 5, &place,
                                        &err),
                    &err, "nodes are reserved by count, not at a place");
    expect_refused (tori_sched_reserve (desk.sched, desk.job['B'], -1, NULL,
                                        &err),
                    &err, "a start before time 0");
    assert_int_equal (tori_sched_reserve (desk.sched, desk.job['B'], 7, NULL,
                                          &err),
                      0);
    expect_reserved (&desk, 'B', 7, NULL);
    close_desk (&desk);
}

/* A place that is none of the machine is refused. */
static void test_reserve_elsewhere (void **state)
{
    tori_placement place = {.is_box = true, .count = 5};
    struct desk desk;
    tori_error err;
    open_desk (&desk, "mesh:4", "conservative", TORI_ORDER_SUBMIT,
               "first-fit");
    submit_shape (&desk, 0, 'A', "4", TORI_WIRE_NONE, 5);
    submit_shape (&desk, 0, 'B', "4", TORI_WIRE_NONE, 5);
    expect_run (&desk, 0, "A@0/4");
    place.box.shape = make_shape ("5");
    assert_int_equal (tori_sched_reserve (desk.sched, desk.job['B'], 7, &place,
                                          &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    expect_refused (tori_sched_reserve (desk.sched, desk.job['B'], 7, NULL,
                                        &err),
                    &err, "a reservation without a place");
    place.box.shape = make_shape ("4");
    place.count = 4;
    expect_refused (tori_sched_reserve (desk.sched, desk.job['B'], INT64_MIN,
                                        &place, &err),
                    &err, "a start before time 0");
    expect_reserved (&desk, 'B', 5, "0/4");
    close_desk (&desk);
}

/* A place must be what the job asks for; nothing that is refused replaces what
 * the job has. */
static void expect_misplaced (struct desk *desk, const char *box,
                              tori_wiring wiring, const char *why)
{
    tori_placement place = {.is_box = true, .wiring = wiring};
    tori_error err;
    assert_int_equal (tori_box_parse (desk->machine, box, &place.box, NULL),
                      0);
    place.count = (uint32_t)tori_shape_volume (&place.box.shape);
    expect_refused (tori_sched_reserve (desk->sched, desk->job['B'], 7, &place,
                                        &err),
                    &err, why);
}

static void test_reserve_misplaced (void **state)
{
    static const char shape[] = "a place of another shape than the job's";
    uint32_t nodes[] = {0, 1, 2, 3};
    tori_placement list = {.count = 4, .nodes = nodes};
    tori_request request = {.shape = make_shape ("1x4")};
    struct desk desk;
    tori_error err;
    open_desk (&desk, "torus:4x4", "conservative", TORI_ORDER_SUBMIT,
               "first-fit");
    submit_shape (&desk, 0, 'A', "4x4", TORI_WIRE_NONE, 5);
    submit_request (&desk, 0, 'B', request, 5);
    expect_run (&desk, 0, "A@0,0/4x4");
    expect_misplaced (&desk, "0,0/1x1", TORI_WIRE_NONE,
                      "a place of 1 nodes for a job that takes 4");
    expect_misplaced (&desk, "0,0/4x4", TORI_WIRE_NONE,
                      "a place of 16 nodes for a job that takes 4");
    expect_misplaced (&desk, "0,0/1x4", TORI_WIRE_MESH,
                      "a place with another wiring than the job's");
    expect_misplaced (&desk, "0,0/2x2", TORI_WIRE_NONE, shape);
    expect_misplaced (&desk, "0,1/1x4", TORI_WIRE_NONE, shape);
    expect_refused (tori_sched_reserve (desk.sched, desk.job['B'], 7, &list,
                                        &err),
                    &err, shape);
    expect_reserved (&desk, 'B', 5, "0,0/1x4");
    cancel (&desk, 0, 'B');
    request.wrap = true;
    request.fixed = true;
    submit_request (&desk, 0, 'B', request, 5);
    expect_misplaced (&desk, "0,0/4x1", TORI_WIRE_NONE, shape);
    list = (tori_placement){.is_box = true, .count = 4};
    tori_box_parse (desk.machine, "2,1/1x4", &list.box, NULL);
    assert_int_equal (tori_sched_reserve (desk.sched, desk.job['B'], 7, &list,
                                          NULL),
                      0);
    expect_reserved (&desk, 'B', 7, "2,1/1x4");
    close_desk (&desk);
}

/* Nodes that a shape is folded into come from a box, which is looked at. */
static void test_reserve_folded (void **state)
{
    uint32_t nodes[] = {0, 1, 4};
    tori_placement list = {.count = 3, .nodes = nodes};
    struct desk desk;
    tori_error err;
    open_desk (&desk, "mesh:4x4", "conservative", TORI_ORDER_SUBMIT,
               "isomorphic");
    submit_shape (&desk, 0, 'A', "4x4", TORI_WIRE_NONE, 5);
    submit_shape (&desk, 0, 'B', "3x1", TORI_WIRE_NONE, 5);
    expect_run (&desk, 0, "A@0,0/4x4");
    list.box.shape.ndims = 1 << 20;
    assert_int_equal (tori_sched_reserve (desk.sched, desk.job['B'], 7, &list,
                                          &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    tori_box_parse (desk.machine, "2,2/2x2", &list.box, NULL);
    expect_refused (tori_sched_reserve (desk.sched, desk.job['B'], 7, &list,
                                        &err),
                    &err, "a place that is not cut from its box");
    tori_box_parse (desk.machine, "0,0/2x2", &list.box, NULL);
    assert_int_equal (tori_sched_reserve (desk.sched, desk.job['B'], 7, &list,
                                          &err),
                      0);
    close_desk (&desk);
}

/* The last moments that there are. */
static void test_end_of_time (void **state)
{
    struct desk desk;
    for (size_t i = 0; tori_sched_list (i); i++) {
        open_desk (&desk, "mesh:4", tori_sched_list (i)->name,
                   TORI_ORDER_SUBMIT, "first-fit");
        submit_shape (&desk, INT64_MAX - 1, 'A', "3", TORI_WIRE_NONE,
                      INT64_MAX);
        submit_shape (&desk, INT64_MAX - 1, 'B', "2", TORI_WIRE_NONE, 1);
        expect_run (&desk, INT64_MAX - 1, "A@0/3");
        expect_run (&desk, INT64_MAX, "");
        finish (&desk, INT64_MAX, 'A');
        expect_run (&desk, INT64_MAX, "B@0/2");
        close_desk (&desk);
    }
}

/* ---- the queue ---- */

static void test_orders (void **state)
{
    static const char *const started[] = {
        [TORI_ORDER_SUBMIT] = "A@0-1 B@2-4 C@5-5 D@6-8 E@9-9",
        [TORI_ORDER_SHORTEST] = "B@0-2 D@3-5 A@6-7 E@8-8 C@9-9",
        [TORI_ORDER_SMALLEST] = "C@0-0 E@1-1 A@2-3 B@4-6 D@7-9",
        [TORI_ORDER_LARGEST] = "B@0-2 D@3-5 A@6-7 C@8-8 E@9-9",
    };
    for (size_t i = 0; i < LENGTH (started); i++) {
        struct desk desk;
        tori_order order;
        uint64_t tag;
        tori_job job;
        assert_int_equal (
            tori_order_parse (tori_order_name ((tori_order)i), &order, NULL),
            0);
        assert_int_equal (order, i);
        open_desk (&desk, "mesh:10", "fcfs", order, "row-ff");
        assert_false (tori_sched_head (desk.sched, &job, &tag));
        submit (&desk, 0, 'A', 2, 5);
        submit (&desk, 0, 'B', 3, 1);
        submit (&desk, 0, 'C', 1, 9);
        submit (&desk, 0, 'D', 3, 1);
        submit (&desk, 0, 'E', 1, 5);
        assert_true (tori_sched_head (desk.sched, &job, &tag));
        assert_int_equal (tag, started[i][0]);
        assert_int_equal (job, desk.job[(int)tag]);
        expect_run (&desk, 0, started[i]);
        close_desk (&desk);
    }
}

static void test_names (void **state)
{
    tori_machine *machine = make_machine ("mesh:4");
    tori_sched *sched;
    tori_order order;
    tori_error err;
    expect_refused (tori_order_parse ("longest", &order, &err), &err,
                    "unknown order 'longest': expected submit, shortest, "
                    "smallest or largest");
    expect_refused (tori_sched_create (machine, "lottery", TORI_ORDER_SUBMIT,
                                       "row-ff", &sched, &err),
                    &err, "unknown scheduler 'lottery': expected fcfs, "
                          "backfill, easy or conservative");
    assert_int_equal (tori_sched_create (machine, "fcfs", TORI_ORDER_SUBMIT,
                                         "dice", &sched, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_non_null (strstr (err.text, "unknown allocator 'dice': known are"));
    for (size_t i = 0; tori_alloc_list (i); i++)
        assert_non_null (strstr (err.text, tori_alloc_list (i)->name));
    assert_string_equal (tori_sched_list (0)->name, "fcfs");
    tori_machine_destroy (machine);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_fcfs),
        cmocka_unit_test (test_backfill),
        cmocka_unit_test (test_easy),
        cmocka_unit_test (test_easy_without_boxes),
        cmocka_unit_test (test_conservative),
        cmocka_unit_test (test_reserved_box),
        cmocka_unit_test (test_reserved_links),
        cmocka_unit_test (test_new_head),
        cmocka_unit_test (test_first_keeps_clear),
        cmocka_unit_test (test_overdue),
        cmocka_unit_test (test_nobody_waits_for_nothing),
        cmocka_unit_test (test_zero_length),
        cmocka_unit_test (test_endless),
        cmocka_unit_test (test_cancel),
        cmocka_unit_test (test_gone_before_told),
        cmocka_unit_test (test_node_down),
        cmocka_unit_test (test_node_down_under_plan),
        cmocka_unit_test (test_drain_under_room),
        cmocka_unit_test (test_drain),
        cmocka_unit_test (test_link_down),
        cmocka_unit_test (test_rejections),
        cmocka_unit_test (test_time_goes_back),
        cmocka_unit_test (test_bad_calls),
        cmocka_unit_test (test_memory),
        cmocka_unit_test (test_numbers_rest),
        cmocka_unit_test (test_late_message),
        cmocka_unit_test (test_gives_up),
        cmocka_unit_test (test_gives_up_twice),
        cmocka_unit_test (test_outlived_once),
        cmocka_unit_test (test_gives_up_for_now),
        cmocka_unit_test (test_why_it_waits),
        cmocka_unit_test (test_undecided_waits),
        cmocka_unit_test (test_look),
        cmocka_unit_test (test_adopt),
        cmocka_unit_test (test_adopt_refused),
        cmocka_unit_test (test_failures_take_no_time),
        cmocka_unit_test (test_adopt_voids),
        cmocka_unit_test (test_adopt_outlived),
        cmocka_unit_test (test_reserve_misplaced),
        cmocka_unit_test (test_reserve_folded),
        cmocka_unit_test (test_end_of_time),
        cmocka_unit_test (test_reserve_refused),
        cmocka_unit_test (test_reserve_elsewhere),
        cmocka_unit_test (test_orders),
        cmocka_unit_test (test_names),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
