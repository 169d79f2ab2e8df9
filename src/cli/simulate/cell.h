/* cell.h - one simulation of a grid: a command line of `tori sim`. Whatever
 * `tori sim` refuses is refused here, in the same words. */
#ifndef TORI_CLI_CELL_H
#define TORI_CLI_CELL_H

#include "sim_run.h"

struct cell_line {
    struct sim_values values;
    char *key; /* its config, as in an answer of `tori sim`, as JSON */
};

/* Parse the words of one of so many seeds; they must outlive the line.
 * Returns 0; 1 and `why` if the values contradict each other; or -1. Call
 * cell_line_clear afterwards in any case. */
int cell_parse (char *const words[], size_t n, int64_t seeds,
                struct cell_line *ret_line, tori_error *why, tori_error *err);
void cell_line_clear (struct cell_line *line);

/* Run it. The outcome is a line of JSON without its end: the version that made
 * it, the config, and the result or the error with which it gave up. `log` is
 * the file for a table of its jobs, or NULL; `jobs` are the jobs one by one,
 * or NULL. */
int cell_run (const struct cell_line *line, const char *log,
              struct cell_jobs *jobs, char **ret_outcome, tori_error *err);

/* `tori` with this word serves a process that runs grids: a request is a line of JSON on standard
 * input, an answer is a line on standard output.
 *
 *     {"words":[...],"seeds":N}
 *         check it, for so many seeds: {"config":{...},"shaped":RULE}, with
 *         the rule of shapes if --shapes was not given; {"left_out":WHY}
 *     {"words":[...],"jobs":FLAG,"log":PATH}
 *         run it: the outcome. With `jobs`, a line {"jobs":N,"groups":FLAG}
 *         follows, and as binary data for each job whether it counts (a
 *         byte); its response, wait, bounded slowdown and distance (four
 *         lists of doubles); and with groups, the number of its group
 *         (32 bits).
 *
 * An error is {"status":N,"error":TEXT}. */
#define CELLS_WORD "--cells"
int cells_serve (void);

#endif
