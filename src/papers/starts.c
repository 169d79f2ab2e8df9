#include "starts.h"

#include <stdlib.h>

int starts_init (struct starts *starts, const tori_machine *machine,
                 const tori_workload *workload, tori_error *err)
{
    *starts = (struct starts){
        .machine = machine,
        .workload = workload,
        .start = calloc (workload->n + 1, sizeof *starts->start),
    };
    return starts->start ? 0 : tori_error_nomem (err);
}

void starts_clear (struct starts *starts)
{
    free (starts->start);
    *starts = (struct starts){0};
}

static uint32_t last_node (const tori_machine *machine, const tori_box *box)
{
    uint32_t coords[TORI_MAX_DIMS];
    for (int i = 0; i < box->shape.ndims; i++)
        coords[i] = box->origin[i] + box->shape.size[i] - 1;
    return tori_machine_id (machine, coords);
}

int starts_add (void *arg, const tori_sim_job *job, tori_error *err)
{
    struct starts *starts = arg;
    const tori_box *box = &job->place->box;
    starts->start[starts->n++] = (struct start){
        .job = (size_t)(job->work - starts->workload->jobs),
        .time = job->start,
        .first = tori_machine_id (starts->machine, box->origin),
        .last = last_node (starts->machine, box),
    };
    return 0;
}

static bool is_same_start (const struct start *a, const struct start *b)
{
    return a->job == b->job && a->time == b->time && a->first == b->first
           && a->last == b->last;
}

size_t starts_differ (const struct starts *a, const struct starts *b)
{
    size_t n = a->n < b->n ? a->n : b->n;
    for (size_t i = 0; i < n; i++)
        if (!is_same_start (&a->start[i], &b->start[i]))
            return i;
    return a->n == b->n ? SIZE_MAX : n;
}
