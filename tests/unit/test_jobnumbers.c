/* A scheduler keeps no memory of jobs that are gone. Their numbers are not
 * given to other jobs. */
#include "desk.h"

#include <malloc.h>

/* Bytes that are allocated. */
static size_t in_use (void)
{
    return mallinfo2 ().uordblks;
}

static void reject_some (struct desk *desk, uint32_t n)
{
    tori_decision decision = {.size = sizeof decision};
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
TEST (memory)
{
    struct desk desk;
    size_t before;
    open_desk (&desk, "mesh:1000", "easy", TORI_ORDER_SUBMIT, "row-ff");
    on_desk (&desk, "0: A*1/9 B*2/9 > A@0-0 B@1-2");
    reject_some (&desk, 100);
    start_and_end_some (&desk, 3000);
    before = in_use ();
    reject_some (&desk, 20000);
    start_and_end_some (&desk, 3000);
    assert_true (in_use () <= before);
    on_desk (&desk, "1: -A -B");
    close_desk (&desk);
}

/* ---- numbers ---- */

/* Every job has a number of its own, and the numbers of those that are gone
 * are nobody's, however the jobs come and go. */
TEST (numbers_grow)
{
    struct desk desk;
    tori_job jobs[100] = {0}, next = 1;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    for (int i = 0; i < 20000; i++) {
        size_t at = (size_t)i * 37 % LENGTH (jobs);
        tori_job_info info = {.size = sizeof info};
        tori_job_spec spec = {.size = sizeof spec};
        assert_int_equal (tori_sched_look (desk.sched, jobs[at], &info),
                          jobs[at] > 0);
        if (jobs[at] > 0) {
            assert_true (tori_sched_spec (desk.sched, jobs[at], &spec));
            assert_int_equal (spec.estimate, jobs[at] % 1000);
            desk.job['Z'] = jobs[at];
            cancel (&desk, 0, 'Z');
            assert_false (tori_sched_look (desk.sched, jobs[at], &info));
        }
        jobs[at] = 0;
        if (i % 3 == 0)
            continue;
        submit (&desk, 0, 'Z', 4, (tori_time)(next % 1000));
        assert_int_equal (desk.job['Z'], next);
        jobs[at] = next++;
    }
    close_desk (&desk);
}

/* A submission that fails takes no number, nor does one that is rejected. */
TEST (no_number)
{
    struct desk desk;
    tori_job_spec spec = {.size = sizeof spec,
                          .request = {.count = 1}, .estimate = -1};
    tori_job job = 77;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    submit (&desk, 0, 'A', 1, 1);
    assert_int_equal (tori_sched_submit (desk.sched, 0, &spec, &job, NULL),
                      -1);
    assert_int_equal (job, 77);
    submit (&desk, 0, 'B', 5, 1);
    assert_true (desk.job['B'] == TORI_NO_JOB);
    submit (&desk, 0, 'C', 1, 1);
    assert_int_equal (desk.job['C'], desk.job['A'] + 1);
    close_desk (&desk);
}

/* A is killed, and its end is reported late: that must not be the end of
 * another, however many came since, whether or not the decision was
 * fetched. */
TEST (late_message)
{
    struct desk desk;
    tori_error err;
    tori_job killed;
    open_desk (&desk, "mesh:4", "easy", TORI_ORDER_SUBMIT, "row-ff");
    on_desk (&desk, "0: A*1/9 > A@0-0");
    killed = desk.job['A'];
    set_down (&desk, 1, 0, true);
    for (int i = 0; i < 3000; i++) {
        submit (&desk, 1, 'B', 3, 9);
        assert_int_equal (tori_sched_run (desk.sched, 1, NULL), 0);
        expect_refused (tori_sched_finish (desk.sched, 1, killed, &err), &err,
                        "no such running job");
        expect_refused (tori_sched_cancel (desk.sched, 1, killed, &err), &err,
                        "no such job");
        if (i == 2000)
            assert_string_equal (fetch (&desk), "A killed B@1-3");
        cancel (&desk, 1, 'B');
    }
    assert_string_equal (fetch (&desk), "");
    close_desk (&desk);
}
