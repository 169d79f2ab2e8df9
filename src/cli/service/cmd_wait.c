/* tori wait - wait until jobs of a running torid have ended. */
#include <time.h>
#include <unistd.h>

#include "http_client.h"
#include "commands.h"
#include "duration.h"
#include "livefields.h"
#include "jobs.h"
#include "jobwait.h"

struct values {
    const char *socket;
    struct strings ids;
    tori_time patience;
    bool json;
};

static const struct option options[] = {
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_PATIENCE (struct values),
    OPTION_ROW_JSON (struct values),
    OPTION_ROW_IDS (struct values),
    {.name = NULL},
};

void pause_longer (unsigned *microseconds)
{
    enum { SOON = 20000, LATE = 1000000 };
    *microseconds = *microseconds == 0         ? SOON
                    : *microseconds < LATE / 2 ? *microseconds * 3 / 2
                                               : LATE;
    usleep (*microseconds);
}

int parse_patience (const char *text, void *to, tori_error *err)
{
    return duration_parse (text, to, err);
}

static void tell_absence (const tori_error *why, tori_time patience)
{
    char text[DURATION_TEXT_MAX];
    duration_about (patience, text);
    fprintf (stderr, "tori: %s; trying again for %s\n", why->text, text);
}

int job_fetch_patiently (const char *socket, tori_time patience,
                         json_int_t id, json_t **ret_job, tori_error *err)
{
    tori_time begun = time_since_boot ();
    unsigned pause = 0;
    while (job_fetch (socket, id, ret_job, err) < 0) {
        if (err->status != TORI_FAILED
            || time_since_boot () - begun >= patience)
            return -1;
        if (pause == 0)
            tell_absence (err, patience);
        pause_longer (&pause);
    }
    return 0;
}

/* Wait for a job, and return it as it is after its end. */
static json_t *wait_for (const char *socket, tori_time patience,
                         json_int_t id, tori_error *err)
{
    unsigned pause = 0;
    json_t *job = NULL;
    if (job_fetch_patiently (socket, patience, id, &job, err) < 0)
        return NULL;
    while (!job_is (job, "ended")) {
        pause_longer (&pause);
        json_decref (job);
        if (job_fetch_patiently (socket, patience, id, &job, err) < 0)
            return NULL;
    }
    return job;
}

/* Report how the first job without an exit status ended. */
static bool report_end (const json_t *job, bool first)
{
    char remark[JOB_TEXT_MAX];
    if (json_is_integer (json_object_get (job, "status")))
        return false;
    job_remark (job, remark);
    if (first)
        fprintf (stderr, "tori: job %lld: %s\n",
                 (long long)job_number (job, "id"), remark);
    return true;
}

int wait_for_all (const char *socket, tori_time patience, const json_t *ids,
                  json_t *ended, tori_error *err)
{
    size_t told = 0;
    int worst = 0;
    for (size_t i = 0; i < json_array_size (ids); i++) {
        json_t *job
            = wait_for (socket, patience,
                        json_integer_value (json_array_get (ids, i)), err);
        if (!job)
            return -1;
        if (job_status (job) > worst)
            worst = job_status (job);
        told += report_end (job, told == 0);
        if (ended)
            json_array_append (ended, job);
        json_decref (job);
    }
    if (told > 1)
        fprintf (stderr, "tori: and %zu more without an exit status\n",
                 told - 1);
    return worst;
}

static int run_wait (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    json_t *ids, *ended = json_array ();
    int status = -1;
    if (job_ids_read (v->socket, &v->ids, &ids, err) == 0) {
        status = wait_for_all (v->socket, v->patience, ids, ended, err);
        json_decref (ids);
    }
    if (status >= 0 && v->json
        && member_print (&(struct asked){&command_wait, v}, "jobs", ended, out,
                         err)
               < 0)
        status = -1;
    json_decref (ended);
    return status;
}

const struct command command_wait = {
    .name = "wait",
    .summary = "Wait until jobs of a running torid have ended",
    .notes = "While torid does not answer, as when it is restarted, this "
             "command says so on standard error and tries again for as long "
             "as --patience says. If a job has no exit status, because it was cancelled or "
             "killed, standard error says how it ended.",
    .options = options,
    .size = sizeof (struct values),
    .status = {[0] = "all jobs ended well",
               [1] = "the highest exit status of the jobs: 128 plus the "
                     "signal for one that was killed, 1 for one that never "
                     "ran; or torid does not answer",
               [2] = "that, or bad usage, or there is no such job"},
    .answer = &answer_wait,
    .examples = "tori wait 17\ntori wait 20-29 31",
    .run = run_wait,
};
