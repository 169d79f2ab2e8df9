/* jobs.c - the jobs that there are: their numbers, what is known of each, and
 * the list of those that run. */
#include <string.h>

#include "array.h"
#include "ask.h"
#include "core.h"

/* ---- numbers ---- */

/* A message about a job that is gone may come late. It must not hit another,
 * so a number rests as long as so many others that came free after it. */
enum { RESTING = 1024 };

static bool rested (const tori_sched *sched)
{
    return sched->nvacant > RESTING;
}

int jobs_room (tori_sched *sched, tori_error *err)
{
    struct job *more;
    if (rested (sched))
        return 0;
    more = array_room (sched->jobs, &sched->jobs_room, sched->njobs + 1,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    sched->jobs = more;
    return 0;
}

/* A number that was no job's before has itself behind it in the line. */
static tori_job take_number (tori_sched *sched)
{
    tori_job job = sched->vacant;
    if (!rested (sched)) {
        job = (tori_job)sched->njobs++;
        sched->jobs[job].next_vacant = job;
        return job;
    }
    sched->vacant = sched->jobs[job].next_vacant;
    sched->nvacant--;
    return job;
}

/* The reverse, before any other is taken or comes free. */
static void put_back (tori_sched *sched, tori_job job)
{
    if (sched->jobs[job].next_vacant == job) {
        sched->njobs--;
        return;
    }
    sched->vacant = job;
    sched->nvacant++;
}

/* A number that comes free goes to the end of the line. */
void jobs_vacate (tori_sched *sched, tori_job number)
{
    sched->jobs[number].phase = VACANT;
    if (sched->nvacant++ == 0)
        sched->vacant = number;
    else
        sched->jobs[sched->last_vacant].next_vacant = number;
    sched->last_vacant = number;
}

/* ---- what is known ---- */

int jobs_check (const tori_job_spec *spec, tori_error *err)
{
    if (spec->estimate < 0)
        return tori_error_set (err, TORI_INVALID, "negative estimate");
    return request_check (&spec->request, err);
}

/* One that is not rejected asks for no more than the machine has. */
static uint32_t asked_for (const tori_request *request)
{
    uint64_t asked = alloc_asked (request);
    return asked < UINT32_MAX ? (uint32_t)asked : UINT32_MAX;
}

tori_job jobs_add (tori_sched *sched, const tori_job_spec *spec,
                   uint32_t class)
{
    tori_job number = take_number (sched);
    struct job *job = &sched->jobs[number];
    *job = (struct job){
        .phase = QUEUED,
        .class = class,
        .asked = asked_for (&spec->request),
        .number = sched->submissions,
        .tag = spec->tag,
        .estimate = spec->estimate,
        .length = spec->estimate > 0 ? spec->estimate : 1,
        .next_vacant = job->next_vacant,
    };
    return number;
}

void jobs_take_back (tori_sched *sched, tori_job number)
{
    sched->jobs[number].phase = VACANT;
    put_back (sched, number);
}

static int64_t order_key (const tori_sched *sched, const struct class *class,
                          tori_time estimate)
{
    switch (sched->order) {
    case TORI_ORDER_SHORTEST:
        return estimate;
    case TORI_ORDER_SMALLEST:
        return class->nodes;
    case TORI_ORDER_LARGEST:
        return -class->nodes;
    default:
        return 0;
    }
}

struct entry jobs_entry (const tori_sched *sched, tori_job number)
{
    const struct job *job = &sched->jobs[number];
    const struct class *class = class_of (sched, job->class);
    return (struct entry){.key = order_key (sched, class, job->estimate),
                          .number = job->number,
                          .length = job->length,
                          .class = job->class,
                          .job = number};
}

/* ---- those that run ---- */

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

/* Among those that end at the same time the latest start goes last. */
void running_insert (tori_sched *sched, tori_job number,
                     tori_placement *held, tori_time start)
{
    struct job *job = &sched->jobs[number];
    tori_time end = time_add (start, job->length);
    size_t at = find_running (sched, end);
    while (at < sched->nrunning && sched->running[at].end == end)
        at++;
    memmove (sched->running + at + 1, sched->running + at,
             (sched->nrunning - at) * sizeof *sched->running);
    sched->running[at] = (struct running){end, number};
    sched->nrunning++;
    job->phase = RUNNING;
    job->place = held;
    job->start = start;
    job->end = end;
}

void running_remove (tori_sched *sched, tori_job job)
{
    size_t at = find_running (sched, sched->jobs[job].end);
    while (sched->running[at].job != job)
        at++;
    sched->nrunning--;
    memmove (sched->running + at, sched->running + at + 1,
             (sched->nrunning - at) * sizeof *sched->running);
}
