#include "comparison_row.h"

#define AT(member) FIELD_AT (struct comparison_measure, member)
static const struct field measure_fields[] = {
    {"mean", FIELD_REAL, AT (mean), "the mean over the seeds"},
    {"half_interval", FIELD_REAL, AT (half),
     "half of its 95 % interval; null with a single seed"},
    {"difference", FIELD_REAL, AT (difference),
     "how far it is above the first policy's, as a fraction of that, seed by "
     "seed",
     .decimals = 1, .scale = 100},
    {"difference_half", FIELD_REAL, AT (difference_half),
     "half of the 95 % interval of that", .decimals = 1, .scale = 100},
};
#undef AT
const struct sheet comparison_measure_sheet = {
    "measure", SHEET_FIELDS (measure_fields)};

#define AT(member) FIELD_AT (struct comparison_row, member)
#define MEASURE(text, i, words, of)                    \
    {                                                  \
        text, FIELD_GROUP, AT (measure[i]), words, of, \
            .group = &comparison_measure_sheet                    \
    }
static const struct field comparison_row_fields[] = {
    {"scene", FIELD_CHARS, AT (scene_text),
     "what tells the scene from others: machine, workload, load",
     .title = "scene"},
    {"policy", FIELD_CHARS, AT (policy_text),
     "what tells the policy from others", .title = "policy"},
    {"seeds", FIELD_COUNT, AT (seeds), "how many seeds"},
    {"jobs_run", FIELD_COUNT, AT (ran),
     "jobs that ran to their end, over all seeds"},
    {"saturated", FIELD_COUNT, AT (saturated),
     "seeds of which the simulation is saturated, if there are any: the queue "
     "grew over the run or was never short again, so that waits tell how long "
     "the run is",
     .when = field_is_set},
    {"rejected", FIELD_COUNT, AT (rejected), "jobs that can never run there"},
    {"killed", FIELD_COUNT, AT (killed),
     "jobs that started and did not run to their end"},
    {"hopeless", FIELD_COUNT, AT (hopeless),
     "with --mtbf: jobs that can hardly ever finish, if there are any; with "
     "several policies they are not compared",
     .when = field_is_set},
    {"compared", FIELD_COUNT, AT (compared),
     "of the jobs that ran, those that response, wait, bounded_slowdown and "
     "average are means of: every policy of the scene ran them, and they are "
     "not hopeless"},
    {"accepted", FIELD_REAL, AT (accepted),
     "the offered load without the jobs that were rejected",
     .scale = 100},
    MEASURE ("response", 0, "from submission to finish", "s"),
    MEASURE ("wait", 1, "from submission to start", "s"),
    MEASURE ("bounded_slowdown", 2,
             "response over run time, of at least 10 s, at least 1", NULL),
    MEASURE ("utilization", 3, "node-time that jobs asked for, of all", NULL),
    MEASURE ("average", 4, "distance between two nodes of a job", "hops"),
};
#undef MEASURE
#undef AT
const struct sheet comparison_row_sheet = {
    "standing", SHEET_FIELDS (comparison_row_fields)};
