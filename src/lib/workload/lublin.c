/* The model of U. Lublin and D. G. Feitelson, "The workload on parallel
 * supercomputers: modeling the characteristics of rigid jobs", Journal of
 * Parallel and Distributed Computing 63(11), 2003, in its form without job
 * types, with the constants that they publish.
 *
 * Sizes: a job is serial, or a power of two, or neither; the logarithm of a
 * parallel size is uniform in either of two stages.
 * Run times: their logarithm is one of two gamma variates, more often the
 * longer one the larger the job.
 * Arrivals: the logarithm of the time between two arrivals is a gamma variate
 * that holds at an average time of day; a half-hour with more arrivals than
 * the average makes it pass faster.
 *
 * The model leaves some cases open. On a machine so small that the stages
 * would cross, the first is empty; a power of two that is rounded up beyond
 * the machine is halved; the model has no estimates, so they are the run
 * times; times are not cut to whole seconds. */
#include <inttypes.h>

#include "detmath.h"
#include "model.h"

static const double SERIAL_PROBABILITY = 0.244;
static const double POWER_PROBABILITY = 0.576;

/* Stages of the logarithm to base 2 of parallel sizes: from LOWEST to
 * STAGE_BELOW below that of the machine with FIRST_STAGE's probability, from
 * there to that of the machine otherwise. */
static const double LOWEST = 0.8;
static const double STAGE_BELOW = 2.5;
static const double FIRST_STAGE = 0.86;

/* The natural logarithm of run times: shapes and scales of the two gammas,
 * the probability of the first as a linear function of the size, and the
 * largest taken, some 45 hours. */
static const double SHORT_SHAPE = 4.2, SHORT_SCALE = 0.94;
static const double LONG_SHAPE = 312, LONG_SCALE = 0.03;
static const double SHORT_SLOPE = -0.0054, SHORT_AT_0 = 0.78;
static const double LONGEST_RUN = 12;

/* The same of times between arrivals in the rush hours, the ratio that makes
 * it an average, and the largest taken, some five days. */
static const double GAP_SHAPE = 10.2303 * 1.0225, GAP_SCALE = 0.4871;
static const double LONGEST_GAP = 13;

/* The daily cycle: half-hour i gets what a gamma variate has between i - 1/2
 * and i + 1/2, for i from CYCLE_START on through a day, and is the i-th of
 * the day counted from 1. Time begins at midnight. */
enum { SLOTS = 48, CYCLE_START = 11 };
static const double CYCLE_SHAPE = 8.1737, CYCLE_SCALE = 3.9631;
static const double SLOT_SECONDS = 1800;

struct lublin {
    struct rng *rng;
    uint32_t nodes;
    double lowest, middle, highest; /* ends of the stages */
    double weight[SLOTS];           /* arrivals a slot, 1 on average */
    uint64_t slot;                  /* since the beginning, of the last job */
    double spent;                   /* of this slot's weight */
};

/* The lower incomplete gamma function, by its power series. A common factor
 * does not matter here, so the complete one need not divide it. */
static double incomplete_gamma (double shape, double x)
{
    double term = 1 / shape, sum = term;
    for (int n = 1; term > sum * 0x1p-60; n++) {
        term *= x / (shape + n);
        sum += term;
    }
    return sum * det_pow (x, shape) * det_exp (-x);
}

static void init_cycle (struct lublin *m)
{
    double before, after, total = 0;
    before = incomplete_gamma (CYCLE_SHAPE,
                               (CYCLE_START - 0.5) / CYCLE_SCALE);
    for (int i = CYCLE_START; i < CYCLE_START + SLOTS; i++) {
        after = incomplete_gamma (CYCLE_SHAPE, (i + 0.5) / CYCLE_SCALE);
        m->weight[(i - 1) % SLOTS] = after - before;
        total += after - before;
        before = after;
    }
    for (int i = 0; i < SLOTS; i++)
        m->weight[i] *= SLOTS / total;
}

static void lublin_init (struct lublin *m, struct rng *rng, uint32_t nodes)
{
    *m = (struct lublin){.rng = rng, .nodes = nodes};
    m->highest = det_log2 (nodes);
    m->lowest = m->highest < LOWEST ? m->highest : LOWEST;
    m->middle = m->highest - STAGE_BELOW;
    if (m->middle < m->lowest)
        m->middle = m->lowest;
    init_cycle (m);
}

/* A gamma variate, drawn again while it is too large. */
static double bounded_gamma (struct rng *rng, double shape, double scale,
                             double most)
{
    double x;
    do {
        x = rng_gamma (rng, shape, scale);
    } while (x > most);
    return x;
}

static double draw_log_size (struct lublin *m)
{
    bool first = rng_uniform (m->rng) < FIRST_STAGE;
    double low = first ? m->lowest : m->middle;
    double high = first ? m->middle : m->highest;
    return low + (high - low) * rng_uniform (m->rng);
}

static uint32_t draw_size (struct lublin *m)
{
    double kind = rng_uniform (m->rng), size;
    if (kind < SERIAL_PROBABILITY || m->nodes == 1)
        return 1;
    size = draw_log_size (m);
    if (kind < SERIAL_PROBABILITY + POWER_PROBABILITY)
        size = (double)(uint32_t)(size + 0.5);
    size = det_exp2 (size) + 0.5;
    if (size >= m->nodes + 1.0)
        size /= 2;
    return (uint32_t)size;
}

static double draw_runtime (struct lublin *m, uint32_t size)
{
    double log_time;
    do {
        bool brief = rng_uniform (m->rng) < SHORT_SLOPE * size + SHORT_AT_0;
        log_time = rng_gamma (m->rng, brief ? SHORT_SHAPE : LONG_SHAPE,
                              brief ? SHORT_SCALE : LONG_SCALE);
    } while (log_time > LONGEST_RUN);
    return det_exp (log_time);
}

/* Seconds from the beginning to the next arrival. Every half-hour takes its
 * weight off the gap; the job arrives in the one that has more than is left,
 * at that part of it. */
static double draw_arrival (struct lublin *m)
{
    double gap = det_exp (bounded_gamma (m->rng, GAP_SHAPE, GAP_SCALE,
                                         LONGEST_GAP));
    m->spent += gap / SLOT_SECONDS;
    while (m->spent > m->weight[m->slot % SLOTS]) {
        m->spent -= m->weight[m->slot % SLOTS];
        m->slot++;
    }
    return ((double)m->slot + m->spent / m->weight[m->slot % SLOTS])
           * SLOT_SECONDS;
}

int lublin_make (struct builder *b, struct rng *rng, size_t jobs,
                 tori_error *err)
{
    struct lublin m;
    lublin_init (&m, rng, tori_machine_nodes (b->machine));
    for (size_t i = 0; i < jobs; i++) {
        struct draft draft = {.id = (int64_t)i + 1, .owner = TORI_NO_OWNER};
        if (!ticks_from_seconds (draw_arrival (&m), &draft.submit))
            return tori_error_set (err, TORI_INVALID,
                                   "model %s: job %zu arrives after more than"
                                   " %" PRId64 " seconds",
                                   b->name, i + 1, TORI_MAX_SECONDS);
        uint32_t size = draw_size (&m);
        draft.procs = size;
        (void)ticks_from_seconds (draw_runtime (&m, size), &draft.runtime);
        draft.estimate = draft.runtime;
        if (builder_add (b, &draft, err) < 0)
            return -1;
    }
    return 0;
}
