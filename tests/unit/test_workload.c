/* Workloads: what becomes of a log's records, load by stretching, draws, and
 * the Lublin-Feitelson model against its own distributions. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logtext.h"

static tori_workload workload_of (const char *text,
                                  const tori_machine *machine,
                                  const tori_workload_options *options)
{
    tori_workload workload;
    tori_error err;
    if (load_text (text, machine, options, &workload, &err) < 0)
        fail_msg ("%s", err.text);
    return workload;
}

/* A record: job, submit, runtime, procs, asked procs, asked time. */
#define JOB(id, submit, run, procs, asked, estimate)                          \
    #id " " #submit " -1 " #run " " #procs " -1 -1 " #asked " " #estimate     \
        " -1 -1 -1 -1 -1 -1 -1 -1 -1\n"

/* ---- records ---- */

TEST (usable_records)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8x8");
    tori_workload_options options = {.size = sizeof options};
    tori_workload w = workload_of (JOB (1, 0, 10, 4, -1, 20)
                                   JOB (2, 1, 10, 4, 6, 5)
                                   JOB (3, 2, 0, -1, 3, -1)
                                   JOB (4, 3, -1, 4, 4, 20)
                                   JOB (5, 4, 10, -1, -1, 20)
                                   JOB (6, 5, 10, 0, 0, 20)
                                   JOB (7, -1, 10, 4, 4, 20)
                                   JOB (8, 6.25, 1.5, 2, 0, 0),
                                   machine, &options);
    static const struct {
        int64_t id;
        double submit, runtime, estimate;
        uint32_t asked;
    } expected[] = {
        {1, 0, 10, 20, 4}, /* no size asked for: the one allocated */
        {2, 1, 10, 10, 6}, /* an estimate below the runtime */
        {3, 2, 0, 0, 3},   /* no estimate, no runtime */
        {8, 6.25, 1.5, 1.5, 2},
    };
    assert_int_equal (w.n, LENGTH (expected));
    assert_int_equal (w.unusable, 4);
    for (size_t i = 0; i < w.n; i++) {
        const tori_work *job = &w.jobs[i];
        assert_int_equal (job->id, expected[i].id);
        assert_true (job->submit == (tori_time)(expected[i].submit * 1e6));
        assert_true (job->runtime == (tori_time)(expected[i].runtime * 1e6));
        assert_true (job->estimate
                     == (tori_time)(expected[i].estimate * 1e6));
        assert_int_equal (job->asked, expected[i].asked);
        assert_int_equal (job->request.count, expected[i].asked);
        assert_int_equal (job->request.shape.ndims, 0);
        assert_int_equal (job->request.wiring, TORI_WIRE_NONE);
    }
    tori_workload_clear (&w);
    assert_null (w.jobs);
}

/* Requested: more than the run time, less, nothing. */
TEST (estimates)
{
    static const struct {
        tori_estimates rule;
        const char *name;
        double estimate[3];
    } cases[] = {
        {TORI_ESTIMATES_RAISED, "raised", {20, 10, 10}},
        {TORI_ESTIMATES_LOG, "log", {20, 5, 10}},
        {TORI_ESTIMATES_EXACT, "exact", {10, 10, 10}},
    };
    AUTO_MACHINE *machine = make_machine ("mesh:8x8");
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_workload_options options = {.size = sizeof options,
                                         .estimates = cases[i].rule};
        tori_workload w = workload_of (JOB (1, 0, 10, 4, 4, 20)
                                       JOB (2, 0, 10, 4, 4, 5)
                                       JOB (3, 0, 10, 4, 4, -1),
                                       machine, &options);
        assert_int_equal (w.n, 3);
        assert_int_equal (w.outlived, 1);
        assert_string_equal (tori_estimates_name (cases[i].rule),
                             cases[i].name);
        for (size_t j = 0; j < w.n; j++)
            assert_true (w.jobs[j].estimate
                         == (tori_time)(cases[i].estimate[j] * 1e6));
        tori_workload_clear (&w);
    }
    assert_null (tori_estimates_name ((tori_estimates)3));
}

TEST (requests)
{
    AUTO_MACHINE *machine = make_machine ("torus:8x8x8");
    tori_workload_options options = {
        .size = sizeof options,
        .shaping = TORI_SHAPE_FIRST_MATCH,
        .wiring = TORI_WIRE_MESH,
        .fixed = true,
        .wrap = true,
    };
    tori_workload w = workload_of (
        JOB (1, 0, 1, 7, 7, 1) JOB (2, 0, 1, 11, 11, 1)
            JOB (3, 0, 1, 512, 512, 1) JOB (4, 0, 1, 513, 513, 1)
                JOB (5, 0, 1, 4, 9223372036854775807, 1),
        machine, &options);
    char text[TORI_TEXT_MAX];
    assert_int_equal (w.n, 5);
    tori_shape_format (&w.jobs[0].request.shape, text);
    assert_string_equal (text, "1x1x7");
    /* Rounded up: the shape has more nodes than are asked for. */
    tori_shape_format (&w.jobs[1].request.shape, text);
    assert_string_equal (text, "1x2x6");
    assert_int_equal (w.jobs[1].request.count, 11);
    assert_int_equal (w.jobs[1].asked, 11);
    assert_true (w.jobs[1].request.fixed && w.jobs[1].request.wrap);
    assert_int_equal (w.jobs[1].request.wiring, TORI_WIRE_MESH);
    assert_int_equal (w.jobs[2].request.shape.ndims, 3);
    /* Larger than the machine: still there, still too large. */
    assert_int_equal (w.jobs[3].request.shape.ndims, 0);
    assert_int_equal (w.jobs[3].request.count, 513);
    assert_int_equal (w.jobs[4].request.shape.ndims, 0);
    assert_true (w.jobs[4].asked == UINT32_MAX);
    tori_workload_clear (&w);
}

/* Every job has the shape that its count has by itself, whatever the cache
 * of shapes went through. */
TEST (shapes_of_many_sizes)
{
    enum { JOBS = 5000 };
    AUTO_MACHINE *machine = make_machine ("torus:16x16x16");
    tori_workload_options options = {.size = sizeof options,
                                     .shaping = TORI_SHAPE_COMPACT};
    char *text = malloc (JOBS * 100), *p = text;
    struct rng rng = seeded (1);
    for (int i = 0; i < JOBS; i++)
        p += snprintf (p, 100, JOB (1, 0, 1, %u, -1, 1),
                       1 + (unsigned)rng_below (&rng, 4100));
    tori_workload w = workload_of (text, machine, &options);
    assert_int_equal (w.n, JOBS);
    for (size_t i = 0; i < w.n; i++) {
        tori_shape shape = {0};
        tori_shape_count (machine, TORI_SHAPE_COMPACT, w.jobs[i].asked,
                          &shape);
        assert_true (tori_shape_equal (&w.jobs[i].request.shape, &shape));
    }
    tori_workload_clear (&w);
    free (text);
}

TEST (scale)
{
    static const struct {
        int64_t num, den, per_node;
        uint32_t expected[3];
    } cases[] = {
        {0, 0, 0, {1, 5, 128}},
        {4, 1, 0, {4, 20, 512}},
        {3, 2, 0, {2, 8, 192}},
        {1, 3, 0, {1, 2, 43}},
        {0, 0, 4, {1, 2, 32}},
        {3, 2, 4, {1, 2, 48}},
        {INT64_MAX, 1, 0, {UINT32_MAX, UINT32_MAX, UINT32_MAX}},
        {INT64_MAX, INT64_MAX, INT64_MAX, {1, 1, 1}},
    };
    AUTO_MACHINE *machine = make_machine ("mesh:1024");
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_workload_options options = {
            .size = sizeof options,
            .scale_num = cases[i].num,
            .scale_den = cases[i].den,
            .procs_per_node = cases[i].per_node,
        };
        tori_workload w = workload_of (JOB (1, 0, 1, 1, -1, 1)
                                       JOB (2, 0, 1, 5, -1, 1)
                                       JOB (3, 0, 1, 128, -1, 1),
                                       machine, &options);
        for (size_t k = 0; k < 3; k++)
            assert_true (w.jobs[k].asked == cases[i].expected[k]);
        tori_workload_clear (&w);
    }
}

TEST (sorted_stably)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8");
    tori_workload_options options = {.size = sizeof options};
    tori_workload w = workload_of (JOB (1, 5, 1, 1, -1, 1)
                                   JOB (2, 3, 1, 1, -1, 1)
                                   JOB (3, 5, 1, 1, -1, 1)
                                   JOB (4, 0, 1, 1, -1, 1)
                                   JOB (5, 3, 1, 1, -1, 1)
                                   JOB (6, 3, 1, 1, -1, 1),
                                   machine, &options);
    static const int64_t order[] = {4, 2, 5, 6, 1, 3};
    assert_int_equal (w.n, LENGTH (order));
    for (size_t i = 0; i < w.n; i++)
        assert_int_equal (w.jobs[i].id, order[i]);
    tori_workload_clear (&w);
}

/* The first runnable records in the order of the log; what is behind them is
 * not read. */
TEST (limit)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8");
    tori_workload_options options = {.size = sizeof options, .limit = 2};
    tori_workload w = workload_of (JOB (1, 9, 1, 1, -1, 1)
                                   JOB (2, 8, -1, 1, -1, 1)
                                   JOB (3, 7, 1, 1, -1, 1)
                                   JOB (4, 0, 1, 1, -1, 1) "garbage\n",
                                   machine, &options);
    assert_int_equal (w.n, 2);
    assert_int_equal (w.unusable, 1);
    assert_int_equal (w.jobs[0].id, 3);
    assert_int_equal (w.jobs[1].id, 1);
    tori_workload_clear (&w);
}

/* ---- refusals ---- */

static void refuse (const char *text, const tori_workload_options *options,
                    const char *why)
{
    AUTO_MACHINE *machine = make_machine ("mesh:8x8");
    tori_workload workload = {.n = 77};
    tori_error err;
    assert_int_equal (load_text (text, machine, options, &workload, &err),
                      -1);
    assert_string_equal (err.text, why);
    assert_int_equal (err.status, TORI_INVALID);
    assert_int_equal (workload.n, 77);
}

TEST (refused_records)
{
    static const tori_workload_options options = {.size = sizeof options};
    refuse (JOB (1, 0, 1, 1, -1, 1) "hello\n", &options,
            "log:2: expected 18 fields, found 1");
    refuse (JOB (1, 0, 1, 1, -1, 1) JOB (2, 10000000001, 1, 1, -1, 1),
            &options,
            "log:2: submit time: expected at most 10000000000 seconds");
    refuse (JOB (1, 0, 10000000001, 1, -1, 1), &options,
            "log:1: run time: expected at most 10000000000 seconds");
    refuse (JOB (1, 0, 1, 1, -1, 9007199254740991), &options,
            "log:1: requested time: expected at most 10000000000 seconds");
}

/* Jobs of which none is too long, but all together are. */
TEST (too_much_time)
{
    enum { JOBS = 500 };
    tori_workload_options options = {.size = sizeof options};
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream (&text, &size);
    for (int i = 1; i <= JOBS; i++)
        fprintf (to, "%d" JOB (, 0, 1, 1, -1, 10000000000), i);
    assert_int_equal (fclose (to), 0);
    refuse (text, &options,
            "log: job 462: the times of the jobs up to this one add up to "
            "more than 4611686018427 seconds");
    free (text);
}

TEST (refused_options)
{
    static const struct {
        tori_workload_options options;
        const char *why;
    } cases[] = {
        {{.torus_fraction = 1.5}, "torus fraction 1.5: expected 0 to 1"},
        {{.count_fraction = -1}, "count fraction -1: expected 0 to 1"},
        {{.torus_fraction = -0.5}, "torus fraction -0.5: expected 0 to 1"},
        {{.torus_fraction = NAN}, "torus fraction nan: expected 0 to 1"},
        {{.load = -1}, "load -1: expected a number above 0"},
        {{.load = HUGE_VAL}, "load inf: expected a number above 0"},
        {{.scale_num = -1, .scale_den = 1},
         "scale -1/1: expected a number above 0"},
        {{.scale_num = 1}, "scale 1/0: expected a number above 0"},
        {{.scale_den = 2}, "scale 0/2: expected a number above 0"},
        {{.procs_per_node = -4},
         "processors per node -4: expected at least 1"},
        {{.load = 0.5},
         "log: no stretching of arrivals gives a load of 0.5: the jobs have"
         " no node-time or all arrive at once"},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_workload_options options = cases[i].options;
        options.size = sizeof options;
        refuse (JOB (1, 0, 1, 1, -1, 1), &options, cases[i].why);
    }
    refuse (JOB (1, 0, 1, 1, -1, 1) JOB (2, 90, 9, 1, -1, 1),
            TORI_WORKLOAD (.load = 1e-15),
            "log: a load of 1e-15 stretches arrivals beyond all time");
}

/* ---- load ---- */

TEST (offered)
{
    AUTO_MACHINE *machine = make_machine ("mesh:10");
    tori_workload_options options = {.size = sizeof options};
    /* (4 * 10 + 2 * 30) / (10 * 50); the last is larger than the machine. */
    tori_workload w = workload_of (JOB (1, 100, 10, 4, -1, 99)
                                   JOB (2, 150, 30, 2, -1, 99)
                                   JOB (3, 190, 30, 11, -1, 99),
                                   machine, &options);
    assert_true (w.offered == 0.2);
    assert_true (tori_workload_offered (&w, machine) == 0.2);
    tori_workload_clear (&w);
    w = workload_of (JOB (1, 5, 10, 4, -1, 99), machine, &options);
    assert_true (w.offered == 0);
    tori_workload_clear (&w);
    w = workload_of ("", machine, &options);
    assert_true (w.n == 0 && w.offered == 0);
    tori_workload_clear (&w);
}

static char *random_log (int jobs)
{
    char *text = malloc ((size_t)jobs * 120), *p = text;
    struct rng rng = seeded (3);
    unsigned submit = 1000;
    for (int i = 0; i < jobs; i++) {
        submit += (unsigned)rng_below (&rng, 1000);
        p += snprintf (p, 120, JOB (%d, %u, %u, %u, -1, -1), i + 1, submit,
                       (unsigned)rng_below (&rng, 10000),
                       1 + (unsigned)rng_below (&rng, 70));
    }
    return text;
}

static void assert_same_but_for_submit (const tori_work *a,
                                        const tori_work *b)
{
    assert_int_equal (a->id, b->id);
    assert_true (a->runtime == b->runtime && a->estimate == b->estimate);
    assert_int_equal (a->asked, b->asked);
    assert_int_equal (a->request.count, b->request.count);
    assert_true (tori_shape_equal (&a->request.shape, &b->request.shape));
    assert_int_equal (a->request.wiring, b->request.wiring);
}

/* Stretching moves arrivals and nothing else, in proportion. */
TEST (stretched)
{
    static const double loads[] = {0.05, 0.3, 0.9, 1, 2.5};
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    char *text = random_log (2000);
    tori_workload_options options = {.size = sizeof options,
                                     .wiring = TORI_WIRE_TORUS,
                                     .torus_fraction = 0.5};
    tori_workload plain = workload_of (text, machine, &options);
    for (size_t k = 0; k < LENGTH (loads); k++) {
        options.load = loads[k];
        tori_workload w = workload_of (text, machine, &options);
        double factor = plain.offered / loads[k];
        assert_int_equal (w.n, plain.n);
        assert_true (fabs (w.offered - loads[k]) < 1e-9);
        assert_true (w.offered == tori_workload_offered (&w, machine));
        for (size_t i = 0; i < w.n; i++) {
            tori_work job = w.jobs[i];
            double after = (double)(job.submit - plain.jobs[0].submit);
            double before = (double)(plain.jobs[i].submit
                                     - plain.jobs[0].submit);
            assert_true (fabs (after - before * factor) <= 1);
            assert_same_but_for_submit (&job, &plain.jobs[i]);
        }
        tori_workload_clear (&w);
    }
    tori_workload_clear (&plain);
    free (text);
}

/* ---- wiring ---- */

TEST (torus_fraction)
{
    static const double fractions[] = {0, 0.25, 0.5, 0.75, 1};
    enum { JOBS = 4000 };
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    bool torus[JOBS] = {false};
    char *text = random_log (JOBS);
    for (size_t k = 0; k < LENGTH (fractions); k++) {
        tori_workload_options options = {.size = sizeof options,
                                         .wiring = TORI_WIRE_TORUS,
                                         .torus_fraction = fractions[k],
                                         .seed = 5};
        tori_workload w = workload_of (text, machine, &options);
        size_t tori = 0;
        for (size_t i = 0; i < w.n; i++) {
            bool is_torus = w.jobs[i].request.wiring == TORI_WIRE_TORUS;
            if (!is_torus)
                assert_int_equal (w.jobs[i].request.wiring, TORI_WIRE_MESH);
            assert_true (is_torus || !torus[i]); /* once, then always */
            torus[i] = is_torus;
            tori += is_torus;
        }
        assert_true (fabs ((double)tori / JOBS - fractions[k]) < 0.04);
        tori_workload_clear (&w);
    }
    free (text);
}

/* Another seed makes other jobs tori; without shapes the same ones. */
TEST (draws_depend_on_seed)
{
    AUTO_MACHINE *machine = make_machine ("torus:8x8");
    char *text = random_log (1000);
    tori_workload_options options = {.size = sizeof options,
                                     .wiring = TORI_WIRE_TORUS,
                                     .torus_fraction = 0.5,
                                     .shaping = TORI_SHAPE_COMPACT};
    tori_workload a = workload_of (text, machine, &options);
    options.shaping = TORI_SHAPE_NONE;
    tori_workload b = workload_of (text, machine, &options);
    options.seed = 1;
    tori_workload c = workload_of (text, machine, &options);
    size_t differ = 0;
    for (size_t i = 0; i < a.n; i++) {
        assert_int_equal (a.jobs[i].request.wiring, b.jobs[i].request.wiring);
        differ += a.jobs[i].request.wiring != c.jobs[i].request.wiring;
    }
    assert_uint_in_range (differ, 400, 600);
    tori_workload_clear (&a);
    tori_workload_clear (&b);
    tori_workload_clear (&c);
    free (text);
}

/* ---- the Lublin-Feitelson model ---- */

static tori_workload lublin (const char *machine_text,
                             const tori_workload_options *options)
{
    AUTO_MACHINE *machine = make_machine (machine_text);
    tori_workload workload;
    tori_error err;
    if (tori_workload_model ("lublin", machine, options, &workload, &err) < 0)
        fail_msg ("%s", err.text);
    return workload;
}

static void assert_share (double count, double n, double expected)
{
    double error = sqrt (expected * (1 - expected) / n);
    assert_true (fabs (count / n - expected) < 5 * error);
}

/* Sizes: the published shares of serial jobs, of powers of two (those that
 * are made so, and those that turn out so) and of the first stage. */
TEST (lublin_sizes)
{
    tori_workload_options options = {.size = sizeof options,
                                     .jobs = 100000, .seed = 1};
    tori_workload w = lublin ("torus:16x8", &options);
    double serial = 0, powers = 0, others = 0, low = 0;
    for (size_t i = 0; i < w.n; i++) {
        uint32_t size = w.jobs[i].asked;
        assert_uint_in_range (size, 1, 128);
        bool power = (size & (size - 1)) == 0;
        serial += size == 1;
        powers += size > 1 && power;
        others += !power;
        low += !power && size < 22; /* 2^4.5 = 22.6 is between the stages */
    }
    assert_share (serial, (double)w.n, 0.244);
    /* A size that is not made a power of two rounds to one in the intervals
     * [1.5, 2.5], [3.5, 4.5], ... which can be added up. */
    double by_chance = 0;
    for (int k = 1; k <= 7; k++) {
        double from = fmax (log2 (exp2 (k) - 0.5), 0.8);
        double to = fmin (log2 (exp2 (k) + 0.5), 7);
        by_chance += (to - from)
                     * (from < 4.5 ? 0.86 / (4.5 - 0.8) : 0.14 / 2.5);
    }
    double other = 1 - 0.244 - 0.576;
    assert_share (powers, (double)w.n, 0.576 + other * by_chance);
    assert_share (others, (double)w.n, other * (1 - by_chance));
    assert_true (low / others > 0.7);
    tori_workload_clear (&w);
}

/* Run times: of jobs of one size the logarithm has the mean and the variance
 * of its two gammas, mixed (what is cut off beyond e^12 is little). */
TEST (lublin_runtimes)
{
    tori_workload_options options = {.size = sizeof options,
                                     .jobs = 200000, .seed = 2};
    tori_workload w = lublin ("torus:16x8", &options);
    static const uint32_t sizes[] = {1, 8, 64};
    for (size_t k = 0; k < LENGTH (sizes); k++) {
        double n = 0, sum = 0, p = 0.78 - 0.0054 * sizes[k];
        double mean = p * 4.2 * 0.94 + (1 - p) * 312 * 0.03;
        for (size_t i = 0; i < w.n; i++)
            if (w.jobs[i].asked == sizes[k]) {
                sum += log ((double)w.jobs[i].runtime / 1e6);
                n++;
            }
        assert_true (n > 1000);
        assert_true (fabs (sum / n - mean) < 5 * 3.5 / sqrt (n) + 0.02);
    }
    for (size_t i = 0; i < w.n; i++) {
        assert_true (w.jobs[i].runtime >= TORI_SECOND);
        assert_true ((double)w.jobs[i].runtime <= exp (12) * 1e6 + 1);
        assert_true (w.jobs[i].estimate == w.jobs[i].runtime);
    }
    tori_workload_clear (&w);
}

/* Arrivals: in order, the mean gap that of the gamma in the exponent, and
 * over the day as the cycle has it: most from noon to four, few at five. */
TEST (lublin_arrivals)
{
    tori_workload_options options = {.size = sizeof options,
                                     .jobs = 100000, .seed = 3};
    tori_workload w = lublin ("torus:8x8x8", &options);
    double hours[24] = {0};
    for (size_t i = 0; i < w.n; i++) {
        hours[w.jobs[i].submit / TORI_SECOND / 3600 % 24]++;
        if (i > 0)
            assert_true (w.jobs[i].submit >= w.jobs[i - 1].submit);
    }
    /* E e^g = (1 - scale)^-shape; the cut at e^13 takes off some per cent. */
    double mean = pow (1 - 0.4871, -10.2303 * 1.0225);
    double span = (double)w.jobs[w.n - 1].submit / 1e6;
    assert_true (span / (double)w.n < mean);
    assert_true (span / (double)w.n > 0.7 * mean);
    int peak = 0, low = 0;
    for (int h = 0; h < 24; h++) {
        peak = hours[h] > hours[peak] ? h : peak;
        low = hours[h] < hours[low] ? h : low;
    }
    assert_uint_in_range (peak, 12, 16);
    assert_uint_in_range (low, 4, 6);
    assert_true (hours[peak] > 4 * hours[low]);
    tori_workload_clear (&w);
}

/* Machines of any size, and of one that is no power of two. */
TEST (lublin_machines)
{
    static const char *const machines[]
        = {"mesh:1", "mesh:2", "mesh:3", "mesh:5", "mesh:100", "mesh:2^20"};
    for (size_t k = 0; k < LENGTH (machines); k++) {
        AUTO_MACHINE *machine = make_machine (machines[k]);
        tori_workload_options options = {
            .size = sizeof options,
            .jobs = 3000, .seed = k, .shaping = TORI_SHAPE_COMPACT};
        tori_workload w = lublin (machines[k], &options);
        uint32_t nodes = tori_machine_nodes (machine), most = 0;
        assert_int_equal (w.n, 3000);
        for (size_t i = 0; i < w.n; i++) {
            assert_int_equal (w.jobs[i].id, i + 1);
            assert_uint_in_range (w.jobs[i].asked, 1, nodes);
            most = w.jobs[i].asked > most ? w.jobs[i].asked : most;
        }
        assert_true (most > nodes / 2);
        tori_workload_clear (&w);
    }
}

static uint64_t hash_jobs (const tori_workload *w)
{
    uint64_t hash = UINT64_C (14695981039346656037);
    for (size_t i = 0; i < w->n; i++) {
        const tori_work *job = &w->jobs[i];
        uint64_t words[] = {(uint64_t)job->id, (uint64_t)job->submit,
                            (uint64_t)job->runtime, job->asked,
                            (uint64_t)job->request.wiring};
        for (size_t k = 0; k < LENGTH (words); k++)
            for (int shift = 0; shift < 64; shift += 8)
                hash = (hash ^ (words[k] >> shift & 255))
                       * UINT64_C (1099511628211);
    }
    return hash;
}

/* The same jobs on every machine and with every compiler. */
TEST (lublin_same_bytes)
{
    tori_workload_options options = {.size = sizeof options,
                                     .jobs = 1000,
                                     .seed = 1,
                                     .wiring = TORI_WIRE_TORUS,
                                     .torus_fraction = 0.5};
    tori_workload w = lublin ("torus:8x8x8", &options);
    uint64_t all = hash_jobs (&w);
    assert_true (all == UINT64_C (0x11f7bf5013d95ca7));
    /* Fewer jobs are the first of more; so they are by a limit. */
    options.jobs = 400;
    tori_workload fewer = lublin ("torus:8x8x8", &options);
    w.n = 400;
    assert_int_equal (fewer.n, 400);
    assert_true (hash_jobs (&fewer) == hash_jobs (&w));
    tori_workload_clear (&fewer);
    options.jobs = 1000;
    options.limit = 400;
    fewer = lublin ("torus:8x8x8", &options);
    assert_true (hash_jobs (&fewer) == hash_jobs (&w));
    options.seed = 2;
    tori_workload other = lublin ("torus:8x8x8", &options);
    assert_true (hash_jobs (&other) != hash_jobs (&w));
    tori_workload_clear (&other);
    tori_workload_clear (&fewer);
    tori_workload_clear (&w);
}

TEST (models)
{
    AUTO_MACHINE *machine = make_machine ("mesh:4x4x4");
    tori_workload_options options = {.size = sizeof options, .jobs = 10};
    tori_workload workload = {0};
    tori_error err;
    assert_string_equal (tori_model_list (0)->name, "lublin");
    for (size_t i = 0; tori_model_list (i); i++) {
        assert_int_equal (tori_workload_model (tori_model_list (i)->name,
                                               machine, &options, &workload,
                                               &err),
                          0);
        assert_int_equal (workload.n, 10);
        tori_workload_clear (&workload);
    }
    assert_int_equal (tori_workload_model ("none", machine, &options,
                                           &workload, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_string_equal (err.text, "unknown model 'none': expected lublin, "
                                   "isomorphic, cubic, noncubic or rfold");
    options.jobs = 0;
    assert_int_equal (tori_workload_model ("lublin", machine, &options,
                                           &workload, &err),
                      -1);
    assert_int_equal (err.status, TORI_INVALID);
}

/* ---- real logs ---- */

static void expect_log (const char *name, size_t records, size_t unusable,
                        size_t underestimated, const char *max_procs)
{
    const char *path = find_trace (name);
    AUTO_MACHINE *machine = make_machine ("torus:8x8x8");
    tori_workload_options options = {.size = sizeof options,
                                     .shaping = TORI_SHAPE_FIRST_MATCH};
    tori_swf_reader *reader;
    tori_swf_record record;
    tori_workload w;
    tori_error err;
    size_t n = 0, under = 0;
    assert_int_equal (tori_swf_open (path, &reader, &err), 0);
    assert_string_equal (tori_swf_header (reader, "MaxProcs"), max_procs);
    while (tori_swf_next (reader, &record, &err) > 0) {
        n++;
        under += record.asked_time > 0 && record.asked_time < record.runtime;
    }
    tori_swf_close (reader);
    assert_int_equal (n, records);
    assert_int_equal (under, underestimated);
    assert_int_equal (tori_workload_read (path, machine, &options, &w, &err),
                      0);
    assert_int_equal (w.n + w.unusable, records);
    assert_int_equal (w.unusable, unusable);
    for (size_t i = 0; i < w.n; i++) {
        assert_true (w.jobs[i].estimate >= w.jobs[i].runtime);
        assert_true (i == 0 || w.jobs[i].submit >= w.jobs[i - 1].submit);
        assert_true (tori_shape_volume (&w.jobs[i].request.shape)
                     >= w.jobs[i].asked);
    }
    tori_workload_clear (&w);
}

TEST (ctc)
{
    expect_log ("CTC-SP2-1996-3.1-cln.swf.gz", 77222, 0, 7174, "338");
}

TEST (sdsc)
{
    expect_log ("SDSC-SP2-1998-4.2-cln.swf.gz", 59715, 5671, 4134, "128");
}

TEST (nasa)
{
    expect_log ("NASA-iPSC-1993-3.1-cln.swf.gz", 18239, 0, 0, "128");
}

/* One record has neither processors asked for nor allocated. */
TEST (kth)
{
    expect_log ("KTH-SP2-1996-2.1-cln.swf.gz", 28476, 1, 475, "100");
}
