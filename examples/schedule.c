/* schedule.c - drive the scheduler by hand.
 *
 *     cc schedule.c $(pkg-config --cflags --libs tori)
 *
 * The scheduler has no clock and starts nothing. A driver tells it what
 * happened and when, and carries out its decisions. This driver has its jobs
 * in a table and a clock that counts minutes.
 *
 * EASY keeps a place for the large job at the head of the queue. It lets the
 * small job pass, because that will have ended by then; the long job has to
 * wait. The first job runs longer than estimated, so the large job starts
 * later than planned. When a node fails under a job, the scheduler says which
 * job to kill. This driver then submits that job again.
 */
#include <stdio.h>

#include <tori/sched.h>

static struct job {
    const char *name;
    const char *shape;
    tori_time submit, runtime;
    tori_time estimate; /* if it is not the runtime */
    tori_job id;
    tori_time end; /* of a job that runs, otherwise 0 */
} jobs[] = {
    {.name = "first", .shape = "4x4x3", .runtime = 30, .estimate = 24},
    {.name = "large", .shape = "4x4x4", .submit = 5, .runtime = 20},
    {.name = "small", .shape = "2x2x1", .submit = 6, .runtime = 10},
    {.name = "long", .shape = "2x2x1", .submit = 7, .runtime = 60},
    {.name = "never", .shape = "5x5x5", .submit = 8, .runtime = 1},
};

enum { NJOBS = sizeof jobs / sizeof jobs[0] };

/* A node that fails for a while. */
enum { BROKEN = 5, FAILS = 60, REPAIRED = 80 };

static int submit (tori_sched *sched, tori_time now, struct job *job,
                   tori_error *err)
{
    tori_job_spec spec = {.size = sizeof spec, .tag = (uint64_t)(job - jobs)};
    spec.estimate = job->estimate ? job->estimate : job->runtime;
    if (tori_shape_parse (job->shape, &spec.request.shape, err) < 0)
        return -1;
    spec.request.count = (uint32_t)tori_shape_volume (&spec.request.shape);
    return tori_sched_submit (sched, now, &spec, &job->id, err);
}

/* Tell the scheduler what happens at this minute. */
static int report (tori_sched *sched, tori_time now, tori_error *err)
{
    for (size_t i = 0; i < NJOBS; i++)
        if (jobs[i].end > 0 && jobs[i].end == now) {
            printf ("%3d  %s ends\n", (int)now, jobs[i].name);
            jobs[i].end = 0;
            if (tori_sched_finish (sched, now, jobs[i].id, err) < 0)
                return -1;
        }
    for (size_t i = 0; i < NJOBS; i++)
        if (jobs[i].submit == now && submit (sched, now, &jobs[i], err) < 0)
            return -1;
    if (now == FAILS || now == REPAIRED)
        return tori_sched_set_down (sched, now, BROKEN, now == FAILS, err);
    return 0;
}

/* Do as the scheduler says. A killed job no longer holds anything, and its
 * number is void. It is up to the driver to submit it again. */
static int carry_out (tori_sched *sched, tori_time now,
                      const tori_decision *decision, tori_error *err)
{
    struct job *job = &jobs[decision->tag];
    char where[TORI_TEXT_MAX];
    switch (decision->kind) {
    case TORI_START:
        tori_box_format (&decision->place->box, where);
        printf ("%3d  %s starts at %s\n", (int)now, job->name, where);
        job->end = now + job->runtime;
        break;
    case TORI_REJECT:
        printf ("%3d  %s is rejected: %s\n", (int)now, job->name,
                decision->why);
        break;
    case TORI_KILL:
        printf ("%3d  %s is killed\n", (int)now, job->name);
        job->end = 0;
        return submit (sched, now, job, err);
    default: /* there is more that a driver may ask for */
        break;
    }
    return 0;
}

/* Print each waiting job whose planned start is new. */
static int tell_plans (tori_sched *sched, tori_time now, tori_error *err)
{
    static tori_time told[NJOBS];
    tori_job waiting[NJOBS];
    size_t n = tori_sched_queued_jobs (sched, waiting);
    for (size_t i = 0; i < n; i++) {
        const tori_placement *place;
        tori_job_info info = {.size = sizeof info};
        tori_time start;
        int planned = tori_sched_reservation (sched, waiting[i], &start,
                                              &place, err);
        if (planned < 0)
            return -1;
        if (!planned || !tori_sched_look (sched, waiting[i], &info)
            || told[info.tag] == start)
            continue;
        told[info.tag] = start;
        printf ("%3d  %s waits until %d at the latest\n", (int)now,
                jobs[info.tag].name, (int)start);
    }
    return 0;
}

/* One minute. A job that was submitted again needs another decision. */
static int minute (tori_sched *sched, tori_time now, tori_error *err)
{
    tori_decision decision = {.size = sizeof decision};
    bool any;
    if (report (sched, now, err) < 0)
        return -1;
    do {
        if (tori_sched_run (sched, now, err) < 0)
            return -1;
        for (any = false; tori_sched_next (sched, &decision); any = true)
            if (carry_out (sched, now, &decision, err) < 0)
                return -1;
    } while (any);
    return tell_plans (sched, now, err);
}

int main (void)
{
    tori_machine *machine = NULL;
    tori_sched *sched = NULL;
    tori_error err;
    int status = TORI_OK;
    if (tori_machine_parse ("torus:4x4x4", &machine, &err) < 0
        || tori_sched_create (machine,
                              TORI_SCHED ("easy", TORI_ALLOC ("first-fit")),
                              &sched, &err)
               < 0)
        goto fail;
    for (tori_time now = 0; now <= 150; now++)
        if (minute (sched, now, &err) < 0)
            goto fail;
    printf ("%zu queued, %zu running\n", tori_sched_queued (sched),
            tori_sched_running (sched));
    goto done;
fail:
    fprintf (stderr, "schedule: %s\n", err.text);
    status = err.status;
done:
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
    return status;
}
