/* naive_contention.h - plans with contention, slowly, in exact numbers.
 *
 * Numbers are integers of 2048 bits in units of a unit of time divided by
 * `den` and by 2^POINT, so that halving never loses a bit: each job adds a few
 * bits to the numbers that depend on it, and there are few jobs.
 */
#ifndef TORI_TESTS_NAIVE_CONTENTION_H
#define TORI_TESTS_NAIVE_CONTENTION_H

#include <tori/plan.h>

enum { BIG_WORDS = 32, POINT = 1900 };

struct big {
    uint64_t word[BIG_WORDS];
};

struct big big_of (uint64_t whole);
double big_value (struct big a, uint32_t den);

struct naive_place {
    uint32_t offset[TORI_MAX_DIMS];
    struct big start;
    struct big finish;
};

/* A job, its time in units of 1/den. */
struct naive_job {
    tori_shape shape;
    uint32_t time;
};

/* Algorithm CNP_Alloc of Gupta and Srimani, "Job Scheduling for Torus
 * Connected Networks", 1997, figure 2, line by line, on a square torus of two
 * dimensions. Jobs are in non-increasing order of dimension. A side may be
 * missing: the matrix is then expanded by several levels at once, as the dummy
 * jobs of the paper's footnote 3 would have it. */
void naive_cnp_alloc (uint32_t side, const struct naive_job job[], size_t n,
                      struct naive_place ret[]);

/* For any machine and shapes, in the order of the jobs: subtori and what they
 * share by the edges and links of the machine, loads by the rule for two jobs
 * (tori/plan.h), a place after the other. */
void naive_contention (const tori_machine *machine,
                       const struct naive_job job[], size_t n,
                       struct naive_place ret[]);

#endif
