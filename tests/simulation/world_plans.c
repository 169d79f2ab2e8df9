/* world_plans.c - the order of the queue, in plain worlds.
 *
 * Every fourth world is plain. Its jobs want a box or a number of nodes, and
 * have a time limit. Nothing there may change the order: no priorities, tiers,
 * holds, dependencies, limits or shares, no reservations, nothing down or
 * suspended. Torid, its clock, its disk and its executor are as bad as in
 * other worlds. Jobs end before, at and after their time limits.
 *
 * After each run of the scheduler this must hold (doc/algorithms.md):
 *
 *   - The queue is in the order of submission.
 *   - easy: the first job would not fit had no later job started now, and
 * later jobs that started do not put off the first time at which it fits.
 *   - conservative: every waiting job has a planned start, and no planned
 * place meets another or a running job. No job fits now beside all that, and a
 *     new one is planned for the first time at which it fits.
 *   - The first job of the queue, and under conservative those after it as
 * long as they are planned in the order of the queue, start no later than
 *     planned by more than others are late.
 *   - The forecast of those jobs is no later than the plan.
 *
 * All of this is computed here by trying every place at every time. Of the
 * scheduler only the jobs, their places and their planned starts are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/forecast.h>

#include "worlds.h"

enum { SIDE = 4, NODES = SIDE * SIDE };

/* What a job asks for. */
struct wish {
    tori_time limit;
    uint32_t sides[2];
    uint32_t count; /* of nodes, instead */
};

/* Nodes that are taken in [from, until). */
struct hold {
    uint64_t job;
    uint32_t attempt, nodes;
    tori_time from, until;
    bool firm; /* all jobs up to it are planned in the order of the queue */
};

/* After a run of the scheduler. All that runs comes first, then the queue. */
struct moment {
    tori_time now;
    struct hold all[NODES + WORLD_JOBS];
    size_t nruns, n;
};

struct plans {
    struct wish wishes[WORLD_JOBS + 1];
    bool conservative;
    bool known; /* the last moment */
    bool whole; /* ... and all that has started since, has in this run */
    uint64_t looks;
    struct moment last, now;
};

/* How often something was judged, by policy. */
static struct {
    unsigned long worlds;
    unsigned long passed; /* starts of jobs before which another waits */
    unsigned long late;   /* planned starts while a job was late */
} judged[2];

void plans_begin (struct world *w)
{
    w->plans = calloc (1, sizeof *w->plans);
    w->plans->conservative = w->seed % 8 == 4;
    judged[w->plans->conservative].worlds++;
}

void plans_end (struct world *w)
{
    free (w->plans);
}

bool plans_conservative (const struct world *w)
{
    return w->plans && w->plans->conservative;
}

void plans_lose (struct world *w, bool all)
{
    if (w->plans) {
        w->plans->known &= !all;
        w->plans->whole = false;
    }
}

/* ---- jobs ---- */

json_t *plans_draw_job (struct world *w)
{
    static const char *const shapes[] = {"1x1", "2x2", "1x4", "4x4",
                                         "2x4", "3x2", "3x3", "1x2"};
    json_t *job = json_pack ("{s:[s], s:i}", "command", "true", "estimate",
                             (int)dice (w, 40) + 1);
    if (dice (w, 4))
        json_object_set_new (job, "shape", json_string (shapes[dice (w, 8)]));
    else
        json_object_set_new (job, "count",
                             json_integer ((json_int_t)dice (w, 12) + 1));
    return job;
}

void plans_note_job (struct world *w, uint64_t id, const json_t *job)
{
    const char *shape = json_string_value (json_object_get (job, "shape"));
    struct wish wish = {
        .limit = json_integer_value (json_object_get (job, "estimate"))
                 * TORI_SECOND,
        .count =
            (uint32_t)json_integer_value (json_object_get (job, "count"))};
    if (shape)
        sscanf (shape, "%ux%u", &wish.sides[0], &wish.sides[1]);
    w->plans->wishes[id] = wish;
}

tori_time plans_draw_runtime (struct world *w, uint64_t id)
{
    tori_time limit = w->plans->wishes[id].limit;
    uint64_t mood = dice (w, 4);
    if (mood == 0)
        return (tori_time)dice (w, (uint64_t)(limit / TORI_SECOND))
               * TORI_SECOND;
    return mood == 1 ? limit : limit + (tori_time)dice (w, 9) * TORI_SECOND;
}

/* ---- every place at every time ---- */

static uint32_t box_at (uint32_t x, uint32_t y, uint32_t width,
                        uint32_t height)
{
    uint32_t nodes = 0;
    for (uint32_t i = x; i < x + width; i++)
        for (uint32_t k = y; k < y + height; k++)
            nodes |= 1U << (SIDE * i + k);
    return nodes;
}

static bool box_fits (uint32_t taken, uint32_t width, uint32_t height)
{
    for (uint32_t x = 0; x + width <= SIDE; x++)
        for (uint32_t y = 0; y + height <= SIDE; y++)
            if (!(taken & box_at (x, y, width, height)))
                return true;
    return false;
}

static bool fits (uint32_t taken, const struct wish *wish)
{
    uint32_t nfree = 0;
    for (uint32_t i = 0; i < NODES; i++)
        nfree += !(taken >> i & 1);
    if (wish->count)
        return wish->count <= nfree;
    return box_fits (taken, wish->sides[0], wish->sides[1])
           || box_fits (taken, wish->sides[1], wish->sides[0]);
}

/* The first time at which a job fits beside others: now, or when one of them
 * ends. It is not in its own way. */
static tori_time earliest (const struct world *w, uint64_t id,
                           const struct hold others[], size_t n)
{
    const struct wish *wish = &w->plans->wishes[id];
    tori_time t = w->plans->now.now, next;
    for (;; t = next) {
        uint32_t taken = 0;
        next = TORI_TIME_MAX;
        for (size_t i = 0; i < n; i++) {
            const struct hold *other = &others[i];
            if (other->job == id || other->until <= t)
                continue;
            if (other->from < t + wish->limit)
                taken |= other->nodes;
            if (other->until < next)
                next = other->until;
        }
        if (fits (taken, wish) || next == TORI_TIME_MAX)
            return t;
    }
}

/* ---- a moment ---- */

static uint32_t nodes_of (const struct world *w, const tori_placement *place)
{
    uint32_t list[NODES], nodes = 0;
    tori_placement_nodes (place, w->machine, list);
    for (uint32_t i = 0; i < place->count; i++)
        nodes |= 1U << list[i];
    return nodes;
}

static struct hold look_at_job (const struct world *w, tori_job number)
{
    const tori_sched *sched = service_sched (w->torid.service);
    tori_job_info info = {.size = sizeof info};
    tori_sched_look (sched, number, &info);
    struct hold it = {
        .job = info.tag,
        .attempt = job_table_find (&w->torid.service->jobs, info.tag)->attempt,
        .from = TORI_TIME_MAX,
        .until = TORI_TIME_MAX};
    if (info.phase == TORI_JOB_RUNNING) {
        it.nodes = nodes_of (w, info.place);
        it.from = info.start;
        it.until = info.start + w->plans->wishes[info.tag].limit;
    }
    return it;
}

static bool is_late (const struct hold *run, tori_time now)
{
    return run->until <= now + 1;
}

/* A job that is late is expected to end in the next tick. */
static void look_at_jobs (struct world *w, struct moment *m)
{
    const tori_sched *sched = service_sched (w->torid.service);
    tori_job numbers[WORLD_JOBS];
    m->now = service_now (w->torid.service);
    m->n = m->nruns = tori_sched_running_jobs (sched, numbers);
    for (size_t i = 0; i < m->nruns; i++) {
        m->all[i] = look_at_job (w, numbers[i]);
        if (is_late (&m->all[i], m->now))
            m->all[i].until = m->now + 1;
    }
    m->n += tori_sched_queued_jobs (sched, numbers);
    for (size_t i = m->nruns; i < m->n; i++) {
        m->all[i] = look_at_job (w, numbers[i - m->nruns]);
        if (i > m->nruns && m->all[i].job < m->all[i - 1].job)
            world_broken (w, "job %llu waits behind job %llu",
                          (unsigned long long)m->all[i].job,
                          (unsigned long long)m->all[i - 1].job);
    }
}

static struct hold *find_hold (struct moment *m, uint64_t job)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->all[i].job == job)
            return &m->all[i];
    return NULL;
}

/* The planned starts of conservative. */
static void look_at_plans (struct world *w, struct moment *m)
{
    const tori_sched *sched = service_sched (w->torid.service);
    const tori_placement *place;
    tori_time from, latest = 0;
    tori_job number;
    bool firm = true;
    for (size_t i = 0; tori_sched_promised (sched, i, &number, &from, &place);
         i++) {
        struct hold *it = find_hold (m, look_at_job (w, number).job);
        it->nodes = nodes_of (w, place);
        it->from = from;
        it->until = from + w->plans->wishes[it->job].limit;
    }
    for (size_t i = m->nruns; i < m->n; i++) {
        m->all[i].firm = firm &= m->all[i].from >= latest;
        latest = m->all[i].from;
    }
}

/* ---- one moment ---- */

static bool has_come (const struct plans *plans, const struct hold *run)
{
    const struct moment *last = &plans->last;
    for (size_t i = 0; i < last->nruns; i++)
        if (last->all[i].job == run->job
            && last->all[i].attempt == run->attempt)
            return false;
    return plans->whole;
}

/* The first job of the queue, and later ones that have started. Its planned
 * start is the first time at which it fits. */
static void check_first (struct world *w)
{
    struct plans *plans = w->plans;
    struct moment *m = &plans->now;
    struct hold before[NODES], *first = &m->all[m->nruns];
    tori_time could;
    size_t n = 0;
    if (m->n == m->nruns)
        return;
    for (size_t i = 0; i < m->nruns; i++)
        if (m->all[i].job < first->job || !has_come (plans, &m->all[i]))
            before[n++] = m->all[i];
    could = earliest (w, first->job, before, n);
    first->from = earliest (w, first->job, m->all, m->nruns);
    first->firm = true;
    if (could <= m->now)
        world_broken (w, "job %llu waits, though it would have fitted",
                      (unsigned long long)first->job);
    if (first->from > could)
        world_broken (w, "job %llu is put off by %g s by later ones",
                      (unsigned long long)first->job,
                      (double)(first->from - could) / TORI_SECOND);
    judged[0].passed += m->nruns - n;
}

static bool meet (const struct hold *a, const struct hold *b)
{
    return a->nodes & b->nodes && a->from < b->until && b->from < a->until;
}

/* With `anew` nothing has started in this run but the job was planned. */
static void check_planned (struct world *w, const struct hold *it, bool anew)
{
    const struct plans *plans = w->plans;
    const struct moment *m = &plans->now;
    tori_time could;
    if (it->from == TORI_TIME_MAX || it->from <= m->now)
        world_broken (w, "job %llu has no planned start",
                      (unsigned long long)it->job);
    for (const struct hold *other = m->all; other < it; other++)
        if (meet (it, other))
            world_broken (w, "the place of job %llu meets job %llu",
                          (unsigned long long)it->job,
                          (unsigned long long)other->job);
    could = earliest (w, it->job, m->all, m->n);
    if (could == m->now || (could < it->from && anew))
        world_broken (w,
                      "job %llu could start in %g s, and is planned to in "
                      "%g s",
                      (unsigned long long)it->job,
                      (double)(could - m->now) / TORI_SECOND,
                      (double)(it->from - m->now) / TORI_SECOND);
}

static void check_all_planned (struct world *w)
{
    struct plans *plans = w->plans;
    struct moment *m = &plans->now;
    bool calm = plans->whole;
    look_at_plans (w, m);
    for (size_t i = 0; i < m->nruns && m->n > m->nruns; i++) {
        bool came = has_come (plans, &m->all[i]);
        calm &= !came;
        judged[1].passed += came && m->all[i].job > m->all[m->nruns].job;
    }
    for (size_t i = m->nruns; i < m->n; i++)
        check_planned (w, &m->all[i],
                       calm && i + 1 == m->n
                           && !find_hold (&plans->last, m->all[i].job));
}

/* ---- one moment and the next ---- */

/* By how much starts may be put off: since the first time at which something
 * was due, and did not come. */
static tori_time lateness (const struct plans *plans)
{
    const struct moment *last = &plans->last, *m = &plans->now;
    tori_time due = TORI_TIME_MAX;
    bool late = false;
    for (size_t i = 0; i < last->n; i++) {
        const struct hold *it = &last->all[i];
        tori_time at = i < last->nruns ? it->until : it->from;
        if (at < due)
            due = at;
    }
    for (size_t i = 0; i < m->nruns; i++)
        late |= is_late (&m->all[i], m->now);
    return due > m->now ? 0 : m->now - due + late;
}

/* Whether an attempt to run a job failed, so that it waits again, or runs
 * again: it comes before others. */
static bool was_requeued (struct plans *plans)
{
    for (size_t i = 0; i < plans->last.nruns; i++) {
        const struct hold *was = &plans->last.all[i];
        const struct hold *is = find_hold (&plans->now, was->job);
        if (is
            && (is->from == TORI_TIME_MAX || is->attempt != was->attempt
                || is >= plans->now.all + plans->now.nruns))
            return true;
    }
    return false;
}

/* A requeued job may come before the first of the queue. */
static void check_kept (struct world *w)
{
    struct plans *plans = w->plans;
    struct moment *last = &plans->last, *m = &plans->now;
    tori_time late = lateness (plans);
    if (!plans->conservative && was_requeued (plans))
        return;
    for (size_t i = last->nruns; i < last->n; i++) {
        const struct hold *was = &last->all[i];
        const struct hold *is = find_hold (m, was->job);
        bool runs = is && is < m->all + m->nruns;
        if (!was->firm || !is || is->attempt != was->attempt + runs)
            continue;
        if (is->from > was->from + late)
            world_broken (w,
                          "job %llu was planned to start in %g s, and %s %g s "
                          "later, though nothing is late by more than %g s",
                          (unsigned long long)was->job,
                          (double)(was->from - last->now) / TORI_SECOND,
                          runs ? "starts" : "will start",
                          (double)(is->from - was->from) / TORI_SECOND,
                          (double)late / TORI_SECOND);
        judged[plans->conservative].late += late > 0;
    }
}

/* ---- forecasts ---- */

struct forecasts {
    struct world *w;
    size_t n;
};

static void on_forecast (void *arg, const tori_forecast *forecast)
{
    struct forecasts *all = arg;
    struct moment *m = &all->w->plans->now;
    const struct hold *it = find_hold (m, forecast->tag);
    all->n++;
    if (it->firm
        && (forecast->start > it->from
            || (!all->w->plans->conservative && forecast->start < it->from)))
        world_broken (all->w,
                      "job %llu is planned to start in %g s, and forecast to "
                      "start in %g s",
                      (unsigned long long)it->job,
                      (double)(it->from - m->now) / TORI_SECOND,
                      (double)(forecast->start - m->now) / TORI_SECOND);
}

/* They take long, so not every time. */
static void check_forecasts (struct world *w)
{
    const struct moment *m = &w->plans->now;
    struct forecasts all = {.w = w};
    tori_error err = {0};
    if (w->plans->looks++ % 8)
        return;
    if (tori_forecast_each (service_sched (w->torid.service), on_forecast,
                            &all, &err)
        < 0)
        world_broken (w, "no forecast: %s", err.text);
    if (all.n != m->n - m->nruns)
        world_broken (w, "%zu forecasts for %zu jobs", all.n, m->n - m->nruns);
}

/* ---- all of it ---- */

void plans_check (struct world *w)
{
    struct plans *plans = w->plans;
    if (!plans)
        return;
    look_at_jobs (w, &plans->now);
    if (plans->conservative)
        check_all_planned (w);
    else
        check_first (w);
    if (plans->known)
        check_kept (w);
    check_forecasts (w);
    plans->last = plans->now;
    plans->known = plans->whole = true;
}

bool plans_were_judged (void)
{
    bool good = true;
    for (size_t i = 0; i < 2; i++) {
        printf ("# %s: %lu plain worlds, %lu starts before a job that waits, "
                "%lu planned starts while something was late\n",
                i ? "conservative" : "easy", judged[i].worlds,
                judged[i].passed, judged[i].late);
        good &= judged[i].passed > 0 && judged[i].late > 0;
    }
    return good;
}
