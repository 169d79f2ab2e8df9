/* metrics.c - numbers for Prometheus. */
#include <stdio.h>

#include "api.h"

bool get_metrics (struct asking *a)
{
    const tori_state *state
        = tori_sched_state (service_sched (a->torid->service));
    size_t counts[3];
    char *text = NULL;
    service_count (a->torid->service, counts);
    if (asprintf (
        &text,
        "# TYPE tori_jobs gauge\n"
        "tori_jobs{state=\"queued\"} %zu\n"
        "tori_jobs{state=\"running\"} %zu\n"
        "# TYPE tori_nodes gauge\n"
        "tori_nodes{state=\"all\"} %u\n"
        "tori_nodes{state=\"free\"} %u\n"
        "# TYPE tori_commits counter\n"
        "tori_commits_total %llu\n"
        "# TYPE tori_commit_seconds counter\n"
        "tori_commit_seconds_total %.6f\n"
        "# EOF\n",
        counts[0], counts[1], tori_machine_nodes (a->torid->machine),
        tori_state_free_count (state),
        (unsigned long long)a->torid->commits, a->torid->fsync_sum)
        < 0)
        text = NULL;
    reply_text (a, 200,
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
                text);
    return true;
}
