/* A scheduler refuses requests that can never be met, calls that make no
 * sense, and names that it does not know. */
#include "desk.h"

#include <string.h>

TEST (rejections)
{
    struct desk desk;
    open_desk (&desk, "torus:4x3m", "fcfs", TORI_ORDER_SUBMIT, "first-fit");
    on_desk (&desk, "0: A=5x1/1 B=4x3/1 C=4x3t/1 D=2/1 E*2/1 F*13/1 G=4x4/1 queued 1");
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

TEST (time_goes_back)
{
    static const char back[] = "time goes back";
    tori_job_spec spec = {.size = sizeof spec, .request.count = 1};
    tori_link link = {0, TORI_NEAR, 0};
    struct desk desk;
    tori_error err;
    tori_job job;
    open_desk (&desk, "mesh:4", "fcfs", TORI_ORDER_SUBMIT, "row-ff");
    on_desk (&desk, "5: A*4/1 B*4/1 > A@0-3");
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
    on_desk (&desk, "queued 1 running 1"
              " 5: >");
    close_desk (&desk);
}

TEST (bad_calls)
{
    static const char unknown[] = "no such running job";
    tori_job_spec spec = {.size = sizeof spec,
                          .request.count = 1, .estimate = -1};
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
    on_desk (&desk, "A~"
              " 0: > A@0-3 ; A~"
              " 1: -A");
    expect_refused (tori_sched_finish (desk.sched, 1, desk.job['A'], &err),
                    &err, unknown);
    expect_refused (tori_sched_cancel (desk.sched, 1, desk.job['A'], &err),
                    &err, "no such job");
    close_desk (&desk);
}

TEST (names)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_sched *sched;
    tori_order order;
    tori_error err;
    expect_refused (tori_order_parse ("longest", &order, &err), &err,
                    "unknown order 'longest': expected submit, shortest, "
                    "smallest or largest");
    expect_refused (
        tori_sched_create (machine, TORI_SCHED ("lottery"), &sched, &err),
        &err,
        "unknown scheduler 'lottery': expected fcfs, "
        "backfill, easy or conservative");
    assert_int_equal (
        tori_sched_create (machine, TORI_SCHED ("fcfs", TORI_ALLOC ("dice")),
                           &sched, &err),
        -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_non_null (strstr (err.text, "unknown allocator 'dice': known are"));
    for (size_t i = 0; tori_alloc_list (i); i++)
        assert_non_null (strstr (err.text, tori_alloc_list (i)->name));
    assert_string_equal (tori_sched_list (0)->name, "fcfs");
}
