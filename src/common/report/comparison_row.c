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
static const struct sheet measure_sheet = {"measure",
                                           SHEET_FIELDS (measure_fields)};

#define AT(member) FIELD_AT (struct comparison_row, member)
#define MEASURE(text, i, words, of)                    \
    {                                                  \
        text, FIELD_GROUP, AT (measure[i]), words, of, \
            .group = &measure_sheet                    \
    }
static const struct field comparison_row_fields[] = {
    {"scene", FIELD_CHARS, AT (scene_text),
     "what tells the scene from others: machine, workload, load",
     .title = "scene"},
    {"policy", FIELD_CHARS, AT (policy_text),
     "what tells the policy from others", .title = "policy"},
    {"seeds", FIELD_COUNT, AT (seeds), "how many seeds"},
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
