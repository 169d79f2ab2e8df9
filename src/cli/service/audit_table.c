#include "audit_table.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "duration.h"
#include "http_client.h"
#include "jobs.h"
#include "jobtable.h"
#include "terminal.h"

/* ---- fetching ---- */

static int write_path (const struct changes_wanted *wanted, char path[512],
                       tori_error *err)
{
    char user[200];
    int64_t id = 0;
    int n = snprintf (path, 512, "/v1/changes?limit=1000");
    if (wanted->job && job_find (wanted->socket, wanted->job, &id, err) < 0)
        return -1;
    if (wanted->from > 0)
        n += snprintf (path + n, 512 - (size_t)n, "&since=%lld",
                       (long long)(wanted->from / TORI_SECOND));
    if (wanted->job)
        n += snprintf (path + n, 512 - (size_t)n, "&job=%lld", (long long)id);
    if (wanted->user) {
        url_escape (wanted->user, user, sizeof user);
        snprintf (path + n, 512 - (size_t)n, "&user=%s", user);
    }
    return 0;
}

int changes_fetch (const struct changes_wanted *wanted, json_t *list,
                   tori_error *err)
{
    char path[512];
    if (write_path (wanted, path, err) < 0
        || call_pages (wanted->socket, path, "changes", list, err) < 0)
        return -1;
    for (size_t i = json_array_size (list); i-- > 0;) {
        tori_time time = job_time (json_array_get (list, i), "time");
        if (time < wanted->from || time >= wanted->to)
            json_array_remove (list, i);
    }
    return 0;
}

/* ---- printing ---- */

static bool is_among (const char *key, const char *const *names)
{
    while (*names && strcmp (key, *names))
        names++;
    return *names != NULL;
}

static void put_number (FILE *to, const char *key, const json_t *value)
{
    static const char *const times[] = {"begin", "from", "until", NULL};
    static const char *const durations[] = {
        "time_limit", "max-time", "half-life", "history", NULL};
    char when[CLOCK_TEXT_MAX], length[DURATION_TEXT_MAX];
    if (is_among (key, times)) {
        clock_format (seconds_ticks (value), when);
        fputs (when, to);
    } else if (is_among (key, durations)) {
        duration_format (seconds_ticks (value), length);
        fputs (length, to);
    } else
        fprintf (to, "%.15g", json_number_value (value));
}

static void put_value (FILE *to, const char *key, const json_t *value)
{
    if (json_is_string (value))
        fputs (json_string_value (value), to);
    else if (json_is_number (value))
        put_number (to, key, value);
    else if (json_is_boolean (value))
        fputs (json_is_true (value) ? "true" : "false", to);
    else if (json_array_size (value) == 0)
        fputc ('-', to);
    for (size_t i = 0; i < json_array_size (value); i++) {
        if (i > 0)
            fputc (' ', to);
        put_value (to, key, json_array_get (value, i));
    }
}

/* The file that differences are written to, the group that they belong to, and
 * whether there was one. */
struct differences {
    FILE *to;
    const char *group;
    bool some;
};

static void begin_difference (struct differences *d, const char *key)
{
    fprintf (d->to, "%s%s%s%s", d->some ? ", " : "", d->group,
             *d->group ? " " : "", key);
    d->some = true;
}

static void put_members (struct differences *d, const json_t *was,
                         const json_t *is);

/* One that has come or gone: its own members, or only that it is gone. */
static void put_group (struct differences *d, const char *key,
                       const json_t *was, const json_t *is)
{
    struct differences inner = {d->to, key, d->some};
    if (!was || !is)
        begin_difference (d, key);
    if (!was || !is)
        fputs (is ? " is new" : " is gone", d->to);
    inner.some = d->some;
    if (is)
        put_members (&inner, was, is);
    d->some = inner.some;
}

static bool is_empty_text (const json_t *value)
{
    return json_is_string (value) && !*json_string_value (value);
}

/* "name ahead, priority 0 -> 5, hold user -> -": one that was not there before,
 * one that has changed, and one that is gone. The table has the number of the
 * subject already. */
static void put_difference (struct differences *d, const char *key,
                            const json_t *was, const json_t *is)
{
    if (json_is_object (was) || json_is_object (is)) {
        put_group (d, key, was, is);
        return;
    }
    if (!strcmp (key, "id") || (!was && is_empty_text (is)))
        return;
    begin_difference (d, key);
    fputc (' ', d->to);
    if (was) {
        put_value (d->to, key, was);
        fputs (" -> ", d->to);
    }
    put_value (d->to, key, is);
}

/* Those of `was`, and then those that are only in `is`. */
static void put_members (struct differences *d, const json_t *was,
                         const json_t *is)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)was, key, value)
        put_difference (d, key, value, json_object_get (is, key));
    json_object_foreach ((json_t *)(uintptr_t)is, key, value)
        if (!json_object_get (was, key))
            put_difference (d, key, NULL, value);
}

/* Members that were too long for the record. */
static void put_left_out (struct differences *d, const json_t *names)
{
    for (size_t i = 0; i < json_array_size (names); i++) {
        begin_difference (d, json_string_value (json_array_get (names, i)));
        fputs (" (too long for the record)", d->to);
    }
}

static json_t *difference_json (const json_t *change)
{
    char *text = NULL;
    size_t n = 0;
    struct differences d = {open_memstream (&text, &n), "", false};
    json_t *value = NULL;
    if (d.to) {
        put_members (&d, json_object_get (change, "was"),
                     json_object_get (change, "is"));
        put_left_out (&d, json_object_get (change, "left_out"));
        if (fclose (d.to) == 0)
            value = json_stringn (text, n);
    }
    free (text);
    return value;
}

static bool is_what (const json_t *change, const char *what)
{
    return !strcmp (job_text (change, "what"), what);
}

static json_t *subject_json (const json_t *change)
{
    static const char *const names[] = {"job", "node", "link", "reservation"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *value = json_object_get (change, names[i]);
        if (json_is_string (value))
            return json_sprintf ("%s %s", names[i], json_string_value (value));
        if (value)
            return json_sprintf ("%s %lld", names[i],
                                 (long long)json_integer_value (value));
    }
    return json_string (is_what (change, "restore") ? "state"
                                                        : "configuration");
}

static const struct table_column columns[] = {
    {"number", TABLE_NUMBER}, {"time", TABLE_NUMBER}, {"user", TABLE_TEXT},
    {"what", TABLE_TEXT},     {"on", TABLE_TEXT},     {"owner", TABLE_TEXT},
    {"change", TABLE_TEXT},   {"why", TABLE_TEXT},
};

static void add_row (struct table *table, json_t *change, bool csv)
{
    char time[CLOCK_TEXT_MAX];
    json_object_set_new (change, "on", subject_json (change));
    json_object_set_new (change, "change", difference_json (change));
    table_cell (table, "%lld", (long long)job_number (change, "number"));
    clock_format (job_time (change, "time"), time);
    if (csv)
        table_cell (table, "%.3f",
                    json_number_value (json_object_get (change, "time")));
    else
        table_cell (table, "%s", time);
    job_text_cell (table, change, "user");
    job_text_cell (table, change, "what");
    job_text_cell (table, change, "on");
    job_text_cell (table, change, "owner");
    job_text_cell (table, change, "change");
    job_text_cell (table, change, "why");
}

int changes_print (const json_t *list, bool csv, FILE *out, tori_error *err)
{
    struct table *table;
    if (json_array_size (list) == 0 && !csv)
        return fputs ("no changes\n", out) < 0 ? -1 : 0;
    table = table_create (columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size (list); i++)
        add_row (table, json_array_get (list, i), csv);
    return csv ? table_csv (table, out, err)
               : table_print (table, out, terminal_bold (), err);
}
