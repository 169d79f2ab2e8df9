#include "movie.h"

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

struct movie {
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

int movie_open (const tori_machine *machine, const tori_workload *workload,
                tori_time speed, struct movie **ret_movie, tori_error *err)
{
    struct movie *movie;
    if (!screen_can ())
        return tori_error_set (err, TORI_INVALID,
                               "--watch needs a terminal, for input and "
                               "output");
    movie = calloc (1, sizeof *movie);
    if (!movie)
        return tori_error_nomem (err);
    movie->machine = machine;
    movie->workload = workload;
    movie->view.colour = terminal_bold ();
    movie->speed = (speed ? (double)speed : usual_speed (workload))
                   / SECOND_MS;
    movie->then = screen_clock ();
    if (picture_create (machine, &movie->picture, err) < 0
        || screen_open (&movie->screen, err) < 0) {
        picture_clear (&movie->picture);
        free (movie);
        return -1;
    }
    *ret_movie = movie;
    return 0;
}

void movie_close (struct movie *movie)
{
    struct screen screen;
    bool left;
    if (!movie)
        return;
    screen = movie->screen;
    left = movie->left;
    picture_clear (&movie->picture);
    free (movie->running);
    free (movie);
    if (!left)
        screen_close (&screen);
}

/* ---- the picture ---- */

static const tori_work *work_of (const struct movie *movie, uint64_t tag)
{
    return &movie->workload->jobs[tag];
}

/* Put the running jobs into the picture, with letters by their indexes.
 * Returns how many nodes they have, or -1. */
static int64_t update_picture (struct movie *movie, const tori_sched *sched,
                               tori_error *err)
{
    size_t n = tori_sched_running (sched);
    int64_t busy = 0;
    tori_job *more = array_room (movie->running, &movie->room, n + 1,
                                 sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    movie->running = more;
    movie->n = tori_sched_running_jobs (sched, movie->running);
    picture_state (&movie->picture, tori_sched_state (sched));
    for (size_t i = 0; i < movie->n; i++) {
        tori_job_info info = {.size = sizeof info};
        if (!tori_sched_look (sched, movie->running[i], &info) || !info.place)
            continue;
        picture_place (&movie->picture, info.place, info.tag + 1);
        busy += info.place->count;
    }
    return picture_letter (&movie->picture, &movie->picture.letters, err) < 0
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

static void put_head (const struct movie *movie, const tori_sched *sched,
                      tori_time now, int64_t busy, FILE *out)
{
    char text[WORDS], name[TORI_TEXT_MAX], time[DURATION_TEXT_MAX];
    uint32_t nodes = tori_machine_nodes (movie->machine);
    tori_machine_format (movie->machine, name);
    duration_about (now - movie->workload->jobs[0].submit, time);
    snprintf (text, sizeof text,
              "%s after %s: %" PRId64 " of %u nodes busy (%.0f %%), %zu run, "
              "%zu wait",
              name, time, busy, nodes, 100 * (double)busy / nodes,
              tori_sched_running (sched), tori_sched_queued (sched));
    screen_line (&movie->view, "1", text, out);
}

static void put_first (const struct movie *movie, const tori_sched *sched,
                       tori_time now, FILE *out)
{
    char text[WORDS] = "no job waits", size[TORI_TEXT_MAX];
    char since[DURATION_TEXT_MAX];
    tori_job_info info = {.size = sizeof info};
    tori_job job;
    uint64_t tag;
    if (tori_sched_head (sched, &job, &tag)
        && tori_sched_look (sched, job, &info)) {
        const tori_work *work = work_of (movie, tag);
        const char *reason = tori_reason_name (info.waits);
        size_format (work, size);
        duration_about (now - work->submit, since);
        snprintf (text, sizeof text,
                  "job %" PRId64 " (%s) waits first, for %s: %s", work->id,
                  size, since, reason_text (reason ? reason : ""));
    }
    screen_line (&movie->view, NULL, text, out);
}

/* Letters, numbers and sizes of the jobs that run, in lines. */
static void put_jobs (const struct movie *movie, const tori_sched *sched,
                      unsigned room, FILE *out)
{
    unsigned used = 0;
    for (size_t i = 0; i < movie->n && room > 0; i++) {
        tori_job_info info = {.size = sizeof info};
        char size[TORI_TEXT_MAX], text[WORDS];
        unsigned n;
        tori_sched_look (sched, movie->running[i], &info);
        size_format (work_of (movie, info.tag), size);
        n = 1 + (unsigned)snprintf (text, sizeof text, " %" PRId64 " %s",
                                    work_of (movie, info.tag)->id, size);
        if (used > 0 && used + 2 + n > movie->view.columns) {
            fputc ('\n', out);
            used = 0;
            room--;
        }
        if (room == 0 || n > movie->view.columns)
            break;
        fputs (used ? "  " : "", out);
        letter_put (letters_of (&movie->picture.letters, info.tag + 1),
                    movie->view.colour, out);
        fputs (text, out);
        used += (used ? 2 : 0) + n;
    }
    if (used > 0)
        fputc ('\n', out);
}

static void put_keys (const struct movie *movie, FILE *out)
{
    char text[WORDS], speed[DURATION_TEXT_MAX];
    duration_about ((tori_time)(movie->speed * SECOND_MS), speed);
    snprintf (text, sizeof text,
              "q leave  space %s  + - speed (%s per second)  arrows planes",
              movie->paused ? "go on" : "stop", speed);
    screen_line (&movie->view, "2", text, out);
}

static char *picture_of (struct movie *movie, const tori_sched *sched,
                         tori_time now, int64_t busy)
{
    enum { FIXED = 5, LEAST = 2 };
    unsigned rows = movie->view.rows, room, used;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    if (!out)
        return NULL;
    put_head (movie, sched, now, busy, out);
    put_first (movie, sched, now, out);
    room = rows > FIXED + LEAST ? rows - FIXED : 0;
    if (room > 0) {
        fputc ('\n', out);
        used = screen_map (&movie->view, movie->machine, movie->picture.text,
                           room - room / 4, out);
        fputc ('\n', out);
        put_jobs (movie, sched, room - used, out);
    }
    put_keys (movie, out);
    fclose (out);
    return text;
}

static int draw_picture (struct movie *movie, const tori_sched *sched,
                         tori_time now, tori_error *err)
{
    int64_t busy = update_picture (movie, sched, err);
    char *text;
    if (busy < 0)
        return -1;
    screen_size (&movie->view.columns, &movie->view.rows);
    text = picture_of (movie, sched, now, busy);
    if (text)
        screen_show (text);
    free (text);
    movie->drawn = screen_clock ();
    movie->stale = false;
    return 0;
}

/* ---- time ---- */

/* Returns false if the key ends the movie. */
static bool press_key (void *arg, enum key key)
{
    struct movie *movie = arg;
    if (key == KEY_FASTER && movie->speed < FASTEST)
        movie->speed *= 2;
    else if (key == KEY_SLOWER && movie->speed > SLOWEST)
        movie->speed /= 2;
    else if (key == KEY_PAGE_DOWN)
        movie->paused = !movie->paused;
    else if (key == KEY_RIGHT)
        movie->view.plane++;
    else if (key == KEY_LEFT)
        movie->view.plane -= movie->view.plane > 0;
    else if (key == KEY_STOP)
        screen_stop (&movie->screen);
    else if (key == KEY_QUIT)
        movie->left = true;
    else if (key == KEY_INTERRUPT)
        movie->screen.ended_by = SIGINT;
    movie->stale = true;
    return key != KEY_QUIT && key != KEY_INTERRUPT;
}

/* Handle the keys the user has pressed. -1 if the simulation is to end. */
static int read_keys (struct movie *movie, tori_error *err)
{
    bool going = screen_keys (press_key, movie);
    if (screen_signals (&movie->screen) || (!going && !movie->left))
        return tori_error_set (err, TORI_FAILED, "the simulation was stopped");
    if (movie->left)
        screen_close (&movie->screen);
    return 0;
}

/* Move the simulated time on the screen forward by the clock. If the
 * simulation is too slow, the screen waits for it. */
static void advance_movie (struct movie *movie, tori_time until)
{
    int64_t now = screen_clock ();
    if (!movie->paused)
        movie->at += (double)(now - movie->then) * movie->speed;
    movie->then = now;
    if (movie->at > (double)until + movie->speed * SECOND_MS)
        movie->at = (double)until;
}

static int draw_if_due (struct movie *movie, const tori_sched *sched,
                        tori_time until, tori_error *err)
{
    tori_time now = tori_sched_now (sched), at = (tori_time)movie->at;
    if (!movie->stale && movie->then - movie->drawn < PICTURE_MS)
        return 0;
    if (read_keys (movie, err) < 0)
        return -1;
    return movie->left ? 0
                       : draw_picture (movie, sched,
                                       at < now     ? now
                                       : at > until ? until
                                                    : at,
                                       err);
}

int movie_pass (struct movie *movie, const tori_sched *sched, tori_time now,
                tori_time until, tori_error *err)
{
    if (movie->at < (double)now && movie->drawn == 0)
        movie->at = (double)now;
    while (!movie->left) {
        double early;
        advance_movie (movie, until);
        if (draw_if_due (movie, sched, until, err) < 0)
            return -1;
        early = ((double)until - movie->at) / movie->speed;
        if (movie->left || (!movie->paused && early <= EARLY_MS))
            break;
        movie->stale |= screen_wait (
            &movie->screen,
            movie->paused || early > PICTURE_MS ? PICTURE_MS : (int)early);
    }
    return 0;
}
