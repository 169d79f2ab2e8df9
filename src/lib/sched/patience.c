/* patience.c - jobs that wait for their first request for a while, and then
 * take their alternatives, too.
 *
 * Such a job has two classes: that of its first request, and that of all of
 * them. Only the time decides which one counts, whether the job waits or runs.
 * So a scheduler that takes over from another has nothing else to know. */
#include "core.h"

/* When a job has run out of patience that was submitted then. */
static tori_time end_of (tori_time submit, tori_time earliest,
                         tori_time patience)
{
    return time_add (submit > earliest ? submit : earliest, patience);
}

tori_time patience_end (const struct job *job)
{
    return end_of (job->submit, job->earliest, job->patience);
}

/* Find both classes. The first must not go when the second is made. */
static int find_both (struct classes *classes, struct submission *own,
                      tori_error *err)
{
    struct wish *wish = &own->wish;
    size_t n = wish->n;
    int status;
    if (classes_find (classes, wish, &own->all, err) < 0)
        return -1;
    classes->all[own->all].members++;
    wish->n = 1;
    status = classes_find (classes, wish, &own->first, err);
    wish->n = n;
    classes->all[own->all].members--;
    return status;
}

int patience_find (tori_sched *sched, tori_time now, struct submission *own,
                   uint32_t *ret_class, tori_error *err)
{
    const tori_job_spec *spec = &own->spec;
    if (spec->patience == 0)
        return classes_find (&sched->classes, &own->wish, ret_class, err);
    if (find_both (&sched->classes, own, err) < 0)
        return -1;
    *ret_class = end_of (now - spec->waited, spec->earliest, spec->patience)
                         > now
                     ? own->first
                     : own->all;
    return 0;
}

void patience_note (tori_sched *sched, const struct job *job)
{
    if (job->patience && patience_end (job) < sched->impatient)
        sched->impatient = patience_end (job);
}

tori_time patience_wake (const tori_sched *sched)
{
    tori_time first = TORI_TIME_MAX;
    if (sched->impatient == TORI_TIME_MAX)
        return first;
    for (size_t i = 0; i < sched->njobs; i++) {
        const struct job *job = &sched->jobs[i];
        if (job->patience && job->phase == QUEUED && !job->hold
            && home_of (job) == job->first && patience_end (job) < first)
            first = patience_end (job);
    }
    return first;
}

/* ---- when it ends ---- */

/* Make a class that of a job, which is in no list if it waits. */
static void set_class (tori_sched *sched, struct job *job, uint32_t class,
                       int64_t key)
{
    class_of (sched, home_of (job))->urgent -= job->level > 0;
    class_of (sched, class)->urgent += job->level > 0;
    if (job->suspended)
        job->home = class;
    else
        job->class = class;
    job->key = key;
}

static int change_class (tori_sched *sched, job_slot slot, uint32_t class,
                         tori_error *err)
{
    struct job *job = &sched->jobs[slot];
    uint32_t waits_in = job->suspended ? job->class : class;
    int64_t key;
    if (order_key (sched, job, class, job->estimate, sched->now, &key, err) < 0
        || ineligible_weigh (sched, waits_in, err) < 0
        || sched_enqueue_room (sched, waits_in, 1, err) < 0)
        return -1;
    if (job->phase == RUNNING) {
        set_class (sched, job, class, key);
        return 0;
    }
    sched_dequeue (sched, slot);
    set_class (sched, job, class, key);
    sched_changed (sched);
    return sched_enqueue (sched, slot, err);
}

/* The class that a job with patience has now. */
static uint32_t class_now (const tori_sched *sched, const struct job *job)
{
    return patience_end (job) <= sched->now ? job->all : job->first;
}

/* The first job, by its turn, whose class is to change, or NO_SLOT. */
static job_slot next_change (tori_sched *sched)
{
    job_slot first = NO_SLOT;
    sched->impatient = TORI_TIME_MAX;
    for (size_t i = 0; i < sched->njobs; i++) {
        const struct job *job = &sched->jobs[i];
        if (!job->patience)
            continue;
        if (home_of (job) == class_now (sched, job)) {
            if (patience_end (job) > sched->now)
                patience_note (sched, job);
        } else if (first == NO_SLOT || job->turn < sched->jobs[first].turn) {
            first = (job_slot)i;
        }
    }
    return first;
}

int patience_review (tori_sched *sched, tori_error *err)
{
    job_slot slot;
    if (sched->now < sched->impatient)
        return 0;
    while ((slot = next_change (sched)) != NO_SLOT)
        if (change_class (sched, slot, class_now (sched, &sched->jobs[slot]),
                          err)
            < 0) {
            sched->impatient = sched->now;
            return -1;
        }
    return 0;
}
