/* whymoves.c - moves of running jobs that let a job start.
 *
 * The moves are those of tori/room.h. Whether the job then starts, though
 * others may be faster, is tried out in a copy. One search serves all jobs
 * with the same request. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "ask.h"
#include "bits.h"
#include "probe.h"
#include "whywork.h"

/* How many requests may use all of their steps, and how many times as many for
 * a few jobs; and the most words of the sets of nodes: on larger machines no
 * moves are suggested. */
enum { SEARCHES = 4, LONGER = 16, MAX_WORDS = 1 << 20 };

/* On a machine of 8x8x8 a request has a few milliseconds at worst. */
void moves_allow (struct whywork *work, bool few)
{
    work->steps_each = 512 + (uint64_t)tori_machine_nodes (work->machine);
    if (few)
        work->steps_each *= LONGER;
    work->steps = SEARCHES * work->steps_each;
}

/* ---- places that are kept for others ---- */

/* A place that from some time on is kept for a job or a window. */
struct kept {
    tori_time from;
    tori_job job; /* the job; TORI_NO_JOB: a window */
    const tori_placement *place;
};

struct keeping {
    struct kept *kept; /* by time */
    size_t n;
    tori_room_job *movers; /* as the running jobs */
    tori_job without;      /* the job whose place they do not avoid */
    uint64_t *sets;        /* one for each of them, and one for the request */
    size_t words;          /* of each */
    uint32_t *ids;         /* scratch */
};

void keeping_destroy (struct keeping *keeping)
{
    if (!keeping)
        return;
    free (keeping->kept);
    free (keeping->movers);
    free (keeping->sets);
    free (keeping->ids);
    free (keeping);
}

static int compare_kept (const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static size_t count_windows (const tori_sched *sched)
{
    tori_window window = {.size = sizeof window};
    size_t n = 0;
    while (tori_sched_window (sched, n, &window))
        n++;
    return n;
}

/* A waiting job keeps the place of its planned start. */
static int list_reserved (struct keeping *keeping, tori_sched *sched,
                          const tori_job *jobs, size_t n, tori_error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct kept *kept = &keeping->kept[keeping->n];
        int held = tori_sched_reservation (sched, jobs[i], &kept->from,
                                           &kept->place, err);
        if (held < 0)
            return -1;
        kept->job = jobs[i];
        keeping->n += held && kept->place;
    }
    return 0;
}

static int list_kept (struct keeping *keeping, struct whywork *work,
                      tori_error *err)
{
    size_t queued = tori_sched_queued (work->after);
    size_t windows = count_windows (work->after);
    tori_window window = {.size = sizeof window};
    tori_job *jobs = calloc (queued + 1, sizeof *jobs);
    int status = -1;
    keeping->kept = calloc (queued + windows + 1, sizeof *keeping->kept);
    if (jobs && keeping->kept) {
        tori_sched_queued_jobs (work->after, jobs);
        status = list_reserved (keeping, work->after, jobs, queued, err);
    } else {
        tori_error_nomem (err);
    }
    free (jobs);
    if (status < 0)
        return -1;
    for (size_t i = 0; tori_sched_window (work->after, i, &window); i++)
        keeping->kept[keeping->n++]
            = (struct kept){window.from, TORI_NO_JOB, window.place};
    qsort (keeping->kept, keeping->n, sizeof *keeping->kept, compare_kept);
    return 0;
}

/* Bar a place, unless it is kept for this job itself: whether it is. */
static bool bar_kept (struct keeping *keeping, const struct whywork *work,
                      const struct kept *kept, tori_job without, uint64_t *set)
{
    if (without != TORI_NO_JOB && kept->job == without)
        return false;
    tori_placement_nodes (kept->place, work->machine, keeping->ids);
    for (uint32_t i = 0; i < kept->place->count; i++)
        bits_set (set, keeping->ids[i]);
    return true;
}

/* A running job, and when it would end if it moved. */
struct moved_end {
    tori_time end;
    size_t job;
};

static int compare_movers (const void *a, const void *b)
{
    const struct moved_end *x = a, *y = b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static tori_room_job describe_mover (const struct whywork *work, size_t i)
{
    tori_job_spec spec = {.size = sizeof spec};
    tori_sched_spec (work->after, work->running[i], &spec);
    return (tori_room_job){.place = work->info[i].place,
                           .stays = spec.only || spec.flags & TORI_JOB_STAYS,
                           .fixed = request_keeps_sides (&spec.request),
                           .wrap = spec.request.wrap};
}

/* No job moves to a place where it would be in the way before it ends; the
 * place that is planned for the job that would start instead is in nobody's
 * way. The set of each job contains that of the one that ends before. */
static int list_movers (struct keeping *keeping, const struct whywork *work,
                        tori_job without, tori_error *err)
{
    struct moved_end *movers = calloc (work->nrunning + 1, sizeof *movers);
    const uint64_t *before = NULL;
    size_t at = 0, bars = 0;
    if (!movers)
        return tori_error_nomem (err);
    for (size_t i = 0; i < work->nrunning; i++)
        movers[i] = (struct moved_end){
            probe_moved_end (work->after, work->running[i]), i};
    qsort (movers, work->nrunning, sizeof *movers, compare_movers);
    for (size_t i = 0; i < work->nrunning; i++) {
        size_t job = movers[i].job;
        uint64_t *set = keeping->sets + job * keeping->words;
        memset (set, 0, keeping->words * sizeof *set);
        if (before)
            memcpy (set, before, keeping->words * sizeof *set);
        for (; at < keeping->n
               && (keeping->kept[at].from < movers[i].end
                   || keeping->kept[at].from <= work->now);
             at++)
            bars += bar_kept (keeping, work, &keeping->kept[at], without, set);
        keeping->movers[job] = describe_mover (work, job);
        keeping->movers[job].barred = bars > 0 ? set : NULL;
        before = set;
    }
    keeping->without = without;
    free (movers);
    return 0;
}

static int keeping_make (struct whywork *work, tori_error *err)
{
    uint32_t nodes = tori_machine_nodes (work->machine);
    size_t n = work->nrunning + 1;
    struct keeping *keeping = calloc (1, sizeof *keeping);
    if (!keeping)
        return tori_error_nomem (err);
    work->keeping = keeping;
    keeping->words = bits_words (nodes);
    keeping->movers = calloc (n, sizeof *keeping->movers);
    keeping->sets = calloc (n * keeping->words, sizeof *keeping->sets);
    keeping->ids = calloc (nodes, sizeof *keeping->ids);
    if (!keeping->movers || !keeping->sets || !keeping->ids)
        return tori_error_nomem (err);
    if (list_kept (keeping, work, err) < 0)
        return -1;
    return list_movers (keeping, work, TORI_NO_JOB, err);
}

/* How many of the places are kept for others while the job would run. */
static size_t count_kept (const struct whywork *work, const tori_why *why)
{
    const struct keeping *keeping = work->keeping;
    tori_time left = why->spec->estimate - why->spec->done;
    size_t n = 0;
    while (n < keeping->n
           && keeping->kept[n].from - work->now < (left > 0 ? left : 1))
        n++;
    return n;
}

/* These places, except the job's own; NULL: none. */
static const uint64_t *bar_first (struct whywork *work, size_t n,
                                  tori_job planned)
{
    struct keeping *keeping = work->keeping;
    uint64_t *set = keeping->sets + work->nrunning * keeping->words;
    bool any = false;
    memset (set, 0, keeping->words * sizeof *set);
    for (size_t i = 0; i < n; i++)
        any |= bar_kept (keeping, work, &keeping->kept[i], planned, set);
    return any ? set : NULL;
}

/* The job itself, if a place is planned for it. */
static tori_job planned_job (const struct keeping *keeping, tori_job job)
{
    for (size_t i = 0; i < keeping->n; i++)
        if (keeping->kept[i].job == job)
            return job;
    return TORI_NO_JOB;
}

/* ---- the moves ---- */

/* In a copy: all of them move at once. */
static int move_jobs (tori_sched *copy, void *arg, tori_error *err)
{
    const struct moving *moving = arg;
    size_t n = moving->room.n;
    tori_job *jobs = calloc (n, sizeof *jobs);
    const tori_placement **to = calloc (n, sizeof *to);
    int status = jobs && to ? 0 : tori_error_nomem (err);
    for (size_t i = 0; status == 0 && i < n; i++) {
        jobs[i] = moving->moves[i].job;
        to[i] = moving->moves[i].to;
    }
    if (status == 0)
        status = tori_sched_move_all (copy, tori_sched_now (copy), jobs, to, n,
                                      err);
    free (jobs);
    free (to);
    return status;
}

/* Make the moves, and note the jobs that start. */
static int try_moves (struct whywork *work, struct moving *moving,
                      tori_error *err)
{
    work->tries--;
    return trial_make (work, move_jobs, moving, &moving->after, err);
}

static int name_moves (const struct whywork *work, struct moving *moving,
                       tori_error *err)
{
    moving->moves = calloc (moving->room.n, sizeof *moving->moves);
    if (!moving->moves)
        return tori_error_nomem (err);
    for (size_t i = 0; i < moving->room.n; i++) {
        const tori_room_move *move = &moving->room.moves[i];
        moving->moves[i] = (tori_help_move){work->running[move->job],
                                            work->info[move->job].tag,
                                            work->info[move->job].place,
                                            &move->to};
    }
    return 0;
}

static const char *slices_of (const tori_sched *sched)
{
    tori_sched_config config = {.size = sizeof config};
    tori_sched_get_config (sched, &config);
    return config.alloc->slices;
}

static int search_moves (struct whywork *work, const tori_why *why,
                         struct moving *moving, tori_error *err)
{
    uint64_t most = work->steps_each;
    tori_room_config config = {
        .size = sizeof config,
        .steps = most < work->steps ? most : work->steps,
        .barred = bar_first (work, moving->off, moving->planned),
        .slices = slices_of (work->after),
    };
    if ((work->keeping->without != moving->planned
         && list_movers (work->keeping, work, moving->planned, err) < 0)
        || tori_room_make (work->state, work->keeping->movers, work->nrunning,
                           why->request, &config, &moving->room, err)
               < 0)
        return -1;
    work->steps -= moving->room.steps < work->steps ? moving->room.steps
                                                    : work->steps;
    return 0;
}

/* Whether there are steps left, and memory enough. */
static bool is_affordable (const struct whywork *work)
{
    return work->steps > 0 && work->tries > 0
           && work->nrunning + 1
                  <= MAX_WORDS
                         / bits_words (tori_machine_nodes (work->machine));
}

static int find_moves (struct whywork *work, const tori_why *why,
                       struct moving *moving, tori_error *err)
{
    if (search_moves (work, why, moving, err) < 0)
        return -1;
    if (moving->room.n == 0)
        return 0;
    return name_moves (work, moving, err) < 0 ? -1
                                              : try_moves (work, moving, err);
}

static struct moving *find_known (const struct whywork *work,
                                  const struct moving *is)
{
    for (size_t i = 0; i < work->nmoving; i++) {
        struct moving *moving = &work->moving[i];
        if (moving->evidence == is->evidence && moving->planned == is->planned
            && moving->off == is->off)
            return moving;
    }
    return NULL;
}

static int add_moving (struct whywork *work, const tori_why *why,
                       struct moving is, struct moving **ret_moving,
                       tori_error *err)
{
    struct moving *more = array_room (work->moving, &work->moving_room,
                                      work->nmoving + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    work->moving = more;
    *ret_moving = &more[work->nmoving++];
    **ret_moving = is;
    return find_moves (work, why, *ret_moving, err) < 0 ? -1 : 1;
}

/* The moves for a job, which may lie elsewhere after the next call: 1, 0 if
 * there are no means to find them, or -1. */
static int moving_for (struct whywork *work, const tori_why *why,
                       struct moving **ret_moving, tori_error *err)
{
    const struct evidence *it;
    struct moving is;
    if (!work->keeping && !is_affordable (work))
        return 0;
    it = evidence_for (work, why->request, err);
    if (!it || (!work->keeping && keeping_make (work, err) < 0))
        return -1;
    is = (struct moving){.evidence = (size_t)(it - work->evidence),
                         .planned = planned_job (work->keeping, why->job),
                         .off = count_kept (work, why)};
    *ret_moving = find_known (work, &is);
    if (*ret_moving)
        return 1;
    return is_affordable (work) ? add_moving (work, why, is, ret_moving, err)
                                : 0;
}

int moves_ask (struct whywork *work, const tori_why *why, tori_help *ret_help,
               tori_error *err)
{
    struct moving *moving;
    int found = moving_for (work, why, &moving, err);
    if (found > 0)
        found = help_from (
            work, &(struct tried_change){move_jobs, moving, &moving->after},
            why, TORI_CHANGE_MOVES, ret_help, err);
    if (found > 0) {
        ret_help->moves = moving->moves;
        ret_help->nmoves = moving->room.n;
        ret_help->nodes = moving->room.nodes;
    }
    return found;
}

void moving_clear (struct whywork *work)
{
    for (size_t i = 0; i < work->nmoving; i++) {
        upshot_clear (&work->moving[i].after);
        free (work->moving[i].moves);
        tori_room_clear (&work->moving[i].room);
    }
    free (work->moving);
}
