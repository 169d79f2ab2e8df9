/* interrupts.h - the options about interruptions of jobs. */
#ifndef TORI_CLI_INTERRUPTS_H
#define TORI_CLI_INTERRUPTS_H

#include <tori/sim.h>

#include "names.h"
#include "number.h"
#include "options.h"

/* As typed; zero, or -1 for a choice, if not given. */
struct interrupts {
    const char *failures;
    struct fraction mtbf;
    struct fraction mttr;
    int on_failure;
    struct fraction checkpoint;
    int64_t restarts;
    struct fraction urgent;
    int preempted;
    bool moves;
    struct fraction move_cost;
    const char *late;
};

/* The defaults of options: see `otherwise` of struct option. */
const char *interrupts_mttr (const void *values, const void *slot);
const char *interrupts_on_failure (const void *values, const void *slot);
const char *interrupts_restarts (const void *values, const void *slot);
const char *interrupts_preempted (const void *values, const void *slot);

/* Rows of option tables, for values that hold a struct interrupts
 * `interrupts`. */
#define INTERRUPTS_AT(values, member)                                         \
    .offset = offsetof (values, interrupts.member)
#define INTERRUPTS_OPTIONS(values)                                            \
    {.name = "failures", .kind = OPTION_STRING,                               \
     INTERRUPTS_AT (values, failures), .value = "FILE", .file = FILE_READ,    \
     .without = "mtbf",                                                       \
     .help = "what goes down and comes up, and when: lines of TIME, a node, " \
             "box or link, and down or up; see 'tori help files'"},           \
    {.name = "mtbf", .kind = OPTION_FRACTION, INTERRUPTS_AT (values, mtbf),   \
     .value = "HOURS", .unit = 3600, .positive = true, .none = true,                        \
     .help = "nodes fail at random: the mean time to the next failure of a "  \
             "node; with the same --seed every scheduler meets the same "     \
             "failures; none: nothing fails, as if the option were not "      \
             "given, for a comparison"},                                      \
    {.name = "mttr", .kind = OPTION_FRACTION, INTERRUPTS_AT (values, mttr),   \
     .value = "HOURS", .unit = 3600, .positive = true, .with = "mtbf",                      \
     .otherwise = interrupts_mttr,                                            \
     .help = "the mean time until a node that failed is up again (default "   \
             "4)"},                                                           \
    {.name = "on-failure", .kind = OPTION_CHOICE,                             \
     INTERRUPTS_AT (values, on_failure), .value = "RULE",                     \
     .choices = on_failure_names, .with = "failures mtbf",                    \
     .otherwise = interrupts_on_failure,                                      \
     .help = "what happens to a job when a node or link fails under it: it "  \
             "is requeued in its old place (requeue, the "                    \
             "default), it is killed, or it continues in a free place "       \
             "nearby, and is requeued only if there is none (repair)"},       \
    {.name = "checkpoint", .kind = OPTION_FRACTION,                           \
     INTERRUPTS_AT (values, checkpoint), .value = "DURATION", .unit = 1,                  \
     .positive = true, .with = "failures mtbf urgent",                        \
     .help = "jobs save their work this often, at no cost, and continue "     \
             "from there when they are started again; if not given, they "    \
             "start over"},                                                   \
    {.name = "restarts", .kind = OPTION_INTEGER,                              \
     INTERRUPTS_AT (values, restarts), .value = "N", .min = 1,                \
     .max = UINT32_MAX, .with = "failures mtbf",                              \
     .otherwise = interrupts_restarts,                                        \
     .help = "how often a job is started again after a failure; the next "    \
             "one kills it (default 100)"},                                   \
    {.name = "urgent", .kind = OPTION_FRACTION,                               \
     INTERRUPTS_AT (values, urgent), .value = "SHARE", .max = 1,              \
     .positive = true,                                                        \
     .help = "this share of the jobs, chosen at random by --seed, is urgent: "\
             "urgent jobs go first in the queue, and may preempt running "    \
             "jobs that are not urgent"},                                     \
    {.name = "preempted", .kind = OPTION_CHOICE,                              \
     INTERRUPTS_AT (values, preempted), .value = "RULE",                      \
     .choices = preempted_names, .with = "urgent",                            \
     .otherwise = interrupts_preempted,                                       \
     .help = "what happens to a job that an urgent one preempts: it "         \
             "is requeued (requeue, the default), it stops and continues "    \
             "where it was (suspend), or it is killed; with never, urgent "   \
             "jobs only go first in the queue"},                              \
    {.name = "moves", .kind = OPTION_FLAG, INTERRUPTS_AT (values, moves),     \
     .help = "running jobs are moved to make room for others when that "      \
             "gains more node-time than it costs"},                           \
    {.name = "move-cost", .kind = OPTION_FRACTION,                            \
     INTERRUPTS_AT (values, move_cost), .value = "DURATION", .unit = 1,                   \
     .with = "moves on-failure",                                              \
     .help = "how long a job that is moved or repaired stands still "         \
             "(default 0)"},                                                  \
    {.name = "late", .kind = OPTION_STRING, INTERRUPTS_AT (values, late),     \
     .value = "TIME[:SHARE]", .parse = interrupts_late,                       \
     .help = "the scheduler hears of the end of a job so much after it, such "\
             "as 2s, and the nodes are held until then, as in a service; "    \
             "with a share, such as 1m:0.2, only for this part of the jobs, " \
             "chosen at random by --seed"}

/* Check a time and share of --late. */
int interrupts_late (const char *text, void *to, tori_error *err);

/* Whether anything happens to jobs; and whether that may stop them. */
bool interrupts_given (const struct interrupts *typed);
bool interrupts_stop (const struct interrupts *typed);

/* The configuration that the options ask for, on this machine. It holds a list
 * that interrupts_clear releases. */
int interrupts_read (const struct interrupts *typed,
                     const tori_machine *machine, uint64_t seed,
                     tori_sim_interrupts *ret_interrupts, tori_error *err);

/* The members of the scheduler's configuration. */
int interrupts_sched (const struct interrupts *typed,
                      tori_sched_config *sched, tori_error *err);
void interrupts_clear (tori_sim_interrupts *interrupts);

#endif
