/* The fluid model: rates by the definition of max-min fairness, against a
 * naive filling, and whole runs against a naive model and by hand. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tori/fluid.h>
#include <tori/net.h>

#include "alarm.h"
#include "ends.h"
#include "share.h"

#define CLOSE 1e-9

/* ---- fair shares ---- */

enum { LINKS = 24, FLOWS = 60, ROUTE = 6 };

struct route {
    uint32_t link[ROUTE];
    size_t n; /* 0: not there */
    uint32_t number;
    double rate;
    bool fixed;
};

struct instance {
    struct share *share;
    uint32_t capacity[LINKS];
    size_t nlinks;
    struct route routes[FLOWS];
};

static void make_instance (struct rng *rng, struct instance *instance)
{
    memset (instance, 0, sizeof *instance);
    instance->nlinks = between (rng, 1, LINKS);
    for (size_t i = 0; i < instance->nlinks; i++)
        instance->capacity[i] = chance (rng, 50) ? 1 : between (rng, 1, 9);
    assert_int_equal (share_create (instance->capacity, instance->nlinks,
                                    &instance->share, NULL),
                      0);
}

/* The least capacity of a route's links. */
static uint32_t cap_of (const struct instance *instance,
                        const struct route *route)
{
    uint32_t cap = UINT32_MAX;
    for (size_t i = 0; i < route->n; i++)
        if (instance->capacity[route->link[i]] < cap)
            cap = instance->capacity[route->link[i]];
    return cap;
}

static void add_route (struct rng *rng, struct instance *instance,
                       struct route *route)
{
    uint32_t links = (uint32_t)instance->nlinks;
    size_t n = between (rng, 1, links < ROUTE ? links : ROUTE);
    route->n = 0;
    while (route->n < n) {
        uint32_t link = (uint32_t)rng_below (rng, links);
        bool there = false;
        for (size_t i = 0; i < route->n; i++)
            there |= route->link[i] == link;
        if (!there)
            route->link[route->n++] = link;
    }
    assert_int_equal (share_add (instance->share, route->link, route->n,
                                 cap_of (instance, route), &route->number,
                                 NULL),
                      0);
}

static bool uses (const struct route *route, size_t link)
{
    for (size_t i = 0; i < route->n; i++)
        if (route->link[i] == link)
            return true;
    return false;
}

/* All rates grow until a link is full; its flows stay; and so on. */
static void fill_naively (struct instance *instance)
{
    for (size_t f = 0; f < FLOWS; f++)
        instance->routes[f].fixed = instance->routes[f].n == 0;
    for (;;) {
        double least = INFINITY;
        size_t full = 0;
        for (size_t l = 0; l < instance->nlinks; l++) {
            double left = instance->capacity[l];
            size_t open = 0;
            for (size_t f = 0; f < FLOWS; f++) {
                const struct route *route = &instance->routes[f];
                if (!uses (route, l))
                    continue;
                if (route->fixed)
                    left -= route->rate;
                else
                    open++;
            }
            if (open && left / (double)open < least) {
                least = left / (double)open;
                full = l;
            }
        }
        if (least == INFINITY)
            return;
        for (size_t f = 0; f < FLOWS; f++) {
            struct route *route = &instance->routes[f];
            if (!route->fixed && uses (route, full)) {
                route->fixed = true;
                route->rate = least;
            }
        }
    }
}

static double rate_of (const struct instance *instance,
                       const struct route *route)
{
    return instance->share->flows[route->number].rate;
}

/* A link of the flow that is full and on which no flow is faster. */
static bool has_bottleneck (const struct instance *instance,
                            const struct route *route)
{
    for (size_t i = 0; i < route->n; i++) {
        double sum = 0, most = 0;
        for (size_t f = 0; f < FLOWS; f++) {
            const struct route *other = &instance->routes[f];
            if (!uses (other, route->link[i]))
                continue;
            sum += rate_of (instance, other);
            most = fmax (most, rate_of (instance, other));
        }
        assert_true (sum <= instance->capacity[route->link[i]] + CLOSE);
        if (sum >= instance->capacity[route->link[i]] - CLOSE
            && rate_of (instance, route) >= most - CLOSE)
            return true;
    }
    return false;
}

static void expect_fair (struct instance *instance)
{
    fill_naively (instance);
    for (size_t f = 0; f < FLOWS; f++) {
        const struct route *route = &instance->routes[f];
        if (route->n == 0)
            continue;
        assert_true (has_bottleneck (instance, route));
        assert_true (fabs (rate_of (instance, route) - route->rate) < CLOSE);
    }
}

/* Flows come and go, several at a time; only some rates are computed anew,
 * and all of them are fair. */
TEST (fair_by_definition)
{
    struct rng rng = seeded (1);
    for (int round = 0; round < 150; round++) {
        struct instance instance;
        make_instance (&rng, &instance);
        for (int step = 0; step < 40; step++) {
            for (uint32_t k = between (&rng, 1, 5); k > 0; k--) {
                struct route *route =
                    &instance.routes[rng_below (&rng, FLOWS)];
                if (route->n == 0) {
                    add_route (&rng, &instance, route);
                } else {
                    assert_int_equal (share_remove (instance.share,
                                                    route->number, NULL),
                                      0);
                    route->n = 0;
                }
            }
            assert_int_equal (share_fill (instance.share, NULL), 0);
            expect_fair (&instance);
        }
        share_destroy (instance.share);
    }
}

/* A change touches only the parts that are connected with it. */
TEST (far_away)
{
    static const uint32_t capacity[] = {1, 1, 1, 1};
    static const uint32_t a[] = {0, 1}, b[] = {1}, c[] = {2, 3}, d[] = {3};
    struct share *share;
    uint32_t number, last;
    assert_int_equal (share_create (capacity, 4, &share, NULL), 0);
    assert_int_equal (share_add (share, a, 2, 1, &number, NULL), 0);
    assert_int_equal (share_add (share, b, 1, 1, &number, NULL), 0);
    assert_int_equal (share_add (share, c, 2, 1, &number, NULL), 0);
    assert_int_equal (share_fill (share, NULL), 0);
    assert_int_equal (share->changed.n, 3);
    assert_int_equal (share_add (share, d, 1, 1, &last, NULL), 0);
    assert_int_equal (share_fill (share, NULL), 0);
    assert_int_equal (share->changed.n, 2);
    assert_true (share->flows[number].rate == 0.5);
    assert_int_equal (share_remove (share, last, NULL), 0);
    assert_int_equal (share_fill (share, NULL), 0);
    assert_int_equal (share->changed.n, 1);
    assert_true (share->flows[number].rate == 1);
    share_destroy (share);
}

/* ---- alarms ---- */

TEST (alarms_in_order)
{
    enum { ITEMS = 40 };
    struct alarms alarms = {0};
    int64_t time[ITEMS];
    struct rng rng = seeded (3);
    assert_int_equal (alarms_reserve (&alarms, ITEMS - 1, NULL), 0);
    for (int i = 0; i < ITEMS; i++)
        time[i] = INT64_MAX;
    for (int step = 0; step < 5000; step++) {
        uint32_t item = (uint32_t)rng_below (&rng, ITEMS), first = 0;
        time[item] = chance (&rng, 40) ? INT64_MAX : between (&rng, 0, 30);
        if (time[item] == INT64_MAX)
            alarms_drop (&alarms, item);
        else
            alarms_set (&alarms, item, time[item]);
        for (uint32_t i = 1; i < ITEMS; i++)
            if (time[i] < time[first])
                first = i;
        assert_true (alarms_next (&alarms) == time[first]);
        if (time[first] < INT64_MAX)
            assert_int_equal (alarms_first (&alarms), first);
    }
    alarms_clear (&alarms);
}

/* ---- ends ---- */

enum { MOST_FLOWS = 300 };

struct expected {
    int64_t end[MOST_FLOWS]; /* INT64_MAX: none */
    int64_t now;
    int last;
};

/* Flows end by number, those that are to and no others. */
static int expect_flow (void *arg, uint32_t flow, tori_error *err)
{
    struct expected *expected = arg;
    (void)err;
    assert_true ((int)flow > expected->last);
    assert_true (expected->end[flow] == expected->now);
    expected->last = (int)flow;
    expected->end[flow] = INT64_MAX;
    return 0;
}

static int64_t next_end (const struct expected *expected)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < MOST_FLOWS; i++)
        if (expected->end[i] < next)
            next = expected->end[i];
    return next;
}

/* Ends are set, put off and forward; all that end at a time come at once. */
TEST (ends_in_order)
{
    struct expected expected = {.now = 0};
    struct ends ends = {0};
    struct rng rng = seeded (11);
    for (int i = 0; i < MOST_FLOWS; i++)
        expected.end[i] = INT64_MAX;
    for (int step = 0; step < 2000; step++) {
        uint32_t most = step < 500 ? 50 : MOST_FLOWS;
        for (uint32_t k = between (&rng, 1, 20); k > 0; k--) {
            uint32_t flow = (uint32_t)rng_below (&rng, most);
            expected.end[flow] = expected.now + between (&rng, 0, 12);
            assert_int_equal (ends_reserve (&ends, flow, NULL), 0);
            ends_set (&ends, flow, expected.end[flow]);
        }
        expected.now = next_end (&expected);
        assert_true (ends_next (&ends) == expected.now);
        expected.last = -1;
        assert_int_equal (ends_take (&ends, expect_flow, &expected, NULL), 0);
        assert_true (next_end (&expected) > expected.now);
    }
    ends_clear (&ends);
}

/* ---- jobs by hand ---- */

struct stage {
    tori_machine *machine;
    tori_fluid *fluid;
};

static void set_up (struct stage *stage, const char *machine,
                    const tori_fluid_config *config)
{
    stage->machine = make_machine (machine);
    assert_int_equal (tori_fluid_create (stage->machine, config,
                                         &stage->fluid, NULL),
                      0);
}

static void tear_down (struct stage *stage)
{
    tori_fluid_destroy (stage->fluid);
    tori_machine_destroy (stage->machine);
}

static void start (struct stage *stage, uint64_t tag, const char *pattern,
                   const uint32_t *nodes, uint32_t n, int64_t time)
{
    tori_fluid_job job = {.nodes = nodes,
                          .n = n,
                          .pattern = tori_pattern_find (pattern),
                          .time = time,
                          .seed = tag};
    assert_int_equal (tori_fluid_start (stage->fluid, &job, tag, NULL), 0);
}

static void expect_end (struct stage *stage, uint64_t tag, int64_t time)
{
    uint64_t ended = 0;
    assert_int_equal (
        tori_fluid_run (stage->fluid, INT64_MAX, &ended, NULL), 1);
    assert_int_equal (ended, tag);
    assert_int_equal (tori_fluid_time (stage->fluid), time);
}

static void expect_rest (struct stage *stage)
{
    uint64_t tag;
    assert_int_equal (tori_fluid_run (stage->fluid, INT64_MAX, &tag, NULL),
                      0);
    assert_int_equal (tori_fluid_flows (stage->fluid), 0);
}

/* Two nodes at a distance exchange messages and share no link: the time that
 * was asked for. */
TEST (undisturbed)
{
    static const uint32_t pair[] = {0, 7}, row[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct stage stage;
    set_up (&stage, "mesh:8", NULL);
    start (&stage, 1, "ring", pair, 2, 100);
    expect_end (&stage, 1, 100);
    start (&stage, 2, "ring", row, 8, 77);
    expect_end (&stage, 2, 177);
    start (&stage, 3, "ring", row, 1, 5); /* nobody to talk to */
    start (&stage, 4, "transpose", row, 3, 6);
    start (&stage, 5, "ring", pair, 2, 0);
    expect_end (&stage, 5, 177);
    expect_end (&stage, 3, 182);
    expect_end (&stage, 4, 183);
    expect_rest (&stage);
    tear_down (&stage);
}

/* Two pairs on a line, 0 to 2 and 1 to 3, have the link 1-2 in common, each
 * way: half the speed while both are there. */
TEST (a_shared_link)
{
    static const uint32_t a[] = {0, 2}, b[] = {1, 3};
    struct stage stage;
    uint64_t tag;
    set_up (&stage, "mesh:4", NULL);
    start (&stage, 1, "ring", a, 2, 100);
    assert_int_equal (tori_fluid_run (stage.fluid, 40, &tag, NULL), 0);
    assert_int_equal (tori_fluid_time (stage.fluid), 40);
    start (&stage, 2, "ring", b, 2, 100);
    expect_end (&stage, 1, 160); /* 40 + 120 / 2 */
    expect_end (&stage, 2, 200); /* 60 + 40 */
    expect_rest (&stage);
    tear_down (&stage);
}

/* Two jobs on the same nodes send different ways, and share what these can
 * send: also if the second comes when messages of the first are under way. */
TEST (shared_nodes)
{
    static const uint32_t a[] = {1, 2, 3}, b[] = {1, 0, 3};
    struct stage stage;
    uint64_t tag;
    set_up (&stage, "mesh:4", NULL);
    start (&stage, 1, "ring", a, 2, 100);
    assert_int_equal (tori_fluid_run (stage.fluid, 40, &tag, NULL), 0);
    start (&stage, 2, "ring", b, 2, 100);
    expect_end (&stage, 1, 160); /* 40 + 120 / 2 */
    expect_end (&stage, 2, 200); /* 60 + 40 */
    start (&stage, 3, "ring", a, 2, 50);
    start (&stage, 4, "ring", b, 2, 50);
    expect_end (&stage, 3, 300);
    expect_end (&stage, 4, 300);
    expect_rest (&stage);
    tear_down (&stage);
}

/* Links that carry twice as much as a node sends are not shared by two. */
TEST (wide_links)
{
    static const uint32_t a[] = {0, 2}, b[] = {1, 3}, c[] = {0, 1, 2, 3};
    tori_fluid_config config = {.size = sizeof config, .link = 2, .node = 1};
    struct stage stage;
    set_up (&stage, "mesh:4", &config);
    start (&stage, 1, "ring", a, 2, 100);
    start (&stage, 2, "ring", b, 2, 90);
    expect_end (&stage, 2, 90);
    expect_end (&stage, 1, 100);
    start (&stage, 3, "complement", c, 4, 100);
    expect_end (&stage, 3, 200);
    tear_down (&stage);
}

/* On a line of four, all-to-all: by 1 nothing is shared; by 2, 0-2 and 1-3
 * share the link 1-2; by 3, 0-3 and the steps back, 1-0, 2-1 and 3-2, do not
 * meet. 30 + 60 + 30. A third of the messages is twice as slow. */
TEST (phases)
{
    static const uint32_t row[] = {0, 1, 2, 3};
    struct stage stage;
    set_up (&stage, "mesh:4", NULL);
    start (&stage, 1, "all-to-all", row, 4, 90);
    expect_end (&stage, 1, 120);
    assert_int_equal (tori_fluid_events (stage.fluid), 2 * 12);
    tear_down (&stage);
}

/* Latency is waited for at the end of each phase; a message may be given by
 * its length. */
TEST (latency)
{
    static const uint32_t row[] = {0, 1, 2, 3};
    tori_fluid_config config = {.size = sizeof config, .link = 2, .node = 2, .latency = 5};
    tori_fluid_job job = {.nodes = row,
                          .n = 4,
                          .pattern = tori_pattern_find ("all-to-all"),
                          .message = 60,
                          .rounds = 2};
    struct stage stage;
    set_up (&stage, "mesh:4", &config);
    assert_int_equal (tori_fluid_start (stage.fluid, &job, 9, NULL), 0);
    expect_end (&stage, 9, 2 * (30 + 15 + 60 + 10 + 30 + 15));
    tear_down (&stage);
}

/* Jobs that end together are told of as they were started. */
TEST (at_once)
{
    static const uint32_t a[] = {4, 5}, b[] = {0, 1}, c[] = {2, 3};
    struct stage stage;
    set_up (&stage, "mesh:8", NULL);
    start (&stage, 7, "ring", a, 2, 10);
    start (&stage, 6, "ring", b, 2, 10);
    start (&stage, 5, "complement", c, 1, 10);
    expect_end (&stage, 7, 10);
    expect_end (&stage, 6, 10);
    expect_end (&stage, 5, 10);
    tear_down (&stage);
}

TEST (refusals)
{
    static const uint32_t nodes[] = {0, 4};
    tori_fluid_job job = {.nodes = nodes, .n = 2};
    struct stage stage;
    tori_error err;
    set_up (&stage, "mesh:4", NULL);
    assert_int_equal (tori_fluid_start (stage.fluid, &job, 1, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    job.n = 0;
    assert_int_equal (tori_fluid_start (stage.fluid, &job, 1, &err), -1);
    job.n = 1;
    job.time = -1;
    assert_int_equal (tori_fluid_start (stage.fluid, &job, 1, &err), -1);
    job.time = 1;
    job.pattern = 1000;
    assert_int_equal (tori_fluid_start (stage.fluid, &job, 1, &err), -1);
    expect_rest (&stage);
    tear_down (&stage);
}

/* ---- whole runs ---- */

/* The links of a message's route, with its ways out of and into nodes; returns
 * how many. */
static size_t links_of (const tori_machine *machine, uint32_t src,
                        uint32_t dst, size_t links[])
{
    size_t ways = (size_t)(2 * tori_machine_ndims (machine) + 2), n = 0;
    links[n++] = src * ways + ways - 2;
    for (uint32_t at = src; at != dst;) {
        int dim, step;
        uint32_t next = tori_route_next (machine, src, at, dst, &dim, &step);
        links[n++] = at * ways + 2 * (size_t)dim + (step < 0);
        at = next;
    }
    links[n++] = dst * ways + ways - 1;
    return n;
}

enum { LONGEST = 80 };

/* No link carries more than it can, and each message under way has a
 * bottleneck. Returns the sum of all rates. */
static double expect_fair_network (const struct stage *stage)
{
    size_t n = tori_machine_nodes (stage->machine)
               * (size_t)(2 * tori_machine_ndims (stage->machine) + 2);
    double *sum = make_array (n, sizeof *sum), all = 0;
    double *most = make_array (n, sizeof *most);
    size_t link[LONGEST];
    tori_fluid_flow flow;
    for (size_t i = 0; tori_fluid_flow_at (stage->fluid, i, &flow); i++) {
        size_t hops = links_of (stage->machine, flow.src, flow.dst, link);
        all += flow.rate;
        for (size_t h = 0; h < hops; h++) {
            sum[link[h]] += flow.rate;
            most[link[h]] = fmax (most[link[h]], flow.rate);
        }
    }
    for (size_t i = 0; tori_fluid_flow_at (stage->fluid, i, &flow); i++) {
        size_t hops = links_of (stage->machine, flow.src, flow.dst, link);
        bool bottleneck = false;
        for (size_t h = 0; h < hops; h++) {
            assert_true (sum[link[h]] <= 1 + CLOSE);
            bottleneck |= sum[link[h]] >= 1 - CLOSE
                          && flow.rate >= most[link[h]] - CLOSE;
        }
        assert_true (bottleneck);
    }
    free (sum);
    free (most);
    return all;
}

static uint64_t count_messages (const tori_fluid_job *job)
{
    uint32_t *target = make_array (job->n, sizeof *target);
    uint64_t phases = tori_pattern_phases (job->pattern, job->n);
    uint64_t messages = 0;
    for (uint64_t p = 0; p < phases; p++) {
        tori_pattern_targets (job->pattern, job->n, p, job->seed, target);
        for (uint32_t r = 0; r < job->n; r++)
            messages += target[r] != r;
    }
    free (target);
    return messages;
}

/* A job on every `jobs`-th node from the j-th on; returns its messages. */
static uint64_t start_scattered (struct stage *stage, struct rng *rng,
                                 uint32_t j, uint32_t jobs, uint64_t message)
{
    uint32_t all = tori_machine_nodes (stage->machine);
    uint32_t *nodes = make_array (all, sizeof *nodes);
    tori_fluid_job job = {.nodes = nodes, .seed = j, .message = message};
    size_t patterns = 0;
    while (tori_pattern_list (patterns))
        patterns++;
    job.pattern = (int)rng_below (rng, patterns);
    for (uint32_t i = j; i < all; i += jobs)
        nodes[job.n++] = i;
    assert_int_equal (tori_fluid_start (stage->fluid, &job, j, NULL), 0);
    free (nodes);
    return count_messages (&job);
}

/* Tick by tick, rates times ticks add up to what was to be sent, but for the
 * last tick of each message, and all jobs end. */
TEST (nothing_is_lost)
{
    enum { MESSAGE = 60 };
    struct rng rng = seeded (5);
    for (int round = 0; round < 30; round++) {
        struct stage stage = {.machine = random_machine (&rng, 3, 32)};
        uint32_t jobs = between (&rng, 1, 4), ended = 0;
        uint64_t messages = 0, tag;
        double sent = 0, wanted;
        assert_int_equal (
            tori_fluid_create (stage.machine, NULL, &stage.fluid, NULL), 0);
        if (jobs > tori_machine_nodes (stage.machine))
            jobs = tori_machine_nodes (stage.machine);
        for (uint32_t j = 0; j < jobs; j++)
            messages += start_scattered (&stage, &rng, j, jobs, MESSAGE);
        for (int64_t time = 0; ended < jobs; time++) {
            while (tori_fluid_run (stage.fluid, time, &tag, NULL) == 1)
                ended++;
            sent += expect_fair_network (&stage);
        }
        wanted = MESSAGE * (double)messages;
        assert_true (sent >= wanted - (double)messages / 16 - 1e-6);
        assert_true (sent <= wanted + (double)messages);
        assert_int_equal (tori_fluid_events (stage.fluid), 2 * messages);
        expect_rest (&stage);
        tear_down (&stage);
    }
}

/* The same calls give the same times, to the tick, in whatever steps time
 * passes. */
TEST (steps_do_not_matter)
{
    struct rng rng;
    for (uint64_t seed = 0; seed < 20; seed++) {
        int64_t end[2][3];
        for (int way = 0; way < 2; way++) {
            struct stage stage;
            uint64_t tag, ended = 0;
            rng_seed (&rng, seed, 1);
            set_up (&stage, seed % 2 ? "torus:4x6" : "mesh:5x5", NULL);
            for (uint32_t j = 0; j < 3; j++)
                start_scattered (&stage, &rng, j, 3, 1000003);
            for (int64_t until = way ? INT64_MAX : 0; ended < 3;
                 until += way ? 0 : 70001)
                while (tori_fluid_run (stage.fluid, until, &tag, NULL) == 1) {
                    end[way][tag] = tori_fluid_time (stage.fluid);
                    ended++;
                }
            tear_down (&stage);
        }
        assert_memory_equal (end[0], end[1], sizeof end[0]);
    }
}
