/* front.h - rank 0: jobs come in here, and their output goes out. Its parts
 * are in front_parts.h. */
#ifndef TORI_GANGRUN_FRONT_H
#define TORI_GANGRUN_FRONT_H

#include "rank.h"

/* Read the jobs, and open the report and the socket, as configured. TORI_NEVER
 * for a job that is larger than the machine. */
int front_open (struct rank *rank);
void front_close (struct rank *rank);

/* Stop listening and write the report; the run has ended. */
int front_finish (struct rank *rank, tori_error *err);

/* Submit the jobs that have come, and return when the next one is due. The run
 * ends when none can come any more. */
int64_t front_step (struct rank *rank);
void front_watch (struct rank *rank);

/* Messages: of a job, the output of its processes, which process takes input,
 * the state of the run, how a process was switched, that a rank is ready for
 * the next era, its clock, and that mpirun is gone. */
rank_handler front_placed, front_asleep, front_ended;
rank_handler front_output, front_credit;
rank_handler front_told, front_switch, front_ready, front_clock;
rank_handler front_alone;

/* End the run: with the last of its jobs, or now, by killing them. */
void front_stop (struct rank *rank, bool now);

/* A rank has died. */
void front_lost (struct rank *rank, uint32_t dead);

#endif
