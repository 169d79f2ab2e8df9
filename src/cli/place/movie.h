/* movie.h - a simulation as it happens, in a terminal: tori sim --watch.
 *
 *     movie_open (machine, workload, 0, &movie, err);
 *     ... movie_pass (movie, sched, now, until, err) ...
 *     movie_close (movie);
 *
 * A simulation is a thousand times faster than anybody can watch. So it waits
 * until the time that it is about to pass has passed on the screen, at the
 * chosen speed.
 */
#ifndef TORI_CLI_MOVIE_H
#define TORI_CLI_MOVIE_H

#include <tori/workload.h>

struct movie;

/* `speed` is the simulated time per second on the screen. With 0, all jobs
 * would take a minute if none waited. TORI_INVALID if there is no terminal. */
int movie_open (const tori_machine *machine, const tori_workload *workload,
                tori_time speed, struct movie **ret_movie, tori_error *err);

/* Show the scheduler in its present state until the time `until`. Its tags are
 * indexes of the workload. Fails if the user ends the program. */
int movie_pass (struct movie *movie, const tori_sched *sched, tori_time now,
                tori_time until, tori_error *err);

/* Leave the terminal as it was, and end the program if the user did. NULL is
 * allowed. */
void movie_close (struct movie *movie);

#endif
