/* A scheduler that takes over jobs that run already, and reservations that
 * were given before. */
#include "desk.h"

static int adopt (struct desk *desk, tori_time now, char letter,
                  tori_time start, const char *box, tori_error *err)
{
    tori_job_spec spec = {.size = sizeof spec,
                          .estimate = 10, .tag = (uint64_t)letter};
    tori_placement place = {.nboxes = 1};
    assert_int_equal (tori_box_parse (desk->machine, box, &place.box, NULL),
                      0);
    spec.request.shape = place.box.shape;
    place.count = (uint32_t)tori_shape_volume (&place.box.shape);
    return tori_sched_adopt (desk->sched, now, &spec, start, &place,
                             &desk->job[(int)letter], err);
}

/* A ran before; B, which needs its nodes, may expect them at its end. */
TEST (adopt)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    assert_int_equal (adopt (&desk, 5, 'A', 2, "1/2", NULL), 0);
    on_desk (&desk, "5: B=3/10 C=1/7 D=1/8 > C@0/1 D@3/1 ; B~12@0/3"
              " 12: -A > ; -C > B@0/3");
    close_desk (&desk);
}

TEST (adopt_refused)
{
    tori_job_spec spec = {.size = sizeof spec, .estimate = 1};
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
    on_desk (&desk, "running 1 free 2");
    close_desk (&desk);
}

/* A call that fails leaves the clock where it was. */
TEST (failures_take_no_time)
{
    tori_job_spec wrong = {.size = sizeof wrong, .estimate = -1};
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
    on_desk (&desk, "50: C=1/7 > C@0/1");
    close_desk (&desk);
}

/* When a job is adopted, planned starts are dropped, as it may be in their
 * way: B, which was to start at 10, waits for D. */
TEST (adopt_voids)
{
    static const char *const policies[] = {"easy", "conservative"};
    for (size_t i = 0; i < LENGTH (policies); i++) {
        tori_placement place = {.nboxes = 1, .count = 3};
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
        on_desk (&desk, "5: > ; B~15@0/3"
                  " 10: -A > ;"
                  " 15: -D > B@0/3");
        close_desk (&desk);
    }
}

/* A has outlived its estimate, and who promised B to start at 20 knew that. */
TEST (adopt_outlived)
{
    tori_placement place = {.nboxes = 1, .count = 4};
    struct desk desk;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    assert_int_equal (adopt (&desk, 12, 'A', 0, "0/2", NULL), 0);
    submit_shape (&desk, 12, 'B', "4", TORI_WIRE_NONE, 5);
    place.box.shape = make_shape ("4");
    assert_int_equal (tori_sched_reserve (desk.sched, desk.job['B'], 20,
                                          &place, NULL),
                      0);
    on_desk (&desk, "12: > ; B~20@0/4"
              " 13: > ; B~14@0/4");
    close_desk (&desk);
}

/* Reservations are the policy's to give. */
TEST (reserve_refused)
{
    static const char none[] = "no queued job that may have a planned start";
    tori_placement place = {0};
    struct desk desk;
    tori_error err;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    on_desk (&desk, "0: A*4/5 B*4/5 C*4/5 > A@0-3");
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
    on_desk (&desk, "reserve B/7 B~7");
    close_desk (&desk);
}

/* C was in the way of B, and is not if B is to start later. */
DESK_TEST (reserve_later, "mesh:4 easy row-ff",
      "0: A*3/10 B*4/10 C*1/11 > A@0-2 ; B~10 reserve B/20 > C@3-3 ; B~20")

/* A place outside the machine is refused. */
TEST (reserve_elsewhere)
{
    tori_placement place = {.nboxes = 1, .count = 5};
    struct desk desk;
    tori_error err;
    open_desk (&desk, "mesh:4", "conservative", TORI_ORDER_SUBMIT,
               "first-fit");
    on_desk (&desk, "0: A=4/5 B=4/5 > A@0/4");
    place.box.shape = make_shape ("5");
    assert_int_equal (tori_sched_reserve (desk.sched, desk.job['B'], 7, &place,
                                          &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    expect_refused (tori_sched_reserve (desk.sched, desk.job['B'], 7, NULL,
                                        &err),
                    &err, "a planned start without a place");
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
    tori_placement place = {.nboxes = 1, .wiring = wiring};
    tori_error err;
    assert_int_equal (tori_box_parse (desk->machine, box, &place.box, NULL),
                      0);
    place.count = (uint32_t)tori_shape_volume (&place.box.shape);
    expect_refused (tori_sched_reserve (desk->sched, desk->job['B'], 7, &place,
                                        &err),
                    &err, why);
}

TEST (reserve_misplaced)
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
    list = (tori_placement){.nboxes = 1, .count = 4};
    tori_box_parse (desk.machine, "2,1/1x4", &list.box, NULL);
    assert_int_equal (tori_sched_reserve (desk.sched, desk.job['B'], 7, &list,
                                          NULL),
                      0);
    expect_reserved (&desk, 'B', 7, "2,1/1x4");
    close_desk (&desk);
}

/* Nodes that a shape is folded into come from a box, which is looked at. */
TEST (reserve_folded)
{
    uint32_t nodes[] = {0, 1, 4};
    tori_placement list = {.count = 3, .nodes = nodes};
    struct desk desk;
    tori_error err;
    open_desk (&desk, "mesh:4x4", "conservative", TORI_ORDER_SUBMIT,
               "isomorphic");
    on_desk (&desk, "0: A=4x4/5 B=3x1/5 > A@0,0/4x4");
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
