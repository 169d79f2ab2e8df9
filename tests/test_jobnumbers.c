/* What a scheduler keeps of jobs that are gone: no memory, and their numbers
 * for a while. */
#include "desk.h"

#include <malloc.h>

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

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_memory),
        cmocka_unit_test (test_numbers_rest),
        cmocka_unit_test (test_late_message),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
