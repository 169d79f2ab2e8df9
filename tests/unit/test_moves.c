/* Running jobs that go to other places, worked out by hand. Random ones are in
 * test_live.c. */
#include "desk.h"

/* A scheduler with a price of moves. */
static void open_moving (struct desk *desk, const char *machine,
                         tori_time move)
{
    open_desk (desk, machine, "conservative", TORI_ORDER_SUBMIT, "first-fit");
    tori_sched_destroy (desk->sched);
    assert_int_equal (
        tori_sched_create (desk->machine,
                           TORI_SCHED ("conservative", .move = move),
                           &desk->sched, NULL),
        0);
}

static tori_placement place_of (const struct desk *desk, const char *box)
{
    tori_placement place = {.nboxes = 1};
    place.box = make_box (desk->machine, box);
    place.count = (uint32_t)tori_shape_volume (&place.box.shape);
    return place;
}

static int move (struct desk *desk, tori_time now, char letter,
                 const char *box, tori_error *err)
{
    tori_placement to = place_of (desk, box);
    return tori_sched_move (desk->sched, now, desk->job[(int)letter], &to,
                            err);
}

static void expect_running (const struct desk *desk, char letter,
                            const char *box, tori_time end)
{
    char text[TORI_TEXT_MAX];
    tori_job_info info = {.size = sizeof info};
    assert_true (
        tori_sched_look (desk->sched, desk->job[(int)letter], &info));
    tori_box_format (&info.place->box, text);
    assert_string_equal (text, box);
    assert_int_equal (info.end, end);
}

/* Its old nodes are free at once, and it ends later. */
TEST (move)
{
    struct desk desk;
    open_moving (&desk, "mesh:8", 3);
    on_desk (&desk, "0: A=2/10 B=2/20 C=6/5 > A@0/2 B@2/2 ; C~20@0/6");
    assert_int_equal (move (&desk, 4, 'B', "6/2", NULL), 0);
    expect_running (&desk, 'B', "6/2", 23);
    on_desk (&desk, "4: > ; C~10@0/6");
    /* Onto its own nodes, and back in the way. */
    assert_int_equal (move (&desk, 5, 'B', "5/2", NULL), 0);
    expect_run (&desk, 5, "");
    expect_running (&desk, 'B', "5/2", 26);
    expect_reserved (&desk, 'C', 26, "0/6");
    close_desk (&desk);
}

/* A reservation in the way of nobody who moves stays. */
TEST (promise_kept)
{
    struct desk desk;
    open_moving (&desk, "mesh:8", 9);
    on_desk (&desk, "0: A=4/10 B=2/9 C=4/5 > A@0/4 B@4/2 ; C~9@4/4"
              " 1: -A");
    assert_int_equal (move (&desk, 1, 'B', "0/2", NULL), 0);
    expect_run (&desk, 1, "C@2/4");
    close_desk (&desk);
}

TEST (swap)
{
    struct desk desk;
    tori_placement a, b;
    const tori_placement *to[] = {&a, &b};
    tori_job jobs[2];
    open_moving (&desk, "mesh:4", 1);
    on_desk (&desk, "0: A=2m/10 B=2m/20 > A@0/2 B@2/2");
    a = place_of (&desk, "2/2");
    b = place_of (&desk, "0/2");
    a.wiring = b.wiring = TORI_WIRE_MESH;
    jobs[0] = desk.job['A'];
    jobs[1] = desk.job['B'];
    assert_int_equal (
        tori_sched_move (desk.sched, 1, jobs[0], &a, NULL), -1);
    assert_int_equal (
        tori_sched_move_all (desk.sched, 1, jobs, to, 2, NULL), 0);
    expect_running (&desk, 'A', "2/2", 11);
    expect_running (&desk, 'B', "0/2", 21);
    assert_int_equal (tori_state_links_taken (tori_sched_state (desk.sched)),
                      2);
    close_desk (&desk);
}

/* A node that is drained is left, which is told, and not come back to. */
TEST (drained)
{
    uint32_t nodes[] = {1};
    struct desk desk;
    tori_error err = {0};
    tori_decision said = {.size = sizeof said};
    open_moving (&desk, "mesh:6", 0);
    on_desk (&desk, "0: A=2/10 > A@0/2");
    assert_int_equal (tori_sched_drain (desk.sched, 1, nodes, 1, 7, NULL), 0);
    assert_int_equal (move (&desk, 1, 'A', "1/2", &err), -1);
    assert_int_equal (err.status, TORI_NOT_NOW);
    assert_string_equal (err.text, "node 1 is not free");
    expect_running (&desk, 'A', "0/2", 10);
    assert_int_equal (move (&desk, 1, 'A', "4/2", NULL), 0);
    assert_true (tori_sched_next (desk.sched, &said));
    assert_int_equal (said.kind, TORI_DRAINED);
    expect_running (&desk, 'A', "4/2", 10);
    close_desk (&desk);
}

/* An impossible call is refused, and nothing has happened. */
TEST (refused)
{
    static const char other[]
        = "a job that moves keeps its number of nodes and its wiring";
    struct desk desk;
    tori_placement to;
    const tori_placement *twice[] = {&to, &to};
    tori_job jobs[2];
    tori_error err = {0};
    open_moving (&desk, "mesh:8", 2);
    on_desk (&desk, "0: A=2/10 B=8/10 > A@0/2");
    to = place_of (&desk, "4/2");
    jobs[0] = jobs[1] = desk.job['A'];
    expect_refused (move (&desk, 0, 'A', "4/3", &err), &err, other);
    expect_refused (move (&desk, 0, 'B', "0/8", &err), &err,
                    "no such running job");
    expect_refused (tori_sched_move_all (desk.sched, 0, jobs, twice, 2, &err),
                    &err, "a job that moves twice");
    to.wiring = TORI_WIRE_MESH;
    expect_refused (tori_sched_move (desk.sched, 0, jobs[0], &to, &err), &err,
                    other);
    to.wiring = TORI_WIRE_NONE;
    to.box.origin[0] = 7;
    assert_int_equal (tori_sched_move (desk.sched, 0, jobs[0], &to, NULL), -1);
    expect_running (&desk, 'A', "0/2", 10);
    expect_reserved (&desk, 'B', 10, "0/8");
    close_desk (&desk);
}

/* ---- repair ---- */

static void submit_flags (struct desk *desk, tori_time now, char letter,
                          const char *shape, tori_time estimate,
                          tori_time checkpoint, uint32_t flags)
{
    tori_job_spec spec = {.size = sizeof spec,
                          .estimate = estimate,
                          .tag = (uint64_t)letter,
                          .request.shape = make_shape (shape),
                          .request.wiring = TORI_WIRE_MESH,
                          .checkpoint = checkpoint,
                          .flags = flags};
    assert_int_equal (tori_sched_submit (desk->sched, now, &spec,
                                         &desk->job[(int)letter], NULL),
                      0);
}

/* It goes to the place with the most nodes in common, and starts there from
 * its last checkpoint. */
TEST (repair)
{
    struct desk desk;
    tori_decision said = {.size = sizeof said};
    open_moving (&desk, "mesh:8", 2);
    submit_flags (&desk, 0, 'A', "3", 20, 5, TORI_JOB_REPAIR);
    expect_run (&desk, 0, "A@0/3");
    set_down (&desk, 12, 0, true);
    assert_true (tori_sched_next (desk.sched, &said));
    assert_int_equal (said.kind, TORI_MOVE);
    assert_int_equal (said.node, 0);
    assert_int_equal (said.by, TORI_NO_JOB);
    assert_int_equal (said.tag, 'A');
    assert_false (tori_sched_next (desk.sched, &said));
    expect_running (&desk, 'A', "1/3", 12 + 2 + 10);
    /* A link, while it is still on its way: nothing more is saved. */
    on_desk (&desk, "13: down 1-2 said A to @2/3");
    expect_running (&desk, 'A', "2/3", 13 + 2 + 10);
    expect_free (&desk, 4);
    close_desk (&desk);
}

static void open_restarting (struct desk *desk, const char *machine,
                             tori_time move, uint32_t flags)
{
    open_desk (desk, machine, "easy", TORI_ORDER_SUBMIT, "first-fit");
    tori_sched_destroy (desk->sched);
    assert_int_equal (
        tori_sched_create (desk->machine,
                           TORI_SCHED ("easy", .move = move, .flags = flags),
                           &desk->sched, NULL),
        0);
}

/* A job that starts again has the work of its last checkpoint. */
TEST (restart)
{
    struct desk desk;
    tori_job_spec spec = {.size = sizeof spec};
    open_restarting (&desk, "mesh:8", 3, TORI_SCHED_RESTARTS);
    submit_flags (&desk, 0, 'A', "2", 20, 0, 0);
    submit_flags (&desk, 0, 'B', "2", 20, 5, 0);
    expect_run (&desk, 0, "A@0/2 B@2/2");
    tori_placement to = place_of (&desk, "4/2");
    to.wiring = TORI_WIRE_MESH;
    assert_int_equal (
        tori_sched_move (desk.sched, 12, desk.job['A'], &to, NULL), 0);
    to.box.origin[0] = 6;
    assert_int_equal (
        tori_sched_move (desk.sched, 12, desk.job['B'], &to, NULL), 0);
    expect_running (&desk, 'A', "4/2", 12 + 3 + 20);
    expect_running (&desk, 'B', "6/2", 12 + 3 + 10);
    assert_true (tori_sched_spec (desk.sched, desk.job['B'], &spec));
    assert_int_equal (spec.done, 10);
    assert_int_equal (spec.lost, 3);
    close_desk (&desk);
}

/* The work that is lost is a cost: here 2 nodes for 10, and the gain is 4
 * nodes for 4. */
TEST (price)
{
    for (uint32_t restarts = 0; restarts < 2; restarts++) {
        struct desk desk;
        open_restarting (&desk, "mesh:8", 0,
                         TORI_SCHED_MOVES
                             | (restarts ? TORI_SCHED_RESTARTS : 0));
        submit_flags (&desk, 0, 'A', "2", 14, 0, 0);
        submit_flags (&desk, 0, 'B', "2", 10, 0, 0);
        submit_flags (&desk, 0, 'C', "2", 14, 0, 0);
        submit_flags (&desk, 0, 'D', "4", 5, 0, 0);
        expect_run (&desk, 0, "A@0/2 B@2/2 C@4/2");
        finish (&desk, 10, 'B');
        expect_run (&desk, 10, restarts ? "" : "A to @6/2 D@0/4");
        close_desk (&desk);
    }
}

/* Without a place, as it says otherwise. */
TEST (no_repair)
{
    struct desk desk;
    open_moving (&desk, "mesh:6", 2);
    submit_flags (&desk, 0, 'A', "4", 20, 0,
                  TORI_JOB_REPAIR | TORI_JOB_REQUEUE);
    submit_flags (&desk, 0, 'B', "2", 30, 0, TORI_JOB_REPAIR);
    on_desk (&desk, "0: > A@0/4 B@4/2 ;"
              " 1: down 1 said A requeued ; down 4 said B to @2/2 ;"
              " 2: down 2 said B killed");
    close_desk (&desk);
}

/* Those that are hit together have their turn by their ends; who goes away
 * makes room for who comes after. */
TEST (fail_together)
{
    uint32_t nodes[] = {1, 3}, none[] = {1, 9};
    tori_link no_link = {1, TORI_NEAR, 0};
    struct desk desk;
    open_moving (&desk, "mesh:6", 0);
    submit_flags (&desk, 0, 'A', "3", 10, 0, 0);
    submit_flags (&desk, 0, 'B', "3", 20, 0, TORI_JOB_REPAIR);
    expect_run (&desk, 0, "A@0/3 B@3/3");
    assert_int_equal (
        tori_sched_fail (desk.sched, 1, none, 2, NULL, 0, NULL), -1);
    assert_int_equal (
        tori_sched_fail (desk.sched, 1, nodes, 2, &no_link, 1, NULL), -1);
    assert_false (tori_state_is_down (tori_sched_state (desk.sched), 1));
    assert_int_equal (tori_sched_now (desk.sched), 0);
    assert_int_equal (
        tori_sched_fail (desk.sched, 1, &nodes[1], 1, NULL, 0, NULL), 0);
    assert_string_equal (fetch (&desk), "B killed");
    set_down (&desk, 2, 3, false);
    submit_flags (&desk, 2, 'C', "2", 20, 0, TORI_JOB_REPAIR);
    expect_run (&desk, 2, "C@3/2");
    nodes[0] = 0;
    nodes[1] = 4;
    assert_int_equal (
        tori_sched_fail (desk.sched, 3, nodes, 2, NULL, 0, NULL), 0);
    assert_string_equal (fetch (&desk), "A killed C to @2/2");
    close_desk (&desk);
}

/* Promises are kept where that is possible, and windows always. */
TEST (repair_and_plans)
{
    struct desk desk;
    tori_placement box;
    tori_window window = {.size = sizeof window,
                          .name = "service",
                          .from = 40,
                          .until = 50,
                          .place = &box};
    open_moving (&desk, "mesh:9", 0);
    submit_flags (&desk, 0, 'A', "3", 10, 0, TORI_JOB_REPAIR);
    submit_flags (&desk, 0, 'B', "6", 30, 0, 0);
    expect_run (&desk, 0, "A@0/3 B@3/6");
    submit_flags (&desk, 0, 'C', "3", 10, 0, 0);
    on_desk (&desk, "0: > ; C~10@0/3"
              " 5: -B");
    box = place_of (&desk, "6/3");
    assert_int_equal (
        tori_sched_add_window (desk.sched, 5, &window, NULL), 0);
    submit_flags (&desk, 5, 'D', "3", 5, 0, 0);
    expect_run (&desk, 5, "C@3/3 D@6/3");
    finish (&desk, 6, 'C');
    submit_flags (&desk, 6, 'E', "6", 10, 0, 0);
    on_desk (&desk, "6: > ; E~10@0/6"
              " 7: down 0 said A to @1/3 ; > ; E~17@1/6"
              " 8: -D");
    /* Off E's place there is none but in the window. */
    window.name = "more";
    window.from = 9;
    assert_int_equal (
        tori_sched_add_window (desk.sched, 8, &window, NULL), 0);
    on_desk (&desk, "8: down 1 said A to @2/3");
    close_desk (&desk);
}

/* ---- making room ---- */

/* B is in the middle of what D needs, which waits for it until 100. */
static void open_stuck (struct desk *desk, const char *policy, tori_time move,
                        uint32_t flags)
{
    open_desk (desk, "mesh:8", policy, TORI_ORDER_SUBMIT, "first-fit");
    tori_sched_destroy (desk->sched);
    assert_int_equal (
        tori_sched_create (desk->machine,
                           TORI_SCHED (policy, .flags = TORI_SCHED_MOVES,
                                       .move = move),
                           &desk->sched, NULL),
        0);
    submit_flags (desk, 0, 'A', "2", 50, 0, 0);
    submit_flags (desk, 0, 'B', "2", 100, 0, flags);
    expect_run (desk, 0, "A@0/2 B@2/2");
    finish (desk, 1, 'A');
    submit_flags (desk, 1, 'D', "6", 10, 0, 0);
}

TEST (make_room)
{
    static const char *const policies[] = {"fcfs", "backfill", "easy",
                                           "conservative"};
    struct desk desk;
    tori_decision said = {.size = sizeof said};
    for (size_t i = 0; i < 4; i++) {
        open_stuck (&desk, policies[i], 2, 0);
        assert_int_equal (tori_sched_run (desk.sched, 1, NULL), 0);
        assert_true (tori_sched_next (desk.sched, &said));
        assert_int_equal (said.kind, TORI_MOVE);
        assert_int_equal (said.tag, 'B');
        assert_int_equal (said.by, desk.job['D']);
        assert_int_equal (said.node, TORI_NO_NODE);
        assert_string_equal (fetch (&desk), "D@0/6");
        expect_running (&desk, 'B', "6/2", 102);
        close_desk (&desk);
    }
}

/* One of two half-empty cubes is emptied. */
TEST (pod)
{
    static const char *const policies[] = {"fcfs", "backfill", "easy",
                                           "conservative"};
    struct desk desk;
    for (size_t i = 0; i < 4; i++) {
        open_desk (&desk, "pod:2/2x2", policies[i], TORI_ORDER_SUBMIT,
                   "cube-first");
        tori_sched_destroy (desk.sched);
        assert_int_equal (
            tori_sched_create (desk.machine,
                               TORI_SCHED (policies[i],
                                           .alloc = TORI_ALLOC ("cube-first"),
                                           .flags = TORI_SCHED_MOVES,
                                           .move = 2),
                               &desk.sched, NULL),
            0);
        submit_flags (&desk, 0, 'A', "1x2", 100, 0, 0);
        submit_flags (&desk, 0, 'B', "1x2", 50, 0, 0);
        submit_flags (&desk, 0, 'C', "1x2", 100, 0, 0);
        expect_run (&desk, 0, "A@0,0,0/1x1x2 B@0,1,0/1x1x2 C@1,0,0/1x1x2");
        finish (&desk, 1, 'B');
        submit_flags (&desk, 1, 'D', "2x2", 10, 0, 0);
        expect_run (&desk, 1, "A to @1,1,0/1x1x2 D@0,0,0/1x2x2");
        expect_running (&desk, 'A', "1,1,0/1x1x2", 102);
        close_desk (&desk);
    }
}

/* It costs too much, or the job stays: D waits. */
TEST (no_room)
{
    struct desk desk;
    open_stuck (&desk, "easy", 6 * 99 / 2, 0);
    on_desk (&desk, "1: > ; D~100@0/6");
    close_desk (&desk);
    open_stuck (&desk, "easy", 6 * 99 / 2 - 1, 0);
    expect_run (&desk, 1, "B to @6/2 D@0/6");
    close_desk (&desk);
    open_stuck (&desk, "easy", 0, TORI_JOB_STAYS);
    expect_run (&desk, 1, "");
    close_desk (&desk);
}

/* Nor may B be in the way of E when its time has come. */
TEST (room_and_promises)
{
    struct desk desk;
    open_stuck (&desk, "conservative", 20, 0);
    submit_flags (&desk, 1, 'E', "8", 10, 0, 0);
    on_desk (&desk, "1: > ; D~100@0/6 E~110@0/8");
    close_desk (&desk);
    open_stuck (&desk, "easy", 20, 0);
    submit_flags (&desk, 1, 'E', "8", 10, 0, 0);
    expect_run (&desk, 1, "B to @6/2 D@0/6");
    close_desk (&desk);
}
