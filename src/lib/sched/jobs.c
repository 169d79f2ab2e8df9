/* jobs.c - the jobs: their numbers, their data, and the list of running
 * jobs. */
#include <inttypes.h>
#include <string.h>

#include "array.h"
#include "ask.h"
#include "bits.h"
#include "core.h"
#include "sized.h"

/* ---- slots and numbers ---- */

int jobs_room (tori_sched *sched, tori_error *err)
{
    struct job *more;
    if (sched->vacant != NO_SLOT)
        return 0;
    more = array_room (sched->jobs, &sched->jobs_room, sched->njobs + 1,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    sched->jobs = more;
    return numbers_room (&sched->numbers, sched->njobs + 1, err);
}

static job_slot take_slot (tori_sched *sched)
{
    job_slot slot = sched->vacant;
    if (slot == NO_SLOT)
        return (job_slot)sched->njobs++;
    sched->vacant = sched->jobs[slot].next_vacant;
    return slot;
}

/* For a job with patience: its class at another time. */
static uint32_t other_class (const struct job *job)
{
    return home_of (job) == job->first ? job->all : job->first;
}

void jobs_vacate (tori_sched *sched, job_slot slot)
{
    struct job *job = &sched->jobs[slot];
    if (job->patience)
        class_of (sched, other_class (job))->members--;
    job->patience = 0;
    numbers_remove (&sched->numbers, job->number);
    job->next_vacant = sched->vacant;
    sched->vacant = slot;
}

void jobs_take_back (tori_sched *sched, job_slot slot)
{
    jobs_vacate (sched, slot);
    sched->next_number--;
}

job_slot jobs_in_phase (const tori_sched *sched, tori_job number,
                        enum phase phase)
{
    job_slot slot = numbers_find (&sched->numbers, number);
    return slot != NO_SLOT && sched->jobs[slot].phase == phase ? slot
                                                               : NO_SLOT;
}

/* ---- descriptions ---- */

static int check_level (const tori_sched *sched, const tori_job_spec *spec,
                        tori_error *err)
{
    if (!tori_preempted_name (spec->preempted))
        return tori_error_set (err, TORI_INVALID,
                               "there is no fate %u of the preempted",
                               (unsigned)spec->preempted);
    if (spec->level > 0 && !sched->placed)
        return tori_error_set (err, TORI_INVALID,
                               "a preemption tier of a job in a scheduler that "
                               "plans numbers of nodes, not places");
    return 0;
}

static int prepare_request (const tori_sched *sched,
                            const tori_request *request,
                            struct prepared *ret_prepared, tori_error *err)
{
    if (alloc_prepare (alloc_for (sched, request), request, ret_prepared, err)
        < 0)
        return -1;
    if (!request->fixed) /* all rotations are one class */
        tori_shape_sort (&ret_prepared->request.shape);
    return 0;
}

static int check_alternatives (const tori_sched *sched,
                               const tori_job_spec *spec, tori_error *err)
{
    if (spec->nalternatives > TORI_MAX_ALTERNATIVES)
        return tori_error_set (err, TORI_INVALID,
                               "more than %d alternatives",
                               TORI_MAX_ALTERNATIVES);
    if ((spec->nalternatives > 0 || spec->only) && !sched->placed)
        return tori_error_set (err, TORI_INVALID,
                               "%s in a scheduler that reserves numbers of "
                               "nodes, not places",
                               spec->only ? "a set of nodes"
                                          : "alternatives");
    return 0;
}

/* All requests that are possible; if none is, the first. Without the first, or
 * without others, there is nothing to be patient for. */
static int read_wish (const tori_sched *sched, tori_job_spec *spec,
                      struct wish *wish, tori_error *err)
{
    wish->n = 0;
    wish->only = spec->only;
    wish->words = bits_words (tori_machine_nodes (sched->machine));
    if (check_alternatives (sched, spec, err) < 0)
        return -1;
    for (size_t i = 0; i <= spec->nalternatives; i++) {
        struct prepared *it = &wish->all[wish->n];
        if (prepare_request (sched,
                             i ? &spec->alternatives[i - 1] : &spec->request,
                             it, err)
            < 0)
            return -1;
        if (i == 0 && it->never)
            spec->patience = 0;
        wish->n += !it->never;
    }
    if (wish->n <= 1)
        spec->patience = 0;
    if (wish->n > 0)
        return 0;
    wish->n = 1;
    return prepare_request (sched, &spec->request, &wish->all[0], err);
}

int jobs_read (const tori_sched *sched, const tori_job_spec *spec,
               struct submission *ret_submission, tori_error *err)
{
    tori_job_spec *own = &ret_submission->spec;
    if (SIZED_COPY (tori_job_spec, own, spec, err) < 0)
        return -1;
    if (own->estimate < 0)
        return tori_error_set (err, TORI_INVALID, "negative estimate");
    if (own->checkpoint < 0 || own->done < 0)
        return tori_error_set (err, TORI_INVALID, "negative %s",
                               own->done < 0 ? "work done" : "checkpoint");
    if (own->lost < 0)
        return tori_error_set (err, TORI_INVALID, "negative time lost");
    if (own->waited < 0)
        return tori_error_set (err, TORI_INVALID, "negative time waited");
    if (own->patience < 0)
        return tori_error_set (err, TORI_INVALID, "negative patience");
    if (own->earliest < 0)
        return tori_error_set (err, TORI_INVALID,
                               "an earliest start before time 0");
    if (!tori_hold_name (own->hold))
        return tori_error_set (err, TORI_INVALID, "there is no hold %u",
                               (unsigned)own->hold);
    if (check_level (sched, own, err) < 0)
        return -1;
    if (own->flags & ~(uint32_t)(TORI_JOB_REQUEUE | TORI_JOB_REPAIR
                                  | TORI_JOB_STAYS))
        return tori_error_set (err, TORI_INVALID,
                               "a job has no flags %#" PRIx32, own->flags);
    return read_wish (sched, own, &ret_submission->wish, err);
}

/* The turn of a new job: the one that it had elsewhere, or the last of all. */
static uint64_t take_turn (tori_sched *sched, uint64_t turn)
{
    if (turn == 0)
        return ++sched->last_turn;
    if (turn > sched->last_turn)
        sched->last_turn = turn;
    return turn;
}

/* A job that is not rejected asks for at most the nodes of the machine. */
job_slot jobs_add (tori_sched *sched, const struct submission *submission,
                   uint32_t class)
{
    const tori_job_spec *spec = &submission->spec;
    uint64_t asked = submission->wish.all[0].asked;
    job_slot slot = take_slot (sched);
    sched->jobs[slot] = (struct job){
        .phase = QUEUED,
        .class = class,
        .asked = asked < UINT32_MAX ? (uint32_t)asked : UINT32_MAX,
        .number = sched->next_number,
        .tag = spec->tag,
        .turn = take_turn (sched, spec->turn),
        .priority = spec->priority,
        .key = submission->key,
        .submit = submission->submit,
        .flags = spec->flags,
        .hold = spec->hold,
        .earliest = spec->earliest,
        .patience = spec->patience,
        .first = submission->first,
        .all = submission->all,
        .level = spec->level,
        .preempted = spec->preempted,
        .checkpoint = spec->checkpoint,
        .done = spec->done,
        .lost = spec->lost,
    };
    jobs_set_length (&sched->jobs[slot], spec->estimate);
    if (spec->patience)
        class_of (sched, other_class (&sched->jobs[slot]))->members++;
    patience_note (sched, &sched->jobs[slot]);
    numbers_add (&sched->numbers, sched->next_number++, slot);
    return slot;
}

void jobs_set_length (struct job *job, tori_time estimate)
{
    job->estimate = estimate;
    job->length = job_length (estimate, job->done);
}

tori_time jobs_saved (const tori_sched *sched, const struct job *job)
{
    tori_time ran = sched->now - job->start - job->lost;
    return job->checkpoint && ran > 0
               ? time_add (job->done, ran - ran % job->checkpoint)
               : job->done;
}

tori_time jobs_worked (const tori_sched *sched, const struct job *job)
{
    tori_time ran = sched->now - job->start - job->lost;
    return ran > 0 ? time_add (job->done, ran) : job->done;
}

tori_time jobs_kept (const tori_sched *sched, const struct job *job)
{
    return sched->flags & TORI_SCHED_RESTARTS ? jobs_saved (sched, job)
                                              : jobs_worked (sched, job);
}

static int64_t key_of (const tori_sched *sched, const struct class *class,
                       const struct job *job)
{
    if (sched->own_order)
        return job->key;
    switch (sched->order) {
    case TORI_ORDER_SHORTEST:
        return job->estimate;
    case TORI_ORDER_SMALLEST:
        return class->nodes;
    case TORI_ORDER_LARGEST:
        return -class->nodes;
    default:
        return 0;
    }
}

struct entry jobs_entry (const tori_sched *sched, job_slot slot)
{
    const struct job *job = &sched->jobs[slot];
    const struct class *class = class_of (sched, home_of (job));
    return (struct entry){.key = key_of (sched, class, job),
                          .turn = job->turn,
                          .priority = job->priority,
                          .length = job->length,
                          .class = job->class,
                          .job = slot};
}

/* ---- running jobs ---- */

int running_room (tori_sched *sched, tori_error *err)
{
    struct running *more = array_room (
        sched->running, &sched->running_room, sched->nrunning + 1,
        sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    sched->running = more;
    return 0;
}

/* The first running job that ends at or after `end`. */
static size_t find_running (const tori_sched *sched, tori_time end)
{
    size_t low = 0, high = sched->nrunning;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sched->running[middle].end < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool started_before (const struct job *a, const struct job *b)
{
    return a->start != b->start ? a->start < b->start : a->turn < b->turn;
}

/* Among jobs that end at the same time the latest start goes last. */
static size_t place_running (const tori_sched *sched, const struct job *job)
{
    size_t at = find_running (sched, job->end);
    while (at < sched->nrunning && sched->running[at].end == job->end
           && started_before (&sched->jobs[sched->running[at].job], job))
        at++;
    return at;
}

static void list_running (tori_sched *sched, job_slot slot)
{
    struct job *job = &sched->jobs[slot];
    size_t at;
    job->end = time_add (time_add (job->start, job->length), job->lost);
    at = place_running (sched, job);
    memmove (sched->running + at + 1, sched->running + at,
             (sched->nrunning - at) * sizeof *sched->running);
    sched->running[at] = (struct running){job->end, slot};
    sched->nrunning++;
}

void running_insert (tori_sched *sched, job_slot slot, tori_placement *held,
                     tori_time start)
{
    struct job *job = &sched->jobs[slot];
    job->phase = RUNNING;
    job->place = held;
    job->start = start;
    list_running (sched, slot);
}

void running_set_length (tori_sched *sched, job_slot slot, tori_time estimate)
{
    running_remove (sched, slot);
    jobs_set_length (&sched->jobs[slot], estimate);
    list_running (sched, slot);
}

void running_delay (tori_sched *sched, job_slot slot, tori_time lost)
{
    struct job *job = &sched->jobs[slot];
    running_remove (sched, slot);
    job->lost = time_add (job->lost, lost);
    list_running (sched, slot);
}

void running_remove (tori_sched *sched, job_slot job)
{
    size_t at = find_running (sched, sched->jobs[job].end);
    while (sched->running[at].job != job)
        at++;
    sched->nrunning--;
    memmove (sched->running + at, sched->running + at + 1,
             (sched->nrunning - at) * sizeof *sched->running);
}
