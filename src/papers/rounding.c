#include "rounding.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include <tori/plan.h>

#include "random.h"

enum { SETS = 200, MOST_JOBS = 40, MOST_LINKS = 8 };

static const struct {
    uint32_t side, jobs;
} kinds[ROUNDING_ROWS] = {{6, 8},  {6, 40},  {8, 8},  {8, 40},  {12, 8},
                          {12, 40}, {16, 8}, {16, 40}, {24, 8}, {24, 40}};

#define AT(member) FIELD_AT (struct rounding_row, member)
static const struct field fields[] = {
    {"side", FIELD_UINT, AT (side), "the side of the machine",
     .title = "side"},
    {"jobs", FIELD_UINT, AT (jobs), "how many jobs there are",
     .title = "jobs"},
    {"sets", FIELD_UINT, AT (sets), "how many sets of jobs"},
    {"divisors", FIELD_REAL, AT (divisors),
     "what dimensions that divide the side and each other cost, in the mean",
     .title = "divisors: mean %",
     .decimals = 1, .scale = 100},
    {"divisors_most", FIELD_REAL, AT (divisors_most), "the same at most", .title = "most %",
     .decimals = 1, .scale = 100},
    {"any", FIELD_REAL, AT (any),
     "what dimensions that divide each other cost, in the mean", .title = "any: mean %",
     .decimals = 1, .scale = 100},
    {"any_most", FIELD_REAL, AT (any_most), "the same at most", .title = "most %",
     .decimals = 1, .scale = 100},
    {"stages", FIELD_REAL, AT (stages),
     "stages of the plan with the true dimensions, in the mean", .title = "stages",
     .decimals = 1},
    {"preemptions", FIELD_REAL, AT (preemptions), "its preemptions", .title = "preemptions",
     .decimals = 1},
};
const struct sheet rounding_sheet = {"rounding", SHEET_FIELDS (fields)};

/* ---- chains of dimensions ---- */

struct rounding_chain {
    const tori_machine *machine;
    const tori_preemptive_job *job;
    size_t n;
    uint32_t side, largest;
    bool divisors; /* of the side only */
    uint32_t link[MOST_LINKS];
    tori_exact best; /* den 0: none yet */
};

static int try_chain (struct rounding_chain *chain, tori_error *err)
{
    tori_preemptive_job job[MOST_JOBS];
    tori_exact least;
    for (size_t i = 0; i < chain->n; i++) {
        size_t k = 0;
        while (chain->link[k] < chain->job[i].dimension)
            k++;
        job[i] = (tori_preemptive_job){chain->link[k], chain->job[i].time};
    }
    if (tori_preemptive_least (chain->machine, job, chain->n, &least, err) < 0)
        return -1;
    if (!chain->best.den || tori_exact_compare (least, chain->best) < 0)
        chain->best = least;
    return 0;
}

/* All chains that begin with these links. A factor that is not prime would
 * only leave out a link. */
static int try_chains (struct rounding_chain *chain, size_t links,
                       tori_error *err)
{
    static const uint32_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23};
    uint32_t last = chain->link[links - 1];
    if (last >= chain->largest)
        return try_chain (chain, err);
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) {
        uint32_t next = last * primes[i];
        if (next > chain->side || (chain->divisors && chain->side % next))
            continue;
        chain->link[links] = next;
        if (try_chains (chain, links + 1, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- sets of jobs ---- */

static uint32_t fill_jobs (struct rng *rng, uint32_t side, size_t n,
                           tori_preemptive_job job[])
{
    uint32_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t dimension = (uint32_t)rng_below (rng, side) + 1;
        job[i] = (tori_preemptive_job){
            dimension,
            tori_exact_make ((tori_wide)rng_below (rng, 1000) + 1, 10)};
        largest = dimension > largest ? dimension : largest;
    }
    return largest;
}

static void add_cost (tori_exact least, tori_exact rounded, double *mean,
                      double *most)
{
    double cost = tori_exact_value (rounded) / tori_exact_value (least) - 1;
    *mean += cost / SETS;
    *most = cost > *most ? cost : *most;
}

static int measure_set (const tori_machine *machine, struct rng *rng,
                        struct rounding_row *row, tori_error *err)
{
    tori_preemptive_job job[MOST_JOBS];
    struct rounding_chain chain = {.machine = machine, .job = job,
                                   .n = row->jobs, .side = row->side,
                                   .divisors = true, .link = {1}};
    struct rounding_chain other;
    tori_preemptive plan;
    tori_exact least;
    chain.largest = fill_jobs (rng, row->side, row->jobs, job);
    other = chain;
    other.divisors = false;
    if (try_chains (&chain, 1, err) < 0 || try_chains (&other, 1, err) < 0
        || tori_preemptive_least (machine, job, row->jobs, &least, err) < 0
        || tori_preemptive_plan (machine, job, row->jobs, least, &plan, err)
               < 0)
        return -1;
    add_cost (least, chain.best, &row->divisors, &row->divisors_most);
    add_cost (least, other.best, &row->any, &row->any_most);
    row->stages += (double)plan.stages / SETS;
    row->preemptions += (double)plan.preemptions / SETS;
    tori_preemptive_clear (&plan);
    return 0;
}

int rounding_measure (size_t i, uint64_t seed, struct rounding_row *ret_row,
                      tori_error *err)
{
    struct rounding_row row
        = {.side = kinds[i].side, .jobs = kinds[i].jobs, .sets = SETS};
    tori_machine *machine;
    struct rng rng;
    char text[32];
    int status = 0;
    snprintf (text, sizeof text, "torus:%" PRIu32 "x%" PRIu32, row.side,
              row.side);
    if (tori_machine_parse (text, &machine, err) < 0)
        return -1;
    rng_seed (&rng, seed, i);
    for (int k = 0; status == 0 && k < SETS; k++)
        status = measure_set (machine, &rng, &row, err);
    tori_machine_destroy (machine);
    if (status == 0)
        *ret_row = row;
    return status;
}
