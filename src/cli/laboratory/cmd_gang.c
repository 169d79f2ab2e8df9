/* tori gang - time-space sharing by the distributed queue tree. Each row of
 * the table is a subcommand. */
#include "commands.h"

/* In the order of the help. */
static const struct command *const commands[] = {
    &command_gang_table,
    &command_gang_sim,
    &command_gang_run,
    &command_gang_submit,
    &command_gang_pipe,
    &command_gang_status,
    &command_gang_logs,
    &command_gang_wait,
    &command_gang_cancel,
    &command_gang_stop,
    NULL,
};

const struct command command_gang = {
    .name = "gang",
    .summary = "Share a machine in time and space: the queue tree",
    .notes = "The machine is split in two again and again, and every "
             "partition has a run queue. A process has its partition to "
             "itself for one time slot. See 'tori help gang COMMAND'.",
    .commands = commands,
    .ranks = true,
    .examples = "tori gang table --levels 3 --queues "
                "0:2,1:2,2:1,3:1,4:2,5:3,6:2 --slots 12\n"
                "tori gang sim --machine mesh:8x8 --load 0.99",
};
