#include "jobtable.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "duration.h"
#include "jobs.h"
#include "terminal.h"

/* The time at which the job entered its state. */
static void since_cell (struct table *table, const json_t *job, size_t n)
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

/* "17_3" is the third of the array that begins with job 17. */
static void array_cell (struct table *table, const json_t *job, size_t n)
{
    long long array = job_array (job), index = job_number (job, "index");
    if (array == 0)
        table_cell (table, "%s", "");
    else if (n > 1)
        table_cell (table, "%lld_[%lld-%lld]", array, index,
                    index + (long long)n - 1);
    else
        table_cell (table, "%lld_%lld", array, index);
}

void job_text_cell (struct table *table, const json_t *job, const char *key)
{
    char *text = strdup (job_text (job, key));
    if (text)
        text_clean (text);
    table_cell (table, "%s", text ? text : "");
    free (text);
}

#define TEXT_CELL(key)                                                       \
    static void key##_cell (struct table *table, const json_t *job, size_t n) \
    {                                                                         \
        job_text_cell (table, job, #key);                                     \
    }
TEXT_CELL (alias)
TEXT_CELL (user)
TEXT_CELL (name)
TEXT_CELL (queue)

static void state_cell (struct table *table, const json_t *job, size_t n)
{
    if (json_is_true (json_object_get (job, "only_placed")))
        table_cell (table, "placed");
    else if (json_is_true (json_object_get (job, "starting")))
        table_cell (table, "starting");
    else if (json_is_true (json_object_get (job, "suspended")))
        table_cell (table, "suspended");
    else
        job_text_cell (table, job, "state");
}

static void request_cell (struct table *table, const json_t *job, size_t n)
{
    char text[JOB_TEXT_MAX];
    job_request (job, text);
    table_cell (table, "%s", text);
}

static void put_duration (struct table *table, const json_t *job,
                          const char *key)
{
    char text[DURATION_TEXT_MAX] = "";
    if (json_object_get (job, key))
        duration_format (job_time (job, key), text);
    table_cell (table, "%s", text);
}

#define DURATION_CELL(key)                                                   \
    static void key##_cell (struct table *table, const json_t *job, size_t n) \
    {                                                                         \
        put_duration (table, job, #key);                                      \
    }
DURATION_CELL (time_limit)
DURATION_CELL (elapsed)
DURATION_CELL (remaining)

static void position_cell (struct table *table, const json_t *job, size_t n)
{
    if (json_object_get (job, "position"))
        table_cell (table, "%lld", (long long)job_number (job, "position"));
    else
        table_cell (table, "%s", "");
}

static void remark_cell (struct table *table, const json_t *job, size_t n)
{
    char text[JOB_TEXT_MAX];
    job_remark (job, text);
    table_cell (table, "%s", text);
}

struct column {
    struct table_column title;
    void (*put) (struct table *table, const json_t *job, size_t n);
    unsigned needs; /* a flag without which there is no such column */
};

/* In a table whose lines may be cut off, the important columns come first. */
static const struct column
    cut[] = {{{"job", TABLE_NUMBER}, number_cell, 0},
             {{"user", TABLE_TEXT}, user_cell, 0},
             {{"asks for", TABLE_TEXT}, request_cell, 0},
             {{"time", TABLE_NUMBER}, time_limit_cell, 0},
             {{"where or why", TABLE_TEXT}, remark_cell, 0},
             {{"since", TABLE_NUMBER}, since_cell, 0},
             {{"name", TABLE_TEXT}, name_cell, 0}},
    whole[] = {{{"known as", TABLE_TEXT}, alias_cell, JOB_COLUMNS_ALIASES},
               {{"job", TABLE_NUMBER}, number_cell, 0},
               {{"user", TABLE_TEXT}, user_cell, 0},
               {{"name", TABLE_TEXT}, name_cell, 0},
               {{"asks for", TABLE_TEXT}, request_cell, 0},
               {{"time", TABLE_NUMBER}, time_limit_cell, 0},
               {{"state", TABLE_TEXT}, state_cell, 0},
               {{"since", TABLE_NUMBER}, since_cell, 0},
               {{"elapsed", TABLE_NUMBER}, elapsed_cell, 0},
               {{"left", TABLE_NUMBER}, remaining_cell, 0},
               {{"order", TABLE_NUMBER}, position_cell, 0},
               {{"queue", TABLE_TEXT}, queue_cell, JOB_COLUMNS_QUEUES},
               {{"array", TABLE_TEXT}, array_cell, JOB_COLUMNS_ARRAYS},
               {{"where or why", TABLE_TEXT}, remark_cell, 0}};

enum { CUT = sizeof cut / sizeof *cut, WHOLE = sizeof whole / sizeof *whole };

/* The i-th column of a table; NULL after the last. */
static const struct column *column_at (unsigned columns, size_t i)
{
    if (columns & JOB_COLUMNS_LETTERS)
        return i < CUT ? &cut[i] : NULL;
    for (size_t k = 0; k < WHOLE; k++)
        if ((whole[k].needs & ~columns) == 0 && i-- == 0)
            return &whole[k];
    return NULL;
}

struct table *job_table (unsigned columns)
{
    struct table_column titles[WHOLE + 1];
    const struct column *column;
    size_t n = 0;
    if (columns & JOB_COLUMNS_LETTERS)
        titles[n++] = (struct table_column){"", TABLE_TEXT};
    for (size_t i = 0; (column = column_at (columns, i)); i++)
        titles[n++] = column->title;
    return table_create (titles, n);
}

void job_table_add (struct table *table, unsigned columns, const json_t *job,
                    size_t n, char letter)
{
    const struct column *column;
    if (columns & JOB_COLUMNS_LETTERS)
        table_cell (table, "%c", letter);
    for (size_t i = 0; (column = column_at (columns, i)); i++)
        column->put (table, job, n);
}
