/* tori what-if - the forecast with something changed, beside the one
 * without. */
#include <string.h>

#include "asked.h"
#include "caller.h"
#include "commands.h"
#include "fields.h"
#include "outlook.h"
#include "table.h"
#include "terminal.h"
#include "whatif.h"

static int emit_answer (const struct what_if_asked *v,
                        const struct what_if *it, FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    asked_open (&e, "what-if", &command_what_if, v);
    what_if_emit (it, &e);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void start_cell (struct table *table, const struct outlook_row *row)
{
    char text[CLOCK_TEXT_MAX];
    if (!row || !row->starts) {
        table_cell (table, "%s", row ? no_start (row) : "");
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
    int status;
    for (size_t i = 0; i < it->list[1].n; i++) {
        const struct outlook_row *row = &it->list[1].row[i];
        const struct outlook_row *without
            = outlook_find (&it->list[0], row->id, &at);
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
    const struct what_if_asked *v = values;
    struct what_if it = {0};
    tori_snapshot *snapshot;
    int status;
    if (snapshot_open (v->socket, v->snapshot, &snapshot, err) < 0)
        return -1;
    status = what_if_make (snapshot, v, &it, err);
    if (status == 0)
        status = v->json ? emit_answer (v, &it, out, err)
                         : print_answer (&it, out, err);
    what_if_clear (&it);
    tori_snapshot_destroy (snapshot);
    return status;
}

const struct command command_what_if = {
    .name = "what-if",
    .summary = "Show what a change does to every waiting job",
    .notes = "The queue of a snapshot (see 'tori help files') is run forward "
             "twice, as 'tori forecast' does: as it is, and with all of the "
             "changes. Added jobs get the ids after the largest. Times are "
             "seconds, or texts such as 1h30m or 9:00. Times of a window may "
             "also be such as +1h, from the time of the snapshot on. Another "
             "scheduler, allocator, order or depth is not bound by earlier "
             "promises. Where both shapes and counts wait, there is an "
             "allocator for each, and --alloc replaces the one whose requests "
             "it takes, or both.",
    .options = what_if_options,
    .size = sizeof (struct what_if_asked),
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
