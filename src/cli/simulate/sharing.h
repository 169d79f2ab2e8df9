/* sharing.h - the options of time sharing. */
#ifndef TORI_CLI_SHARING_H
#define TORI_CLI_SHARING_H

#include <tori/sim.h>

#include "names.h"
#include "number.h"
#include "options.h"

/* As typed; zero, or -1 for a choice, if not given. */
struct sharing {
    struct fraction slot;
    struct fraction switch_cost;
    int switch_model;
    int64_t clock;
    int64_t buffer;
    struct fraction hop;
    int64_t degree;
    int branch;
};

/* Rows of option tables, for values that hold a struct sharing `sharing`. The
 * prefix says whose options they are. */
#define SHARING_AT(values, member) .offset = offsetof (values, sharing.member)
#define SHARING_OPTIONS(values, prefix)                                       \
    {.name = "slot", .kind = OPTION_FRACTION, SHARING_AT (values, slot),      \
     .value = "DURATION", .unit = 1, .positive = true,                                    \
     .help = prefix "how long a slot is (default 1)"},                        \
    {.name = "switch-cost", .kind = OPTION_FRACTION,                          \
     SHARING_AT (values, switch_cost), .value = "DURATION", .unit = 1,                    \
     .help = prefix "how much of a slot is lost when another process "        \
                    "ran before (default 0)"},                                \
    {.name = "switch-model", .kind = OPTION_CHOICE,                           \
     SHARING_AT (values, switch_model), .value = "MODEL",                     \
     .choices = switch_model_names,                                           \
     .help = prefix "what the network adds to --switch-cost: nothing, or "    \
                    "with drain the most it takes to drain the partition "    \
                    "and to save and restore its routers, as in tori net "    \
                    "drain; it grows with the partition (default none)"},     \
    {.name = "clock", .kind = OPTION_INTEGER, SHARING_AT (values, clock),     \
     .value = "HZ", .min = 1, .max = INT64_C (1000000000000),                 \
     .help = prefix "with --switch-model drain: network cycles per second "   \
                    "(default 50000000)"},                                    \
    {.name = "buffer", .kind = OPTION_INTEGER, SHARING_AT (values, buffer),   \
     .value = "N", .min = 1, .max = TORI_NET_MAX_BUFFER,                      \
     .help = prefix "with --switch-model drain: flits per packet and per "    \
                    "virtual channel; a link has two (default 16)"},          \
    {.name = "hop", .kind = OPTION_FRACTION, SHARING_AT (values, hop),        \
     .value = "DURATION", .unit = 1,                                                      \
     .help = prefix "how long a message takes between nodes of the tree "     \
                    "(default 0)"},                                           \
    {.name = "degree", .kind = OPTION_INTEGER, SHARING_AT (values, degree),   \
     .value = "N", .min = 2, .max = TORI_GANG_MAX_DEGREE,                     \
     .help = prefix "how many parts a partition is split into (default 2)"},  \
    {.name = "branch", .kind = OPTION_CHOICE, SHARING_AT (values, branch),    \
     .value = "RULE", .choices = branch_names,                                \
     .help = prefix "which branch a new process goes to (default lightest)"}

/* Whether any of these options was given. */
bool sharing_given (const struct sharing *sharing);

/* A configuration, and what it points to. */
struct sharing_how {
    tori_sim_gang gang;
    tori_sim_preempt preempt;
    tori_net_config net;
};

/* The configuration that the options ask for. It points into itself.
 * TORI_INVALID for times that are too long, and for options of a model that
 * was not asked for. */
int sharing_of (const struct sharing *sharing, struct sharing_how *ret_how,
                tori_error *err);

#endif
