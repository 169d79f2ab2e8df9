/* routes.c - all that can be asked over HTTP. */
#include <stddef.h>

#include "api.h"
#include "apifields.h"
#include "defrag.h"
#include "livefields.h"
#include "signin.h"
#include "whatif.h"
#include "whycase.h"

static const char *const states[]
    = {"queued", "running", "ended", "suspended", NULL};

static const struct param jobs_params[] = {
    {"state", "only jobs in this state; queued has those that are suspended",
     .values = states},
    {"user", "only this user's"},
    {"alias", "only jobs of this name in the queue that they come from, such "
              "as slurm:19; those that ended more than a day ago are left "
              "out"},
    {"limit", "at most this many; 100 if not given", .min = 1, .max = 1000},
    {"after", "only jobs with a higher number", .max = INT64_MAX},
    {NULL},
};

#define NODES_LIMIT                                                           \
    "at most this many; 4096 if not given, and never more than 8192"

static const char *const node_states[]
    = {"free", "busy", "down", "drained", NULL};

static const struct param nodes_params[] = {
    {"state", "only nodes in this state", .values = node_states},
    {"limit", NODES_LIMIT, .min = 1, .max = 65536},
    {"after", "only nodes with a higher number", .max = UINT32_MAX - 1},
    {NULL},
};

static const struct param history_params[] = {
    {"limit", "at most this many; 1000 if not given", .min = 1, .max = 10000},
    {"after", "only samples after this time, in seconds since 1970",
     .max = INT64_MAX},
    {NULL},
};

static const struct param changes_params[] = {
    {"user", "only those that this user made"},
    {"job", "only those of this job", .min = 1, .max = INT64_MAX},
    {"since", "only those at this time or later: seconds since 1970, or a "
              "duration before now, such as 12h",
     .max = INT64_MAX / TORI_SECOND, .ago = true},
    {"limit", "at most this many; 100 if not given", .min = 1, .max = 1000},
    {"after", "only those with a higher number", .max = INT64_MAX},
    {NULL},
};

static const char *const streams[] = {"output", "error", NULL};

static const struct param output_params[] = {
    {"tail", "at most so many bytes; 16384 if not given", .min = 1,
     .max = 1 << 20},
    {"of", "its output, if not given, or its errors, if they go to a file of "
           "their own",
     .values = streams},
    {NULL},
};

static const struct param why_params[] = {
    {"why", "the reason, for the record of changes"},
    {NULL},
};

static const struct param shadow_params[] = {
    {"limit", "at most this many jobs that differ; 100 if not given",
     .min = 1, .max = 1000},
    {"after", "only jobs with a higher number", .max = INT64_MAX},
    {NULL},
};

static const struct param jobs_headers[] = {
    {"Idempotency-Key",
     "a text of the client's: the same request twice is one request; "
     "another one with the same key is refused (409)"},
    {NULL},
};

static const struct param node_params[] = {
    {"limit", "of a box, " NODES_LIMIT, .min = 1, .max = 65536},
    {"after", "of a box, only nodes with a higher number",
     .max = UINT32_MAX - 1},
    {NULL},
};

static const struct param node_looks[] = {
    {"If-None-Match", "an ETag: if nothing has changed, 304 is the answer"},
    {NULL},
};

static const struct param node_headers[] = {
    {"If-Match", "an ETag: if something has changed since, it is refused"},
    {NULL},
};

static const struct param event_params[] = {
    {"beat", "how often a comment is sent if nothing happens, in seconds; 15 "
             "if not given",
     .min = 1, .max = 3600},
    {NULL},
};

static const struct param event_headers[] = {
    {"Last-Event-ID", "the last event seen: those after it are sent"},
    {NULL},
};

const struct route routes[] = {
    {"GET", "/v1/jobs", get_jobs, "List jobs, by number",
     .params = jobs_params, .gives = &gives_jobs},
    {"POST", "/v1/jobs", post_jobs, "Submit a job, or an array of jobs",
     .headers = jobs_headers, .body = &answer_submission, .many = true,
     .gives = &answer_submit, .code = 201},
    {"GET", "/v1/jobs/{id}", get_job, "Show a job",
     .gives = &service_job_sheet},
    {"PATCH", "/v1/jobs/{id}", patch_job, "Change a job",
     .body = &answer_job_change, .gives = &service_job_sheet},
    {"DELETE", "/v1/jobs/{id}", delete_job, "Cancel a job",
     .params = why_params, .gives = &service_job_sheet},
    {"POST", "/v1/jobs/{id}/suspend", post_suspend,
     "Stop a running job until it is released", .body = &body_requeue,
     .gives = &service_job_sheet},
    {"POST", "/v1/jobs/{id}/requeue", post_requeue,
     "End a running job, and let it wait again", .body = &body_requeue,
     .gives = &service_job_sheet},
    {"GET", "/v1/jobs/{id}/why", get_job_why,
     "Tell why a job waits, and what would start it now",
     .gives = &answer_why},
    {"GET", "/v1/jobs/{id}/output", get_output,
     "Show the end of a job's output, for its user and for operators; the file "
     "is read by the rights of that user",
     .params = output_params, .gives = &gives_output},
    {"GET", "/v1/why", get_why,
     "Tell why all waiting jobs wait, in the queue's order",
     .gives = &answer_why},
    {"GET", "/v1/forecast", get_forecast,
     "Tell when and where every waiting job will start",
     .gives = &answer_forecast},
    {"POST", "/v1/what-if", post_what_if,
     "Show what changes, or further jobs, do to every waiting job",
     .body = &body_what_if, .gives = &answer_what_if, .asks = true},
    {"POST", "/v1/defrag", post_defrag,
     "Tell which running jobs to move so that another fits",
     .body = &body_defrag, .gives = &answer_defrag, .asks = true},
    {"POST", "/v1/moves", post_moves,
     "Move running jobs, if all of them are still where the plan says",
     .body = &body_moves, .gives = &gives_moved},
    {"GET", "/v1/nodes", get_nodes, "List nodes, by number",
     .params = nodes_params, .gives = &gives_nodes},
    {"GET", "/v1/nodes/{node}", get_node,
     "Show a node, or the nodes of a box, by number",
     .params = node_params, .headers = node_looks, .gives = &gives_nodes,
     .one = &service_node_sheet},
    {"PATCH", "/v1/nodes/{node}", patch_node,
     "Drain, resume, take down or bring up a node or a box",
     .headers = node_headers, .body = &body_node_change,
     .gives = &gives_nodes_changed},
    {"GET", "/v1/links", get_links, "List links that are down",
     .gives = &gives_links},
    {"PATCH", "/v1/links/{link}", patch_link,
     "Take down or bring up a link", .body = &body_link_change,
     .gives = &gives_links_changed},
    {"GET", "/v1/reservations", get_reservations, "List reservations",
     .gives = &gives_reservations},
    {"POST", "/v1/reservations", post_reservation,
     "Keep nodes free for a time", .body = &body_reservation,
     .gives = &gives_reservation_changed, .code = 201},
    {"DELETE", "/v1/reservations/{id}", delete_reservation,
     "Keep nodes free no more", .params = why_params,
     .gives = &gives_reservation_changed},
    {"GET", "/v1/windows", get_reservations, "List reservations",
     .gives = &gives_reservations, .old = true},
    {"POST", "/v1/windows", post_reservation, "Keep nodes free for a time",
     .body = &body_reservation, .gives = &gives_reservation_changed,
     .code = 201, .old = true},
    {"DELETE", "/v1/windows/{id}", delete_reservation,
     "Keep nodes free no more", .params = why_params,
     .gives = &gives_reservation_changed, .old = true},
    {"GET", "/v1/unknown", get_unknown,
     "List processes of jobs that torid knows nothing of",
     .gives = &gives_unknown},
    {"DELETE", "/v1/unknown/{id}", delete_unknown,
     "End the processes of such a job", .params = why_params, .gives = &gives_unknown_ended},
    {"GET", "/v1/users", get_users, "List what users have and have used",
     .gives = &answer_users},
    {"GET", "/v1/queues", get_queues,
     "List queues: their rules, their limits and their jobs",
     .gives = &answer_queues},
    {"GET", "/v1/whoami", get_whoami, "Tell who asks, and with which role",
     .gives = &gives_whoami},
    {"GET", "/v1/machine", get_machine, "Describe the machine",
     .gives = &gives_machine},
    {"GET", "/v1/history", get_history,
     "Look back at how full the machine was and how long the queue",
     .params = history_params, .gives = &gives_history},
    {"GET", "/v1/changes", get_changes,
     "List who changed what, when and why; users see their own changes, and "
     "those of their jobs",
     .params = changes_params, .gives = &gives_changes},
    {"GET", "/v1/snapshot", get_snapshot,
     "Show all of the scheduler's state"},
    {"POST", "/v1/snapshot", post_snapshot,
     "Show the state as if jobs were submitted", .body = &body_snapshot,
     .asks = true},
    {"GET", "/v1/events", get_events, "Watch what happens",
     .params = event_params, .headers = event_headers,
     .type = "text/event-stream"},
    {"GET", "/v1/shadow", get_shadow,
     "Compare with the scheduler that is followed",
     .params = shadow_params, .gives = &answer_shadow},
    {"GET", "/", get_page, "The machine and the queue, for people",
     .type = "text/html; charset=utf-8"},
    {"POST", SIGNIN_PATH, post_signin,
     "Exchange a token, or a code, for the session of a browser: a cookie",
     .body = &body_signin, .gives = &gives_whoami},
    {"POST", SIGNOUT_PATH, post_signout,
     "End the session of a browser: its cookie is removed",
     .gives = &gives_signed_out},
    {"GET", "/healthz", get_health, "Tell whether all is well",
     .gives = &gives_health},
    {"GET", "/metrics", get_metrics, "Numbers for Prometheus",
     .type = METRICS_TYPE},
    {"GET", "/openapi.json", get_openapi, "This description"},
    {NULL},
};
