/* tori defrag - which running jobs to move so that another fits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tori/room.h>
#include <tori/snapshot.h>

#include "asked.h"
#include "bits.h"
#include "caller.h"
#include "commands.h"
#include "fields.h"
#include "names.h"
#include "number.h"
#include "outlook.h"
#include "table.h"
#include "terminal.h"

struct values {
    const char *snapshot, *socket;
    const char *id;
    const char *shape;
    int wiring;
    bool no_rotate;
    bool wrap;
    bool live;
    const char *keep;
    int64_t moves;
    int64_t steps;
    bool json;
};

static const struct option options[] = {
    OPTION_ROW_SNAPSHOT (struct values),
    {"for", OPTION_STRING, offsetof (struct values, id), "ID",
     .without = "shape", .help = "make room for this job of the queue"},
    {"shape", OPTION_STRING, offsetof (struct values, shape), "SHAPE",
     .help = "make room for a box of this shape"},
    {"wiring", OPTION_CHOICE, offsetof (struct values, wiring), "NAME",
     .choices = wiring_names, .fallback = "none", .with = "shape",
     .help = "links to reserve in the box"},
    {"no-rotate", OPTION_FLAG, offsetof (struct values, no_rotate),
     .with = "shape", .help = "take the shape as it is, not its rotations"},
    {"wrap", OPTION_FLAG, offsetof (struct values, wrap), .with = "shape",
     .help = "the box may wrap around where the dimension does"},
    {"live", OPTION_FLAG, offsetof (struct values, live),
     .help = "jobs move one after another, each onto nodes and links that are "
             "free at its turn; otherwise all stop, then start in their new "
             "places"},
    {"keep", OPTION_STRING, offsetof (struct values, keep), "ID,...",
     .help = "jobs that stay where they are"},
    {"moves", OPTION_INTEGER, offsetof (struct values, moves), "N", .min = 1,
     .max = INT64_MAX, .help = "move no more than N jobs"},
    {"steps", OPTION_INTEGER, offsetof (struct values, steps), "N", .min = 1,
     .max = INT64_MAX, .fallback = "1048576",
     .help = "the most steps of the search"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

struct defrag {
    tori_snapshot *snapshot;
    tori_state *state;
    tori_room_job *job; /* by running job */
    tori_request request;
    tori_time end; /* of what is asked for, if it starts now */
    const tori_snapshot_window **window; /* those that matter, by time */
    size_t windows;
    uint64_t *bars; /* sets of nodes, by how many have begun */
    size_t words;   /* of each */
    tori_room room;
};

/* ---- what is asked ---- */

static int parse_id (const char *text, const char *option, uint64_t *ret_id,
                     tori_error *err)
{
    int64_t id;
    if (number_parse (text, option, 0, INT64_MAX, &id, err) < 0)
        return -1;
    *ret_id = (uint64_t)id;
    return 0;
}

/* The job of a list with this id; `n` if there is none. */
static size_t find_job (const tori_snapshot_job *jobs, size_t n, uint64_t id)
{
    size_t i = 0;
    while (i < n && jobs[i].spec.tag != id)
        i++;
    return i;
}

/* How long a job runs from its start on. */
static tori_time rest_of (const tori_job_spec *spec)
{
    return spec->estimate > spec->done ? spec->estimate - spec->done : 0;
}

static int ask_for_job (const struct values *v, struct defrag *it,
                        tori_error *err)
{
    const tori_snapshot *snapshot = it->snapshot;
    size_t i;
    uint64_t id;
    if (parse_id (v->id, "--for", &id, err) < 0)
        return -1;
    if (find_job (snapshot->running, snapshot->nrunning, id)
        < snapshot->nrunning)
        return tori_error_set (err, TORI_INVALID,
                               "--for: job %" PRIu64 " runs already", id);
    i = find_job (snapshot->queue, snapshot->nqueued, id);
    if (i == snapshot->nqueued)
        return tori_error_set (err, TORI_INVALID,
                               "--for: there is no job %" PRIu64, id);
    it->request = snapshot->queue[i].spec.request;
    it->end = snapshot->now + rest_of (&snapshot->queue[i].spec);
    return 0;
}

static int ask_for_shape (const struct values *v, struct defrag *it,
                          tori_error *err)
{
    it->request.wiring = (tori_wiring)v->wiring;
    it->request.fixed = v->no_rotate;
    it->request.wrap = v->wrap;
    it->end = it->snapshot->now + 1; /* any time at all */
    if (tori_shape_parse (v->shape, &it->request.shape, err) < 0)
        return -1;
    it->request.count = (uint32_t)tori_shape_volume (&it->request.shape);
    return 0;
}

/* ---- what is there ---- */

/* Windows that are not over, by their beginning. */
static int by_from (const void *a, const void *b)
{
    const tori_snapshot_window *const *x = a, *const *y = b;
    return ((*x)->from > (*y)->from) - ((*x)->from < (*y)->from);
}

static void list_windows (struct defrag *it)
{
    for (size_t i = 0; i < it->snapshot->nwindows; i++)
        if (it->snapshot->windows[i].until > it->snapshot->now)
            it->window[it->windows++] = &it->snapshot->windows[i];
    qsort (it->window, it->windows, sizeof *it->window, by_from);
}

/* A set of nodes for every number of windows, the first ones. */
static int make_bars (struct defrag *it, tori_error *err)
{
    uint32_t nodes = tori_machine_nodes (it->snapshot->machine);
    size_t n = it->snapshot->nwindows + 1;
    uint32_t *ids = calloc (nodes, sizeof *ids);
    it->words = bits_words (nodes);
    it->bars = calloc (n * it->words, sizeof *it->bars);
    it->window = calloc (n, sizeof *it->window);
    if (!ids || !it->bars || !it->window) {
        free (ids);
        return tori_error_nomem (err);
    }
    list_windows (it);
    for (size_t w = 0; w < it->windows; w++) {
        uint64_t *set = it->bars + (w + 1) * it->words;
        memcpy (set, set - it->words, it->words * sizeof *set);
        tori_placement_nodes (&it->window[w]->place, it->snapshot->machine,
                              ids);
        for (uint32_t i = 0; i < it->window[w]->place.count; i++)
            bits_set (set, ids[i]);
    }
    free (ids);
    return 0;
}

/* Where a job may not go that ends then. */
static const uint64_t *bars_until (const struct defrag *it, tori_time end)
{
    size_t n = 0;
    while (n < it->windows && it->window[n]->from < end)
        n++;
    return n > 0 ? it->bars + n * it->words : NULL;
}

static int keep_job (struct defrag *it, const char *text, tori_error *err)
{
    const tori_snapshot *snapshot = it->snapshot;
    size_t i;
    uint64_t id;
    if (parse_id (text, "--keep", &id, err) < 0)
        return -1;
    i = find_job (snapshot->running, snapshot->nrunning, id);
    if (i == snapshot->nrunning)
        return tori_error_set (err, TORI_INVALID,
                               "--keep: no job %" PRIu64 " runs", id);
    it->job[i].stays = true;
    return 0;
}

static int keep_jobs (const struct values *v, struct defrag *it,
                      tori_error *err)
{
    char *copy = strdup (v->keep ? v->keep : ""), *rest = copy, *word;
    int status = 0;
    if (!copy)
        return tori_error_nomem (err);
    while (v->keep && status == 0 && (word = strsep (&rest, ",")))
        status = keep_job (it, word, err);
    free (copy);
    return status;
}

static int list_jobs (const struct values *v, struct defrag *it,
                      tori_error *err)
{
    const tori_snapshot *snapshot = it->snapshot;
    it->job = calloc (snapshot->nrunning + 1, sizeof *it->job);
    if (!it->job)
        return tori_error_nomem (err);
    for (size_t i = 0; i < snapshot->nrunning; i++) {
        const tori_snapshot_job *job = &snapshot->running[i];
        tori_time end = job->start + rest_of (&job->spec) + job->spec.lost;
        it->job[i] = (tori_room_job){.place = &job->place,
                                     .stays = job->spec.flags
                                              & TORI_JOB_STAYS,
                                     .fixed = job->spec.request.fixed,
                                     .wrap = job->spec.request.wrap,
                                     .barred = bars_until (it, end)};
    }
    return keep_jobs (v, it, err);
}

/* ---- the answer ---- */

static int emit_answer (const struct values *v, const struct defrag *it,
                        FILE *out, tori_error *err)
{
    const tori_room *room = &it->room;
    struct emit e = emit_to (out);
    asked_open (&e, "defrag", &command_defrag, v);
    emit_flag (&e, "possible", room->found);
    place_emit (&e, "place", "nodes", it->snapshot->machine, &room->place);
    emit_open (&e, "moves", '[');
    for (size_t i = 0; i < room->n; i++) {
        const tori_room_move *move = &room->moves[i];
        const tori_snapshot_job *job = &it->snapshot->running[move->job];
        move_emit (&e, it->snapshot->machine,
                   &(tori_help_move){0, job->spec.tag, &job->place,
                                     &move->to});
    }
    emit_close (&e, ']');
    emit_count (&e, "nodes_moved", room->nodes);
    emit_flag (&e, "least", room->least);
    emit_count (&e, "bound", room->bound);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int print_moves (const struct defrag *it, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"job", TABLE_NUMBER},
        {"nodes", TABLE_NUMBER},
        {"from", TABLE_TEXT},
        {"to", TABLE_TEXT},
    };
    struct table *table = table_create (columns, 4);
    int status;
    for (size_t i = 0; i < it->room.n; i++) {
        const tori_room_move *move = &it->room.moves[i];
        const tori_snapshot_job *job = &it->snapshot->running[move->job];
        char text[PLACE_TEXT_MAX];
        table_cell (table, "%" PRIu64, job->spec.tag);
        table_cell (table, "%u", job->place.count);
        place_format (it->snapshot->machine, &job->place, text);
        table_cell (table, "%s", text);
        place_format (it->snapshot->machine, &move->to, text);
        table_cell (table, "%s", text);
    }
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
    return status;
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
    fprintf (out, "nodes moved: %" PRIu64 "%s\n", room->nodes,
             room->least ? ", and no fewer will do" : "");
    if (!room->least)
        fprintf (out,
                 "at least %" PRIu64 " have to: not all moves were tried\n",
                 room->bound);
    return 0;
}

static int answer (const struct values *v, struct defrag *it, FILE *out,
                   tori_error *err)
{
    tori_room_config config = {.size = sizeof config,
                               .steps = (uint64_t)v->steps,
                               .moves = (uint64_t)v->moves,
                               .flags = v->live ? TORI_ROOM_LIVE : 0,
                               .barred = bars_until (it, it->end)};
    int status = tori_room_make (it->state, it->job, it->snapshot->nrunning,
                                 &it->request, &config, &it->room, err);
    if (status == 0)
        status = v->json ? emit_answer (v, it, out, err)
                         : print_answer (it, out, err);
    return status == 0 && !it->room.found ? TORI_NOT_NOW : status;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct defrag it = {0};
    int status = -1;
    if (!v->id && !v->shape)
        return tori_error_set (err, TORI_INVALID,
                               "no job and no shape: --for or --shape is "
                               "needed");
    if (snapshot_open (v->socket, v->snapshot, &it.snapshot, err) < 0)
        return -1;
    if ((v->id ? ask_for_job (v, &it, err) : ask_for_shape (v, &it, err)) == 0
        && make_bars (&it, err) == 0 && list_jobs (v, &it, err) == 0
        && tori_snapshot_state (it.snapshot, &it.state, err) == 0)
        status = answer (v, &it, out, err);
    tori_room_clear (&it.room);
    free (it.job);
    free (it.window);
    free (it.bars);
    tori_state_destroy (it.state);
    tori_snapshot_destroy (it.snapshot);
    return status;
}

const struct command command_defrag = {
    .name = "defrag",
    .summary = "Tell which running jobs to move so that another fits",
    .notes = "The moves of the fewest nodes, then the fewest jobs, after "
             "which the job or shape fits beside the running jobs of a "
             "snapshot (see 'tori help files') and can be wired. A job moves "
             "with all of its nodes. A box keeps its shape up to rotation, "
             "and its wiring; a list of nodes goes to any free ones. Jobs "
             "with \"movable\": false stay. No job goes where a window "
             "begins before it would end. The answer is proved least unless "
             "the search takes more than --steps; then \"bound\" says how "
             "few nodes it might be. The snapshot is taken as it is, while "
             "'tori why' and 'tori forecast' describe the machine just after "
             "the scheduler has run.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori defrag SNAPSHOT --for 20\n"
                "tori defrag SNAPSHOT --shape 4x4x2 --wiring torus --live",
    .status = {[0] = "it fits, after the moves if there are any",
               [3] = "no moves help",
               [4] = "it is larger than the machine, or there is no such "
                     "shape"},
    .answer = &answer_defrag,
    .run = run,
};
