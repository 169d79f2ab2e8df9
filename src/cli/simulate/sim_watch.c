#include "sim_watch.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "duration.h"
#include "picture.h"
#include "screen.h"
#include "screenview.h"
#include "terminal.h"
#include "whycase.h"

/* Ticks per millisecond; further keys have no effect. */
#define FASTEST 1e15
#define SLOWEST 1e-3

/* Milliseconds between two pictures, and by how much a picture may be
 * early. */
enum { PICTURE_MS = 100, EARLY_MS = 20, SECOND_MS = 1000, MOVIE_SECONDS = 60 };

struct sim_watch {
    const tori_machine *machine;
    const tori_workload *workload;
    struct screen screen;
    struct screen_view view;
    struct picture picture;
    tori_job *running;
    size_t n, room;
    double speed;  /* ticks per millisecond */
    double at;     /* the simulated time on the screen, in ticks, ... */
    int64_t then;  /* ... at this time of the clock */
    int64_t drawn; /* the last picture */
    bool stale;    /* the picture must be drawn at once */
    bool paused;
    bool left; /* the user left; the rest is not shown */
};

/* ---- opening and closing ---- */

/* The end of the last job if no job had to wait. */
static tori_time least_end (const tori_workload *workload)
{
    tori_time end = 0;
    for (size_t i = 0; i < workload->n; i++) {
        const tori_work *work = &workload->jobs[i];
        if (work->submit + work->runtime > end)
            end = work->submit + work->runtime;
    }
    return end;
}

static double usual_speed (const tori_workload *workload)
{
    tori_time begin = workload->n ? workload->jobs[0].submit : 0;
    double span = (double)(least_end (workload) - begin);
    return span > 0 ? span / MOVIE_SECONDS : TORI_SECOND;
}

int sim_watch_open (const tori_machine *machine, const tori_workload *workload,
                    tori_time speed, struct sim_watch **ret_watch,
                    tori_error *err)
{
    struct sim_watch *watch;
    if (!screen_can ())
        return tori_error_set (err, TORI_INVALID,
                               "--watch needs a terminal, for input and "
                               "output");
    watch = calloc (1, sizeof *watch);
    if (!watch)
        return tori_error_nomem (err);
    watch->machine = machine;
    watch->workload = workload;
    watch->view.colour = terminal_bold ();
    watch->speed =
        (speed ? (double)speed : usual_speed (workload)) / SECOND_MS;
    watch->then = screen_clock ();
    if (picture_create (machine, &watch->picture, err) < 0
        || screen_open (&watch->screen, err) < 0) {
        picture_clear (&watch->picture);
        free (watch);
        return -1;
    }
    *ret_watch = watch;
    return 0;
}

void sim_watch_close (struct sim_watch *watch)
{
    struct screen screen;
    bool left;
    if (!watch)
        return;
    screen = watch->screen;
    left = watch->left;
    picture_clear (&watch->picture);
    free (watch->running);
    free (watch);
    if (!left)
        screen_close (&screen);
}

/* ---- the picture ---- */

static const tori_work *work_of (const struct sim_watch *watch, uint64_t tag)
{
    return &watch->workload->jobs[tag];
}

/* Put the running jobs into the picture, with letters by their indexes.
 * Returns how many nodes they have, or -1. */
static int64_t update_picture (struct sim_watch *watch,
                               const tori_sched *sched, tori_error *err)
{
    size_t n = tori_sched_running (sched);
    int64_t busy = 0;
    tori_job *more =
        array_room (watch->running, &watch->room, n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    watch->running = more;
    watch->n = tori_sched_running_jobs (sched, watch->running);
    picture_state (&watch->picture, tori_sched_state (sched));
    for (size_t i = 0; i < watch->n; i++) {
        tori_job_info info = {.size = sizeof info};
        if (!tori_sched_look (sched, watch->running[i], &info) || !info.place)
            continue;
        picture_place (&watch->picture, info.place, info.tag + 1);
        busy += info.place->count;
    }
    return picture_letter (&watch->picture, &watch->picture.letters, err) < 0
               ? -1
               : busy;
}

enum { WORDS = TORI_TEXT_MAX + 200 };

/* A shape or a number, as it was asked for. */
static void size_format (const tori_work *work, char text[TORI_TEXT_MAX])
{
    if (work->request.shape.ndims)
        tori_shape_format (&work->request.shape, text);
    else
        snprintf (text, TORI_TEXT_MAX, "%u", work->request.count);
}

static void put_head (const struct sim_watch *watch, const tori_sched *sched,
                      tori_time now, int64_t busy, FILE *out)
{
    char text[WORDS], name[TORI_TEXT_MAX], time[DURATION_TEXT_MAX];
    uint32_t nodes = tori_machine_nodes (watch->machine);
    tori_machine_format (watch->machine, name);
    duration_about (now - watch->workload->jobs[0].submit, time);
    snprintf (text, sizeof text,
              "%s after %s: %" PRId64 " of %u nodes busy (%.0f %%), %zu run, "
              "%zu wait",
              name, time, busy, nodes, 100 * (double)busy / nodes,
              tori_sched_running (sched), tori_sched_queued (sched));
    screen_line (&watch->view, "1", text, out);
}

static void put_first (const struct sim_watch *watch, const tori_sched *sched,
                       tori_time now, FILE *out)
{
    char text[WORDS] = "no job waits", size[TORI_TEXT_MAX];
    char since[DURATION_TEXT_MAX];
    tori_job_info info = {.size = sizeof info};
    tori_job job;
    uint64_t tag;
    if (tori_sched_head (sched, &job, &tag)
        && tori_sched_look (sched, job, &info)) {
        const tori_work *work = work_of (watch, tag);
        const char *reason = tori_reason_name (info.waits);
        size_format (work, size);
        duration_about (now - work->submit, since);
        snprintf (text, sizeof text,
                  "job %" PRId64 " (%s) waits first, for %s: %s", work->id,
                  size, since, reason_text (reason ? reason : ""));
    }
    screen_line (&watch->view, NULL, text, out);
}

/* Letters, numbers and sizes of the jobs that run, in lines. */
static void put_jobs (const struct sim_watch *watch, const tori_sched *sched,
                      unsigned room, FILE *out)
{
    unsigned used = 0;
    for (size_t i = 0; i < watch->n && room > 0; i++) {
        tori_job_info info = {.size = sizeof info};
        char size[TORI_TEXT_MAX], text[WORDS];
        unsigned n;
        tori_sched_look (sched, watch->running[i], &info);
        size_format (work_of (watch, info.tag), size);
        n = 1
            + (unsigned)snprintf (text, sizeof text, " %" PRId64 " %s",
                                  work_of (watch, info.tag)->id, size);
        if (used > 0 && used + 2 + n > watch->view.columns) {
            fputc ('\n', out);
            used = 0;
            room--;
        }
        if (room == 0 || n > watch->view.columns)
            break;
        fputs (used ? "  " : "", out);
        letter_put (letters_of (&watch->picture.letters, info.tag + 1),
                    watch->view.colour, out);
        fputs (text, out);
        used += (used ? 2 : 0) + n;
    }
    if (used > 0)
        fputc ('\n', out);
}

static void put_keys (const struct sim_watch *watch, FILE *out)
{
    char text[WORDS], speed[DURATION_TEXT_MAX];
    duration_about ((tori_time)(watch->speed * SECOND_MS), speed);
    snprintf (text, sizeof text,
              "q leave  space %s  + - speed (%s per second)  arrows planes",
              watch->paused ? "go on" : "stop", speed);
    screen_line (&watch->view, "2", text, out);
}

static char *picture_of (struct sim_watch *watch, const tori_sched *sched,
                         tori_time now, int64_t busy)
{
    enum { FIXED = 5, LEAST = 2 };
    unsigned rows = watch->view.rows, room, used;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    if (!out)
        return NULL;
    put_head (watch, sched, now, busy, out);
    put_first (watch, sched, now, out);
    room = rows > FIXED + LEAST ? rows - FIXED : 0;
    if (room > 0) {
        fputc ('\n', out);
        used = screen_map (&watch->view, watch->machine, watch->picture.text,
                           room - room / 4, out);
        fputc ('\n', out);
        put_jobs (watch, sched, room - used, out);
    }
    put_keys (watch, out);
    fclose (out);
    return text;
}

static int draw_picture (struct sim_watch *watch, const tori_sched *sched,
                         tori_time now, tori_error *err)
{
    int64_t busy = update_picture (watch, sched, err);
    char *text;
    if (busy < 0)
        return -1;
    screen_size (&watch->view.columns, &watch->view.rows);
    text = picture_of (watch, sched, now, busy);
    if (text)
        screen_show (text);
    free (text);
    watch->drawn = screen_clock ();
    watch->stale = false;
    return 0;
}

/* ---- time ---- */

/* Returns false if the key ends the watch. */
static bool press_key (void *arg, enum key key)
{
    struct sim_watch *watch = arg;
    if (key == KEY_FASTER && watch->speed < FASTEST)
        watch->speed *= 2;
    else if (key == KEY_SLOWER && watch->speed > SLOWEST)
        watch->speed /= 2;
    else if (key == KEY_PAGE_DOWN)
        watch->paused = !watch->paused;
    else if (key == KEY_RIGHT)
        watch->view.plane++;
    else if (key == KEY_LEFT)
        watch->view.plane -= watch->view.plane > 0;
    else if (key == KEY_STOP)
        screen_stop (&watch->screen);
    else if (key == KEY_QUIT)
        watch->left = true;
    else if (key == KEY_INTERRUPT)
        watch->screen.ended_by = SIGINT;
    watch->stale = true;
    return key != KEY_QUIT && key != KEY_INTERRUPT;
}

/* Handle the keys the user has pressed. -1 if the simulation is to end. */
static int read_keys (struct sim_watch *watch, tori_error *err)
{
    bool going = screen_keys (press_key, watch);
    if (screen_signals (&watch->screen) || (!going && !watch->left))
        return tori_error_set (err, TORI_FAILED, "the simulation was stopped");
    if (watch->left)
        screen_close (&watch->screen);
    return 0;
}

/* Move the simulated time on the screen forward by the clock. If the
 * simulation is too slow, the screen waits for it. */
static void advance_watch (struct sim_watch *watch, tori_time until)
{
    int64_t now = screen_clock ();
    if (!watch->paused)
        watch->at += (double)(now - watch->then) * watch->speed;
    watch->then = now;
    if (watch->at > (double)until + watch->speed * SECOND_MS)
        watch->at = (double)until;
}

static int draw_if_due (struct sim_watch *watch, const tori_sched *sched,
                        tori_time until, tori_error *err)
{
    tori_time now = tori_sched_now (sched), at = (tori_time)watch->at;
    if (!watch->stale && watch->then - watch->drawn < PICTURE_MS)
        return 0;
    if (read_keys (watch, err) < 0)
        return -1;
    return watch->left ? 0
                       : draw_picture (watch, sched,
                                       at < now     ? now
                                       : at > until ? until
                                                    : at,
                                       err);
}

int sim_watch_pass (struct sim_watch *watch, const tori_sched *sched,
                    tori_time now, tori_time until, tori_error *err)
{
    if (watch->at < (double)now && watch->drawn == 0)
        watch->at = (double)now;
    while (!watch->left) {
        double early;
        advance_watch (watch, until);
        if (draw_if_due (watch, sched, until, err) < 0)
            return -1;
        early = ((double)until - watch->at) / watch->speed;
        if (watch->left || (!watch->paused && early <= EARLY_MS))
            break;
        watch->stale |= screen_wait (
            &watch->screen,
            watch->paused || early > PICTURE_MS ? PICTURE_MS : (int)early);
    }
    return 0;
}
