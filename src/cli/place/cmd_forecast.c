/* tori forecast - when and where every waiting job will start. */
#include <stdlib.h>

#include <tori/snapshot.h>

#include "asked.h"
#include "http_client.h"
#include "commands.h"
#include "snapshot_source.h"
#include "table.h"
#include "terminal.h"
#include "whylines.h"

struct values {
    const char *snapshot, *socket, *alloc;
    struct strings ids;
    bool json;
};

static const struct option options[] = {
    OPTION_ROW_SNAPSHOT (struct values),
    OPTION_ROW_WAITING (struct values),
    OPTION_ROW_PLUGIN (struct values),
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* A row for several jobs whose ids follow each other. */
static void add_row (struct table *table, const tori_snapshot *snapshot,
                     const struct forecast_row *row, size_t n,
                     bool conditions)
{
    char place[PLACE_TEXT_MAX], start[CLOCK_TEXT_MAX];
    char condition[CONDITION_TEXT];
    char wait[DURATION_TEXT_MAX] = "";
    unsigned long long id = row->id;
    if (row->starts) {
        start_format (row->start, start);
        wait_format (row->start, snapshot->now, wait);
    } else {
        snprintf (start, sizeof start, "%s", no_start (row));
    }
    place_format (snapshot->machine, &row->at.place, place);
    if (n > 1)
        table_cell (table, "%llu-%llu", id, id + n - 1);
    else
        table_cell (table, "%llu", id);
    table_cell (table, "%s", start);
    table_cell (table, "%s", wait);
    table_cell (table, "%s", place);
    if (conditions) {
        tori_condition_text (&row->condition, condition, sizeof condition);
        table_cell (table, "%s", condition);
    }
}

static bool has_conditions (const struct forecast_rows *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->row[i].condition.hold)
            return true;
    return false;
}

static int print_answer (struct forecast *it, FILE *out, tori_error *err)
{
    const tori_snapshot *snapshot = it->snapshot;
    struct forecast_rows *list = &it->list;
    const struct table_column columns[] = {
        {"job", TABLE_NUMBER},
        {time_is_clock (snapshot->now) ? "start" : "start, s", TABLE_NUMBER},
        {"in", TABLE_NUMBER},
        {"place", TABLE_TEXT},
        {"if", TABLE_TEXT},
    };
    bool conditions = has_conditions (list);
    struct table *table = table_create (columns, conditions ? 5 : 4);
    int status;
    forecast_rows_sort (list);
    for (size_t i = 0, n; i < list->n; i += n) {
        n = forecast_rows_alike (list, i);
        add_row (table, snapshot, &list->row[i], n, conditions);
    }
    status = table_print (table, out, terminal_bold (), err);
    if (status == 0) {
        rows_print_pushes (list, out);
        forecast_print_unsure (it, out);
        ids_print (&it->decided.rejected, "can never run", out);
    }
    return status;
}

static int run_forecast (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct forecast it = {0};
    struct plugins plugins;
    struct progress progress;
    struct waiting_ids ids = {0};
    tori_snapshot *snapshot = NULL;
    int status;
    if (waiting_read (v->snapshot, &v->ids, v->socket, &ids, err) < 0)
        return -1;
    status = snapshot_open_with (v->socket, v->snapshot, v->alloc, &plugins,
                                 &snapshot, err);
    if (status == 0)
        status = waiting_keep (&ids, snapshot, err);
    if (status == 0) {
        progress_begin (&progress);
        status = forecast_make (snapshot, &it, err);
        progress_end (&progress);
    }
    if (status == 0 && ids.n > 0)
        forecast_keep (&it, ids.id, ids.n);
    if (status == 0)
        status = v->json ? asked_emit (&command_forecast, v, &it, out, err)
                         : print_answer (&it, out, err);
    forecast_clear (&it);
    tori_snapshot_destroy (snapshot);
    return waiting_end (&ids, status, err);
}

const struct command command_forecast = {
    .name = "forecast",
    .summary = "Tell when and where every waiting job will start",
    .notes = "The queue of a snapshot (see 'tori help files') is run forward: "
             "no further jobs come, nothing breaks or is repaired, and every "
             "job ends at its time limit. Jobs are listed in the order in which "
             "they start, and those that do not start come last; JSON has them "
             "in the order of the queue. Fair share stays as it is now: if it, "
             "another order of the queue than that of submission, or plain "
             "backfilling may delay jobs, a line says that the starts are not "
             "promises. Another line counts the jobs that have no planned "
             "start: under easy all but the first of the queue, and those "
             "that are held or wait for a limit. Jobs that come later may "
             "delay them; JSON says which. A job that starts \"never\" does not fit beside what is "
             "down, or somebody holds it. A job that waits for other jobs, "
             "its array or a limit starts if these end as the last column "
             "says. Its start is \"open\" if the snapshot does not say what "
             "it waits for, or if that does not end as things are, as when "
             "another job pushes out and kills it in the forecast. One that starts \"soon\" waits for a job that has "
             "outlived its time limit.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori forecast SNAPSHOT\ntori forecast SNAPSHOT 20 21",
    .answer = &answer_forecast,
    .run = run_forecast,
};
