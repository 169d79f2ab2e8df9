#include "jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http_client.h"
#include "clock.h"
#include "number.h"
#include "terminal.h"
#include "whycase.h"

const char *job_text (const json_t *job, const char *key)
{
    const char *text = json_string_value (json_object_get (job, key));
    return text ? text : "";
}

void job_shown (const json_t *job, const char *key, char text[JOB_TEXT_MAX])
{
    snprintf (text, JOB_TEXT_MAX, "%.500s", job_text (job, key));
    text_clean (text);
}

json_int_t job_number (const json_t *job, const char *key)
{
    return json_integer_value (json_object_get (job, key));
}

tori_time seconds_ticks (const json_t *value)
{
    return number_clamp (json_number_value (value) * (double)TORI_SECOND,
                         -TORI_TIME_MAX, TORI_TIME_MAX);
}

tori_time job_time (const json_t *job, const char *key)
{
    return seconds_ticks (json_object_get (job, key));
}

bool job_is (const json_t *job, const char *state)
{
    return !strcmp (job_text (job, "state"), state);
}

/* ---- fetching ---- */

/* The path of a job in the API. */
enum { JOB_PATH = 64 };

static void make_path (json_int_t id, char path[JOB_PATH])
{
    snprintf (path, JOB_PATH, "/v1/jobs/%lld", (long long)id);
}

int job_fetch (const char *socket, json_int_t id, json_t **ret_job,
               tori_error *err)
{
    char path[JOB_PATH];
    make_path (id, path);
    return call (socket, "GET", path, NULL, ret_job, err);
}

/* Append a parameter to a query, if there is a value. */
static size_t put_parameter (char *to, size_t room, const char *key,
                             const char *value)
{
    char escaped[256];
    if (!value)
        return 0;
    url_escape (value, escaped, sizeof escaped);
    return (size_t)snprintf (to, room, "&%s=%s", key, escaped);
}

static int fetch_such (const char *socket, const char *const pairs[][2],
                       size_t npairs, json_t *jobs, tori_error *err)
{
    char path[600] = "/v1/jobs?limit=1000";
    size_t n = strlen (path);
    for (size_t i = 0; i < npairs; i++)
        n += put_parameter (path + n, sizeof path - n, pairs[i][0],
                            pairs[i][1]);
    return call_pages (socket, path, "jobs", jobs, err);
}

int jobs_fetch (const char *socket, const char *state, const char *user,
                json_t *jobs, tori_error *err)
{
    const char *const pairs[][2] = {{"state", state}, {"user", user}};
    return fetch_such (socket, pairs, 2, jobs, err);
}

/* ---- names of jobs in other systems ---- */

bool job_is_alias (const char *word)
{
    size_t n = strspn (word, "abcdefghijklmnopqrstuvwxyz-");
    const char *rest = word + n;
    return n > 0 && rest[0] == ':' && rest[1] >= '0' && rest[1] <= '9'
           && !rest[1 + strspn (rest + 1, "0123456789_")];
}

/* Jobs that no nodes of Slurm suit stay there, with the reason. */
static int refuse_alias (const char *alias, tori_error *err)
{
    static const char slurm[] = "slurm:";
    if (strncmp (alias, slurm, sizeof slurm - 1))
        return tori_error_set (err, TORI_INVALID, "there is no job %.40s",
                               alias);
    return tori_error_set (err, TORI_INVALID,
                           "there is no job %.40s; if Slurm holds it, its "
                           "comment there has the reason: squeue -o %%k -j "
                           "%.40s",
                           alias, alias + sizeof slurm - 1);
}

static int find_alias (const char *socket, const char *alias, int64_t *ret_id,
                       tori_error *err)
{
    const char *const pairs[][2] = {{"alias", alias}};
    json_t *jobs = json_array ();
    int status = fetch_such (socket, pairs, 1, jobs, err);
    size_t n = json_array_size (jobs);
    if (status == 0 && n == 0)
        status = refuse_alias (alias, err);
    if (status == 0)
        *ret_id = job_number (json_array_get (jobs, n - 1), "id");
    json_decref (jobs);
    return status;
}

int job_find (const char *socket, const char *word, int64_t *ret_id,
              tori_error *err)
{
    return job_is_alias (word)
               ? find_alias (socket, word, ret_id, err)
               : number_parse (word, "ID", 1, INT64_MAX, ret_id, err);
}

/* ---- numbers of jobs ---- */

static int read_range (const char *word, json_t *ids, tori_error *err)
{
    enum { MOST = 1000000 };
    const char *at = word;
    uint64_t first = 0, last = 0;
    bool good = number_scan (&at, INT64_MAX, &first) && first > 0;
    last = first;
    if (good && *at == '-')
        good = (at++, number_scan (&at, INT64_MAX, &last));
    if (!good || *at || last < first || last - first >= MOST)
        return tori_error_set (err, TORI_INVALID,
                               "'%.40s' is not the number of a job, such as "
                               "17, or of several, such as 17-26",
                               word);
    for (uint64_t id = first; id <= last; id++)
        json_array_append_new (ids, json_integer ((json_int_t)id));
    return 0;
}

/* Without a socket, names are not accepted. */
static int read_words (const char *const *socket, const struct strings *words,
                       json_t **ret_ids, tori_error *err)
{
    json_t *ids = json_array ();
    int status = 0;
    for (size_t i = 0; i < words->n && status == 0; i++) {
        const char *word = words->item[i];
        int64_t id;
        if (!socket || !job_is_alias (word))
            status = read_range (word, ids, err);
        else if ((status = find_alias (*socket, word, &id, err)) == 0)
            json_array_append_new (ids, json_integer (id));
    }
    if (status == 0)
        *ret_ids = ids;
    else
        json_decref (ids);
    return status;
}

int ids_read (const struct strings *words, json_t **ret_ids, tori_error *err)
{
    return read_words (NULL, words, ret_ids, err);
}

int job_ids_read (const char *socket, const struct strings *words,
                  json_t **ret_ids, tori_error *err)
{
    return read_words (&socket, words, ret_ids, err);
}

json_int_t job_array (const json_t *job)
{
    const char *array = job_text (job, "array");
    return *array ? job_number (job, "id") - job_number (job, "index")
                        + strtoll (array, NULL, 10)
                  : 0;
}

/* ---- time and order ---- */

/* The part of one run that is between two times. A run that is a sum of many is
 * taken to be even. */
static struct job_use use_of_run (struct job_use run, struct use_span span)
{
    double length = run.end - run.start, part = length;
    double from = (double)span.from / TORI_SECOND;
    double to = (double)span.to / TORI_SECOND;
    if (run.start >= to || run.end < from)
        return (struct job_use){0};
    part -= from > run.start ? from - run.start : 0;
    part -= run.end > to ? run.end - to : 0;
    part = length > 0 && part > 0 ? part / length : 0;
    return (struct job_use){.any = true,
                            .seconds = part * run.seconds,
                            .node_seconds = part * run.node_seconds};
}

static struct job_use read_run (const json_t *job, const json_t *run,
                                tori_time now)
{
    double start = json_number_value (json_object_get (run, "start"));
    const json_t *end = json_object_get (run, "end");
    const json_t *elapsed = json_object_get (run, "elapsed");
    const json_t *used = json_object_get (run, "node_seconds");
    double until
        = end ? json_number_value (end) : (double)now / TORI_SECOND;
    double seconds = elapsed        ? json_number_value (elapsed)
                     : until > start ? until - start
                                     : 0;
    return (struct job_use){
        .start = start,
        .end = until,
        .seconds = seconds,
        .node_seconds = used ? json_number_value (used)
                             : seconds * (double)job_count_nodes (job)};
}

/* A job that has run once has no list: its start and its end are those of the
 * run. */
struct job_use job_use (const json_t *job, struct use_span span)
{
    const json_t *runs = json_object_get (job, "runs");
    struct job_use all = {0};
    if (!runs && json_object_get (job, "start") && !job_is (job, "queued"))
        return use_of_run (read_run (job, job, span.now), span);
    for (size_t i = 0; i < json_array_size (runs); i++) {
        const struct job_use one = use_of_run (
            read_run (job, json_array_get (runs, i), span.now), span);
        all.any |= one.any;
        all.seconds += one.seconds;
        all.node_seconds += one.node_seconds;
    }
    return all;
}

/* Only runs since its last start count: those before were lost. */
void job_set_times (json_t *job)
{
    const struct use_span span
        = {job_time (job, "start"), TORI_TIME_MAX, clock_now ()};
    bool runs = job_is (job, "running");
    json_int_t ran, left;
    if (!json_object_get (job, "start"))
        return;
    ran = (json_int_t)job_use (job, span).seconds;
    json_object_set_new (job, "elapsed", json_integer (ran));
    left = job_time (job, "time_limit") / TORI_SECOND - ran;
    if (runs)
        json_object_set_new (job, "remaining",
                             json_integer (left > 0 ? left : 0));
}

/* Jobs that run, that wait and may start, that wait for something else, and that
 * have ended. */
static int group_of (const json_t *job)
{
    if (job_is (job, "running"))
        return 0;
    if (job_is (job, "queued"))
        return json_object_get (job, "position") ? 1 : 2;
    return 3;
}

/* Within a group: by start, by position, or by number. */
static int compare_turns (const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    int group = group_of (x), other = group_of (y);
    json_int_t s = job_number (x, "id"), t = job_number (y, "id");
    tori_time from = 0, then = 0;
    if (group != other)
        return group - other;
    if (group == 0) {
        from = job_time (x, "start");
        then = job_time (y, "start");
    } else if (group == 1) {
        from = job_number (x, "position");
        then = job_number (y, "position");
    }
    return from != then ? (from > then) - (from < then)
                        : (s > t) - (s < t);
}

/* Without memory the order stays. */
void jobs_sort (json_t *jobs)
{
    size_t n = json_array_size (jobs);
    json_t **all = calloc (n + 1, sizeof *all);
    for (size_t i = 0; all && i < n; i++)
        all[i] = json_incref (json_array_get (jobs, i));
    if (all)
        qsort (all, n, sizeof *all, compare_turns);
    for (size_t i = 0; all && i < n; i++)
        json_array_set_new (jobs, i, all[i]);
    free (all);
}

/* ---- the request ---- */

static void count_text (size_t n, char *text, size_t size)
{
    snprintf (text, size, "%zu node%s", n, n == 1 ? "" : "s");
}

/* Append one alternative of the request. */
static size_t put_wish (const json_t *wish, char *text, size_t n)
{
    const char *shape = job_text (wish, "shape");
    const char *wiring = job_text (wish, "wiring");
    char one[160];
    if (*shape)
        snprintf (one, sizeof one, "%.100s%s%.20s", shape,
                  *wiring ? " " : "", wiring);
    else
        count_text ((size_t)job_number (wish, "count"), one, sizeof one);
    if (n + strlen (one) + 8 > JOB_TEXT_MAX)
        return n;
    return n + (size_t)snprintf (text + n, JOB_TEXT_MAX - n, "%s%s",
                                 n ? " or " : "", one);
}

void job_request (const json_t *job, char text[JOB_TEXT_MAX])
{
    const json_t *others = json_object_get (job, "alternatives");
    size_t n = 0;
    text[0] = '\0';
    if (json_object_get (job, "shape") || json_object_get (job, "count"))
        n = put_wish (job, text, n);
    for (size_t i = 0; i < json_array_size (others); i++)
        n = put_wish (json_array_get (others, i), text, n);
}

/* ---- remarks ---- */

/* Append a reason, if there is one. */
static void put_reason (const json_t *job, const char *key, const char *before,
                        char text[JOB_TEXT_MAX])
{
    size_t n = strlen (text);
    if (*job_text (job, key))
        snprintf (text + n, JOB_TEXT_MAX - n, "%s%.200s", before,
                  job_text (job, key));
}

static void waits_text (const json_t *job, char text[JOB_TEXT_MAX])
{
    char when[CLOCK_TEXT_MAX];
    if (!strcmp (job_text (job, "reason"), "not-yet")
        && json_object_get (job, "begin")) {
        clock_format (job_time (job, "begin"), when);
        snprintf (text, JOB_TEXT_MAX, "not before %s", when);
    } else
        waiting_format (job, text, JOB_TEXT_MAX);
    put_reason (job, "stop_reason", ": ", text);
    put_reason (job, "requeue_reason", "; requeued: ", text);
}

void job_place (const json_t *place, char text[JOB_TEXT_MAX])
{
    enum { NAMED = 3 };
    const json_t *boxes = json_object_get (place, "boxes");
    const json_t *nodes = boxes ? boxes : json_object_get (place, "nodes");
    size_t all = json_array_size (nodes), n;
    n = (size_t)snprintf (text, JOB_TEXT_MAX, "%.200s", job_text (place, "box"));
    for (size_t i = 0; i < all && i < NAMED; i++)
        n += (size_t)snprintf (
            text + n, JOB_TEXT_MAX - n, "%s%.80s", i ? " " : "",
            json_string_value (json_array_get (nodes, i)));
    if (all > NAMED)
        snprintf (text + n, JOB_TEXT_MAX - n, " and %zu more", all - NAMED);
}

/* "0,0,0/4x4x2" has 32. */
static size_t count_box (const char *box)
{
    const char *at = strchr (box, '/');
    size_t n = at != NULL;
    while (at) {
        n *= strtoul (at + 1, NULL, 10);
        at = strchr (at + 1, 'x');
    }
    return n;
}

/* The place is a box, the boxes of a slice, or nodes. */
size_t job_count_nodes (const json_t *job)
{
    const json_t *place = json_object_get (job, "place");
    const json_t *boxes = json_object_get (place, "boxes");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size (boxes); i++)
        n += count_box (json_string_value (json_array_get (boxes, i)));
    if (n == 0)
        n = count_box (job_text (place, "box"));
    return n > 0 ? n : json_array_size (json_object_get (place, "nodes"));
}

static void end_text (const json_t *job, char text[JOB_TEXT_MAX])
{
    const json_t *signal = json_object_get (job, "signal");
    if (*job_text (job, "why"))
        snprintf (text, JOB_TEXT_MAX, "%.300s", job_text (job, "why"));
    else if (json_is_integer (signal))
        snprintf (text, JOB_TEXT_MAX, "killed by signal %lld",
                  (long long)json_integer_value (signal));
    else
        snprintf (text, JOB_TEXT_MAX, "exit status %lld",
                  (long long)job_number (job, "status"));
    put_reason (job, "stop_reason", ": ", text);
}

void job_remark (const json_t *job, char text[JOB_TEXT_MAX])
{
    if (job_is (job, "queued"))
        waits_text (job, text);
    else if (job_is (job, "ended"))
        end_text (job, text);
    else
        job_place (json_object_get (job, "place"), text);
    text_clean (text);
}

const char *job_outcome_name (size_t i)
{
    static const char *const names[OUTCOMES]
        = {"completed", "failed",       "timeout",
           "cancelled", "node-failure", "preempted", "unknown"};
    return i < OUTCOMES ? names[i] : NULL;
}

/* The reasons that torid and its executors give. */
enum job_outcome job_outcome (const json_t *job)
{
    static const struct {
        const char *text;
        enum job_outcome outcome;
    } all[] = {{"time limit", OUTCOME_TIMEOUT},
               {"cancelled", OUTCOME_CANCELLED},
               {"depends on ended otherwise", OUTCOME_CANCELLED},
               {"failed under it", OUTCOME_NODE_FAILURE},
               {"took its place", OUTCOME_PREEMPTED},
               {"outcome is unknown", OUTCOME_UNKNOWN}};
    const char *why = job_text (job, "why");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strstr (why, all[i].text))
            return all[i].outcome;
    return job_status (job) == 0 ? OUTCOME_COMPLETED : OUTCOME_FAILED;
}

int job_status (const json_t *job)
{
    const json_t *status = json_object_get (job, "status");
    const json_t *signal = json_object_get (job, "signal");
    if (json_is_integer (status))
        return (int)json_integer_value (status);
    return json_is_integer (signal) ? 128 + (int)json_integer_value (signal)
                                    : 1;
}
