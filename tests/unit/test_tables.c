/* Tables of jobs: the same jobs as a log in the Standard Workload Format, as
 * sacct prints them and as CSV, in any order of columns, make the same
 * workload. Dates are compared with the C library's. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "logtext.h"
#include "roll.h"
#include "stamps.h"

static tori_workload workload_of (const char *text, const char *machine_text,
                                  const tori_workload_options *options)
{
    AUTO_MACHINE *machine = make_machine (machine_text);
    tori_workload workload;
    tori_error err;
    if (load_text (text, machine, options, &workload, &err) < 0)
        fail_msg ("%s", err.text);
    return workload;
}

/* ---- the same jobs in every form ---- */

struct job {
    unsigned id, submit, runtime, estimate, nodes, owner[5];
};

enum { JOBS = 60, TEXT = 64 * 1024, COLUMNS = 13, START = 1772357400 };

static struct job random_job (struct rng *rng, unsigned id, unsigned *submit)
{
    struct job job = {.id = id,
                      .runtime = between (rng, 0, 200000),
                      .estimate = between (rng, 0, 400) * 60,
                      .nodes = between (rng, 1, 64)};
    *submit += between (rng, 0, 5000);
    job.submit = *submit;
    for (size_t i = 0; i < 5; i++)
        job.owner[i] = between (rng, 0, 9);
    return job;
}

static void put_swf (FILE *out, const struct job *job)
{
    fprintf (out, "%u %u -1 %u -1 -1 -1 %u %d -1 1 %u %u %u %u %u -1 -1\n",
             job->id, job->submit, job->runtime, job->nodes,
             job->estimate ? (int)job->estimate : -1, job->owner[0],
             job->owner[1], job->owner[2], job->owner[3], job->owner[4]);
}

/* By gmtime, as the reader does it by hand. */
static void put_date (FILE *out, unsigned seconds)
{
    time_t at = START + (time_t)seconds;
    struct tm tm;
    char text[40];
    gmtime_r (&at, &tm);
    strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    fputs (text, out);
}

static void put_span (FILE *out, unsigned seconds)
{
    if (seconds >= 86400)
        fprintf (out, "%u-", seconds / 86400);
    fprintf (out, "%02u:%02u:%02u", seconds / 3600 % 24, seconds / 60 % 60,
             seconds % 60);
}

static void put_sacct (FILE *out, const struct job *job, size_t column)
{
    static const char *const names[COLUMNS]
        = {"JobIDRaw", "Submit", "Start",   "End", "Elapsed", "TimelimitRaw",
           "NNodes",   "User",   "Group",   "JobName", "QOS", "Partition",
           "Comment"};
    if (!job)
        fputs (names[column], out);
    else if (column == 0)
        fprintf (out, "%u", job->id);
    else if (column == 1)
        put_date (out, job->submit);
    else if (column < 4)
        put_date (out, job->submit + 7 + (column == 3) * job->runtime);
    else if (column == 4)
        put_span (out, job->runtime);
    else if (column == 5)
        fprintf (out, job->estimate ? "%u" : "Unknown", job->estimate / 60);
    else if (column == 6)
        fprintf (out, "%u", job->nodes);
    else if (column < 12)
        fprintf (out, "%u", job->owner[column - 7]);
    else
        fputs ("a \"remark\", by hand", out);
}

static void put_csv (FILE *out, const struct job *job, size_t column)
{
    static const char *const names[COLUMNS]
        = {"job id", "Submit-Time", "\"run_time\"", "Estimate", "nodes", "uid",
           "GID",    "executable",  "queue",        "partition", "what",
           "\"a, b\"", ""};
    if (!job)
        fputs (names[column], out);
    else if (column == 0)
        fprintf (out, "\"%u\"", job->id);
    else if (column == 1)
        fprintf (out, "%u.0", job->submit);
    else if (column == 2)
        fprintf (out, " %u ", job->runtime);
    else if (column == 3 && job->estimate)
        put_span (out, job->estimate);
    else if (column == 4)
        fprintf (out, "%u", job->nodes);
    else if (column > 4 && column < 10)
        fprintf (out, "\"%u\"", job->owner[column - 5]);
    else if (column == 11)
        fputs ("\"two\nlines, \"\"quoted\"\"\"", out);
}

static void put_row (FILE *out, const struct job *job,
                     const size_t order[COLUMNS], bool sacct)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        if (i > 0)
            fputc (sacct ? '|' : ',', out);
        (sacct ? put_sacct : put_csv) (out, job, order[i]);
    }
    fputs (sacct ? "\n" : "\r\n", out);
}

static void shuffle (struct rng *rng, size_t order[COLUMNS])
{
    for (size_t i = 0; i < COLUMNS; i++) {
        size_t j = rng_below (rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

static void compare (const tori_workload *is, const tori_workload *should,
                     tori_time later)
{
    assert_int_equal (is->n, should->n);
    for (size_t i = 0; i < is->n; i++) {
        tori_work a = is->jobs[i], b = should->jobs[i];
        assert_int_equal (a.id, b.id);
        assert_int_equal (a.submit + later, b.submit);
        assert_int_equal (a.runtime, b.runtime);
        assert_int_equal (a.estimate, b.estimate);
        assert_int_equal (a.asked, b.asked);
        assert_memory_equal (&a.owner, &b.owner, sizeof a.owner);
    }
}

TEST (same_jobs)
{
    const tori_workload_options options
        = {.size = sizeof options, .shaping = TORI_SHAPE_COMPACT};
    struct rng rng = seeded (18);
    for (size_t n = random_cases (40); n > 0; n--) {
        char text[3][TEXT];
        FILE *out[3];
        size_t order[2][COLUMNS];
        unsigned submit = 0;
        for (int i = 0; i < 3; i++)
            assert_non_null (out[i] = fmemopen (text[i], TEXT, "w"));
        for (int i = 0; i < 2; i++) {
            shuffle (&rng, order[i]);
            put_row (out[i + 1], NULL, order[i], i == 0);
        }
        for (unsigned id = 1; id <= JOBS; id++) {
            struct job job = random_job (&rng, id, &submit);
            put_swf (out[0], &job);
            put_row (out[1], &job, order[0], true);
            put_row (out[2], &job, order[1], false);
        }
        for (int i = 0; i < 3; i++)
            fclose (out[i]);
        tori_workload swf = workload_of (text[0], "mesh:4x4x4", &options);
        tori_workload sacct = workload_of (text[1], "mesh:4x4x4", &options);
        tori_workload csv = workload_of (text[2], "mesh:4x4x4", &options);
        compare (&csv, &swf, 0);
        compare (&sacct, &swf, swf.jobs[0].submit);
        assert_int_equal (sacct.log_start * TORI_SECOND,
                          START * TORI_SECOND + swf.jobs[0].submit);
        tori_workload_clear (&swf);
        tori_workload_clear (&sacct);
        tori_workload_clear (&csv);
    }
}

/* ---- parts ---- */

TEST (dates)
{
    struct rng rng = seeded (1);
    for (size_t n = random_cases (20000); n > 0; n--) {
        time_t at = (time_t)rng_below (&rng, TORI_MAX_SECONDS);
        struct tm tm;
        char text[40];
        tori_time time;
        bool dated;
        gmtime_r (&at, &tm);
        strftime (text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
        assert_true (stamp_parse (text, &time, &dated) && dated);
        assert_int_equal (time, at * TORI_SECOND);
    }
}

TEST (stamps)
{
    static const struct {
        const char *text;
        double seconds; /* -1: refused */
    } cases[] = {
        {"0", 0},
        {"2.5", 2.5},
        {"1970-01-02", 86400},
        {"1970-01-02T00:01", 86460},
        {"1970-01-02T00:00:01.25", 86401.25},
        {"1970-01-02T00:00:00Z", 86400},
        {"1970-01-02T01:00:00+01:00", 86400},
        {"1970-01-01T23:30:00-0030", 86400},
        {"1970-01-02T02+02", -1},
        {"1969-12-31T00:00:00", -1},
        {"1970-02-29", -1},
        {"1970-13-01", -1},
        {"1970-01-02T24:00:00", -1},
        {"1970-01-02x", -1},
        {"9999-01-01", -1},
        {"1e5", -1},
        {"", -1},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_time time = -1;
        bool dated;
        bool good = stamp_parse (cases[i].text, &time, &dated);
        if (good != (cases[i].seconds >= 0)
            || (good && (double)time != cases[i].seconds * 1e6))
            fail_msg ("'%s'", cases[i].text);
    }
}

TEST (spans)
{
    static const struct {
        const char *text;
        double seconds;
    } cases[] = {
        {"90", 90},       {"1:30", -1},        {"01:00:00", 3600},
        {"1-12", 129600}, {"1-12:30", 131400}, {"2-00:00:01.5", 172801.5},
        {"1:2:3:4", -1},  {"1-", -1},          {":30", -1},
        {"1:", -1},       {"x", -1},           {"99999999999", -1},
        {"-5", -1},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_time time = -1;
        bool good = span_parse (cases[i].text, &time, NULL) == 0;
        if (good != (cases[i].seconds >= 0)
            || (good && (double)time != cases[i].seconds * 1e6))
            fail_msg ("'%s'", cases[i].text);
    }
}

/* More names than the first table of slots has. */
TEST (roll)
{
    struct roll roll = {0};
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < 3000; i++) {
            char name[20];
            size_t place;
            snprintf (name, sizeof name, "user%zu", i * i);
            assert_int_equal (roll_find (&roll, name, &place, NULL), 0);
            assert_int_equal (place, i);
        }
    assert_int_equal (roll.n, 3000);
    roll_clear (&roll);
}

/* ---- rules ---- */

#define SACCT "JobID|Submit|Start|End|ElapsedRaw|NNodes|NCPUS|State|User\n"

TEST (slurm)
{
    const tori_workload_options options
        = {.size = sizeof options, .procs_per_node = 4};
    tori_workload w = workload_of (
        SACCT
        "1|2026-03-01T00:00:05|2026-03-01T00:00:09|2026-03-01T00:01:09|60|2|"
        "64|COMPLETED|ann\n"
        "1.batch|2026-03-01T00:00:05|2026-03-01T00:00:09|x|60|1|32||\n"
        "1.0||||||||\n"
        "2_7|2026-03-01T00:00:05|2026-03-01T00:00:09|2026-03-01T00:00:09|0||"
        "9|FAILED|bob\n"
        "2_[8-9]|2026-03-01T00:00:05|Unknown|Unknown|0|1|1|PENDING|bob\n"
        "2_7.extern||||||||\n"
        "3+1|2026-03-01T00:00:01|2026-03-01T00:00:09|2026-03-01T00:00:10|1|1|"
        "1|CANCELLED by 0|ann\n"
        "4|2026-03-01T00:00:00|2026-03-01T00:00:09|2026-03-01T00:00:09|0|1|1|"
        "CANCELLED by 501|ann\n"
        "5|2026-03-01T00:00:00|None|2026-03-01T00:00:09|0|1|1|CANCELLED|ann\n"
        "6|2026-03-01T00:00:00|2026-03-01T00:00:09|Unknown|30|1|1|RUNNING|ann"
        "\n",
        "mesh:8x8", &options);
    assert_int_equal (w.n, 3);
    assert_int_equal (w.unusable, 4);
    assert_int_equal (w.jobs[0].id, 3);
    assert_int_equal (w.jobs[0].submit, 0);
    assert_int_equal (w.log_start, 1772323201);
    assert_int_equal (w.jobs[1].asked, 2); /* nodes are nodes */
    assert_int_equal (w.jobs[2].asked, 3); /* 9 processors, 4 in a node */
    assert_int_equal (w.jobs[2].runtime, 0);
    assert_int_equal (w.jobs[0].owner.user, 1);
    assert_int_equal (w.jobs[2].owner.user, 2);
    assert_int_equal (w.jobs[2].owner.group, -1);
    assert_int_equal (w.nlabels, 2);
    assert_string_equal (w.labels[1].field, "User");
    assert_string_equal (w.labels[1].text, "2 bob");
    tori_workload_clear (&w);
}

/* A shape and a wiring of its own; where there are none, those of the options.
 */
TEST (shapes)
{
    const tori_workload_options options = {.size = sizeof options,
                                           .shaping = TORI_SHAPE_FIRST_MATCH,
                                           .wiring = TORI_WIRE_MESH};
    static const char text[] = "submit,runtime,shape,count,wiring\n"
                               "0,1,2x1x3,,torus\n"
                               "1,1,,6,\n"
                               "2,1,4x4x1,9,none\n";
    tori_workload w = workload_of (text, "torus:4x4x4", &options);
    assert_int_equal (w.jobs[0].asked, 6);
    assert_int_equal (w.jobs[0].request.shape.size[0], 2);
    assert_int_equal (w.jobs[0].request.shape.size[2], 3);
    assert_int_equal (w.jobs[0].request.wiring, TORI_WIRE_TORUS);
    assert_int_equal (w.jobs[1].asked, 6);
    assert_int_equal (w.jobs[1].request.shape.size[0], 1);
    assert_int_equal (w.jobs[1].request.wiring, TORI_WIRE_MESH);
    assert_int_equal (w.jobs[2].asked, 16);
    assert_int_equal (w.jobs[2].request.wiring, TORI_WIRE_NONE);
    tori_workload_clear (&w);
    w = workload_of (text, "torus:4x4x4",
                     &(tori_workload_options){.size = sizeof options});
    assert_int_equal (w.jobs[0].request.shape.ndims, 0);
    assert_int_equal (w.jobs[0].request.wiring, TORI_WIRE_NONE);
    assert_int_equal (w.jobs[0].request.count, 6);
    tori_workload_clear (&w);
}

#define NAMES "submit,runtime,nodes\n"

TEST (refused)
{
    static const struct {
        const char *text, *why;
        bool strict;
    } cases[] = {
        {"hello\n", "log:1: expected a record of the Standard Workload Format "
                    "or names of columns with | or , between them"},
        {"1|2|3\n", "log:1: expected a record of the Standard Workload Format "
                    "or names of columns with | or , between them"},
        {"# nothing\n", "log:1: expected a record of the Standard Workload "
                        "Format or names of columns with | or , between "
                        "them"},
        {"runtime,nodes\n", "log:1: no column for the time of submission: "
                            "expected 'submit' or another name of it; see "
                            "'tori help files'"},
        {"submit,start,nodes\n",
         "log:1: no column for the run time: expected 'runtime', or 'start' "
         "and 'end'; see 'tori help files'"},
        {"submit,runtime\n", "log:1: no column for the size: expected "
                             "'nodes', 'procs' or 'shape'; see 'tori help "
                             "files'"},
        {"submit,runtime,nodes,Submit\n",
         "log:1: two columns are called 'Submit'"},
        {NAMES "\n1,2\n", "log:3: expected 3 fields, found 2"},
        {SACCT "1|2|3|4|5|6|7|8|9|10\n",
         "log:2: expected 9 fields, found 10 (a | in a name is not quoted)"},
        {NAMES "x,2,3\n", "log:2: submit: expected seconds or a date such as "
                          "2026-03-01T09:30:00, found 'x'"},
        {NAMES "1,2x,3\n", "log:2: runtime: '2x' is not a time such as 90s, "
                           "1h20m, 1:20:30 or 2-12:00:00"},
        {NAMES "1,2:00,3\n",
         "log:2: runtime: '2:00' has two meanings, hours and minutes or, as in "
         "Slurm, minutes and seconds: write 2h or 2m"},
        {NAMES "1,2,3.5\n",
         "log:2: nodes: expected a whole number, found '3.5'"},
        {"submit,runtime,nodes,id\n\"1\",2,3,\"4\n5\"\n1,2,3,4\n",
         "log:2: id: expected a whole number, found '4?5'"},
        {NAMES "1,2,\"3\n\"\n1,2,x\n",
         "log:2: nodes: expected a whole number, found '3?'"},
        {NAMES "1,2,\"3\"x\n", "log:2: field 3: expected quotes around all "
                               "of a field, and \"\" for one within"},
        {NAMES "1,2,3\"\n", "log:2: field 3: expected quotes around all of a "
                            "field, and \"\" for one within"},
        {NAMES "1,2,\"3\n", "log:2: field 3: expected quotes around all of a "
                            "field, and \"\" for one within"},
        {"submit,start,end,nodes\n1,9,8,3\n",
         "log:2: end: expected a time not before the start, found '8'"},
        {"submit,runtime,shape\n0,1,4x4\n",
         "log:2: shape: expected a shape of 3 dimensions, as the machine has, "
         "found '4x4'"},
        {"submit,runtime,nodes,wiring\n0,1,4,ring\n",
         "log:2: wiring: expected none, mesh, torus or twisted, found 'ring'"},
        {"submit,runtime,nodes,id\n0,1,4,1.0\n",
         "log:2: id: expected a whole number, found '1.0'"},
        {"submit,runtime,nodes,color\n0,1,4,red\n",
         "log:1: unknown column 'color'; see 'tori help files'", true},
    };
    AUTO_MACHINE *machine = make_machine ("torus:4x4x4");
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_workload_options options
            = {.size = sizeof options, .strict = cases[i].strict};
        tori_workload workload;
        tori_error err;
        assert_int_equal (
            load_text (cases[i].text, machine, &options, &workload, &err), -1);
        assert_string_equal (err.text, cases[i].why);
        assert_int_equal (err.status, TORI_INVALID);
    }
}

/* A line number counts lines, not rows. A mark of the encoding, remarks and
 * a bar at the end are nothing. */
TEST (lines)
{
    const tori_workload_options options = {.size = sizeof options};
    AUTO_MACHINE *machine = make_machine ("mesh:4");
    tori_workload w;
    tori_error err;
    assert_int_equal (load_text ("name,submit,runtime,nodes\n"
                                 "\"a\nb\nc\",1,2,3\nd,1,2,x\n",
                                 machine, &options, &w, &err),
                      -1);
    assert_string_equal (err.text,
                         "log:5: nodes: expected a whole number, found 'x'");
    w = workload_of ("\xef\xbb\xbfSubmit|Elapsed|NNodes|\n# one\n1|2|3|\n\n",
                     "mesh:4", &options);
    assert_int_equal (w.n, 1);
    assert_int_equal (w.jobs[0].id, 1);
    assert_int_equal (w.jobs[0].submit, TORI_SECOND);
    tori_workload_clear (&w);
}
