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

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (termination),
        cmocka_unit_test (a_lost_packet_is_noticed),
        cmocka_unit_test (a_lost_packet_never_terminates),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
