/* outfile.h - output files that appear whole or not at all.
 *
 *     struct outfile *out;
 *     if (outfile_create (path, &out, err) < 0)
 *         return -1;
 *     fprintf (outfile_stream (out), ...);
 *     return outfile_end (out, 0, err);
 *
 * Output goes to a file without a name in the directory of `path`. It gets its
 * name when it is committed. So a run that fails half way, fills the disk or
 * is killed leaves what was there before, and nothing else. On file systems
 * without such files it has a name of its own until then, .tori-PID-N.tmp. A
 * program that wants to leave none behind calls outfile_remove_all when a
 * signal ends it. A symbolic link stays a link: the file that it leads to is
 * replaced. If `path` exists and is not a regular file (/dev/null, a pipe), it
 * is written to directly. "-" is standard output.
 */
#ifndef TORI_BASE_OUTFILE_H
#define TORI_BASE_OUTFILE_H

#include <stdio.h>

#include <tori/error.h>

struct outfile;

/* Begin. TORI_FAILED with "PATH: reason" if it cannot be written there. */
int outfile_create (const char *path, struct outfile **ret_out,
                    tori_error *err);

/* Whether it could be, as far as can be told without changing anything: what
 * is written to directly is not opened. */
int outfile_probe (const char *path, tori_error *err);

/* The same as outfile_create; where the path ends in .gz, what is written is
 * packed by gzip: the same bytes for the same text, neither a time nor the
 * name of the system is in them. */
int outfile_create_packed (const char *path, struct outfile **ret_out,
                           tori_error *err);

/* The stream to write to; it belongs to the outfile. Its errors need not be
 * looked at: they stick, and committing reports them. */
FILE *outfile_stream (struct outfile *out);

/* The failure that the stream has met so far, if any: for a long output that
 * should not go on in vain. 0, or -1 with TORI_FAILED. */
int outfile_check (struct outfile *out, tori_error *err);

/* Remove what is under the name now, so that nobody takes it for what is to
 * come: for an output that is written long after it was begun. A file that is
 * written to directly is left alone. 0, or -1 with TORI_FAILED. */
int outfile_clear (const struct outfile *out, tori_error *err);

/* Bring everything to the disk and give it its name. On failure nothing has
 * changed under that name. At most once. */
int outfile_commit (struct outfile *out, tori_error *err);

/* Remove the temporary files that this process has open, in whatever thread,
 * and that have a name. For a handler of a signal that ends the process: it is
 * async-signal-safe, and needs no list of them, since the system has one. */
void outfile_remove_all (void);

/* Close and free; what was not committed is gone. NULL is allowed. */
void outfile_destroy (struct outfile *out);

/* Commit if `status` is 0, and destroy in any case. Returns the status, or -1
 * if committing fails. */
int outfile_end (struct outfile *out, int status, tori_error *err);

#endif
