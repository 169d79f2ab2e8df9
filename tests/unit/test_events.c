/* Events of a scheduler, in cases small enough to work out by hand: jobs are
 * submitted, start by the policies' rules, end late or early, and are
 * cancelled. */
#include "desk.h"

/* ---- policies ---- */

/* Four nodes. A has three until 10; B wants all, C one for 10, D one for 11
 * and E one for 5. */
DESK_TEST (fcfs, "mesh:4 fcfs row-ff",
      "0: A*3/10 B*4/10 D*1/11 C*1/10 E*1/5 > A@0-2 ; blocked numerical B~",
      "7: -A > B@0-3")

/* D takes the node that B waits for. */
DESK_TEST (backfill, "mesh:4 backfill row-ff",
      "0: A*3/10 B*4/10 D*1/11 C*1/10 E*1/5 > A@0-2 D@3-3 ; B~",
      "10: -A > C@0-0 E@1-1")

/* B is to start at 10: D would be in its way, C is not. */
DESK_TEST (easy, "mesh:4 easy row-ff",
      "0: A*3/10 B*4/10 D*1/11 C*1/10 E*1/5 > A@0-2 C@3-3 ; B~10 D~",
      "4: -C > E@3-3",
      "9: -E -A > B@0-3")

/* The same with an allocator that takes counts and shapes: it gives nodes, so
 * a reservation is a number of them. */
DESK_TEST (easy_without_boxes, "mesh:4 easy mc",
      "0: A*3/10 B=2/10 C*1/99 D*1/99",
      /* At 10 there will be nodes for B and two others. */
      "> A@0-2 C@3-3 ; B~10")

/* D waits for B, and E for D: only C is in nobody's way. */
DESK_TEST (conservative, "mesh:4 conservative row-ff",
      "0: A*3/10 B*4/10 D*1/11 C*1/10 E*1/5 > A@0-2 C@3-3 ; B~10 D~20 E~20",
      /* A ends early, but C has a node until 10, and D needs 11 ticks. */
      "3: -A > E@0-0 ; B~10 D~20")

/* A job behind may pass where it has nothing in common with the reservation,
 * and be sent to another place than the allocator's first. */
DESK_TEST (reserved_box, "mesh:6 easy first-fit",
      "0: A=2/5 > A@0/2 ; B=2/9 > B@2/2",
      "1: -A C=4/4 D=1/9 E=1/8",
      /* C will have nodes 0 to 3 at 9. D, until 10, is sent to 4; E, until 9, is
       * in nobody's way. */
      "> D@4/1 E@0/1 ; C~9@0/4")

/* On a torus line the links of a torus partition are all of the line's. */
DESK_TEST (reserved_links, "torus:6 easy first-fit",
      "0: A=2t/5 B=2t/5 C=2/5 D=2/6 > A@0/2 C@2/2 D@4/2 ; blocked numerical",
      "1: -C E=2m/4",
      /* B waits for links, not for nodes; a mesh cannot pass it, but who wants
       * none can. */
      "> ; blocked topological B~5@0/2",
      "2: F=2/9 > F@2/2")

/* A job that goes to the front takes over the only reservation. */
DESK_TEST (new_head, "mesh:4 easy row-ff shortest",
      "0: A*3/10 B*4/15 > A@0-2 ; B~10",
      "1: C*2/1 > ; C~10 B~",
      /* D is in the way of B but not of C. */
      "D*1/20 > D@3-3")

/* The first job of the queue may not take nodes that are planned for others at
 * an earlier time than its own. */
DESK_TEST (first_keeps_clear, "mesh:10 conservative row-ff",
      "0: X*6/10 Y*2/8 Z*2/30 A*8/10 B*2/2 > X@0-5 Y@6-7 Z@8-9 ; A~10 B~8",
      "7: -X -Y > B@0-1",
      "9: -B > A@0-7")

/* ---- estimates that do not hold ---- */

DESK_TEST (overdue, "mesh:4 easy row-ff",
      "0: A*3/4 B*4/5 > A@0-2 ; B~4",
      /* A should be gone: it is expected to go in a tick, whenever one asks. */
      "4: > ; B~5",
      "6: C*1/2 D*1/1 > D@3-3 ; B~7",
      "7: -D >",
      "9: -A > B@0-3")

/* When A outlives its estimate B and C are each in the other's way: B's time
 * has come but there is no longer time for it in front of C, whose turn it is
 * in the queue. D, in front of both, waits for a node that is down. Nothing
 * would ever happen again if neither B nor C started. */
DESK_TEST (nobody_waits_for_nothing, "mesh:3 conservative row-ff shortest",
      "0: down 2 A*2/2 B*2/3 D*3/0 > A@0-1 ; B~2",
      "1: C*2/1 > ; C~5",
      "3: -A > C@0-1",
      "4: -C > B@0-1 ; D~")

/* A job of length 0 holds its nodes until it is reported to have ended. */
DESK_TEST (zero_length, "mesh:2 easy row-ff",
      "3: A*2/0 B*1/0 > A@0-1 ; B~4 -A > B@0-0")

/* A job cannot wait for the end of time, and does not hold back jobs that can
 * start. */
TEST (endless)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "conservative", TORI_ORDER_SUBMIT,
               "first-fit");
    submit_shape (&desk, 1, 'A', "3", TORI_WIRE_NONE, TORI_TIME_MAX);
    submit_shape (&desk, 1, 'B', "2", TORI_WIRE_NONE, TORI_TIME_MAX);
    submit_shape (&desk, 1, 'C', "1", TORI_WIRE_NONE, TORI_TIME_MAX);
    on_desk (&desk, "1: > A@0/3 C@3/1 ; B~");
    finish (&desk, TORI_TIME_MAX, 'A');
    expect_run (&desk, TORI_TIME_MAX, "B@0/2");
    close_desk (&desk);
}

/* The last moments that there are. */
TEST (end_of_time)
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

/* ---- cancelling ---- */

DESK_TEST (cancel, "mesh:4 conservative first-fit",
      "0: A=3/10 B=4/10 C=2/5 D=1/12 > A@0/3 ; B~10@0/4 C~20@0/2 D~20@2/1",
      /* A reserved one: those behind it move up. */
      "1: !B queued 2 > D@3/1 ; C~10@0/2",
      /* A running one. */
      "2: !A running 1 > C@0/2 ; !C !D free 4",
      /* One that nobody has looked at yet. */
      "3: E=4/10 F=4/10 !E > F@0/4",
      "4: > ; blocked unknown")

/* If a job changes before its start was fetched, the change is reported. */
TEST (gone_before_told)
{
    struct desk desk;
    open_desk (&desk, "mesh:4", "fcfs", TORI_ORDER_SUBMIT, "row-ff");
    on_desk (&desk, "0: A*1/5 B*1/5 C*1/5");
    assert_int_equal (tori_sched_run (desk.sched, 0, NULL), 0);
    on_desk (&desk, "0: -A down 2 said B@1-1 C killed ;"
              " 1: >");
    close_desk (&desk);
}

/* ---- the queue ---- */

TEST (orders)
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
        on_desk (&desk, "0: A*2/5 B*3/1 C*1/9 D*3/1 E*1/5");
        assert_true (tori_sched_head (desk.sched, &job, &tag));
        assert_int_equal (tag, started[i][0]);
        assert_int_equal (job, desk.job[(int)tag]);
        expect_run (&desk, 0, started[i]);
        close_desk (&desk);
    }
}

/* ---- late ends ---- */

static void submit_line (struct desk *desk, tori_time now, char letter,
                         uint32_t count, tori_time estimate)
{
    const char shape[] = {(char)('0' + count), '\0'};
    submit_shape (desk, now, letter, shape, TORI_WIRE_NONE, estimate);
}

/* A is late. B, C and D have planned starts, C after B beside which D fits.
 * All of them wait, and none of them for the others. */
DESK_TEST (late_boxes, "mesh:4x4 conservative first-fit",
      "0: A=4x4/40 B=4x3/90 C=3x4/90 D=1x4/90 > A@0,0/4x4 ; B~40@0,0/3x4"
      " C~130@0,0/3x4 D~40@3,0/1x4",
      "41: E=4x4/1 > ; B~42@0,0/3x4 C~132@0,0/3x4 D~42@3,0/1x4 E~222@0,0/4x4",
      "50: -A > B@0,0/3x4 D@3,0/1x4 ; C~140@0,0/3x4 E~230@0,0/4x4")

/* B wants all nodes, and goes first, however many small jobs come. */
TEST (late_counts)
{
    struct desk desk;
    open_desk (&desk, "mesh:8", "conservative", TORI_ORDER_SUBMIT, "row-ff");
    on_desk (&desk, "0: A*4/20 B*8/10 C*4/30 D*4/30 > A@0-3 ; B~20 D~30");
    for (int i = 0; i < 5; i++) {
        submit (&desk, 20 + i, (char)('E' + i), 4, 30);
        expect_run (&desk, 20 + i, "");
        expect_reserved (&desk, 'B', 21 + i, NULL);
        expect_reserved (&desk, 'C', 31 + i, NULL);
        expect_reserved (&desk, 'E', 61 + i, NULL);
    }
    on_desk (&desk, "25: -A > B@0-7 ; C~35 I~125");
    /* The call comes late, not the end. */
    on_desk (&desk, "38: -B > C@0-3 D@4-7 ; E~68");
    close_desk (&desk);
}

/* C was to run before B, in a gap that is too small when A is late: that does
 * not put off B, which is before it in the queue. */
TEST (late_gap)
{
    static const char *const allocs[] = {"row-ff", "first-fit"};
    for (int i = 0; i < 2; i++) {
        struct desk desk;
        void (*give) (struct desk *, tori_time, char, uint32_t, tori_time)
            = i == 0 ? submit : submit_line;
        open_desk (&desk, "mesh:4", "conservative", TORI_ORDER_SUBMIT,
                   allocs[i]);
        give (&desk, 0, 'A', 2, 5);
        give (&desk, 0, 'Q', 2, 10);
        give (&desk, 0, 'B', 4, 10);
        give (&desk, 0, 'C', 2, 5);
        expect_run (&desk, 0, i == 0 ? "A@0-1 Q@2-3" : "A@0/2 Q@2/2");
        expect_reserved (&desk, 'B', 10, i == 0 ? NULL : "0/4");
        expect_reserved (&desk, 'C', 5, i == 0 ? NULL : "0/2");
        expect_run (&desk, 5, "");
        expect_reserved (&desk, 'B', 10, i == 0 ? NULL : "0/4");
        expect_reserved (&desk, 'C', 20, i == 0 ? NULL : "0/2");
        on_desk (&desk, "6: -A > ;"
                  " 10: -Q");
        expect_run (&desk, 10, i == 0 ? "B@0-3" : "B@0/4");
        close_desk (&desk);
    }
}
