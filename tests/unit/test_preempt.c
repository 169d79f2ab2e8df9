/* A saved state continues in another network as if nothing had been, and
 * processes that share a partition in turns send and hear what they would
 * alone. */
#include "talk.h"

#include <tori/preempt.h>

/* ---- another network ---- */

/* A state under way, with everything in it. */
static tori_saved *busy_state (struct world *w, struct process *p,
                               tori_drain_method method)
{
    tori_drain *drain;
    tori_saved *saved;
    run_slice (w, p, 120);
    drain_now (w, &(tori_drain_config){.size = sizeof (tori_drain_config), .method = method}, NULL, &drain);
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
    return saved;
}

static void resume (struct world *w, struct process *p, tori_saved *saved)
{
    tori_drain *drain;
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

TEST (another_network)
{
    for (size_t c = 0; c < NCASES; c++) {
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
        if (w.n < 3) {
            free_process (p);
            free_world (&w);
            free_world (&after);
            continue;
        }
        saved = busy_state (&w, p, method);
        free_world (&w);
        p->nodes = after.nodes;
        resume (&after, p, saved);
        if (method == TORI_DRAIN
            && cases[c].config.routing == TORI_DIMENSION_ORDER)
            assert_int_equal (p->reordered, 0);
        free_process (p);
        free_world (&after);
    }
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
TEST (turns_change_nothing)
{
    tori_machine *machine = make_machine ("mesh:2^6");
    tori_preempt_config config = {.size = sizeof config, .machine = machine,
                                  .net = &(tori_net_config){.size = sizeof (tori_net_config), .switching = TORI_CUT_THROUGH,
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
            assert_uint_in_range (drain->cycles, 1, drain->bound);
        }
        tori_preempt_clear (&alone);
        tori_preempt_clear (&shared);
        config.processes = 0;
    }
    tori_machine_destroy (machine);
}

/* If pairs have several messages under way, they change places when all falls
 * down, and not when it does not. */
TEST (falling_changes_order)
{
    tori_machine *machine = make_machine ("torus:6x6");
    tori_preempt_config config = {.size = sizeof config,
        .machine = machine,
        .net = &(tori_net_config){.size = sizeof (tori_net_config), .switching = TORI_CUT_THROUGH, .buffer = 16},
        .switches = 9,
        .partners = 1,
        .load = 0.5,
        .seed = 2};
    tori_preempt_result result = preempt (&config);
    assert_true (tori_preempt_kept (&result.processes[0]));
    tori_preempt_clear (&result);
    config.drain = &(tori_drain_config){.size = sizeof (tori_drain_config), .method = TORI_ALL_FALL_DOWN};
    result = preempt (&config);
    assert_true (result.processes[0].reordered > 0);
    tori_preempt_clear (&result);
    tori_machine_destroy (machine);
}
