/* tori defrag - which running jobs to move so that another fits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "http_client.h"
#include "commands.h"
#include "defrag.h"
#include "names.h"
#include "snapshot_source.h"
#include "table.h"
#include "terminal.h"

struct values {
    const char *snapshot, *socket, *alloc;
    const char *id;
    const char *shape;
    int wiring;
    bool no_rotate;
    bool wrap;
    bool live;
    const char *keep;
    int64_t moves;
    int64_t seconds;
    int64_t steps;
    const char *apply, *why;
    bool json;
};

#define AT(member) offsetof (struct values, member)

static const struct option options[] = {
    OPTION_ROW_SNAPSHOT (struct values),
    {"for", OPTION_STRING, AT (id), "ID",
     .without = "shape", .help = "make room for this job of the queue"},
    {"shape", OPTION_STRING, AT (shape), "SHAPE",
     .help = "make room for a box of this shape"},
    {"wiring", OPTION_CHOICE, AT (wiring), "NAME",
     .choices = wiring_names, .fallback = "none", .with = "shape",
     .help = "links to reserve in the box"},
    {"no-rotate", OPTION_FLAG, AT (no_rotate),
     .with = "shape", .help = "take the shape as it is, not its rotations"},
    {"wrap", OPTION_FLAG, AT (wrap), .with = "shape",
     .help = "the box may wrap around where the dimension does"},
    {"live", OPTION_FLAG, AT (live),
     .help = "jobs move one after another, each onto nodes and links that are "
             "free at its turn; otherwise all stop, then start in their new "
             "places"},
    {"keep", OPTION_STRING, AT (keep), "ID,...",
     .help = "jobs that stay where they are"},
    {"moves", OPTION_INTEGER, AT (moves), "N", .min = 1,
     .max = INT64_MAX, .help = "move no more than N jobs"},
    {"seconds", OPTION_INTEGER, AT (seconds), "S", .min = 1,
     .max = INT32_MAX,
     .help = "the most seconds of the search, after which the best answer so "
             "far is given; 10, or any number with --steps"},
    {"steps", OPTION_INTEGER, AT (steps), "N", .min = 1,
     .max = INT64_MAX,
     .help = "the most steps of the search; unlike seconds, they give the same "
             "answer on every machine"},
    {"apply", OPTION_STRING, AT (apply), "PLAN", .without = "snapshot",
     .help = "carry out this plan, if it is still the answer: running jobs "
             "are moved, which costs them work; for operators"},
    {"why", OPTION_STRING, AT (why), "TEXT", .with = "apply",
     .help = "the reason, which is shown with the jobs and kept in the record "
             "of changes"},
    OPTION_ROW_PLUGIN (struct values),
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

static int print_moves (const struct defrag *it, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"job", TABLE_NUMBER},
        {"nodes", TABLE_NUMBER},
        {"from", TABLE_TEXT},
        {"to", TABLE_TEXT},
        {"stopped", TABLE_NUMBER},
        {"does again", TABLE_NUMBER},
    };
    struct table *table = table_create (columns, 6);
    for (size_t i = 0; i < it->room.n; i++) {
        const tori_room_move *move = &it->room.moves[i];
        const tori_snapshot_job *job = &it->snapshot->running[move->job];
        char text[PLACE_TEXT_MAX], length[DURATION_TEXT_MAX];
        table_cell (table, "%" PRIu64, job->spec.tag);
        table_cell (table, "%u", job->place.count);
        place_format (it->snapshot->machine, &job->place, text);
        table_cell (table, "%s", text);
        place_format (it->snapshot->machine, &move->to, text);
        table_cell (table, "%s", text);
        duration_about (it->cost[i].stopped, length);
        table_cell (table, "%s", length);
        duration_about (it->cost[i].redone, length);
        table_cell (table, "%s", length);
    }
    return table_print (table, out, terminal_bold (), err);
}

/* "at 18:00:00, in 2h", or "never". */
static void format_start (const struct defrag *it, tori_time start,
                          char text[LENGTH_TEXT_MAX])
{
    if (start < 0)
        snprintf (text, LENGTH_TEXT_MAX, "never");
    else if (start <= it->snapshot->now)
        snprintf (text, LENGTH_TEXT_MAX, "now");
    else
        moment_format (start, it->snapshot->now, text);
}

/* Say what the moves gain. */
static void print_gain (const struct defrag *it, FILE *out)
{
    char before[LENGTH_TEXT_MAX], after[LENGTH_TEXT_MAX];
    if (!it->foreseen)
        return;
    format_start (it, it->before, before);
    format_start (it, it->after, after);
    if (it->before == it->after)
        fprintf (out,
                 "job %" PRIu64 " gains nothing: with the moves or without, "
                 "it starts %s%s\n",
                 it->waiting->spec.tag,
                 it->before > it->snapshot->now ? "at " : "", before);
    else
        fprintf (out, "job %" PRIu64 " then starts %s%s instead of %s%s\n",
                 it->waiting->spec.tag,
                 it->after > it->snapshot->now ? "at " : "", after,
                 it->before > it->snapshot->now ? "at " : "", before);
}

static int print_answer (const struct defrag *it, FILE *out, tori_error *err)
{
    const tori_room *room = &it->room;
    char text[PLACE_TEXT_MAX];
    place_format (it->snapshot->machine, &room->place, text);
    if (!room->found) {
        fprintf (out, room->least ? "no moves help\n"
                                  : "no moves were found, but not all were "
                                    "tried\n");
        return 0;
    }
    if (room->n == 0) {
        fprintf (out, "no moves are needed: it fits at %s\n", text);
        return 0;
    }
    if (print_moves (it, out, err) < 0)
        return -1;
    fprintf (out, "then it fits at %s\n", text);
    print_gain (it, out);
    fprintf (out, "nodes moved: %" PRIu64 "%s\n", room->nodes,
             room->least ? ", and no fewer will do" : "");
    if (!room->least)
        fprintf (out,
                 "at least %" PRIu64 " have to: not all moves were tried\n",
                 room->bound);
    return 0;
}

/* Show the best answer so far, and how long the search has taken. */
static void show_progress (void *arg, const tori_room *so_far)
{
    char text[PROGRESS_TEXT];
    if (so_far->found)
        snprintf (text, sizeof text,
                  "best so far: %" PRIu64 " nodes move, at least %" PRIu64
                  " have to",
                  so_far->nodes, so_far->bound);
    else
        snprintf (text, sizeof text, "no moves found so far");
    progress_say (arg, text);
}

static int make_room (const struct values *v, const tori_snapshot *snapshot,
                      struct defrag *it, tori_error *err)
{
    struct progress progress;
    struct defrag_question q = {.dashes = "--",
                                .request.wiring = (tori_wiring)v->wiring,
                                .request.fixed = v->no_rotate,
                                .request.wrap = v->wrap,
                                .live = v->live,
                                .moves = v->moves,
                                .seconds = v->seconds,
                                .steps = v->steps,
                                .plan = v->apply,
                                .progress = show_progress,
                                .arg = &progress};
    int status = -1;
    progress_begin (&progress);
    if ((!v->id || defrag_for (&q, v->id, err) == 0)
        && (!v->shape || defrag_shape (&q, v->shape, err) == 0)
        && (!v->keep || defrag_keep (&q, v->keep, err) == 0))
        status = defrag_make (snapshot, &q, it, err);
    progress_end (&progress);
    free (q.keep);
    return status;
}

/* The answer has the moves that torid takes. */
static int send_plan (const struct values *v, const struct defrag *it,
                      tori_error *err)
{
    char *text = defrag_text (it);
    json_t *plan = text ? json_loads (text, 0, NULL) : NULL, *answer = NULL;
    json_t *body = json_pack ("{s:O, s:s*}", "moves",
                              json_object_get (plan, "moves"), "why", v->why);
    int status;
    if (body && v->id)
        json_object_set_new (body, "for", json_integer (atoll (v->id)));
    status = body ? call (v->socket, "POST", "/v1/moves", body, &answer, err)
                  : tori_error_nomem (err);
    json_decref (answer);
    json_decref (body);
    json_decref (plan);
    free (text);
    return status;
}

static int apply_plan (const struct values *v, const struct defrag *it,
                       tori_error *err)
{
    if (strcmp (v->apply, it->plan))
        return tori_error_set (err, TORI_INVALID,
                               it->room.n > 0
                                   ? "nothing was moved, because the state has "
                                     "changed since: the plan is %s now"
                                   : "nothing was moved, because the state has "
                                     "changed since: there is no plan now",
                               it->plan);
    return send_plan (v, it, err);
}

/* Say how the plan can be carried out, or that it was. */
static void print_apply (const struct values *v, const struct defrag *it,
                         FILE *out)
{
    if (!*it->plan)
        return;
    if (v->apply)
        fprintf (out, "%zu job%s moved\n", it->room.n,
                 it->room.n == 1 ? " has" : "s have");
    else
        fprintf (out, "to carry it out: the same command with --apply %s\n",
                 it->plan);
}

/* A plan of the service has a name, and can be carried out. */
static int answer_room (const struct values *v, struct defrag *it, FILE *out,
                        tori_error *err)
{
    if (!v->snapshot && it->room.n > 0 && defrag_name (it, err) < 0)
        return -1;
    if (v->apply && apply_plan (v, it, err) < 0)
        return -1;
    if (defrag_weigh (it, err) < 0)
        return -1;
    if (v->json)
        return asked_emit (&command_defrag, v, it, out, err);
    if (print_answer (it, out, err) < 0)
        return -1;
    print_apply (v, it, out);
    return 0;
}

static int run_defrag (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct defrag it = {0};
    struct plugins plugins;
    tori_snapshot *snapshot;
    int status;
    if (snapshot_open_with (v->socket, v->snapshot, v->alloc, &plugins,
                            &snapshot, err)
        < 0)
        return -1;
    status = make_room (v, snapshot, &it, err);
    if (status == 0)
        status = answer_room (v, &it, out, err);
    if (status == 0 && !it.room.found)
        status = TORI_NOT_NOW;
    defrag_clear (&it);
    tori_snapshot_destroy (snapshot);
    return status;
}

const struct command command_defrag = {
    .name = "defrag",
    .summary = "Tell which running jobs to move so that another fits",
    .notes = "Finds the moves of the fewest nodes, then of the fewest jobs, "
             "after which the job or shape fits beside the running jobs of a "
             "snapshot (see 'tori help files') and can be wired. A job moves "
             "with all of its nodes. A box keeps its shape up to rotation, "
             "and its wiring; a list of nodes goes to any free ones. For a "
             "job that may be folded, all its folds are tried. Jobs with "
             "\"movable\": false stay. No job goes to nodes that it may not "
             "use (\"only\"), or where a reservation begins before it would "
             "end. The answer is proved least unless the search takes longer "
             "than --seconds or --steps; then it is the best so far, and "
             "\"bound\" says how few nodes might be enough. The "
             "snapshot is taken as it is, while 'tori why' and 'tori "
             "forecast' describe the machine just after the scheduler has "
             "run. A plan for a running torid has a name. --apply carries out "
             "exactly that plan; if the search does not find it any more, or the "
             "job of --for would still wait, nothing is moved. A moved job is "
             "stopped, and starts in its new place from its last checkpoint, "
             "or from the beginning: the table says how long it is stopped, "
             "and how much of its work it does again. For a job of --for, "
             "forecasts with the moves and without tell what they gain; others "
             "may still go first.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori defrag SNAPSHOT --for 20\n"
                "tori defrag SNAPSHOT --shape 4x4x2 --wiring torus --live\n"
                "tori defrag --for 20 --apply 3f2a9c01 --why 'a deadline'",
    .status = {[0] = "it fits, after the moves if there are any",
               [3] = "no moves help",
               [4] = "it is larger than the machine, or there is no such "
                     "shape"},
    .answer = &answer_defrag,
    .run = run_defrag,
};
