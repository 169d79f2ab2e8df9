#include "simstream.h"

#include "support.h"

void workload_of (const struct stream *stream, tori_workload *work)
{
    *work = (tori_workload){.n = stream->njobs};
    work->jobs = make_array (work->n, sizeof *work->jobs);
    for (size_t i = 0; i < work->n; i++) {
        const struct stream_job *from = &stream->jobs[i];
        tori_work *to = &work->jobs[i];
        to->id = (int64_t)i;
        to->submit = from->submit * TORI_SECOND;
        to->runtime = from->runtime * TORI_SECOND;
        to->estimate = from->estimate * TORI_SECOND;
        to->request = from->request;
        to->asked = from->request.count;
        if (i % 3 == 0 && to->asked > 1)
            to->asked--; /* the request was rounded up */
    }
}
