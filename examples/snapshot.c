/* snapshot.c - a scheduler as a value: taken, written, read and continued.
 *
 *     cc snapshot.c $(pkg-config --cflags --libs tori)
 *
 * A snapshot has all that a scheduler knows. A second scheduler, made from the
 * text of the first one's snapshot, goes on as the first would have.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tori/snapshot.h>
#include <tori/workload.h>

static int submit (tori_sched *sched, uint64_t tag, const char *shape,
                   tori_time estimate, tori_error *err)
{
    tori_job_spec spec = {.size = sizeof spec, .tag = tag};
    tori_job job;
    spec.estimate = estimate * TORI_SECOND;
    if (tori_shape_parse (shape, &spec.request.shape, err) < 0)
        return -1;
    spec.request.count = (uint32_t)tori_shape_volume (&spec.request.shape);
    return tori_sched_submit (sched, 0, &spec, &job, err);
}

/* Print what a scheduler starts at a time. */
static int run (tori_sched *sched, tori_time now, tori_error *err)
{
    tori_decision decision = {.size = sizeof decision};
    if (tori_sched_run (sched, now, err) < 0)
        return -1;
    while (tori_sched_next (sched, &decision))
        if (decision.kind == TORI_START) {
            char where[TORI_TEXT_MAX];
            tori_box_format (&decision.place->box, where);
            printf ("job %d starts at %s\n", (int)decision.tag, where);
        }
    return 0;
}

/* Make a scheduler from a text; the machine belongs to the snapshot. */
static int go_on (const char *text, size_t size, tori_error *err)
{
    tori_snapshot *snapshot;
    tori_sched *sched;
    tori_job first;
    int status = -1;
    if (tori_snapshot_parse (text, size, "the text", &snapshot, err) < 0)
        return -1;
    printf ("%zu running, %zu waiting\n", snapshot->nrunning,
            snapshot->nqueued);
    if (tori_snapshot_sched (snapshot, NULL, &sched, err) == 0) {
        status = tori_sched_running_jobs (sched, &first) == 1
                         && tori_sched_finish (sched, 60 * TORI_SECOND, first,
                                               err)
                                == 0
                     ? run (sched, 60 * TORI_SECOND, err)
                     : -1;
        tori_sched_destroy (sched);
    }
    tori_snapshot_destroy (snapshot);
    return status;
}

int main (void)
{
    tori_machine *machine = NULL;
    tori_sched *sched = NULL;
    tori_snapshot *snapshot = NULL;
    char *text = NULL;
    size_t size;
    tori_error err = {.status = TORI_OK};
    if (tori_machine_parse ("torus:4x4x4", &machine, &err) < 0
        || tori_sched_create (machine,
                              TORI_SCHED ("easy", TORI_ALLOC ("first-fit")),
                              &sched, &err)
               < 0
        || submit (sched, 1, "4x4x3", 60, &err) < 0
        || submit (sched, 2, "4x4x4", 60, &err) < 0
        || run (sched, 0, &err) < 0
        || tori_snapshot_take (sched, &snapshot, &err) < 0
        || tori_snapshot_format (snapshot, &text, &size, &err) < 0
        || go_on (text, size, &err) < 0)
        fprintf (stderr, "snapshot: %s\n", err.text);
    free (text);
    tori_snapshot_destroy (snapshot);
    tori_sched_destroy (sched);
    tori_machine_destroy (machine);
    return (int)err.status;
}
