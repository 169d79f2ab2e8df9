/* Nodes and links that go down or are drained under a scheduler, and come
 * back. */
#include "desk.h"

/* A job is set aside for this reason, or, without one, is not. */
static void expect_aside (struct desk *desk, char letter, const char *why)
{
    tori_job_info info = {.size = sizeof info};
    assert_true (tori_sched_look (desk->sched, desk->job[(int)letter], &info));
    assert_int_equal (info.waits == TORI_REASON_NODES, why != NULL);
    if (!why) {
        assert_null (info.aside);
        return;
    }
    assert_string_equal (tori_reason_name (info.waits), "nodes");
    assert_string_equal (info.aside, why);
    expect_unreserved (desk, letter);
}

/* The queue in its order, those that are set aside included. */
static void expect_queue (const struct desk *desk, const char *letters)
{
    tori_job jobs[16];
    char said[16] = "";
    size_t n = tori_sched_queued_jobs (desk->sched, jobs);
    assert_int_equal (n, tori_sched_queued (desk->sched));
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (desk->sched, jobs[i], &info));
        said[i] = (char)info.tag;
    }
    assert_string_equal (said, letters);
}

static const char too_many[] = "asks for more nodes than are in service";
static const char no_place[]
    = "does not fit beside the nodes that are out of service";
static const char no_links[]
    = "does not fit beside the links that are out of service";

TEST (node_down)
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
    expect_free (&desk, 3);
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

/* Planned starts that need the node are given up, the others stay. */
TEST (node_down_under_plan)
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
TEST (drain_under_room)
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

TEST (drain)
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
    expect_aside (&desk, 'B', too_many);
    finish (&desk, 5, 'A');
    expect_run (&desk, 5, "");
    expect_blocked (&desk, TORI_REASON_UNKNOWN);
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

TEST (link_down)
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

/* ---- jobs that do not fit beside what is down ---- */

/* C holds easy's reservation instead of B, which keeps its place. */
TEST (aside_easy)
{
    struct desk desk;
    uint64_t tag;
    tori_job job;
    open_desk (&desk, "mesh:6", "easy", TORI_ORDER_SUBMIT, "first-fit");
    submit_shape (&desk, 0, 'A', "2", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 0, 'B', "6", TORI_WIRE_NONE, 10);
    expect_run (&desk, 0, "A@0/2");
    expect_reserved (&desk, 'B', 10, "0/6");
    set_down (&desk, 1, 5, true);
    submit_shape (&desk, 1, 'C', "5", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 1, 'D', "1", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 1, 'E', "1", TORI_WIRE_NONE, 9);
    expect_run (&desk, 1, "E@2/1");
    expect_aside (&desk, 'B', too_many);
    expect_reserved (&desk, 'C', 10, "0/5");
    expect_queue (&desk, "BCD");
    expect_blocked (&desk, TORI_REASON_NUMERICAL);
    assert_true (tori_sched_head (desk.sched, &job, &tag));
    assert_int_equal (tag, 'B');
    /* Repaired, it is the first again. */
    set_down (&desk, 2, 5, false);
    expect_run (&desk, 2, "");
    expect_aside (&desk, 'B', NULL);
    expect_reserved (&desk, 'B', 10, "0/6");
    expect_unreserved (&desk, 'C');
    expect_queue (&desk, "BCD");
    close_desk (&desk);
}

/* No job overtakes, except jobs that are set aside. In another order it is the
 * same. */
TEST (aside_fcfs)
{
    struct desk desk;
    open_desk (&desk, "mesh:4x4", "fcfs", TORI_ORDER_LARGEST, "first-fit");
    set_drained (&desk, 0, 5, true);
    submit_shape (&desk, 0, 'A', "3x3", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 0, 'B', "2x4", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 0, 'C', "2x2", TORI_WIRE_NONE, 10);
    submit_shape (&desk, 0, 'D', "4x4", TORI_WIRE_NONE, 10);
    expect_run (&desk, 0, "B@0,2/4x2 C@2,0/2x2");
    expect_aside (&desk, 'A', no_place);
    expect_aside (&desk, 'D', too_many);
    expect_queue (&desk, "DA");
    expect_blocked (&desk, TORI_REASON_UNKNOWN);
    set_drained (&desk, 1, 5, false);
    submit_shape (&desk, 1, 'E', "1x1", TORI_WIRE_NONE, 10);
    expect_run (&desk, 1, "");
    finish (&desk, 2, 'B');
    finish (&desk, 2, 'C');
    expect_run (&desk, 2, "D@0,0/4x4");
    expect_queue (&desk, "AE");
    close_desk (&desk);
}

/* The planned starts of other jobs stay, and may become earlier. */
TEST (aside_conservative)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "conservative", TORI_ORDER_SUBMIT,
               "first-fit");
    submit_shape (&desk, 0, 'A', "3", TORI_WIRE_NONE, 5);
    submit_shape (&desk, 0, 'B', "4", TORI_WIRE_NONE, 5);
    submit_shape (&desk, 0, 'C', "2", TORI_WIRE_NONE, 5);
    expect_run (&desk, 0, "A@0/3");
    expect_reserved (&desk, 'B', 5, "0/4");
    expect_reserved (&desk, 'C', 10, "0/2");
    set_down (&desk, 1, 3, true);
    expect_run (&desk, 1, "");
    expect_aside (&desk, 'B', too_many);
    expect_reserved (&desk, 'C', 5, "0/2");
    set_down (&desk, 2, 3, false);
    expect_run (&desk, 2, "");
    expect_reserved (&desk, 'C', 5, "0/2");
    expect_reserved (&desk, 'B', 10, "0/4");
    close_desk (&desk);
}

/* The reason may change while a job is set aside. */
TEST (aside_for_links)
{
    struct desk desk;
    open_desk (&desk, "torus:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    set_link (&desk, 0, "2-3", true);
    submit_shape (&desk, 0, 'A', "3", TORI_WIRE_TORUS, 10);
    submit_shape (&desk, 0, 'B', "2", TORI_WIRE_MESH, 10);
    expect_run (&desk, 0, "B@0/2");
    expect_aside (&desk, 'A', no_links);
    set_down (&desk, 1, 2, true);
    set_down (&desk, 1, 3, true);
    expect_run (&desk, 1, "");
    expect_aside (&desk, 'A', too_many);
    set_link (&desk, 2, "2-3", false);
    set_down (&desk, 2, 2, false);
    expect_run (&desk, 2, "");
    expect_aside (&desk, 'A', NULL);
    finish (&desk, 3, 'B');
    expect_run (&desk, 3, "A@0/3");
    close_desk (&desk);
}

/* It can be cancelled, and holds no reservation, nor does it take one over. */
TEST (aside_and_others)
{
    struct desk desk;
    tori_error err;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'A', 4, 10);
    submit (&desk, 0, 'B', 3, 10);
    submit (&desk, 0, 'C', 4, 10);
    expect_run (&desk, 0, "A@0-3");
    set_down (&desk, 1, 3, true);
    assert_string_equal (fetch (&desk), "A killed");
    /* They were not looked at yet: B is still the first. */
    assert_int_equal (
        tori_sched_reserve (desk.sched, desk.job['B'], 5, NULL, &err), 0);
    submit (&desk, 1, 'D', 4, 10);
    submit (&desk, 1, 'E', 2, 10);
    expect_refused (
        tori_sched_reserve (desk.sched, desk.job['D'], 5, NULL, &err), &err,
        "no queued job that may have a planned start");
    expect_run (&desk, 1, "B@0-2");
    expect_reserved (&desk, 'E', 11, NULL);
    expect_queue (&desk, "CDE");
    cancel (&desk, 2, 'C');
    expect_run (&desk, 2, "");
    expect_queue (&desk, "DE");
    finish (&desk, 3, 'B');
    expect_run (&desk, 3, "E@0-1");
    cancel (&desk, 4, 'D');
    expect_queue (&desk, "");
    close_desk (&desk);
}

/* The first is given a reservation after it lost its place: the next has to
 * get one of its own. */
TEST (aside_after_reserve)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'A', 2, 10);
    submit (&desk, 0, 'B', 4, 10);
    submit (&desk, 0, 'C', 3, 10);
    expect_run (&desk, 0, "A@0-1");
    set_drained (&desk, 1, 3, true);
    assert_int_equal (
        tori_sched_reserve (desk.sched, desk.job['B'], 10, NULL, NULL), 0);
    submit (&desk, 1, 'D', 1, 20);
    expect_run (&desk, 1, "");
    expect_aside (&desk, 'B', too_many);
    expect_reserved (&desk, 'C', 10, NULL);
    close_desk (&desk);
}
