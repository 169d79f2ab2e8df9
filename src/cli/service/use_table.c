#include "use_table.h"

#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include "jobtable.h"
#include "terminal.h"

const char *use_key (size_t i)
{
    static const char *const keys[] = {"user", "queue", "account"};
    return i < sizeof keys / sizeof keys[0] ? keys[i] : NULL;
}

/* ---- sums ---- */

struct use {
    const char *name;
    int64_t jobs, running;
    double seconds; /* of nodes */
};

static const char *name_of (const json_t *job, const char *key)
{
    const char *name = job_text (job, key);
    if (*name || !strcmp (key, "user"))
        return name;
    return strcmp (key, "queue") ? "-" : "default";
}

/* The part of the span that a job had, as one use: false if it did not run
 * then. */
static bool measure_job (const json_t *job, const char *key,
                         struct use_span span, struct use *ret)
{
    const struct job_use use = job_use (job, span);
    *ret = (struct use){name_of (job, key), 1, job_is (job, "running"),
                        use.node_seconds};
    return use.any;
}

static int compare_names (const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    return strcmp (x->name, y->name);
}

static int compare_uses (const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    return compare_names (a, b);
}

/* Add up those of one name: how many there are then. */
static size_t merge_uses (struct use *uses, size_t n)
{
    size_t kept = 0;
    qsort (uses, n, sizeof *uses, compare_names);
    for (size_t i = 0; i < n; i++) {
        struct use *last = kept > 0 ? &uses[kept - 1] : NULL;
        if (!last || strcmp (last->name, uses[i].name)) {
            uses[kept++] = uses[i];
            continue;
        }
        last->jobs += uses[i].jobs;
        last->running += uses[i].running;
        last->seconds += uses[i].seconds;
    }
    qsort (uses, kept, sizeof *uses, compare_uses);
    return kept;
}

static json_t *list_uses (const struct use *uses, size_t n, const char *key)
{
    json_t *list = json_array ();
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += uses[i].seconds;
    for (size_t i = 0; i < n; i++)
        json_array_append_new (
            list, json_pack ("{s:s, s:I, s:I, s:f, s:f}", key, uses[i].name,
                             "jobs", (json_int_t)uses[i].jobs, "running",
                             (json_int_t)uses[i].running, "node_hours",
                             uses[i].seconds / 3600, "share",
                             all > 0 ? uses[i].seconds / all : 0.0));
    return list;
}

json_t *use_sum (const json_t *jobs, const char *key, struct use_span span)
{
    struct use *uses = calloc (json_array_size (jobs) + 1, sizeof *uses);
    json_t *list;
    size_t n = 0;
    if (!uses)
        return NULL;
    for (size_t i = 0; i < json_array_size (jobs); i++)
        n += measure_job (json_array_get (jobs, i), key, span, &uses[n]);
    n = merge_uses (uses, n);
    list = list_uses (uses, n, key);
    free (uses);
    return list;
}

/* ---- printing ---- */

static void add_row (struct table *table, const json_t *use, const char *key,
                     bool csv)
{
    double share = json_number_value (json_object_get (use, "share"));
    job_text_cell (table, use, key);
    table_cell (table, "%lld", (long long)job_number (use, "jobs"));
    table_cell (table, "%lld", (long long)job_number (use, "running"));
    table_cell (table, "%.2f",
                json_number_value (json_object_get (use, "node_hours")));
    if (csv)
        table_cell (table, "%.4f", share);
    else
        table_cell (table, "%.1f %%", 100 * share);
}

int use_print (const json_t *uses, const char *key, bool csv, FILE *out,
               tori_error *err)
{
    const struct table_column columns[] = {{key, TABLE_TEXT},
                                           {"jobs", TABLE_NUMBER},
                                           {"running", TABLE_NUMBER},
                                           {"node-hours", TABLE_NUMBER},
                                           {"share", TABLE_NUMBER}};
    struct table *table;
    if (json_array_size (uses) == 0 && !csv)
        return fputs ("no jobs\n", out) < 0 ? -1 : 0;
    table = table_create (columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size (uses); i++)
        add_row (table, json_array_get (uses, i), key, csv);
    return csv ? table_csv (table, out, err)
               : table_print (table, out, terminal_bold (), err);
}
