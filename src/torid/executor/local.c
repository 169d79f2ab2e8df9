/* local.c - torid-local: an executor that runs jobs on this host. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "badge.h"
#include "cage.h"
#include "jobmembers.h"
#include "local.h"
#include "number.h"
#include "startup.h"

static void say_failed (struct attempt which, const char *why, bool host)
{
    json_t *message = attempt_message ("failed", &which);
    json_object_set_new (message, "why", lines_text (why));
    if (host)
        local_mark_host (message);
    lines_say (message);
}

/* ---- starts that wait ---- */

/* All jobs of this host have one folder. If that is full, none can start, on
 * whichever node: their orders wait here until there is room. */

static double read_clock (void)
{
    struct timespec t;
    clock_gettime (CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The room that a job takes in the folder, besides its script. */
enum { JOB_FILES = 8, JOB_BYTES = 64 << 10 };

/* How many jobs there is room for. */
static uint64_t count_room (const struct local *l)
{
    struct statvfs room;
    uint64_t bytes, files;
    if (fstatvfs (l->jobs, &room) < 0)
        return UINT64_MAX;
    bytes = (uint64_t)room.f_bavail * room.f_frsize / JOB_BYTES;
    files = room.f_files > 0 ? room.f_favail / JOB_FILES : UINT64_MAX;
    return bytes < files ? bytes : files;
}

/* How many jobs with a short script take as much as this one. */
static uint64_t read_need (const json_t *order)
{
    return 1
           + json_string_length (json_object_get (order, JOB_KEY (script)))
                 / JOB_BYTES;
}

static void hold_start (struct local *l, struct attempt which,
                        json_t *order)
{
    enum { PAUSE = 1 };
    char name[ATTEMPT_NAME];
    if (json_object_size (l->held) == 0) {
        l->pause = PAUSE;
        l->next = read_clock () + PAUSE;
    }
    attempt_name (&which, name);
    json_object_set (l->held, name, order);
}

/* The order of an attempt that waits, or NULL. */
static json_t *find_held (const struct local *l, struct attempt which)
{
    char name[ATTEMPT_NAME];
    attempt_name (&which, name);
    return json_object_get (l->held, name);
}

/* An order about an attempt that has not begun. */
static void tell_held (struct local *l, struct attempt which,
                       enum guard_wish wish)
{
    char name[ATTEMPT_NAME];
    if (wish != GUARD_STOP) {
        json_object_set_new (find_held (l, which), "suspended",
                             json_boolean (wish == GUARD_SUSPEND));
        return;
    }
    attempt_name (&which, name);
    json_object_del (l->held, name);
    say_failed (which, "it was stopped before it began", false);
}

static void tell_trouble (struct local *l)
{
    bool now = json_object_size (l->held) > 0;
    if (now != l->troubled)
        lines_say (json_pack (
            "{s:s, s:s*}", "is", "trouble", "why",
            now ? "the folder of jobs is full: starts wait for room" : NULL));
    l->troubled = now;
}

/* ---- orders ---- */

/* Nothing could be started here. The folder records it, if it can be
 * written. */
static void give_up (struct local *l, struct attempt which, const char *why)
{
    int dir = attempt_open (l->jobs, which);
    if (dir >= 0) {
        json_t *word = json_pack ("{s:o}", "failed", lines_text (why));
        char *text;
        local_mark_host (word);
        text = json_dumps (word, JSON_COMPACT);
        attempt_write (dir, "ended", text ? text : "{}", NULL);
        free (text);
        json_decref (word);
        close (dir);
    }
    say_failed (which, why, true);
}

static void launch_job (struct local *l, struct order *order)
{
    struct kept kept = {.which = order->which, .news = -1};
    tori_error err = {0};
    int lock = -1;
    order->patience = l->patience;
    order->files = l->files;
    kept.dir = attempt_create (l->jobs, order->which, &lock, &err);
    if (kept.dir < 0) {
        give_up (l, order->which, err.text);
        return;
    }
    kept.guard = guard_start (order, kept.dir, lock, &kept.news, &err);
    if (kept.guard < 0) {
        close (kept.dir);
        give_up (l, order->which, err.text);
        return;
    }
    kept_add (l, kept);
}

/* An attempt that was started before is not started again, even if it has
 * ended: its state is reported once more. */
static bool is_known (struct local *l, struct attempt which)
{
    struct kept *kept = kept_find (l, which);
    int dir;
    if (find_held (l, which))
        return true;
    if (kept) {
        kept->told = false;
        if (!kept_review (l, kept))
            kept_drop (l, kept);
        return true;
    }
    dir = attempt_open (l->jobs, which);
    if (dir < 0) /* without free descriptors, the state is unknown */
        return errno != ENOENT;
    close (dir);
    kept_take_stock (l, which);
    return true;
}

static void start_attempt (struct local *l, struct attempt which,
                           json_t *message)
{
    struct order order;
    tori_error err = {0};
    char hosts[4096], path[64], name[ATTEMPT_NAME];
    ssize_t n;
    snprintf (path, sizeof path, "/proc/self/fd/%d", l->jobs);
    n = readlink (path, hosts, sizeof hosts - sizeof name - 8);
    attempt_name (&which, name);
    snprintf (hosts + (n > 0 ? n : 0), sizeof name + 8, "/%s/hosts", name);
    if (order_read (message, hosts, &order, &err) < 0) {
        say_failed (which, err.text, err.status != TORI_INVALID);
        return;
    }
    order.which = which;
    order.badge = badge_text (message);
    if (which.job > l->highest)
        l->highest = which.job;
    launch_job (l, &order);
    order_clear (&order);
}

static void do_start (struct local *l, json_t *message)
{
    struct attempt which;
    if (!attempt_read (message, &which) || is_known (l, which))
        return;
    if (json_object_size (l->held) > 0
        || count_room (l) < read_need (message))
        hold_start (l, which, message);
    else
        start_attempt (l, which, message);
}

/* Start what there is room for. Those that begin take theirs a little later,
 * so half of it stays free. Without room, try less and less often. */
static void try_held (struct local *l)
{
    enum { PAUSE_MOST = 30 };
    size_t before = json_object_size (l->held);
    uint64_t room;
    const char *name;
    json_t *order;
    void *next;
    if (before == 0 || read_clock () < l->next)
        return;
    room = (count_room (l) + 1) / 2;
    json_object_foreach_safe (l->held, next, name, order)
    {
        uint64_t need = read_need (order);
        struct attempt which;
        if (need > room || json_is_true (json_object_get (order, "suspended"))
            || !attempt_read (order, &which))
            continue;
        room -= need;
        start_attempt (l, which, order);
        json_object_del (l->held, name);
    }
    l->pause = json_object_size (l->held) < before ? 1 : l->pause * 2;
    if (l->pause > PAUSE_MOST)
        l->pause = PAUSE_MOST;
    l->next = read_clock () + l->pause;
}

static void do_tell (struct local *l, const json_t *message,
                     enum guard_wish wish)
{
    json_int_t signal
        = json_integer_value (json_object_get (message, "signal"));
    double grace = json_number_value (json_object_get (message, "grace"));
    struct attempt which;
    struct kept *kept;
    if (!attempt_read (message, &which))
        return;
    if (find_held (l, which)) {
        tell_held (l, which, wish);
        return;
    }
    if (!(kept = kept_find (l, which)))
        return;
    if (kept->owed && kept->request.wish == GUARD_STOP && wish != GUARD_STOP)
        return;
    kept->owed = true;
    kept->request = (struct guard_request){
        wish, signal > 0 && signal < NSIG ? (int)signal : SIGTERM, grace};
    kept_pass_on (kept);
}

static void do_limit (struct local *l, const json_t *message)
{
    const json_t *limit = json_object_get (message, "limit");
    struct attempt which;
    struct kept *kept;
    if (!json_is_number (limit) || !attempt_read (message, &which))
        return;
    json_object_set (find_held (l, which), "limit",
                     json_object_get (message, "limit"));
    if (!(kept = kept_find (l, which)))
        return;
    kept->limited = true;
    kept->limit = (struct guard_request){
        .wish = GUARD_LIMIT, .seconds = json_number_value (limit)};
    kept_pass_on (kept);
}

static void list_held (const struct local *l, json_t *running)
{
    const char *name;
    json_t *order;
    json_object_foreach (l->held, name, order)
        json_array_append_new (running, badge_make (order));
}

static void do_list (struct local *l)
{
    json_t *running = json_array ();
    kept_look_around (l);
    for (size_t i = 0; i < l->n; i++)
        json_array_append_new (running, kept_describe (l, &l->kept[i]));
    list_held (l, running);
    lines_say (json_pack ("{s:s, s:o, s:o*}", "is", "running", "jobs", running,
                          "highest",
                          l->identity ? json_integer (l->highest) : NULL));
}

static void do_forget (struct local *l, const json_t *message)
{
    struct attempt which;
    int dir;
    if (!attempt_read (message, &which) || kept_find (l, which))
        return;
    dir = attempt_open (l->jobs, which);
    if (dir < 0)
        return;
    attempt_forget (dir);
    close (dir);
}

static void obey_order (struct local *l, json_t *message)
{
    const char *what
        = json_string_value (json_object_get (message, "do"));
    if (!what)
        return;
    if (!strcmp (what, "start"))
        do_start (l, message);
    else if (!strcmp (what, "stop"))
        do_tell (l, message, GUARD_STOP);
    else if (!strcmp (what, "suspend"))
        do_tell (l, message, GUARD_SUSPEND);
    else if (!strcmp (what, "resume"))
        do_tell (l, message, GUARD_RESUME);
    else if (!strcmp (what, "limit"))
        do_limit (l, message);
    else if (!strcmp (what, "list"))
        do_list (l);
    else if (!strcmp (what, "forget"))
        do_forget (l, message);
}

/* ---- the loop ---- */

/* Milliseconds until something has to be done, for poll. */
static int next_pause (const struct local *l)
{
    enum { PAUSE = 20 };
    if (kept_are_unsettled (l))
        return PAUSE;
    return json_object_size (l->held) == 0
               ? -1
               : (int)number_clamp ((l->next - read_clock ()) * 1000 + 1, 0,
                                    3600 * 1000);
}

static bool serve_orders (struct local *l)
{
    json_t *message;
    try_held (l);
    tell_trouble (l);
    l->fds[0] = (struct pollfd){STDIN_FILENO, POLLIN, 0};
    for (size_t i = 0; i < l->n; i++)
        l->fds[i + 1] = (struct pollfd){l->kept[i].news, POLLIN, 0};
    if (poll (l->fds, l->n + 1, next_pause (l)) < 0)
        return errno == EINTR;
    kept_review_all (l);
    if (!l->fds[0].revents)
        return true;
    if (!lines_fill (&l->lines, STDIN_FILENO))
        return false;
    while ((message = lines_next (&l->lines))) {
        obey_order (l, message);
        json_decref (message);
    }
    return true;
}

/* A lock of this process alone: a guard that has just been forked does not
 * have it. */
static const char *lock_jobs (int jobs)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = openat (jobs, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return strerror (errno);
    return fcntl (fd, F_SETLK, &lock) < 0 ? "another torid-local uses it"
                                          : NULL;
}

static int open_jobs (const char *path)
{
    int jobs = mkdir (path, 0755) < 0 && errno != EEXIST
                   ? -1
                   : open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *why = jobs < 0 ? strerror (errno) : lock_jobs (jobs);
    if (!why)
        return jobs;
    fprintf (stderr, "torid-local: %s: %s\n", path, why);
    return -1;
}

/* ---- what it takes ---- */

/* The kernel gives a program at most 128 KiB for one argument or variable, and
 * for all of them a quarter of its stack, between 128 KiB and 6 MiB. Some of
 * that is for the variables that every job has. */
static json_t *make_ready (void)
{
    enum { WORD = 128 << 10, LEAST = 128 << 10, MOST = 6 << 20, OWN = 16 << 10 };
    struct rlimit stack;
    rlim_t all = getrlimit (RLIMIT_STACK, &stack) < 0 ? 0 : stack.rlim_cur / 4;
    json_t *ready = lines_ready ();
    char host[256] = "";
    if (gethostname (host, sizeof host - 1) == 0)
        json_object_set_new (ready, "files", lines_text (host));
    all = all < LEAST ? LEAST : all > MOST ? MOST : all;
    json_object_set_new (ready, "max_word", json_integer (WORD - 1));
    json_object_set_new (ready, "max_words",
                         json_integer ((json_int_t)all - OWN));
    return ready;
}

/* ---- the command ---- */

struct values {
    struct about about;
    const char *jobs;
    struct fraction patience;
};

static const struct option options[] = {
    {.name = "jobs", .kind = OPTION_STRING, OPTION_AT (struct values, jobs),
     .value = "DIR",
     .help = "where to keep what has to survive; created if it is not there"},
    {.name = "patience", .kind = OPTION_FRACTION,
     OPTION_AT (struct values, patience), .value = "DURATION", .unit = 1,
     .positive = true, .max = 86400, .fallback = "60s",
     .help = "a job whose program has not begun after this long, because its "
             "directory, a file or the program does not answer, is ended"},
    OPTION_ROWS_ABOUT (struct values),
    {.name = NULL},
};

static const struct command command_local;

/* Every job takes two descriptors here. Jobs get the original limit; 0 if it
 * is not known. */
static rlim_t raise_files (void)
{
    struct rlimit limit;
    rlim_t before;
    if (getrlimit (RLIMIT_NOFILE, &limit) < 0)
        return 0;
    before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    setrlimit (RLIMIT_NOFILE, &limit);
    return before;
}

static int run_local (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct local l = {0};
    int status;
    if (about_done (&v->about, &command_local, out, &status, err))
        return status;
    if (!v->jobs)
        return tori_error_set (err, TORI_INVALID,
                               "--jobs DIR is missing; see 'torid-local "
                               "--help'");
    umask (022); /* users enter their folders; and jobs get it, too */
    l.jobs = open_jobs (v->jobs);
    if (l.jobs < 0)
        return 1;
    l.patience = fraction_value (v->patience);
    l.files = raise_files ();
    signal (SIGPIPE, SIG_IGN);
    signal (SIGCHLD, SIG_IGN); /* guards are not watched by SIGCHLD */
    prctl (PR_SET_CHILD_SUBREAPER, 1);
    family_children (&l.others);
    cages_sweep ();
    l.fds = calloc (1, sizeof *l.fds);
    l.fds_room = 1;
    l.held = json_object ();
    if (!l.fds || !l.held)
        return 1;
    l.identity = getenv ("TORI_STATE");
    kept_look_around (&l);
    lines_say (make_ready ());
    while (serve_orders (&l))
        ;
    json_decref (l.badges);
    json_decref (l.held);
    lines_clear (&l.lines);
    while (l.n > 0)
        kept_drop (&l, &l.kept[l.n - 1]);
    free (l.kept);
    free (l.fds);
    free (l.others.one);
    close (l.jobs);
    return 0;
}

static const struct command command_local = {
    .name = "torid-local",
    .section = 8,
    .summary = "Run jobs on this host, for torid",
    .notes = "Orders are read from standard input, one JSON object per line, "
             "and answers are written to standard output. Jobs outlive this "
             "program: the next one with the same directory finds them again. "
             "One program uses a directory at a time.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "torid --machine torus:4x4 --state DIR --executor \\\n"
                "    'torid-local --jobs DIR/jobs'",
    .run = run_local,
};

int main (int argc, char **argv)
{
    return startup (&command_local, NULL, argc, argv);
}
