/* main.c - torid: the scheduler as a service. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "number.h"
#include "torid.h"

static const char help[]
    = "Usage: torid --machine MACHINE --state DIR [OPTION]...\n"
      "\n"
      "Accept jobs, place them on a machine, run them, and survive crashes.\n"
      "\n"
      "  --machine MACHINE   the machine, such as torus:8x8x8\n"
      "  --state DIR         where everything is kept; made if there is none\n"
      "  --socket PATH       where clients connect (DIR/socket)\n"
      "  --executor COMMAND  what runs the jobs, such as 'torid-local --jobs\n"
      "                      DIR/jobs'; without one, jobs are only placed\n"
      "  --sched NAME        the scheduler (easy)\n"
      "  --alloc NAME        the allocator for shapes (first-fit)\n"
      "  --counts NAME       the allocator for counts (mm)\n"
      "  --depth N           how many waiting jobs hold a reservation\n"
      "  --check             only check the options and the journal\n"
      "  --help              print this\n";

struct options {
    const char *machine, *state, *socket, *executor, *sched, *alloc, *counts;
    int64_t depth;
    bool check;
};

/* ---- options ---- */

static _Noreturn void misuse (const char *text)
{
    fprintf (stderr, "torid: %s\nTry 'torid --help'.\n", text);
    exit (2);
}

static void read_options (struct options *o, int argc, char **argv)
{
    static const struct option options[]
        = {{"machine", required_argument, NULL, 'm'},
           {"state", required_argument, NULL, 's'},
           {"socket", required_argument, NULL, 'k'},
           {"executor", required_argument, NULL, 'e'},
           {"sched", required_argument, NULL, 'p'},
           {"alloc", required_argument, NULL, 'a'},
           {"counts", required_argument, NULL, 'c'},
           {"depth", required_argument, NULL, 'd'},
           {"check", no_argument, NULL, 'C'},
           {"help", no_argument, NULL, 'h'},
           {0}};
    tori_error err;
    int option;
    while ((option = getopt_long (argc, argv, "", options, NULL)) >= 0)
        switch (option) {
        case 'm': o->machine = optarg; break;
        case 's': o->state = optarg; break;
        case 'k': o->socket = optarg; break;
        case 'e': o->executor = optarg; break;
        case 'p': o->sched = optarg; break;
        case 'a': o->alloc = optarg; break;
        case 'c': o->counts = optarg; break;
        case 'd':
            if (number_parse (optarg, "--depth", 1, UINT32_MAX, &o->depth,
                              &err)
                < 0)
                misuse (err.text);
            break;
        case 'C': o->check = true; break;
        case 'h': fputs (help, stdout); exit (0);
        default: misuse ("no such option");
        }
    if (!o->machine || !o->state || optind < argc)
        misuse ("expected --machine MACHINE --state DIR");
}

/* ---- the beginning ---- */

static int make_service (struct torid *torid, const struct options *o,
                         tori_error *err)
{
    const tori_alloc_config alloc = {.size = sizeof alloc, .name = o->alloc};
    const tori_alloc_config counts
        = {.size = sizeof counts, .name = o->counts};
    const tori_sched_config config = {.size = sizeof config,
                                      .policy = o->sched,
                                      .alloc = &alloc,
                                      .counts = &counts,
                                      .depth = (uint32_t)o->depth};
    if (tori_machine_parse (o->machine, &torid->machine, err) < 0
        || service_create (torid->machine, &config, &torid->service, err) < 0)
        return -1;
    if (mkdir (o->state, 0755) < 0 && errno != EEXIST)
        return tori_error_set (err, TORI_FAILED, "%s: %s", o->state,
                               strerror (errno));
    torid->state = o->state;
    torid->orders = json_array ();
    torid->events = json_array ();
    if (o->socket)
        torid->socket = strdup (o->socket);
    else if (asprintf (&torid->socket, "%s/socket", o->state) < 0)
        torid->socket = NULL;
    if (!torid->orders || !torid->events || !torid->socket)
        return tori_error_nomem (err);
    return ledger_open (torid, err);
}

/* ---- turns ---- */

static void on_wake (uv_timer_t *timer)
{
    torid_stir (timer->data);
}

/* Before the loop sleeps, all that has come in is settled. */
static void on_turn (uv_prepare_t *turn)
{
    struct torid *torid = turn->data;
    tori_time wake;
    while (torid->stirred)
        ledger_settle (torid);
    watch_turn (torid);
    wake = service_wake (torid->service);
    if (wake < TORI_TIME_MAX) {
        tori_time left = wake - torid_now ();
        uv_timer_start (&torid->wake, on_wake,
                        left > 0 ? (uint64_t)left / 1000 + 1 : 1, 0);
    }
}

static void on_signal (uv_signal_t *handle, int number)
{
    struct torid *torid = handle->data;
    torid_log (torid, LEVEL_INFO, "ending", "{s:i}", "signal", number);
    torid->ending = true;
    uv_stop (&torid->loop);
}

static void prepare (struct torid *torid)
{
    uv_timer_init (&torid->loop, &torid->http_timer);
    uv_timer_init (&torid->loop, &torid->retry);
    uv_timer_init (&torid->loop, &torid->wake);
    uv_timer_init (&torid->loop, &torid->respawn);
    uv_prepare_init (&torid->loop, &torid->turn);
    uv_signal_init (&torid->loop, &torid->term);
    uv_signal_init (&torid->loop, &torid->interrupt);
    torid->retry.data = torid->wake.data = torid->respawn.data
        = torid->turn.data = torid->term.data = torid->interrupt.data = torid;
    uv_prepare_start (&torid->turn, on_turn);
    uv_signal_start (&torid->term, on_signal, SIGTERM);
    uv_signal_start (&torid->interrupt, on_signal, SIGINT);
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

static int serve (struct torid *torid, tori_error *err)
{
    uv_loop_init (&torid->loop);
    prepare (torid);
    if (http_open (torid, err) < 0)
        return -1;
    link_start (torid);
    torid_stir (torid);
    torid_log (torid, LEVEL_INFO, "listening", "{s:s}", "socket",
               torid->socket);
    uv_run (&torid->loop, UV_RUN_DEFAULT);
    link_stop (torid);
    watch_end (torid);
    look_end (torid);
    http_close (torid);
    watch_free (torid);
    close_loop (torid);
    if (ledger_save (torid, err) < 0
        || journal_commit (torid->journal, err) < 0)
        return -1;
    return 0;
}

int main (int argc, char **argv)
{
    struct options o = {.sched = "easy", .alloc = "first-fit", .counts = "mm"};
    struct torid torid = {.listener = -1, .level = LEVEL_INFO};
    tori_error err = {0};
    int status;
    read_options (&o, argc, argv);
    signal (SIGPIPE, SIG_IGN);
    torid.executor = o.executor;
    status = make_service (&torid, &o, &err);
    if (status == 0 && !o.check)
        status = serve (&torid, &err);
    if (status < 0)
        fprintf (stderr, "torid: %s\n", err.text);
    journal_close (torid.journal);
    service_destroy (torid.service);
    tori_machine_destroy (torid.machine);
    json_decref (torid.orders);
    json_decref (torid.events);
    free (torid.socket);
    free (torid.heard);
    return status < 0 ? 1 : 0;
}
