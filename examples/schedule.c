/* schedule.c - drive the scheduler by hand.
 *
 *     cc schedule.c $(pkg-config --cflags --libs tori)
 *
 * The scheduler has no clock and starts nothing: a driver tells it what
 * happened and when, and carries out what it decides. This driver has its
 * jobs in a table and a clock that counts minutes. EASY keeps a place for the
 * large job at the head of the queue and lets the small one pass it, because
 * it will have ended by then; the long one has to wait.
 */
#include <stdio.h>

#include <tori/sched.h>

static struct job {
    const char *name;
    const char *shape;
    tori_time submit, runtime;
    tori_job id;
    tori_time end; /* of a job that runs, otherwise 0 */
} jobs[] = {
    {.name = "first", .shape = "4x4x3", .submit = 0, .runtime = 30},
    {.name = "large", .shape = "4x4x4", .submit = 5, .runtime = 20},
    {.name = "small", .shape = "2x2x1", .submit = 6, .runtime = 10},
    {.name = "long", .shape = "2x2x1", .submit = 7, .runtime = 60},
    {.name = "never", .shape = "5x5x5", .submit = 8, .runtime = 1},
};

enum { NJOBS = sizeof jobs / sizeof jobs[0] };

/* Tell the scheduler what happens at this minute. */
static int report (tori_sched *sched, tori_time now, tori_error *err)
{
    for (size_t i = 0; i < NJOBS; i++)
        if (jobs[i].end > 0 && jobs[i].end == now) {
            printf ("%3d  %s ends\n", (int)now, jobs[i].name);
            if (tori_sched_finish (sched, now, jobs[i].id, err) < 0)
                return -1;
        }
    for (size_t i = 0; i < NJOBS; i++) {
        tori_job_spec spec = {.estimate = jobs[i].runtime, .tag = i};
        if (jobs[i].submit != now)
            continue;
        if (tori_shape_parse (jobs[i].shape, &spec.request.shape, err) < 0)
            return -1;
        spec.request.count
            = (uint32_t)tori_shape_volume (&spec.request.shape);
        if (tori_sched_submit (sched, now, &spec, &jobs[i].id, err) < 0)
            return -1;
    }
    return 0;
}

/* Have it decide, and do as it says. */
static int carry_out (tori_sched *sched, tori_time now, tori_error *err)
{
    tori_decision decision;
    char where[TORI_TEXT_MAX];
    if (tori_sched_run (sched, now, err) < 0)
        return -1;
    while (tori_sched_next (sched, &decision)) {
        struct job *job = &jobs[decision.tag];
        switch (decision.kind) {
        case TORI_START:
            tori_box_format (&decision.place->box, where);
            printf ("%3d  %s starts at %s\n", (int)now, job->name, where);
            job->end = now + job->runtime;
            break;
        case TORI_REJECT:
            printf ("%3d  %s is rejected: %s\n", (int)now, job->name,
                    decision.why);
            break;
        case TORI_KILL: /* no node goes down here */
            break;
        }
    }
    return 0;
}

int main (void)
{
    tori_machine *machine = NULL;
    tori_sched *sched = NULL;
    tori_error err;
    int status = TORI_OK;
    if (tori_machine_parse ("torus:4x4x4", &machine, &err) < 0
        || tori_sched_create (machine, "easy", TORI_ORDER_SUBMIT, "first-fit",
                              &sched, &err)
               < 0)
        goto fail;
    for (tori_time now = 0; now <= 120; now++)
        if (report (sched, now, &err) < 0 || carry_out (sched, now, &err) < 0)
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
