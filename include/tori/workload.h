/* tori/workload.h - what jobs arrive: job logs, models, and how a number of
 * processors becomes a shape.
 *
 * Logs are in the Standard Workload Format 2.2 of the Parallel Workloads
 * Archive, or tables whose first line names the columns, plain or compressed by
 * gzip, read as a stream. A workload is the
 * list of jobs made from a log or a model, ready for the simulator: sorted by
 * submission, ties in log order.
 */
#ifndef TORI_WORKLOAD_H
#define TORI_WORKLOAD_H

#include <tori/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ticks in a second wherever this library itself drives the scheduler. */
#define TORI_SECOND INT64_C (1000000)

/* No time of a job in a log may be longer: some 300 years. */
#define TORI_MAX_SECONDS INT64_C (10000000000)

/* ---- Standard Workload Format ---- */

/* A record: the 18 fields in their order; -1 is "unknown", and nothing else is
 * negative. Times in seconds, which some logs give with decimals; 15
 * significant digits are kept. */
typedef struct tori_swf_record {
    int64_t job;
    double submit;
    double wait;
    double runtime;
    int64_t procs; /* allocated */
    double cpu_time;
    double memory;
    int64_t asked_procs;
    double asked_time;
    double asked_memory;
    int64_t status;
    int64_t user;
    int64_t group;
    int64_t app;
    int64_t queue;
    int64_t partition;
    int64_t after_job;
    double think_time;
} tori_swf_record;

typedef struct tori_swf_reader tori_swf_reader;

/* Open a log, "-" for standard input. It is decompressed if it begins like
 * gzip data, whatever its name. Reads the header, the comment lines in front
 * of the first record. Fails as tori_swf_next does, and with TORI_FAILED and
 * "FILE: reason" when it cannot be opened. */
int tori_swf_open (const char *path, tori_swf_reader **ret_reader,
                   tori_error *err);
void tori_swf_close (tori_swf_reader *reader);

/* The value of a header field such as "MaxProcs" (the first of that name, in
 * upper or lower case), or NULL. Valid until the reader is closed. Of a header
 * of more than 1000 fields the first 1000 are kept. */
const char *tori_swf_header (const tori_swf_reader *reader, const char *name);

/* Read the next record: 1 when there was one, 0 at the end, -1 on an error:
 * TORI_INVALID with "FILE:LINE: what is wrong" for a malformed line (one that
 * is longer than 64 KiB included) and for truncated or damaged gzip data,
 * TORI_FAILED for I/O. Empty lines and comments are skipped.
 *
 * Job number, submit time, run time, both numbers of processors and requested
 * time must be valid, as the workload is made of them. An invalid value of
 * another field is read as -1, and further fields at the end of a line are
 * ignored, unless the reader is strict: then the line is malformed. */
int tori_swf_next (tori_swf_reader *reader, tori_swf_record *ret_record,
                   tori_error *err);

/* The same from memory, for tests and embedding; `name` stands for the file
 * in messages. The memory must outlive the reader. */
int tori_swf_open_memory (const void *data, size_t size, const char *name,
                          tori_swf_reader **ret_reader, tori_error *err);

/* Whether to be strict from the next record on; a new reader is not. */
void tori_swf_set_strict (tori_swf_reader *reader, bool strict);

typedef struct tori_swf_writer tori_swf_writer;

/* Create a log: nothing appears under `path` until it is committed, and then
 * all of it. A path that ends in .gz is compressed; "-" is standard output.
 * Closing without committing leaves nothing behind. A full disk is reported by
 * a later write or by committing, TORI_FAILED with "PATH: reason". The same
 * records give the same bytes. */
int tori_swf_create (const char *path, tori_swf_writer **ret_writer,
                     tori_error *err);
int tori_swf_write_header (tori_swf_writer *writer, const char *name,
                           const char *value, tori_error *err);

/* Times are written to the microsecond. TORI_INVALID for what could not be
 * read back: a negative number other than -1, or NaN. */
int tori_swf_write (tori_swf_writer *writer, const tori_swf_record *record,
                    tori_error *err);

/* Let the log appear. Afterwards, and if this fails, the writer can only be
 * closed: writing to it and committing again are TORI_INVALID. While a file is
 * replaced, the signals of this thread are blocked for a moment, so that no
 * partial work is left behind. */
int tori_swf_commit (tori_swf_writer *writer, tori_error *err);
void tori_swf_writer_close (tori_swf_writer *writer);

/* ---- counts to shapes ---- */

/* How a count becomes a shape. All of them take the least volume >= count
 * that the machine's sides allow.
 *   first-match  nested loops, the first dimension outermost, from 1 up: the
 *                first exact product, else the first of the least larger one
 *                (Aridor et al., 2004, section 3)
 *   fat          the same with loops from 2, from 1 where the machine's side
 *                is 1; the least shape is 2x2x2, whatever the count
 *   compact      of the shapes of that least volume the one with the smallest
 *                sum of sides, the first of those in lexicographic order */
typedef enum tori_shaping {
    TORI_SHAPE_NONE, /* stay a count */
    TORI_SHAPE_FIRST_MATCH,
    TORI_SHAPE_FAT,
    TORI_SHAPE_COMPACT
} tori_shaping;

/* "count", "first-match", "fat", "compact", NULL for anything else; and back,
 * where "none" also means a count. TORI_INVALID for any other text. */
const char *tori_shaping_name (tori_shaping shaping);
int tori_shaping_parse (const char *text, tori_shaping *ret_shaping,
                        tori_error *err);

/* Shape a count. False, with nothing written, if the machine (or one of its
 * pods) has fewer nodes or there is no such shaping. With TORI_SHAPE_NONE the
 * shape has no dimensions. On a pod the shape fits a box of all cubes: where
 * they are, or, of cubes without places, the one whose sides have the smallest
 * sum, 16x16x16 for pod:64/4x4x4. */
bool tori_shape_count (const tori_machine *machine, tori_shaping shaping,
                       uint32_t count, tori_shape *ret_shape);

/* ---- estimates ---- */

/* Which run time of a job the scheduler is told.
 *   raised  the requested time of the log, or the run time if that is longer
 *   log     the requested time: jobs that ran longer outlive their estimates
 *   exact   the run time
 * Where a log has no requested time it is the run time in any case. */
typedef enum tori_estimates {
    TORI_ESTIMATES_RAISED,
    TORI_ESTIMATES_LOG,
    TORI_ESTIMATES_EXACT
} tori_estimates;

/* "raised", "log", "exact", NULL for anything else. */
const char *tori_estimates_name (tori_estimates estimates);

/* ---- workloads ---- */

/* Whose a job is, as numbers of its log; -1 is unknown, as in a model. */
typedef struct tori_work_owner {
    int64_t user;
    int64_t group;
    int64_t app;
    int64_t queue;
    int64_t partition;
} tori_work_owner;

/* C only: of nobody. */
#define TORI_NO_OWNER ((tori_work_owner){-1, -1, -1, -1, -1})

/* What a number of an owner stands for, as a line of the header of a log:
 * "Queue" and "3 batch". */
typedef struct tori_work_label {
    const char *field; /* see tori_work_label_field */
    char *text;
} tori_work_label;

/* The fields in the order of tori_work_owner: "User", "Group", "Executable",
 * "Queue", "Partition"; NULL past the end. */
const char *tori_work_label_field (size_t i);

typedef struct tori_work {
    int64_t id; /* in the log; 1, 2, ... in a model */
    tori_time submit;
    tori_time runtime;
    tori_time estimate; /* less than the runtime only with
                           TORI_ESTIMATES_LOG */
    uint32_t asked;     /* nodes; the request may round up */
    tori_request request;
    tori_work_owner owner;
} tori_work;

typedef struct tori_workload {
    tori_work *jobs;
    size_t n;
    size_t unusable; /* records without a size or a runtime */
    size_t outlived; /* jobs that ran longer than the time they requested */

    /* From the header of a log: the processors of the machine it comes from
     * (MaxProcs, else MaxNodes), 0 if it does not say, and the Unix time of
     * its second 0 (UnixStartTime), -1 if it does not. */
    int64_t log_procs;
    int64_t log_start;
    double offered;  /* load, see tori_workload_offered */

    tori_work_label *labels; /* as far as the log has them */
    size_t nlabels;
} tori_workload;

/* How a workload is made; see tori_alloc_config for `size`. */
typedef struct tori_workload_options {
    size_t size;
    tori_shaping shaping;
    tori_wiring wiring;
    double torus_fraction; /* with TORI_WIRE_TORUS: the rest is mesh */
    bool wrap;
    bool fixed;
    double load;           /* stretch arrivals to this offered load; 0: not;
                              a model of boxes draws them at this load */
    int64_t scale_num;     /* multiply sizes, rounded up, by num/den; 0: 1 */
    int64_t scale_den;
    int64_t procs_per_node; /* 0: 1 */
    size_t limit;           /* only this many runnable jobs; 0: all */
    uint64_t seed;
    size_t jobs; /* of a model */
    bool strict; /* read a log with tori_swf_set_strict */
    tori_estimates estimates; /* of a log; those of a model are exact */
    double count_fraction; /* so many of the jobs ask for a count, without a
                              shape or wiring, drawn by the seed; 0: none */
    uint64_t flags; /* of the requests for shapes: TORI_REQUEST_FOLD */
    const char *durations; /* of rfold: a file of run times; NULL: none */
} tori_workload_options;

/* C only: temporary ones, valid until the end of the enclosing block:
 *
 *     tori_workload_read (path, machine, TORI_WORKLOAD (.load = 0.8), ...)
 */
#define TORI_WORKLOAD(...)                                                    \
    (&(const tori_workload_options){.size = sizeof (tori_workload_options),   \
                                    __VA_ARGS__})

/* Read a log into a workload, which the caller clears. It is a table if its
 * first line names columns, as `sacct --parsable2` prints them or in CSV: `tori
 * help files` lists the names. With shapes of its own, sizes cannot be scaled;
 * with wirings of its own, those of the options are for jobs without.
 *
 * A record is runnable
 * when it has a positive size (asked, else allocated), a runtime of 0 or more
 * and a submit time. Its estimate follows from options->estimates. A job
 * larger than the machine stays in the workload with a request by count,
 * whatever the shaping: the scheduler rejects it.
 *
 * With TORI_WIRE_TORUS every runnable job, in log order, gets a random draw
 * from the seed and is a torus if that is below torus_fraction: a torus at one
 * fraction is a torus at every larger one.
 *
 * TORI_INVALID for a malformed log, for options out of range, for a load that
 * no stretching gives (all jobs arrive at once) and for times beyond
 * TORI_MAX_SECONDS, or that add up to more than half of TORI_TIME_MAX. */
int tori_workload_read (const char *path, const tori_machine *machine,
                        const tori_workload_options *options,
                        tori_workload *ret_workload, tori_error *err);

/* The same from a reader of any kind, which stays strict if it is. A table must
 * be read from its beginning. */
int tori_workload_from_swf (tori_swf_reader *reader,
                            const tori_machine *machine,
                            const tori_workload_options *options,
                            tori_workload *ret_workload, tori_error *err);

/* Make a workload of options->jobs jobs by a model.
 *
 *   lublin      of Lublin and Feitelson, 2003: counts and a daily cycle; scale
 *               and shapes apply as they do to a log
 *   isomorphic, cubic, noncubic
 *               of Kang et al., 2003: boxes with uniform sides per dimension
 *               (one power of two for all, a power of two each, any), Poisson
 *               arrivals, exponential service of mean one second. Jobs ask for
 *               the box itself by any shaping but TORI_SHAPE_NONE, which makes
 *               them counts. The mean rate of arrivals is load * nodes / mean
 *               volume, so the offered load of a sample is near what is asked
 *               for; one job per second without a load. Boxes and service
 *               times depend only on seed and model, not on the load.
 *               TORI_INVALID for a scale other than 1.
 *   rfold       of RFold, 2025: lines, planes and boxes of even sides, for
 *               cubes of 4x4x4 nodes; of a machine the number of nodes counts.
 *               Arrivals are Poisson at the load, else every five hours. Run
 *               times are drawn from options->durations: a file with one per
 *               line, or behind the last comma of a line; lines that begin
 *               with # and run times of 0 do not count. Without a file they
 *               follow those of the Philly log. TORI_INVALID for a scale, and
 *               for a machine without three dimensions or of less than 64 or
 *               more than 2^17 nodes. */
int tori_workload_model (const char *name, const tori_machine *machine,
                         const tori_workload_options *options,
                         tori_workload *ret_workload, tori_error *err);

typedef struct tori_model_info {
    const char *name;
    const char *summary;
} tori_model_info;

/* The i-th model, or NULL past the end. */
const tori_model_info *tori_model_list (size_t i);

/* Asked node-time over nodes times the span of submissions, of the jobs no
 * larger than the machine; 0 when the span is 0. */
double tori_workload_offered (const tori_workload *workload,
                              const tori_machine *machine);

/* Release the jobs and empty it. */
void tori_workload_clear (tori_workload *workload);

#ifdef __cplusplus
}
#endif

#endif
