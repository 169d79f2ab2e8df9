/* main.c - torid: the scheduler as a service. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "manuals.h"
#include "outfile.h"
#include "settings.h"
#include "shortage.h"
#include "syserror.h"
#include "torid.h"

/* ---- the beginning ---- */

static int make_state (struct torid *torid, const struct settings *v,
                       tori_error *err)
{
    const char *executor = settings_executor (v);
    torid->state = strdup (v->state);
    torid->executor = executor ? strdup (executor) : NULL;
    torid->orders.list = json_array ();
    torid->events.list = json_array ();
    if (v->socket)
        torid->socket = strdup (v->socket);
    else if (asprintf (&torid->socket, "%s/socket", v->state) < 0)
        torid->socket = NULL;
    if (!torid->state || (executor && !torid->executor) || !torid->orders.list
        || !torid->events.list || !torid->socket)
        return tori_error_nomem (err);
    /* Users pass through to the socket, whatever the umask is, but cannot list
     * the directory. */
    if (mkdir (v->state, 0711) == 0 ? chmod (v->state, 0711) < 0
                                    : errno != EEXIST)
        return system_error (v->state, errno, err);
    return 0;
}

/* The journal is as before if that fails. */
static int salvage_state (struct torid *torid, tori_error *err)
{
    const char *dir = torid->setup.values.state;
    char from[4096];
    struct aside aside;
    int status;
    if (state_set_aside (dir, &aside, err) < 0)
        return -1;
    snprintf (from, sizeof from, "%s/%s", dir, aside.name);
    status = commit_loop_salvage (torid, from, err);
    if (status < 0) {
        journal_close (torid->journal);
        torid->journal = NULL;
        state_put_back (dir, &aside);
    } else if (!torid->salvaged)
        state_drop_aside (dir, &aside);
    return status;
}

static int begin_service (struct torid *torid, tori_error *err)
{
    const struct settings *v = &torid->setup.values;
    torid->level = (enum level)v->level;
    if (make_state (torid, v, err) < 0
        || state_lock (v->state, &torid->lock, err) < 0
        || service_make (v, &torid->machine, &torid->service, err) < 0)
        return -1;
    state_hide (v->state);
    if ((v->salvage ? salvage_state (torid, err)
                    : commit_loop_open (torid, err))
        < 0)
        return -1;
    torid_resume_clock (torid);
    if (mark_open (torid, err) < 0)
        return -1;
    torid_watch_clock (torid);
    return service_set_policy (torid->service, torid_now (torid), &v->policy,
                               err);
}

/* ---- changes of the configuration ---- */

static void on_problem (void *arg, const char *text)
{
    torid_log (arg, LEVEL_ERROR, "bad-setting", "{s:s}", "why", text);
}

/* Log the changed settings that need a restart; they stay as they were. */
static void name_fixed (struct torid *torid, const struct settings *old,
                        const struct settings *new)
{
    char names[512] = "";
    size_t used = 0;
    for (const struct option *row = settings_options; row->name; row++)
        if (!row->live && !row->aside && !options_equal (row, old, new)
            && used < sizeof names)
            used += (size_t)snprintf (names + used, sizeof names - used,
                                      "%s%s", used ? "," : "", row->name);
    torid_log (torid, used ? LEVEL_WARNING : LEVEL_INFO, "reloaded",
               used ? "{s:s}" : NULL, "restart_for", names);
}

static void reload_settings (struct torid *torid)
{
    struct setup setup;
    tori_error err = {0};
    if (setup_read (&setup, &command_torid, torid->argc, torid->argv,
                    on_problem, torid, &err)
            < 0
        || service_set_policy (torid->service, torid_now (torid),
                               &setup.values.policy, &err)
               < 0) {
        if (*err.text)
            on_problem (torid, err.text);
        torid_check_memory (torid);
        torid_log (torid, LEVEL_ERROR, "not-reloaded", NULL);
        setup_free (&setup);
        return;
    }
    name_fixed (torid, &torid->setup.values, &setup.values);
    setup_free (&torid->setup);
    torid->setup = setup;
    torid->level = (enum level)setup.values.level;
    torid->era++;
    torid_stir (torid);
}

static void on_hangup (uv_signal_t *handle, int number)
{
    struct torid *torid = handle->data;
    notify_reloading (&torid->notify);
    reload_settings (torid);
    notify_say (&torid->notify, "READY=1");
}

/* ---- turns ---- */

static void on_wake (uv_timer_t *timer)
{
    torid_stir (timer->data);
}

/* Those who have come are answered before torid ends, within this time; so are
 * those who have connected this short a time before, and ask late because the
 * machine is busy. */
enum { LEAVE_MS = 5000 };

static void leave_if_done (struct torid *torid)
{
    uint64_t now = uv_now (&torid->loop), end = torid->leaves;
    if (now < end && !http_is_idle (torid, now > LEAVE_MS ? now - LEAVE_MS : 0))
        return;
    torid->ending = true;
    uv_stop (&torid->loop);
}

/* Before the loop sleeps, what has come in is settled. What came meanwhile, or
 * takes longer, has a turn of its own at once. */
static void on_turn (uv_prepare_t *turn)
{
    struct torid *torid = turn->data;
    tori_time wake;
    commit_loop_settle (torid);
    snapshot_writer_turn (torid);
    watch_turn (torid);
    http_turn (torid);
    executor_pipe_turn (torid);
    wake = service_wake (torid->service);
    if (torid->stirred || torid->unsaved) {
        uv_timer_start (&torid->wake, on_wake, 0, 0);
    } else if (wake < TORI_TIME_MAX && !service_lags (torid->service)) {
        tori_time left = wake - torid_now (torid);
        uv_timer_start (&torid->wake, on_wake,
                        left > 0 ? (uint64_t)left / 1000 + 1 : 1, 0);
    }
    turns_end (torid);
    if (torid->leaves)
        leave_if_done (torid);
}

/* Clients that are connected get their answers, also those that nobody has
 * accepted yet; others wait for the next torid. A second signal ends torid at
 * once. */
static void on_signal (uv_signal_t *handle, int number)
{
    struct torid *torid = handle->data;
    torid_log (torid, LEVEL_INFO, "ending", "{s:i}", "signal", number);
    notify_say (&torid->notify, "STOPPING=1");
    http_quiet (torid);
    torid->leaves = uv_now (&torid->loop) + (torid->leaves ? 0 : LEAVE_MS);
    http_run (torid);
}

static void prepare_loop (struct torid *torid)
{
    uv_timer_init (&torid->loop, &torid->retry);
    uv_timer_init (&torid->loop, &torid->wake);
    uv_timer_init (&torid->loop, &torid->respawn);
    uv_timer_init (&torid->loop, &torid->pulse);
    uv_timer_init (&torid->loop, &torid->rest);
    uv_timer_init (&torid->loop, &torid->writer.pause);
    uv_prepare_init (&torid->loop, &torid->turn);
    uv_signal_init (&torid->loop, &torid->term);
    uv_signal_init (&torid->loop, &torid->interrupt);
    uv_signal_init (&torid->loop, &torid->hangup);
    torid->retry.data = torid->wake.data = torid->respawn.data
        = torid->pulse.data = torid->rest.data = torid->writer.pause.data = torid->turn.data
        = torid->term.data = torid->interrupt.data = torid->hangup.data = torid;
    uv_prepare_start (&torid->turn, on_turn);
    uv_signal_start (&torid->term, on_signal, SIGTERM);
    uv_signal_start (&torid->interrupt, on_signal, SIGINT);
    uv_signal_start (&torid->hangup, on_hangup, SIGHUP);
}

static void on_handle (uv_handle_t *handle, void *arg)
{
    if (!uv_is_closing (handle))
        uv_close (handle, NULL);
}

/* Close everything that is left; what was to be written is dropped. */
static void close_loop (struct torid *torid)
{
    uv_walk (&torid->loop, on_handle, NULL);
    uv_run (&torid->loop, UV_RUN_DEFAULT);
    uv_loop_close (&torid->loop);
}

static int serve_clients (struct torid *torid, tori_error *err)
{
    uv_loop_init (&torid->loop);
    turns_begin (torid);
    torid->errands.loop = &torid->loop;
    prepare_loop (torid);
    if (http_open (torid, err) < 0) {
        close_loop (torid);
        return -1;
    }
    notify_watch (&torid->notify, &torid->loop);
    remarks_begin (torid);
    executor_pipe_start (torid);
    history_begin (torid);
    torid_stir (torid);
    notify_say (&torid->notify, "READY=1");
    uv_run (&torid->loop, UV_RUN_DEFAULT);
    executor_pipe_stop (torid);
    watch_end (torid);
    looks_end (torid);
    history_end (torid);
    remarks_end (torid);
    snapshot_writer_stop (torid);
    http_close (torid);
    errands_end (&torid->errands);
    watch_free (torid);
    close_loop (torid);
    return commit_loop_finish (torid, err);
}

static void end_service (struct torid *torid)
{
    faults_clear (torid);
    names_free (torid);
    journal_close (torid->journal);
    mark_close (torid);
    service_destroy (torid->service);
    tori_machine_destroy (torid->machine);
    json_decref (torid->orders.list);
    json_decref (torid->events.list);
    setup_free (&torid->setup);
    state_unlock (torid->lock);
    notify_close (&torid->notify);
    free ((char *)(uintptr_t)torid->state);
    free (torid->executor);
    free (torid->page);
    free (torid->socket);
    free (torid->heard);
    remarks_clear (torid);
    quotas_free (&torid->quotas);
}

/* ---- the command ---- */

static void print_problem (void *arg, const char *text)
{
    fprintf (stderr, "torid: %s\n", text);
}

/* The manual has a page about the file as well. */
static int write_manuals (const char *dir, tori_error *err)
{
    struct outfile *file;
    struct page page;
    if (manual_begin (dir, "torid.conf", 5, &file, err) < 0)
        return -1;
    page = page_as_manual (outfile_stream (file));
    config_page (&page);
    return outfile_end (file, 0, err);
}

static int run_torid (int argc, char *const argv[], const void *values,
                      FILE *out, tori_error *err)
{
    const struct settings *typed = values;
    struct torid torid = {
        .lock = -1, .notify.fd = -1, .argc = argc, .argv = argv};
    int status;
    if (about_done (&typed->about, &command_torid, out, &status, err))
        return status == 0 && typed->about.manuals
                   ? write_manuals (typed->about.manuals, err)
                   : status;
    torid_begin_clock (&torid);
    torid.counts.begun = torid_now (&torid);
    shortage_watch ();
    status = setup_read (&torid.setup, &command_torid, argc, argv,
                         print_problem, NULL, err);
    notify_open (&torid.notify);
    signal (SIGPIPE, SIG_IGN);
    if (status == 0 && torid.setup.values.check)
        status = check (&torid.setup.values, out, err);
    else if (status == 0) {
        status = begin_service (&torid, err);
        if (status == 0)
            status = serve_clients (&torid, err);
    }
    end_service (&torid);
    return status;
}

static const struct command *const commands[] = {&command_token, NULL};

static const struct page_ref also[] = {
    {"torid.conf", 5}, {"torid-local", 8}, {"torid-rehearse", 8},
    {"torid-follow", 8}, {NULL, 0}};

const struct command command_torid = {
    .name = "torid",
    .section = 8,
    .summary = "Accept jobs, place them on a machine, and run them",
    .notes = "Everything that torid knows is in one directory. torid may be "
             "killed at any time; it then continues where it was. Every "
             "option but the last few can be set in a file: see "
             "torid.conf(5). On SIGHUP, torid reads the file again. SIGTERM "
             "and SIGINT end torid; jobs keep running. The log goes to "
             "standard error.",
    .options = settings_options,
    .size = sizeof (struct settings),
    .commands = commands,
    .also = also,
    .status = {[0] = "ended by a signal; of --check: nothing is wrong",
               [1] = "failure: a file cannot be read or written, or another "
                     "torid uses the directory",
               [2] = "bad usage, or something is wrong with the settings or "
                     "the journal"},
    .examples = "torid --machine torus:8x8x8 --state /var/lib/tori\n"
                "torid --config /etc/tori/torid.conf --check",
    .run_words = run_torid,
};

int main (int argc, char **argv)
{
    return startup (&command_torid, NULL, argc, argv);
}
