/* Jobs that leave a choice to the scheduler: alternatives, and sets
 * of nodes. Against the
 * definitions (naive_sched.h), and small cases worked out by hand. */
#include "play.h"

#include "desk.h"

/* Jobs that take one of several. */
TEST_AFTER (choices, play_teardown)
{
    struct stream_options any = {.takes = TORI_BY_SHAPE,
                                 .jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 4,
                                 .changes = 10,
                                 .choices = 50,
                                 .max_nodes = 32};
    struct stream_options both = any;
    both.takes = TORI_BY_SHAPE | TORI_BY_COUNT;
    both.windows = 4;
    play_policies (650000, 24, any, (struct play_options){.alloc = "first-fit"});
    play_policies (652000, 8, any, (struct play_options){.alloc = "best-fit"});
    play_policies (654000, 24, both,
                 (struct play_options){.alloc = "first-fit",
                                       .counts = "row-bf"});
    play_policies (656000, 8, both,
                 (struct play_options){.alloc = "first-fit",
                                       .counts = "row-ff"});
    both.takes = TORI_BY_COUNT;
    play_policies (658000, 8, both,
                 (struct play_options){.alloc = "row-ff",
                                       .flags = TORI_SCHED_PLACES});
}

/* Jobs that wait for their first request for a while. */
TEST_AFTER (patience, play_teardown)
{
    struct stream_options any = {.takes = TORI_BY_SHAPE,
                                 .jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 4,
                                 .changes = 10,
                                 .choices = 60,
                                 .patience = 70,
                                 .max_nodes = 32};
    struct stream_options both = any;
    both.takes = TORI_BY_SHAPE | TORI_BY_COUNT;
    both.windows = 4;
    play_policies (640000, 24, any, (struct play_options){.alloc = "first-fit"});
    any.levels = true;
    play_policies (642000, 8, any, (struct play_options){.alloc = "best-fit"});
    play_policies (644000, 24, both,
                 (struct play_options){.alloc = "first-fit",
                                       .counts = "row-bf"});
    both.failures = 4;
    both.limits = 20;
    play_policies (646000, 8, both,
                 (struct play_options){.alloc = "first-fit",
                                       .counts = "row-ff"});
    both.takes = TORI_BY_COUNT;
    play_policies (648000, 8, both,
                 (struct play_options){.alloc = "row-ff",
                                       .flags = TORI_SCHED_PLACES});
}

/* Jobs that may use only some of the nodes. */
TEST_AFTER (only, play_teardown)
{
    struct stream_options any = {.takes = TORI_BY_SHAPE,
                                 .jobs = 30,
                                 .estimates = ANY,
                                 .cancels = 2,
                                 .mishaps = 4,
                                 .changes = 10,
                                 .limits = 40,
                                 .max_nodes = 32};
    struct stream_options both = any;
    both.takes = TORI_BY_SHAPE | TORI_BY_COUNT;
    both.windows = 4;
    both.choices = 30;
    play_policies (660000, 24, any,
                   (struct play_options){.alloc = "first-fit"});
    any.failures = 4;
    play_policies (662000, 12, any,
                   (struct play_options){.alloc = "best-fit"});
    play_policies (664000, 24, both,
                   (struct play_options){.alloc = "first-fit",
                                         .counts = "row-bf"});
    both.takes = TORI_BY_COUNT;
    play_policies (668000, 8, both,
                   (struct play_options){.alloc = "row-ff",
                                         .flags = TORI_SCHED_PLACES});
}

/* ---- by hand ---- */

static void submit_either (struct desk *desk, tori_time now, char letter,
                           tori_request first, tori_request second)
{
    tori_job_spec spec = {.size = sizeof spec,
                          .estimate = 10,
                          .tag = (uint64_t)letter,
                          .request = first,
                          .alternatives = &second,
                          .nalternatives = 1};
    assert_int_equal (tori_sched_submit (desk->sched, now, &spec,
                                         &desk->job[(int)letter], NULL),
                      0);
}

/* The first that fits is taken, and a reservation is for the one that starts
 * earliest; what can never run is dropped. */
TEST (prefers)
{
    tori_request two = {.shape = {1, {2}}}, four = {.shape = {1, {4}}},
                 six = {.shape = {1, {6}}}, seven = {.shape = {1, {7}}};
    tori_job_spec spec = {.size = sizeof spec};
    struct desk desk;
    open_desk (&desk, "mesh:6", "conservative", TORI_ORDER_SUBMIT,
               "first-fit");
    on_desk (&desk, "0: A=3/5 B=2/9 > A@0/3 B@3/2");
    submit_either (&desk, 0, 'C', four, two); /* from 9 on, or from 5 on */
    on_desk (&desk, "0: > ; C~5@0/2");
    submit_either (&desk, 0, 'D', six, four);
    submit_either (&desk, 0, 'E', seven, two);
    submit_either (&desk, 0, 'F', seven, seven);
    expect_run (&desk, 0, "F rejected: larger than the machine");
    assert_true (tori_sched_spec (desk.sched, desk.job['E'], &spec));
    assert_int_equal (spec.request.shape.size[0], 2);
    assert_int_equal (spec.nalternatives, 0);
    on_desk (&desk, "4: -A -B");
    expect_run (&desk, 4, "C@0/2 D@2/4"); /* which D was promised */
    on_desk (&desk, "5: -C -D");
    submit_either (&desk, 5, 'G', four, two);
    expect_run (&desk, 5, "E@0/2 G@2/4");
    close_desk (&desk);
}
