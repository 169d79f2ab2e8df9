/* Network preemption: drains, and states put away and taken back, in turns.
 * Every test of what is kept counts every message. */
#include "talk.h"

#include <stdlib.h>

#include <tori/partition.h>

/* ---- the drain ---- */

/* One interrupt a router; afterwards nothing moves, however long; released,
 * everything arrives, and in order. */
TEST (every_kernel_once)
{
    for (size_t c = 0; c < NCASES; c++) {
        struct world w =
            make_world (cases[c].machine, cases[c].box, &cases[c].config);
        struct process *p = make_process (0, w.nodes, w.n, 20, 9, c);
        bool cut = cases[c].config.switching == TORI_CUT_THROUGH;
        tori_drain *drain;
        tori_drain_report before, after;
        for (int i = 0; i < 150; i++) {
            send_all (p, w.net);
            tori_net_step (w.net);
        }
        hear_all (w.net, &p, 1);
        drain_now (&w, &(tori_drain_config){.size = sizeof (tori_drain_config), .origin = w.n / 2}, p, &drain);
        tori_drain_report_now (drain, &before);
        assert_int_equal (before.interrupts, w.n);
        if (cut && before.diameter >= tori_net_configuration (w.net)->vcs)
            assert_uint_in_range (before.cycles, 0, before.bound);
        if (!cut)
            assert_uint_in_range (before.cycles, 0, before.diameter + 1);
        tori_net_run (w.net, tori_net_time (w.net) + 100, false);
        tori_drain_report_now (drain, &after);
        assert_memory_equal (&before, &after, sizeof before);
        assert_sound (w.net);
        tori_drain_release (drain);
        assert_sound (w.net);
        tori_net_run (w.net, UINT64_MAX, false);
        hear_all (w.net, &p, 1);
        assert_all_heard (p);
        if (cases[c].config.routing == TORI_DIMENSION_ORDER)
            assert_int_equal (p->reordered, 0);
        free_process (p);
        free_world (&w);
    }
}

/* The signal takes a hop a link, by the partition's own links: in an empty
 * network a kernel is interrupted when its last neighbour has been frozen and
 * has told it. */
TEST (signal_goes_by_hops)
{
    for (uint32_t hop = 1; hop < 4; hop++) {
        struct world w = make_world ("mesh:9", "2/5", &cut_through);
        static const uint32_t hops[] = {2, 3, 4, 5, 4};
        tori_drain_config config = {.size = sizeof config, .hop = hop};
        tori_interrupt interrupt;
        tori_drain *drain;
        unsigned seen = 0;
        assert_int_equal (
            tori_drain_start (w.net, &w.box, &config, &drain, NULL), 0);
        tori_net_run (w.net, 100, false);
        assert_true (tori_drain_done (drain));
        while (tori_drain_interrupt (drain, &interrupt)) {
            assert_uint_in_range (interrupt.node, 2, 6);
            assert_int_equal (interrupt.cycle, hop * hops[interrupt.node - 2]);
            seen++;
        }
        assert_int_equal (seen, 5);
        tori_drain_release (drain);
        free_world (&w);
    }
}

/* A packet on its way is ended: one of 8 flits over a link, of which 3 have
 * gone, takes 5 cycles more. */
TEST (packets_end)
{
    struct world w = make_world ("mesh:2", "0/2", &cut_through);
    tori_drain *drain;
    tori_drain_report report;
    tori_saved *saved;
    assert_int_equal (tori_net_send (w.net, 0, 1, 8, 7, NULL), 0);
    assert_int_equal (tori_net_send (w.net, 0, 1, 8, 8, NULL), 0);
    tori_net_run (w.net, 3, false);
    assert_int_equal (tori_drain_start (w.net, &w.box, NULL, &drain, NULL), 0);
    while (!tori_drain_done (drain))
        tori_net_step (w.net);
    tori_drain_report_now (drain, &report);
    assert_int_equal (report.bound, 9);
    /* The first has begun to come out at node 1 before the signal came, and
     * so comes out whole. */
    assert_int_equal (report.cycles, 6);
    assert_int_equal (report.packets, 0);
    assert_int_equal (report.waiting, 1);
    assert_int_equal (tori_net_pending (w.net), 1);
    assert_int_equal (tori_drain_save (drain, &saved, NULL), 0);
    assert_int_equal (tori_saved_messages (saved), 1);
    assert_int_equal (tori_saved_under_way (saved), 0);
    tori_saved_destroy (saved);
    tori_drain_release (drain);
    free_world (&w);
}

/* ---- gangs ---- */

/* Two processes share a partition in turns. Each must find its network as it
 * left it: everything arrives, once and in order, and at the right process. */
static void take_turns (const char *machine, const char *box,
                        const tori_net_config *config,
                        tori_drain_method method, uint64_t *ret_reordered)
{
    struct world w = make_world (machine, box, config);
    struct process *p[] = {make_process (0, w.nodes, w.n, 12, 9, 5),
                           make_process (1, w.nodes, w.n, 30, 6, 6)};
    tori_drain_config how = {.size = sizeof how, .method = method};
    tori_saved *away = NULL;
    *ret_reordered = 0;
    for (int turn = 0; turn < 8; turn++) {
        struct process *now = p[turn % 2];
        tori_drain *drain;
        tori_saved *leaving;
        run_slice (&w, now, 60);
        hear_all (w.net, p, 2);
        drain_now (&w, &how, NULL, &drain);
        hear_all (w.net, p, 2);
        assert_int_equal (tori_drain_save (drain, &leaving, NULL), 0);
        assert_sound (w.net);
        assert_int_equal (tori_net_pending (w.net), 0);
        assert_int_equal (tori_saved_messages (leaving),
                          now->nsent - now->nheard);
        tori_net_run (w.net, tori_net_time (w.net) + 50, false);
        if (away)
            assert_int_equal (tori_drain_load (drain, away, NULL), 0);
        else
            assert_int_equal (tori_net_assign (w.net, 1, w.nodes, w.n, NULL),
                              0);
        assert_sound (w.net);
        tori_drain_release (drain);
        assert_sound (w.net);
        away = leaving;
    }
    for (int last = 0; last < 2; last++) {
        tori_drain *drain;
        tori_net_run (w.net, UINT64_MAX, false);
        assert_int_equal (tori_net_pending (w.net), 0);
        hear_all (w.net, p, 2);
        assert_all_heard (p[last]);
        *ret_reordered += p[last]->reordered;
        if (last == 1)
            break;
        drain_now (&w, &how, NULL, &drain);
        assert_int_equal (tori_drain_load (drain, away, NULL), 0);
        tori_drain_release (drain);
    }
    free_process (p[0]);
    free_process (p[1]);
    free_world (&w);
}

TEST (gangs_take_turns)
{
    for (size_t c = 0; c < NCASES; c++) {
        uint64_t reordered;
        take_turns (cases[c].machine, cases[c].box, &cases[c].config,
                    TORI_DRAIN, &reordered);
        if (cases[c].config.routing == TORI_DIMENSION_ORDER)
            assert_int_equal (reordered, 0);
    }
}

/* All falls down loses nothing either, but order. */
TEST (all_falls_down)
{
    uint64_t sum = 0;
    for (size_t c = 0; c < NCASES; c++) {
        uint64_t reordered;
        if (cases[c].config.switching != TORI_CUT_THROUGH)
            continue;
        take_turns (cases[c].machine, cases[c].box, &cases[c].config,
                    TORI_ALL_FALL_DOWN, &reordered);
        sum += reordered;
    }
    assert_true (sum > 0);
}

/* Two packets to node 3, one in the router of node 1, one behind it: where
 * they fall they are sent again from, in one queue each. */
TEST (flits_fall_one_by_one)
{
    struct world w = make_world ("mesh:4", "0/4", &cut_through);
    tori_drain_config how = {.size = sizeof how, .method = TORI_ALL_FALL_DOWN, .origin = 3};
    tori_drain *drain;
    tori_drain_report report;
    tori_net_message m;
    tori_saved *saved;
    for (uint64_t tag = 0; tag < 2; tag++)
        assert_int_equal (tori_net_send (w.net, 0, 3, 8, tag, NULL), 0);
    assert_int_equal (tori_drain_start (w.net, &w.box, &how, &drain, NULL), 0);
    while (!tori_drain_done (drain))
        tori_net_step (w.net);
    tori_drain_report_now (drain, &report);
    /* Node 2 is frozen first, so the first packet ends there: 8 flits, sent
     * one a cycle through node 1, which fall as they come. */
    assert_int_equal (report.flits, 8);
    assert_int_equal (report.packets, 1);
    assert_int_equal (tori_drain_save (drain, &saved, NULL), 0);
    assert_int_equal (tori_drain_load (drain, saved, NULL), 0);
    tori_drain_release (drain);
    tori_net_run (w.net, UINT64_MAX, false);
    for (uint64_t tag = 0; tag < 2; tag++) {
        assert_true (tori_net_receive (w.net, &m));
        assert_int_equal (m.tag, tag);
    }
    free_world (&w);
}

/* The same process with and without being preempted: pair by pair it hears
 * the same messages in the same order. (take_turns sees that none is lost and
 * none overtaken; this compares the two runs outright.) */
static uint64_t hear_run (bool preempted)
{
    struct world w = make_world ("torus:6x6", "0,0/6x6", &cut_through);
    struct process *p = make_process (0, w.nodes, w.n, 10, 12, 77);
    uint64_t *pair = make_array ((size_t)w.n * w.n, sizeof *pair), sum = 0;
    tori_net_message m;
    tori_saved *saved;
    for (int i = 0; i < 300; i++) {
        run_slice (&w, p, 1);
        if (preempted && i % 50 == 20) {
            tori_drain *drain;
            drain_now (&w, NULL, NULL, &drain);
            assert_int_equal (tori_drain_save (drain, &saved, NULL), 0);
            tori_net_run (w.net, tori_net_time (w.net) + 1000, false);
            assert_int_equal (tori_drain_load (drain, saved, NULL), 0);
            tori_drain_release (drain);
        }
    }
    tori_net_run (w.net, UINT64_MAX, false);
    while (tori_net_receive (w.net, &m)) {
        uint64_t *is = &pair[(size_t)m.src * w.n + m.dst];
        *is = *is * 31 + mix (m.src, m.dst, m.flits, m.tag);
        assert_true (m.delivered - m.sent >= m.hops + m.flits);
    }
    for (size_t i = 0; i < (size_t)w.n * w.n; i++)
        sum = sum * 1099511628211u + pair[i];
    free (pair);
    free_process (p);
    free_world (&w);
    return sum;
}

TEST (as_if_never_stopped)
{
    assert_true (hear_run (false) == hear_run (true));
}

/* ---- the neighbours ---- */

/* The messages that a partition gets, with the cycle, while its neighbour is
 * drained and switched again and again, or not. */
static uint64_t next_door (bool preempted)
{
    struct world w = make_world ("torus:8x8", "0,0/4x8", &cut_through);
    tori_box other = make_box (w.machine, "4,0/4x8");
    uint32_t nodes[32];
    struct process *p = make_process (0, w.nodes, w.n, 20, 9, 3), *q;
    tori_net_message m;
    uint64_t sum = 0;
    tori_drain *drain = NULL;
    tori_saved *saved;
    tori_box_nodes (w.machine, &other, nodes);
    q = make_process (1, nodes, 32, 15, 9, 4);
    assert_int_equal (tori_net_assign (w.net, 1, nodes, 32, NULL), 0);
    for (int i = 0; i < 600; i++) {
        if (!drain)
            send_all (p, w.net);
        send_all (q, w.net);
        if (preempted && !drain && i % 100 == 50)
            assert_int_equal (
                tori_drain_start (w.net, &w.box, NULL, &drain, NULL), 0);
        tori_net_step (w.net);
        if (drain && tori_drain_done (drain) && i % 100 == 99) {
            assert_int_equal (tori_drain_save (drain, &saved, NULL), 0);
            assert_int_equal (tori_drain_load (drain, saved, NULL), 0);
            tori_drain_release (drain);
            drain = NULL;
        }
        while (tori_net_receive (w.net, &m))
            if (m.job == 1)
                sum = sum * 31 + mix (m.src, m.dst, m.delivered, m.tag);
    }
    free_process (p);
    free_process (q);
    free_world (&w);
    return sum;
}

TEST (neighbours_notice_nothing)
{
    assert_true (next_door (false) == next_door (true));
}

/* ---- sending ---- */

TEST (sends_never_fail)
{
    struct world w = make_world ("mesh:4x4", "0,0/4x4", &cut_through);
    tori_drain *drain;
    tori_saved *saved;
    tori_net_message m;
    tori_error err;
    uint64_t tags = 0;
    for (int i = 0; i < 20; i++)
        assert_int_equal (tori_net_send (w.net, 0, 15, 20, tags++, NULL), 0);
    tori_net_run (w.net, 30, false);
    assert_int_equal (tori_drain_start (w.net, &w.box, NULL, &drain, NULL), 0);
    while (!tori_drain_done (drain)) {
        assert_int_equal (tori_net_send (w.net, 0, 15, 3, tags++, NULL), 0);
        tori_net_step (w.net);
    }
    assert_int_equal (tori_net_send (w.net, 0, 15, 3, tags++, NULL), 0);
    assert_int_equal (tori_drain_save (drain, &saved, NULL), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal (tori_saved_send (saved, 0, 15, 9, tags++, NULL), 0);
    assert_int_equal (tori_saved_send (saved, 0, 16, 9, 0, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (tori_drain_load (drain, saved, NULL), 0);
    assert_int_equal (tori_net_send (w.net, 0, 15, 1, tags++, NULL), 0);
    tori_drain_release (drain);
    tori_net_run (w.net, UINT64_MAX, false);
    for (uint64_t tag = 0; tag < tags; tag++) {
        assert_true (tori_net_receive (w.net, &m));
        assert_int_equal (m.tag, tag);
    }
    assert_false (tori_net_receive (w.net, &m));
    free_world (&w);
}

/* ---- refusals ---- */

TEST (refusals)
{
    struct world w = make_world ("torus:8x8", "0,0/4x4", &cut_through);
    struct world worm = make_world ("torus:8x8", "0,0/4x4", NULL);
    tori_box open = make_box (w.machine, "0,0/6x4");
    tori_box over = make_box (w.machine, "3,3/2x2");
    tori_drain *drain, *second;
    tori_saved *saved;
    tori_error err;
    assert_int_equal (tori_drain_start (w.net, &open, NULL, &drain, &err), -1);
    assert_non_null (strstr (err.text, "open partition"));
    assert_int_equal (
        tori_drain_start (w.net, &w.box, &(tori_drain_config){.size = sizeof (tori_drain_config), .origin = 16},
                          &drain, &err),
        -1);
    assert_int_equal (
        tori_drain_start (
            worm.net, &w.box,
            &(tori_drain_config){.size = sizeof (tori_drain_config), .method = TORI_ALL_FALL_DOWN}, &drain, &err),
        -1);
    assert_int_equal (tori_drain_start (w.net, &w.box, NULL, &drain, NULL), 0);
    assert_int_equal (tori_drain_start (w.net, &over, NULL, &second, &err),
                      -1);
    assert_int_equal (tori_drain_save (drain, &saved, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    /* An open one next door sends through the drained routers. */
    assert_int_equal (tori_net_send (w.net, 5 * 8, 7 * 8 + 4, 8, 0, NULL), 0);
    tori_net_run (w.net, 100, false);
    assert_int_equal (tori_drain_save (drain, &saved, NULL), 0);
    tori_net_send (w.net, 0, 1, 1, 0, NULL);
    assert_int_equal (tori_drain_load (drain, saved, &err), -1);
    tori_saved_destroy (saved);
    tori_drain_release (drain);
    free_world (&w);
    free_world (&worm);
}

/* A message of nodes outside, caught in the routers, is not saved. */
TEST (strangers_are_not_saved)
{
    struct world w = make_world ("torus:8", "0/4", &cut_through);
    tori_drain *drain;
    tori_saved *saved;
    tori_error err;
    assert_int_equal (tori_net_send (w.net, 7, 2, 8, 0, NULL), 0);
    tori_net_run (w.net, 2, false);
    assert_int_equal (
        tori_drain_start (w.net, &w.box, &(tori_drain_config){.size = sizeof (tori_drain_config), .origin = 2},
                          &drain, NULL),
        0);
    while (!tori_drain_done (drain))
        tori_net_step (w.net);
    assert_int_equal (tori_drain_save (drain, &saved, &err), -1);
    assert_non_null (strstr (err.text, "another partition"));
    tori_drain_release (drain);
    assert_sound (w.net);
    tori_net_run (w.net, UINT64_MAX, false);
    assert_int_equal (tori_net_pending (w.net), 0);
    free_world (&w);
}
