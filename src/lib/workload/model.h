/* model.h - the description of a workload model. */
#ifndef TORI_WORKLOAD_MODEL_H
#define TORI_WORKLOAD_MODEL_H

#include "build.h"

/* A row of the table in model.c: `make` adds `jobs` jobs with the ids 1, 2,
 * ... to the builder, by draws from `rng`. */
struct model {
    tori_model_info info;
    bool timeless; /* takes run times of a file */
    bool serves;   /* takes a distribution of service times */
    int (*make) (struct builder *b, struct rng *rng, size_t jobs,
                 tori_error *err);
};

int lublin_make (struct builder *b, struct rng *rng, size_t jobs,
                 tori_error *err);
int isomorphic_make (struct builder *b, struct rng *rng, size_t jobs,
                     tori_error *err);
int cubic_make (struct builder *b, struct rng *rng, size_t jobs,
                tori_error *err);
int noncubic_make (struct builder *b, struct rng *rng, size_t jobs,
                   tori_error *err);
int rfold_make (struct builder *b, struct rng *rng, size_t jobs,
                tori_error *err);

#endif
