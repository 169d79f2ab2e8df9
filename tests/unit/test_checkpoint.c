/* States of a network in files: what is read goes on as if nothing had been,
 * and what is damaged, forged or of another network is not read. */
#include "talk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tori/preempt.h>

#include "drain.h"

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

/* The file says what it is of. */
static void expect_described (const struct world *w, const char *path)
{
    const tori_net_config *is = tori_net_configuration (w->net);
    tori_net_config config;
    tori_box box;
    assert_int_equal (
        tori_saved_describe (w->machine, path, &config, &box, NULL), 0);
    expect_same_box (&box, &w->box);
    assert_int_equal (config.switching, is->switching);
    assert_int_equal (config.routing, is->routing);
    assert_int_equal (config.vcs, is->vcs);
    assert_int_equal (config.buffer, is->buffer);
    assert_int_equal (config.width, is->width);
    assert_int_equal (config.packet, is->packet);
}

static void restart (void **state)
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
        expect_described (&after, path);
        resume (&after, p, path);
        if (method == TORI_DRAIN
            && cases[c].config.routing == TORI_DIMENSION_ORDER)
            assert_int_equal (p->reordered, 0);
        unlink (path);
        free_process (p);
        free_world (&after);
    }
}

/* A state under way, and a file for it. */
struct shelf {
    struct world w;
    struct process *p;
    tori_saved *saved;
    char path[64];
};

static void open_shelf (struct shelf *shelf, const char *machine,
                        const char *box)
{
    shelf->w = make_world (machine, box, &cut_through);
    shelf->p = make_process (0, shelf->w.nodes, shelf->w.n, 40, 9, 1);
    shelf->saved = busy_state (&shelf->w, shelf->p, TORI_DRAIN);
    path_for (shelf->path);
}

static void close_shelf (struct shelf *shelf)
{
    unlink (shelf->path);
    tori_saved_destroy (shelf->saved);
    free_process (shelf->p);
    free_world (&shelf->w);
}

static void put (const struct shelf *shelf)
{
    assert_int_equal (tori_saved_write (shelf->saved, shelf->path, NULL), 0);
}

/* Whether the file is read as a state of the box. */
static bool is_read (const struct shelf *shelf, const tori_net *net,
                     const tori_box *box, tori_error *err)
{
    tori_saved *read;
    if (tori_saved_read (net, box, shelf->path, &read, err) < 0)
        return false;
    tori_saved_destroy (read);
    return true;
}

/* It is not, and why, in a line. */
static void expect_unread (const struct shelf *shelf, tori_status status)
{
    tori_error err = {0};
    tori_net_config config;
    tori_box box;
    if (tori_saved_describe (shelf->w.machine, shelf->path, &config, &box,
                             &err)
        < 0)
        assert_int_equal (err.status, status);
    assert_false (is_read (shelf, shelf->w.net, &shelf->w.box, &err));
    assert_int_equal (err.status, status);
    assert_null (strchr (err.text, '\n'));
}

/* A byte is changed, anywhere, or the file is cut short, or longer. */
static void damaged_files (void **state)
{
    struct shelf shelf;
    unsigned char *bytes;
    unsigned char empty[32] = {0}; /* a body of no bytes, whose sum is 0 */
    size_t n;
    open_shelf (&shelf, "mesh:3x2", "0,0/3x2");
    put (&shelf);
    bytes = slurp (shelf.path, &n);
    for (size_t i = 0; i < n; i += i < 64 ? 1 : 37) {
        bytes[i] ^= 0x11;
        spill (shelf.path, bytes, n);
        bytes[i] ^= 0x11;
        expect_unread (&shelf, TORI_INVALID);
        spill (shelf.path, bytes, i);
        expect_unread (&shelf, TORI_INVALID);
    }
    memcpy (empty, bytes, 20);
    spill (shelf.path, empty, sizeof empty);
    expect_unread (&shelf, TORI_INVALID);
    spill (shelf.path, bytes, n);
    assert_true (is_read (&shelf, shelf.w.net, &shelf.w.box, NULL));
    unlink (shelf.path);
    expect_unread (&shelf, TORI_FAILED);
    free (bytes);
    close_shelf (&shelf);
}

/* A word of the state that may be anything, for a while. */
static bool forge (const struct shelf *shelf, struct rng *rng)
{
    struct fabric *f = &shelf->saved->fabric;
    uint32_t l = between (rng, 0, f->nodes * lanes_of (f) - 1);
    struct buffer buffer = f->buffers[l];
    struct net_lane lane = f->lanes[l];
    struct packet packet = f->packets[0];
    uint32_t *word[] = {&f->buffers[l].count,   &f->buffers[l].packet,
                        &f->buffers[l].avail,   &f->buffers[l].left,
                        &f->buffers[l].missing, &f->buffers[l].head,
                        &f->lanes[l].credits,   &f->packets[0].next,
                        &f->packets[0].length,  &f->packets[0].message};
    uint32_t which = between (rng, 0, LENGTH (word) - 1);
    bool read;
    *word[which] = which == 0 || chance (rng, 50) ? between (rng, 0, 9)
                                                  : (uint32_t)rng_next (rng);
    put (shelf);
    read = is_read (shelf, shelf->w.net, &shelf->w.box, NULL);
    f->buffers[l] = buffer;
    f->lanes[l] = lane;
    f->packets[0] = packet;
    return read;
}

/* A right checksum does not make a state: numbers that cannot be are refused,
 * whichever they are, and nothing is read or written out of bounds. */
static void forged_files (void **state)
{
    struct shelf shelf;
    struct rng rng;
    unsigned refused = 0;
    rng_seed (&rng, 4, 4);
    open_shelf (&shelf, "mesh:3x2", "0,0/3x2");
    for (int i = 0; i < 300; i++)
        refused += !forge (&shelf, &rng);
    assert_true (refused > 100);
    shelf.saved->job = TORI_NET_MAX_JOBS;
    put (&shelf);
    expect_unread (&shelf, TORI_INVALID);
    close_shelf (&shelf);
}

static void foreign_files (void **state)
{
    static const tori_net_config other = {.switching = TORI_CUT_THROUGH,
                                          .buffer = 9};
    struct world machine = make_world ("torus:4x4", "0,0/4x4", &cut_through);
    struct world config = make_world ("mesh:4x4", "0,0/4x4", &other);
    struct shelf shelf;
    tori_box part;
    tori_error err;
    open_shelf (&shelf, "mesh:4x4", "0,0/4x4");
    part = make_box (shelf.w.machine, "0,0/2x4");
    put (&shelf);
    assert_false (is_read (&shelf, machine.net, &machine.box, &err));
    assert_non_null (strstr (err.text, "of mesh:4x4, not of torus:4x4"));
    assert_false (is_read (&shelf, config.net, &config.box, &err));
    assert_false (is_read (&shelf, shelf.w.net, &part, &err));
    assert_non_null (strstr (err.text, "another box"));
    spill (shelf.path, (const unsigned char *)"#!/bin/sh\n", 10);
    assert_false (is_read (&shelf, shelf.w.net, &shelf.w.box, &err));
    assert_non_null (strstr (err.text, "not a checkpoint"));
    close_shelf (&shelf);
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
