/* tori/workload.h - what jobs arrive: job logs, models, and how a number of
 * processors becomes a shape.
 *
 * A log is in the Standard Workload Format 2.2 of the Parallel Workloads
 * Archive, or it is a table whose first line names the columns. It is plain or
 * compressed by gzip, and read as a stream. A workload is the list of jobs
 * made from a log or a model, ready for the simulator: sorted by submission,
 * ties in log order.
 */
#ifndef TORI_WORKLOAD_H
#define TORI_WORKLOAD_H

#include <tori/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ticks in a second wherever this library itself drives the scheduler. */
#define TORI_SECOND INT64_C (1000000)

/* The longest time that a job in a log may have: some 300 years. */
#define TORI_MAX_SECONDS INT64_C (10000000000)

/* ---- Standard Workload Format ---- */

/* A record: the 18 fields in order. -1 is "unknown"; nothing else is negative.
 * Times are in seconds, which some logs give with decimals; 15 significant
 * digits are kept. */
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

/* Open a log; "-" is standard input. It is decompressed if it begins like gzip
 * data, whatever its name. This reads the header: the comment lines before the
 * first record. Fails as tori_swf_next does, and with TORI_FAILED and "FILE:
 * reason" if it cannot be opened. */
int tori_swf_open (const char *path, tori_swf_reader **ret_reader,
                   tori_error *err);
void tori_swf_close (tori_swf_reader *reader);

/* The value of a header field such as "MaxProcs" (the first of that name, in
 * upper or lower case), or NULL. Valid until the reader is closed. Only the
 * first 1000 fields of a header are kept. */
const char *tori_swf_header (const tori_swf_reader *reader, const char *name);

/* Read the next record. Returns 1 if there was one, 0 at the end, -1 on an
 * error: TORI_INVALID with "FILE:LINE: what is wrong" for a malformed line
 * (including one longer than 64 KiB) and for truncated or damaged gzip data,
 * TORI_FAILED for I/O errors. Empty lines and comments are skipped.
 *
 * The job number, submit time, run time, both numbers of processors and the
 * requested time must be valid, since the workload is made from them. An
 * invalid value in another field is read as -1, and extra fields at the end of
 * a line are ignored. If the reader is strict, such a line is malformed. */
int tori_swf_next (tori_swf_reader *reader, tori_swf_record *ret_record,
                   tori_error *err);

/* The same from memory, for tests and embedding; `name` stands for the file
 * in messages. The memory must outlive the reader. */
int tori_swf_open_memory (const void *data, size_t size, const char *name,
                          tori_swf_reader **ret_reader, tori_error *err);

/* Set whether to be strict from the next record on. A new reader is not
 * strict. */
void tori_swf_set_strict (tori_swf_reader *reader, bool strict);

typedef struct tori_swf_writer tori_swf_writer;

/* Create a log. Nothing appears under `path` until the log is committed; then
 * all of it appears. If the path ends in .gz, the log is compressed; "-" is
 * standard output. Closing without committing leaves nothing behind. A later
 * write, or the commit, reports a full disk: TORI_FAILED with "PATH: reason".
 * The same records give the same bytes. */
int tori_swf_create (const char *path, tori_swf_writer **ret_writer,
                     tori_error *err);
int tori_swf_write_header (tori_swf_writer *writer, const char *name,
                           const char *value, tori_error *err);

/* Write a record, with times to the microsecond. TORI_INVALID for what could
 * not be read back: a negative number other than -1, or NaN. */
int tori_swf_write (tori_swf_writer *writer, const tori_swf_record *record,
                    tori_error *err);

/* Make the log appear. Whether this succeeds or fails, the writer can then
 * only be closed: writing or committing again is TORI_INVALID. While a file is
 * replaced, this thread's signals are blocked for a moment, so that no partial
 * work is left behind. */
int tori_swf_commit (tori_swf_writer *writer, tori_error *err);
void tori_swf_writer_close (tori_swf_writer *writer);

/* ---- counts to shapes ---- */

/* How a count becomes a shape. Each takes the least volume >= count that the
 * machine's sides allow.
 *   first-match  nested loops, the first dimension outermost, from 1 up: the
 *                first exact product, else the first of the least larger one
 *                (Aridor et al., 2004, section 3)
 *   fat          the same with loops from 2, from 1 where the machine's side
 *                is 1; the least shape is 2x2x2, whatever the count
 *   compact      of the shapes of that least volume the one with the smallest
 *                sum of sides, the first of those in lexicographic order
 *   as-given     a job of a log or model that has a shape of its own keeps it;
 *                other jobs stay counts */
typedef enum tori_shaping {
    TORI_SHAPE_NONE, /* stay a count */
    TORI_SHAPE_FIRST_MATCH,
    TORI_SHAPE_FAT,
    TORI_SHAPE_COMPACT,
    TORI_SHAPE_AS_GIVEN
} tori_shaping;

/* "count", "first-match", "fat", "compact", "as-given"; NULL for anything else. When
 * parsing, "none" also means a count; any other text is TORI_INVALID. */
const char *tori_shaping_name (tori_shaping shaping);
int tori_shaping_parse (const char *text, tori_shaping *ret_shaping,
                        tori_error *err);

/* Shape a count. Returns false and writes nothing if the machine (or one of
 * its pods) has fewer nodes, or if there is no such shaping. With
 * TORI_SHAPE_NONE and TORI_SHAPE_AS_GIVEN the shape has no dimensions. On a
 * pod the shape fits a box of all cubes. If the cubes have coordinates, that
 * is the box they form. Otherwise it is the box whose sides have the smallest
 * sum: 16x16x16 for pod:64/4x4x4. */
bool tori_shape_count (const tori_machine *machine, tori_shaping shaping,
                       uint32_t count, tori_shape *ret_shape);

/* List shapes that a job could have instead of its own: those of as many nodes
 * or more, up to `most`, that fit the machine in some rotation. The fewest
 * nodes come first, then the smallest sum of sides, then lexicographic order.
 * The sides of each are in ascending order. Rotations of the shape itself are
 * left out. Writes the first `room` of them and returns their number; 0 if the
 * shape has not as many dimensions as shapes on this machine. On a pod, shapes
 * fit a box of all cubes, as for tori_shape_count. */
size_t tori_shape_others (const tori_machine *machine, const tori_shape *shape,
                          uint64_t most, tori_shape *ret_shapes, size_t room);

/* ---- estimates ---- */

/* The run time of a job as the scheduler knows it.
 *   raised  the requested time of the log, or the run time if that is longer
 *   log     the requested time: jobs that ran longer outlive their estimates
 *   exact   the run time
 * If a log has no requested time, the estimate is always the run time. */
typedef enum tori_estimates {
    TORI_ESTIMATES_RAISED,
    TORI_ESTIMATES_LOG,
    TORI_ESTIMATES_EXACT
} tori_estimates;

/* "raised", "log", "exact", NULL for anything else. */
const char *tori_estimates_name (tori_estimates estimates);

/* What becomes of a job of a log that ran longer than the time it requested:
 * it runs as long as it did (run), or it ends at its limit as a site would end
 * it, and counts as a job of that run time (kill). */
typedef enum tori_at_limit {
    TORI_AT_LIMIT_RUN,
    TORI_AT_LIMIT_KILL
} tori_at_limit;

/* ---- workloads ---- */

/* The owner of a job, as the numbers in its log; -1 is unknown, as in a
 * model. */
typedef struct tori_work_owner {
    int64_t user;
    int64_t group;
    int64_t app;
    int64_t queue;
    int64_t partition;
} tori_work_owner;

/* C only: no owner. */
#define TORI_NO_OWNER ((tori_work_owner){-1, -1, -1, -1, -1})

/* The text for an owner's number, from a line in the header of a log: "Queue"
 * and "3 batch". */
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
     * (MaxProcs, else MaxNodes), or 0 if it does not say; and the Unix time of
     * its second 0 (UnixStartTime), or -1 if it does not say. */
    int64_t log_procs;
    int64_t log_start;
    double offered;  /* load, see tori_workload_offered */

    tori_work_label *labels; /* those that the log has */
    size_t nlabels;

    size_t left_out; /* jobs that options->keep left out, of those up to the
                        last one that options->limit takes */
    size_t blocks;   /* with options->resample: how many were drawn */
    size_t rest;     /* the same: jobs after the last whole block */

    /* The checksum of the log's file, as sha256sum prints it; "" for a model.
     */
    char log_sha256[65];

    size_t unshaped; /* jobs that have a shape in the log or model, and ask for
                        a count because of TORI_SHAPE_NONE */
} tori_workload;

/* How to make a workload; see tori_alloc_config for `size`. */
typedef struct tori_workload_options {
    size_t size;
    tori_shaping shaping;
    tori_wiring wiring;
    double torus_fraction; /* with TORI_WIRE_TORUS: the rest is mesh */
    bool wrap;
    bool fixed;
    double load;           /* stretch arrivals to this offered load; 0: do not;
                              a model of boxes draws arrivals at this load */
    int64_t scale_num;     /* multiply sizes, rounded up, by num/den; 0: 1 */
    int64_t scale_den;
    int64_t procs_per_node; /* 0: 1 */
    size_t limit;           /* the first runnable jobs, this many; 0: all */
    uint64_t seed;
    size_t jobs; /* of a model */
    bool strict; /* read a log with tori_swf_set_strict */
    tori_estimates estimates; /* of a log; those of a model are exact */
    double count_fraction; /* the part of the jobs that ask for a count,
                              without a shape or wiring, drawn by the seed; 0:
                              none */
    uint64_t flags; /* of the requests for shapes: TORI_REQUEST_FOLD */
    const char *durations; /* of rfold: a file of run times; NULL: none */
    const char *service;   /* of a model of boxes: how service times are
                              distributed; NULL: "exponential" */

    /* Conditions for jobs, with semicolons between them; NULL: none. A job
     * must meet all of them: "user=7,ann" (also group, queue) by numbers and by
     * the names that the log has; "size=1-64,128-" in nodes;
     * "date=1997-01-01..1997-02-01" for a submission from the first moment to
     * before the second, as dates (in UTC if they have no zone) or in seconds
     * of the log. "!=" in place of "=" keeps all others. The limit then counts
     * jobs that are kept. */
    const char *keep;

    /* Replace the jobs by those of blocks of this length, drawn at random by
     * the seed and with replacement, as many as the log has whole ones; 0: do
     * not. Blocks begin at the first submission. Jobs are then numbered from 1
     * on. */
    tori_time resample;

    /* The field of a log that has the number of processors of a job; NULL: the
     * usual ones. "21" is the 21st field of a record, "last" the last one, and
     * in a table a name such as "cores" is that of a column. "last::#x" takes
     * the first number that has a colon before it and an x after it, as 2500
     * in frontier:excl:2500x112. A record without such a number is unusable. */
    const char *size_from;

    tori_at_limit at_limit; /* of a log */
    uint32_t zero;          /* fills the structure: 0 */
} tori_workload_options;

/* C only: a temporary structure, valid until the end of the enclosing block:
 *
 *     tori_workload_read (path, machine, TORI_WORKLOAD (.load = 0.8), ...)
 */
#define TORI_WORKLOAD(...)                                                    \
    (&(const tori_workload_options){.size = sizeof (tori_workload_options),   \
                                    __VA_ARGS__})

/* Read a log into a workload, which the caller clears. The log is a table if
 * its first line names columns, as `sacct --parsable2` prints them or in CSV:
 * `tori help files` lists the names. If the log has shapes of its own, sizes
 * cannot be scaled. If it has wirings of its own, the wiring of the options is
 * for jobs without one.
 *
 * A record is runnable if it has a positive size (asked, else allocated), a
 * runtime of 0 or more and a submit time. Its estimate follows from
 * options->estimates. A job larger than the machine stays in the workload with
 * a request by count, whatever the shaping: the scheduler rejects it.
 *
 * With TORI_WIRE_TORUS every runnable job, in log order, gets a random draw
 * from the seed. It is a torus if the draw is below torus_fraction. So a job
 * that is a torus at one fraction is a torus at every larger one.
 *
 * TORI_INVALID for a malformed log, for options out of range, for conditions
 * that no job meets, for a log of fewer than two blocks, for a load that no
 * stretching can reach (all jobs arrive at once), and for times that exceed
 * TORI_MAX_SECONDS or add up to more than half of TORI_TIME_MAX. */
int tori_workload_read (const char *path, const tori_machine *machine,
                        const tori_workload_options *options,
                        tori_workload *ret_workload, tori_error *err);

/* The same from any reader, which is then at its end, whatever the limit. A
 * strict reader stays strict. A table must be read from its beginning. */
int tori_workload_from_swf (tori_swf_reader *reader,
                            const tori_machine *machine,
                            const tori_workload_options *options,
                            tori_workload *ret_workload, tori_error *err);

/* What the jobs of a log are given as, by its first line: TORI_BY_COUNT for a
 * log in SWF; for a table TORI_BY_SHAPE if it has a column of shapes, and
 * TORI_BY_COUNT if it has one of nodes or processors. 0 if that is not known,
 * as for standard input or a pipe, which can be read only once, or for a file
 * that cannot be read. */
unsigned tori_workload_given (const char *path);

/* Make a workload of options->jobs jobs from a model. The caller clears it.
 *
 *   lublin      of Lublin and Feitelson, 2003: counts and a daily cycle; scale
 *               and shapes apply as they do to a log
 *   isomorphic, cubic, noncubic
 *               of Kang et al., 2003: boxes with uniform sides per dimension
 *               (one power of two for all, a power of two each, any), Poisson
 *               arrivals, service times of mean one second. options->service
 *               is "exponential"; "hyperexponential:CV2", with two branches
 *               that each bring half of the work, and CV2, the variance over
 *               the squared mean, at least 1; or "uniform-log", with a uniform
 *               logarithm over four decades. TORI_INVALID for another text,
 *               and for another model with a service. Jobs ask for
 *               the box itself by any shaping but TORI_SHAPE_NONE, which makes
 *               them counts. The mean rate of arrivals is load * nodes / mean
 *               volume, so the offered load of a sample is near what is asked
 *               for. Without a load it is one job per second. Boxes and
 *               service times depend only on seed and model, not on the load.
 *               TORI_INVALID for a scale other than 1.
 *   rfold       of RFold, 2025: lines, planes and boxes of even sides, for
 *               cubes of 4x4x4 nodes; of the machine, only the number of nodes
 *               matters. Arrivals are Poisson at the load; without a load, one
 *               every five hours. Run times are drawn from options->durations:
 *               a file with one per line, or after the last comma of a line.
 *               Lines that begin with # and run times of 0 do not count.
 *               Without a file, run times follow those of the Philly log.
 *               TORI_INVALID for a scale, and for a machine that does not have
 *               three dimensions or that has fewer than 64 or more than 2^17
 *               nodes. */
int tori_workload_model (const char *name, const tori_machine *machine,
                         const tori_workload_options *options,
                         tori_workload *ret_workload, tori_error *err);

typedef struct tori_model_info {
    const char *name;
    const char *summary;
} tori_model_info;

/* The i-th model, or NULL past the end. */
const tori_model_info *tori_model_list (size_t i);

/* The offered load: the node-time that jobs ask for, over nodes times the span
 * of submissions, for the jobs no larger than the machine; 0 if the span is 0.
 */
double tori_workload_offered (const tori_workload *workload,
                              const tori_machine *machine);

/* Release the jobs and empty the workload. */
void tori_workload_clear (tori_workload *workload);

#ifdef __cplusplus
}
#endif

#endif
