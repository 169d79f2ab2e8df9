/* rehearse.c - torid-rehearse: an executor that runs nothing. Jobs end when
 * their time is over, or with --speed before that. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "badge.h"
#include "jobmembers.h"
#include "jsonlines.h"
#include "number.h"
#include "startup.h"

struct act {
    struct attempt which;
    json_t *badge; /* for a torid that does not know the job */
    double end; /* seconds since 1970; infinity while it is suspended */
    double left; /* seconds left, for a suspended job */
    double limit; /* seconds that it takes; 0: it has a "runtime" */
};

struct stage {
    double speed;
    double begun; /* the time of day less that since the system's start */
    const char *path; /* or NULL */
    const char *pause; /* while this file exists, time stands still; or NULL */
    bool paused;       /* as last checked */
    double seen;       /* when it was checked */
    bool asks_highest; /* torid names its state */
    json_int_t highest; /* the highest number of a job so far */
    struct act *acts; /* by job and attempt */
    size_t n, room;
    struct lines lines;
};

static double read_seconds (clockid_t clock)
{
    struct timespec t;
    clock_gettime (clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds since 1970, without the jumps that the time of day makes since this
 * program began. */
static double read_clock (const struct stage *stage)
{
    return stage->begun + read_seconds (CLOCK_BOOTTIME);
}

/* ---- what is kept ---- */

/* The time, the highest number of a job, and one line per job: its badge, its end unless
 * it is suspended, the seconds left, the limit. The file is small, with a line
 * per running job, and replaced as a whole. */
static bool write_acts (const struct stage *stage, FILE *to)
{
    int bad = fprintf (to, "{\"highest\": %lld, \"now\": %.6f}\n",
                       (long long)stage->highest, read_clock (stage))
              < 0;
    for (size_t i = 0; !bad && i < stage->n; i++) {
        const struct act *act = &stage->acts[i];
        json_t *line = json_pack (
            "{s:O, s:o*, s:f, s:f}", "badge", act->badge, "end",
            isinf (act->end) ? NULL : json_real (act->end), "left",
            act->left, "limit", act->limit);
        bad = !line || json_dumpf (line, to, JSON_COMPACT) < 0
              || putc ('\n', to) == EOF;
        json_decref (line);
    }
    return !bad;
}

static void save_acts (const struct stage *stage)
{
    char other[4096];
    FILE *to;
    bool good;
    if (!stage->path)
        return;
    snprintf (other, sizeof other, "%s.tmp", stage->path);
    to = fopen (other, "we");
    good = to && write_acts (stage, to);
    if (to && fclose (to) != 0)
        good = false;
    if (!good || rename (other, stage->path) < 0)
        fprintf (stderr, "torid-rehearse: %s: %s\n", stage->path,
                 strerror (errno));
}

/* The place of an attempt among the acts, in order. */
static size_t place_of (const struct stage *stage, const struct attempt *which)
{
    size_t low = 0, high = stage->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (attempt_compare (&stage->acts[middle].which, which) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_act (struct stage *stage, struct act act)
{
    size_t at = place_of (stage, &act.which);
    struct act *more = array_room (stage->acts, &stage->room, stage->n + 1,
                                   sizeof *more);
    if (!more) {
        fputs ("torid-rehearse: out of memory\n", stderr);
        exit (1);
    }
    stage->acts = more;
    memmove (&more[at + 1], &more[at], (stage->n - at) * sizeof *more);
    more[at] = act;
    stage->n++;
}

/* The time of day may be behind that of the last run: it goes on from there,
 * and so do the jobs. */
static void reach_time (struct stage *stage, double seen)
{
    stage->begun += fmax (0, seen - read_clock (stage));
}

static void load_line (struct stage *stage, const json_t *line)
{
    json_t *badge = json_object_get (line, "badge");
    json_t *highest = json_object_get (line, "highest");
    const json_t *end = json_object_get (line, "end");
    struct act act
        = {.badge = badge,
           .end = end ? json_number_value (end) : INFINITY,
           .left = json_number_value (json_object_get (line, "left")),
           .limit = json_number_value (json_object_get (line, "limit"))};
    if (highest)
        stage->highest = json_integer_value (highest);
    reach_time (stage, json_number_value (json_object_get (line, "now")));
    if (badge && attempt_read (badge, &act.which)) {
        json_incref (badge);
        add_act (stage, act);
    }
}

static void load_acts (struct stage *stage)
{
    FILE *from = stage->path ? fopen (stage->path, "re") : NULL;
    json_t *line;
    while (from && (line = json_loadf (from, JSON_DISABLE_EOF_CHECK, NULL))) {
        load_line (stage, line);
        json_decref (line);
    }
    if (from)
        fclose (from);
}

/* The starts of the jobs that were kept: torid may have ended before it heard
 * of them. */
static void repeat_starts (const struct stage *stage)
{
    for (size_t i = 0; i < stage->n; i++)
        lines_say (attempt_message ("started", &stage->acts[i].which));
}

/* ---- orders ---- */

static struct act *find_act (const struct stage *stage,
                             const struct attempt *which)
{
    size_t at = place_of (stage, which);
    return at < stage->n
                   && attempt_compare (&stage->acts[at].which, which) == 0
               ? &stage->acts[at]
               : NULL;
}

static void say_ended (const struct attempt *which, int signal,
                       const char *why, double at)
{
    json_t *message = attempt_message ("ended", which);
    json_object_set_new (message, "at", json_real (at));
    json_object_set_new (message, "status",
                         signal ? json_null () : json_integer (0));
    json_object_set_new (message, "signal",
                         signal ? json_integer (signal) : json_null ());
    if (why)
        json_object_set_new (message, "why", json_string (why));
    lines_say (message);
}

/* The end is reported first: if this program is killed in between, it is
 * reported again. */
static void end_act (struct stage *stage, struct act *act, int signal,
                     const char *why)
{
    size_t at = (size_t)(act - stage->acts);
    say_ended (&act->which, signal, why,
               signal ? read_clock (stage) : act->end);
    json_decref (act->badge);
    stage->n--;
    memmove (act, act + 1, (stage->n - at) * sizeof *act);
    save_acts (stage);
}

static void start_act (struct stage *stage, const struct attempt *which,
                       const json_t *message)
{
    const json_t *length = json_object_get (message, JOB_KEY (runtime));
    double limit = length ? 0
                          : json_number_value (
                              json_object_get (message, "limit"));
    if (!find_act (stage, which)) {
        double seconds = length ? json_number_value (length) : limit;
        add_act (stage, (struct act){.which = *which,
                                     .badge = badge_make (message),
                                     .end = read_clock (stage)
                                            + seconds / stage->speed,
                                     .limit = limit});
        if (which->job > stage->highest)
            stage->highest = which->job;
        save_acts (stage);
    }
    lines_say (attempt_message ("started", which));
}

static void suspend_act (struct stage *stage, struct act *act)
{
    if (isinf (act->end))
        return;
    act->left = act->end - read_clock (stage);
    act->end = INFINITY;
    save_acts (stage);
}

static void resume_act (struct stage *stage, struct act *act)
{
    if (!isinf (act->end))
        return;
    act->end = read_clock (stage) + act->left;
    save_acts (stage);
}

/* The job takes that much more or less time. One that has taken more than its
 * new limit ends at once. */
static void limit_act (struct stage *stage, struct act *act,
                       const json_t *limit)
{
    double more = (json_number_value (limit) - act->limit) / stage->speed;
    if (act->limit <= 0 || json_number_value (limit) <= 0)
        return;
    act->limit += more * stage->speed;
    act->left += more;
    act->end += more;
    if ((isinf (act->end) ? act->left : act->end - read_clock (stage)) < 0)
        end_act (stage, act, SIGTERM, "time limit");
    else
        save_acts (stage);
}

static void list_acts (const struct stage *stage)
{
    json_t *running = json_array ();
    for (size_t i = 0; i < stage->n; i++)
        json_array_append (running, stage->acts[i].badge);
    lines_say (json_pack ("{s:s, s:o, s:o*}", "is", "running", "jobs", running,
                          "highest",
                          stage->asks_highest ? json_integer (stage->highest)
                                              : NULL));
}

static void obey_order (struct stage *stage, const json_t *message)
{
    const char *what = json_string_value (json_object_get (message, "do"));
    struct attempt which;
    struct act *act;
    if (what && !strcmp (what, "list"))
        list_acts (stage);
    if (!what || !attempt_read (message, &which))
        return;
    act = find_act (stage, &which);
    if (!strcmp (what, "start"))
        start_act (stage, &which, message);
    else if (!strcmp (what, "stop") && act)
        end_act (stage, act, SIGTERM, NULL);
    else if (!strcmp (what, "suspend") && act)
        suspend_act (stage, act);
    else if (!strcmp (what, "resume") && act)
        resume_act (stage, act);
    else if (!strcmp (what, "limit") && act)
        limit_act (stage, act, json_object_get (message, "limit"));
}

/* ---- the loop ---- */

/* Whether time stands still. Ends of jobs move as long as it does. */
static bool is_paused (struct stage *stage)
{
    bool before = stage->paused;
    double at = read_clock (stage);
    stage->paused = stage->pause && access (stage->pause, F_OK) == 0;
    for (size_t i = 0; before && i < stage->n; i++)
        stage->acts[i].end += at - stage->seen;
    stage->seen = at;
    if (before && !stage->paused)
        save_acts (stage);
    return stage->paused;
}

static struct act *find_first_end (const struct stage *stage)
{
    struct act *best = NULL;
    for (size_t i = 0; i < stage->n; i++)
        if (!best || stage->acts[i].end < best->end)
            best = &stage->acts[i];
    return best;
}

/* Milliseconds until the next job ends, for poll. */
static int end_due (struct stage *stage)
{
    enum { LOOK = 50 }; /* milliseconds */
    struct act *act;
    double left;
    if (is_paused (stage))
        return LOOK;
    while ((act = find_first_end (stage)) && act->end <= read_clock (stage))
        end_act (stage, act, 0, NULL);
    if (!act)
        return -1;
    left = act->end - read_clock (stage);
    return (int)number_clamp (left * 1000 + 1, 0, 3600 * 1000);
}

static bool serve_orders (struct stage *stage)
{
    struct pollfd fd = {STDIN_FILENO, POLLIN, 0};
    json_t *message;
    int wait = end_due (stage);
    if (poll (&fd, 1, wait) < 0)
        return errno == EINTR;
    if (!fd.revents)
        return true;
    if (!lines_fill (&stage->lines, STDIN_FILENO))
        return false;
    while ((message = lines_next (&stage->lines))) {
        obey_order (stage, message);
        json_decref (message);
    }
    return true;
}

/* ---- the command ---- */

struct values {
    struct about about;
    struct fraction speed;
    const char *jobs, *pause;
};

static const struct option options[] = {
    {.name = "speed", .kind = OPTION_FRACTION,
     OPTION_AT (struct values, speed), .value = "N", .fallback = "1",
     .positive = true, .help = "end jobs N times as fast. The clock of torid is not faster: "
             "jobs end long before their limits, and start before they are "
             "expected to"},
    {.name = "jobs", .kind = OPTION_STRING, OPTION_AT (struct values, jobs),
     .value = "FILE",
     .help = "keep the jobs there, so that the next run continues with them"},
    {.name = "pause", .kind = OPTION_STRING,
     OPTION_AT (struct values, pause), .value = "FILE",
     .help = "let no time pass while this file exists"},
    OPTION_ROWS_ABOUT (struct values),
    {.name = NULL},
};

static const struct command command_rehearse;

static int run_rehearse (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct stage stage = {.speed = fraction_value (v->speed),
                          .begun = read_seconds (CLOCK_REALTIME)
                                   - read_seconds (CLOCK_BOOTTIME),
                          .path = v->jobs,
                          .asks_highest = getenv ("TORI_STATE") != NULL,
                          .pause = v->pause};
    int status;
    if (about_done (&v->about, &command_rehearse, out, &status, err))
        return status;
    signal (SIGPIPE, SIG_IGN);
    load_acts (&stage);
    lines_say (lines_ready ());
    repeat_starts (&stage);
    while (serve_orders (&stage))
        ;
    lines_clear (&stage.lines);
    while (stage.n > 0)
        json_decref (stage.acts[--stage.n].badge);
    free (stage.acts);
    return 0;
}

static const struct command command_rehearse = {
    .name = "torid-rehearse",
    .section = 8,
    .summary = "Pretend to run jobs, for torid",
    .notes = "Stands in for an executor: jobs are said to start and to end, "
             "but nothing runs. A job takes as long as its \"runtime\" says, "
             "or its \"limit\", which may change meanwhile. So forecasts hold, "
             "unless --speed is given.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "torid --machine torus:4x4 --state DIR --executor \\\n"
                "    'torid-rehearse --jobs DIR/acts'",
    .run = run_rehearse,
};

int main (int argc, char **argv)
{
    return startup (&command_rehearse, NULL, argc, argv);
}
