/* Jobs that send messages: patterns, phases, rates, and jobs side by side. */
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "gaps.h"
#include "support.h"
#include "targets.h"

static tori_traffic_result play (const tori_traffic_config *config)
{
    tori_traffic_result result;
    tori_error err;
    if (tori_traffic_run (config, &result, &err) < 0)
        fail_msg ("%s", err.text);
    return result;
}

/* A job on all nodes of a box. */
static tori_traffic_job make_job (const tori_machine *machine,
                                  const tori_box *box, const char *pattern)
{
    uint32_t n = (uint32_t)tori_shape_volume (&box->shape);
    uint32_t *nodes = make_array (n, sizeof *nodes);
    tori_box_nodes (machine, box, nodes);
    return (tori_traffic_job){.nodes = nodes,
                              .n = n,
                              .shape = &box->shape,
                              .pattern = pattern ? tori_pattern_find (pattern)
                                                 : TORI_TRAFFIC_NEIGHBOUR};
}

static void free_job (tori_traffic_job *job)
{
    free ((void *)(uintptr_t)job->nodes);
}

static tori_box whole (const tori_machine *machine)
{
    tori_box box = {.shape = *tori_machine_shape (machine)};
    return box;
}

/* One job that has all of a machine. */
struct alone {
    tori_machine *machine;
    tori_box box;
    tori_traffic_job job;
    tori_traffic_config config;
};

static void alone_open (struct alone *alone, const char *machine,
                        const char *pattern)
{
    alone->machine = make_machine (machine);
    alone->box = whole (alone->machine);
    alone->job = make_job (alone->machine, &alone->box, pattern);
    alone->config = (tori_traffic_config){.size = sizeof (tori_traffic_config),
        .machine = alone->machine, .jobs = &alone->job, .njobs = 1};
}

static void alone_close (struct alone *alone)
{
    free_job (&alone->job);
    tori_machine_destroy (alone->machine);
}

/* ---- to whom ---- */

TEST (neighbours)
{
    struct rng rng = seeded (1);
    for (int i = 0; i < 50; i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 60);
        tori_box box = whole (machine);
        tori_traffic_job job = make_job (machine, &box, NULL);
        uint32_t *target = make_array (job.n, sizeof *target);
        unsigned *received = make_array (job.n, sizeof *received);
        uint64_t phases = targets_phases (&job);
        assert_int_equal (phases, job.n > 1 ? 2 * box.shape.ndims : 0);
        for (uint64_t p = 0; p < phases; p++) {
            targets_fill (&job, p, 1, target);
            for (uint32_t r = 0; r < job.n; r++) {
                uint32_t a[TORI_MAX_DIMS], b[TORI_MAX_DIMS];
                received[target[r]]++;
                tori_machine_coords (machine, r, a);
                tori_machine_coords (machine, target[r], b);
                for (int d = 0; d < box.shape.ndims; d++) {
                    uint32_t size = box.shape.size[d];
                    uint32_t by = p % 2 ? size - 1 : 1;
                    if (d == (int)p / 2)
                        assert_int_equal (b[d], (a[d] + by) % size);
                    else
                        assert_int_equal (b[d], a[d]);
                }
            }
        }
        for (uint32_t r = 0; r < job.n; r++)
            assert_int_equal (received[r], phases);
        free (target);
        free (received);
        free_job (&job);
    }
}

TEST (transpose)
{
    struct alone alone;
    uint32_t target[18];
    alone_open (&alone, "mesh:3x2x3", "transpose");
    targets_fill (&alone.job, 0, 1, target);
    for (uint32_t r = 0; r < 18; r++) {
        uint32_t a[3], b[3];
        tori_machine_coords (alone.machine, r, a);
        tori_machine_coords (alone.machine, target[r], b);
        assert_int_equal (a[0], b[2]);
        assert_int_equal (a[1], b[1]);
        assert_int_equal (a[2], b[0]);
    }
    alone_close (&alone);
}

/* ---- closed traffic ---- */

/* A ring of four nodes on a torus of four: a hop and four flits a phase, and
 * no phase before the last message of the one before. */
TEST (phases)
{
    struct alone alone;
    tori_traffic_result result;
    alone_open (&alone, "torus:4", "ring");
    alone.job.flits = 4;
    alone.job.rounds = 3;
    result = play (&alone.config);
    assert_int_equal (result.jobs[0].messages, 12);
    assert_int_equal (result.jobs[0].flits, 48);
    assert_int_equal (result.jobs[0].finish, 3 * (1 + 4));
    assert_int_equal (result.jobs[0].latency.max, 5);
    assert_true (result.jobs[0].latency.mean == 5);
    assert_true (result.jobs[0].blocked == 0 && result.jobs[0].hops == 1);
    assert_int_equal (result.flit_hops, 48);
    assert_int_equal (result.nlinks, 8);
    for (size_t i = 0; i < result.nlinks; i++)
        assert_int_equal (result.links[i].flits,
                          result.links[i].step > 0 ? 12 : 0);
    tori_traffic_clear (&result);
    alone_close (&alone);
}

/* Every pattern ends, on every machine, and each message arrives. */
TEST (patterns)
{
    struct rng rng = seeded (2);
    for (int i = 0; i < 30; i++) {
        AUTO_MACHINE *machine = random_machine (&rng, 3, 40);
        tori_box box = whole (machine);
        const tori_pattern_info *info;
        for (size_t p = 0; (info = tori_pattern_list (p)); p++) {
            tori_traffic_job job = make_job (machine, &box, info->name);
            tori_traffic_config config = {.size = sizeof config, .machine = machine, .jobs = &job,
                                          .njobs = 1, .seed = 5};
            uint32_t *target = make_array (job.n, sizeof *target);
            tori_traffic_result result;
            uint64_t expected = 0;
            job.rounds = 2;
            job.flits = between (&rng, 1, 9);
            result = play (&config);
            for (uint64_t q = 0; q < 2 * targets_phases (&job); q++) {
                targets_fill (&job, q, 5, target);
                for (uint32_t r = 0; r < job.n; r++)
                    expected += target[r] != r;
            }
            assert_int_equal (result.jobs[0].messages, expected);
            assert_false (result.jobs[0].saturated);
            tori_traffic_clear (&result);
            free (target);
            free_job (&job);
        }
    }
}

TEST (list)
{
    struct alone alone;
    const tori_traffic_message list[] = {
        {0, 3, 2, 5}, {3, 0, 1, 5}, {1, 2, 1, 100}};
    tori_traffic_result result;
    tori_error err;
    alone_open (&alone, "mesh:4", "ring");
    alone.job.pattern = TORI_TRAFFIC_LIST;
    alone.job.list = list;
    alone.job.nlist = 3;
    result = play (&alone.config);
    assert_int_equal (result.jobs[0].messages, 3);
    assert_int_equal (result.jobs[0].finish, 100 + 2);
    assert_int_equal (result.jobs[0].latency.max, 5);
    assert_int_equal (result.jobs[0].latency.p50, 4);
    tori_traffic_clear (&result);
    alone.config.rate = 0.1;
    assert_int_equal (tori_traffic_run (&alone.config, &result, &err), -1);
    alone.config.rate = 0;
    alone.job.list = (const tori_traffic_message[]){{0, 3, 2, 5}, {0, 1, 1, 4}};
    alone.job.nlist = 2;
    assert_int_equal (tori_traffic_run (&alone.config, &result, &err), -1);
    assert_non_null (strstr (err.text, "message 2"));
    alone_close (&alone);
}

/* ---- jobs side by side ---- */

/* Boxes of a mesh do not disturb each other in dimension order: each job has
 * what it would have alone. */
TEST (apart)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8x8");
    tori_box boxes[] = {make_box (machine, "0,0/4x8"),
                        make_box (machine, "4,0/4x3"),
                        make_box (machine, "4,3/4x5")};
    tori_traffic_job jobs[] = {make_job (machine, &boxes[0], "all-to-all"),
                               make_job (machine, &boxes[1], "nbody"),
                               make_job (machine, &boxes[2], "random")};
    tori_traffic_config config = {.size = sizeof config, .machine = machine, .jobs = jobs,
                                  .njobs = 3};
    tori_traffic_result together, alone;
    for (int i = 0; i < 3; i++)
        jobs[i].flits = 6;
    together = play (&config);
    config.njobs = 1;
    for (int i = 0; i < 3; i++) {
        config.jobs = &jobs[i];
        alone = play (&config);
        assert_memory_equal (&alone.jobs[0], &together.jobs[i],
                             sizeof alone.jobs[0]);
        tori_traffic_clear (&alone);
        free_job (&jobs[i]);
    }
    tori_traffic_clear (&together);
}

/* Two halves of a line whose nodes alternate share its links, and both take
 * longer than alone. */
TEST (shared)
{
    AUTO_MACHINE *machine = make_machine ("mesh:16");
    uint32_t even[8], odd[8];
    tori_traffic_job jobs[2] = {
        {.nodes = even, .n = 8, .pattern = tori_pattern_find ("all-to-all")},
        {.nodes = odd, .n = 8, .pattern = tori_pattern_find ("all-to-all")}};
    tori_traffic_config config = {.size = sizeof config, .machine = machine, .jobs = jobs,
                                  .njobs = 2};
    tori_traffic_result together, alone;
    for (uint32_t i = 0; i < 8; i++) {
        even[i] = 2 * i;
        odd[i] = 2 * i + 1;
    }
    jobs[0].flits = jobs[1].flits = 8;
    together = play (&config);
    config.njobs = 1;
    alone = play (&config);
    assert_true (together.jobs[0].finish > alone.jobs[0].finish);
    assert_true (together.jobs[0].blocked > alone.jobs[0].blocked);
    tori_traffic_clear (&together);
    tori_traffic_clear (&alone);
}

/* ---- open traffic ---- */

static tori_traffic_result play_open (const char *text, const char *pattern,
                                      double rate, uint64_t warmup,
                                      uint64_t cycles, uint64_t seed,
                                      uint32_t flits)
{
    struct alone alone;
    tori_traffic_result result;
    alone_open (&alone, text, pattern);
    alone.job.flits = flits;
    alone.config.rate = rate;
    alone.config.warmup = warmup;
    alone.config.cycles = cycles;
    alone.config.seed = seed;
    result = play (&alone.config);
    alone_close (&alone);
    return result;
}

static tori_traffic_result play_random (const char *text, double rate,
                                        uint64_t seed, uint32_t flits)
{
    return play_open (text, "random", rate, 500, 4000, seed, flits);
}

static bool near (double a, double b, double part)
{
    return a > b * (1 - part) && a < b * (1 + part);
}

TEST (rate)
{
    tori_traffic_result r = play_random ("torus:4x4", 0.25, 1, 4);
    tori_traffic_result again = play_random ("torus:4x4", 0.25, 1, 4);
    tori_traffic_result other = play_random ("torus:4x4", 0.25, 2, 4);
    uint64_t carried = 0;
    assert_memory_equal (r.jobs, again.jobs, sizeof *r.jobs);
    assert_memory_equal (r.links, again.links, r.nlinks * sizeof *r.links);
    assert_memory_not_equal (r.jobs, other.jobs, sizeof *r.jobs);
    assert_int_equal (r.measured, 4000);
    assert_false (r.jobs[0].saturated);
    assert_true (near (r.jobs[0].offered, 0.25, 0.05));
    assert_true (near (r.jobs[0].accepted, r.jobs[0].offered, 0.02));
    /* The mean distance of two nodes of torus:4x4 is 32/15. */
    assert_true (near (r.jobs[0].hops, 32.0 / 15, 0.03));
    for (size_t i = 0; i < r.nlinks; i++)
        carried += r.links[i].flits;
    assert_true (near ((double)carried,
                       r.jobs[0].accepted * 16 * 4000 * 32 / 15, 0.05));
    tori_traffic_clear (&r);
    tori_traffic_clear (&again);
    tori_traffic_clear (&other);
}

/* A gap of k with chance (1 - q)^k q: how often those of 0, 1 and 2 come, and
 * the mean, also where gaps are longer than the table. */
TEST (gaps)
{
    static const double chances[] = {1, 0.9, 0.5, 0.2, 0.05, 0.002};
    enum { DRAWS = 200000 };
    for (size_t i = 0; i < LENGTH (chances); i++) {
        double q = chances[i], sum = 0, expected = q;
        uint64_t seen[3] = {0};
        struct gaps gaps;
        struct rng rng;
        rng_seed (&rng, 1, i);
        gaps_prepare (&gaps, q);
        for (int draw = 0; draw < DRAWS; draw++) {
            uint64_t gap = gaps_draw (&gaps, &rng);
            sum += (double)gap;
            if (gap < 3)
                seen[gap]++;
        }
        assert_true (q == 1 ? sum == 0
                            : near (sum / DRAWS, (1 - q) / q, 0.02));
        for (int k = 0; k < 3; k++, expected *= 1 - q)
            assert_true (expected < 0.01
                         || near ((double)seen[k] / DRAWS, expected, 0.05));
    }
}

/* Little traffic: a message meets no other, and takes its hops and flits. */
TEST (light)
{
    tori_traffic_result r = play_random ("mesh:4x4", 0.005, 1, 5);
    assert_true (near (r.jobs[0].latency.mean, r.jobs[0].hops + 5, 0.02));
    assert_true (r.jobs[0].messages > 20);
    tori_traffic_clear (&r);
}

/* Half of the flits of a mesh cross its middle: on mesh:8x8, 8 links each way
 * for 64 x rate / 4, so that no more than half a flit a node a cycle can be.
 */
TEST (overload)
{
    tori_traffic_result r = play_random ("mesh:8x8", 0.9, 1, 4);
    assert_true (r.jobs[0].saturated);
    assert_true (r.jobs[0].accepted < 0.51);
    assert_true (r.jobs[0].accepted > 0.25);
    assert_true (r.jobs[0].waited > 100);
    for (size_t i = 0; i < r.nlinks; i++)
        assert_true (r.links[i].flits <= r.measured);
    tori_traffic_clear (&r);
}

/* Loads near the most that a network carries: what it cannot sustain shows in
 * that messages take longer and longer, whether all fall behind or only those
 * over one link, and whether it has been so for a short time or a long one. A
 * run too short to tell says nothing. */
TEST (growth)
{
    static const struct {
        const char *machine, *pattern;
        double rate;
        uint64_t warmup, cycles;
        bool saturated;
    } rows[] = {
        {"torus:8x8", "random", 0.01, 1000, 30, false},
        {"torus:8x8", "random", 0.01, 0, 1, false},
        {"torus:8x8", "random", 0.2, 0, 100, false},
        {"torus:8x8", "random", 0.4, 2500, 5000, false},
        {"torus:8x8", "random", 0.4, 2500, 20000, false},
        {"torus:8x8", "random", 0.47, 2500, 5000, true},
        {"torus:8x8", "random", 0.47, 2500, 20000, true},
        {"torus:8x8", "random", 0.47, 20000, 5000, true},
        {"mesh:8x8", "transpose", 0.13, 2500, 20000, false},
        {"mesh:8x8", "transpose", 0.16, 2500, 5000, true},
        {"mesh:8x8", "transpose", 0.16, 20000, 20000, true},
    };
    for (size_t i = 0; i < LENGTH (rows); i++) {
        tori_traffic_result r
            = play_open (rows[i].machine, rows[i].pattern, rows[i].rate,
                         rows[i].warmup, rows[i].cycles, 1, 8);
        if (r.jobs[0].saturated != rows[i].saturated)
            fail_msg ("row %zu: mean latency %g", i, r.jobs[0].latency.mean);
        assert_false (r.jobs[0].unfinished);
        tori_traffic_clear (&r);
    }
}

/* Closed traffic is never saturated. At the limit it is unfinished if anything
 * is left: messages under way, phases, or messages of a list to come. */
TEST (cut)
{
    struct alone alone;
    tori_traffic_config *config = &alone.config;
    tori_traffic_message list = {0, 1, 1, 10};
    alone_open (&alone, "torus:4", "ring");
    alone.job.flits = 4;
    alone.job.rounds = 2;
    for (config->limit = 1; config->limit < 13; config->limit++) {
        tori_traffic_result r = play (config);
        assert_int_equal (r.jobs[0].unfinished, config->limit < 10);
        assert_false (r.jobs[0].saturated);
        tori_traffic_clear (&r);
    }
    alone.job.pattern = TORI_TRAFFIC_LIST;
    alone.job.list = &list;
    alone.job.nlist = 1;
    for (config->limit = 9; config->limit < 14; config->limit++) {
        tori_traffic_result r = play (config);
        assert_int_equal (r.jobs[0].unfinished, config->limit < 12);
        tori_traffic_clear (&r);
    }
    alone_close (&alone);
}

/* ---- refusals ---- */

static void expect_invalid (const tori_traffic_config *config,
                            const char *what)
{
    tori_traffic_result result = {.njobs = 77};
    tori_error err = {0};
    assert_int_equal (tori_traffic_run (config, &result, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (result.njobs, 77);
    assert_non_null (strstr (err.text, what));
}

TEST (refusals)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    uint32_t a[] = {0, 1}, b[] = {1, 2}, c[] = {4};
    tori_traffic_job jobs[2] = {{.nodes = a, .n = 2}, {.nodes = b, .n = 2}};
    tori_traffic_config config = {.size = sizeof config, .machine = machine, .jobs = jobs,
                                  .njobs = 2};
    expect_invalid (&config, "job 2: node 1");
    jobs[1].nodes = c;
    jobs[1].n = 1;
    expect_invalid (&config, "job 2: node 4");
    jobs[1].n = 0;
    expect_invalid (&config, "no nodes");
    config.njobs = 1;
    config.rate = 1.5;
    expect_invalid (&config, "rate");
    config.rate = 0;
    jobs[0].pattern = TORI_TRAFFIC_NEIGHBOUR;
    expect_invalid (&config, "neighbours");
    jobs[0].pattern = 1000;
    expect_invalid (&config, "pattern");
    jobs[0].pattern = 0;
    config.net = &(tori_net_config){.size = sizeof (tori_net_config), .width = 1000};
    expect_invalid (&config, "at most");
}
