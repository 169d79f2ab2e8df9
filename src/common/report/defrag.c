#include "defrag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ask.h"
#include "bits.h"
#include "fieldrows.h"
#include "number.h"
#include "forecast_rows.h"

/* ---- what is asked ---- */

int defrag_for (struct defrag_question *q, const char *text, tori_error *err)
{
    char where[8];
    int64_t id;
    snprintf (where, sizeof where, "%sfor", q->dashes);
    if (number_parse (text, where, 0, INT64_MAX, &id, err) < 0)
        return -1;
    q->id = (uint64_t)id;
    q->queued = true;
    return 0;
}

int defrag_shape (struct defrag_question *q, const char *text, tori_error *err)
{
    if (tori_shape_parse (text, &q->request.shape, err) < 0)
        return -1;
    q->request.count = (uint32_t)tori_shape_volume (&q->request.shape);
    return 0;
}

int defrag_keep (struct defrag_question *q, const char *text, tori_error *err)
{
    char *copy = strdup (text), *rest = copy, *word, where[8];
    int status = 0;
    q->keep = calloc (strlen (text) + 1, sizeof *q->keep);
    if (!copy || !q->keep)
        status = tori_error_nomem (err);
    snprintf (where, sizeof where, "%skeep", q->dashes);
    while (status == 0 && (word = strsep (&rest, ",")))
        status = number_parse (word, where, 0, INT64_MAX,
                               &q->keep[q->nkeep++], err);
    free (copy);
    return status;
}

/* The job of a list with this id; `n` if there is none. */
static size_t find_job (const tori_snapshot_job *jobs, size_t n, uint64_t id)
{
    size_t i = 0;
    while (i < n && jobs[i].spec.tag != id)
        i++;
    return i;
}

/* How long a job runs from its start. */
static tori_time rest_of (const tori_job_spec *spec)
{
    return spec->estimate > spec->done ? spec->estimate - spec->done : 0;
}

/* A job that moves continues, or does again what its last checkpoint does not
 * have. */
static struct move_cost cost_of (const tori_snapshot *snapshot,
                                   const tori_snapshot_job *job)
{
    tori_time ran = snapshot->now - job->start - job->spec.lost;
    tori_time every = job->spec.checkpoint;
    struct move_cost cost = {.stopped = snapshot->move};
    if (snapshot->restarts && ran > 0)
        cost.redone = every > 0 ? ran % every : ran;
    return cost;
}

/* The end of a running job by its time limit, once it has moved. */
static tori_time end_moved (const tori_snapshot *snapshot,
                            const tori_snapshot_job *job)
{
    struct move_cost cost = cost_of (snapshot, job);
    return job->start + rest_of (&job->spec) + job->spec.lost + cost.stopped
           + cost.redone;
}

static int ask_for_job (const struct defrag_question *q, struct defrag *it,
                        tori_error *err)
{
    const tori_snapshot *snapshot = it->snapshot;
    size_t i = find_job (snapshot->queue, snapshot->nqueued, q->id);
    if (find_job (snapshot->running, snapshot->nrunning, q->id)
        < snapshot->nrunning)
        return tori_error_set (err, TORI_INVALID,
                               "%sfor: job %" PRIu64 " runs already",
                               q->dashes, q->id);
    if (i == snapshot->nqueued)
        return tori_error_set (err, TORI_INVALID,
                               "%sfor: there is no job %" PRIu64, q->dashes,
                               q->id);
    it->waiting = &snapshot->queue[i];
    it->request = snapshot->queue[i].spec.request;
    it->only = snapshot->queue[i].spec.only;
    it->end = snapshot->now + rest_of (&snapshot->queue[i].spec);
    return 0;
}

/* ---- what is there ---- */

/* Reservations that are not over, by their beginning. */
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

/* A set of nodes for every number of reservations, the first ones. */
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

/* The nodes that a job ending then must avoid because of reservations. */
static const uint64_t *bars_until (const struct defrag *it, tori_time end)
{
    size_t n = 0;
    while (n < it->windows && it->window[n]->from < end)
        n++;
    return n > 0 ? it->bars + n * it->words : NULL;
}

/* The same with the nodes that the job may not use. */
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

static int keep_jobs (const struct defrag_question *q, struct defrag *it,
                      tori_error *err)
{
    const tori_snapshot *snapshot = it->snapshot;
    for (size_t k = 0; k < q->nkeep; k++) {
        size_t i = find_job (snapshot->running, snapshot->nrunning,
                             (uint64_t)q->keep[k]);
        if (i == snapshot->nrunning)
            return tori_error_set (err, TORI_INVALID,
                                   "%skeep: no job %" PRId64 " runs",
                                   q->dashes, q->keep[k]);
        it->job[i].stays = true;
    }
    return 0;
}

static int list_jobs (const struct defrag_question *q, struct defrag *it,
                      tori_error *err)
{
    const tori_snapshot *snapshot = it->snapshot;
    it->job = calloc (snapshot->nrunning + 1, sizeof *it->job);
    it->own = calloc (snapshot->nrunning + 1, sizeof *it->own);
    if (!it->job || !it->own)
        return tori_error_nomem (err);
    for (size_t i = 0; i < snapshot->nrunning; i++) {
        const tori_snapshot_job *job = &snapshot->running[i];
        it->job[i] = (tori_room_job){.place = &job->place,
                                     .stays = job->spec.flags
                                              & TORI_JOB_STAYS,
                                     .fixed = request_keeps_sides (
                                         &job->spec.request),
                                     .wrap = job->spec.request.wrap,
                                     .barred = bars_until (
                                         it, end_moved (snapshot, job))};
        if (bar_others (it, job->spec.only, &it->own[i], &it->job[i].barred,
                        err)
            < 0)
            return -1;
    }
    return keep_jobs (q, it, err);
}

/* ---- the answer ---- */

struct watching {
    const struct defrag_question *q;
    const struct defrag *it;
    struct timespec begin;
    uint64_t nodes; /* of the best answer when its name was looked at */
    size_t moves;
};

static bool is_late (const struct watching *watch)
{
    struct timespec now;
    if (watch->q->seconds == 0)
        return false;
    clock_gettime (CLOCK_MONOTONIC, &now);
    now.tv_sec -= watch->q->seconds;
    return now.tv_sec != watch->begin.tv_sec
               ? now.tv_sec > watch->begin.tv_sec
               : now.tv_nsec >= watch->begin.tv_nsec;
}

/* Whether this is the plan that is wanted. */
static bool is_plan (struct watching *watch, const tori_room *so_far)
{
    struct defrag it = *watch->it;
    if (!watch->q->plan || !so_far->found
        || (so_far->nodes == watch->nodes && so_far->n == watch->moves))
        return false;
    watch->nodes = so_far->nodes;
    watch->moves = so_far->n;
    it.room = *so_far;
    it.at = (struct placed){it.snapshot->machine, so_far->place};
    return defrag_name (&it, NULL) == 0 && !strcmp (it.plan, watch->q->plan);
}

static bool watch_search (void *arg, const tori_room *so_far)
{
    struct watching *watch = arg;
    if (watch->q->progress)
        watch->q->progress (watch->q->arg, so_far);
    return is_plan (watch, so_far) || is_late (watch);
}

static int search_moves (const struct defrag_question *q, struct defrag *it,
                         tori_error *err)
{
    struct defrag_question own = *q;
    struct watching watch = {.q = &own, .it = it};
    tori_room_config config = {.size = sizeof config,
                               .steps = q->steps ? (uint64_t)q->steps
                                                 : UINT64_MAX,
                               .watch = watch_search,
                               .watch_arg = &watch,
                               .moves = (uint64_t)q->moves,
                               .flags = q->live ? TORI_ROOM_LIVE : 0,
                               .barred = bars_until (it, it->end),
                               .slices = it->snapshot->slices};
    clock_gettime (CLOCK_MONOTONIC, &watch.begin);
    if (own.seconds == 0 && own.steps == 0)
        own.seconds = DEFRAG_SECONDS;
    if (bar_others (it, it->only, &it->own[it->snapshot->nrunning],
                    &config.barred, err)
        < 0)
        return -1;
    if (tori_room_make (it->state, it->job, it->snapshot->nrunning,
                        &it->request, &config, &it->room, err)
        < 0)
        return -1;
    it->at = (struct placed){it->snapshot->machine, it->room.place};
    return 0;
}

int defrag_make (const tori_snapshot *snapshot,
                 const struct defrag_question *q, struct defrag *it,
                 tori_error *err)
{
    it->snapshot = snapshot;
    it->request = q->request;
    it->end = snapshot->now + 1; /* any time after now */
    if (!q->queued && !q->request.shape.ndims)
        return tori_error_set (err, TORI_INVALID,
                               "no job and no shape: %sfor or %sshape is "
                               "needed",
                               q->dashes, q->dashes);
    if ((q->queued && ask_for_job (q, it, err) < 0)
        || make_bars (it, err) < 0 || list_jobs (q, it, err) < 0
        || tori_snapshot_state (snapshot, &it->state, err) < 0)
        return -1;
    return search_moves (q, it, err);
}

/* ---- what it costs, and what it gains ---- */

struct first_start {
    uint64_t id;
    tori_time start; /* -1: none yet */
};

static void note_start (void *arg, const tori_forecast *it)
{
    struct first_start *first = arg;
    if (it->tag == first->id && first->start < 0)
        first->start = it->start;
}

/* Move the jobs in a scheduler made from the snapshot. */
static int move_jobs (const struct defrag *it, tori_sched *sched,
                      tori_error *err)
{
    size_t n = tori_sched_running (sched);
    tori_job *all = calloc (n + 1, sizeof *all);
    tori_job *jobs = calloc (it->room.n + 1, sizeof *jobs);
    const tori_placement **to = calloc (it->room.n + 1, sizeof *to);
    int status = all && jobs && to ? 0 : tori_error_nomem (err);
    n = status == 0 ? tori_sched_running_jobs (sched, all) : 0;
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        tori_sched_look (sched, all[i], &info);
        for (size_t k = 0; k < it->room.n; k++)
            if (it->snapshot->running[it->room.moves[k].job].spec.tag
                == info.tag) {
                jobs[k] = all[i];
                to[k] = &it->room.moves[k].to;
            }
    }
    if (status == 0)
        status = tori_sched_move_all (sched, it->snapshot->now, jobs, to,
                                      it->room.n, err);
    free (all);
    free (jobs);
    free (to);
    return status;
}

/* When the job starts, with the moves or without; -1 if it does not. */
static int find_start (const struct defrag *it, bool moved,
                       tori_time *ret_start, tori_error *err)
{
    struct first_start first = {it->waiting->spec.tag, -1};
    tori_sched *sched;
    int status;
    if (tori_snapshot_sched (it->snapshot, NULL, &sched, err) < 0)
        return -1;
    status = moved ? move_jobs (it, sched, err) : 0;
    if (status == 0)
        status = tori_forecast_by (sched, it->snapshot, note_start, &first,
                                   err);
    tori_sched_destroy (sched);
    if (status == 0)
        *ret_start = first.start;
    return status;
}

/* A scheduler that refuses the moves, or a time limit, has no forecast. */
static int foresee_starts (struct defrag *it, tori_error *err)
{
    tori_error why = {0};
    if (!it->waiting || it->room.n == 0)
        return 0;
    it->foreseen = find_start (it, false, &it->before, &why) == 0
                   && find_start (it, true, &it->after, &why) == 0;
    if (it->foreseen || why.status != TORI_FAILED)
        return 0;
    return tori_error_set (err, why.status, "%s", why.text);
}

int defrag_weigh (struct defrag *it, tori_error *err)
{
    it->cost = calloc (it->room.n + 1, sizeof *it->cost);
    if (!it->cost)
        return tori_error_nomem (err);
    for (size_t i = 0; i < it->room.n; i++)
        it->cost[i] = cost_of (
            it->snapshot, &it->snapshot->running[it->room.moves[i].job]);
    it->weighed = true;
    return foresee_starts (it, err);
}

void defrag_clear (struct defrag *it)
{
    free (it->cost);
    tori_room_clear (&it->room);
    for (size_t i = 0; it->own && i <= it->snapshot->nrunning; i++)
        free (it->own[i]);
    free (it->own);
    free (it->job);
    free (it->window);
    free (it->bars);
    tori_state_destroy (it->state);
}

/* ---- as JSON ---- */

static void emit_moves (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct defrag *it = arg;
    const tori_machine *machine = it->snapshot->machine;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < it->room.n; i++) {
        const tori_room_move *move = &it->room.moves[i];
        const tori_snapshot_job *job = &it->snapshot->running[move->job];
        const struct move_row row
            = {job->spec.tag, {machine, job->place}, {machine, move->to},
               it->weighed ? &it->cost[i] : NULL};
        sheet_emit_object (e, NULL, field->group, &row);
    }
    emit_close (e, ']');
}

static bool has_starts (const struct field *field, const void *arg)
{
    return ((const struct defrag *)arg)->foreseen;
}

static void emit_plan (struct emit *e, const struct field *field,
                       const void *arg)
{
    emit_text (e, field->name, ((const struct defrag *)arg)->plan);
}

static bool has_plan (const struct field *field, const void *arg)
{
    return *((const struct defrag *)arg)->plan;
}

#define AT(member) FIELD_AT (struct defrag, member)
static const struct field defrag_fields[] = {
    {"possible", FIELD_FLAG, AT (room.found),
     "whether it fits, after the moves if there are any"},
    {"place", FIELD_BY, AT (at), "the box where it fits then, or null",
     .by = place_emit, .type = "string|null"},
    {"nodes", FIELD_LIST, AT (at), "where it fits if that is not a box",
     .by = place_emit_nodes, .when = place_has_nodes, .type = "string"},
    {"moves", FIELD_LIST, .by = emit_moves, .group = &move_sheet,
     .about = "the jobs that move, with --live in their order"},
    {"nodes_moved", FIELD_COUNT, AT (room.nodes),
     "nodes of all jobs that move"},
    {"least", FIELD_FLAG, AT (room.least),
     "whether it is proved that no other moves are of fewer nodes, or of as "
     "many in fewer moves; or that none help"},
    {"bound", FIELD_COUNT, AT (room.bound),
     "proved: no moves of fewer nodes help"},
    {"start_before", FIELD_TIME, AT (before), .unit = "s",
     .type = "number|null", .when = has_starts,
     .about = "of a job of the queue: when it is forecast to start without the "
              "moves; null if it does not"},
    {"start_after", FIELD_TIME, AT (after), .unit = "s",
     .type = "number|null", .when = has_starts,
     .about = "... and with them: others may still go first"},
    {"plan", FIELD_BY, AT (plan), "of a running torid: a name of this plan, "
                                  "for --apply",
     .by = emit_plan, .when = has_plan, .type = "string"},
};
ANSWER (defrag);

char *defrag_text (const struct defrag *it)
{
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream (&text, &n);
    struct emit e = emit_to (to);
    if (!to)
        return NULL;
    emit_open (&e, NULL, '{');
    sheet_emit (&e, &answer_defrag, it);
    emit_close (&e, '}');
    if (fclose (to) == 0)
        return text;
    free (text);
    return NULL;
}

/* By FNV-1a. */
int defrag_name (struct defrag *it, tori_error *err)
{
    struct defrag moves = *it;
    uint32_t hash = 2166136261;
    char *text;
    moves.room.least = false;
    moves.room.bound = 0;
    text = defrag_text (&moves);
    if (!text)
        return tori_error_nomem (err);
    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619;
    free (text);
    snprintf (it->plan, sizeof it->plan, "%08" PRIx32, hash);
    return 0;
}
