/* tori plan - off-line plans: all jobs are known beforehand. Each row of the
 * table is a kind of plan. */
#include "commands.h"

/* In the order of the help. */
static const struct command *const commands[] = {
    &command_plan_contention,
    &command_plan_preemptive,
    NULL,
};

const struct command command_plan = {
    .name = "plan",
    .summary = "Plan jobs that are all known in advance",
    .notes = "See 'tori help plan COMMAND' for each kind of plan.",
    .commands = commands,
    .examples =
        "tori plan contention --machine torus:8x8 --jobs FILE\n"
        "tori plan preemptive --machine torus:16x16 --jobs FILE --min",
};
