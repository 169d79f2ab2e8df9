#include "jobtable.h"

#include <string.h>

#include "clock.h"
#include "duration.h"
#include "jobs.h"

/* In a table whose lines may be cut off, the important columns come first. */
struct table *job_table (enum job_table_kind kind)
{
    static const struct table_column whole[] = {
        {"known as", TABLE_TEXT}, /* only in JOB_TABLE_ALIASES */
        {"job", TABLE_NUMBER},    {"user", TABLE_TEXT},
        {"name", TABLE_TEXT},     {"asks for", TABLE_TEXT},
        {"time", TABLE_NUMBER},   {"state", TABLE_TEXT},
        {"since", TABLE_NUMBER},  {"where or why", TABLE_TEXT},
    };
    static const struct table_column cut[] = {
        {"", TABLE_TEXT},         {"job", TABLE_NUMBER},
        {"user", TABLE_TEXT},     {"asks for", TABLE_TEXT},
        {"time", TABLE_NUMBER},   {"where or why", TABLE_TEXT},
        {"since", TABLE_NUMBER},  {"name", TABLE_TEXT},
    };
    size_t first = kind == JOB_TABLE_PLAIN;
    return kind == JOB_TABLE_LETTERS
               ? table_create (cut, sizeof cut / sizeof *cut)
               : table_create (whole + first,
                               sizeof whole / sizeof *whole - first);
}

/* The time at which the job entered its state. */
static void since_cell (struct table *table, const json_t *job)
{
    char text[CLOCK_TEXT_MAX];
    clock_format (job_time (job, job_is (job, "queued")  ? "submit"
                                 : job_is (job, "ended") ? "end"
                                                         : "start"),
                  text);
    table_cell (table, "%s", text);
}

size_t jobs_alike (const json_t *jobs, size_t i)
{
    const json_t *job = json_array_get (jobs, i);
    json_int_t array = job_array (job), id = job_number (job, "id");
    char remark[JOB_TEXT_MAX], other[JOB_TEXT_MAX];
    size_t n = 1;
    job_remark (job, remark);
    for (; array && job_is (job, "queued"); n++) {
        const json_t *next = json_array_get (jobs, i + n);
        if (!next || !job_is (next, "queued") || job_array (next) != array
            || job_number (next, "id") != id + (json_int_t)n)
            break;
        job_remark (next, other);
        if (strcmp (remark, other) != 0)
            break;
    }
    return n;
}

static void number_cell (struct table *table, const json_t *job, size_t n)
{
    long long id = job_number (job, "id");
    if (n > 1)
        table_cell (table, "%lld-%lld", id, id + (long long)n - 1);
    else
        table_cell (table, "%lld", id);
}

void job_text_cell (struct table *table, const json_t *job, const char *key)
{
    char text[JOB_TEXT_MAX];
    job_shown (job, key, text);
    table_cell (table, "%s", text);
}

static void state_cell (struct table *table, const json_t *job)
{
    if (json_is_true (json_object_get (job, "starting")))
        table_cell (table, "starting");
    else
        job_text_cell (table, job, "state");
}

static void request_cells (struct table *table, const json_t *job)
{
    char text[JOB_TEXT_MAX], time[DURATION_TEXT_MAX];
    job_request (job, text);
    table_cell (table, "%s", text);
    duration_format (job_time (job, "time_limit"), time);
    table_cell (table, "%s", time);
}

static void remark_cell (struct table *table, const json_t *job)
{
    char text[JOB_TEXT_MAX];
    job_remark (job, text);
    table_cell (table, "%s", text);
}

void job_table_add (struct table *table, enum job_table_kind kind,
                    const json_t *job, size_t n, char letter)
{
    if (kind == JOB_TABLE_LETTERS)
        table_cell (table, "%c", letter);
    if (kind == JOB_TABLE_ALIASES)
        job_text_cell (table, job, "alias");
    number_cell (table, job, n);
    job_text_cell (table, job, "user");
    if (kind == JOB_TABLE_LETTERS) {
        request_cells (table, job);
        remark_cell (table, job);
        since_cell (table, job);
        job_text_cell (table, job, "name");
        return;
    }
    job_text_cell (table, job, "name");
    request_cells (table, job);
    state_cell (table, job);
    since_cell (table, job);
    remark_cell (table, job);
}
