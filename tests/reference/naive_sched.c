#include "naive_sched.h"

#include <stdlib.h>
#include <string.h>

#include "naive_room.h"

static const struct {
    const char *name;
    size_t depth;
    bool stop_at_blocked;
} definitions[] = {
    {"fcfs", 0, true},
    {"backfill", 0, false},
    {"easy", 1, false},
    {"conservative", SIZE_MAX, false},
};

struct naive_sched *naive_sched_create (const tori_machine *machine,
                                        const char *policy, tori_order order,
                                        const char *alloc)
{
    struct naive_sched *sched;
    size_t i = 0;
    while (i < LENGTH (definitions) && strcmp (definitions[i].name, policy))
        i++;
    if (i == LENGTH (definitions) || !naive_alloc_known (alloc))
        return NULL;
    sched = make_array (1, sizeof *sched);
    sched->alloc = alloc;
    sched->takes = tori_alloc_find (alloc)->takes;
    sched->order = order;
    sched->depth = definitions[i].depth;
    sched->stop_at_blocked = definitions[i].stop_at_blocked;
    sched->machine = naive_create (machine);
    return sched;
}

void naive_sched_destroy (struct naive_sched *sched)
{
    for (size_t i = 0; i < sched->njobs; i++) {
        tori_placement_clear (&sched->jobs[i].place);
        tori_placement_clear (&sched->jobs[i].reserved_place);
        tori_placement_clear (&sched->jobs[i].kept);
    }
    for (size_t i = 0; i < sched->nwindows; i++)
        tori_placement_clear (&sched->windows[i].place);
    naive_destroy (sched->machine);
    free (sched);
}

static void decide (struct naive_sched *sched, tori_decision_kind kind,
                    uint64_t tag, const tori_placement *place)
{
    assert_true (sched->nmade < LENGTH (sched->made));
    sched->made[sched->nmade++] = (struct naive_decision){
        .kind = kind,
        .tag = tag,
        .by = NAIVE_TAGS,
        .place = place ? *place : (tori_placement){0}};
}

bool naive_sched_next (struct naive_sched *sched,
                       struct naive_decision *ret_decision)
{
    if (sched->fetched == sched->nmade)
        return false;
    *ret_decision = sched->made[sched->fetched++];
    return true;
}

/* ---- quantities ---- */

/* The i-th of what a job asks for that is not impossible, NULL past the end. */
static const tori_request *ask (const struct naive_sched *sched,
                                const struct naive_job *job, size_t i)
{
    for (size_t k = 0; k <= job->spec.nalternatives; k++) {
        bool patient = k > 0 && job->patient;
        const tori_request *request = k ? &job->spec.alternatives[k - 1]
                                        : &job->spec.request;
        if (!patient
            && naive_possible (sched->machine->machine, sched->takes, request)
            && i-- == 0)
            return request;
    }
    return NULL;
}

/* The fewest that it would take. */
static int64_t nodes_of (const struct naive_sched *sched,
                         const struct naive_job *job)
{
    const tori_request *request;
    int64_t nodes = INT64_MAX;
    for (size_t i = 0; (request = ask (sched, job, i)) != NULL; i++)
        if ((int64_t)tori_request_nodes (request) < nodes)
            nodes = (int64_t)tori_request_nodes (request);
    return nodes;
}

static tori_time length_of (const struct naive_job *job)
{
    return job->spec.estimate > job->spec.done
               ? job->spec.estimate - job->spec.done
               : 1;
}

/* Something comes free that was to be taken until then. */
static void gain (struct naive_sched *sched, tori_time until)
{
    if (until > sched->gain)
        sched->gain = until;
}

static void unreserve (struct naive_sched *sched, struct naive_job *job)
{
    if (job->reserved)
        gain (sched, job->reserved_at + length_of (job));
    tori_placement_clear (&job->reserved_place);
    job->reserved = false;
}

static bool by_shape (const struct naive_sched *sched)
{
    return sched->places || sched->takes & TORI_BY_SHAPE;
}

/* The nodes that a job may not use are held for once. */
static void forbid (const struct naive_sched *sched,
                    const struct naive_job *job, int ret_owners[64])
{
    assert_true (!job->spec.only || sched->machine->n <= 64);
    for (uint32_t i = 0; job->spec.only && i < sched->machine->n; i++) {
        ret_owners[i] = sched->machine->nodes[i].owner;
        if (!(*job->spec.only >> i & 1))
            sched->machine->nodes[i].owner = NAIVE_TAGS;
    }
}

/* The place of the first request of a job that has one in the model. */
static bool place_job (const struct naive_sched *sched,
                       const struct naive_job *job, tori_placement *ret_place)
{
    const tori_request *request;
    bool found = false;
    int owners[64] = {0};
    if (job->suspended)
        return naive_place_free (sched->machine, &job->kept)
               && tori_placement_copy (ret_place, &job->kept, NULL) == 0;
    forbid (sched, job, owners);
    for (size_t i = 0; !found && (request = ask (sched, job, i)) != NULL;
         i++) {
        bool count = sched->counts && request->shape.ndims == 0;
        found = naive_place (sched->machine,
                             count ? sched->counts : sched->alloc, request,
                             ret_place);
    }
    for (uint32_t i = 0; job->spec.only && i < sched->machine->n; i++)
        sched->machine->nodes[i].owner = owners[i];
    return found;
}

static tori_time expected_end (const struct naive_sched *sched,
                               const struct naive_job *job)
{
    return job->end > sched->now ? job->end : sched->now + 1;
}

/* ---- the queue ---- */

static bool goes_before (const struct naive_sched *sched,
                         const struct naive_job *a, const struct naive_job *b)
{
    int64_t x = 0, y = 0;
    if (a->spec.priority != b->spec.priority)
        return a->spec.priority > b->spec.priority;
    if (sched->order == TORI_ORDER_SHORTEST) {
        x = a->spec.estimate;
        y = b->spec.estimate;
    } else if (sched->order != TORI_ORDER_SUBMIT) {
        x = nodes_of (sched, a);
        y = nodes_of (sched, b);
    }
    if (x != y)
        return sched->order == TORI_ORDER_LARGEST ? x > y : x < y;
    return a->number < b->number;
}

/* Whether it waits in the queue: who is suspended does not. */
static bool waits (const struct naive_job *job)
{
    return job->phase == NAIVE_QUEUED && !job->aside && !job->suspended;
}

/* How many waiting jobs go before this one. */
static size_t position (const struct naive_sched *sched,
                        const struct naive_job *job)
{
    size_t n = 0;
    for (size_t i = 0; i < sched->njobs; i++)
        n += waits (&sched->jobs[i])
             && goes_before (sched, &sched->jobs[i], job);
    return n;
}

/* The tags of the waiting jobs in the order of the queue. */
static size_t list_queue (const struct naive_sched *sched,
                          uint64_t ret_tags[NAIVE_TAGS])
{
    size_t n = 0;
    for (size_t i = 0; i < sched->njobs; i++)
        if (waits (&sched->jobs[i])) {
            ret_tags[position (sched, &sched->jobs[i])] = i;
            n++;
        }
    return n;
}

/* ---- the machine at some time ---- */

/* Nothing runs. */
static void empty (struct naive_sched *sched)
{
    struct naive *machine = sched->machine;
    for (uint32_t i = 0; i < machine->n; i++)
        machine->nodes[i].owner = NOBODY;
    for (size_t i = 0; i < machine->nlinks; i++)
        machine->links[i].owner = NOBODY;
}

/* Fill the model: the jobs that run now and are not expected to have ended
 * by t. */
static void fill (struct naive_sched *sched, tori_time t)
{
    struct naive *machine = sched->machine;
    empty (sched);
    for (size_t i = 0; i < sched->njobs; i++) {
        const struct naive_job *job = &sched->jobs[i];
        if (job->phase == NAIVE_RUNNING
            && (t == sched->now || expected_end (sched, job) > t))
            naive_hold_place (machine, &job->place, (int)i, true);
    }
}

/* Whether another's reservation meets the time that a job would run. */
static bool meets (const struct naive_job *other, const struct naive_job *job,
                   tori_time from)
{
    return other != job && other->reserved
           && other->reserved_at < from + length_of (job)
           && from < other->reserved_at + length_of (other);
}

static bool meets_window (const struct naive_sched *sched,
                          const struct naive_window *window,
                          const struct naive_job *job, tori_time from)
{
    return !window->gone && window->tag != (uint64_t)(job - sched->jobs)
           && window->from < from + length_of (job) && from < window->until;
}

/* Whether one suspended job continues before another. */
static bool outranks (const struct naive_sched *sched,
                      const struct naive_job *a, const struct naive_job *b)
{
    return a->spec.level != b->spec.level ? a->spec.level > b->spec.level
                                          : goes_before (sched, a, b);
}

/* Whether the place of a suspended job is kept from another in its time: not
 * from those of a higher level, nor from suspended jobs in front of it. */
static bool meets_held (const struct naive_sched *sched,
                        const struct naive_job *held,
                        const struct naive_job *job, tori_time from)
{
    if (held == job || !held->held || job->spec.level > held->spec.level
        || (job->suspended && outranks (sched, job, held)))
        return false;
    return held->held_from < from + length_of (job)
           && from < held->held_until;
}

/* Whether a place, from then on, has nothing in common with what is kept for
 * suspended jobs, and with windows. */
static bool off_kept (const struct naive_sched *sched,
                      const struct naive_job *job, tori_time from,
                      const tori_placement *place)
{
    for (size_t i = 0; i < sched->njobs; i++)
        if (meets_held (sched, &sched->jobs[i], job, from)
            && naive_share (sched->machine, place, &sched->jobs[i].kept))
            return false;
    for (size_t i = 0; i < sched->nwindows; i++)
        if (meets_window (sched, &sched->windows[i], job, from)
            && naive_share (sched->machine, place, &sched->windows[i].place))
            return false;
    return true;
}

/* What is kept from a job counts as taken. */
static void hold_kept (struct naive_sched *sched, const struct naive_job *job,
                       tori_time from)
{
    for (size_t i = 0; i < sched->njobs; i++)
        if (meets_held (sched, &sched->jobs[i], job, from))
            naive_hold_place (sched->machine, &sched->jobs[i].kept,
                              NAIVE_TAGS, true);
    for (size_t i = 0; i < sched->nwindows; i++)
        if (meets_window (sched, &sched->windows[i], job, from))
            naive_hold_place (sched->machine, &sched->windows[i].place,
                              NAIVE_TAGS, true);
}

/* Whether a place, from then on, has nothing in common with the reservations,
 * windows and places of suspended jobs that meet the job's time. */
static bool keeps_clear (const struct naive_sched *sched,
                         const struct naive_job *job, tori_time from,
                         const tori_placement *place)
{
    for (size_t i = 0; i < sched->njobs; i++)
        if (meets (&sched->jobs[i], job, from)
            && naive_share (sched->machine, place,
                            &sched->jobs[i].reserved_place))
            return false;
    return off_kept (sched, job, from, place);
}

/* The place of a shape at that time: the allocator's among the running jobs,
 * if that keeps clear of reservations; else its place among the running jobs
 * and those reservations. */
static bool place_shape (struct naive_sched *sched,
                         const struct naive_job *job, tori_time from,
                         tori_placement *ret_place)
{
    fill (sched, from);
    if (!place_job (sched, job, ret_place))
        return false;
    if (keeps_clear (sched, job, from, ret_place))
        return true;
    tori_placement_clear (ret_place);
    for (size_t i = 0; i < sched->njobs; i++)
        if (meets (&sched->jobs[i], job, from))
            naive_hold_place (sched->machine, &sched->jobs[i].reserved_place,
                              (int)i, true);
    hold_kept (sched, job, from);
    return place_job (sched, job, ret_place);
}

/* How many nodes are free at t beside the reservations of others. */
static int64_t free_at (struct naive_sched *sched, const struct naive_job *job,
                        tori_time t)
{
    int64_t n;
    fill (sched, t);
    n = naive_free_count (sched->machine);
    for (size_t i = 0; i < sched->njobs; i++) {
        const struct naive_job *other = &sched->jobs[i];
        if (other != job && other->reserved && other->reserved_at <= t
            && t < other->reserved_at + length_of (other))
            n -= nodes_of (sched, other);
    }
    return n;
}

/* Whether there are enough nodes for all the time of the job: nodes only get
 * fewer where a reservation begins. */
static bool enough (struct naive_sched *sched, const struct naive_job *job,
                    tori_time from)
{
    if (free_at (sched, job, from) < nodes_of (sched, job))
        return false;
    for (size_t i = 0; i < sched->njobs; i++) {
        const struct naive_job *other = &sched->jobs[i];
        if (meets (other, job, from) && other->reserved_at > from
            && free_at (sched, job, other->reserved_at) < nodes_of (sched, job))
            return false;
    }
    return true;
}

/* ---- starting ---- */

/* The classic rule: it ends before the shadow time, or the first in the queue
 * will not miss its nodes. */
static bool classic_easy (struct naive_sched *sched,
                          const struct naive_job *job)
{
    for (size_t i = 0; i < sched->njobs; i++) {
        const struct naive_job *first = &sched->jobs[i];
        int64_t extra;
        if (!first->reserved || first == job)
            continue;
        fill (sched, first->reserved_at);
        extra = naive_free_count (sched->machine) - nodes_of (sched, first);
        if (sched->now + length_of (job) > first->reserved_at
            && nodes_of (sched, job) > extra)
            return false;
    }
    return true;
}

static bool place_count (struct naive_sched *sched,
                         const struct naive_job *job,
                         tori_placement *ret_place)
{
    if (sched->depth == 1 ? !classic_easy (sched, job)
                          : !enough (sched, job, sched->now))
        return false;
    fill (sched, sched->now);
    return place_job (sched, job, ret_place);
}

/* Whether the job's time has come and its place is there. */
static bool place_promised (struct naive_sched *sched,
                            const struct naive_job *job,
                            tori_placement *ret_place)
{
    if (sched->depth < 2 || !job->reserved || job->reserved_at > sched->now)
        return false;
    fill (sched, sched->now);
    if (!naive_place_free (sched->machine, &job->reserved_place)
        || !keeps_clear (sched, job, sched->now, &job->reserved_place))
        return false;
    assert_int_equal (
        tori_placement_copy (ret_place, &job->reserved_place, NULL), 0);
    return true;
}

static bool may_start (struct naive_sched *sched, const struct naive_job *job,
                       tori_placement *ret_place)
{
    if (!by_shape (sched))
        return place_count (sched, job, ret_place);
    return place_promised (sched, job, ret_place)
           || place_shape (sched, job, sched->now, ret_place);
}

static void start (struct naive_sched *sched, uint64_t tag,
                   const tori_placement *place)
{
    struct naive_job *job = &sched->jobs[tag];
    unreserve (sched, job);
    job->phase = NAIVE_RUNNING;
    job->place = *place;
    job->start = sched->now;
    job->lost = 0;
    job->end = sched->now + length_of (job);
    decide (sched, job->suspended ? TORI_RESUME : TORI_START, tag, place);
    job->suspended = false;
}

/* ---- reservations ---- */

/* The first time behind t at which a reservation may begin. */
static tori_time next_time (const struct naive_sched *sched, tori_time t)
{
    tori_time next = TORI_TIME_MAX;
    for (size_t i = 0; i < sched->njobs; i++) {
        const struct naive_job *job = &sched->jobs[i];
        tori_time end = TORI_TIME_MAX;
        if (job->phase == NAIVE_RUNNING)
            end = expected_end (sched, job);
        else if (job->reserved)
            end = job->reserved_at + length_of (job);
        else if (job->held)
            end = job->held_until;
        if (end > t && end < next)
            next = end;
    }
    for (size_t i = 0; i < sched->nwindows; i++)
        if (!sched->windows[i].gone && sched->windows[i].until > t
            && sched->windows[i].until < next)
            next = sched->windows[i].until;
    return sched->every_tick && next < TORI_TIME_MAX ? t + 1 : next;
}

static void reserve (struct naive_sched *sched, struct naive_job *job)
{
    tori_placement place = {0};
    tori_time limit = TORI_TIME_MAX;
    if (sched->depth == 1 || (job->reserved && job->reserved_at <= sched->now))
        unreserve (sched, job);
    if (job->reserved)
        limit = job->reserved_at < sched->gain ? job->reserved_at
                                               : sched->gain;
    for (tori_time t = next_time (sched, sched->now); t < limit;
         t = next_time (sched, t)) {
        if (!(by_shape (sched) ? place_shape (sched, job, t, &place)
                               : enough (sched, job, t)))
            continue;
        unreserve (sched, job);
        job->reserved = true;
        job->reserved_at = t;
        job->reserved_place = place;
        return;
    }
}

/* A job that needs a part that is down has to look for another place. A count
 * of nodes may need any. */
static void drop_broken (struct naive_sched *sched)
{
    empty (sched);
    for (size_t i = 0; i < sched->njobs; i++)
        if (sched->jobs[i].reserved
            && (!by_shape (sched)
                || !naive_place_free (sched->machine,
                                      &sched->jobs[i].reserved_place)))
            unreserve (sched, &sched->jobs[i]);
}

/* ---- what happens ---- */

static void advance (struct naive_sched *sched, tori_time now)
{
    assert_true (now >= sched->now);
    sched->now = now;
}

/* Whether it has a place if nothing runs. */
static bool fits_alone (struct naive_sched *sched, const struct naive_job *job)
{
    tori_placement place = {0};
    bool fits;
    empty (sched);
    fits = place_job (sched, job, &place);
    tori_placement_clear (&place);
    return fits;
}

/* Whether it has to be set aside. */
static bool barred (struct naive_sched *sched, const struct naive_job *job)
{
    return job->spec.hold || job->spec.earliest > sched->now
           || !fits_alone (sched, job);
}

/* Whether only the first request of a job counts, although it has others. */
static bool is_patient (const struct naive_sched *sched,
                        const struct naive_job *job)
{
    const tori_job_spec *spec = &job->spec;
    tori_time since = job->submit > spec->earliest ? job->submit
                                                   : spec->earliest;
    bool others = false;
    for (size_t i = 0; i < spec->nalternatives; i++)
        others |= naive_possible (sched->machine->machine, sched->takes,
                                  &spec->alternatives[i]);
    return others && spec->patience > 0 && sched->now < since + spec->patience
           && naive_possible (sched->machine->machine, sched->takes,
                              &spec->request);
}

/* A job comes into the queue. In front of others it changes their plans. */
static void come (struct naive_sched *sched, struct naive_job *job)
{
    size_t at = position (sched, job), waiting = 0;
    for (size_t i = 0; i < sched->njobs; i++)
        waiting += waits (&sched->jobs[i]);
    if (at < sched->depth && at + 1 < waiting)
        sched->revise = true;
    for (size_t i = 0; at < sched->depth && i < sched->njobs; i++)
        if (waits (&sched->jobs[i])
            && position (sched, &sched->jobs[i]) >= sched->depth)
            unreserve (sched, &sched->jobs[i]);
}

/* Some are set aside, then others return. */
static void review (struct naive_sched *sched)
{
    for (size_t i = 0; i < sched->njobs; i++) {
        struct naive_job *job = &sched->jobs[i];
        if (job->phase != NAIVE_QUEUED || !barred (sched, job))
            continue;
        job->aside = true;
        unreserve (sched, job);
    }
    for (size_t i = 0; i < sched->njobs; i++) {
        struct naive_job *job = &sched->jobs[i];
        if (!job->aside || job->phase != NAIVE_QUEUED
            || barred (sched, job))
            continue;
        job->aside = false;
        if (!job->suspended)
            come (sched, job);
    }
}

static void enter (struct naive_sched *sched, struct naive_job *job)
{
    job->phase = NAIVE_QUEUED;
    job->aside = barred (sched, job);
    if (waits (job))
        come (sched, job);
}

void naive_sched_submit (struct naive_sched *sched, tori_time now,
                         const tori_job_spec *spec)
{
    struct naive_job *job = &sched->jobs[sched->njobs];
    assert_true (sched->njobs < NAIVE_TAGS && spec->tag == sched->njobs);
    advance (sched, now);
    *job = (struct naive_job){
        .spec = *spec, .number = sched->njobs++, .submit = now};
    job->patient = is_patient (sched, job);
    if (!ask (sched, job, 0)) {
        decide (sched, TORI_REJECT, spec->tag, NULL);
        return;
    }
    enter (sched, job);
}

void naive_sched_end (struct naive_sched *sched, tori_time now, uint64_t tag)
{
    struct naive_job *job = &sched->jobs[tag];
    assert_true (job->phase != NAIVE_GONE);
    advance (sched, now);
    if (job->phase == NAIVE_RUNNING)
        gain (sched, job->end);
    job->phase = NAIVE_GONE;
    tori_placement_clear (&job->place);
    unreserve (sched, job);
    sched->revise = true;
}

/* ---- changes ---- */

/* It leaves the queue and enters it again. */
static void reenter (struct naive_sched *sched, tori_time now, uint64_t tag,
                     const tori_job_spec *spec)
{
    struct naive_job *job = &sched->jobs[tag];
    tori_job_spec changed = *spec;
    naive_sched_end (sched, now, tag);
    job->spec = changed;
    enter (sched, job);
}

void naive_sched_set_priority (struct naive_sched *sched, tori_time now,
                               uint64_t tag, int64_t priority)
{
    tori_job_spec spec = sched->jobs[tag].spec;
    spec.priority = priority;
    reenter (sched, now, tag, &spec);
}

void naive_sched_set_hold (struct naive_sched *sched, tori_time now,
                           uint64_t tag, tori_hold hold)
{
    tori_job_spec spec = sched->jobs[tag].spec;
    spec.hold = hold;
    reenter (sched, now, tag, &spec);
}

void naive_sched_set_earliest (struct naive_sched *sched, tori_time now,
                               uint64_t tag, tori_time earliest)
{
    tori_job_spec spec = sched->jobs[tag].spec;
    spec.earliest = earliest;
    reenter (sched, now, tag, &spec);
}

void naive_sched_set_estimate (struct naive_sched *sched, tori_time now,
                               uint64_t tag, tori_time estimate)
{
    struct naive_job *job = &sched->jobs[tag];
    tori_job_spec spec = job->spec;
    tori_time before = job->end;
    spec.estimate = estimate;
    if (job->phase == NAIVE_QUEUED) {
        reenter (sched, now, tag, &spec);
        return;
    }
    advance (sched, now);
    job->spec.estimate = estimate;
    job->end = job->start + length_of (job) + job->lost;
    if (job->end < before)
        gain (sched, before);
    for (size_t i = 0; job->end >= before && i < sched->njobs; i++)
        if (sched->jobs[i].reserved
            && sched->jobs[i].reserved_at < job->end)
            unreserve (sched, &sched->jobs[i]);
    sched->revise = true;
}

/* ---- moves ---- */

/* Reservations that meet a job in its new place are void. */
static void drop_met (struct naive_sched *sched, const struct naive_job *mover,
                      tori_time before)
{
    for (size_t i = 0; i < sched->njobs; i++) {
        struct naive_job *job = &sched->jobs[i];
        if (job->reserved && job->reserved_at < expected_end (sched, mover)
            && (by_shape (sched)
                    ? naive_share (sched->machine, &mover->place,
                                   &job->reserved_place)
                    : job->reserved_at + length_of (job) > before))
            unreserve (sched, job);
    }
}

void naive_sched_move (struct naive_sched *sched, tori_time now,
                       const uint64_t tags[],
                       const tori_placement *const to[], size_t n)
{
    advance (sched, now);
    for (size_t i = 0; i < n; i++) {
        struct naive_job *job = &sched->jobs[tags[i]];
        tori_time before = expected_end (sched, job);
        gain (sched, before);
        tori_placement_clear (&job->place);
        assert_int_equal (tori_placement_copy (&job->place, to[i], NULL), 0);
        job->lost += sched->move;
        job->end += sched->move;
        drop_met (sched, job, before);
    }
    sched->revise = true;
}

/* ---- windows ---- */

/* Whether somebody who runs will be on a node then. */
static bool held_at (const struct naive_sched *sched, uint32_t node,
                     tori_time from)
{
    for (size_t i = 0; i < sched->njobs; i++)
        if (sched->jobs[i].phase == NAIVE_RUNNING
            && (from <= sched->now || sched->jobs[i].end > from)
            && tori_placement_contains (&sched->jobs[i].place,
                                        sched->machine->machine, node))
            return true;
    return false;
}

static bool kept (const struct naive_sched *sched, uint32_t node,
                  tori_time from, tori_time until)
{
    for (size_t i = 0; i < sched->nwindows; i++)
        if (!sched->windows[i].gone && sched->windows[i].until > sched->now
            && sched->windows[i].from < until
            && from < sched->windows[i].until
            && tori_placement_contains (&sched->windows[i].place,
                                        sched->machine->machine, node))
            return true;
    return false;
}

bool naive_sched_choose (struct naive_sched *sched, tori_time now,
                         uint64_t count, tori_time from, tori_time until,
                         tori_placement *ret_place)
{
    const struct naive *machine = sched->machine;
    bool taken[64] = {false};
    advance (sched, now);
    *ret_place = (tori_placement){
        .nodes = make_array (machine->n, sizeof *ret_place->nodes)};
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < machine->n && count > 0; i++)
            if (!taken[i] && !machine->nodes[i].down
                && !machine->nodes[i].drained
                && !kept (sched, i, from, until)
                && (pass == 1 || !held_at (sched, i, from))) {
                taken[i] = true;
                count--;
            }
    for (uint32_t i = 0; i < machine->n; i++)
        if (taken[i])
            ret_place->nodes[ret_place->count++] = i;
    return count == 0;
}

size_t naive_sched_add_window (struct naive_sched *sched, tori_time now,
                               const tori_placement *place, tori_time from,
                               tori_time until, uint64_t tag)
{
    struct naive_window *window = &sched->windows[sched->nwindows];
    assert_true (sched->nwindows < NAIVE_TAGS);
    advance (sched, now);
    *window = (struct naive_window){.from = from, .until = until, .tag = tag};
    assert_int_equal (tori_placement_copy (&window->place, place, NULL), 0);
    for (size_t i = 0; i < sched->njobs; i++) {
        struct naive_job *job = &sched->jobs[i];
        if (job->reserved && meets_window (sched, window, job,
                                           job->reserved_at)
            && naive_share (sched->machine, &job->reserved_place,
                            &window->place))
            unreserve (sched, job);
    }
    sched->revise = true;
    return sched->nwindows++;
}

void naive_sched_remove_window (struct naive_sched *sched, tori_time now,
                                size_t i)
{
    struct naive_window *window = &sched->windows[i];
    advance (sched, now);
    if (window->until > now)
        gain (sched, window->until);
    window->gone = true;
    tori_placement_clear (&window->place);
    sched->revise = true;
}

/* Those that are over. */
static void close_windows (struct naive_sched *sched)
{
    for (size_t i = 0; i < sched->nwindows; i++)
        if (!sched->windows[i].gone
            && sched->windows[i].until <= sched->now)
            naive_sched_remove_window (sched, sched->now, i);
}

/* How much of its work is saved. */
static tori_time saved_of (const struct naive_sched *sched,
                           const struct naive_job *job)
{
    tori_time done = job->spec.done, checkpoint = job->spec.checkpoint;
    for (tori_time saved = job->start + job->lost + checkpoint;
         checkpoint && saved <= sched->now; saved += checkpoint)
        done += checkpoint;
    return done;
}

void naive_sched_requeue (struct naive_sched *sched, tori_time now,
                          uint64_t tag)
{
    tori_job_spec spec = sched->jobs[tag].spec;
    advance (sched, now);
    spec.done = saved_of (sched, &sched->jobs[tag]);
    reenter (sched, now, tag, &spec);
}

/* ---- what goes down ---- */

static void bar (const struct naive_sched *sched, const tori_placement *place,
                 uint64_t set[])
{
    for (uint32_t i = 0; i < sched->machine->n; i++)
        if (tori_placement_contains (place, sched->machine->machine, i))
            set[i / 64] |= UINT64_C (1) << i % 64;
}

/* The nodes that a job may not use that ends then. */
static void bar_all (const struct naive_sched *sched, uint64_t tag,
                     tori_time end, bool promises, uint64_t set[])
{
    for (size_t i = 0; i < sched->nwindows; i++)
        if (!sched->windows[i].gone && sched->windows[i].tag != tag
            && sched->windows[i].from < end
            && sched->windows[i].until > sched->now)
            bar (sched, &sched->windows[i].place, set);
    for (size_t i = 0; i < sched->njobs; i++)
        if (sched->jobs[i].held && sched->jobs[i].held_from < end
            && sched->jobs[tag].spec.level <= sched->jobs[i].spec.level)
            bar (sched, &sched->jobs[i].kept, set);
    promises &= by_shape (sched) && sched->depth > 1;
    for (size_t i = 0; promises && i < sched->njobs; i++)
        if (sched->jobs[i].reserved && sched->jobs[i].reserved_at < end)
            bar (sched, &sched->jobs[i].reserved_place, set);
}

/* The state of the machine: those who run were there before anything went
 * down. */
static tori_state *state_of (const struct naive_sched *sched)
{
    const struct naive *naive = sched->machine;
    const tori_machine *machine = naive->machine;
    tori_state *state = make_state (machine);
    for (size_t i = 0; i < sched->njobs; i++)
        if (sched->jobs[i].phase == NAIVE_RUNNING)
            assert_int_equal (
                tori_placement_hold (&sched->jobs[i].place, state, NULL), 0);
    for (uint32_t i = 0; i < naive->n; i++) {
        tori_state_set_down (state, i, naive->nodes[i].down, NULL);
        tori_state_set_drained (state, i, naive->nodes[i].drained, NULL);
    }
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        for (uint32_t i = 0; i < 2 * naive->n; i++) {
            tori_link link = {d, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            if (tori_link_exists (machine, &link))
                tori_state_set_link_down (
                    state, &link,
                    naive->links[naive_number (naive, &link)].down, NULL);
        }
    return state;
}

/* The model with this job as the first, as naive_room.h has it. */
static struct naive_room room_of (struct naive_sched *sched,
                                  const struct naive_job *job,
                                  const tori_room_job *mover)
{
    empty (sched);
    for (size_t i = 0; i < sched->njobs; i++)
        if (sched->jobs[i].phase == NAIVE_RUNNING)
            naive_hold_place (sched->machine, &sched->jobs[i].place,
                              &sched->jobs[i] == job ? 0 : (int)i + 1, true);
    return (struct naive_room){.naive = sched->machine, .job = mover, .n = 1};
}

/* If several lists are equally near, the one that tori_room_repair takes. */
static bool patch (struct naive_sched *sched, struct naive_room *naive,
                   tori_placement *ret_place)
{
    tori_state *state = state_of (sched);
    tori_room room = {0};
    uint64_t least, sum;
    assert_int_equal (tori_room_repair (state, naive->job, NULL, &room, NULL),
                      0);
    assert_int_equal (naive_patch (naive, &least), room.found);
    sum = room.found ? naive_sum (sched->machine->machine, &room.place) : 0;
    assert_true (!room.found || sum == least);
    *ret_place = room.place;
    tori_state_destroy (state);
    return room.found;
}

static bool repair_place (struct naive_sched *sched, uint64_t tag,
                          tori_time end, bool promises,
                          tori_placement *ret_place)
{
    const struct naive_job *job = &sched->jobs[tag];
    uint64_t barred[NAIVE_TAGS / 64] = {0}, n;
    tori_room_job mover = {.place = &job->place,
                           .fixed = job->spec.request.fixed,
                           .wrap = job->spec.request.wrap,
                           .barred = barred};
    struct naive_room room = room_of (sched, job, &mover);
    bar_all (sched, tag, end, promises, barred);
    for (uint32_t i = 0; job->spec.only && i < sched->machine->n; i++)
        if (!(*job->spec.only >> i & 1))
            barred[0] |= UINT64_C (1) << i;
    return job->place.nboxes ? naive_shift (&room, ret_place, &n)
                             : patch (sched, &room, ret_place);
}

/* It continues elsewhere from its last checkpoint, if it can. */
static bool repair (struct naive_sched *sched, uint64_t tag)
{
    struct naive_job *job = &sched->jobs[tag];
    tori_time before = expected_end (sched, job);
    struct naive_job after = *job;
    tori_placement place = {0};
    after.spec.done = saved_of (sched, job);
    after.start = sched->now;
    after.lost = sched->move;
    after.end = sched->now + length_of (&after) + sched->move;
    if (!(job->spec.flags & TORI_JOB_REPAIR)
        || !(repair_place (sched, tag, after.end, true, &place)
             || repair_place (sched, tag, after.end, false, &place)))
        return false;
    tori_placement_clear (&job->place);
    *job = after;
    job->place = place;
    gain (sched, before);
    drop_met (sched, job, sched->now);
    return true;
}

/* Whether one that runs has its turn before another. */
static bool ends_before (const struct naive_job *a, const struct naive_job *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    return a->start != b->start ? a->start < b->start : a->number < b->number;
}

/* Jobs that run there are killed, or requeued. */
static void kill_one (struct naive_sched *sched, uint64_t tag)
{
    if (sched->jobs[tag].spec.flags & TORI_JOB_REQUEUE) {
        naive_sched_requeue (sched, sched->now, tag);
        decide (sched, TORI_REQUEUE, tag, NULL);
        return;
    }
    naive_sched_end (sched, sched->now, tag);
    decide (sched, TORI_KILL, tag, NULL);
}

/* Those of a set, in their order. */
static void strike (struct naive_sched *sched, const bool hit[])
{
    uint64_t order[NAIVE_TAGS];
    bool away[NAIVE_TAGS] = {false};
    size_t n = 0;
    for (uint64_t i = 0; i < sched->njobs; i++)
        if (hit[i]) {
            size_t at = n++;
            for (; at > 0
                   && ends_before (&sched->jobs[i],
                                   &sched->jobs[order[at - 1]]);
                 at--)
                order[at] = order[at - 1];
            order[at] = i;
        }
    for (size_t i = 0; i < n; i++) {
        away[i] = !repair (sched, order[i]);
        if (away[i])
            sched->jobs[order[i]].phase = NAIVE_GONE;
    }
    for (size_t i = 0; i < n; i++)
        if (away[i]) {
            sched->jobs[order[i]].phase = NAIVE_RUNNING;
            kill_one (sched, order[i]);
        } else {
            decide (sched, TORI_MOVE, order[i], &sched->jobs[order[i]].place);
        }
}

/* A job that was suspended on a failed part takes any place again. */
static void strand (struct naive_sched *sched, const uint32_t nodes[],
                    size_t n, const tori_link links[], size_t nlinks)
{
    const struct naive *machine = sched->machine;
    for (size_t i = 0; i < sched->njobs; i++) {
        struct naive_job *job = &sched->jobs[i];
        tori_job_spec spec = job->spec;
        bool hit = false;
        if (job->phase != NAIVE_QUEUED || !job->suspended)
            continue;
        empty (sched);
        naive_hold_place (sched->machine, &job->kept, (int)i, true);
        for (size_t k = 0; k < n; k++)
            hit |= machine->nodes[nodes[k]].owner == (int)i;
        for (size_t k = 0; k < nlinks; k++)
            hit |= machine->links[naive_number (machine, &links[k])].owner
                   == (int)i;
        if (!hit)
            continue;
        spec.done = job->saved;
        job->suspended = false;
        decide (sched, TORI_REQUEUE, i, NULL);
        reenter (sched, sched->now, i, &spec);
    }
}

void naive_sched_fail (struct naive_sched *sched, tori_time now,
                       const uint32_t nodes[], size_t n,
                       const tori_link links[], size_t nlinks)
{
    struct naive *machine = sched->machine;
    bool hit[NAIVE_TAGS] = {false};
    advance (sched, now);
    fill (sched, now);
    for (size_t i = 0; i < n; i++) {
        struct naive_node *node = &machine->nodes[nodes[i]];
        if (node->owner != NOBODY)
            hit[node->owner] = true;
        node->down = true;
    }
    for (size_t i = 0; i < nlinks; i++) {
        struct naive_link *link
            = &machine->links[naive_number (machine, &links[i])];
        if (link->owner != NOBODY)
            hit[link->owner] = true;
        link->down = true;
    }
    drop_broken (sched);
    strike (sched, hit);
    strand (sched, nodes, n, links, nlinks);
    sched->revise = true;
}

void naive_sched_set_node (struct naive_sched *sched, tori_time now,
                           uint32_t node, bool drain, bool value)
{
    if (value && !drain) {
        naive_sched_fail (sched, now, &node, 1, NULL, 0);
        return;
    }
    advance (sched, now);
    if (drain)
        sched->machine->nodes[node].drained = value;
    else
        sched->machine->nodes[node].down = value;
    if (value)
        drop_broken (sched);
    else
        gain (sched, TORI_TIME_MAX);
    sched->revise = true;
}

void naive_sched_set_link (struct naive_sched *sched, tori_time now,
                           const tori_link *link, bool down)
{
    if (down) {
        naive_sched_fail (sched, now, NULL, 0, link, 1);
        return;
    }
    advance (sched, now);
    sched->machine->links[naive_number (sched->machine, link)].down = false;
    gain (sched, TORI_TIME_MAX);
    sched->revise = true;
}

/* ---- levels ---- */

/* The jobs in the way of a place, by number in a list of candidates: what they
 * lose, and how many they are. */
struct toll {
    bool possible;
    uint64_t lost;
    size_t n;
    uint64_t set;
};

struct levels {
    struct naive_sched *sched;
    const struct naive_job *job;
    const tori_request *request; /* one of what it asks for */
    size_t tags[NAIVE_TAGS]; /* of the candidates, by end, start, number */
    size_t n;
    struct toll memo[65][65];
    bool known[65][65];
};

static bool ends_first (const struct naive_job *a, const struct naive_job *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    return a->start != b->start ? a->start < b->start
                                : a->number < b->number;
}

static void list_candidates (struct levels *levels)
{
    struct naive_sched *sched = levels->sched;
    for (size_t i = 0; i < sched->njobs; i++) {
        const struct naive_job *job = &sched->jobs[i];
        size_t at = levels->n;
        if (job->phase != NAIVE_RUNNING
            || job->spec.level >= levels->job->spec.level
            || job->spec.preempted == TORI_PREEMPTED_NEVER)
            continue;
        for (; at > 0
               && ends_first (job, &sched->jobs[levels->tags[at - 1]]);
             at--)
            levels->tags[at] = levels->tags[at - 1];
        levels->tags[at] = i;
        levels->n++;
    }
    assert_true (levels->n <= 64);
}

static bool unfetched (const struct naive_sched *sched, uint64_t tag,
                       tori_decision_kind kind)
{
    bool found = false;
    for (size_t i = sched->fetched; i < sched->nmade; i++)
        found |= sched->made[i].kind == kind && sched->made[i].tag == tag;
    return found;
}

/* The loss of a job if it goes now. If it is killed, nobody uses what it has
 * saved, now or before. */
static uint64_t lost (const struct naive_sched *sched,
                      const struct naive_job *job)
{
    uint64_t tag = (uint64_t)(job - sched->jobs);
    tori_time ticks = sched->now - job->start - job->lost;
    bool stays = unfetched (sched, tag, TORI_START)
                 || (unfetched (sched, tag, TORI_RESUME)
                     && unfetched (sched, tag, TORI_MOVE));
    if (job->spec.preempted == TORI_PREEMPTED_SUSPEND && !stays)
        return 0;
    if (ticks < 0)
        ticks = 0;
    if (job->spec.preempted == TORI_PREEMPTED_KILL && !stays)
        ticks += job->spec.done;
    else if (job->spec.checkpoint)
        ticks %= job->spec.checkpoint;
    return (uint64_t)ticks * job->place.count;
}

static struct toll with (const struct levels *levels, struct toll toll,
                         size_t i)
{
    toll.set |= UINT64_C (1) << i;
    toll.n++;
    toll.lost += lost (levels->sched, &levels->sched->jobs[levels->tags[i]]);
    return toll;
}

static bool cheaper (const struct toll *a, const struct toll *b)
{
    if (!a->possible || !b->possible)
        return a->possible;
    return a->lost != b->lost ? a->lost < b->lost : a->n < b->n;
}

/* An owner of something that a place needs; false if he stays. */
static bool add_owner (const struct levels *levels, int owner,
                       struct toll *toll)
{
    for (size_t i = 0; i < levels->n; i++)
        if ((int)levels->tags[i] == owner) {
            if (!(toll->set >> i & 1))
                *toll = with (levels, *toll, i);
            return true;
        }
    return owner == NOBODY;
}

static struct toll toll_of_box (const struct levels *levels,
                                const tori_box *box, tori_wiring wiring)
{
    const struct naive *machine = levels->sched->machine;
    tori_placement place = {.nboxes = 1, .box = *box};
    struct toll toll = {.possible = true};
    int n = naive_links (machine, box, wiring, machine->scratch);
    if (n < 0)
        return (struct toll){0};
    for (uint32_t i = 0; i < machine->n && toll.possible; i++)
        if (tori_placement_contains (&place, machine->machine, i))
            toll.possible = !machine->nodes[i].down
                            && !machine->nodes[i].drained
                            && add_owner (levels, machine->nodes[i].owner,
                                          &toll);
    for (int i = 0; i < n && toll.possible; i++) {
        const struct naive_link *link = &machine->links[machine->scratch[i]];
        toll.possible = !link->down && add_owner (levels, link->owner, &toll);
    }
    return toll;
}

/* The jobs at the place of a suspended job. */
static struct toll toll_of_place (const struct levels *levels)
{
    const struct naive *machine = levels->sched->machine;
    const tori_placement *place = &levels->job->kept;
    struct toll toll = {.possible = true};
    if (place->nboxes)
        return toll_of_box (levels, &place->box, place->wiring);
    for (uint32_t i = 0; i < place->count && toll.possible; i++) {
        const struct naive_node *node = &machine->nodes[place->nodes[i]];
        toll.possible = !node->down && !node->drained
                        && add_owner (levels, node->owner, &toll);
    }
    return toll;
}

static struct toll least_for_box (const struct levels *levels)
{
    struct naive_boxes boxes = naive_boxes_of (levels->sched->machine,
                                               levels->request);
    struct toll least = {0};
    tori_box box;
    while (naive_boxes_next (&boxes, &box)) {
        struct toll toll = toll_of_box (levels, &box,
                                        levels->request->wiring);
        if (cheaper (&toll, &least))
            least = toll;
    }
    free (boxes.rotations);
    return least;
}

/* How many nodes come free when a job goes. */
static int64_t gives (const struct levels *levels, size_t i)
{
    const struct naive *machine = levels->sched->machine;
    int64_t n = 0;
    for (uint32_t k = 0; k < machine->n; k++)
        n += machine->nodes[k].owner == (int)levels->tags[i]
             && !machine->nodes[k].down && !machine->nodes[k].drained;
    return n;
}

/* The least set of the first `n` that gives so many nodes. */
static struct toll least_for_count (struct levels *levels, size_t n,
                                    int64_t nodes)
{
    struct toll least, other;
    if (nodes <= 0)
        return (struct toll){.possible = true};
    if (n == 0)
        return (struct toll){0};
    assert_true (nodes <= 64);
    if (levels->known[n][nodes])
        return levels->memo[n][nodes];
    least = least_for_count (levels, n - 1, nodes);
    other = least_for_count (levels, n - 1, nodes - gives (levels, n - 1));
    if (other.possible)
        other = with (levels, other, n - 1);
    if (cheaper (&other, &least))
        least = other;
    levels->known[n][nodes] = true;
    levels->memo[n][nodes] = least;
    return least;
}

/* Fill the model with all that run, and with what the job must keep clear
 * of. */
static void fill_barred (struct naive_sched *sched,
                         const struct naive_job *job)
{
    fill (sched, sched->now);
    for (size_t i = 0; i < sched->njobs; i++)
        if (meets (&sched->jobs[i], job, sched->now) && !job->suspended
            && goes_before (sched, &sched->jobs[i], job))
            naive_hold_place (sched->machine, &sched->jobs[i].reserved_place,
                              NAIVE_TAGS, true);
    hold_kept (sched, job, sched->now);
    for (uint32_t i = 0; job->spec.only && i < sched->machine->n; i++)
        if (!(*job->spec.only >> i & 1))
            sched->machine->nodes[i].owner = NAIVE_TAGS;
}

/* A start that was not fetched yet is no longer news. */
static bool retract (struct naive_sched *sched, uint64_t tag,
                     tori_decision_kind kind)
{
    size_t kept = sched->fetched, before = sched->nmade;
    for (size_t i = sched->fetched; i < sched->nmade; i++)
        if (sched->made[i].kind != kind || sched->made[i].tag != tag)
            sched->made[kept++] = sched->made[i];
    sched->nmade = kept;
    return kept < before;
}

static void say (struct naive_sched *sched, tori_decision_kind kind,
                 uint64_t tag, uint64_t by)
{
    decide (sched, kind, tag, NULL);
    sched->made[sched->nmade - 1].by = by;
}

/* It waits, and will take no other place. */
static void suspend (struct naive_sched *sched, uint64_t tag)
{
    struct naive_job *job = &sched->jobs[tag];
    tori_job_spec spec = job->spec;
    tori_time worked = sched->now - job->start - job->lost;
    tori_placement_clear (&job->kept);
    assert_int_equal (tori_placement_copy (&job->kept, &job->place, NULL), 0);
    if (worked > 0)
        spec.done += worked;
    job->suspended = true;
    reenter (sched, sched->now, tag, &spec);
}

static void send_away (struct naive_sched *sched, uint64_t tag, uint64_t by)
{
    tori_preempted fate = sched->jobs[tag].spec.preempted;
    bool unstarted = retract (sched, tag, TORI_START);
    bool unresumed = retract (sched, tag, TORI_RESUME);
    bool unmoved = (unstarted || unresumed)
                   && retract (sched, tag, TORI_MOVE);
    if (unstarted) {
        naive_sched_requeue (sched, sched->now, tag);
    } else if (fate == TORI_PREEMPTED_SUSPEND && !(unresumed && unmoved)) {
        if (!unresumed) {
            sched->jobs[tag].saved = saved_of (sched, &sched->jobs[tag]);
            say (sched, TORI_SUSPEND, tag, by);
        }
        suspend (sched, tag);
    } else if (fate == TORI_PREEMPTED_KILL && !(unresumed && unmoved)) {
        say (sched, TORI_KILL, tag, by);
        naive_sched_end (sched, sched->now, tag);
    } else {
        say (sched, TORI_REQUEUE, tag, by);
        naive_sched_requeue (sched, sched->now, tag);
    }
}

/* The victims have gone, and the job starts. */
static void take_over (struct naive_sched *sched, uint64_t tag,
                       const tori_placement *place)
{
    struct naive_job *job = &sched->jobs[tag];
    start (sched, tag, place);
    sched->made[sched->nmade - 1].least = true;
    for (size_t i = 0; sched->depth < 2 && i < sched->njobs; i++)
        if (meets (&sched->jobs[i], job, sched->now)
            && naive_share (sched->machine, place,
                            &sched->jobs[i].reserved_place))
            unreserve (sched, &sched->jobs[i]);
    sched->revise = true;
}

/* Whom the job has to send away for one of what it asks for, and its place
 * then. */
static bool choose (struct levels *levels, struct toll *ret_toll,
                    tori_placement *ret_place)
{
    struct naive_sched *sched = levels->sched;
    const tori_request *request = levels->request;
    bool count = request->shape.ndims == 0;
    fill_barred (sched, levels->job);
    if (levels->job->suspended)
        *ret_toll = toll_of_place (levels);
    else if (count)
        *ret_toll = least_for_count (
            levels, levels->n,
            (int64_t)request->count
                - (int64_t)naive_free_count (sched->machine));
    else
        *ret_toll = least_for_box (levels);
    for (size_t i = 0; i < levels->n; i++)
        if (ret_toll->set >> i & 1)
            naive_release (sched->machine, (int)levels->tags[i]);
    if (levels->job->suspended)
        return ret_toll->possible
               && tori_placement_copy (ret_place, &levels->job->kept, NULL)
                      == 0;
    return ret_toll->possible
           && naive_place (sched->machine,
                           count && sched->counts ? sched->counts
                                                  : sched->alloc,
                           request, ret_place);
}

static bool preempt (struct naive_sched *sched, uint64_t tag)
{
    bool found = false;
    for (size_t k = 0; !found && ask (sched, &sched->jobs[tag], k); k++) {
        struct levels *levels = make_array (1, sizeof *levels);
        tori_placement place = {0};
        struct toll toll;
        *levels = (struct levels){.sched = sched, .job = &sched->jobs[tag]};
        levels->request = ask (sched, levels->job, k);
        list_candidates (levels);
        found = choose (levels, &toll, &place);
        for (size_t i = 0; found && i < levels->n; i++)
            if (toll.set >> i & 1
                && naive_share (sched->machine, &place,
                                &sched->jobs[levels->tags[i]].place))
                send_away (sched, levels->tags[i], tag);
        if (found)
            take_over (sched, tag, &place);
        free (levels);
    }
    return found;
}

/* ---- making room ---- */

enum { ENOUGH = 20000, STEPS = 4096 };

struct makeroom {
    uint64_t tag, tags[NAIVE_TAGS];
    size_t n;
    tori_room_job list[NAIVE_TAGS];
    uint64_t barred[NAIVE_TAGS][NAIVE_TAGS / 64];
    tori_room room;
};

/* When it would start without moves. */
static tori_time start_of (struct naive_sched *sched,
                           const struct naive_job *job)
{
    tori_placement place = {0};
    tori_time t = next_time (sched, sched->now);
    if (sched->depth > 0)
        return job->reserved ? job->reserved_at : TORI_TIME_MAX;
    while (t < TORI_TIME_MAX && !place_shape (sched, job, t, &place))
        t = next_time (sched, t);
    tori_placement_clear (&place);
    return t;
}

/* The same job after a move now, with all its work saved. */
static struct naive_job after_move (const struct naive_sched *sched,
                                    const struct naive_job *job)
{
    struct naive_job after = *job;
    if (sched->now > job->start + job->lost)
        after.spec.done += sched->now - job->start - job->lost;
    after.start = sched->now;
    after.lost = sched->move;
    after.end = sched->now + length_of (&after) + sched->move;
    return after;
}

/* Those who run, by their ends. */
static void list_movers (const struct naive_sched *sched, struct makeroom *it)
{
    for (uint64_t i = 0; i < sched->njobs; i++) {
        size_t at = it->n;
        if (sched->jobs[i].phase != NAIVE_RUNNING)
            continue;
        for (; at > 0
               && ends_before (&sched->jobs[i],
                               &sched->jobs[it->tags[at - 1]]);
             at--)
            it->tags[at] = it->tags[at - 1];
        it->tags[at] = i;
        it->n++;
    }
    for (size_t i = 0; i < it->n; i++) {
        const struct naive_job *job = &sched->jobs[it->tags[i]];
        bar_all (sched, it->tags[i], after_move (sched, job).end, true,
                 it->barred[i]);
        it->list[i] = (tori_room_job){
            .place = &job->place,
            .stays = job->spec.flags & TORI_JOB_STAYS
                     || job->start == sched->now,
            .fixed = job->spec.request.fixed,
            .wrap = job->spec.request.wrap,
            .barred = it->barred[i]};
    }
    bar_all (sched, it->tag,
             sched->now + length_of (&sched->jobs[it->tag]), true,
             it->barred[it->n]);
}

/* If several are equally cheap, those that tori_room_make takes. */
static void ask_room (struct naive_sched *sched, struct makeroom *it)
{
    const tori_request *request = &sched->jobs[it->tag].spec.request;
    tori_state *state = state_of (sched);
    struct naive_least least;
    struct naive_room naive = {.naive = sched->machine,
                               .job = it->list,
                               .n = it->n,
                               .request = request,
                               .barred = it->barred[it->n],
                               .moves = SIZE_MAX,
                               .left = ENOUGH};
    assert_int_equal (
        tori_room_make (state, it->list, it->n, request,
                        TORI_ROOM (.steps = STEPS,
                                   .barred = it->barred[it->n]),
                        &it->room, NULL),
        0);
    empty (sched);
    for (size_t i = 0; i < it->n; i++)
        naive_hold_place (sched->machine, it->list[i].place, (int)i, true);
    if (it->n <= 6 && it->room.least && naive_moves (&naive, &least)) {
        assert_int_equal (least.found, it->room.found);
        assert_true (!least.found
                     || (least.weight == it->room.nodes
                         && least.jobs == it->room.n));
    }
    tori_state_destroy (state);
}

/* Whether a place until then has nothing of what is reserved. */
static bool off_promises (const struct naive_sched *sched,
                          const tori_placement *place, tori_time end)
{
    for (size_t i = 0; i < sched->njobs; i++)
        if (sched->jobs[i].reserved && sched->jobs[i].reserved_at < end
            && naive_share (sched->machine, place,
                            &sched->jobs[i].reserved_place))
            return false;
    return true;
}

static bool is_good (struct naive_sched *sched, const struct makeroom *it,
                     tori_time start)
{
    const struct naive_job *job = &sched->jobs[it->tag];
    double gains = (double)it->room.place.count
                   * (double)(start - sched->now);
    if (!it->room.found || it->room.n == 0
        || gains <= (double)it->room.nodes * (double)sched->move
        || !off_promises (sched, &it->room.place,
                          sched->now + length_of (job)))
        return false;
    for (size_t i = 0; i < it->room.n; i++) {
        const tori_room_move *move = &it->room.moves[i];
        if (!off_promises (sched, &move->to,
                           after_move (sched,
                                       &sched->jobs[it->tags[move->job]])
                               .end))
            return false;
    }
    return true;
}

static void carry_out (struct naive_sched *sched, struct makeroom *it)
{
    for (size_t i = 0; i < it->room.n; i++) {
        uint64_t tag = it->tags[it->room.moves[i].job];
        struct naive_job *job = &sched->jobs[tag];
        tori_time before = expected_end (sched, job);
        gain (sched, before);
        tori_placement_clear (&job->place);
        *job = after_move (sched, job);
        job->place = it->room.moves[i].to;
        it->room.moves[i].to = (tori_placement){0};
        drop_met (sched, job, before);
        decide (sched, TORI_MOVE, tag, &sched->jobs[tag].place);
        sched->made[sched->nmade - 1].by = it->tag;
    }
    start (sched, it->tag, &it->room.place);
    sched->made[sched->nmade - 1].least = it->room.least;
    it->room.place = (tori_placement){0};
    sched->revise = true;
}

static bool make_room (struct naive_sched *sched)
{
    uint64_t queue[NAIVE_TAGS];
    struct makeroom *it;
    struct naive_job *job;
    tori_placement place = {0};
    tori_time begin;
    bool good, had;
    if (!sched->moves || list_queue (sched, queue) == 0)
        return false;
    job = &sched->jobs[queue[0]];
    fill (sched, sched->now);
    if (job->spec.request.shape.ndims == 0 || job->suspended
        || (int64_t)naive_free_count (sched->machine) < nodes_of (sched, job))
        return false;
    if (place_job (sched, job, &place)) {
        tori_placement_clear (&place);
        return false;
    }
    it = make_array (1, sizeof *it);
    it->tag = queue[0];
    begin = start_of (sched, job);
    had = job->reserved;
    job->reserved = false; /* that is not in its way */
    list_movers (sched, it);
    ask_room (sched, it);
    good = is_good (sched, it, begin);
    job->reserved = had;
    if (good)
        carry_out (sched, it);
    tori_room_clear (&it->room);
    free (it);
    return good;
}

/* ---- suspended jobs ---- */

/* The suspended job that is next to continue after another, or NULL: by level,
 * then by the queue. */
static struct naive_job *next_suspended (struct naive_sched *sched,
                                         const struct naive_job *after)
{
    struct naive_job *next = NULL;
    for (size_t i = 0; i < sched->njobs; i++) {
        struct naive_job *job = &sched->jobs[i];
        if (job->phase == NAIVE_QUEUED && job->suspended && !job->aside
            && (!after || outranks (sched, after, job))
            && (!next || outranks (sched, job, next)))
            next = job;
    }
    return next;
}

/* The first time at which a suspended job can continue. */
static tori_time continues_at (struct naive_sched *sched,
                               const struct naive_job *job)
{
    for (tori_time t = sched->now; t < TORI_TIME_MAX;
         t = next_time (sched, t)) {
        fill (sched, t);
        if (naive_place_free (sched->machine, &job->kept)
            && off_kept (sched, job, t, &job->kept))
            return t;
    }
    return TORI_TIME_MAX;
}

/* The place of a suspended job is kept for it from then on; or not at all. */
static void keep_from (struct naive_sched *sched, struct naive_job *job,
                       tori_time from)
{
    bool held = from < TORI_TIME_MAX;
    if (held == job->held
        && (!held
            || (from == job->held_from
                && from + length_of (job) == job->held_until)))
        return;
    if (job->held)
        gain (sched, job->held_until);
    job->held = held;
    job->held_from = from;
    job->held_until = held ? from + length_of (job) : 0;
    sched->revise = true;
}

/* Suspended jobs continue if they can, one after another; else the place of
 * each is kept from the first time at which it can. Whether one took the place
 * of others. */
static bool continue_all (struct naive_sched *sched)
{
    struct naive_job *job = NULL;
    for (size_t i = 0; i < sched->njobs; i++)
        if (sched->jobs[i].phase != NAIVE_QUEUED || !sched->jobs[i].suspended
            || sched->jobs[i].aside)
            keep_from (sched, &sched->jobs[i], TORI_TIME_MAX);
    while ((job = next_suspended (sched, job)) != NULL) {
        tori_time from = continues_at (sched, job);
        uint64_t tag = job->spec.tag;
        tori_placement place = {0};
        if (from > sched->now) {
            keep_from (sched, job, from);
            if (job->spec.level > 0 && preempt (sched, tag))
                return true;
            continue;
        }
        keep_from (sched, job, TORI_TIME_MAX);
        assert_int_equal (tori_placement_copy (&place, &job->kept, NULL), 0);
        start (sched, tag, &place);
        sched->revise = true;
    }
    return false;
}

/* ---- plans that cannot be kept ---- */

/* Whether the reservation of a job can begin at t, beside those who run, the
 * windows and the reservations that there are. */
static bool can_begin (struct naive_sched *sched, const struct naive_job *job,
                       tori_time t)
{
    if (!by_shape (sched))
        return enough (sched, job, t);
    fill (sched, t);
    return naive_place_free (sched->machine, &job->reserved_place)
           && keeps_clear (sched, job, t, &job->reserved_place);
}

/* All reservations are taken back and given again in the order of the queue,
 * each at the first time, from its old one on, at which it can begin. */
static void put_off (struct naive_sched *sched)
{
    uint64_t queue[NAIVE_TAGS];
    bool had[NAIVE_TAGS];
    size_t n = list_queue (sched, queue);
    for (size_t i = 0; i < n; i++) {
        had[i] = sched->jobs[queue[i]].reserved;
        sched->jobs[queue[i]].reserved = false;
    }
    for (size_t i = 0; i < n; i++) {
        struct naive_job *job = &sched->jobs[queue[i]];
        tori_time t = job->reserved_at > sched->now ? job->reserved_at
                                                    : sched->now;
        if (!had[i])
            continue;
        while (t < TORI_TIME_MAX && !can_begin (sched, job, t))
            t = next_time (sched, t);
        job->reserved = true;
        if (t == job->reserved_at)
            continue;
        job->reserved_at = t;
        sched->revise = true;
        if (t < TORI_TIME_MAX)
            gain (sched, t + length_of (job));
        else
            unreserve (sched, job);
    }
}

static bool anyone_overdue (const struct naive_sched *sched)
{
    for (size_t i = 0; i < sched->njobs; i++)
        if (sched->jobs[i].phase == NAIVE_RUNNING
            && sched->jobs[i].end <= sched->now)
            return true;
    return false;
}

static bool anyone_suspended (const struct naive_sched *sched)
{
    for (size_t i = 0; i < sched->njobs; i++)
        if (sched->jobs[i].phase == NAIVE_QUEUED && sched->jobs[i].suspended)
            return true;
    return false;
}

enum walked { QUIET, STARTED, UPSET };

/* One walk over the queue: whether anybody started, or took the place of
 * others. */
static enum walked walk (struct naive_sched *sched, bool plan)
{
    uint64_t queue[NAIVE_TAGS];
    size_t n = list_queue (sched, queue), waiting = 0;
    enum walked walked = QUIET;
    for (size_t i = 0; i < n; i++) {
        struct naive_job *job = &sched->jobs[queue[i]];
        tori_placement place = {0};
        if (may_start (sched, job, &place)) {
            start (sched, queue[i], &place);
            if (job->spec.level > 0 && anyone_suspended (sched)) {
                sched->revise = true; /* others may be to continue there */
                return UPSET;
            }
            walked = STARTED;
            continue;
        }
        if (job->spec.level > 0 && preempt (sched, queue[i]))
            return UPSET;
        if (sched->stop_at_blocked)
            break;
        if (waiting++ < sched->depth
            && ((plan && sched->revise) || !job->reserved))
            reserve (sched, job);
    }
    return walked;
}

/* Jobs that take other requests from now on leave the queue, and enter it
 * again. */
static void review_patience (struct naive_sched *sched)
{
    for (size_t i = 0; i < sched->njobs; i++) {
        struct naive_job *job = &sched->jobs[i];
        bool queued = job->phase == NAIVE_QUEUED;
        if (job->phase == NAIVE_GONE
            || job->patient == is_patient (sched, job))
            continue;
        if (queued)
            naive_sched_end (sched, sched->now, i);
        job->patient = !job->patient;
        if (queued)
            enter (sched, job);
    }
}

/* Every job is asked, and planned, once; then all are asked again until none
 * can start. If a job takes the place of others, all that begins anew. */
void naive_sched_run (struct naive_sched *sched, tori_time now)
{
    bool plan = true, again;
    advance (sched, now);
    close_windows (sched);
    review_patience (sched);
    review (sched);
    if (anyone_overdue (sched) && sched->overdue < now) {
        sched->overdue = now;
        sched->revise = true;
    }
    do {
        enum walked walked;
        while (continue_all (sched))
            plan = true;
        if (sched->depth > 1)
            put_off (sched);
        walked = walk (sched, plan);
        again = plan || walked != QUIET;
        plan = walked == UPSET;
        if (!again)
            again = plan = make_room (sched);
    } while (again);
    sched->revise = false;
    sched->gain = now;
}
