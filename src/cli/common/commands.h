/* commands.h - the subcommands, a file each: cmd_NAME.c. */
#ifndef TORI_CLI_COMMANDS_H
#define TORI_CLI_COMMANDS_H

#include "options.h"

/* The root command; the others are its subcommands. */
extern const struct command command_tori;

extern const struct command command_cancel;
extern const struct command command_change;
extern const struct command command_compare;
extern const struct command command_completion;
extern const struct command command_decide;
extern const struct command command_defrag;
extern const struct command command_drain;
extern const struct command command_forecast;
extern const struct command command_gang;
extern const struct command command_gang_cancel;
extern const struct command command_gang_logs;
extern const struct command command_gang_pipe;
extern const struct command command_gang_run;
extern const struct command command_gang_sim;
extern const struct command command_gang_status;
extern const struct command command_gang_stop;
extern const struct command command_gang_submit;
extern const struct command command_gang_table;
extern const struct command command_gang_wait;
extern const struct command command_help;
extern const struct command command_history;
extern const struct command command_hold;
extern const struct command command_list;
extern const struct command command_logs;
extern const struct command command_map;
extern const struct command command_net;
extern const struct command command_net_drain;
extern const struct command command_nodes;
extern const struct command command_paper;
extern const struct command command_place;
extern const struct command command_plan;
extern const struct command command_plan_contention;
extern const struct command command_plan_preemptive;
extern const struct command command_queue;
extern const struct command command_queues;
extern const struct command command_release;
extern const struct command command_report;
extern const struct command command_requeue;
extern const struct command command_reserve;
extern const struct command command_resume;
extern const struct command command_run;
extern const struct command command_shadow;
extern const struct command command_show;
extern const struct command command_sim;
extern const struct command command_slurm;
extern const struct command command_slurm_topology;
extern const struct command command_submit;
extern const struct command command_suspend;
extern const struct command command_sweep;
extern const struct command command_top;
extern const struct command command_users;
extern const struct command command_wait;
extern const struct command command_what_if;
extern const struct command command_why;
extern const struct command command_wire;
extern const struct command command_twist;

#endif
