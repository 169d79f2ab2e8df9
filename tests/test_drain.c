/* Network preemption: drains, states put away and taken back, termination,
 * checkpoints. Every test of what is kept counts every message, and the last
 * ones lose a message on purpose and see that the counting notices. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tori/drain.h>
#include <tori/partition.h>
#include <tori/preempt.h>

#include "drain.h"

/* ---- processes ---- */

/* A process sends random messages among the nodes of its box, numbered by
 * source; and hears what comes. Its randomness is by node, so that what it
 * sends does not depend on when it runs. */
struct process {
    uint32_t job;
    const uint32_t *nodes;
    uint32_t n;
    struct rng *rng;      /* by node */
    uint64_t *sent;       /* messages, by source */
    uint64_t *heard;      /* the last tag + 1, by source and destination */
    uint64_t nsent, nheard, reordered;
    uint64_t sum_sent, sum_heard; /* of what tells messages apart */
    unsigned percent;             /* chance to send, a cycle */
    uint32_t longest;             /* message, in flits */
};

static uint64_t mix (uint64_t src, uint64_t dst, uint64_t flits, uint64_t tag)
{
    uint64_t x = (src << 40 ^ dst << 20 ^ flits) * 0x9e3779b97f4a7c15u + tag;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 31;
}

static struct process *make_process (uint32_t job, const uint32_t *nodes,
                                     uint32_t n, unsigned percent,
                                     uint32_t longest, uint64_t seed)
{
    struct process *p = make_array (1, sizeof *p);
    *p = (struct process){.job = job,
                          .nodes = nodes,
                          .n = n,
                          .rng = make_array (n, sizeof *p->rng),
                          .sent = make_array (n, sizeof *p->sent),
                          .heard = make_array ((size_t)n * n,
                                               sizeof *p->heard),
                          .percent = percent,
                          .longest = longest};
    for (uint32_t i = 0; i < n; i++)
        rng_seed (&p->rng[i], seed, 1000 * job + i);
    return p;
}

static void free_process (struct process *p)
{
    free (p->rng);
    free (p->sent);
    free (p->heard);
    free (p);
}

static uint32_t rank (const struct process *p, uint32_t node)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->nodes[i] == node)
            return i;
    fail ();
    return 0;
}

static void send_from (struct process *p, tori_net *net, uint32_t i)
{
    uint32_t dst, flits;
    if (!chance (&p->rng[i], p->percent))
        return;
    dst = p->nodes[between (&p->rng[i], 0, p->n - 1)];
    flits = between (&p->rng[i], 1, p->longest);
    assert_int_equal (
        tori_net_send (net, p->nodes[i], dst, flits, p->sent[i], NULL), 0);
    p->sum_sent += mix (p->nodes[i], dst, flits, p->sent[i]++);
    p->nsent++;
}

static void send_all (struct process *p, tori_net *net)
{
    for (uint32_t i = 0; i < p->n; i++)
        send_from (p, net, i);
}

static void hear (struct process *p, const tori_net_message *m)
{
    uint32_t src = rank (p, m->src), dst = rank (p, m->dst);
    uint64_t *last = &p->heard[(size_t)src * p->n + dst];
    p->reordered += m->tag < *last;
    if (m->tag >= *last)
        *last = m->tag + 1;
    p->sum_heard += mix (m->src, m->dst, m->flits, m->tag);
    p->nheard++;
}

/* Each process its own; false if there was none. */
static void hear_all (tori_net *net, struct process *const processes[],
                      size_t n)
{
    tori_net_message m;
    while (tori_net_receive (net, &m)) {
        assert_in_range (m.job, 0, n - 1);
        hear (processes[m.job], &m);
    }
}

static void assert_all_heard (const struct process *p)
{
    assert_int_equal (p->nheard, p->nsent);
    assert_true (p->sum_heard == p->sum_sent);
}

static void assert_sound (const tori_net *net)
{
    tori_error err = {0};
    if (tori_net_check (net, &err) < 0)
        fail_msg ("%s", err.text);
}

/* ---- worlds ---- */

struct world {
    tori_machine *machine;
    tori_net *net;
    tori_box box;
    uint32_t *nodes;
    uint32_t n;
};

static struct world make_world (const char *machine, const char *box,
                                const tori_net_config *config)
{
    struct world w = {.machine = make_machine (machine)};
    w.box = make_box (w.machine, box);
    w.n = (uint32_t)tori_shape_volume (&w.box.shape);
    w.nodes = make_array (w.n, sizeof *w.nodes);
    tori_box_nodes (w.machine, &w.box, w.nodes);
    assert_int_equal (tori_net_create (w.machine, config, &w.net, NULL), 0);
    return w;
}

static void free_world (struct world *w)
{
    free (w->nodes);
    tori_net_destroy (w->net);
    tori_machine_destroy (w->machine);
}

static const tori_net_config cut_through = {.switching = TORI_CUT_THROUGH,
                                            .buffer = 8};

static const struct {
    const char *machine, *box;
    tori_net_config config;
} cases[] = {
    {"mesh:4x4", "0,0/4x4", {.switching = TORI_CUT_THROUGH}},
    {"torus:5x4", "0,0/5x4", {.switching = TORI_CUT_THROUGH, .vcs = 4}},
    {"torus:8x8", "2,3/4x3", {.switching = TORI_CUT_THROUGH, .width = 2}},
    {"torus:8x8", "6,6/3x4", {.switching = TORI_CUT_THROUGH, .packet = 3}},
    {"mesh:2^5", "0,0,0,0,0/2x2x2x2x2", {.switching = TORI_CUT_THROUGH}},
    {"mesh:2^5", "1,0,0,1,0/1x2x2x1x2", {.switching = TORI_CUT_THROUGH}},
    {"torus:4x4x4",
     "0,0,0/4x4x4",
     {.switching = TORI_CUT_THROUGH, .routing = TORI_ADAPTIVE}},
    {"torus:6x6", "0,0/6x6", {.buffer = 3}},
    {"mesh:5x5", "1,1/3x4", {.packet = 5, .vcs = 3}},
    {"torus:4x4", "0,0/4x4", {.routing = TORI_ADAPTIVE}},
    {"torus:7", "0/7", {.switching = TORI_CUT_THROUGH}},
    {"torus:2x2", "0,0/2x2", {.switching = TORI_CUT_THROUGH}},
    {"mesh:3x3", "1,1/1x1", {.switching = TORI_CUT_THROUGH}},
};

/* ---- the drain ---- */

static void drain_now (struct world *w, const tori_drain_config *config,
                       struct process *p, tori_drain **ret_drain)
{
    struct process *const list[] = {p, p, p};
    bool *stopped = make_array (w->n, sizeof *stopped);
    tori_interrupt interrupt;
    assert_int_equal (
        tori_drain_start (w->net, &w->box, config, ret_drain, NULL), 0);
    while (!tori_drain_done (*ret_drain)) {
        for (uint32_t i = 0; p && i < w->n; i++)
            if (!stopped[i])
                send_from (p, w->net, i);
        tori_net_step (w->net);
        assert_sound (w->net);
        while (tori_drain_interrupt (*ret_drain, &interrupt)) {
            for (uint32_t i = 0; i < w->n; i++)
                if (w->nodes[i] == interrupt.node) {
                    assert_false (stopped[i]);
                    stopped[i] = true;
                }
        }
        if (p)
            hear_all (w->net, list, 3);
    }
    for (uint32_t i = 0; i < w->n; i++)
        assert_true (stopped[i]);
    free (stopped);
}

/* One interrupt a router; afterwards nothing moves, however long; released,
 * everything arrives, and in order. */
static void every_kernel_once (void **state)
{
    for (size_t c = 0; c < LENGTH (cases); c++) {
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
        drain_now (&w, &(tori_drain_config){.origin = w.n / 2}, p, &drain);
        tori_drain_report_now (drain, &before);
        assert_int_equal (before.interrupts, w.n);
        if (cut && before.diameter >= tori_net_configuration (w.net)->vcs)
            assert_in_range (before.cycles, 0, before.bound);
        if (!cut)
            assert_in_range (before.cycles, 0, before.diameter + 1);
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
static void signal_goes_by_hops (void **state)
{
    for (uint32_t hop = 1; hop < 4; hop++) {
        struct world w = make_world ("mesh:9", "2/5", &cut_through);
        static const uint32_t hops[] = {2, 3, 4, 5, 4};
        tori_drain_config config = {.hop = hop};
        tori_interrupt interrupt;
        tori_drain *drain;
        unsigned seen = 0;
        assert_int_equal (
            tori_drain_start (w.net, &w.box, &config, &drain, NULL), 0);
        tori_net_run (w.net, 100, false);
        assert_true (tori_drain_done (drain));
        while (tori_drain_interrupt (drain, &interrupt)) {
            assert_in_range (interrupt.node, 2, 6);
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
static void packets_end (void **state)
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

static void run_slice (struct world *w, struct process *p, int cycles)
{
    for (int i = 0; i < cycles; i++) {
        send_all (p, w->net);
        tori_net_step (w->net);
    }
}

/* Two processes share a partition in turns. Each must find its network as it
 * left it: everything arrives, once and in order, and at the right process. */
static void take_turns (const char *machine, const char *box,
                        const tori_net_config *config,
                        tori_drain_method method, uint64_t *ret_reordered)
{
    struct world w = make_world (machine, box, config);
    struct process *p[] = {make_process (0, w.nodes, w.n, 12, 9, 5),
                           make_process (1, w.nodes, w.n, 30, 6, 6)};
    tori_drain_config how = {.method = method};
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

static void gangs_take_turns (void **state)
{
    for (size_t c = 0; c < LENGTH (cases); c++) {
        uint64_t reordered;
        take_turns (cases[c].machine, cases[c].box, &cases[c].config,
                    TORI_DRAIN, &reordered);
        if (cases[c].config.routing == TORI_DIMENSION_ORDER)
            assert_int_equal (reordered, 0);
    }
}

/* All falls down loses nothing either, but order. */
static void all_falls_down (void **state)
{
    uint64_t sum = 0;
    for (size_t c = 0; c < LENGTH (cases); c++) {
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
static void flits_fall_one_by_one (void **state)
{
    struct world w = make_world ("mesh:4", "0/4", &cut_through);
    tori_drain_config how = {.method = TORI_ALL_FALL_DOWN, .origin = 3};
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

static void as_if_never_stopped (void **state)
{
    assert_true (hear_run (false) == hear_run (true));
}

/* ---- the neighbours ---- */

/* What a partition hears, with the cycle, while the one next door is drained
 * and switched again and again, or not. */
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

static void neighbours_notice_nothing (void **state)
{
    assert_true (next_door (false) == next_door (true));
}

/* ---- sending ---- */

static void sends_never_fail (void **state)
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

static void refusals (void **state)
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
        tori_drain_start (w.net, &w.box, &(tori_drain_config){.origin = 16},
                          &drain, &err),
        -1);
    assert_int_equal (
        tori_drain_start (
            worm.net, &w.box,
            &(tori_drain_config){.method = TORI_ALL_FALL_DOWN}, &drain, &err),
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
static void strangers_are_not_saved (void **state)
{
    struct world w = make_world ("torus:8", "0/4", &cut_through);
    tori_drain *drain;
    tori_saved *saved;
    tori_error err;
    assert_int_equal (tori_net_send (w.net, 7, 2, 8, 0, NULL), 0);
    tori_net_run (w.net, 2, false);
    assert_int_equal (
        tori_drain_start (w.net, &w.box, &(tori_drain_config){.origin = 2},
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

/* ---- termination ---- */

/* A diffusing computation: a message with weight k makes its receiver send
 * k - 1 messages, of weights k - 1 down to 1, so that a message of weight k
 * stands for 2^(k - 1) in all. The process is preempted now and then; it has
 * ended when the saved state says so, and not before. */
enum { WEIGHT = 11, TOTAL = 1 << (WEIGHT - 1) };

static uint32_t diffuse (struct world *w, struct rng *rng)
{
    tori_net_message m;
    uint32_t n = 0;
    while (tori_net_receive (w->net, &m)) {
        n++;
        for (uint64_t k = m.tag - 1; k >= 1; k--)
            assert_int_equal (
                tori_net_send (w->net, m.dst,
                               w->nodes[between (rng, 0, w->n - 1)],
                               between (rng, 1, 12), k, NULL),
                0);
    }
    return n;
}

static tori_saved *put_away (struct world *w, struct rng *rng, uint32_t *heard,
                             tori_drain **ret_drain)
{
    tori_saved *saved;
    assert_int_equal (
        tori_drain_start (w->net, &w->box, NULL, ret_drain, NULL), 0);
    while (!tori_drain_done (*ret_drain)) {
        tori_net_step (w->net);
        *heard += diffuse (w, rng);
    }
    assert_int_equal (tori_drain_save (*ret_drain, &saved, NULL), 0);
    return saved;
}

static void termination (void **state)
{
    struct world w = make_world ("torus:4x4", "0,0/4x4", &cut_through);
    tori_local local[16] = {0};
    uint32_t heard = 0, looks = 0;
    struct rng rng;
    rng_seed (&rng, 1, 2);
    for (int i = 0; i < 16; i++)
        local[i].idle = true; /* but for messages that come */
    local[3].calls = 1;
    assert_int_equal (tori_net_send (w.net, 0, 5, 4, WEIGHT, NULL), 0);
    for (;;) {
        tori_drain *drain;
        tori_saved *saved;
        tori_progress progress;
        for (int i = 0; i < 25; i++) {
            tori_net_step (w.net);
            heard += diffuse (&w, &rng);
        }
        saved = put_away (&w, &rng, &heard, &drain);
        progress = tori_saved_progress (saved, local, 16);
        looks++;
        /* Ended exactly if all messages that will ever be have been heard. */
        assert_int_equal (progress == TORI_RUNNING, heard < TOTAL);
        if (progress == TORI_WAITING) {
            local[3].calls = 0;
            assert_int_equal (tori_saved_progress (saved, local, 16),
                              TORI_TERMINATED);
            local[9].idle = false;
            assert_int_equal (tori_saved_progress (saved, local, 16),
                              TORI_RUNNING);
            local[9].idle = true;
            assert_int_equal (tori_saved_send (saved, 0, 1, 1, 1, NULL), 0);
            assert_int_equal (tori_saved_progress (saved, local, 16),
                              TORI_RUNNING);
        }
        assert_int_equal (tori_drain_load (drain, saved, NULL), 0);
        tori_drain_release (drain);
        if (progress != TORI_RUNNING)
            break;
    }
    assert_int_equal (heard, TOTAL);
    assert_true (looks > 5);
    free_world (&w);
}

/* ---- faults ---- */

/* Take the first packet out of a buffer of a saved router that has one. */
static bool lose_one (tori_saved *saved)
{
    const struct fabric *f = &saved->fabric;
    for (uint32_t l = 0; l < f->nodes * lanes_of (f); l++) {
        struct buffer *buffer = &f->buffers[l];
        uint64_t bit = UINT64_C (1) << buffer_here (f, l);
        uint32_t first = l - buffer_here (f, l);
        if (way_direction (f, l >> f->lane_bits) == f->own
            || buffer->count != 1)
            continue;
        *buffer = (struct buffer){.lane = buffer->lane};
        for (uint32_t i = 0; i < lanes_of (f); i++)
            f->lanes[first + i].waiting &= ~bit;
        return true;
    }
    return false;
}

/* The counting of these tests notices one packet that is lost between saving
 * and loading: by what was heard, by the network's own accounts, and by the
 * total of a diffusing computation. */
static void a_lost_packet_is_noticed (void **state)
{
    struct world w = make_world ("torus:4x4", "0,0/4x4", &cut_through);
    struct process *p = make_process (0, w.nodes, w.n, 30, 8, 8);
    tori_drain *drain;
    tori_saved *saved;
    tori_error err;
    run_slice (&w, p, 100);
    drain_now (&w, NULL, NULL, &drain);
    assert_int_equal (tori_drain_save (drain, &saved, NULL), 0);
    assert_true (lose_one (saved));
    assert_int_equal (tori_drain_load (drain, saved, NULL), 0);
    tori_drain_release (drain);
    assert_int_equal (tori_net_check (w.net, &err), -1);
    tori_net_run (w.net, tori_net_time (w.net) + 100000, false);
    hear_all (w.net, &p, 1);
    assert_true (tori_net_pending (w.net) > 0);
    assert_true (p->nheard < p->nsent && p->sum_heard != p->sum_sent);
    free_process (p);
    free_world (&w);
}

static void a_lost_packet_never_terminates (void **state)
{
    struct world w = make_world ("torus:4x4", "0,0/4x4", &cut_through);
    tori_local local[16] = {0};
    uint32_t heard = 0;
    struct rng rng;
    tori_drain *drain;
    tori_saved *saved;
    bool lost = false;
    rng_seed (&rng, 1, 2);
    for (int i = 0; i < 16; i++)
        local[i].idle = true;
    assert_int_equal (tori_net_send (w.net, 0, 5, 4, WEIGHT, NULL), 0);
    for (int turn = 0; turn < 200; turn++) {
        tori_net_run (w.net, tori_net_time (w.net) + 25, false);
        heard += diffuse (&w, &rng);
        saved = put_away (&w, &rng, &heard, &drain);
        if (!lost)
            lost = lose_one (saved);
        assert_int_equal (tori_saved_progress (saved, local, 16),
                          TORI_RUNNING);
        assert_int_equal (tori_drain_load (drain, saved, NULL), 0);
        tori_drain_release (drain);
    }
    assert_true (lost && heard < TOTAL);
    free_world (&w);
}

/* ---- checkpoints ---- */

static void path_for (char path[64])
{
    int fd;
    snprintf (path, 64, "/tmp/tori-drain-XXXXXX");
    fd = mkstemp (path);
    assert_true (fd >= 0);
    close (fd);
}

static unsigned char *slurp (const char *path, size_t *ret_n)
{
    FILE *in = fopen (path, "rb");
    unsigned char *bytes = make_array (1 << 20, 1);
    assert_non_null (in);
    *ret_n = fread (bytes, 1, 1 << 20, in);
    assert_in_range (*ret_n, 1, (1 << 20) - 1);
    fclose (in);
    return bytes;
}

static void spill (const char *path, const unsigned char *bytes, size_t n)
{
    FILE *out = fopen (path, "wb");
    assert_non_null (out);
    assert_int_equal (fwrite (bytes, 1, n, out), n);
    assert_int_equal (fclose (out), 0);
}

/* A state under way, with everything in it. */
static tori_saved *busy_state (struct world *w, struct process *p,
                               tori_drain_method method)
{
    tori_drain *drain;
    tori_saved *saved;
    run_slice (w, p, 120);
    drain_now (w, &(tori_drain_config){.method = method}, NULL, &drain);
    hear_all (w->net, &p, 1);
    assert_int_equal (tori_drain_save (drain, &saved, NULL), 0);
    tori_drain_release (drain);
    assert_true (tori_saved_under_way (saved) > 0);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t dst = w->nodes[w->n - 1];
        assert_int_equal (
            tori_saved_send (saved, w->nodes[i], dst, 5, p->sent[i], NULL), 0);
        p->sum_sent += mix (w->nodes[i], dst, 5, p->sent[i]++);
        p->nsent++;
    }
    assert_int_equal (tori_saved_set_context (saved, "context", 8, NULL), 0);
    return saved;
}

/* In another network of the same kind, as after a restart of the machine. */
static void resume (struct world *w, struct process *p, const char *path)
{
    tori_drain *drain;
    tori_saved *saved;
    tori_error err = {0};
    size_t n;
    if (tori_saved_read (w->net, &w->box, path, &saved, &err) < 0)
        fail_msg ("%s", err.text);
    assert_string_equal (tori_saved_context (saved, &n), "context");
    assert_int_equal (n, 8);
    assert_int_equal (tori_saved_messages (saved), p->nsent - p->nheard);
    tori_net_run (w->net, tori_saved_time (saved), false);
    drain_now (w, NULL, NULL, &drain);
    assert_int_equal (tori_drain_load (drain, saved, NULL), 0);
    tori_drain_release (drain);
    assert_sound (w->net);
    tori_net_run (w->net, UINT64_MAX, false);
    hear_all (w->net, &p, 1);
    assert_all_heard (p);
}

static void restart (void **state)
{
    for (size_t c = 0; c < LENGTH (cases); c++) {
        tori_drain_method method =
            c % 2 && cases[c].config.switching == TORI_CUT_THROUGH
                ? TORI_ALL_FALL_DOWN
                : TORI_DRAIN;
        struct world w =
            make_world (cases[c].machine, cases[c].box, &cases[c].config);
        struct world after =
            make_world (cases[c].machine, cases[c].box, &cases[c].config);
        struct process *p = make_process (0, w.nodes, w.n, 25, 9, c);
        tori_saved *saved;
        char path[64];
        if (w.n < 3) {
            free_process (p);
            free_world (&w);
            free_world (&after);
            continue;
        }
        path_for (path);
        saved = busy_state (&w, p, method);
        assert_int_equal (tori_saved_write (saved, path, NULL), 0);
        tori_saved_destroy (saved);
        free_world (&w);
        p->nodes = after.nodes;
        resume (&after, p, path);
        if (method == TORI_DRAIN
            && cases[c].config.routing == TORI_DIMENSION_ORDER)
            assert_int_equal (p->reordered, 0);
        unlink (path);
        free_process (p);
        free_world (&after);
    }
}

/* A byte is changed, anywhere, or the file is cut short, or longer. */
static void damaged_files (void **state)
{
    struct world w = make_world ("mesh:3x2", "0,0/3x2", &cut_through);
    struct process *p = make_process (0, w.nodes, w.n, 40, 9, 1);
    tori_saved *saved = busy_state (&w, p, TORI_DRAIN), *read;
    char path[64];
    unsigned char *bytes;
    unsigned char empty[32] = {0}; /* a body of no bytes, whose sum is 0 */
    size_t n;
    tori_error err;
    path_for (path);
    assert_int_equal (tori_saved_write (saved, path, NULL), 0);
    bytes = slurp (path, &n);
    for (size_t i = 0; i < n; i += i < 64 ? 1 : 37) {
        bytes[i] ^= 0x11;
        spill (path, bytes, n);
        bytes[i] ^= 0x11;
        err = (tori_error){0};
        assert_int_equal (tori_saved_read (w.net, &w.box, path, &read, &err),
                          -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_null (strchr (err.text, '\n'));
        spill (path, bytes, i);
        assert_int_equal (tori_saved_read (w.net, &w.box, path, &read, &err),
                          -1);
    }
    memcpy (empty, bytes, 20);
    spill (path, empty, sizeof empty);
    assert_int_equal (tori_saved_read (w.net, &w.box, path, &read, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    spill (path, bytes, n);
    assert_int_equal (tori_saved_read (w.net, &w.box, path, &read, NULL), 0);
    tori_saved_destroy (read);
    unlink (path);
    assert_int_equal (tori_saved_read (w.net, &w.box, path, &read, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    free (bytes);
    tori_saved_destroy (saved);
    free_process (p);
    free_world (&w);
}

/* A right checksum does not make a state: numbers that cannot be are refused,
 * whichever they are, and nothing is read or written out of bounds. */
static void forged_files (void **state)
{
    struct world w = make_world ("mesh:3x2", "0,0/3x2", &cut_through);
    struct process *p = make_process (0, w.nodes, w.n, 40, 9, 1);
    tori_saved *saved = busy_state (&w, p, TORI_DRAIN), *read;
    struct fabric *f = &saved->fabric;
    char path[64];
    struct rng rng;
    unsigned refused = 0;
    rng_seed (&rng, 4, 4);
    path_for (path);
    for (int i = 0; i < 300; i++) {
        uint32_t lanes = f->nodes * lanes_of (f);
        uint32_t l = between (&rng, 0, lanes - 1);
        struct buffer buffer = f->buffers[l];
        struct lane lane = f->lanes[l];
        struct packet packet = f->packets[0];
        uint32_t *word[] = {&f->buffers[l].count,  &f->buffers[l].packet,
                            &f->buffers[l].avail,  &f->buffers[l].left,
                            &f->buffers[l].missing, &f->buffers[l].head,
                            &f->lanes[l].credits,  &f->packets[0].next,
                            &f->packets[0].length, &f->packets[0].message};
        uint32_t which = between (&rng, 0, LENGTH (word) - 1);
        *word[which] = which == 0 || chance (&rng, 50)
                           ? between (&rng, 0, 9)
                           : (uint32_t)rng_next (&rng);
        assert_int_equal (tori_saved_write (saved, path, NULL), 0);
        if (tori_saved_read (w.net, &w.box, path, &read, NULL) == 0)
            tori_saved_destroy (read);
        else
            refused++;
        f->buffers[l] = buffer;
        f->lanes[l] = lane;
        f->packets[0] = packet;
    }
    assert_true (refused > 100);
    saved->job = TORI_NET_MAX_JOBS;
    assert_int_equal (tori_saved_write (saved, path, NULL), 0);
    assert_int_equal (tori_saved_read (w.net, &w.box, path, &read, NULL), -1);
    unlink (path);
    tori_saved_destroy (saved);
    free_process (p);
    free_world (&w);
}

static void foreign_files (void **state)
{
    static const tori_net_config other = {.switching = TORI_CUT_THROUGH,
                                          .buffer = 9};
    struct world w = make_world ("mesh:4x4", "0,0/4x4", &cut_through);
    struct world machine = make_world ("torus:4x4", "0,0/4x4", &cut_through);
    struct world config = make_world ("mesh:4x4", "0,0/4x4", &other);
    struct process *p = make_process (0, w.nodes, w.n, 40, 9, 1);
    tori_saved *saved = busy_state (&w, p, TORI_DRAIN), *read;
    tori_box part = make_box (w.machine, "0,0/2x4");
    char path[64];
    tori_error err;
    path_for (path);
    assert_int_equal (tori_saved_write (saved, path, NULL), 0);
    assert_int_equal (
        tori_saved_read (machine.net, &machine.box, path, &read, &err), -1);
    assert_non_null (strstr (err.text, "of mesh:4x4, not of torus:4x4"));
    assert_int_equal (
        tori_saved_read (config.net, &config.box, path, &read, &err), -1);
    assert_int_equal (tori_saved_read (w.net, &part, path, &read, &err), -1);
    assert_non_null (strstr (err.text, "another box"));
    spill (path, (const unsigned char *)"#!/bin/sh\n", 10);
    assert_int_equal (tori_saved_read (w.net, &w.box, path, &read, &err), -1);
    assert_non_null (strstr (err.text, "no checkpoint"));
    unlink (path);
    tori_saved_destroy (saved);
    free_process (p);
    free_world (&w);
    free_world (&machine);
    free_world (&config);
}

/* ---- the experiment ---- */

static tori_preempt_result preempt (const tori_preempt_config *config)
{
    tori_preempt_result result;
    tori_error err = {0};
    if (tori_preempt_run (config, &result, &err) < 0)
        fail_msg ("%s", err.text);
    for (size_t i = 0; i < result.nprocesses; i++) {
        const tori_preempt_process *p = &result.processes[i];
        assert_true (p->terminated && p->sent > 0);
        assert_int_equal (p->delivered, p->sent);
        assert_true (p->sum_delivered == p->sum_sent);
    }
    return result;
}

/* The same messages come, in the same order for every pair, whether a process
 * is alone or shares its partition with others; and the interrupts are within
 * the bound, up to saturation. */
static void turns_change_nothing (void **state)
{
    tori_machine *machine = make_machine ("mesh:2^6");
    tori_preempt_config config = {.machine = machine,
                                  .net = {.switching = TORI_CUT_THROUGH,
                                          .buffer = 16},
                                  .slice = 200,
                                  .cycles = 900,
                                  .seed = 5};
    for (unsigned load = 1; load < 10; load += 4) {
        tori_preempt_result alone, shared;
        config.load = 0.1 * load;
        config.switches = 0;
        alone = preempt (&config);
        config.switches = 7;
        config.processes = 3;
        shared = preempt (&config);
        assert_int_equal (shared.nswitches, 7);
        assert_true (tori_preempt_kept (&alone.processes[0]));
        assert_true (alone.processes[0].sum_delivered
                     == shared.processes[0].sum_delivered);
        assert_int_equal (alone.processes[0].sent, shared.processes[0].sent);
        for (size_t i = 0; i < 3; i++)
            assert_true (tori_preempt_kept (&shared.processes[i]));
        for (size_t i = 0; i < 7; i++) {
            const tori_drain_report *drain = &shared.switches[i].drain;
            assert_int_equal (drain->bound, 6 * 16 + 6);
            assert_int_equal (drain->interrupts, 64);
            assert_in_range (drain->cycles, 1, drain->bound);
        }
        tori_preempt_clear (&alone);
        tori_preempt_clear (&shared);
        config.processes = 0;
    }
    tori_machine_destroy (machine);
}

/* A process goes on from a file, and ends as it would have. */
static void restart_is_the_same (void **state)
{
    tori_machine *machine = make_machine ("torus:4x6");
    char path[64];
    tori_preempt_config config = {
        .machine = machine,
        .net = {.switching = TORI_CUT_THROUGH, .buffer = 16},
        .switches = 3,
        .load = 0.4,
        .checkpoint = path,
        .seed = 2};
    tori_preempt_result first, second;
    tori_error err;
    tori_box box = make_box (machine, "0,0/4x3");
    path_for (path);
    first = preempt (&config);
    config.checkpoint = NULL;
    config.restart = path;
    config.switches = 0;
    second = preempt (&config);
    assert_int_equal (second.nprocesses, 1);
    assert_memory_equal (&first.processes[0], &second.processes[0],
                         sizeof *first.processes);
    tori_preempt_clear (&first);
    tori_preempt_clear (&second);
    config.box = &box;
    assert_int_equal (tori_preempt_run (&config, &first, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    unlink (path);
    tori_machine_destroy (machine);
}

/* Where pairs have several messages under way, they change places when all
 * falls down, and not when it does not. */
static void falling_changes_order (void **state)
{
    tori_machine *machine = make_machine ("torus:6x6");
    tori_preempt_config config = {
        .machine = machine,
        .net = {.switching = TORI_CUT_THROUGH, .buffer = 16},
        .switches = 9,
        .partners = 1,
        .load = 0.5,
        .seed = 2};
    tori_preempt_result result = preempt (&config);
    assert_true (tori_preempt_kept (&result.processes[0]));
    tori_preempt_clear (&result);
    config.drain.method = TORI_ALL_FALL_DOWN;
    result = preempt (&config);
    assert_true (result.processes[0].reordered > 0);
    tori_preempt_clear (&result);
    tori_machine_destroy (machine);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (every_kernel_once),
        cmocka_unit_test (signal_goes_by_hops),
        cmocka_unit_test (packets_end),
        cmocka_unit_test (gangs_take_turns),
        cmocka_unit_test (as_if_never_stopped),
        cmocka_unit_test (all_falls_down),
        cmocka_unit_test (flits_fall_one_by_one),
        cmocka_unit_test (neighbours_notice_nothing),
        cmocka_unit_test (sends_never_fail),
        cmocka_unit_test (refusals),
        cmocka_unit_test (strangers_are_not_saved),
        cmocka_unit_test (termination),
        cmocka_unit_test (a_lost_packet_is_noticed),
        cmocka_unit_test (a_lost_packet_never_terminates),
        cmocka_unit_test (restart),
        cmocka_unit_test (damaged_files),
        cmocka_unit_test (forged_files),
        cmocka_unit_test (foreign_files),
        cmocka_unit_test (turns_change_nothing),
        cmocka_unit_test (restart_is_the_same),
        cmocka_unit_test (falling_changes_order),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
