/* scratch.h - a folder for files that a job shares in memory, and for whatever
 * else is useless after its end. It is in /dev/shm, or else in /tmp. */
#ifndef TORI_PROCESS_SCRATCH_H
#define TORI_PROCESS_SCRATCH_H

enum { SCRATCH_PATH = 128 };

/* The calling process has one such folder. -1 with errno, and the path
 * is "". */
int scratch_make (char path[SCRATCH_PATH]);

/* Remove it with all that is in it. */
void scratch_remove (const char *path);

/* Remove those of processes that have been killed. */
void scratches_sweep (void);

#endif
