/* tori gang run - real processes, time-shared in gangs. This file reads the
 * options and then executes tori-gang, which uses MPI. */
#include <stdlib.h>
#include <string.h>

#include <tori/gang.h>
#include <tori/workload.h>

#include "commands.h"
#include "gangjobs.h"
#include "duration.h"
#include "sibling.h"

struct values {
    const char *slot;
    const char *jobs;
    const char *listen;
    const char *machine;
    int64_t degree;
    int policy;
    int freeze;
    int turns;
    int sleepers;
    bool label;
    const char *report;
};

#define AT(member) offsetof (struct values, member)

static const char *list_policies (size_t i)
{
    const tori_gang_policy_info *info = tori_gang_policy_list (i);
    return info ? info->name : NULL;
}

static const struct option options[] = {
    {"jobs", OPTION_STRING, AT (jobs), "FILE", .file = FILE_READ,
     .help = "one job per line: [-n COUNT] [-t DURATION] [--] PROGRAM "
             "[ARGUMENT...] ['|' [-n COUNT] PROGRAM ...]; COUNT processes "
             "(1 if not given), submitted DURATION after the start of the "
             "run; - is standard input"},
    {"listen", OPTION_STRING, AT (listen), "PATH",
     .help = "listen on a socket for 'tori gang submit', until 'tori gang "
             "stop' or an interrupt"},
    {"slot", OPTION_STRING, AT (slot), "DURATION", .fallback = "100ms",
     .help = "how long a turn is, such as 100ms or 0.1s; a plain number is "
             "seconds"},
    {"machine", OPTION_STRING, AT (machine), "KIND:SIZES",
     .help = "how the processors are arranged, one per rank; a line if not "
             "given"},
    {"degree", OPTION_INTEGER, AT (degree), "N", .min = 2,
     .max = TORI_GANG_MAX_DEGREE, .fallback = "2",
     .help = "how many parts a partition is split into"},
    {"branch", OPTION_CHOICE, AT (policy), "NAME", .choices = list_policies,
     .fallback = "lightest", .help = "which branch a new job goes to"},
    {"freeze", OPTION_CHOICE, AT (freeze), "HOW", .choices = cage_kind_name,
     .fallback = "auto",
     .help = "how processes are stopped: by a control group per job, or by "
             "signals; auto falls back to signals where control groups "
             "cannot be created, cgroup fails there"},
    {"turns", OPTION_CHOICE, AT (turns), "WHEN", .choices = turns_name,
     .fallback = "gang",
     .help = "gang: all processors of a job switch together; for "
             "comparison, local: each processor switches on its own; none: "
             "nothing is stopped"},
    {"sleepers", OPTION_CHOICE, AT (sleepers), "WHAT",
     .choices = sleepers_name, .fallback = "leave",
     .help = "leave: a job whose processes all sleep leaves its queue until "
             "one wakes up; keep: it keeps its turns"},
    {"label", OPTION_FLAG, AT (label),
     .help = "prefix every line of output with JOB.PROCESS"},
    {"report", OPTION_STRING, AT (report), "FILE", .file = FILE_WRITTEN,
     .help = "write a JSON report of the jobs and the switches at the end "
             "of the run; an old report is removed before the first job "
             "starts; - is standard output (not with --jobs)"},
    {.name = NULL},
};

/* ---- the request ---- */

/* A time in nanoseconds. */
static int read_slot (const char *text, int64_t *ret_slot, tori_error *err)
{
    tori_error why;
    tori_time slot;
    if (duration_parse (text, &slot, &why) < 0)
        return tori_error_set (err, TORI_INVALID, "--slot: %s", why.text);
    if (slot < TORI_SECOND / 1000 || slot > 3600 * TORI_SECOND)
        return tori_error_set (err, TORI_INVALID,
                               "--slot: '%.40s' is not from 1ms to 3600s",
                               text);
    *ret_slot = slot * 1000;
    return 0;
}

/* Only the first rank reads the jobs. It reports bad jobs only after all ranks
 * have joined, so that all ranks end. */
static int read_jobs (const struct values *v, int64_t *ret_fd, tori_error *err)
{
    struct bytes jobs = {0};
    tori_error bad;
    int status;
    *ret_fd = -1;
    if (!v->jobs || !launched_first ())
        return 0;
    status = gangjobs_read (v->jobs, &jobs, &bad);
    if (status == 0 && jobs.n == 0 && !v->listen)
        status = tori_error_set (&bad, TORI_INVALID,
                                 "%.200s: no job; expected one per line: "
                                 "[-n COUNT] PROGRAM [ARGUMENT...]",
                                 v->jobs);
    *ret_fd = joblist_write (v->jobs, &jobs, status < 0 ? &bad : NULL, err);
    bytes_clear (&jobs);
    return *ret_fd < 0 ? -1 : 0;
}

static int fill_config (const struct values *v, struct config *config,
                        tori_error *err)
{
    *config = (struct config){.degree = v->degree,
                              .policy = list_policies ((size_t)v->policy),
                              .machine = v->machine ? v->machine : "",
                              .listen = v->listen ? v->listen : "",
                              .report = v->report ? v->report : "",
                              .cage = v->freeze,
                              .turns = v->turns,
                              .sleepers = v->sleepers,
                              .label = v->label};
    if (!v->jobs && !v->listen)
        return tori_error_set (err, TORI_INVALID,
                               "one of --jobs and --listen is needed");
    if (v->jobs && v->report && !strcmp (v->report, "-"))
        return tori_error_set (err, TORI_INVALID,
                               "--report: the jobs print to standard "
                               "output; expected a file");
    if (read_slot (v->slot, &config->slot, err) < 0)
        return -1;
    return read_jobs (v, &config->jobs, err);
}

static int run_gang_run (const void *values, FILE *out, tori_error *err)
{
    struct config config;
    struct config_words words;
    if (fill_config (values, &config, err) < 0)
        return -1;
    config_write (&config, &words);
    return sibling_become ("tori-gang", words.word,
                           "tori was built without MPI, so it cannot run "
                           "processes: install mpich and libmpich-dev, and "
                           "build again",
                           err);
}

const struct command command_gang_run = {
    .name = "run",
    .summary = "Run real processes, time-shared in gangs, under mpirun",
    .notes = "mpirun must be that of MPICH. Where Open MPI's is the default, "
             "MPICH's is called mpirun.mpich or mpiexec.hydra. Each rank is a "
             "processor and hosts the nodes of the tree whose partitions "
             "begin with it. The processes of a job are stopped and continued "
             "together. Processes that a job leaves behind are killed when it "
             "ends, or by the next run if the whole run was killed. A process "
             "finds TORI_JOB_ID, TORI_RANK, TORI_SIZE and TORI_PARTITION in its "
             "environment. Output is passed on in whole lines; a line longer "
             "than 1 MiB is split. See doc/gang.md.\n"
             "An interrupt (SIGINT or SIGTERM, to mpirun or to a rank) kills "
             "the jobs and ends the run in order. If a host is lost, mpirun "
             "returns 255, but other jobs of a file go on. tori-gang.out then "
             "has what they print and, at the end, their status and that of "
             "the run.\n"
             "The report is an object with the ranks, the slot, the jobs and "
             "the switches (in microseconds: skew between processors, delay "
             "after the due time, cost of one switch). Each job has its id, "
             "program, number of processes and partition; in seconds since "
             "the start of the run submit, start (when it was placed), "
             "first_turn (when it first ran) and finish; turns (slots it "
             "got), cpu (seconds of processor time), sleeps (how often it "
             "left its queue) and status.",
    .options = options,
    .size = sizeof (struct values),
    .ranks = true,
    .examples = "mpirun -n 8 tori gang run --slot 100ms --jobs jobs.txt\n"
                "mpirun -n 8 tori gang run --listen gang.sock",
    .status = {"every job of the file ended with 0, or there was no file",
               "a job of the file failed, or it or the run was killed", NULL,
               NULL, "a job is larger than the machine"},
    .run = run_gang_run,
};
