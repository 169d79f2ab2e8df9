/* tori history - jobs of a running torid that have ended, what users and queues
 * have used, and changes. */
#include <stdlib.h>
#include <string.h>

#include "http_client.h"
#include "audit_table.h"
#include "clock.h"
#include "commands.h"
#include "duration.h"
#include "livefields.h"
#include "jobs.h"
#include "jobtable.h"
#include "terminal.h"
#include "use_table.h"

struct values {
    const char *socket, *user, *queue, *since, *until, *job;
    int outcome, by;
    bool changes, csv, json;
};

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    {"since", OPTION_STRING, AT (since), "WHEN",
     .help = "only those that ended in this time, such as 7d, or since then, "
             "such as 2026-11-16 or '2026-11-16 18:00'; with --by, what was "
             "used from then on"},
    {"until", OPTION_STRING, AT (until), "WHEN",
     .help = "only those that ended before this; with --by, what was used "
             "before"},
    {"by", OPTION_CHOICE, AT (by), "WHAT", .without = "changes",
     .choices = use_key,
     .help = "instead of jobs, list the node-hours of each user, queue or "
             "account, most first: those of all runs of all jobs, as far as "
             "they are between --since and --until"},
    {"user", OPTION_STRING, AT (user), "USER",
     .help = "only this user's; with --changes, those that this user made"},
    {"queue", OPTION_STRING, AT (queue), "QUEUE", .without = "changes",
     .help = "only this queue's"},
    {"changes", OPTION_FLAG, AT (changes),
     .help = "instead of jobs, list who changed jobs, nodes, links, "
             "reservations and the configuration, when, how and why"},
    {"job", OPTION_STRING, AT (job), "ID", .with = "changes", .asks = "jobs",
     .help = "only changes of this job"},
    {"outcome", OPTION_CHOICE, AT (outcome), "OUTCOME", .without = "changes",
     .choices = job_outcome_name, .help = "only those that ended like this"},
    {"csv", OPTION_FLAG, AT (csv), .aside = true, .without = "json",
     .help = "print CSV, with times in seconds since 1970"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- which ---- */

struct span {
    tori_time from, to;
};

/* A duration before now, or a date. */
static int read_when (const char *text, tori_time now, tori_time *ret_time,
                      tori_error *err)
{
    tori_time before;
    bool short_clock = strspn (text, "0123456789:") == strlen (text)
                       && strchr (text, ':');
    if (short_clock)
        return tori_error_set (err, TORI_INVALID,
                               "'%.40s' has two meanings, a time of day or so "
                               "long ago: write a date and a time, or a "
                               "duration such as 12h",
                               text);
    if (duration_parse (text, &before, NULL) < 0)
        return clock_parse (text, clock_now (), ret_time, err);
    *ret_time = now - before;
    return 0;
}

static int read_span (const struct values *v, struct span *ret, tori_error *err)
{
    tori_time now = clock_now ();
    *ret = (struct span){0, TORI_TIME_MAX};
    if ((v->since && read_when (v->since, now, &ret->from, err) < 0)
        || (v->until && read_when (v->until, now, &ret->to, err) < 0))
        return -1;
    return 0;
}

static bool is_wanted (const struct values *v, const struct span *span,
                       const json_t *job)
{
    tori_time end = job_time (job, "end");
    return end >= span->from && end < span->to
           && (!v->queue || !strcmp (v->queue, job_text (job, "queue")))
           && (v->outcome < 0 || v->outcome == (int)job_outcome (job));
}

/* Set how a job ended, and what it has used. */
static void set_outcome (json_t *job)
{
    const struct job_use use
        = job_use (job, (struct use_span){0, TORI_TIME_MAX, 0});
    json_object_set_new (job, "outcome",
                         json_string (job_outcome_name (job_outcome (job))));
    json_object_set_new (job, "elapsed", json_real (use.seconds));
    json_object_set_new (job, "node_hours",
                         json_real (use.node_seconds / 3600));
}

/* Keep those that are wanted. */
static void drop_others (const struct values *v, const struct span *span,
                         json_t *jobs)
{
    json_t *kept = json_array ();
    for (size_t i = 0; i < json_array_size (jobs); i++) {
        json_t *job = json_array_get (jobs, i);
        if (!is_wanted (v, span, job))
            continue;
        json_array_append (kept, job);
    }
    json_array_clear (jobs);
    json_array_extend (jobs, kept);
    json_decref (kept);
}

/* ---- what they were ---- */

static const struct table_column columns[] = {
    {"job", TABLE_NUMBER},       {"user", TABLE_TEXT},
    {"queue", TABLE_TEXT},       {"name", TABLE_TEXT},
    {"asked for", TABLE_TEXT},   {"nodes", TABLE_NUMBER},
    {"submit", TABLE_NUMBER},    {"start", TABLE_NUMBER},
    {"end", TABLE_NUMBER},       {"elapsed", TABLE_NUMBER},
    {"node-hours", TABLE_NUMBER}, {"outcome", TABLE_TEXT},
    {"status", TABLE_NUMBER},    {"why", TABLE_TEXT},
    {"reason", TABLE_TEXT},
};

static void time_cell (struct table *table, const json_t *job,
                       const char *key, bool csv)
{
    const json_t *time = json_object_get (job, key);
    char text[CLOCK_TEXT_MAX] = "";
    if (time && csv)
        table_cell (table, "%.3f", json_number_value (time));
    else {
        if (time)
            clock_format (job_time (job, key), text);
        table_cell (table, "%s", text);
    }
}

static void elapsed_cell (struct table *table, double seconds, bool csv)
{
    char text[DURATION_TEXT_MAX];
    if (csv) {
        table_cell (table, "%.3f", seconds);
        return;
    }
    duration_format ((tori_time)seconds * TORI_SECOND, text);
    table_cell (table, "%s", text);
}

static void status_cell (struct table *table, const json_t *job)
{
    if (job_outcome (job) == OUTCOME_UNKNOWN)
        table_cell (table, "%s", "");
    else
        table_cell (table, "%d", job_status (job));
}

static void add_row (struct table *table, const json_t *job, bool csv)
{
    char request[JOB_TEXT_MAX];
    job_request (job, request);
    table_cell (table, "%lld", (long long)job_number (job, "id"));
    job_text_cell (table, job, "user");
    job_text_cell (table, job, "queue");
    job_text_cell (table, job, "name");
    table_cell (table, "%s", request);
    table_cell (table, "%zu", job_count_nodes (job));
    time_cell (table, job, "submit", csv);
    time_cell (table, job, "start", csv);
    time_cell (table, job, "end", csv);
    elapsed_cell (table,
                  json_number_value (json_object_get (job, "elapsed")), csv);
    table_cell (table, "%.2f",
                json_number_value (json_object_get (job, "node_hours")));
    job_text_cell (table, job, "outcome");
    status_cell (table, job);
    job_text_cell (table, job, "why");
    job_text_cell (table, job, "stop_reason");
}

static int print_jobs (const json_t *jobs, bool csv, FILE *out,
                       tori_error *err)
{
    struct table *table;
    if (json_array_size (jobs) == 0 && !csv)
        return fputs ("no jobs\n", out) < 0 ? -1 : 0;
    table = table_create (columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size (jobs); i++)
        add_row (table, json_array_get (jobs, i), csv);
    return csv ? table_csv (table, out, err)
               : table_print (table, out, terminal_bold (), err);
}

/* Jobs that run count, and so do those that have run and wait to run again,
 * unless an outcome is asked for. */
static int fetch_uses (const struct values *v, struct span span, json_t *rows,
                       tori_error *err)
{
    json_t *uses, *jobs = json_array ();
    const struct span any = {0, TORI_TIME_MAX};
    int status = jobs_fetch (v->socket, "ended", v->user, jobs, err);
    if (status == 0 && v->outcome < 0)
        status = jobs_fetch (v->socket, "running", v->user, jobs, err);
    if (status == 0 && v->outcome < 0)
        status = jobs_fetch (v->socket, "queued", v->user, jobs, err);
    if (status == 0)
        drop_others (v, &any, jobs);
    uses = status == 0
               ? use_sum (jobs, use_key ((size_t)v->by),
                          (struct use_span){span.from, span.to, clock_now ()})
               : NULL;
    if (status == 0 && json_array_extend (rows, uses) < 0)
        status = tori_error_nomem (err);
    json_decref (uses);
    json_decref (jobs);
    return status;
}

static int fetch_rows (const struct values *v, json_t *rows, tori_error *err)
{
    struct span span;
    if (read_span (v, &span, err) < 0)
        return -1;
    if (v->changes)
        return changes_fetch (&(struct changes_wanted){v->socket, v->user,
                                                       v->job, span.from,
                                                       span.to},
                              rows, err);
    if (v->by >= 0)
        return fetch_uses (v, span, rows, err);
    if (jobs_fetch (v->socket, "ended", v->user, rows, err) < 0)
        return -1;
    drop_others (v, &span, rows);
    for (size_t i = 0; i < json_array_size (rows); i++)
        set_outcome (json_array_get (rows, i));
    return 0;
}

static int run_history (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *rows = json_array ();
    int status = fetch_rows (v, rows, err);
    if (status == 0)
        status = v->json ? member_print (&(struct asked){&command_history, v},
                                         v->changes   ? "changes"
                                         : v->by >= 0 ? "uses"
                                                      : "jobs",
                                         rows, out, err)
                 : v->changes ? changes_print (rows, v->csv, out, err)
                 : v->by >= 0 ? use_print (rows, use_key ((size_t)v->by),
                                           v->csv, out, err)
                              : print_jobs (rows, v->csv, out, err);
    json_decref (rows);
    return status;
}

const struct command command_history = {
    .name = "history",
    .summary = "List jobs of a running torid that have ended, use, or changes",
    .notes = "A job has completed if its status is 0, and failed otherwise; "
             "one that was not allowed to go on ended by a timeout, by a node "
             "failure, preempted, or cancelled. The outcome of one that ended "
             "after a backup that was put back may be unknown. How long jobs are known is a "
             "setting of torid (--history). Changes are known for as long, and the "
             "newest million at most; a user sees those of their own jobs and "
             "those they made, an operator all. A submission is not a change: "
             "the job tells who submitted it. Elapsed times and node-hours are "
             "those of all runs of a job, also of those before it was "
             "requeued or moved, and without the time that it was suspended. "
             "The account of a job is that of its user now.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_history,
    .examples = "tori history --since 1d --user ann\n"
                "tori history --since 7d --outcome timeout\n"
                "tori history --since 2026-11-01 --csv\n"
                "tori history --by user --since 7d\n"
                "tori history --by account --since 7d\n"
                "tori history --by queue --since 2026-11-01 --until "
                "2026-12-01 --csv\n"
                "tori history --changes --since 1d\n"
                "tori history --changes --job 17",
    .run = run_history,
};
