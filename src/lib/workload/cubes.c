/* The workloads of M. Kang, C. Yu, H. Y. Youn, B. Lee and M. Kim, "Isomorphic
 * Strategy for Processor Allocation in k-Ary n-Cube Systems", 2003, section
 * 5.1: boxes with sides drawn uniformly, Poisson arrivals, service of mean one,
 * which is a second here. It is exponential unless the options name another
 * distribution (service_time.h).
 *
 *   isomorphic  the same power of two in every dimension
 *   cubic       a power of two in each dimension
 *   noncubic    any side in each dimension
 *
 * The rate of arrivals follows from the load and the mean volume, which is
 * known, so a sample's load is near the one asked for and not exactly that:
 * stretching a sample to it would take the bursts out of the sample. Without a
 * load a job a second arrives.
 *
 * A job takes the same draws whatever the load, so the boxes and service times
 * of a seed are the same at every load, and arrivals differ by a factor.
 *
 * The paper leaves some cases open. A side that is not a power of two counts
 * as the largest power below it in the first two; of unequal sides the
 * isomorphic model draws for the largest, and the others hold as much of that
 * as they can; estimates are the service times. */
#include <inttypes.h>

#include "build.h"
#include "model.h"
#include "service_time.h"

struct sides {
    int ndims;
    uint32_t side[TORI_MAX_DIMS];
    unsigned power[TORI_MAX_DIMS]; /* the largest, 2^power <= side */
    unsigned most;                 /* of those */
};

/* The box that a model draws, and its mean size. */
struct cubes {
    void (*draw) (const struct sides *sides, struct rng *rng,
                  tori_shape *ret_shape);
    double (*mean) (const struct sides *sides);
};

static unsigned least_of (unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static struct sides sides_of (const tori_machine *machine)
{
    const tori_shape longest = longest_sides (machine);
    struct sides s = {.ndims = longest.ndims};
    for (int i = 0; i < s.ndims; i++) {
        s.side[i] = longest.size[i];
        while (s.side[i] >> s.power[i] > 1)
            s.power[i]++;
        if (s.power[i] > s.most)
            s.most = s.power[i];
    }
    return s;
}

/* ---- the three models ---- */

static void isomorphic_draw (const struct sides *s, struct rng *rng,
                             tori_shape *shape)
{
    unsigned a = (unsigned)rng_below (rng, s->most + 1);
    for (int i = 0; i < s->ndims; i++)
        shape->size[i] = UINT32_C (1) << least_of (a, s->power[i]);
}

static double isomorphic_mean (const struct sides *s)
{
    double sum = 0;
    for (unsigned a = 0; a <= s->most; a++) {
        double volume = 1;
        for (int i = 0; i < s->ndims; i++)
            volume *= (double)(UINT32_C (1) << least_of (a, s->power[i]));
        sum += volume;
    }
    return sum / (s->most + 1);
}

static void cubic_draw (const struct sides *s, struct rng *rng,
                        tori_shape *shape)
{
    for (int i = 0; i < s->ndims; i++)
        shape->size[i] = UINT32_C (1) << rng_below (rng, s->power[i] + 1);
}

/* 1 + 2 + ... + 2^p is 2^(p+1) - 1. */
static double cubic_mean (const struct sides *s)
{
    double mean = 1;
    for (int i = 0; i < s->ndims; i++)
        mean *= (double)((UINT64_C (2) << s->power[i]) - 1)
                / (s->power[i] + 1);
    return mean;
}

static void noncubic_draw (const struct sides *s, struct rng *rng,
                           tori_shape *shape)
{
    for (int i = 0; i < s->ndims; i++)
        shape->size[i] = 1 + (uint32_t)rng_below (rng, s->side[i]);
}

static double noncubic_mean (const struct sides *s)
{
    double mean = 1;
    for (int i = 0; i < s->ndims; i++)
        mean *= (s->side[i] + 1.0) / 2;
    return mean;
}

/* ---- jobs ---- */

static int make_jobs (const struct cubes *cubes, struct builder *b,
                      struct rng *rng, size_t jobs, tori_error *err)
{
    struct sides sides = sides_of (b->machine);
    double load = b->options.load, gap = 1, now = 0;
    struct service_time service;
    if (builder_unscaled (b, err) < 0
        || service_time_parse (b->options.service, &service, err) < 0)
        return -1;
    if (load > 0)
        gap = cubes->mean (&sides) / (load * tori_machine_nodes (b->machine));
    b->paced = true;
    for (size_t i = 0; i < jobs; i++) {
        struct draft draft = {.id = (int64_t)i + 1, .owner = TORI_NO_OWNER};
        now += rng_exponential (rng, 1) * gap;
        if (!ticks_from_seconds (now, &draft.submit))
            return tori_error_set (err, TORI_INVALID,
                                   "model %s: job %zu arrives after more than"
                                   " %" PRId64 " seconds",
                                   b->name, i + 1, TORI_MAX_SECONDS);
        draft.shape.ndims = sides.ndims;
        cubes->draw (&sides, rng, &draft.shape);
        (void)ticks_from_seconds (service.draw (&service, rng),
                                  &draft.runtime);
        draft.estimate = draft.runtime;
        draft.procs = (int64_t)tori_shape_volume (&draft.shape);
        if (builder_add (b, &draft, err) < 0)
            return -1;
    }
    return 0;
}

int isomorphic_make (struct builder *b, struct rng *rng, size_t jobs,
                     tori_error *err)
{
    static const struct cubes cubes = {isomorphic_draw, isomorphic_mean};
    return make_jobs (&cubes, b, rng, jobs, err);
}

int cubic_make (struct builder *b, struct rng *rng, size_t jobs,
                tori_error *err)
{
    static const struct cubes cubes = {cubic_draw, cubic_mean};
    return make_jobs (&cubes, b, rng, jobs, err);
}

int noncubic_make (struct builder *b, struct rng *rng, size_t jobs,
                   tori_error *err)
{
    static const struct cubes cubes = {noncubic_draw, noncubic_mean};
    return make_jobs (&cubes, b, rng, jobs, err);
}
