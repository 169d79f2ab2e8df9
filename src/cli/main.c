/* tori - the command. A row of the table below is a subcommand; each has a
 * file of its own. */
#include <string.h>

#include <tori/version.h>

#include "cell.h"
#include "commands.h"
#include "config.h"
#include "page.h"
#include "startup.h"

/* In the order of the help. */
static const struct command *const commands[] = {
    &command_place,
    &command_wire,
    &command_twist,
    &command_map,
    &command_why,
    &command_forecast,
    &command_what_if,
    &command_defrag,
    &command_sim,
    &command_compare,
    &command_sweep,
    &command_report,
    &command_decide,
    &command_submit,
    &command_run,
    &command_queue,
    &command_history,
    &command_show,
    &command_top,
    &command_wait,
    &command_logs,
    &command_change,
    &command_cancel,
    &command_hold,
    &command_release,
    &command_suspend,
    &command_requeue,
    &command_slurm,
    &command_nodes,
    &command_drain,
    &command_resume,
    &command_reserve,
    &command_queues,
    &command_users,
    &command_shadow,
    &command_plan,
    &command_net,
    &command_gang,
    &command_paper,
    &command_list,
    &command_help,
    &command_completion,
    NULL,
};

/* src/cli/ has a folder for each; service/ also has the commands that
 * administer it. */
static const struct command_group groups[] = {
    {"Place and explain", &command_place},
    {"Simulate and compare", &command_sim},
    {"Use a running service", &command_submit},
    {"Administer it", &command_nodes},
    {"Laboratory", &command_plan},
    {"Find your way", &command_list},
    {NULL, NULL},
};

struct values {
    bool version;
};

static const struct option options[] = {
    {"version", OPTION_FLAG, offsetof (struct values, version),
     .help = "print the version"},
    {.name = NULL},
};

static int run_tori (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    if (!v->version)
        return tori_error_set (err, TORI_INVALID,
                               "no command given; see 'tori --help'");
    fprintf (out, "tori %s\n", tori_version ());
    return 0;
}

static const struct page_ref also[] = {{"tori json", 5}, {NULL, 0}};

const struct command command_tori = {
    .name = "tori",
    .summary = "Place and schedule jobs on mesh, torus and multi-torus "
               "machines",
    .notes = "'tori help COMMAND' explains a command, 'tori help machines' "
             "how machines and nodes are written, 'tori help times' how times "
             "are, 'tori help files' the formats of files, and 'tori help "
             "json' the fields of JSON answers.",
    .options = options,
    .size = sizeof (struct values),
    .commands = commands,
    .groups = groups,
    .also = also,
    .status = {[3] = "not now: it does not fit, or misses the deadline",
               [4] = "never on this machine"},
    .ranks = true,
    .examples = "tori place --machine torus:8x8x8 --shape 4x4x2\n"
                "tori sim --machine multitorus:8x8x8 --wiring torus",
    .run = run_tori,
};

int main (int argc, char **argv)
{
    if (argc == 2 && !strcmp (argv[1], CELLS_WORD))
        return cells_serve ();
    return startup (&command_tori, launched_first, argc, argv);
}
