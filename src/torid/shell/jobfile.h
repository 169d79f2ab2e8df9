/* jobfile.h - the end of a file of a job, read as the user of the job.
 *
 * A user may name any file, or make a link to it. So torid reads none of them
 * by its own rights: a process of its own becomes the user first, for good, and
 * the kernel refuses what the user could not read. */
#ifndef TORI_TORID_JOBFILE_H
#define TORI_TORID_JOBFILE_H

#include <stdint.h>

#include <tori/error.h>

/* Become this user. Without root's rights only torid's own user is possible. */
int jobfile_become (const char *user, tori_error *err);

/* The end of a file. */
struct jobfile {
    char *text; /* to be freed; bytes that are 0 are blanks */
    uint64_t from, size; /* where it begins in the file, which has so many */
};

/* Read at most so many bytes; waits for nothing. */
int jobfile_read (const char *path, uint64_t most, struct jobfile *ret_file,
                  tori_error *err);

#endif
