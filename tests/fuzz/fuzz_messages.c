/* Files of messages for tori net: what is read is in the boxes that it is
 * for, in the order of time, and small ones are delivered. */
#include "fuzz.h"
#include "netjobs.h"

enum { MOST = 64, MOST_FLITS = 64, MOST_CYCLES = 4096 };

/* Whether sending them takes a moment. */
static bool check_job (const tori_machine *machine, const struct netjobs *jobs,
                       size_t i)
{
    const tori_traffic_job *job = &jobs->job[i];
    bool small = job->nlist <= MOST;
    for (size_t m = 0; m < job->nlist; m++) {
        const tori_traffic_message *message = &job->list[m];
        MUST (tori_box_contains (machine, &jobs->box[i], message->src));
        MUST (tori_box_contains (machine, &jobs->box[i], message->dst));
        MUST (message->flits > 0);
        MUST (m == 0 || message->time >= message[-1].time);
        small = small && message->flits <= MOST_FLITS
                && message->time <= MOST_CYCLES;
    }
    return small;
}

static void send (const tori_machine *machine, struct netjobs *jobs)
{
    tori_traffic_config config = {.size = sizeof config, .machine = machine,
                                  .jobs = jobs->job,
                                  .njobs = jobs->n,
                                  .net = &(tori_net_config){.size = sizeof (tori_net_config), .buffer = 4, .width = 1}};
    tori_traffic_result result;
    if (tori_traffic_run (&config, &result, NULL) < 0)
        return;
    for (size_t i = 0; i < jobs->n; i++)
        MUST (result.jobs[i].messages <= jobs->job[i].nlist);
    tori_traffic_clear (&result);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    const char *item[] = {"0,0/2x4", "2,0/2x3"};
    const struct strings boxes = {item, 2};
    struct fuzz_file file = fuzz_file (data, size);
    struct netjobs jobs;
    tori_machine *machine;
    tori_error err = {0};
    MUST (tori_machine_parse ("torus:4x4", &machine, NULL) == 0);
    MUST (netjobs_open (machine, &boxes, false, &jobs, NULL) == 0);
    for (size_t i = 0; i < jobs.n; i++)
        jobs.job[i].pattern = TORI_TRAFFIC_LIST;
    if (netjobs_read (&jobs, machine, file.path, &err) < 0) {
        fuzz_refused (&file, &err);
    } else {
        bool small = true;
        for (size_t i = 0; i < jobs.n; i++)
            small &= check_job (machine, &jobs, i);
        if (small)
            send (machine, &jobs);
    }
    netjobs_clear (&jobs);
    tori_machine_destroy (machine);
    fuzz_file_close (&file);
    return 0;
}
