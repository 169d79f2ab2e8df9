/* cutter.h - the lines of a log, cut out of one buffer in place.
 *
 * A log has some 10^5 lines of some 100 bytes each, and a simulation keeps at
 * most a record of each line. Anyone may pass a file that is not a log, so the
 * longest line is bounded. */
#ifndef TORI_WORKLOAD_CUTTER_H
#define TORI_WORKLOAD_CUTTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"

struct cutter {
    struct source *source;
    char *buffer;      /* one byte more than its size, to end the last line */
    size_t start, end; /* the bytes in it that are not cut out yet */
    bool ended;        /* the source has no more */
    bool quoted;       /* a line goes on while a " is open */
    char *line;        /* last cut out, ended by a NUL for its newline */
    size_t size;
    uint64_t number;   /* of the line, or of its first one */
    uint64_t more;     /* further lines that are in it */
};

/* Takes the source over, also when it fails: cutter_close in any case. */
int cutter_open (struct cutter *cutter, struct source *source,
                 tori_error *err);
void cutter_close (struct cutter *cutter);

/* Cut the next line out of the buffer: 1, 0 at the end, -1 as source_read
 * fails, and with TORI_INVALID for a line longer than 64 KiB. */
int cutter_next (struct cutter *cutter, tori_error *err);

/* Fail with TORI_INVALID, "FILE:LINE: " of the line last cut and this. */
int cutter_fail (const struct cutter *cutter, tori_error *err,
                 const char *fmt, ...) __attribute__ ((format (printf, 3, 4)));

/* The same if there is a NUL byte in the line. */
int cutter_check_nul (const struct cutter *cutter, tori_error *err);

#endif
