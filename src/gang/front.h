/* front.h - rank 0: jobs come in here, and what they print goes out. Its parts
 * are in front_parts.h. */
#ifndef TORI_GANGRUN_FRONT_H
#define TORI_GANGRUN_FRONT_H

#include "rank.h"

/* Read the jobs, and open the report and the socket, as configured. TORI_NEVER
 * for a job that is larger than the machine. */
int front_open (struct rank *rank);
void front_close (struct rank *rank);

/* All is over: nobody is heard any more, and the report is written. */
int front_finish (struct rank *rank, tori_error *err);

/* Submit what has come, and answer when the next does; the run ends when
 * nothing more can come. */
int64_t front_step (struct rank *rank);
void front_watch (struct rank *rank);

/* Messages: of a job, what its processes print, whom input may be sent to,
 * how the run is, how a process was switched, that a rank is ready for the
 * next era, what it knows of its clock, and that mpirun is gone. */
rank_handler front_placed, front_asleep, front_ended;
rank_handler front_output, front_credit;
rank_handler front_told, front_switch, front_ready, front_clock;
rank_handler front_alone;

/* The run is to end: with the last of its jobs, or now, and they are killed.
 */
void front_stop (struct rank *rank, bool now);

/* A rank has died. */
void front_lost (struct rank *rank, uint32_t dead);

#endif
