/* follow.c - torid-follow: reports to a torid --shadow what another torid
 * does. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "jobmembers.h"
#include "jsonlines.h"
#include "number.h"
#include "startup.h"

enum { PAGE = 1000, OVERLAP = 10 };

struct follower {
    const char *socket;
    double delay;
    struct lines orders, events;
};

static double read_clock (void)
{
    struct timespec t;
    clock_gettime (CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* torid starts this program again after a while. */
static _Noreturn void give_up (const char *what, const char *why)
{
    fprintf (stderr, "torid-follow: %s: %s\n", what, why);
    exit (1);
}

/* ---- the other torid ---- */

static int connect_socket (const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen (path) >= sizeof address.sun_path)
        give_up (path, "too long");
    memcpy (address.sun_path, path, strlen (path));
    if (fd < 0
        || connect (fd, (const struct sockaddr *)&address, sizeof address)
               < 0)
        give_up (path, strerror (errno));
    return fd;
}

/* Send a request, and read up to the body. With HTTP/1.0 the body ends with
 * the connection. */
static FILE *send_request (const char *socket, const char *path)
{
    FILE *file = fdopen (connect_socket (socket), "r+");
    char line[1024];
    if (!file)
        give_up (socket, strerror (errno));
    setvbuf (file, NULL, _IONBF, 0);
    fprintf (file, "GET %s HTTP/1.0\r\nHost: torid\r\n\r\n", path);
    if (!fgets (line, sizeof line, file) || !strstr (line, " 200"))
        give_up (path, "the live torid does not answer");
    while (fgets (line, sizeof line, file) && strcmp (line, "\r\n"))
        ;
    return file;
}

static json_t *get_json (const char *socket, const char *path)
{
    FILE *file = send_request (socket, path);
    json_t *value;
    setvbuf (file, NULL, _IOFBF, BUFSIZ);
    value = json_loadf (file, 0, NULL);
    fclose (file);
    if (!value)
        give_up (path, "the answer is not JSON");
    return value;
}

/* ---- messages to torid ---- */

static json_t *make_message (const char *is, const json_t *job, double at)
{
    char key[32];
    snprintf (key, sizeof key, "%lld",
              (long long)json_integer_value (json_object_get (job, "id")));
    return json_pack ("{s:s, s:s, s:f}", "is", is, "key", key, "at", at);
}

static double time_of (const json_t *job, const char *key)
{
    const json_t *value = json_object_get (job, key);
    return value ? json_number_value (value) : NAN;
}

static void copy_member (json_t *message, const json_t *job, const char *name)
{
    json_object_set (message, name, json_object_get (job, name));
}

/* The submission of a job has what it asks of the machine, but not its
 * program. Arrays have become jobs of their own, and `hold` is a state. */
static json_t *make_submission (const json_t *job, double at)
{
    const uint64_t others
        = JOB_BIT (command) | JOB_BIT (script) | JOB_BIT (environment)
          | JOB_BIT (directory) | JOB_BIT (input) | JOB_BIT (output)
          | JOB_BIT (error) | JOB_BIT (array) | JOB_BIT (hold);
    json_t *message = make_message ("submit", job, at);
    const char *hold = json_string_value (json_object_get (job, "hold"));
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (!(others >> i & 1)) {
            copy_member (message, job, job_members[i].name);
            if (job_old_names[i])
                copy_member (message, job, job_old_names[i]);
        }
    copy_member (message, job, "user");
    copy_member (message, job, "submit");
    if (hold && !strcmp (hold, "user"))
        json_object_set_new (message, "hold", json_true ());
    return message;
}

static json_t *make_start (const json_t *job)
{
    json_t *message = make_message ("started", job, time_of (job, "start"));
    json_object_update (message, json_object_get (job, "place"));
    return message;
}

static json_t *make_ending (const json_t *job, const char *is)
{
    json_t *message = make_message (is, job, time_of (job, "end"));
    json_object_set (message, "status", json_object_get (job, "status"));
    json_object_set (message, "signal", json_object_get (job, "signal"));
    return message;
}

static bool was_cancelled (const json_t *job)
{
    const char *why = json_string_value (json_object_get (job, "why"));
    return why && !strcmp (why, "cancelled");
}

/* ---- how it is at the beginning ---- */

static json_t *fetch_jobs (const struct follower *f)
{
    json_t *all = json_array (), *page;
    json_int_t after = 0;
    do {
        char path[80];
        snprintf (path, sizeof path, "/v1/jobs?limit=%d&after=%lld", PAGE,
                  (long long)after);
        page = get_json (f->socket, path);
        json_array_extend (all, json_object_get (page, "jobs"));
        after = json_integer_value (json_object_get (page, "next"));
        json_decref (page);
    } while (after > 0);
    return all;
}

/* `word` is the name of a change to this state. */
static void say_nodes (const struct follower *f, const char *state,
                       const char *word, double at)
{
    json_int_t after = -1;
    do {
        char path[80];
        json_t *answer, *node;
        size_t i;
        snprintf (path, sizeof path, "/v1/nodes?state=%s&limit=%d", state,
                  PAGE);
        if (after >= 0)
            snprintf (path + strlen (path), 32, "&after=%lld",
                      (long long)after);
        answer = get_json (f->socket, path);
        json_array_foreach (json_object_get (answer, "nodes"), i, node)
            lines_say (json_pack ("{s:s, s:O, s:s, s:f}", "is", "node",
                                  "node", json_object_get (node, "node"),
                                  "state", word, "at", at));
        after = json_object_get (answer, "next")
                    ? json_integer_value (json_object_get (answer, "next"))
                    : -1;
        json_decref (answer);
    } while (after >= 0);
}

/* For a shadow that begins: the jobs that wait, and those that run, with their
 * nodes. */
static void say_all (const struct follower *f)
{
    json_t *jobs, *job;
    double at = read_clock ();
    size_t i;
    say_nodes (f, "down", "down", at);
    say_nodes (f, "drained", "drain", at);
    jobs = fetch_jobs (f);
    json_array_foreach (jobs, i, job) {
        const char *state
            = json_string_value (json_object_get (job, "state"));
        json_t *message;
        if (!state || !strcmp (state, "ended"))
            continue;
        message = make_submission (job, at);
        if (!strcmp (state, "running")) {
            json_object_set (message, "start",
                             json_object_get (job, "start"));
            json_object_update (message, json_object_get (job, "place"));
        }
        lines_say (message);
    }
    json_decref (jobs);
}

static int by_time (const void *a, const void *b)
{
    double x = json_number_value (
        json_object_get (*(json_t *const *)a, "at"));
    double y = json_number_value (
        json_object_get (*(json_t *const *)b, "at"));
    return (x > y) - (x < y);
}

struct letters {
    json_t **all;
    size_t n, room;
};

/* Takes ownership of the message if it is late enough. */
static void keep_late (struct letters *letters, json_t *message, double since)
{
    double at = json_number_value (json_object_get (message, "at"));
    json_t **more;
    if (!(at >= since)) {
        json_decref (message);
        return;
    }
    more = array_room (letters->all, &letters->room, letters->n + 1,
                       sizeof *more);
    if (!more)
        give_up ("jobs", "out of memory");
    letters->all = more;
    letters->all[letters->n++] = message;
}

/* Jobs that the live torid does not know any more are over. */
static void keep_gone (struct letters *letters, json_t *unended)
{
    const char *key;
    json_t *runs;
    double at = read_clock ();
    json_object_foreach (unended, key, runs)
        keep_late (letters,
                   json_pack ("{s:s, s:s, s:f, s:n, s:i}", "is",
                              json_is_true (runs) ? "ended" : "cancel", "key",
                              key, "at", at, "status", "signal", SIGKILL),
                   0);
}

/* For a shadow that was away: the events since then, in the order of time, and
 * those of jobs of whose end it has not heard. */
static void say_since (const struct follower *f, double since,
                       json_t *unended)
{
    json_t *jobs = fetch_jobs (f), *job;
    struct letters letters = {0};
    size_t i;
    json_array_foreach (jobs, i, job) {
        json_t *submission = make_submission (job, time_of (job, "submit"));
        const char *key
            = json_string_value (json_object_get (submission, "key"));
        double from = json_object_get (unended, key) ? 0 : since;
        json_object_del (unended, key);
        keep_late (&letters, submission, from);
        if (json_object_get (job, "start"))
            keep_late (&letters, make_start (job), from);
        if (was_cancelled (job))
            keep_late (&letters, make_ending (job, "cancel"), from);
        if (json_object_get (job, "end"))
            keep_late (&letters, make_ending (job, "ended"), from);
    }
    keep_gone (&letters, unended);
    if (letters.n > 0)
        qsort (letters.all, letters.n, sizeof *letters.all, by_time);
    for (i = 0; i < letters.n; i++)
        lines_say (letters.all[i]);
    free (letters.all);
    json_decref (jobs);
}

/* ---- what happens ---- */

/* A torid of the version before has only the old name of a member. */
static void say_member (const json_t *job, const char *name, const char *old,
                        double at)
{
    json_t *value = json_object_get (job, name), *message;
    if (!value && old)
        value = json_object_get (job, old);
    if (!value)
        return;
    message = make_message ("change", job, at);
    json_object_set (message, name, value);
    if (old)
        json_object_set (message, old, value);
    lines_say (message);
}

static void say_change (const json_t *job, double at)
{
    const char *hold = json_string_value (json_object_get (job, "hold"));
    json_t *message;
    say_member (job, "priority", NULL, at);
    say_member (job, "time_limit", "estimate", at);
    message = make_message ("change", job, at);
    json_object_set_new (message, "hold",
                         json_boolean (hold && !strcmp (hold, "user")));
    lines_say (message);
}

static void say_part (const json_t *event, const char *what, double at)
{
    lines_say (json_pack ("{s:s, s:O, s:O, s:f}", "is", what, what,
                          json_object_get (event, what), "state",
                          json_object_get (event, "state"), "at", at));
}

static void report_event (const json_t *event)
{
    const char *name = json_string_value (json_object_get (event, "event"));
    const json_t *job = json_object_get (event, "job");
    double at = json_number_value (json_object_get (event, "now"));
    if (!name)
        return;
    if (!strcmp (name, "submitted"))
        lines_say (make_submission (job, time_of (job, "submit")));
    else if (!strcmp (name, "started"))
        lines_say (make_start (job));
    else if (!strcmp (name, "changed"))
        say_change (job, at);
    else if (!strcmp (name, "node") || !strcmp (name, "link"))
        say_part (event, name, at);
    else if (!strcmp (name, "ended")) {
        if (was_cancelled (job))
            lines_say (make_ending (job, "cancel"));
        lines_say (make_ending (job, "ended"));
    }
}

/* Only the data lines of server-sent events are needed. */
static bool read_events (struct follower *f, int fd)
{
    const char *end;
    if (!lines_fill (&f->events, fd))
        return false;
    while ((end = memchr (f->events.data, '\n', f->events.n))) {
        static const char mark[] = "data: ";
        size_t n = (size_t)(end - f->events.data), skip = sizeof mark - 1;
        if (n > skip && !strncmp (f->events.data, mark, skip)) {
            json_t *event
                = json_loadb (f->events.data + skip, n - skip, 0, NULL);
            report_event (event);
            json_decref (event);
        }
        f->events.n -= n + 1;
        memmove (f->events.data, end + 1, f->events.n);
    }
    return true;
}

/* ---- the loop ---- */

/* Wait until the shadow sends the time to begin from (-1: from now on), and the
 * jobs of whose ends it has not heard. */
static bool await_list (struct follower *f, double *ret_since,
                        json_t **ret_unended)
{
    while (lines_fill (&f->orders, STDIN_FILENO)) {
        json_t *order;
        while ((order = lines_next (&f->orders))) {
            const char *what
                = json_string_value (json_object_get (order, "do"));
            const json_t *since = json_object_get (order, "since");
            bool found = what && !strcmp (what, "list");
            *ret_since = since ? json_number_value (since) : -1;
            *ret_unended = json_incref (json_object_get (order, "jobs"));
            json_decref (order);
            if (found)
                return true;
        }
    }
    return false;
}

static void follow_events (struct follower *f, double since,
                           json_t *unended)
{
    enum { BEAT = 500 }; /* milliseconds */
    FILE *stream = send_request (f->socket, "/v1/events");
    int fd = fileno (stream);
    json_t *order;
    if (since < 0)
        say_all (f);
    else
        say_since (f, since - OVERLAP, unended);
    for (;;) {
        struct pollfd fds[] = {{STDIN_FILENO, POLLIN, 0}, {fd, POLLIN, 0}};
        poll (fds, 2, BEAT);
        if (fds[1].revents && !read_events (f, fd))
            give_up (f->socket, "the live torid is gone");
        if (fds[0].revents && !lines_fill (&f->orders, STDIN_FILENO))
            break;
        while ((order = lines_next (&f->orders)))
            json_decref (order);
        lines_say (json_pack ("{s:s, s:f}", "is", "time", "at",
                              read_clock () - f->delay));
    }
    fclose (stream);
}

/* ---- the command ---- */

struct values {
    struct about about;
    const char *socket;
    struct fraction delay;
};

static const struct option options[] = {
    {.name = "socket", .kind = OPTION_STRING,
     OPTION_AT (struct values, socket), .value = "PATH",
     .help = "where the live torid listens"},
    {.name = "delay", .kind = OPTION_FRACTION,
     OPTION_AT (struct values, delay), .value = "DURATION", .unit = 1,
     .fallback = "2s",
     .help = "how long its events may be under way"},
    OPTION_ROWS_ABOUT (struct values),
    {.name = NULL},
};

static const struct command command_follow;

static int run_follow (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct follower f = {.socket = v->socket,
                         .delay = fraction_value (v->delay)};
    double since;
    json_t *unended;
    int status;
    if (about_done (&v->about, &command_follow, out, &status, err))
        return status;
    if (!v->socket)
        return tori_error_set (err, TORI_INVALID,
                               "--socket PATH is missing; see 'torid-follow "
                               "--help'");
    signal (SIGPIPE, SIG_IGN);
    lines_say (lines_ready ());
    if (await_list (&f, &since, &unended)) {
        follow_events (&f, since, unended);
        json_decref (unended);
    }
    lines_clear (&f.orders);
    lines_clear (&f.events);
    return 0;
}

static const struct command command_follow = {
    .name = "torid-follow",
    .section = 8,
    .summary = "Report what a live torid does, for torid --shadow",
    .notes = "torid-follow tells which jobs were submitted to a torid, and "
             "when and where they started and ended there, so that another "
             "one can rehearse a policy on the same jobs. It runs as the "
             "executor of torid --shadow.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "torid --shadow --sched conservative --machine torus:4x4 \\\n"
                "    --state DIR2 --executor \\\n"
                "    'torid-follow --socket DIR/socket'",
    .run = run_follow,
};

int main (int argc, char **argv)
{
    return startup (&command_follow, NULL, argc, argv);
}
