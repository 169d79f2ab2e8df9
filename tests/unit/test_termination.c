/* The end of a diffusing computation is noticed, and no sooner. And a packet
 * that is lost on purpose is noticed by whatever counts messages here. */
#include "talk.h"

#include "drain.h"

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

TEST (termination)
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

/* ---- garbage ---- */

/* Nodes hold references to objects, pass them on in messages, and drop them.
 * An object is alive if a node holds it, a message is about it, or another one
 * that is alive refers to it. What is alive here is counted by hand: by node
 * and by message, as they are sent and heard. */
enum { OBJECTS = 200, HOLDERS = 16 };

struct heap {
    struct rng rng;
    uint32_t held[HOLDERS][OBJECTS]; /* references of a node's stack */
    uint32_t sent[OBJECTS];          /* messages about it, not yet heard */
    bool refers[OBJECTS][OBJECTS];
};

static void start_heap (struct heap *heap)
{
    *heap = (struct heap){0};
    rng_seed (&heap->rng, 3, 0);
    for (int i = 0; i < OBJECTS; i++) {
        heap->held[i % HOLDERS][i] = 1;
        for (int k = 0; k < 2; k++)
            heap->refers[i][between (&heap->rng, 0, OBJECTS - 1)] = true;
    }
}

/* Hear what has come, then send on or drop a few references, and cut some
 * between objects. */
static void work_on_heap (struct world *w, struct heap *heap)
{
    tori_net_message m;
    while (tori_net_receive (w->net, &m)) {
        heap->sent[m.tag]--;
        heap->held[m.dst][m.tag]++;
    }
    for (int k = 0; k < 8; k++) {
        uint32_t node = between (&heap->rng, 0, HOLDERS - 1);
        uint32_t object = between (&heap->rng, 0, OBJECTS - 1);
        if (!heap->held[node][object])
            continue;
        heap->held[node][object]--;
        if (chance (&heap->rng, 80)) {
            uint32_t to = between (&heap->rng, 0, HOLDERS - 1);
            heap->sent[object]++;
            assert_int_equal (tori_net_send (w->net, node, to, 4, object,
                                             NULL),
                              0);
        }
    }
    heap->refers[between (&heap->rng, 0, OBJECTS - 1)]
                [between (&heap->rng, 0, OBJECTS - 1)]
        = false;
}

/* By going through everything until nothing changes; without the messages if
 * routers are not looked at. */
static void live_by_hand (const struct heap *heap, bool routers, bool live[])
{
    bool more = true;
    for (int i = 0; i < OBJECTS; i++) {
        live[i] = routers && heap->sent[i];
        for (int node = 0; node < HOLDERS; node++)
            live[i] |= heap->held[node][i] > 0;
    }
    while (more) {
        more = false;
        for (int i = 0; i < OBJECTS; i++)
            for (int k = 0; k < OBJECTS; k++)
                if (live[i] && heap->refers[i][k] && !live[k])
                    more = live[k] = true;
    }
}

static size_t list_references (const struct heap *heap,
                               tori_reference refs[])
{
    size_t n = 0;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        for (uint32_t k = 0; k < OBJECTS; k++)
            if (heap->refers[i][k])
                refs[n++] = (tori_reference){i, k};
        for (int node = 0; node < HOLDERS; node++)
            if (heap->held[node][i])
                refs[n++] = (tori_reference){TORI_ROOT, i};
    }
    return n;
}

static void compare_live (const tori_saved *saved, const struct heap *heap,
                          uint32_t *lost, uint32_t *garbage)
{
    static tori_reference refs[OBJECTS * (OBJECTS + HOLDERS)];
    size_t n = list_references (heap, refs);
    bool live[OBJECTS], should[OBJECTS], blind[OBJECTS];
    assert_int_equal (
        tori_saved_live (saved, refs, n, OBJECTS, live, NULL), 0);
    live_by_hand (heap, true, should);
    live_by_hand (heap, false, blind);
    for (int i = 0; i < OBJECTS; i++) {
        assert_int_equal (live[i], should[i]);
        *lost += live[i] && !blind[i];
        *garbage += !live[i];
    }
}

/* The process is preempted now and then; what is marked is just what is alive.
 * Without a look at the routers, objects would be lost that only a message
 * refers to. */
TEST (garbage)
{
    struct world w = make_world ("torus:4x4", "0,0/4x4", &cut_through);
    uint32_t lost = 0, found = 0;
    static struct heap heap;
    start_heap (&heap);
    for (int turn = 0; turn < 300; turn++) {
        tori_drain *drain;
        tori_saved *saved;
        for (int i = 0; i < 3; i++) {
            tori_net_step (w.net);
            work_on_heap (&w, &heap);
        }
        assert_int_equal (
            tori_drain_start (w.net, &w.box, NULL, &drain, NULL), 0);
        while (!tori_drain_done (drain))
            tori_net_step (w.net);
        work_on_heap (&w, &heap);
        assert_int_equal (tori_drain_save (drain, &saved, NULL), 0);
        compare_live (saved, &heap, &lost, &found);
        assert_int_equal (tori_drain_load (drain, saved, NULL), 0);
        tori_drain_release (drain);
    }
    assert_true (lost > 0 && found > 0);
    free_world (&w);
}

TEST (references_are_checked)
{
    struct world w = make_world ("torus:4x4", "0,0/4x4", &cut_through);
    const tori_reference from = {5, 0}, to = {0, 5};
    bool live[5];
    tori_drain *drain;
    tori_saved *saved;
    tori_error err;
    drain_now (&w, NULL, NULL, &drain);
    assert_int_equal (tori_drain_save (drain, &saved, NULL), 0);
    assert_int_equal (tori_saved_live (saved, &from, 1, 5, live, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (tori_saved_live (saved, &to, 1, 5, live, &err), -1);
    assert_int_equal (tori_saved_send (saved, 0, 1, 1, 3, NULL), 0);
    assert_int_equal (tori_saved_live (saved, NULL, 0, 5, live, &err), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal (live[i], i == 3);
    tori_saved_destroy (saved);
    tori_drain_release (drain);
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
TEST (a_lost_packet_is_noticed)
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

TEST (a_lost_packet_never_terminates)
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
