/* tori shadow - where a torid --shadow differs from the scheduler it
 * follows. */
#include <stdio.h>

#include "http_client.h"
#include "clock.h"
#include "commands.h"
#include "duration.h"
#include "livefields.h"
#include "jobs.h"
#include "table.h"
#include "terminal.h"

struct values {
    const char *socket;
    int64_t limit;
    bool json;
};

static const struct option options[] = {
    {"limit", OPTION_INTEGER, offsetof (struct values, limit), "N",
     .fallback = "20", .min = 1, .max = 1000,
     .help = "list at most this many jobs that differ"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* ---- for people ---- */

static void print_clock (const json_t *report, FILE *out)
{
    char now[CLOCK_TEXT_MAX], heard[CLOCK_TEXT_MAX];
    json_int_t holder = job_number (report, "holder");
    clock_format (job_time (report, "now"), now);
    clock_format (job_time (report, "heard"), heard);
    fprintf (out, "the shadow is at %s, and has heard everything up to %s\n",
             now, heard);
    if (holder)
        fprintf (out,
                 "it waits for job %lld, which has not run as long there as "
                 "it has here\n",
                 (long long)holder);
}

static void print_counts (const json_t *report, FILE *out)
{
    fprintf (out,
             "of %lld jobs that both have started, %lld are the same; in the "
             "shadow %lld start earlier, %lld later, %lld elsewhere\n",
             (long long)job_number (report, "compared"),
             (long long)job_number (report, "same"),
             (long long)job_number (report, "earlier"),
             (long long)job_number (report, "later"),
             (long long)job_number (report, "elsewhere"));
}

static void print_means (const json_t *report, FILE *out)
{
    const json_t *wait = json_object_get (report, "wait");
    const json_t *near = json_object_get (report, "distance");
    char live[DURATION_TEXT_MAX], shadow[DURATION_TEXT_MAX];
    duration_format (job_time (wait, "live"), live);
    duration_format (job_time (wait, "shadow"), shadow);
    fprintf (out, "mean wait: %s live, %s in the shadow\n", live, shadow);
    if (json_is_number (json_object_get (near, "live")))
        fprintf (out,
                 "mean distance of two nodes of a job: %.3f hops live, %.3f "
                 "in the shadow\n",
                 json_number_value (json_object_get (near, "live")),
                 json_number_value (json_object_get (near, "shadow")));
}

static void put_side (struct table *table, const json_t *side)
{
    char time[CLOCK_TEXT_MAX], place[JOB_TEXT_MAX];
    clock_format (job_time (side, "start"), time);
    job_place (json_object_get (side, "place"), place);
    table_cell (table, "%s", time);
    table_cell (table, "%s", place);
}

static int print_rows (const json_t *rows, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"job", TABLE_TEXT},    {"name", TABLE_TEXT},
        {"live", TABLE_NUMBER}, {"at", TABLE_TEXT},
        {"shadow", TABLE_NUMBER}, {"at", TABLE_TEXT},
    };
    struct table *table;
    if (json_array_size (rows) == 0)
        return 0;
    table = table_create (columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < json_array_size (rows); i++) {
        const json_t *row = json_array_get (rows, i);
        char text[JOB_TEXT_MAX];
        job_shown (row, json_object_get (row, "alias") ? "alias" : "key",
                   text);
        table_cell (table, "%s", text);
        job_shown (row, "name", text);
        table_cell (table, "%s", text);
        put_side (table, json_object_get (row, "live"));
        put_side (table, json_object_get (row, "shadow"));
    }
    fputc ('\n', out);
    return table_print (table, out, terminal_bold (), err);
}

static int print_report (const json_t *report, FILE *out, tori_error *err)
{
    print_clock (report, out);
    print_counts (report, out);
    if (job_number (report, "compared") > 0)
        print_means (report, out);
    return print_rows (json_object_get (report, "jobs"), out, err);
}

static int run_shadow (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct asked asked = {&command_shadow, v};
    json_t *report = NULL;
    char path[64];
    int status;
    snprintf (path, sizeof path, "/v1/shadow?limit=%lld",
              (long long)v->limit);
    status = call (v->socket, "GET", path, NULL, &report, err);
    if (status == 0)
        status = v->json ? answer_print (&asked, report, out, err)
                         : print_report (report, out, err);
    json_decref (report);
    return status;
}

const struct command command_shadow = {
    .name = "shadow",
    .summary = "Compare a torid --shadow with the scheduler that it follows",
    .notes = "Jobs are known by their numbers or names in the live system. "
             "Two starts within a second count as the same. Jobs that ran "
             "when the shadow began are not compared.",
    .options = options,
    .size = sizeof (struct values),
    .answer = &answer_shadow,
    .examples = "tori shadow --socket DIR2/socket",
    .run = run_shadow,
};
