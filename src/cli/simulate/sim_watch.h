/* sim_watch.h - a simulation as it happens, in a terminal: tori sim --watch.
 *
 *     sim_watch_open (machine, workload, 0, &watch, err);
 *     ... sim_watch_pass (watch, sched, now, until, err) ...
 *     sim_watch_close (watch);
 *
 * A simulation is a thousand times faster than anybody can watch. So it waits
 * until the time that it is about to pass has passed on the screen, at the
 * chosen speed.
 */
#ifndef TORI_CLI_SIM_WATCH_H
#define TORI_CLI_SIM_WATCH_H

#include <tori/workload.h>

struct sim_watch;

/* `speed` is the simulated time per second on the screen. With 0, all jobs
 * would take a minute if none waited. TORI_INVALID if there is no terminal. */
int sim_watch_open (const tori_machine *machine, const tori_workload *workload,
                    tori_time speed, struct sim_watch **ret_watch,
                    tori_error *err);

/* Show the scheduler in its present state until the time `until`. Its tags are
 * indexes of the workload. Fails if the user ends the program. */
int sim_watch_pass (struct sim_watch *watch, const tori_sched *sched,
                    tori_time now, tori_time until, tori_error *err);

/* Leave the terminal as it was, and end the program if the user did. NULL is
 * allowed. */
void sim_watch_close (struct sim_watch *watch);

#endif
