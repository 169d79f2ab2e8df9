/* tori what-if - the forecast with something changed, beside the one
 * without. */
#include <stdlib.h>
#include <string.h>

#include <tori/snapshot.h>

#include "asked.h"
#include "changes.h"
#include "caller.h"
#include "commands.h"
#include "fields.h"
#include "names.h"
#include "outlook.h"
#include "table.h"
#include "terminal.h"

struct values {
    const char *snapshot, *socket;
    int sched;
    const char *alloc;
    int order;
    int64_t depth;
    struct changes changes;
    bool json;
};

#define AT(member) offsetof (struct values, changes.member)

static const struct option options[] = {
    OPTION_ROW_SNAPSHOT (struct values),
    {"sched", OPTION_CHOICE, offsetof (struct values, sched), "NAME",
     .choices = batch_names, .help = "another scheduler"},
    {"alloc", OPTION_STRING, offsetof (struct values, alloc), "NAME",
     .choices = allocator_names,
     .help = "another allocator; two, such as first-fit,mm: one for shapes "
             "and one for counts"},
    {"order", OPTION_CHOICE, offsetof (struct values, order), "NAME",
     .choices = order_names, .help = "another order of the queue"},
    {"depth", OPTION_INTEGER, offsetof (struct values, depth), "N", .min = 1,
     .max = UINT32_MAX, .help = "another number of reservations"},
    {"add", OPTION_STRINGS, AT (add), "SPEC",
     .help = "one more job, such as shape=4x4x2,wiring=torus,estimate=1h or "
             "count=30,estimate=60; or=8x4x1/torus or or=32 adds what it "
             "takes instead, only=0,0,0/4x8x8 a box that it may use; with "
             "level=1 it may take the place of running jobs of lower levels"},
    {"cancel", OPTION_STRINGS, AT (cancel), "ID",
     .help = "a job leaves the queue, or ends now"},
    {"priority", OPTION_STRINGS, AT (priority), "ID=N",
     .help = "another priority of a waiting job; a higher one goes first"},
    {"estimate", OPTION_STRINGS, AT (estimate), "ID=TIME",
     .help = "another estimate of a job, such as 20=1h30m"},
    {"hold", OPTION_STRINGS, AT (hold), "ID",
     .help = "a waiting job is held"},
    {"release", OPTION_STRINGS, AT (release), "ID",
     .help = "a job that is held no longer is"},
    {"down", OPTION_STRINGS, AT (down), "NODE",
     .help = "a node or box goes down, and kills the jobs running there"},
    {"drain", OPTION_STRINGS, AT (drain), "NODE",
     .help = "a node or box takes no more jobs"},
    {"up", OPTION_STRINGS, AT (up), "NODE",
     .help = "a node or box is neither down nor drained any more"},
    {"window", OPTION_STRINGS, AT (window), "SPEC",
     .help = "a place is kept free for a time, such as "
             "box=0,0,0/8x8x1,from=+1h,until=+3h; count=64 instead of a "
             "box keeps any 64 nodes; with jobs=20,21 these may "
             "run there"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* What is compared. */
struct outcome {
    tori_snapshot *snapshot;
    tori_sched *sched[2]; /* without the changes, and with */
    struct outlook list[2];
    struct ids_said rejected[2], killed[2];
};

/* ---- the scheduler with the changes ---- */

/* Where there is an allocator for shapes and one for counts, the new one takes
 * the place of that which it can stand for: of both, if it takes both. */
static void replace_alloc (tori_sched_config *config, const char *name,
                           tori_alloc_config *alloc, tori_alloc_config *counts)
{
    unsigned takes = tori_alloc_find (name)->takes;
    if (!config->counts || takes & TORI_BY_SHAPE) {
        *alloc = *config->alloc;
        alloc->name = name;
        config->alloc = alloc;
    } else {
        *counts = *config->counts;
        counts->name = name;
        config->counts = counts;
    }
    if (takes & TORI_BY_SHAPE && takes & TORI_BY_COUNT)
        config->counts = NULL;
}

static void replace_allocs (tori_sched_config *config,
                            const tori_alloc_info *first,
                            const tori_alloc_info *second,
                            tori_alloc_config *alloc,
                            tori_alloc_config *counts)
{
    if (first)
        replace_alloc (config, first->name, alloc, counts);
    if (!second)
        return;
    *counts = *config->alloc;
    counts->name = second->name;
    config->counts = counts;
}

static int make_sched (const struct values *v, bool places,
                       struct outcome *it, tori_error *err)
{
    tori_sched_config config = {.size = sizeof config};
    tori_alloc_config alloc, counts;
    const tori_alloc_info *first = NULL, *second = NULL;
    tori_sched *plain;
    int status;
    if (v->alloc && allocators_parse (v->alloc, &first, &second, err) < 0)
        return -1;
    if (tori_snapshot_sched (it->snapshot, NULL, &plain, err) < 0)
        return -1;
    if (v->sched < 0 && !v->alloc && v->order < 0 && v->depth == 0
        && !places) {
        it->sched[1] = plain;
        return 0;
    }
    tori_sched_get_config (plain, &config);
    replace_allocs (&config, first, second, &alloc, &counts);
    if (v->sched >= 0)
        config.policy = batch_names ((size_t)v->sched);
    if (v->sched >= 0 || v->depth)
        config.depth = (uint32_t)v->depth;
    if (places)
        config.flags |= TORI_SCHED_PLACES;
    if (v->order >= 0)
        config.order = (tori_order)v->order;
    status = tori_snapshot_sched (it->snapshot, &config, &it->sched[1], err);
    tori_sched_destroy (plain);
    return status;
}

/* A scheduler that reserves numbers of nodes has no windows. Then one is made
 * that reserves places. */
static int make_changed (const struct values *v, struct outcome *it,
                         tori_error *err)
{
    for (int places = 0;; places = 1) {
        if (make_sched (v, places, it, err) < 0)
            return -1;
        if (changes_windows (&v->changes, it->sched[1], it->snapshot, err)
            == 0)
            return changes_make (&v->changes, it->sched[1], it->snapshot,
                                 err);
        if (places)
            return -1;
        tori_sched_destroy (it->sched[1]);
        it->sched[1] = NULL;
    }
}

static int compare (const struct values *v, struct outcome *it,
                    tori_error *err)
{
    if (tori_snapshot_sched (it->snapshot, NULL, &it->sched[0], err) < 0
        || changes_admit (&v->changes, it->sched[0], it->snapshot, err) < 0
        || make_changed (v, it, err) < 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (decisions_fetch (it->sched[i], &it->rejected[i], &it->killed[i],
                             err)
                < 0
            || outlook_make (it->sched[i], &it->list[i], err) < 0)
            return -1;
    return 0;
}

/* ---- the answer ---- */

static int emit_answer (const struct values *v, const struct outcome *it,
                        FILE *out, tori_error *err)
{
    const tori_machine *machine = it->snapshot->machine;
    struct emit e = emit_to (out);
    asked_open (&e, "what-if", &command_what_if, v);
    emit_time (&e, "now", it->snapshot->now);
    ids_emit (&e, "killed", &it->killed[1]);
    ids_emit (&e, "rejected", &it->rejected[1]);
    emit_open (&e, "jobs", '[');
    for (size_t i = 0; i < it->list[1].n; i++) {
        const struct outlook_row *row = &it->list[1].row[i];
        emit_open (&e, NULL, '{');
        emit_count (&e, "id", row->id);
        outlook_emit (&e, machine, row);
        emit_open (&e, "without", '{');
        outlook_emit (&e, machine, outlook_find (&it->list[0], row->id));
        emit_close (&e, '}');
        emit_close (&e, '}');
    }
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void start_cell (struct table *table, const struct outlook_row *row)
{
    char text[CLOCK_TEXT_MAX];
    if (!row || !row->starts) {
        table_cell (table, "%s", row ? "never" : "");
        return;
    }
    start_format (row->start, text);
    table_cell (table, "%s", text);
}

/* How much later, or earlier. */
static void change_cell (struct table *table, const struct outlook_row *row,
                         const struct outlook_row *without)
{
    char text[DURATION_TEXT_MAX];
    if (!without || !row->starts || !without->starts) {
        table_cell (table, "%s", without ? "" : "new");
        return;
    }
    duration_about (row->start - without->start, text);
    if (strcmp (text, "0s") == 0)
        table_cell (table, "0");
    else
        table_cell (table, "%s%s", row->start > without->start ? "+" : "",
                    text);
}

static int print_answer (const struct outcome *it, FILE *out, tori_error *err)
{
    const struct table_column columns[] = {
        {"job", TABLE_NUMBER},
        {time_is_clock (it->snapshot->now) ? "start" : "start, s", TABLE_NUMBER},
        {"without", TABLE_NUMBER}, {"change", TABLE_NUMBER},
        {"place", TABLE_TEXT},
    };
    struct table *table = table_create (columns, 5);
    int status;
    for (size_t i = 0; i < it->list[1].n; i++) {
        const struct outlook_row *row = &it->list[1].row[i];
        const struct outlook_row *without = outlook_find (&it->list[0], row->id);
        char place[PLACE_TEXT_MAX];
        place_format (it->snapshot->machine, &row->place, place);
        table_cell (table, "%llu", (unsigned long long)row->id);
        start_cell (table, row);
        start_cell (table, without);
        change_cell (table, row, without);
        table_cell (table, "%s", place);
    }
    ids_print (&it->killed[1], "is killed", out);
    ids_print (&it->rejected[1], "can never run", out);
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
    return status;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct outcome it = {0};
    int status = -1;
    if (snapshot_open (v->socket, v->snapshot, &it.snapshot, err) < 0)
        return -1;
    if (compare (v, &it, err) == 0)
        status = v->json ? emit_answer (v, &it, out, err)
                         : print_answer (&it, out, err);
    for (int i = 0; i < 2; i++) {
        outlook_clear (&it.list[i]);
        tori_sched_destroy (it.sched[i]);
        free (it.killed[i].id);
        free (it.rejected[i].id);
    }
    tori_snapshot_destroy (it.snapshot);
    return status;
}

const struct command command_what_if = {
    .name = "what-if",
    .summary = "Show what a change does to every waiting job",
    .notes = "The queue of a snapshot (see 'tori help files') is run forward "
             "twice, as 'tori forecast' does: as it is, and with all of the "
             "changes. Jobs that are added have the ids after the largest. "
             "Times are seconds, or such as 1h30m or 9:00; of a window also "
             "+1h, from the time of the snapshot on. "
             "With another scheduler, allocator, order or depth, nothing that "
             "was promised binds it. Where shapes and counts wait, there is "
             "an allocator for each, and --alloc replaces the one whose "
             "requests it takes, or both.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori what-if SNAPSHOT --sched conservative\n"
                "tori what-if SNAPSHOT --down 0,0,0/1x8x8\n"
                "tori what-if SNAPSHOT --priority 20=5 --hold 21\n"
                "tori what-if SNAPSHOT --window "
                "box=0,0,0/1x8x8,from=+1h,until=+3h\n"
                "tori what-if SNAPSHOT --add "
                "shape=4x4x2,wiring=torus,estimate=3600",
    .answer = &answer_what_if,
    .run = run,
};
