/* makeroom.c - running jobs move so that the first in the queue can start.
 *
 * Moves are searched after a walk, when no job can start any more: so a
 * scheduler that was made from another's snapshot searches in the same state.
 * The movers avoid windows and all places that are planned for others; so does
 * the job. The gain is the time that it would have waited.
 *
 * The work of the movers is saved, at least up to their last checkpoint
 * (TORI_SCHED_RESTARTS), and they start again with the rest. A job
 * that started at this very time stays: so no job moves twice before the
 * driver is informed. */
#include <stdlib.h>

#include "bits.h"
#include "core.h"
#include "grid.h"
#include "placement.h"
#include "probe.h"

enum { STEPS = 4096 }; /* of tori_room_make: a few milliseconds */

struct clearing {
    tori_sched *sched;
    job_slot slot;
    tori_room_job *list; /* the running jobs, in their order */
    uint64_t *barred;    /* a set for each of them, and for the job */
    size_t words;        /* of each */
    struct transfer *transfers;
    tori_room room;
};

/* ---- whether to ask ---- */

/* Whether the job is refused for its shape though enough nodes are free. */
static bool is_stuck (const tori_sched *sched, const struct entry *entry)
{
    const struct class *class = class_of (sched, entry->class);
    return class->asks.request.shape.ndims > 0 && !class->exact
           && (int64_t)class->asks.nodes
                  <= (int64_t)tori_state_free_count (sched->state)
           && class->misfit == sched->epoch
           && class->undecided != sched->epoch && probe_plain_sides (sched);
}

/* Whether nothing has changed since the last search in vain; notes this
 * one. */
static bool asked_before (tori_sched *sched, job_slot slot)
{
    struct asked is = {sched->epoch, sched->jobs[slot].number,
                       sched->nrunning, sched->now, sched->asked.vain};
    bool same = sched->asked.epoch == is.epoch && sched->asked.job == is.job
                && sched->asked.running == is.running;
    bool now = sched->asked.now == is.now;
    is.vain &= same;
    sched->asked = is;
    return same && now;
}

/* ---- where they may go ---- */

/* The expected end of a running job after a move. */
static tori_time end_of (const tori_sched *sched, const struct job *job)
{
    tori_time left = job_length (job->estimate, jobs_kept (sched, job));
    return time_add (time_add (sched->now, sched->move), left);
}

static const uint64_t *bar_nodes (struct clearing *c, size_t i,
                                  const struct job *job, tori_time end)
{
    uint64_t *set = c->barred + i * c->words;
    plan_bar (c->sched, job, end, true, set);
    return set;
}

static int list_movers (struct clearing *c, tori_error *err)
{
    const tori_sched *sched = c->sched;
    size_t n = sched->nrunning;
    c->words = bits_words (sched->machine->nodes);
    c->list = calloc (n + 1, sizeof *c->list);
    c->transfers = calloc (n + 1, sizeof *c->transfers);
    c->barred = calloc ((n + 1) * c->words, sizeof *c->barred);
    if (!c->list || !c->transfers || !c->barred)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        const struct job *job = &sched->jobs[sched->running[i].job];
        c->list[i] = sched_mover (sched, job,
                                  bar_nodes (c, i, job, end_of (sched, job)));
        c->list[i].stays |= job->start == sched->now;
    }
    return 0;
}

/* Whether a later search has the same answer: no job stays because it has just
 * started, or is barred from nodes. */
static bool is_timeless (const struct clearing *c)
{
    const tori_sched *sched = c->sched;
    size_t n = sched->nrunning;
    for (size_t i = 0; i < n; i++)
        if (sched->jobs[sched->running[i].job].start == sched->now)
            return false;
    return !bits_any_range (c->barred, 0, (n + 1) * c->words * 64);
}

/* Whether an answer avoids the planned links, which cannot be barred. */
static bool keeps_clear (const struct clearing *c)
{
    const tori_sched *sched = c->sched;
    const struct job *job = &sched->jobs[c->slot];
    for (size_t i = 0; i < c->room.n; i++) {
        const tori_room_move *move = &c->room.moves[i];
        job_slot slot = sched->running[move->job].job;
        if (plan_meets (sched, &move->to,
                        end_of (sched, &sched->jobs[slot])))
            return false;
    }
    return !plan_meets (sched, &c->room.place,
                        time_add (sched->now, job->length));
}

/* ---- whether it pays ---- */

static uint64_t multiply_ticks (uint64_t nodes, tori_time ticks)
{
    uint64_t product;
    return __builtin_mul_overflow (nodes, (uint64_t)ticks, &product)
               ? UINT64_MAX
               : product;
}

/* The node-time that is lost by the moves. */
static uint64_t price_moves (const struct clearing *c)
{
    const tori_sched *sched = c->sched;
    uint64_t sum = 0;
    for (size_t i = 0; i < c->room.n; i++) {
        const tori_room_move *move = &c->room.moves[i];
        const struct job *job = &sched->jobs[sched->running[move->job].job];
        tori_time lost = jobs_worked (sched, job) - jobs_kept (sched, job);
        uint64_t more = multiply_ticks (move->to.count,
                                        time_add (sched->move, lost));
        sum = more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
    }
    return sum;
}

/* Find moves that gain more than they cost: 1, 0 or -1. */
static int find_moves (struct clearing *c, tori_error *err)
{
    tori_sched *sched = c->sched;
    const struct job *job = &sched->jobs[c->slot];
    const struct prepared *asks = &class_of (sched, job->class)->asks;
    tori_room_config config = {.size = sizeof config,
                               .steps = STEPS,
                               .slices = alloc_config (sched->alloc)->slices};
    tori_time start;
    bool timeless;
    if (plan_start (sched, c->slot, &start, err) < 0)
        return -1;
    plan_doom_only (sched, c->slot);
    if (list_movers (c, err) < 0)
        return -1;
    config.barred = bar_nodes (c, sched->nrunning, job,
                               time_add (sched->now, job->length));
    timeless = is_timeless (c);
    if (timeless && sched->asked.vain)
        return 0;
    sched->questions++;
    if (tori_room_make (sched->state, c->list, sched->nrunning,
                        &asks->request, &config, &c->room, err)
        < 0)
        return -1;
    sched->asked.vain = timeless && !c->room.found;
    return c->room.found && c->room.n > 0 && keeps_clear (c)
           && multiply_ticks (c->room.place.count, start - sched->now)
                  > price_moves (c);
}

/* ---- they move ---- */

static void report_move (struct clearing *c, job_slot slot)
{
    tori_sched *sched = c->sched;
    const struct job *job = &sched->jobs[slot];
    sched_decide (sched,
                  (struct made){.kind = TORI_MOVE,
                                .job = job->number,
                                .tag = job->tag,
                                .place = job->place,
                                .by = sched->jobs[c->slot].number,
                                .node = TORI_NO_NODE});
}

static int carry_out (struct clearing *c, tori_error *err)
{
    tori_sched *sched = c->sched;
    tori_placement *held = NULL;
    size_t n = c->room.n;
    for (size_t i = 0; i < n; i++) {
        tori_room_move *move = &c->room.moves[i];
        c->transfers[i].slot = sched->running[move->job].job;
        c->transfers[i].place = move->to;
        move->to = (tori_placement){0};
    }
    if (sched_need_decisions (sched, n + 1 + sched->ndrains, err) < 0
        || sched_start_room (sched, &c->room.place, &held, err) < 0)
        return -1;
    c->room.place = (tori_placement){0};
    if (sched_transfer (sched, c->transfers, n, err) < 0) {
        placement_drop (held);
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        job_slot slot = c->transfers[i].slot;
        sched_resettle (sched, slot, &c->transfers[i].place,
                        jobs_kept (sched, &sched->jobs[slot]));
        report_move (c, slot);
    }
    sched_start (sched, c->slot, held, c->room.least);
    sched_changed (sched);
    drains_review (sched);
    return 1;
}

static void free_clearing (struct clearing *c, size_t n)
{
    for (size_t i = 0; c->transfers && i < n; i++)
        tori_placement_clear (&c->transfers[i].place);
    tori_room_clear (&c->room);
    free (c->transfers);
    free (c->list);
    free (c->barred);
}

int makeroom_start (tori_sched *sched, tori_error *err)
{
    const struct entry *head = lanes_head (&sched->lanes);
    struct clearing c;
    size_t n = sched->nrunning;
    int found;
    if (!(sched->flags & TORI_SCHED_MOVES) || !head || !is_stuck (sched, head)
        || asked_before (sched, head->job))
        return 0;
    c = (struct clearing){.sched = sched, .slot = head->job};
    found = find_moves (&c, err);
    if (found > 0)
        found = carry_out (&c, err);
    if (found < 0)
        sched->asked.epoch = 0; /* search again */
    free_clearing (&c, n);
    return found;
}
