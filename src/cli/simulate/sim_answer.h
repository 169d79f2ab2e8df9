/* sim_answer.h - the answer of `tori sim` in JSON. */
#ifndef TORI_CLI_SIM_ANSWER_H
#define TORI_CLI_SIM_ANSWER_H

#include "replicas.h"
#include "sim_run.h"

/* The row of the answer: one run, which may have given up, or several. */
struct sim_row {
    const struct sim_run *run;
    const struct replicas *replicas; /* or NULL */
    const char *log_sha256; /* of the log; "" for a model */
    bool links, ignored; /* links are reserved; or down, and ignored */
};

extern const struct sheet answer_sim; /* of a struct sim_row */

#endif
