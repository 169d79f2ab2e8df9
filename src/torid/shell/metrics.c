/* metrics.c - numbers for Prometheus, in the text format of OpenMetrics.
 *
 * The largest free box takes longer to find than all the rest together, so
 * the loop writes what it knows and a process of its own adds the box
 * (api_look.c). */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tori/version.h>

#include "api.h"
#include "gauges.h"

struct scrape {
    struct torid *torid;
    FILE *out;
    const char *name; /* of the metric that is written */
};

/* ---- samples ---- */

static void put_number (struct scrape *it, const char *suffix, double value)
{
    fprintf (it->out, "%s%s %.17g\n", it->name, suffix, value);
}

static void put_labelled (struct scrape *it, const char *suffix,
                          const char *key, const char *label, double value)
{
    fprintf (it->out, "%s%s{%s=\"%s\"} %.17g\n", it->name, suffix, key, label,
             value);
}

/* `label` is NULL, or "key=\"value\",". */
static void put_histogram (struct scrape *it, const struct histogram *h,
                           const double bounds[], const char *label)
{
    for (int i = 0; i < BUCKETS; i++)
        fprintf (it->out, "%s_bucket{%sle=\"%g\"} %llu\n", it->name, label,
                 bounds[i], (unsigned long long)h->upto[i]);
    fprintf (it->out, "%s_bucket{%sle=\"+Inf\"} %llu\n", it->name, label,
             (unsigned long long)h->upto[BUCKETS]);
    fprintf (it->out, "%s_count%s%.*s%s %llu\n", it->name, *label ? "{" : "",
             *label ? (int)strlen (label) - 1 : 0, label, *label ? "}" : "",
             (unsigned long long)h->upto[BUCKETS]);
    fprintf (it->out, "%s_sum%s%.*s%s %.9g\n", it->name, *label ? "{" : "",
             *label ? (int)strlen (label) - 1 : 0, label, *label ? "}" : "",
             h->sum);
}

/* ---- the machine ---- */

static const tori_state *state_of (const struct scrape *it)
{
    return tori_sched_state (service_sched (it->torid->service));
}

static void put_nodes (struct scrape *it)
{
    uint32_t n[4];
    gauge_nodes (state_of (it), n);
    put_labelled (it, "", "state", "free", n[TORI_NODE_FREE]);
    put_labelled (it, "", "state", "busy", n[TORI_NODE_BUSY]);
    put_labelled (it, "", "state", "down", n[TORI_NODE_DOWN]);
    put_labelled (it, "", "state", "drained", n[TORI_NODE_DRAINED]);
}

static void put_reserved (struct scrape *it)
{
    uint32_t n = tori_machine_nodes (it->torid->machine);
    uint64_t *ids = calloc (n, sizeof *ids);
    uint32_t reserved = 0;
    if (ids && service_reserved (it->torid->service, ids)) {
        for (uint32_t i = 0; i < n; i++)
            reserved += ids[i] > 0;
        put_number (it, "", reserved);
    }
    free (ids);
}

static void put_reservations (struct scrape *it)
{
    json_t *all = service_reservations (it->torid->service);
    double now = (double)torid_now (it->torid) / TORI_SECOND;
    size_t open = 0;
    for (size_t i = 0; i < json_array_size (all); i++)
        open += json_number_value (json_object_get (json_array_get (all, i),
                                                    "from"))
                <= now;
    put_labelled (it, "", "state", "open", (double)open);
    put_labelled (it, "", "state", "coming",
                  (double)(json_array_size (all) - open));
    json_decref (all);
}

static void put_utilization (struct scrape *it)
{
    uint32_t n[4], usable;
    gauge_nodes (state_of (it), n);
    usable = n[TORI_NODE_FREE] + n[TORI_NODE_BUSY];
    put_number (it, "", usable ? (double)n[TORI_NODE_BUSY] / usable : 0);
}

static void put_goodput (struct scrape *it)
{
    const struct job_tally *c = service_tally (it->torid->service);
    put_number (it, "",
                c->good + c->bad > 0 ? c->good / (c->good + c->bad) : 1);
}

static void put_node_seconds (struct scrape *it)
{
    const struct job_tally *c = service_tally (it->torid->service);
    put_labelled (it, "_total", "ended", "well", c->good);
    put_labelled (it, "_total", "ended", "badly", c->bad);
}

/* ---- jobs ---- */

static void put_jobs (struct scrape *it)
{
    const struct job_counts n = service_count (it->torid->service);
    put_labelled (it, "", "state", "queued", (double)n.queued);
    put_labelled (it, "", "state", "running", (double)n.running);
    put_labelled (it, "", "state", "suspended", (double)n.suspended);
}

/* A value of a label: quotes and the like have a backslash before them. */
static void put_escaped (FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\n')
            fputs ("\\n", out);
        else
            fprintf (out, "%s%c", strchr ("\\\"", *text) ? "\\" : "", *text);
}

/* `more` is NULL, or the value of the label `state`. */
static void put_load (struct scrape *it, const char *key, const char *name,
                      const char *more, int64_t value)
{
    fprintf (it->out, "%s{%s=\"", it->name, key);
    put_escaped (it->out, name);
    if (more)
        fprintf (it->out, "\",state=\"%s", more);
    fprintf (it->out, "\"} %lld\n", (long long)value);
}

static void put_job_loads (struct scrape *it, bool queues)
{
    struct service_load loads[SERVICE_LOADS + 1];
    size_t n = service_loads (it->torid->service, queues, loads);
    const char *key = queues ? "queue" : "user";
    for (size_t i = 0; i < n; i++) {
        put_load (it, key, loads[i].name, "queued", loads[i].queued);
        put_load (it, key, loads[i].name, "running", loads[i].running);
        put_load (it, key, loads[i].name, "suspended", loads[i].suspended);
    }
}

static void put_node_loads (struct scrape *it, bool queues)
{
    struct service_load loads[SERVICE_LOADS + 1];
    size_t n = service_loads (it->torid->service, queues, loads);
    for (size_t i = 0; i < n; i++)
        put_load (it, queues ? "queue" : "user", loads[i].name, NULL,
                  loads[i].nodes);
}

static void put_user_jobs (struct scrape *it)
{
    put_job_loads (it, false);
}

static void put_user_nodes (struct scrape *it)
{
    put_node_loads (it, false);
}

static void put_queue_jobs (struct scrape *it)
{
    put_job_loads (it, true);
}

static void put_queue_nodes (struct scrape *it)
{
    put_node_loads (it, true);
}

static void put_age (struct scrape *it)
{
    tori_time oldest = service_oldest (it->torid->service);
    put_number (it, "",
                oldest < 0
                    ? 0
                    : (double)(torid_now (it->torid) - oldest) / TORI_SECOND);
}

static void put_submitted (struct scrape *it)
{
    const struct job_tally *c = service_tally (it->torid->service);
    put_number (it, "_total", (double)c->submitted);
}

static void put_ended (struct scrape *it)
{
    const struct job_tally *c = service_tally (it->torid->service);
    put_labelled (it, "_total", "how", "well", (double)c->ended_well);
    put_labelled (it, "_total", "how", "badly", (double)c->ended_badly);
}

static void put_waits (struct scrape *it)
{
    uint32_t nodes = tori_machine_nodes (it->torid->machine);
    char label[40];
    for (int i = 0; i == 0 || (i < SIZES && size_bounds[i - 1] < nodes);
         i++) {
        snprintf (label, sizeof label, "size=\"%s\",", size_names[i]);
        put_histogram (it, &service_tally (it->torid->service)->waits[i],
                       wait_bounds, label);
    }
}

/* ---- torid itself ---- */

static void put_decisions (struct scrape *it)
{
    put_histogram (it, &it->torid->counts.decisions, quick_bounds, "");
}

static void put_commits (struct scrape *it)
{
    put_histogram (it, &it->torid->counts.commits, quick_bounds, "");
}

static void put_longest (struct scrape *it)
{
    put_number (it, "", turns_longest (it->torid));
}

static void put_busiest (struct scrape *it)
{
    put_number (it, "", turns_busiest (it->torid));
}

static void put_requests (struct scrape *it)
{
    char code[12];
    for (int i = 0; i < CODES; i++) {
        snprintf (code, sizeof code, "%d", i);
        if (it->torid->counts.codes[i] > 0)
            put_labelled (it, "_total", "code", code,
                          (double)it->torid->counts.codes[i]);
    }
}

/* The file and what is written ahead of it. */
static void put_journal (struct scrape *it)
{
    static const char *const files[] = {"journal", "journal-wal"};
    double bytes = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = NULL;
        struct stat st;
        if (asprintf (&path, "%s/%s", it->torid->state, files[i]) < 0)
            return;
        if (stat (path, &st) == 0)
            bytes += (double)st.st_size;
        free (path);
    }
    put_number (it, "", bytes);
}

static void put_streams (struct scrape *it)
{
    put_number (it, "", (double)watch_count (it->torid));
}

static void put_missed (struct scrape *it)
{
    put_number (it, "_total", (double)it->torid->counts.dropped);
}

static void put_executor (struct scrape *it)
{
    put_number (it, "", it->torid->ready && !it->torid->silent);
}

static void put_unknown (struct scrape *it)
{
    put_number (it, "", (double)service_strangers (it->torid->service));
}

static void put_trouble (struct scrape *it)
{
    put_number (it, "", *it->torid->plight != 0);
}

static void put_faulty (struct scrape *it)
{
    uint32_t first;
    put_number (it, "", (double)faults_count (it->torid, &first));
}

static void put_left (struct scrape *it)
{
    put_number (it, "", (double)errands_left (&it->torid->errands, NULL));
}

static void put_stuck (struct scrape *it)
{
    put_number (it, "", it->torid->stuck);
}

static void put_begun (struct scrape *it)
{
    put_number (it, "", (double)it->torid->counts.begun / TORI_SECOND);
}

static void put_build (struct scrape *it)
{
    char machine[TORI_TEXT_MAX];
    tori_machine_format (it->torid->machine, machine);
    fprintf (it->out, "%s_info{version=\"%s\",machine=\"%s\"} 1\n", it->name,
             tori_version (), machine);
}

/* ---- all of them ---- */

static const struct metric {
    const char *name, *type, *unit, *help;
    void (*put) (struct scrape *it);
} metrics[] = {
    {"tori_build", "info", NULL, "The version of torid and its machine.",
     put_build},
    {"tori_start_time_seconds", "gauge", "seconds",
     "When torid began, since 1970.", put_begun},
    {"tori_nodes", "gauge", NULL,
     "Nodes by state. One that is drained may still be busy.", put_nodes},
    {"tori_reserved_nodes", "gauge", NULL,
     "Nodes that a reservation keeps now.", put_reserved},
    {"tori_reservations", "gauge", NULL,
     "Reservations that have begun, and those that have not.",
     put_reservations},
    {"tori_utilization_ratio", "gauge", "ratio",
     "Busy nodes over those that are neither down nor drained.",
     put_utilization},
    {"tori_goodput_ratio", "gauge", "ratio",
     "Of the node time of jobs that have ended since torid began, the part of "
     "those that ended with status 0; 1 before any has.",
     put_goodput},
    {"tori_node_seconds", "counter", "seconds",
     "Node time of jobs that have ended, with status 0 or otherwise.",
     put_node_seconds},
    {"tori_jobs", "gauge", NULL, "Jobs that wait, run or are suspended.", put_jobs},
    {"tori_user_jobs", "gauge", NULL,
     "Jobs of the busiest users, and of all others together (other).",
     put_user_jobs},
    {"tori_user_nodes", "gauge", NULL,
     "Nodes that the jobs of these users run on.", put_user_nodes},
    {"tori_queue_jobs", "gauge", NULL,
     "Jobs of the busiest queues, and of all others together (other).",
     put_queue_jobs},
    {"tori_queue_nodes", "gauge", NULL,
     "Nodes that the jobs of these queues run on.", put_queue_nodes},
    {"tori_queue_age_seconds", "gauge", "seconds",
     "How long ago the oldest waiting job was submitted; 0 if none waits.",
     put_age},
    {"tori_submissions", "counter", NULL, "Jobs submitted.", put_submitted},
    {"tori_ends", "counter", NULL,
     "Jobs that have ended, with status 0 or otherwise.", put_ended},
    {"tori_wait_seconds", "histogram", "seconds",
     "From submission to the first start, by number of nodes.", put_waits},
    {"tori_decision_seconds", "histogram", "seconds",
     "How long the scheduler took, once per turn.", put_decisions},
    {"tori_commit_seconds", "histogram", "seconds",
     "How long it took to bring records to the disk, fsync included.",
     put_commits},
    {"tori_loop_seconds_max", "gauge", NULL,
     "The longest turn of the loop in the last minute or two, without its "
     "commits. All clients wait for it.",
     put_longest},
    {"tori_loop_processor_seconds_max", "gauge", NULL,
     "The most processor time that one of these turns took.", put_busiest},
    {"tori_http_requests", "counter", NULL, "Answers by status.",
     put_requests},
    {"tori_journal_bytes", "gauge", "bytes",
     "The size of the journal and its write-ahead log.", put_journal},
    {"tori_event_streams", "gauge", NULL, "Clients that watch events.",
     put_streams},
    {"tori_events_missed", "counter", NULL,
     "Events that slow watchers have missed.", put_missed},
    {"tori_executor_up", "gauge", NULL,
     "1 if the executor has said that it is ready, and answers.", put_executor},
    {"tori_unknown_processes", "gauge", NULL,
     "Jobs that the executor runs and torid knows nothing of, as after a "
     "restored backup. They keep their nodes.",
     put_unknown},
    {"tori_host_trouble", "gauge", NULL,
     "1 if starts wait because the host of the executor is in trouble.",
     put_trouble},
    {"tori_faulty_nodes", "gauge", NULL,
     "Nodes that torid has drained because jobs could not start there.",
     put_faulty},
    {"tori_stuck_processes", "gauge", NULL,
     "Processes of torid that were killed and have not died: mostly they read "
     "a file of a user whose file system does not answer.",
     put_left},
    {"tori_disk_stuck", "gauge", NULL,
     "1 if the journal cannot be written: changes are refused.", put_stuck},
};

static void put_head (FILE *out, const char *name, const char *type,
                      const char *unit, const char *help)
{
    fprintf (out, "# TYPE %s %s\n", name, type);
    if (unit)
        fprintf (out, "# UNIT %s %s\n", name, unit);
    fprintf (out, "# HELP %s %s\n", name, help);
}

void metrics_write (struct torid *torid, FILE *out)
{
    struct scrape it = {.torid = torid, .out = out};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        it.name = metrics[i].name;
        put_head (out, metrics[i].name, metrics[i].type, metrics[i].unit,
                  metrics[i].help);
        metrics[i].put (&it);
    }
}

/* In a process of its own. */
int metrics_finish (const tori_state *state, FILE *out, tori_error *err)
{
    uint32_t free = tori_state_free_count (state);
    uint64_t largest;
    bool known;
    if (gauge_largest (state, &known, &largest, err) < 0)
        return -1;
    if (known) {
        put_head (out, "tori_largest_free_nodes", "gauge", NULL,
                  "Nodes of the largest free box that does not wrap.");
        fprintf (out, "tori_largest_free_nodes %llu\n",
                 (unsigned long long)largest);
        put_head (out, "tori_fragmentation_ratio", "gauge", "ratio",
                  "The part of the free nodes that is outside the largest "
                  "free box: 0 if all are in one box, or none is free.");
        fprintf (out, "tori_fragmentation_ratio %.17g\n",
                 free ? 1 - (double)largest / free : 0);
    }
    fputs ("# EOF\n", out);
    return 0;
}
