/* link.c - the executor: a process that is told what to start, and says what ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "torid.h"

enum { LINE_MOST = 16 << 20 };

/* Milliseconds until it is started again: twice as long each time, until it
 * has been ready. */
enum { PAUSE = 1000, PAUSE_MOST = 60000 };

/* ---- what it says ---- */

static void log_failure (const struct torid *torid, const tori_error *err)
{
    torid_log (torid, LEVEL_ERROR, "service-failed", "{s:s}", "why",
               err->text);
}

/* Whoever watches hears that it has come or gone. */
static void tell_watchers (struct torid *torid, bool up)
{
    json_t *event
        = json_pack ("{s:s, s:f, s:b}", "event", "executor", "now",
                     (double)torid_now () / TORI_SECOND, "up", up);
    if (event)
        watch_tell (torid, event);
    json_decref (event);
}

/* It is ready: what it may not have heard is said again. */
static void greet (struct torid *torid, const json_t *word)
{
    tori_error err = {0};
    torid->ready = true;
    torid->pause = 0;
    *torid->absence = 0;
    tell_watchers (torid, true);
    torid_log (torid, LEVEL_INFO, "executor-ready", NULL);
    if (service_greet (torid->service, &err) < 0)
        log_failure (torid, &err);
    remarks_want (torid,
                  json_number_value (json_object_get (word, "remarks")));
    torid_stir (torid);
}

static void take_line (struct torid *torid, const char *line, size_t n)
{
    json_t *word = json_loadb (line, n, 0, NULL);
    const char *is = json_string_value (json_object_get (word, "is"));
    struct reply reply = {0};
    tori_error err = {0};
    if (!is)
        torid_log (torid, LEVEL_WARNING, "executor-said", "{s:s%}", "text",
                   line, n < 200 ? n : 200);
    else if (!strcmp (is, "ready"))
        greet (torid, word);
    else {
        json_object_set_new (word, "in", json_string ("executor"));
        if (service_do (torid->service, torid_turn (torid), word, &reply,
                        &err) < 0)
            log_failure (torid, &err);
        torid_stir (torid);
    }
    json_decref (reply.body);
    json_decref (word);
}

static void take_lines (struct torid *torid)
{
    size_t from = 0;
    char *end;
    while ((end = memchr (torid->heard + from, '\n', torid->nheard - from))) {
        take_line (torid, torid->heard + from,
                   (size_t)(end - torid->heard) - from);
        from = (size_t)(end - torid->heard) + 1;
    }
    torid->nheard -= from;
    memmove (torid->heard, torid->heard + from, torid->nheard);
    if (torid->nheard > LINE_MOST)
        torid->nheard = 0;
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
    if (n > 0) {
        torid->nheard += (size_t)n;
        take_lines (torid);
    } else if (n < 0) {
        uv_read_stop (stream);
    }
}

/* ---- what it is told ---- */

struct letter {
    uv_write_t request;
    char *text;
};

static void on_written (uv_write_t *request, int status)
{
    struct letter *letter = (struct letter *)request;
    free (letter->text);
    free (letter);
}

/* An order that does not arrive is given again when the executor is back. */
void link_say (struct torid *torid, const json_t *order)
{
    struct letter *letter;
    uv_buf_t buffer;
    char *text;
    if (!torid->linked || !torid->ready)
        return;
    text = json_dumps (order, JSON_COMPACT);
    letter = text ? calloc (1, sizeof *letter) : NULL;
    if (!letter || asprintf (&letter->text, "%s\n", text) < 0) {
        free (text);
        free (letter);
        return;
    }
    free (text);
    buffer = uv_buf_init (letter->text, (unsigned)strlen (letter->text));
    if (uv_write (&letter->request, (uv_stream_t *)&torid->to, &buffer, 1,
                  on_written)
        != 0)
        on_written (&letter->request, -1);
}

/* ---- its process ---- */

static void on_respawn (uv_timer_t *timer)
{
    link_start (timer->data);
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
    torid->ready = false;
    tell_watchers (torid, false);
    torid->nheard = 0;
    snprintf (why, sizeof why, signal ? "it was ended by signal %d"
                                      : "it ended with status %d",
              signal ? signal : (int)status);
    if (!torid->ending)
        try_later (torid, why);
    uv_close ((uv_handle_t *)&torid->to, NULL);
    uv_close ((uv_handle_t *)&torid->from, NULL);
    uv_close ((uv_handle_t *)process, on_closed);
}

/* As many files as this process may open would be more than some programs can
 * bear. One that has a machine of its own can see whether it is this one. */
static char *command_of (const struct torid *torid)
{
    char machine[TORI_TEXT_MAX], *text = NULL;
    tori_machine_format (torid->machine, machine);
    return asprintf (&text,
                     "ulimit -S -n %llu; TORI_MACHINE='%s'; "
                     "export TORI_MACHINE; %s",
                     (unsigned long long)torid->files, machine,
                     torid->executor)
                   < 0
               ? NULL
               : text;
}

void link_start (struct torid *torid)
{
    char *words[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", NULL,
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

/* It ends when its standard input does: when this process is gone. */
void link_stop (struct torid *torid)
{
    torid->ending = true;
    uv_timer_stop (&torid->respawn);
}
