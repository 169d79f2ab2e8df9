#include "defrag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "bits.h"
#include "names.h"
#include "number.h"
#include "prospect.h"

#define AT(member) offsetof (struct defrag_asked, member)

const struct option defrag_options[] = {
    OPTION_ROW_SNAPSHOT (struct defrag_asked),
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
    {"steps", OPTION_INTEGER, AT (steps), "N", .min = 1,
     .max = INT64_MAX, .fallback = "1048576",
     .help = "the most steps of the search"},
    OPTION_ROW_SOCKET (struct defrag_asked),
    OPTION_ROW_JSON (struct defrag_asked),
    {.name = NULL},
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

static int ask_for_job (const struct defrag_asked *v, struct defrag *it,
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
    it->only = snapshot->queue[i].spec.only;
    it->end = snapshot->now + rest_of (&snapshot->queue[i].spec);
    return 0;
}

static int ask_for_shape (const struct defrag_asked *v, struct defrag *it,
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

/* Where a job may not go that ends then, for the windows. */
static const uint64_t *bars_until (const struct defrag *it, tori_time end)
{
    size_t n = 0;
    while (n < it->windows && it->window[n]->from < end)
        n++;
    return n > 0 ? it->bars + n * it->words : NULL;
}

/* And for the nodes that it may use. */
static int bar_others (const struct defrag *it, const uint64_t *only,
                       uint64_t **own, const uint64_t **barred,
                       tori_error *err)
{
    if (!only)
        return 0;
    *own = calloc (it->words, sizeof **own);
    if (!*own)
        return tori_error_nomem (err);
    if (*barred)
        memcpy (*own, *barred, it->words * sizeof **own);
    for (uint32_t i = 0; i < tori_machine_nodes (it->snapshot->machine); i++)
        if (!bits_test (only, i))
            bits_set (*own, i);
    *barred = *own;
    return 0;
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

static int keep_jobs (const struct defrag_asked *v, struct defrag *it,
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

static int list_jobs (const struct defrag_asked *v, struct defrag *it,
                      tori_error *err)
{
    const tori_snapshot *snapshot = it->snapshot;
    it->job = calloc (snapshot->nrunning + 1, sizeof *it->job);
    it->own = calloc (snapshot->nrunning + 1, sizeof *it->own);
    if (!it->job || !it->own)
        return tori_error_nomem (err);
    for (size_t i = 0; i < snapshot->nrunning; i++) {
        const tori_snapshot_job *job = &snapshot->running[i];
        tori_time end = job->start + rest_of (&job->spec) + job->spec.lost;
        it->job[i] = (tori_room_job){.place = &job->place,
                                     .stays = job->spec.flags
                                              & TORI_JOB_STAYS,
                                     .fixed = request_keeps_sides (
                                         &job->spec.request),
                                     .wrap = job->spec.request.wrap,
                                     .barred = bars_until (it, end)};
        if (bar_others (it, job->spec.only, &it->own[i], &it->job[i].barred,
                        err)
            < 0)
            return -1;
    }
    return keep_jobs (v, it, err);
}

/* ---- the answer ---- */

static int search (const struct defrag_asked *v, struct defrag *it,
                   tori_error *err)
{
    tori_room_config config = {.size = sizeof config,
                               .steps = (uint64_t)v->steps,
                               .moves = (uint64_t)v->moves,
                               .flags = v->live ? TORI_ROOM_LIVE : 0,
                               .barred = bars_until (it, it->end),
                               .slices = it->snapshot->slices};
    if (bar_others (it, it->only, &it->own[it->snapshot->nrunning],
                    &config.barred, err)
        < 0)
        return -1;
    return tori_room_make (it->state, it->job, it->snapshot->nrunning,
                           &it->request, &config, &it->room, err);
}

int defrag_make (const tori_snapshot *snapshot, const struct defrag_asked *v,
                 struct defrag *it, tori_error *err)
{
    it->snapshot = snapshot;
    if (!v->id && !v->shape)
        return tori_error_set (err, TORI_INVALID,
                               "no job and no shape: --for or --shape is "
                               "needed");
    if ((v->id ? ask_for_job (v, it, err) : ask_for_shape (v, it, err)) < 0
        || make_bars (it, err) < 0 || list_jobs (v, it, err) < 0
        || tori_snapshot_state (snapshot, &it->state, err) < 0)
        return -1;
    return search (v, it, err);
}

void defrag_clear (struct defrag *it)
{
    tori_room_clear (&it->room);
    for (size_t i = 0; it->own && i <= it->snapshot->nrunning; i++)
        free (it->own[i]);
    free (it->own);
    free (it->job);
    free (it->window);
    free (it->bars);
    tori_state_destroy (it->state);
}

void defrag_emit (const struct defrag *it, struct emit *e)
{
    const tori_room *room = &it->room;
    emit_flag (e, "possible", room->found);
    place_emit (e, "place", "nodes", it->snapshot->machine, &room->place);
    emit_open (e, "moves", '[');
    for (size_t i = 0; i < room->n; i++) {
        const tori_room_move *move = &room->moves[i];
        const tori_snapshot_job *job = &it->snapshot->running[move->job];
        move_emit (e, it->snapshot->machine,
                   &(tori_help_move){0, job->spec.tag, &job->place,
                                     &move->to});
    }
    emit_close (e, ']');
    emit_count (e, "nodes_moved", room->nodes);
    emit_flag (e, "least", room->least);
    emit_count (e, "bound", room->bound);
}
