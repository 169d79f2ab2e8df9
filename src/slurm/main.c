/* main.c - tori-slurm: an executor of torid whose jobs are Slurm's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "bridge.h"
#include "duration.h"
#include "gang.h"
#include "nodesource.h"
#include "number.h"
#include "shadow_reporter.h"
#include "slurm_wake.h"
#include "standby.h"
#include "startup.h"
#include "syserror.h"

struct values {
    struct about about;
    const char *conf, *machine, *partitions, *lock;
    struct nodesource names;
    bool print, shadow;
    struct fraction every;
    tori_time patience, estimate, fail_open, remarks, priorities, gang;
};

/* ---- with torid ---- */

/* The job that an order changes, or NULL. */
static const char *changed_by (const json_t *order)
{
    const char *what = json_string_value (json_object_get (order, "do"));
    return what && strcmp (what, "remark")
               ? json_string_value (json_object_get (order, "key"))
               : NULL;
}

static bool is_order (const json_t *order, const char *what)
{
    const char *is = json_string_value (json_object_get (order, "do"));
    return is && !strcmp (is, what);
}

/* Whether the first order starts a job that a later one stops: Slurm might run
 * it between the two. */
static bool is_vain (const json_t *orders)
{
    const json_t *start = json_array_get (orders, 0), *order;
    size_t i;
    if (!is_order (start, "start"))
        return false;
    json_array_foreach (orders, i, order)
        if (is_order (order, "stop")
            && json_equal (json_object_get (order, "job"),
                           json_object_get (start, "job"))
            && json_equal (json_object_get (order, "attempt"),
                           json_object_get (start, "attempt")))
            return true;
    return false;
}

/* Orders are carried out in turn; if slurmctld does not answer, an order
 * waits, and those after it. So does an order about a job that another has
 * changed since Slurm was asked: its present state is not known. */
static void obey_all (struct bridge *bridge)
{
    int (*obey) (struct bridge *, const json_t *) =
        bridge->shadow ? shadow_reporter_obey : bridge_obey;
    while (json_array_size (bridge->orders) > 0) {
        const json_t *order = json_array_get (bridge->orders, 0);
        const char *key = changed_by (order);
        if (!bridge->shadow && is_vain (bridge->orders)) {
            json_array_remove (bridge->orders, 0);
            continue;
        }
        if ((key && json_object_get (bridge->changed, key))
            || obey (bridge, order) != 0)
            return;
        if (key)
            json_object_set_new (bridge->changed, key, json_true ());
        json_array_remove (bridge->orders, 0);
    }
}

/* The last message of torid, and when it came. */
struct voice {
    double heard;
    double silence; /* seconds of it with which torid is gone; 0: any */
};

/* A torid that pings is heard that often; three of them may be late. */
static bool is_silent (const struct bridge *bridge, const struct voice *torid)
{
    enum { MISSED = 3 };
    double most = MISSED * bridge->lines.ping;
    if (most < torid->silence)
        most = torid->silence;
    return torid->silence > 0 && bridge->lines.ping > 0
           && standby_clock () - torid->heard > most;
}

static void take_orders (struct bridge *bridge, struct voice *torid)
{
    json_t *order;
    torid->heard = standby_clock ();
    if (!lines_fill (&bridge->lines, STDIN_FILENO))
        bridge->alone = true;
    while ((order = lines_next (&bridge->lines)))
        json_array_append_new (bridge->orders, order);
}

/* Printed once, not for every beat that it lasts. */
static void note_absence (int status, const tori_error *err, bool *away)
{
    if (status != 0 && !*away)
        fprintf (stderr, "tori-slurm: slurmctld does not answer: %s\n",
                 err->text);
    if (status == 0 && *away)
        fputs ("tori-slurm: slurmctld answers again\n", stderr);
    *away = status != 0;
}

static int beat_of (const struct values *v)
{
    double beat = 1000 * fraction_value (v->every);
    return beat < 10 ? 10 : beat > 60000 ? 60000 : (int)beat;
}

/* Looks at Slurm, in seconds as standby_clock counts. */
struct rhythm {
    double looked; /* when the last one was; 0: there was none */
    double due;    /* the next, if there is news; 0: there is none */
    double step;   /* until the one after it, if jobs leave their nodes; 0:
                      none */
};

/* The last moment for the next look. If slurmctld gives notice of news, it is
 * asked less often. */
static double next_look (const struct bridge *bridge,
                         const struct rhythm *rhythm)
{
    enum { LESS = 4 };
    double next = rhythm->looked + bridge->beat * (bridge->wakes ? LESS : 1);
    return rhythm->due > 0 && rhythm->due < next ? rhythm->due : next;
}

/* Whether it is time for a look, also because orders wait. torid answers a
 * look at once, and what was seen a moment ago is as good as what would be
 * seen now. */
static bool look_is_due (const struct bridge *bridge,
                         const struct rhythm *rhythm)
{
    const double fresh = 0.1;
    double now = standby_clock ();
    return rhythm->looked == 0 || bridge->again
           || now >= next_look (bridge, rhythm)
           || (now - rhythm->looked > fresh
               && json_array_size (bridge->orders) > 0);
}

/* A job that has ended leaves its nodes soon, or else later. */
static void note_look (const struct bridge *bridge, struct rhythm *rhythm)
{
    const double most = 0.5;
    rhythm->looked = standby_clock ();
    if (!bridge->leaving || rhythm->step > most)
        rhythm->step = 0;
    rhythm->due = rhythm->step > 0 ? rhythm->looked + rhythm->step : 0;
    rhythm->step *= 2;
}

/* How long after a look the next one may be. An end is urgent if jobs wait, and
 * a new job if none do: otherwise it rarely starts at once. */
static double wait_for_news (const struct bridge *bridge, unsigned news)
{
    const double soon = 0.2, later = 0.5;
    if (news & (bridge->waiting > 0 ? NEWS_END : NEWS_JOB))
        return soon;
    return news & NEWS_JOB ? later : bridge->beat;
}

/* slurmctld has news, which are complete in a moment. */
static void wake_up (const struct bridge *bridge, struct rhythm *rhythm)
{
    const double moment = 0.03, step = 0.2;
    double soon = standby_clock () + moment, next;
    unsigned news = slurm_wake_take (bridge->wake);
    if (!news)
        return;
    next = rhythm->looked + wait_for_news (bridge, news);
    if (next < soon)
        next = soon;
    if (rhythm->due == 0 || rhythm->due > next)
        rhythm->due = next;
    rhythm->step = step;
}

/* Milliseconds until the next look. */
static int pause_of (const struct bridge *bridge, const struct rhythm *rhythm)
{
    enum { MOST = 5000 }; /* the second process hears a beat then */
    double left = 1000 * (next_look (bridge, rhythm) - standby_clock ());
    if (bridge->again || left <= 0)
        return 0;
    return left < MOST ? (int)left + 1 : MOST;
}

/* torid learns how often to send why jobs wait. */
static void serve_torid (struct bridge *bridge, struct standby *standby,
                         const struct values *v)
{
    json_t *ready = lines_ready ();
    struct voice torid = {standby_clock (),
                          (double)v->fail_open / TORI_SECOND};
    struct rhythm rhythm = {0};
    bool away = false;
    int status = 0;
    json_object_set_new (ready, "remarks",
                         json_real ((double)v->remarks / TORI_SECOND));
    bridge_say (bridge, ready);
    while (!bridge->alone && !(bridge->left = standby_beat (standby))) {
        struct pollfd input[] = {{STDIN_FILENO, POLLIN, 0}, {-1, POLLIN, 0}};
        tori_error err = {0};
        if (look_is_due (bridge, &rhythm)) {
            status = bridge->shadow ? shadow_reporter_look (bridge, &err)
                                    : bridge_look (bridge, &err);
            note_absence (status, &err, &away);
            note_look (bridge, &rhythm);
        }
        if (status == 0)
            obey_all (bridge);
        input[1].fd = bridge->wake;
        if (poll (input, 2, pause_of (bridge, &rhythm)) > 0) {
            if (input[0].revents)
                take_orders (bridge, &torid);
            if (input[1].revents)
                wake_up (bridge, &rhythm);
        }
        if (is_silent (bridge, &torid)) {
            fprintf (stderr, "tori-slurm: torid hangs: nothing was heard of "
                             "it for %.0f s\n",
                     standby_clock () - torid.heard);
            bridge->alone = bridge->hangs = true;
        }
    }
}

/* ---- without ---- */

/* The holder of the lock has written its number there. */
static void name_holder (const char *path, int fd)
{
    char text[24] = "";
    ssize_t n = pread (fd, text, sizeof text - 1, 0);
    text[n > 0 ? strspn (text, "0123456789") : 0] = 0;
    fprintf (stderr,
             "tori-slurm: %s: process %s has the lock; waiting for its end\n",
             path, *text ? text : "?");
}

/* A tori-slurm that torid has left has the lock for a moment only: then
 * nothing need be printed. */
static bool take_lock (const char *path, int fd)
{
    enum { TRIES = 10 };
    int status = -1;
    for (int i = 0; i < TRIES && status < 0; i++) {
        if (i > 0)
            standby_pause (0.1);
        status = flock (fd, LOCK_EX | LOCK_NB);
        if (status < 0 && errno != EWOULDBLOCK)
            return false;
    }
    if (status < 0)
        name_holder (path, fd);
    if (status < 0 && flock (fd, LOCK_EX) < 0)
        return false;
    standby_sign (fd);
    return true;
}

/* The tori-slurm that speaks for torid has the lock. One that torid has left
 * gives it up, and checks whether there is another now. */
static int open_lock (const char *path, tori_error *err)
{
    int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && take_lock (path, fd))
        return fd;
    system_error (path, errno, err);
    if (fd >= 0)
        close (fd);
    return -1;
}

/* The plugin reads its file for every job, and holds none if it is wrong.
 * False when the file has no partitions here any more, and all is done: tori
 * is not used now. */
static bool open_what_is_held (struct bridge *bridge, const char *conf)
{
    char none[] = "";
    struct slurm_watch held = {0};
    tori_error err = {0};
    size_t watched, others;
    bool wrong = conf && slurm_watch_read (conf, &held, &err) < 0, left = true;
    if (wrong)
        held.partitions = none;
    slurm_watch_count (&held, bridge->watch->partitions, &watched, &others);
    if (bridge_look (bridge, &err) == 0)
        left = bridge_open (bridge, &held);
    if (!wrong)
        slurm_watch_clear (&held);
    return left || !conf || wrong || watched > 0;
}

/* The first process does not hang while it waits. The second has none. */
static void wait_alone (struct bridge *bridge, const struct values *v,
                        struct standby *standby)
{
    double most = (double)v->fail_open / TORI_SECOND;
    double since = bridge->left ? standby->since : standby_clock ();
    bool open = false, waited = bridge->hangs || standby->waited;
    standby->alone = true;
    do {
        if (!bridge->left)
            bridge->left = standby_beat (standby);
        if (!open && (waited || standby_clock () - since >= most)) {
            fprintf (stderr, "tori-slurm: %s is gone; Slurm places what "
                             "waits\n",
                     bridge->sharing ? "it" : "torid");
            open = true;
        }
        if (open && !open_what_is_held (bridge, v->conf))
            return;
        flock (*standby->lock, LOCK_UN);
        standby_pause (1);
    } while (flock (*standby->lock, LOCK_EX | LOCK_NB) == 0);
}

/* ---- in its place ---- */

static volatile sig_atomic_t ended;

static void on_end (int number)
{
    ended = 1;
}

/* Slots are counted from the first; if slurmctld was away at the end of one,
 * the next begins when it answers. */
static int take_turns (struct bridge *bridge, struct gang *gang,
                       struct standby *standby, double beat, double slot,
                       tori_error *err)
{
    double next = standby_clock () + slot, wait;
    bool away = false;
    int status = 0;
    while (status == 0 && !ended
           && !(bridge->left = standby_beat (standby))) {
        bool over = standby_clock () >= next;
        tori_error why = {0};
        int seen = bridge_look (bridge, &why);
        note_absence (seen, &why, &away);
        if (seen == 0) {
            obey_all (bridge);
            status = gang_step (gang, over, err);
            obey_all (bridge);
            if (over)
                next = standby_clock () + slot;
        }
        wait = next - standby_clock ();
        standby_pause (wait > 0 && wait < beat ? wait : beat);
    }
    return status;
}

static int wait_for_shares (const struct slurm_watch *watch, double beat,
                            uint32_t *ret_most, tori_error *err)
{
    bool away = false;
    int status;
    while ((status = control_shares (watch, ret_most, err)) > 0 && !ended) {
        note_absence (status, err, &away);
        standby_pause (beat);
    }
    return status;
}

static int gang_run (struct bridge *bridge, struct standby *standby,
                     double beat, tori_time slot, uint32_t most,
                     tori_error *err)
{
    struct sigaction end = {.sa_handler = on_end};
    struct gang *gang = NULL;
    int status;
    sigaction (SIGTERM, &end, NULL);
    sigaction (SIGINT, &end, NULL);
    status = gang_create (bridge, most, &gang, err);
    if (status == 0)
        status = take_turns (bridge, gang, standby, beat,
                             (double)slot / TORI_SECOND, err);
    gang_destroy (gang);
    return status > 0 ? 0 : status;
}

/* ---- the command ---- */

static int parse_time (const char *text, void *to, tori_error *err)
{
    return duration_parse (text, to, err);
}

static int parse_limit (const char *text, void *to, tori_error *err)
{
    return limit_parse (text, to, err);
}

static int parse_turn (const char *text, void *to, tori_error *err)
{
    tori_time turn;
    if (duration_parse (text, &turn, err) < 0)
        return -1;
    if (turn < TORI_SECOND)
        return tori_error_set (err, TORI_INVALID,
                               "a turn is at least a second long");
    *(tori_time *)to = turn;
    return 0;
}

static const struct option options[] = {
    {.name = "conf",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, conf),
     .value = "FILE",
     .file = FILE_READ,
     .help = "the tori.conf of job_submit/tori: the machine, the partitions "
             "that torid places, and the shapes of jobs without one"},
    {.name = "machine",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, machine),
     .value = "KIND:SIZES",
     .without = "conf",
     .help = "the machine, as torid has it"},
    NODESOURCE_ROWS (struct values),
    {.name = "partitions",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, partitions),
     .value = "NAME,...",
     .without = "conf",
     .help = "the partitions that torid places; if not given, all"},
    {.name = "every",
     .kind = OPTION_FRACTION,
     OPTION_AT (struct values, every),
     .value = "DURATION",
     .unit = 1,
     .fallback = "0.5s",
     .positive = true,
     .help = "how often Slurm is asked for its jobs; for its nodes and "
             "reservations an eighth as often, or every 4 s if that is more "
             "often; for partitions half of that. With jobcomp/tori, slurmctld "
             "says that jobs have come or ended, and is asked a quarter as "
             "often"},
    {.name = "patience",
     .kind = OPTION_PARSED,
     OPTION_AT (struct values, patience),
     .value = "DURATION",
     .fallback = "1m",
     .parse = parse_time,
     .help = "a job that Slurm has not started this long after its release is "
             "placed again"},
    {.name = "remarks",
     .kind = OPTION_PARSED,
     OPTION_AT (struct values, remarks),
     .value = "DURATION",
     .fallback = "10s",
     .parse = parse_time,
     .help = "how often the comments of the first 100 jobs are updated to say "
             "why they wait; 0: never"},
    {.name = "priorities",
     .kind = OPTION_PARSED,
     OPTION_AT (struct values, priorities),
     .value = "DURATION",
     .fallback = "5m",
     .parse = parse_time,
     .help = "how often Slurm is asked for the priorities of held jobs, if it "
             "computes any; 0: never, nice values count"},
    {.name = "default-time",
     .old = "estimate",
     .kind = OPTION_PARSED,
     OPTION_AT (struct values, estimate),
     .value = "DURATION",
     .fallback = "1d",
     .parse = parse_limit,
     .help = "how long jobs without a time limit are taken to run"},
    {.name = "gang",
     .kind = OPTION_PARSED,
     OPTION_AT (struct values, gang),
     .value = "DURATION",
     .parse = parse_turn,
     .without = "shadow",
     .help = "without torid: whole jobs share the nodes, in turns of this "
             "length"},
    {.name = "fail-open",
     .kind = OPTION_PARSED,
     OPTION_AT (struct values, fail_open),
     .value = "DURATION",
     .parse = parse_time,
     .with = "lock",
     .help = "if torid is gone or hangs for this long, Slurm places the "
             "waiting jobs; if not given, they wait for torid. For this, "
             "tori-slurm keeps running after torid has ended, and a second "
             "process after tori-slurm has ended, which it ends if it hangs"},
    {.name = "lock",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, lock),
     .value = "FILE",
     .file = FILE_WRITTEN,
     .help = "a file by which two tori-slurm know of each other: one waits "
             "until the other has ended, and says so"},
    {.name = "shadow",
     .kind = OPTION_FLAG,
     OPTION_AT (struct values, shadow),
     .without = "fail-open",
     .help = "change nothing in Slurm, and report what it does by itself, for "
             "torid --shadow"},
    {.name = "names",
     .kind = OPTION_FLAG,
     OPTION_AT (struct values, print),
     .aside = true,
     .help = "print all nodes as a file for --map, and exit"},
    OPTION_ROWS_ABOUT (struct values),
    {.name = NULL},
};

static const struct command command_slurm;

static int read_watch (const struct values *v, struct slurm_watch *watch,
                       tori_error *err)
{
    if (v->conf)
        return slurm_watch_read (v->conf, watch, err);
    watch->partitions = v->partitions ? strdup (v->partitions) : NULL;
    if (v->partitions && !watch->partitions)
        return tori_error_nomem (err);
    return tori_machine_parse (v->machine, &watch->machine, err);
}

static int read_map (const struct values *v, struct slurm_watch *watch,
                     struct nodemap *map, tori_error *err)
{
    const struct option_rule rules[] = {
        {!v->machine && !v->conf,
         "--machine KIND:SIZES or --conf FILE is missing; see 'tori-slurm "
         "--help'"},
        {!nodesource_given (&v->names),
         "--nodes PATTERN, --map FILE or --topology FILE is missing; see "
         "'tori-slurm --help'"}};
    if (options_check (rules, sizeof rules / sizeof rules[0], err) < 0
        || read_watch (v, watch, err) < 0)
        return -1;
    return nodesource_read (&v->names, &watch->machine, map, NULL, err);
}

/* Wait for a slurmctld that is away, and look then. */
static int look_first (struct bridge *bridge, tori_error *err)
{
    int status = control_answers () ? bridge_load (bridge, err) : 0;
    bridge->serves = true;
    return status < 0 ? -1 : 0;
}

/* Half of the time, so that torid can start another tori-slurm in the other
 * half; but a busy machine makes anything late. */
static double hang_of (const struct values *v)
{
    enum { LEAST = 10 };
    double half = (double)v->fail_open / TORI_SECOND / 2;
    return half > LEAST ? half : LEAST;
}

static int bridge_run (const struct values *v, const struct slurm_watch *watch,
                       const struct nodemap *map, tori_error *err)
{
    struct bridge bridge = {.map = map,
                            .watch = watch,
                            .conf = v->conf,
                            .shadow = v->shadow,
                            .beat = beat_of (v) / 1000.0,
                            .wake = -1,
                            .estimate = v->estimate / TORI_SECOND,
                            .patience = (double)v->patience / TORI_SECOND,
                            .ranks.every = v->priorities / TORI_SECOND};
    struct standby standby = {.path = v->fail_open > 0 ? v->lock : NULL,
                              .patience = hang_of (v)};
    uint32_t most = 0;
    int lock = v->lock ? open_lock (v->lock, err) : -1;
    int status = v->lock && lock < 0 ? -1 : bridge_begin (&bridge, err);
    bridge.sharing = v->gang > 0;
    standby.lock = &lock;
    slurm_init (NULL);
    if (status == 0)
        status = look_first (&bridge, err);
    if (status == 0 && v->gang > 0)
        status = wait_for_shares (watch, beat_of (v) / 1000.0, &most, err);
    if (status == 0) {
        if (v->gang > 0)
            status = gang_run (&bridge, &standby, beat_of (v) / 1000.0,
                               v->gang, most, err);
        else
            serve_torid (&bridge, &standby, v);
        bridge.alone = true;
        if (v->fail_open > 0 && (bridge.left || v->gang == 0)
            && !(bridge.hangs && standby_hand_over (&standby)))
            wait_alone (&bridge, v, &standby);
    }
    bridge_clear (&bridge);
    if (lock >= 0)
        close (lock);
    return status;
}

/* Jobs that torid's machine cannot hold would be cancelled, all of them. */
static int check_machine (const struct slurm_watch *watch, tori_error *err)
{
    const char *other = getenv ("TORI_MACHINE");
    char own[TORI_TEXT_MAX];
    tori_machine_format (watch->machine, own);
    return !other || !strcmp (other, own)
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "the machine of torid is %.200s, and that of "
                                 "tori-slurm is %.200s",
                                 other, own);
}

static int run_bridge (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct slurm_watch watch = {0};
    struct nodemap map = {0};
    int status;
    if (about_done (&v->about, &command_slurm, out, &status, err))
        return status;
    signal (SIGPIPE, SIG_IGN);
    setenv ("SLURM_BITSTR_LEN", "0", 1); /* all tasks of an array */
    status = read_map (v, &watch, &map, err);
    if (status == 0 && v->print)
        nodemap_write (&map, out);
    else if (status == 0 && (status = check_machine (&watch, err)) == 0)
        status = bridge_run (v, &watch, &map, err);
    nodemap_clear (&map);
    slurm_watch_clear (&watch);
    return status;
}

static const struct command command_slurm = {
    .name = "tori-slurm",
    .section = 8,
    .summary = "Let torid place the jobs of a Slurm cluster",
    .notes = "tori-slurm is an executor of torid. It submits the jobs that "
             "Slurm holds in the partitions it watches to torid, and releases "
             "them onto the nodes that torid has chosen. Whatever it has to "
             "remember is in Slurm, in the administrator's comments, so it "
             "may be ended and started again at any time. With --gang there "
             "is no torid: every job gets a partition of a tree of halves, "
             "and those that share nodes are suspended and resumed, as whole "
             "jobs, in turns. It ends at once with status 2 if Slurm has none "
             "of the nodes or none of the partitions, and with status 1 if "
             "its user may not release jobs. Nodes or partitions that are "
             "missing are reported on standard error.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "torid --machine torus:4x4x4 --state DIR --executor \\\n"
                "    \"tori-slurm --machine torus:4x4x4 "
                "--nodes 'n[0-63]'\"\n"
                "tori-slurm --machine torus:4x4x4 --nodes 'n[0-63]' "
                "--gang 1m \\\n    --fail-open 10m --lock /run/tori.lock",
    .run = run_bridge,
};

int main (int argc, char **argv)
{
    return startup (&command_slurm, NULL, argc, argv);
}
