/* planjobs.h - a file of jobs for a plan.
 *
 * One job per line: DIMENSION TIME. DIMENSION is one number, for a subtorus
 * with equal sides, or a shape such as 4x2. TIME is a decimal or a fraction,
 * taken exactly, and positive. The rest is as in lines.h.
 */
#ifndef TORI_CLI_PLANJOBS_H
#define TORI_CLI_PLANJOBS_H

#include <tori/exact.h>
#include <tori/machine.h>

struct planjob {
    uint32_t dimension; /* 0: a shape was given */
    uint32_t shape;     /* then: the index of the shape */
    size_t line;
    tori_exact time;
};

struct planjobs {
    char *name; /* the path of the file, for messages */
    struct planjob *job;
    size_t n;
    size_t room;
    tori_shape *shape; /* the shapes of jobs that have one */
    size_t shapes;
    size_t shape_room;
};

/* Read a file. TORI_INVALID if it has no job. */
int planjobs_read (const char *path, struct planjobs *ret_jobs,
                   tori_error *err);
void planjobs_clear (struct planjobs *jobs);

/* Put "FILE:LINE: " of a job in front of the text of an error. Returns -1. */
int planjobs_error (const struct planjobs *jobs, size_t i, tori_error *err);

#endif
