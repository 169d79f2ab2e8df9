/* Nodes and links that go down or are drained under a scheduler, and come
 * back. */
#include "desk.h"

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

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_node_down),
        cmocka_unit_test (test_node_down_under_plan),
        cmocka_unit_test (test_drain_under_room),
        cmocka_unit_test (test_drain),
        cmocka_unit_test (test_link_down),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
