/* tori what-if - the forecast with something changed, beside the one
 * without. */
#include <string.h>

#include "asked.h"
#include "http_client.h"
#include "commands.h"
#include "names.h"
#include "plugin.h"
#include "snapshot_source.h"
#include "table.h"
#include "terminal.h"
#include "whatif.h"
#include "whylines.h"

struct values {
    const char *snapshot, *socket;
    int sched;
    const char *alloc, *plugin;
    int order;
    int64_t depth;
    struct strings add, cancel, priority, before, time, hold, release;
    struct strings down, drain, up, reservation;
    bool json;
};

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    OPTION_ROW_SNAPSHOT (struct values),
    {"sched", OPTION_CHOICE, AT (sched), "NAME",
     .choices = batch_names, .help = "another scheduler"},
    {"alloc", OPTION_STRING, AT (alloc), "NAME",
     .choices = allocator_names,
     .help = "another allocator; two, such as first-fit+mm: one for shapes "
             "and one for counts; ./mine.so: one of your own (man "
             "tori_plugin)"},
    {"plugin", OPTION_STRING, AT (plugin), "PLUGIN", .with = "alloc",
     .help = "the file of an allocator of your own that the snapshot names, if "
             "--alloc is another one"},
    {"order", OPTION_CHOICE, AT (order), "NAME",
     .choices = order_names, .help = "another order of the queue"},
    {"depth", OPTION_INTEGER, AT (depth), "N", .min = 1,
     .max = UINT32_MAX, .help = "another number of planned starts"},
    {"add", OPTION_STRINGS, AT (add), "SPEC",
     .help = "one more job, such as shape=4x4x2,wiring=torus,time=1h or "
             "count=30,time=60; or=8x4x1/torus or or=32 adds what it "
             "accepts instead, only=0,0,0/4x8x8 a box that it may use; with "
             "tier=1 it may preempt running jobs of lower tiers; user=NAME "
             "and queue=NAME say whose limits and priorities hold: if not "
             "given, those of the caller and of the first queue of a running "
             "torid"},
    {"cancel", OPTION_STRINGS, AT (cancel), "ID",
     .help = "a job leaves the queue, or ends now"},
    {"priority", OPTION_STRINGS, AT (priority), "ID=N",
     .help = "another priority of a waiting job, as 'tori change --priority' "
             "gives it: its queue may add to it, and fair share takes from "
             "it; a higher one goes first"},
    {"before", OPTION_STRINGS, AT (before), "ID=ID",
     .help = "a waiting job goes before another, as with 'tori change "
             "--before': 20=17 puts job 20 before job 17"},
    {"time", OPTION_STRINGS, AT (time), "ID=DURATION", .old = "estimate",
     .help = "another time limit of a job, such as 20=1h30m"},
    {"hold", OPTION_STRINGS, AT (hold), "ID",
     .help = "a waiting job is held"},
    {"release", OPTION_STRINGS, AT (release), "ID",
     .help = "a held job is released"},
    {"down", OPTION_STRINGS, AT (down), "NODE",
     .help = "a node or box goes down: jobs that run there are requeued, "
             "or killed if they cannot be"},
    {"drain", OPTION_STRINGS, AT (drain), "NODE",
     .help = "a node or box takes no more jobs"},
    {"up", OPTION_STRINGS, AT (up), "NODE",
     .help = "a node or box is neither down nor drained any more"},
    {"reservation", OPTION_STRINGS, AT (reservation), "SPEC",
     .old = "window",
     .help = "a place is kept free for a time, such as "
             "box=0,0,0/8x8x1,from=+1h,until=+3h, or from=18:00,until=20:00 "
             "or 'from=2026-11-16 18:00'; count=64 instead of a "
             "box keeps any 64 nodes; with jobs=20,21 these may "
             "run there"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

static void start_cell (struct table *table, const struct forecast_row *row)
{
    char text[CLOCK_TEXT_MAX];
    if (!row || !row->starts) {
        table_cell (table, "%s", row ? no_start (row) : "");
        return;
    }
    start_format (row->start, text);
    table_cell (table, "%s", text);
}

/* Say how much later, or earlier, the job starts. */
static void change_cell (struct table *table, const struct what_if *it,
                         const struct forecast_row *row,
                         const struct forecast_row *without)
{
    char text[DURATION_TEXT_MAX];
    if (!without || !row->starts || !without->starts) {
        table_cell (table, "%s",
                    without                                           ? ""
                    : ids_include (&it->decided[1].requeued, row->id) ? "again"
                                                                      : "new");
        return;
    }
    duration_about (row->start - without->start, text);
    if (strcmp (text, "0s") == 0)
        table_cell (table, "0");
    else
        table_cell (table, "%s%s", row->start > without->start ? "+" : "",
                    text);
}

static int print_answer (const struct what_if *it, FILE *out, tori_error *err)
{
    const struct table_column columns[] = {
        {"job", TABLE_NUMBER},
        {time_is_clock (it->snapshot->now) ? "start" : "start, s", TABLE_NUMBER},
        {"without", TABLE_NUMBER}, {"change", TABLE_NUMBER},
        {"place", TABLE_TEXT},
    };
    struct table *table = table_create (columns, 5);
    size_t at = 0;
    for (size_t i = 0; i < it->list[1].n; i++) {
        const struct forecast_row *row = &it->list[1].row[i];
        const struct forecast_row *without =
            forecast_rows_find (&it->list[0], row->id, &at);
        char place[PLACE_TEXT_MAX];
        place_format (it->snapshot->machine, &row->at.place, place);
        table_cell (table, "%llu", (unsigned long long)row->id);
        start_cell (table, row);
        start_cell (table, without);
        change_cell (table, it, row, without);
        table_cell (table, "%s", place);
    }
    ids_print (&it->decided[1].killed, "is killed", out);
    ids_print (&it->decided[1].requeued, "is stopped and requeued", out);
    ids_print (&it->decided[1].rejected, "can never run", out);
    if (table_print (table, out, terminal_bold (), err) < 0)
        return -1;
    rows_print_pushes (&it->list[1], out);
    return 0;
}

/* Every option that takes a list is a change of the same name. */
static int read_changes (const struct values *v, const tori_snapshot *snapshot,
                         struct changes *changes, tori_error *err)
{
    for (const struct option *o = options; o->name; o++) {
        const struct strings *list = (const void *)((const char *)v + o->offset);
        char where[40];
        snprintf (where, sizeof where, "--%s", o->name);
        for (size_t i = 0; o->kind == OPTION_STRINGS && i < list->n; i++)
            if (changes_add (changes, snapshot, o->name, where, list->item[i],
                             err)
                < 0)
                return -1;
    }
    return 0;
}

/* The state of the service, perhaps with further jobs. */
struct states {
    tori_snapshot *now, *with; /* the second may be NULL */
};

/* The service submits the jobs in a copy of its state: it knows who may use a
 * queue, and a refusal is that of a submission. */
static int submit_added (const struct values *v, struct changes *changes,
                         struct states *states, tori_error *err)
{
    json_t *jobs = changes_take_jobs (changes, states->now->machine);
    int status = jobs ? 0 : tori_error_nomem (err);
    if (json_array_size (jobs) > 0) {
        tori_snapshot_destroy (states->now);
        states->now = NULL;
        status = snapshot_submit (v->socket, jobs, &states->now,
                                  &states->with, err);
    }
    json_decref (jobs);
    return status;
}

static int compare_forecasts (const struct values *v, struct states *states,
                              struct what_if *ret_it, tori_error *err)
{
    struct what_if_question question
        = {.sched = v->sched,
           .order = v->order,
           .depth = v->depth};
    int status = read_changes (v, states->now, &question.changes, err);
    if (status == 0 && !v->snapshot)
        status = submit_added (v, &question.changes, states, err);
    if (status == 0 && v->alloc)
        status = allocators_parse (v->alloc, "--alloc", plugin_find,
                                   &question.alloc, &question.counts, err);
    if (status == 0)
        status = what_if_make (states->now, states->with, &question, ret_it,
                               err);
    changes_clear (&question.changes);
    return status;
}

static int run_what_if (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct what_if it = {0};
    struct states states = {0};
    struct plugins plugins;
    int status;
    if ((v->plugin ? plugins_named (v->plugin, "--plugin", &plugins, err)
                   : plugins_named (v->alloc, "--alloc", &plugins, err))
            < 0
        || snapshot_open (v->socket, v->snapshot, &plugins.own, &states.now,
                          err)
               < 0)
        return -1;
    status = compare_forecasts (v, &states, &it, err);
    if (status == 0)
        status = v->json ? asked_emit (&command_what_if, v, &it, out, err)
                         : print_answer (&it, out, err);
    what_if_clear (&it);
    tori_snapshot_destroy (states.now);
    tori_snapshot_destroy (states.with);
    return status;
}

const struct command command_what_if = {
    .name = "what-if",
    .summary = "Show what a change does to every waiting job",
    .notes = "The queue of a snapshot (see 'tori help files') is run forward "
             "twice, as 'tori forecast' does: as it is, and with all of the "
             "changes. Added jobs get the ids after the largest. Times are "
             "durations such as 90s, 1h30m or 2d; see 'tori help times'. Times "
             "of a reservation may also be such as +1h, from the time of the "
             "snapshot on. Another scheduler, allocator, order or depth is not bound by earlier "
             "plans. Where both shapes and counts wait, there is an "
             "allocator for each, and --alloc replaces the one whose requests "
             "it takes, or both.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori what-if SNAPSHOT --sched conservative\n"
                "tori what-if SNAPSHOT --down 0,0,0/1x8x8\n"
                "tori what-if SNAPSHOT --priority 20=5 --hold 21\n"
                "tori what-if SNAPSHOT --reservation "
                "box=0,0,0/1x8x8,from=+1h,until=+3h\n"
                "tori what-if SNAPSHOT --add "
                "shape=4x4x2,wiring=torus,time=3600",
    .answer = &answer_what_if,
    .run = run_what_if,
};
