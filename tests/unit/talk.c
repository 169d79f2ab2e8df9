#include "talk.h"

#include <stdlib.h>

/* ---- processes ---- */

uint64_t mix (uint64_t src, uint64_t dst, uint64_t flits, uint64_t tag)
{
    uint64_t x = (src << 40 ^ dst << 20 ^ flits) * 0x9e3779b97f4a7c15u + tag;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 31;
}

struct process *make_process (uint32_t job, const uint32_t *nodes, uint32_t n,
                              unsigned percent, uint32_t longest,
                              uint64_t seed)
{
    struct process *p = make_array (1, sizeof *p);
    *p =
        (struct process){.job = job,
                         .nodes = nodes,
                         .n = n,
                         .rng = make_array (n, sizeof *p->rng),
                         .sent = make_array (n, sizeof *p->sent),
                         .heard = make_array ((size_t)n * n, sizeof *p->heard),
                         .percent = percent,
                         .longest = longest};
    for (uint32_t i = 0; i < n; i++)
        rng_seed (&p->rng[i], seed, 1000 * job + i);
    return p;
}

void free_process (struct process *p)
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

void send_from (struct process *p, tori_net *net, uint32_t i)
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

void send_all (struct process *p, tori_net *net)
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

void hear_all (tori_net *net, struct process *const processes[], size_t n)
{
    tori_net_message m;
    while (tori_net_receive (net, &m)) {
        assert_uint_in_range (m.job, 0, n - 1);
        hear (processes[m.job], &m);
    }
}

void assert_all_heard (const struct process *p)
{
    assert_int_equal (p->nheard, p->nsent);
    assert_true (p->sum_heard == p->sum_sent);
}

/* ---- worlds ---- */

const tori_net_config cut_through = {.size = sizeof cut_through,
                                     .switching = TORI_CUT_THROUGH,
                                     .buffer = 8};

#define SIZE .size = sizeof (tori_net_config)

const struct talk_case cases[NCASES] = {
    {"mesh:4x4", "0,0/4x4", {SIZE, .switching = TORI_CUT_THROUGH}},
    {"torus:5x4", "0,0/5x4", {SIZE, .switching = TORI_CUT_THROUGH, .vcs = 4}},
    {"torus:8x8", "2,3/4x3", {SIZE, .switching = TORI_CUT_THROUGH, .width = 2}},
    {"torus:8x8", "6,6/3x4", {SIZE, .switching = TORI_CUT_THROUGH, .packet = 3}},
    {"mesh:2^5", "0,0,0,0,0/2x2x2x2x2", {SIZE, .switching = TORI_CUT_THROUGH}},
    {"mesh:2^5", "1,0,0,1,0/1x2x2x1x2", {SIZE, .switching = TORI_CUT_THROUGH}},
    {"torus:4x4x4",
     "0,0,0/4x4x4",
     {SIZE, .switching = TORI_CUT_THROUGH, .routing = TORI_ADAPTIVE}},
    {"torus:6x6", "0,0/6x6", {SIZE, .buffer = 3}},
    {"mesh:5x5", "1,1/3x4", {SIZE, .packet = 5, .vcs = 3}},
    {"torus:4x4", "0,0/4x4", {SIZE, .routing = TORI_ADAPTIVE}},
    {"torus:7", "0/7", {SIZE, .switching = TORI_CUT_THROUGH}},
    {"torus:2x2", "0,0/2x2", {SIZE, .switching = TORI_CUT_THROUGH}},
    {"mesh:3x3", "1,1/1x1", {SIZE, .switching = TORI_CUT_THROUGH}},
};

struct world make_world (const char *machine, const char *box,
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

void free_world (struct world *w)
{
    free (w->nodes);
    tori_net_destroy (w->net);
    tori_machine_destroy (w->machine);
}

void run_slice (struct world *w, struct process *p, int cycles)
{
    for (int i = 0; i < cycles; i++) {
        send_all (p, w->net);
        tori_net_step (w->net);
    }
}

void drain_now (struct world *w, const tori_drain_config *config,
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

void assert_sound (const tori_net *net)
{
    tori_error err = {0};
    if (tori_net_check (net, &err) < 0)
        fail_msg ("%s", err.text);
}
