/* Tables of jobs: what is accepted makes a workload in order, with requests
 * that the machine understands; a refusal says where and why. A table that is
 * accepted strictly is read alike otherwise. */
#include <tori/workload.h>

#include "fuzz.h"

static const tori_workload_options options = {
    .size = sizeof options,
    .shaping = TORI_SHAPE_COMPACT,
    .wiring = TORI_WIRE_MESH,
    .procs_per_node = 4,
};

static void check_job (const tori_workload *work, size_t i)
{
    const tori_work *job = &work->jobs[i];
    const int64_t owner[] = {job->owner.user, job->owner.group, job->owner.app,
                             job->owner.queue, job->owner.partition};
    MUST (job->id >= 0 && job->asked >= 1 && job->runtime >= 0);
    MUST (job->estimate >= job->runtime && job->submit >= 0);
    MUST (i == 0 || job->submit >= job[-1].submit);
    MUST (job->request.shape.ndims == 3 || job->request.shape.ndims == 0);
    MUST (job->request.shape.ndims == 3 || job->asked > 64);
    for (size_t k = 0; k < sizeof owner / sizeof *owner; k++)
        MUST (owner[k] >= -1);
}

static void check_labels (const tori_workload *work)
{
    for (size_t i = 0; i < work->nlabels; i++) {
        MUST (work->labels[i].field);
        MUST (!strpbrk (work->labels[i].text, "\r\n"));
    }
}

/* How many jobs, -1 if it was refused. */
static int64_t try (const uint8_t *data, size_t size,
                    const tori_machine *machine, bool strict)
{
    tori_workload_options own = options;
    tori_workload work;
    tori_swf_reader *reader;
    tori_error err;
    int64_t n = -1;
    own.strict = strict;
    if (tori_swf_open_memory (data, size, "log", &reader, &err) < 0)
        return -1;
    if (tori_workload_from_swf (reader, machine, &own, &work, &err) == 0) {
        n = (int64_t)work.n;
        for (size_t i = 0; i < work.n; i++)
            check_job (&work, i);
        check_labels (&work);
        tori_workload_clear (&work);
    } else {
        MUST (err.status == TORI_INVALID);
        MUST (strncmp (err.text, "log:", 4) == 0);
    }
    tori_swf_close (reader);
    return n;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    tori_machine *machine;
    uint8_t *copy = malloc (size + (size == 0));
    int64_t strict, n;
    MUST (copy && tori_machine_parse ("torus:4x4x4", &machine, NULL) == 0);
    if (size > 0)
        memcpy (copy, data, size);
    n = try (copy, size, machine, false);
    strict = try (copy, size, machine, true);
    MUST (strict < 0 || strict == n);
    tori_machine_destroy (machine);
    free (copy);
    return 0;
}
