/* Messages in the network: held against a network of queues of flits, and what
 * any network must keep. */
#include "naive_net.h"

#include <stdlib.h>
#include <string.h>

#include "router.h"

static void check (const tori_net *net)
{
    tori_error err;
    if (tori_net_check (net, &err) < 0)
        fail_msg ("%s", err.text);
}

static tori_net *make_net (const tori_machine *machine,
                           const tori_net_config *config)
{
    tori_net *net = NULL;
    tori_error err;
    if (tori_net_create (machine, config, &net, &err) < 0)
        fail_msg ("%s", err.text);
    return net;
}

static void post (tori_net *net, uint32_t src, uint32_t dst, uint32_t flits,
                  uint64_t tag)
{
    tori_error err;
    if (tori_net_send (net, src, dst, flits, tag, &err) < 0)
        fail_msg ("%s", err.text);
}

/* A configuration that is allowed on the machine, now and then as small as
 * can be. */
static tori_net_config random_config (struct rng *rng,
                                      const tori_machine *machine)
{
    tori_net_config config = {.size = sizeof config,
        .switching = chance (rng, 50) ? TORI_CUT_THROUGH : TORI_WORMHOLE,
        .routing = chance (rng, 40) ? TORI_ADAPTIVE : TORI_DIMENSION_ORDER,
        .buffer = between (rng, 1, chance (rng, 50) ? 2 : 9),
        .width = chance (rng, 70) ? 1 : between (rng, 1, 4)};
    tori_net *net;
    while (tori_net_create (machine,
                            &(tori_net_config){.size = sizeof (tori_net_config), .routing = config.routing,
                                               .vcs = config.vcs + 1},
                            &net, NULL)
           < 0)
        config.vcs++;
    tori_net_destroy (net);
    config.vcs += 1 + (chance (rng, 50) ? between (rng, 0, 2) : 0);
    if (config.switching == TORI_WORMHOLE && chance (rng, 50))
        config.packet = between (rng, 1, 20);
    if (config.switching == TORI_CUT_THROUGH && chance (rng, 50))
        config.packet = between (rng, 1, config.buffer);
    return config;
}

/* ---- the same as queues of flits ---- */

static void compare_deliveries (tori_net *net, const struct naive_net *naive)
{
    tori_net_message message;
    while (tori_net_receive (net, &message)) {
        assert_int_equal (naive_net_delivered (naive, message.tag),
                          message.delivered);
        assert_true (message.delivered
                     >= message.sent + message.hops + 1);
    }
}

static void compare_with_naive (struct rng *rng, const tori_machine *machine,
                                const tori_net_config *config)
{
    tori_net *net = make_net (machine, config);
    struct naive_net *naive = naive_net_create (net);
    uint32_t nodes = tori_machine_nodes (machine);
    unsigned percent = between (rng, 5, 100);
    uint64_t tag = 0;
    for (int i = 0; i < 60 || tori_net_pending (net) > 0; i++) {
        for (uint32_t s = 0; s < nodes && i < 60; s++)
            if (chance (rng, percent)) {
                uint32_t dst = between (rng, 0, nodes - 1);
                uint32_t flits = between (rng, 1, chance (rng, 50) ? 1 : 12);
                post (net, s, dst, flits, tag++);
                naive_net_send (naive, s, dst, flits);
            }
        tori_net_step (net);
        naive_net_step (naive);
        check (net);
        compare_deliveries (net, naive);
        assert_true (i < 100000);
    }
    for (uint64_t i = 0; i < tag; i++)
        assert_true (naive_net_delivered (naive, i) > 0);
    naive_net_destroy (naive);
    tori_net_destroy (net);
}

TEST (naive)
{
    struct rng rng = seeded (1);
    for (int i = 0; i < 120; i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 12);
        tori_net_config config = random_config (&rng, machine);
        compare_with_naive (&rng, machine, &config);
    }
}

/* ---- no deadlock, nothing lost, when everybody sends at once ---- */

static void fill (tori_net *net, struct rng *rng, int each)
{
    uint32_t nodes = tori_machine_nodes (tori_net_machine (net));
    for (int i = 0; i < each; i++)
        for (uint32_t s = 0; s < nodes; s++)
            post (net, s, between (rng, 0, nodes - 1), between (rng, 1, 24),
                  0);
}

/* Links carry no more than their width a cycle. */
static void check_widths (const tori_net *net, uint64_t before[])
{
    tori_net_link link;
    for (size_t i = 0; tori_net_link_at (net, i, &link); i++) {
        assert_true (link.flits - before[i]
                     <= tori_net_configuration (net)->width);
        before[i] = link.flits;
    }
}

static void expect_drained (tori_net *net)
{
    tori_net_stats stats;
    tori_net_message message;
    size_t n = 0;
    assert_true (tori_net_idle (net));
    assert_int_equal (tori_net_pending (net), 0);
    assert_int_equal (tori_net_flits (net), 0);
    tori_net_job_stats (net, 0, &stats);
    assert_int_equal (stats.sent, stats.delivered);
    assert_int_equal (stats.flits_sent, stats.flits_delivered);
    while (tori_net_receive (net, &message))
        n++;
    assert_int_equal (n, stats.delivered);
}

TEST (saturation)
{
    struct rng rng = seeded (2);
    for (int i = 0; i < 150; i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 100);
        tori_net_config config = random_config (&rng, machine);
        tori_net *net = make_net (machine, &config);
        uint64_t *before =
            make_array (tori_net_links (net), sizeof *before);
        fill (net, &rng, 6);
        while (!tori_net_idle (net)) {
            tori_net_step (net);
            check_widths (net, before);
            if (i % 10 == 0)
                check (net);
        }
        expect_drained (net);
        check (net);
        free (before);
        tori_net_destroy (net);
    }
}

/* ---- alone, a message takes its hops and its flits ---- */

TEST (zero_load)
{
    struct rng rng = seeded (3);
    for (int i = 0; i < 300; i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 4, 200);
        tori_net_config config = random_config (&rng, machine);
        uint32_t nodes = tori_machine_nodes (machine), flits;
        uint32_t src = between (&rng, 0, nodes - 1);
        uint32_t dst = between (&rng, 0, nodes - 1);
        uint64_t begin = between (&rng, 0, 1000);
        tori_net_message message;
        tori_net *net;
        config.buffer += 2 * config.width;
        config.packet = 0;
        flits = between (&rng, 1, config.buffer);
        net = make_net (machine, &config);
        tori_net_run (net, begin, false);
        assert_int_equal (tori_net_time (net), begin);
        post (net, src, dst, flits, 7);
        tori_net_run (net, UINT64_MAX, true);
        assert_true (tori_net_receive (net, &message));
        assert_int_equal (message.tag, 7);
        assert_int_equal (message.sent, begin);
        assert_int_equal (message.entered, begin);
        assert_int_equal (message.hops,
                          tori_machine_distance (machine, src, dst));
        assert_int_equal (message.delivered - begin,
                          message.hops
                              + (flits + config.width - 1) / config.width);
        assert_int_equal (message.blocked, 0);
        assert_int_equal (tori_net_flit_hops (net),
                          (uint64_t)flits * message.hops);
        assert_false (tori_net_receive (net, &message));
        tori_net_destroy (net);
    }
}

/* A buffer of one flit takes a cycle to fill and one to be known empty. */
TEST (small_buffer)
{
    AUTO_MACHINE *machine = make_machine ("mesh:5");
    tori_net_config config = {.size = sizeof config, .vcs = 1, .buffer = 1};
    tori_net *net = make_net (machine, &config);
    tori_net_message message;
    post (net, 0, 4, 6, 0);
    tori_net_run (net, UINT64_MAX, true);
    assert_true (tori_net_receive (net, &message));
    assert_int_equal (message.delivered, 4 + 1 + 2 * (6 - 1));
    tori_net_destroy (net);
}

/* ---- order within a pair ---- */

TEST (order)
{
    struct rng rng = seeded (4);
    for (int i = 0; i < 60; i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 40);
        tori_net_config config = random_config (&rng, machine);
        uint32_t nodes = tori_machine_nodes (machine);
        uint64_t *last = make_array ((size_t)nodes * nodes, sizeof *last);
        tori_net_message message;
        tori_net *net;
        config.routing = TORI_DIMENSION_ORDER;
        net = make_net (machine, &config);
        for (uint64_t tag = 1; tag <= 2000; tag++)
            post (net, between (&rng, 0, nodes - 1),
                  between (&rng, 0, nodes - 1), between (&rng, 1, 10), tag);
        tori_net_run (net, UINT64_MAX, false);
        while (tori_net_receive (net, &message)) {
            size_t pair = (size_t)message.src * nodes + message.dst;
            assert_true (message.tag > last[pair]);
            last[pair] = message.tag;
        }
        assert_int_equal (tori_net_pending (net), 0);
        free (last);
        tori_net_destroy (net);
    }
}

/* ---- switching ---- */

/* On a line, a long packet is held up at its destination by another one. A
 * worm stands across the links behind it, and who wants only one of these
 * waits; cut through, the packet is in one buffer. */
static uint64_t time_of_bystander (tori_switching switching)
{
    AUTO_MACHINE *machine = make_machine ("mesh:5x2");
    tori_net_config config = {.size = sizeof config, .switching = switching, .vcs = 1, .buffer = 16};
    tori_net_message message;
    tori_net *net;
    uint64_t answer = 0;
    if (switching == TORI_WORMHOLE)
        config.buffer = 2;
    net = make_net (machine, &config);
    for (int i = 0; i < 8; i++)
        post (net, 9, 8, 16, 0); /* 4,1 keeps the way out of 4,0 busy */
    tori_net_run (net, 2, false);
    post (net, 0, 8, 16, 0);
    tori_net_run (net, 20, false);
    post (net, 2, 4, 1, 1);
    while (answer == 0) {
        tori_net_run (net, UINT64_MAX, true);
        while (tori_net_receive (net, &message))
            if (message.tag == 1)
                answer = message.delivered - message.sent;
    }
    tori_net_destroy (net);
    return answer;
}

TEST (switching)
{
    assert_int_equal (time_of_bystander (TORI_CUT_THROUGH), 2);
    assert_true (time_of_bystander (TORI_WORMHOLE) > 10);
}

/* ---- jobs ---- */

TEST (jobs)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_net *net = make_net (machine, NULL);
    tori_net_stats stats;
    tori_error err;
    uint32_t right[] = {2, 3}, beyond[] = {4};
    assert_int_equal (tori_net_assign (net, 3, right, 2, &err), 0);
    assert_int_equal (tori_net_assign (net, 1, beyond, 1, &err), -1);
    assert_int_equal (tori_net_assign (net, TORI_NET_MAX_JOBS, right, 2, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (tori_net_job (net, 3), 3);
    assert_int_equal (tori_net_send (net, 1, 2, 1, 0, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    post (net, 2, 3, 5, 0);
    post (net, 1, 0, 4, 0);
    post (net, 1, 0, 4, 0);
    tori_net_run (net, UINT64_MAX, false);
    tori_net_job_stats (net, 3, &stats);
    assert_int_equal (stats.delivered, 1);
    assert_int_equal (stats.flits_delivered, 5);
    assert_int_equal (stats.latency, 6);
    tori_net_job_stats (net, 0, &stats);
    assert_int_equal (stats.delivered, 2);
    assert_int_equal (stats.latency, 5 + 9);
    assert_int_equal (stats.waited, 4);
    assert_int_equal (stats.hops, 2);
    tori_net_reset_counts (net);
    tori_net_job_stats (net, 0, &stats);
    assert_int_equal (stats.delivered, 0);
    check (net);
    tori_net_destroy (net);
}

/* ---- links ---- */

TEST (links)
{
    static const struct {
        const char *machine;
        size_t links;
    } rows[] = {{"mesh:4", 6},       {"torus:4", 8},   {"torus:2", 4},
                {"mesh:2", 2},       {"mesh:1", 0},    {"torus:1x3", 6},
                {"torus:8x8", 256},  {"mesh:2^10", 10240},
                {"multitorus:4", 6}, {"mesh:3x3", 24}};
    for (size_t i = 0; i < LENGTH (rows); i++) {
        AUTO_MACHINE *machine = make_machine (rows[i].machine);
        tori_net *net = make_net (machine, NULL);
        tori_net_link link;
        assert_int_equal (tori_net_links (net), rows[i].links);
        for (size_t j = 0; j < rows[i].links; j++) {
            assert_true (tori_net_link_at (net, j, &link));
            assert_int_equal (
                tori_machine_distance (machine, link.from, link.to), 1);
            assert_true (link.step == 1 || link.step == -1);
        }
        assert_false (tori_net_link_at (net, rows[i].links, &link));
        tori_net_destroy (net);
    }
}

/* Half way round, ties go either way, so that every link carries the same:
 * also the two of two nodes, if there is another dimension. */
TEST (ties)
{
    static const char *const machines[] = {"torus:8", "torus:4x12",
                                           "torus:2x2", "torus:2^4",
                                           "torus:6x6"};
    for (size_t i = 0; i < LENGTH (machines); i++) {
        AUTO_MACHINE *machine = make_machine (machines[i]);
        uint32_t nodes = tori_machine_nodes (machine);
        tori_net *net = make_net (machine, NULL);
        tori_net_link link;
        for (uint32_t src = 0; src < nodes; src++)
            for (uint32_t dst = 0; dst < nodes; dst++)
                post (net, src, dst, 1, 0);
        tori_net_run (net, UINT64_MAX, false);
        for (size_t j = 0; tori_net_link_at (net, j, &link); j++) {
            uint32_t size = tori_machine_size (machine, link.dim);
            /* Each way: 1 + 2 + ... + size/2 - 1 hops and half of size/2. */
            assert_int_equal (link.flits, nodes * size / 8);
        }
        tori_net_destroy (net);
    }
}

/* ---- refusals ---- */

static void expect_refused (const char *text, tori_net_config config,
                            const char *what)
{
    AUTO_MACHINE *machine = make_machine (text);
    tori_net *net = NULL;
    tori_error err = {0};
    assert_int_equal (tori_net_create (machine, &config, &net, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_null (net);
    assert_non_null (strstr (err.text, what));
}

TEST (refusals)
{
    tori_net_config config = {.size = sizeof config, .vcs = 1};
    expect_refused ("torus:4x3", config, "at least 2");
    config.vcs = 2;
    config.routing = TORI_ADAPTIVE;
    expect_refused ("torus:4x3", config, "at least 3");
    config.vcs = 13;
    expect_refused ("torus:4x3", config, "at most 8");
    expect_refused ("mesh:2000x2000", (tori_net_config){.size = sizeof (tori_net_config)}, "at most");
    expect_refused ("mesh:4",
                    (tori_net_config){.size = sizeof (tori_net_config), .switching = TORI_CUT_THROUGH,
                                      .packet = 9},
                    "does not fit");
    expect_refused ("mesh:4", (tori_net_config){.size = sizeof (tori_net_config), .width = 65}, "at most 64");
}
