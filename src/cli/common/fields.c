/* The fields of JSON answers that their commands write by hand. Fields that
 * sheets describe are documented where they are measured (result.h). */
#include "fields.h"

#include "fieldrows.h"
#include "result.h"
#include "comparison_row.h"

/* ---- simulating ---- */

static const struct field rejection_fields[] = {
    FIELD ("*", "for this reason"),
};
SHEET (rejection);

static const struct field fluid_fields[] = {
    FIELD ("pattern", "who sends to whom"),
    BESIDE (network),
};
SHEET (fluid);

static const struct field seed_fields[] = {
    FIELD ("seed", "the seed"),
    BESIDE (result),
    BESIDE (losses),
    BESIDE (levels),
    OBJECT ("network", network, "with --network fluid"),
};
SHEET (seed);

static const struct field sim_fields[] = {
    BESIDE (result),
    BESIDE (losses),
    BESIDE (levels),
    OBJECT ("network", fluid, "with --network fluid"),
    OBJECT ("rejections", rejection, "how many jobs were rejected"),
    FIELD ("links_reserved",
           "whether jobs reserve links; if not, kinds of machines hardly "
           "differ"),
    FIELD ("down_links_ignored",
           "true if links are down, and ignored because none are reserved"),
    FIELD ("outlived",
           "jobs of the log that ran longer than requested: see --estimates"),
    FIELD ("unusable",
           "records without a size or a run time, which were left out"),
    FIELD ("log_procs", "processors of the log's machine, if the log says"),
    MEASURE ("seconds", "s", "with --timing: how long the replay took"),
    FIELD ("seeds",
           "with --seeds: how many; each measure is then an object of mean "
           "and half_interval, half of the 95 % interval"),
    LIST_OF ("runs", seed, "with --seeds: the result of each"),
    FIELD ("reason", "gave-up, if a search did"),
    FIELD ("job", "the job that it gave up on"),
    FIELD ("nodes", "how many nodes that asks for"),
    FIELD ("detail", "why it gave up"),
};
ANSWER (sim);

static const struct field decision_fields[] = {
    MEASURE ("*", "hops",
             "the mean pairwise sum of what this one would choose there"),
};
SHEET (decision);

static const struct field situation_fields[] = {
    OBJECT ("*", decision, "jobs are placed by this allocator"),
};
SHEET (situation);

static const struct field common_fields[] = {
    OBJECT ("jobs", situation,
            "for each allocator that places the jobs, how many they are"),
    OBJECT ("situation", situation, "the same sums over these jobs"),
};
SHEET (common);

static const struct field decide_fields[] = {
    OBJECT ("situation", situation,
            "for each allocator that places the jobs, what each would choose"),
    FIELD ("jobs", "jobs that ran"),
    FIELD ("rejected", "jobs that can never run here"),
    OBJECT ("left_out", situation,
            "how often a search gave up, in each situation"),
    OBJECT ("ended", situation,
            "situations that ended early because the allocator that places "
            "gave up"),
    OBJECT ("common", common, "the jobs on which no search gave up"),
};
ANSWER (decide);

static const struct field replayed_fields[] = {
    FIELD ("*", "as 'tori sim' has it"),
};
SHEET (replayed);

static const struct field report_fields[] = {
    FIELD ("report", "the file that was written"),
    OBJECT ("replayed", replayed,
            "the config of the simulation that it replays"),
};
ANSWER (report);

/* ---- lists ---- */

static const struct field listed_fields[] = {
    FIELD ("name", "the name"),
    LIST ("takes", "of an allocator: what it can be asked for"),
    FIELD ("summary", "what it is"),
};
SHEET (listed);

static const struct field list_fields[] = {
    LIST_OF ("*", listed, "a list of this name"),
};
ANSWER (list);
