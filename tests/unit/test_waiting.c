/* The answers of a scheduler about a waiting job and a running one; and a job
 * that waits because the allocator gives up on it. */
#include "desk.h"

#include <string.h>

/* ---- an allocator that gives up ---- */

/* As open_desk, with exact and so few steps that 20 nodes are too many. */
static void open_hasty_desk (struct desk *desk, const char *policy)
{
    open_desk_with (desk, "mesh:8x8", policy, TORI_ORDER_SUBMIT,
                    TORI_ALLOC ("exact", .steps = 1000));
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

/* A job on which the allocator gives up waits, and keeps others from starting
 * only by the rules of the policy. */
TEST (gives_up)
{
    for (size_t i = 0; tori_sched_list (i); i++) {
        const char *policy = tori_sched_list (i)->name;
        bool overtaken = strcmp (policy, "fcfs") != 0;
        struct desk desk;
        open_hasty_desk (&desk, policy);
        on_desk (&desk, "0: A*20/5 B*1/5");
        expect_decided (&desk);
        expect_run (&desk, 0, overtaken ? "B@0-0" : "");
        expect_gave_up (&desk, 'A');
        expect_blocked (&desk, TORI_REASON_GAVE_UP);
        /* As long as nothing changes it is not asked again. */
        expect_run (&desk, 1, "");
        expect_decided (&desk);
        expect_blocked (&desk, TORI_REASON_GAVE_UP);
        if (overtaken) {
            on_desk (&desk, "5: -B >");
            expect_gave_up (&desk, 'A');
        }
        cancel (&desk, 6, 'A');
        expect_decided (&desk);
        expect_run (&desk, 6, overtaken ? "" : "B@0-0");
        expect_blocked (&desk, TORI_REASON_UNKNOWN);
        close_desk (&desk);
    }
}

/* If the allocator gives up on several jobs in a run, the first is named. */
TEST (gives_up_twice)
{
    struct desk desk;
    open_hasty_desk (&desk, "backfill");
    on_desk (&desk, "0: A*20/5 B*1/5 C*21/5 > B@0-0 ; waits A/gave-up waits C/gave-up");
    expect_gave_up (&desk, 'A');
    close_desk (&desk);
}

/* B outlives its estimate: whoever waits is looked at again, but once, as long
 * as no time passes. */
TEST (outlived_once)
{
    struct desk desk;
    open_hasty_desk (&desk, "backfill");
    on_desk (&desk, "0: A*20/5 B*1/5 > B@0-0 ;"
              " 5: >");
    expect_gave_up (&desk, 'A');
    expect_run (&desk, 5, "");
    expect_decided (&desk);
    expect_run (&desk, 6, "");
    expect_gave_up (&desk, 'A');
    close_desk (&desk);
}

/* A search that is too long among many free nodes need not be among few. */
TEST (gives_up_for_now)
{
    struct desk desk;
    open_hasty_desk (&desk, "easy");
    on_desk (&desk, "0: A*64/10 > A@0-63 ; B*20/5 > ; blocked numerical B~10"
              " 10: -A");
    for (uint32_t i = 0; i < 44; i++)
        set_down (&desk, 10, i, true);
    expect_run (&desk, 10, "B@44-63");
    expect_decided (&desk);
    close_desk (&desk);
}

/* ---- looking at jobs ---- */

/* Each waits for something else. */
DESK_TEST (why_it_waits, "mesh:5 easy first-fit",
      "0: A=2/10 B=1/20 C=5/10 D=2/30 waits A/unknown > A@0/2 B@2/1 ;"
      " waits C/numerical waits D/reserved E=1/40 waits E/unknown",
      "1: -A waits D/unknown waits C/numerical !C > D@0/2 E@3/1 ; F=1/5 G=1/5"
      " > F@4/1",
      "2: -B -F !G H=2/5 > ; waits H/topological")

/* No job overtakes, whether or not it would fit. */
DESK_TEST (order, "mesh:5 fcfs first-fit",
      "0: A=2/10 B=5/10 C=1/1 D=4/1 > A@0/2 ; waits B/numerical waits C/order"
      " waits D/numerical")

/* The names are those of `tori why`. */
TEST (reason_names)
{
    static const char *const names[]
        = {"unknown", "starts", "numerical", "topological", "wiring",
           "reserved", "window", "order", "held", "not-yet", "nodes", "never",
           "gave-up"};
    for (size_t i = 0; i < LENGTH (names); i++)
        assert_string_equal (tori_reason_name ((tori_reason)i), names[i]);
    assert_null (tori_reason_name ((tori_reason)LENGTH (names)));
    assert_null (tori_reason_name ((tori_reason)-1));
}

TEST (undecided_waits)
{
    struct desk desk;
    open_hasty_desk (&desk, "fcfs");
    on_desk (&desk, "0: A*20/5 B*1/5 > ; waits A/gave-up waits B/order");
    close_desk (&desk);
}

TEST (look)
{
    struct desk desk;
    tori_job_info info = {.size = sizeof info};
    tori_job_spec spec = {.size = sizeof spec};
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "first-fit");
    assert_false (tori_sched_look (desk.sched, 0, &info));
    submit_shape (&desk, 3, 'A', "2", TORI_WIRE_MESH, 0);
    expect_run (&desk, 5, "A@0/2");
    assert_true (tori_sched_look (desk.sched, desk.job['A'], &info));
    assert_int_equal (info.phase, TORI_JOB_RUNNING);
    assert_int_equal (info.tag, 'A');
    assert_true (tori_sched_spec (desk.sched, desk.job['A'], &spec));
    assert_int_equal (spec.size, sizeof spec);
    assert_int_equal (spec.tag, 'A');
    assert_int_equal (spec.estimate, 0);
    assert_int_equal (spec.request.wiring, TORI_WIRE_MESH);
    assert_int_equal (info.start, 5);
    assert_int_equal (info.end, 6);
    assert_int_equal (info.place->count, 2);
    finish (&desk, 9, 'A');
    assert_false (tori_sched_look (desk.sched, desk.job['A'], &info));
    assert_false (tori_sched_look (desk.sched, TORI_NO_JOB, &info));
    assert_false (tori_sched_spec (desk.sched, desk.job['A'], &spec));
    close_desk (&desk);
}
