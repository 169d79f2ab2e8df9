/* executor_pipe.c - the executor: a process that gets orders and reports. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "torid.h"
#include "utf8.h"

/* The longest line, unless the executor says that it takes longer or shorter
 * ones. */
enum { LINE_MOST = 16 << 20 };

/* Milliseconds until it is started again: twice as long each time, until it
 * has been ready. */
enum { PAUSE = 1000, PAUSE_MOST = 60000 };

/* ---- what it says ---- */

/* Tell the watchers that the executor has come or gone. */
static void tell_watchers (struct torid *torid, bool up)
{
    json_t *event
        = json_pack ("{s:s, s:f, s:b}", "event", "executor", "now",
                     (double)torid_now (torid) / TORI_SECOND, "up", up);
    if (event)
        watch_tell (torid, event);
    json_decref (event);
}

/* ---- whether it answers ---- */

static void note_answer (struct torid *torid)
{
    torid->asked = 0;
    if (!torid->silent)
        return;
    torid->silent = false;
    *torid->absence = 0;
    tell_watchers (torid, true);
    torid_log (torid, LEVEL_INFO, "executor-answers", NULL);
}

static void note_silence (struct torid *torid)
{
    double since = (double)(uv_now (&torid->loop) - torid->asked) / 1000;
    snprintf (torid->absence, sizeof torid->absence,
              "the executor has not answered for %.0f s", since);
    if (torid->silent)
        return;
    torid->silent = true;
    tell_watchers (torid, false);
    torid_log (torid, LEVEL_ERROR, "executor-silent", "{s:f}", "seconds",
               since);
}

/* One question at a time: an executor that is stopped need not answer many
 * when it goes on. */
static void on_pulse (uv_timer_t *timer)
{
    enum { MISSED = 3 };
    struct torid *torid = timer->data;
    uint64_t every = (uint64_t)torid->setup.values.heartbeat / 1000;
    json_t *ping;
    if (!torid->ready || !torid->pings)
        return;
    if (torid->asked == 0 && every > 0) {
        ping = json_pack ("{s:s, s:f}", "do", "ping", "every",
                          (double)every / 1000);
        torid->asked = uv_now (&torid->loop);
        executor_pipe_say (torid, ping);
        json_decref (ping);
    } else if (uv_now (&torid->loop) - torid->asked >= MISSED * every) {
        note_silence (torid);
    }
    uv_timer_start (timer, on_pulse, every > 0 ? every : 1000, 0);
}

/* ---- its words ---- */

static size_t read_limit (const json_t *word, const char *name,
                          size_t otherwise)
{
    enum { LEAST = 4096, MOST = 1 << 30 };
    const json_t *most = json_object_get (word, name);
    json_int_t n = json_integer_value (most);
    return !json_is_integer (most) ? otherwise
           : n < LEAST             ? LEAST
           : n > MOST              ? MOST
                                   : (size_t)n;
}

/* Note what the executor accepts: how much, and pings. */
static void note_skills (struct torid *torid, const json_t *word)
{
    torid->line_most = read_limit (word, "max_line", LINE_MOST);
    service_limit_orders (
        torid->service,
        (struct order_limits){.line = torid->line_most,
                              .word = read_limit (word, "max_word", 0),
                              .words = read_limit (word, "max_words", 0)});
    torid->pings = json_is_true (json_object_get (word, "ping"));
    torid->asked = 0;
    torid->silent = false;
    uv_timer_start (&torid->pulse, on_pulse, 0, 0);
}

/* Its host is in trouble, so that starts wait there; or no longer. */
static void note_trouble (struct torid *torid, const char *why)
{
    if (why)
        torid_log (torid, LEVEL_ERROR, "host-trouble", "{s:s}", "why", why);
    else if (*torid->plight)
        torid_log (torid, LEVEL_INFO, "host-recovered", NULL);
    snprintf (torid->plight, sizeof torid->plight, "%s", why ? why : "");
    utf8_mend (torid->plight);
}

/* The executor is ready: repeat the orders that it may not have heard. */
/* Whether a name of a host is that of this one. */
static bool is_this_host (const json_t *name)
{
    char own[256] = "";
    return json_is_string (name) && gethostname (own, sizeof own - 1) == 0
           && !strcmp (own, json_string_value (name));
}

static void greet_executor (struct torid *torid, const json_t *word)
{
    tori_error err = {0};
    torid->ready = true;
    torid->here = is_this_host (json_object_get (word, "files"));
    json_decref (torid->faults.starting);
    torid->faults.starting = json_object ();
    note_skills (torid, word);
    torid->pause = 0;
    *torid->absence = *torid->plight = 0;
    tell_watchers (torid, true);
    torid_log (torid, LEVEL_INFO, "executor-ready", NULL);
    if (commit_loop_greet (torid, &err) < 0)
        torid_fail (torid, &err);
    remarks_want (torid,
                  json_number_value (json_object_get (word, "remarks")));
    torid_stir (torid);
}

void executor_pipe_hear (struct torid *torid, json_t *word)
{
    struct reply reply = {0};
    size_t before = service_strangers (torid->service), now;
    json_object_set_new (word, "in", json_string ("executor"));
    torid_tell (torid, word, &reply);
    json_decref (reply.body);
    now = service_strangers (torid->service);
    if (now != before)
        torid_log (torid, now > before ? LEVEL_ERROR : LEVEL_INFO,
                   "unknown-processes", "{s:I}", "count", (json_int_t)now);
}

void executor_pipe_take_line (struct torid *torid, const char *line, size_t n)
{
    json_t *word = json_loadb (line, n, 0, NULL);
    const char *is = json_string_value (json_object_get (word, "is"));
    torid_check_memory (torid);
    if (!is)
        torid_log (torid, LEVEL_WARNING, "executor-said", "{s:s%}", "text",
                   line, n < 200 ? n : 200);
    else if (!strcmp (is, "ready"))
        greet_executor (torid, word);
    else if (!strcmp (is, "pong"))
        note_answer (torid);
    else if (!strcmp (is, "trouble"))
        note_trouble (torid, json_string_value (json_object_get (word, "why")));
    else {
        executor_pipe_hear (torid, word);
        faults_hear (torid, word);
    }
    json_decref (word);
}

/* The rest of such a line could be anything, also a message. So this is the
 * end of the conversation: another executor may do better. */
static void hang_up (struct torid *torid)
{
    uv_read_stop ((uv_stream_t *)&torid->from);
    torid->ready = false;
    torid->nheard = 0;
    snprintf (torid->fault, sizeof torid->fault,
              "it wrote a line of more than %d bytes", (int)LINE_MOST);
    torid_log (torid, LEVEL_ERROR, "executor-said", "{s:s}", "why",
               torid->fault);
    uv_close ((uv_handle_t *)&torid->to, NULL);
    uv_process_kill (&torid->process, SIGKILL);
}

/* Those that come when the turn has taken long wait for the next one, but not
 * the first. */
static void take_lines (struct torid *torid)
{
    enum { TURN_MOST = 15000000 };
    size_t from = 0;
    char *end;
    torid->behind = false;
    while ((end = memchr (torid->heard + from, '\n', torid->nheard - from))) {
        if (from > 0 && turns_spent (torid) >= TURN_MOST) {
            torid->behind = true;
            break;
        }
        executor_pipe_take_line (torid, torid->heard + from,
                                 (size_t)(end - torid->heard) - from);
        from = (size_t)(end - torid->heard) + 1;
    }
    torid->nheard -= from;
    memmove (torid->heard, torid->heard + from, torid->nheard);
    if (torid->nheard > LINE_MOST && !torid->behind)
        hang_up (torid);
    else if (torid->behind)
        uv_read_stop ((uv_stream_t *)&torid->from);
}

static void on_alloc (uv_handle_t *handle, size_t wanted, uv_buf_t *buffer)
{
    struct torid *torid = handle->data;
    char *more = array_room (torid->heard, &torid->heard_room,
                             torid->nheard + wanted, 1);
    if (more)
        torid->heard = more;
    *buffer = more ? uv_buf_init (more + torid->nheard, (unsigned)wanted)
                   : uv_buf_init (NULL, 0);
}

static void on_read (uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct torid *torid = stream->data;
    tori_error err = {0};
    if (n > 0) {
        torid->nheard += (size_t)n;
        take_lines (torid);
    } else if (n == UV_ENOBUFS) { /* nothing would be heard any more */
        tori_error_nomem (&err);
        torid_fail (torid, &err);
    } else if (n < 0) {
        uv_read_stop (stream);
    }
}

static void on_rest (uv_timer_t *timer)
{
    struct torid *torid = timer->data;
    take_lines (torid);
    if (!torid->behind && !*torid->fault)
        uv_read_start ((uv_stream_t *)&torid->from, on_alloc, on_read);
}

void executor_pipe_turn (struct torid *torid)
{
    if (torid->behind)
        uv_timer_start (&torid->rest, on_rest, 0, 0);
}

/* ---- messages to the executor ---- */

struct letter {
    uv_write_t request;
    char *text;
};

static void drop_letter (struct letter *letter)
{
    free (letter->text);
    free (letter);
}

/* There may be room for more; but nobody reads a pipe that has failed. */
static void on_written (uv_write_t *request, int status)
{
    struct torid *torid = request->handle->data;
    drop_letter ((struct letter *)request);
    torid->letters--;
    if (status == 0 && !torid->ending)
        commit_loop_order (torid);
}

bool executor_pipe_is_full (struct torid *torid)
{
    enum { BACKLOG = 1 << 20, TURN_MOST = 15000000 };
    return torid->letters > 0
           && (uv_stream_get_write_queue_size ((uv_stream_t *)&torid->to)
                   >= BACKLOG
               || turns_spent (torid) >= TURN_MOST);
}

/* The executor would pass the line over, and the job would be starting for
 * ever. */
static void refuse_order (struct torid *torid, const json_t *order, size_t n)
{
    char why[120];
    json_t *word;
    snprintf (why, sizeof why,
              "its order has %zu bytes, and the executor takes at most %zu", n,
              torid->line_most);
    torid_log (torid, LEVEL_ERROR, "order-too-long", "{s:O?, s:s}", "job",
               json_object_get (order, "job"), "why", why);
    word = json_pack ("{s:s, s:O?, s:O?, s:s}", "is", "failed", "job",
                      json_object_get (order, "job"), "attempt",
                      json_object_get (order, "attempt"), "why", why);
    if (word)
        executor_pipe_hear (torid, word);
    json_decref (word);
}

/* Without an executor, nothing runs that would have to end: a job that is told
 * to stop has ended. */
static void answer_stop (struct torid *torid, const json_t *order)
{
    const char *what = json_string_value (json_object_get (order, "do"));
    json_t *word;
    if (!what || strcmp (what, "stop") || !executor_lack (torid))
        return;
    word = json_pack ("{s:s, s:O?, s:O?, s:O*}", "is", "ended", "job",
                      json_object_get (order, "job"), "attempt",
                      json_object_get (order, "attempt"), "state",
                      json_object_get (order, "state"));
    if (word)
        executor_pipe_hear (torid, word);
    json_decref (word);
}

/* An order that does not arrive is given again when the executor is back. */
void executor_pipe_say (struct torid *torid, const json_t *order)
{
    struct letter *letter;
    uv_buf_t buffer;
    char *text;
    tori_error err = {0};
    if (!torid->executor)
        answer_stop (torid, order);
    if (!torid->linked || !torid->ready)
        return;
    text = service_write_order (order);
    torid_check_memory (torid); /* or it may lack something */
    if (text && strlen (text) >= torid->line_most) {
        refuse_order (torid, order, strlen (text) + 1);
        free (text);
        return;
    }
    faults_order (torid, order);
    letter = text ? calloc (1, sizeof *letter) : NULL;
    if (!letter || asprintf (&letter->text, "%s\n", text) < 0) {
        tori_error_nomem (&err);
        torid_fail (torid, &err);
    }
    free (text);
    buffer = uv_buf_init (letter->text, (unsigned)strlen (letter->text));
    if (uv_write (&letter->request, (uv_stream_t *)&torid->to, &buffer, 1,
                  on_written)
        == 0)
        torid->letters++;
    else
        drop_letter (letter);
}

/* ---- its process ---- */

static void on_respawn (uv_timer_t *timer)
{
    executor_pipe_start (timer->data);
}

/* Jobs stay as they are until it is back. */
static void try_later (struct torid *torid, const char *why)
{
    torid->pause = torid->pause == 0                ? PAUSE
                   : torid->pause < PAUSE_MOST / 2 ? 2 * torid->pause
                                                    : PAUSE_MOST;
    snprintf (torid->absence, sizeof torid->absence,
              "the executor is away: %s; it is started again every %u s", why,
              torid->pause / 1000);
    torid_log (torid, LEVEL_ERROR, "executor-away", "{s:s, s:i}", "why", why,
               "retry_s", (int)(torid->pause / 1000));
    uv_timer_start (&torid->respawn, on_respawn, torid->pause, 0);
}

static void on_closed (uv_handle_t *handle)
{
    struct torid *torid = handle->data;
    torid->linked = false;
}

static void on_ended (uv_process_t *process, int64_t status, int signal)
{
    struct torid *torid = process->data;
    char why[80];
    torid->ready = torid->silent = false;
    tell_watchers (torid, false);
    while (torid->behind)
        take_lines (torid);
    torid->nheard = 0;
    uv_timer_stop (&torid->pulse);
    uv_timer_stop (&torid->rest);
    snprintf (why, sizeof why, signal ? "it was ended by signal %d"
                                      : "it ended with status %d",
              signal ? signal : (int)status);
    if (!torid->ending)
        try_later (torid, *torid->fault ? torid->fault : why);
    *torid->fault = 0;
    if (!uv_is_closing ((uv_handle_t *)&torid->to))
        uv_close ((uv_handle_t *)&torid->to, NULL);
    uv_close ((uv_handle_t *)&torid->from, NULL);
    uv_close ((uv_handle_t *)process, on_closed);
}

/* The limit of open files is set back, because some programs cannot bear a
 * high one. An executor with a machine of its own can check that it is this
 * one. */
static char *command_of (const struct torid *torid)
{
    char machine[TORI_TEXT_MAX], *text = NULL;
    tori_machine_format (torid->machine, machine);
    return asprintf (&text,
                     "ulimit -S -n %llu; TORI_MACHINE='%s'; TORI_STATE=%s; "
                     "export TORI_MACHINE TORI_STATE; %s",
                     (unsigned long long)torid->files, machine,
                     service_identity (torid->service)
                         ? service_identity (torid->service)
                         : "",
                     torid->executor)
                   < 0
               ? NULL
               : text;
}

/* torid-local reports no other scheduler, which a shadow needs. */
const char *settings_executor (const struct settings *v)
{
    if (!v->executor)
        return v->shadow ? NULL : LINK_LOCAL;
    return strcmp (v->executor, "none") == 0 ? NULL : v->executor;
}

const char *executor_lack (const struct torid *torid)
{
    return torid->executor || service_lags (torid->service)
               ? NULL
               : "jobs are only placed, and nothing runs: torid has no "
                 "executor";
}

void executor_home (char home[PATH_MAX])
{
    ssize_t n = readlink ("/proc/self/exe", home, PATH_MAX - 1);
    home[n > 0 ? n : 0] = 0;
    if (strrchr (home, '/'))
        *strrchr (home, '/') = 0;
}

void executor_pipe_start (struct torid *torid)
{
    char home[PATH_MAX];
    char *words[] = {(char *)(uintptr_t) "sh",
                     (char *)(uintptr_t) "-c",
                     NULL,
                     (char *)(uintptr_t) "torid",
                     home,
                     (char *)(uintptr_t)torid->state,
                     NULL};
    uv_stdio_container_t files[3] = {
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
         .data.stream = (uv_stream_t *)&torid->to},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
         .data.stream = (uv_stream_t *)&torid->from},
        {.flags = UV_INHERIT_FD, .data.fd = 2}};
    uv_process_options_t options = {.exit_cb = on_ended,
                                    .file = "/bin/sh",
                                    .args = words,
                                    .stdio = files,
                                    .stdio_count = 3};
    int status;
    if (!torid->executor)
        return;
    torid->line_most = LINE_MOST;
    service_limit_orders (torid->service,
                          (struct order_limits){.line = torid->line_most});
    executor_home (home);
    words[2] = command_of (torid);
    uv_pipe_init (&torid->loop, &torid->to, 0);
    uv_pipe_init (&torid->loop, &torid->from, 0);
    torid->to.data = torid->from.data = torid->process.data = torid;
    status = words[2] ? uv_spawn (&torid->loop, &torid->process, &options)
                      : UV_ENOMEM;
    if (words[2] && status < 0) /* the loop has it all the same */
        uv_close ((uv_handle_t *)&torid->process, NULL);
    free (words[2]);
    if (status < 0) {
        uv_close ((uv_handle_t *)&torid->to, NULL);
        uv_close ((uv_handle_t *)&torid->from, NULL);
        try_later (torid, uv_strerror (status));
        return;
    }
    torid->linked = true;
    uv_read_start ((uv_stream_t *)&torid->from, on_alloc, on_read);
}

/* The executor ends when its standard input does: when this process is gone.
 */
void executor_pipe_stop (struct torid *torid)
{
    torid->ending = true;
    uv_timer_stop (&torid->respawn);
    uv_timer_stop (&torid->pulse);
}
