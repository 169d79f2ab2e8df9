/* local.c - torid-local: an executor that runs jobs on this host. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "badge.h"
#include "cage.h"
#include "family.h"
#include "guard.h"
#include "jsonlines.h"
#include "number.h"
#include "startup.h"

/* An attempt for which no order to forget has come. */
struct kept {
    struct attempt which;
    int dir;
    int news;    /* readable when the attempt should be checked; -1: at its
                    end, but its guard was still there */
    pid_t guard; /* 0: not known */
    bool homeless; /* its folder is gone, but its guard lives: `news` is of the
                      guard */
    bool told;     /* its start was reported */
    bool found;    /* another executor started it, and may not have been heard:
                      `news` does not say that it begins */
    bool owed, limited; /* these requests are to be sent to its guard when that
                           is known: */
    struct guard_request request, limit;
};

struct local {
    int jobs;
    struct kept *kept; /* by job and attempt */
    size_t n, room;
    struct pollfd *fds;
    size_t fds_room;
    struct lines lines;
    double patience; /* seconds within which a job has to begin */
    rlim_t files;    /* files that a job may have open */
    struct kin others; /* children that this process had from the start */
    const char *identity; /* of the state of torid, or NULL */
    json_t *badges;       /* of all guards, as last found */
    int64_t highest;      /* the highest number of a job so far */
    json_t *held;         /* orders to start that wait for room, by the names
                             of their attempts and in order, */
    double pause, next;   /* and how long until when */
    bool troubled;        /* torid was told so */
};

/* ---- messages to torid ---- */

/* A failure of this host is not the job's: it may start elsewhere. */
static void mark_host (json_t *message)
{
    json_object_set_new (message, "retry", json_true ());
    json_object_set_new (message, "host", json_true ());
}

static void say_failed (struct attempt which, const char *why, bool host)
{
    json_t *message = attempt_message ("failed", &which);
    json_object_set_new (message, "why", lines_text (why));
    if (host)
        mark_host (message);
    lines_say (message);
}

static void say_started (struct kept *kept)
{
    if (!kept->told)
        lines_say (attempt_message ("started", &kept->which));
    kept->told = true;
}

static void say_ended (struct attempt which, int dir)
{
    json_t *ending = attempt_ending (dir);
    json_t *message = attempt_message (
        json_object_get (ending, "failed") ? "failed" : "ended", &which);
    if (!ending)
        json_object_set_new (message, "why",
                             json_string ("its last word is damaged"));
    else if (json_object_get (ending, "failed")) {
        json_object_set (message, "why", json_object_get (ending, "failed"));
        if (json_is_true (json_object_get (ending, "host")))
            mark_host (message);
    } else
        json_object_update (message, ending);
    json_decref (ending);
    lines_say (message);
}

/* The reason for a guard that had no room to write it. */
static const char *why_not_started (int dir)
{
    struct statvfs room;
    if (fstatvfs (dir, &room) == 0
        && (room.f_bavail == 0 || (room.f_files > 0 && room.f_favail == 0)))
        return "it was never started: the folder of jobs is full";
    return "it was never started";
}

/* Its guard was killed, and the program with it. If the guard had written its
 * number, the program may have begun. */
static void say_lost (struct attempt which, int dir)
{
    bool began = faccessat (dir, "guard", F_OK, 0) == 0;
    json_t *message = attempt_message (began ? "ended" : "failed", &which);
    if (began) {
        json_object_set_new (message, "status", json_null ());
        json_object_set_new (message, "signal", json_integer (SIGKILL));
    } else {
        mark_host (message);
    }
    json_object_set_new (message, "why",
                         json_string (began ? "its guard was killed"
                                            : why_not_started (dir)));
    lines_say (message);
}

/* ---- attempts ---- */

static bool is_before (struct attempt a, struct attempt b)
{
    if (a.job != b.job)
        return a.job < b.job;
    return a.attempt != b.attempt ? a.attempt < b.attempt
                                  : strcmp (a.state, b.state) < 0;
}

/* The place of an attempt among the kept ones, in order. */
static size_t place_of (const struct local *l, struct attempt which)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before (l->kept[middle].which, which))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct kept *find_kept (struct local *l, struct attempt which)
{
    size_t at = place_of (l, which);
    return at < l->n && !is_before (which, l->kept[at].which) ? &l->kept[at]
                                                              : NULL;
}

/* Without memory this process ends; the jobs go on. */
static void add_kept (struct local *l, struct kept kept)
{
    size_t at = place_of (l, kept.which);
    struct kept *more
        = array_room (l->kept, &l->room, l->n + 1, sizeof *more);
    struct pollfd *fds = array_room (l->fds, &l->fds_room, l->n + 2,
                                     sizeof *fds);
    if (!more || !fds) {
        fputs ("torid-local: out of memory\n", stderr);
        exit (1);
    }
    l->kept = more;
    l->fds = fds;
    memmove (&more[at + 1], &more[at], (l->n - at) * sizeof *more);
    more[at] = kept;
    l->n++;
}

static void drop_kept (struct local *l, struct kept *kept)
{
    size_t at = (size_t)(kept - l->kept);
    close (kept->dir);
    if (kept->news >= 0)
        close (kept->news);
    l->n--;
    memmove (kept, kept + 1, (l->n - at) * sizeof *kept);
}

static void tell_guard (struct kept *kept, int guard)
{
    if (kept->limited)
        guard_tell (guard, kept->limit);
    if (kept->owed)
        guard_tell (guard, kept->request);
    kept->limited = kept->owed = false;
}

/* A guard that has just been started may not have written its number yet. */
static void pass_on (struct kept *kept)
{
    int guard;
    if (kept->homeless) {
        tell_guard (kept, kept->news);
        return;
    }
    if (kept->guard <= 0)
        kept->guard = attempt_guard (kept->dir);
    guard = kept->owed || kept->limited
                ? attempt_guard_open (kept->dir, kept->guard)
                : -1;
    if (guard < 0)
        return;
    tell_guard (kept, guard);
    close (guard);
}

/* The processes of a killed guard are children of this process. The guard may
 * be about to end: its lock is free a moment before. */
static void end_strays (const struct local *l, const struct kept *lost)
{
    struct kin known = {0};
    for (size_t i = 0; i < l->others.n; i++)
        kin_add (&known, l->others.one[i]);
    for (size_t i = 0; i < l->n; i++)
        if (&l->kept[i] != lost)
            kin_add (&known, (struct relative){.pid = l->kept[i].guard});
    known.cut |= l->others.cut;
    family_end_strays (&known);
    free (known.one);
}

/* Its folder was replaced, and the guard's files with it. */
static bool review_homeless (struct kept *kept)
{
    json_t *message;
    say_started (kept);
    if (kept->news >= 0)
        return true;
    message = attempt_message ("ended", &kept->which);
    json_object_set_new (message, "status", json_null ());
    json_object_set_new (message, "signal", json_integer (SIGKILL));
    json_object_set_new (message, "why",
                         json_string ("its folder was replaced, so nobody "
                                      "knows how it ended"));
    lines_say (message);
    return false;
}

/* Check an attempt and report changes. False if it is over. */
static bool review_kept (const struct local *l, struct kept *kept)
{
    if (kept->homeless)
        return review_homeless (kept);
    switch (attempt_look (kept->dir)) {
    case ATTEMPT_RUNNING:
        say_started (kept);
        return true;
    case ATTEMPT_STARTING:
        return true;
    case ATTEMPT_ENDED:
        if (faccessat (kept->dir, "began", F_OK, 0) == 0)
            say_started (kept);
        say_ended (kept->which, kept->dir);
        return false;
    case ATTEMPT_LOST:
        cages_sweep ();
        end_strays (l, kept);
        say_lost (kept->which, kept->dir);
        return false;
    default:
        return false;
    }
}

/* Take up an attempt that another executor has started. */
static void take_up (struct local *l, struct attempt which, int dir)
{
    pid_t guard = attempt_guard (dir);
    int news = attempt_guard_open (dir, guard);
    add_kept (l, (struct kept){.which = which,
                               .dir = dir,
                               .news = news,
                               .guard = guard,
                               .found = true});
}

/* The badge of the guard of an attempt, or NULL. */
static const json_t *badge_of (const struct local *l, struct attempt which)
{
    char name[ATTEMPT_NAME];
    attempt_name (&which, name);
    return json_object_get (l->badges, name);
}

static bool is_living (enum attempt_state state)
{
    return state == ATTEMPT_STARTING || state == ATTEMPT_RUNNING;
}

/* A guard lives, and its folder was moved or replaced: its files are in the
 * folder that the guard has open, if that still exists. */
static void adopt_guard (struct local *l, struct attempt which,
                         const json_t *badge)
{
    int news = badge_guard (badge), dir = badge_folder (badge);
    enum attempt_state state = dir < 0 ? ATTEMPT_NEW : attempt_look (dir);
    if (state == ATTEMPT_ENDED || news < 0) {
        if (news >= 0)
            close (news);
        if (dir >= 0)
            close (dir);
        return;
    }
    add_kept (l, (struct kept){.which = which,
                               .dir = dir,
                               .news = news,
                               .guard = (pid_t)json_integer_value (
                                   json_object_get (badge, "guard")),
                               .homeless = !is_living (state),
                               .found = true});
}

/* Guards of this state of torid that are not kept here. */
static void adopt_all (struct local *l)
{
    size_t n = l->identity ? strlen (l->identity) : 0;
    const char *name;
    json_t *badge;
    json_object_foreach (l->badges, name, badge)
    {
        struct attempt which;
        if (n == 0 || !attempt_read (badge, &which)
            || strncmp (which.state, l->identity, n) || which.state[n] != '.')
            continue;
        if (which.job > l->highest)
            l->highest = which.job;
        if (!find_kept (l, which))
            adopt_guard (l, which, badge);
    }
}

/* Report the state of an attempt that is not kept here. */
static void take_stock (void *arg, struct attempt which)
{
    struct local *l = arg;
    int dir = attempt_open (l->jobs, which);
    enum attempt_state state = dir < 0 ? ATTEMPT_NEW : attempt_look (dir);
    if (which.job > l->highest)
        l->highest = which.job;
    if (find_kept (l, which)) {
        close (dir);
        return;
    }
    if (is_living (state)) {
        take_up (l, which, dir);
        return;
    }
    if (state == ATTEMPT_LOST && badge_of (l, which)) {
        close (dir);
        adopt_guard (l, which, badge_of (l, which));
        return;
    }
    if (state == ATTEMPT_ENDED)
        say_ended (which, dir);
    if (state == ATTEMPT_LOST)
        say_lost (which, dir);
    if (dir >= 0)
        close (dir);
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
           + json_string_length (json_object_get (order, "script"))
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
        mark_host (word);
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
    add_kept (l, kept);
}

/* An attempt that was started before is not started again, even if it has
 * ended: its state is reported once more. */
static bool is_known (struct local *l, struct attempt which)
{
    struct kept *kept = find_kept (l, which);
    int dir;
    if (find_held (l, which))
        return true;
    if (kept) {
        kept->told = false;
        if (!review_kept (l, kept))
            drop_kept (l, kept);
        return true;
    }
    dir = attempt_open (l->jobs, which);
    if (dir < 0) /* without free descriptors, the state is unknown */
        return errno != ENOENT;
    close (dir);
    take_stock (l, which);
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
    if (!(kept = find_kept (l, which)))
        return;
    if (kept->owed && kept->request.wish == GUARD_STOP && wish != GUARD_STOP)
        return;
    kept->owed = true;
    kept->request = (struct guard_request){
        wish, signal > 0 && signal < NSIG ? (int)signal : SIGTERM, grace};
    pass_on (kept);
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
    if (!(kept = find_kept (l, which)))
        return;
    kept->limited = true;
    kept->limit = (struct guard_request){
        .wish = GUARD_LIMIT, .seconds = json_number_value (limit)};
    pass_on (kept);
}

static void look_around (struct local *l)
{
    json_decref (l->badges);
    l->badges = badges_find ();
    attempts_each (l->jobs, take_stock, l, NULL);
    adopt_all (l);
}

/* With its guard's badge: a torid that does not know the attempt needs to know
 * its nodes. */
static json_t *list_one (const struct local *l, const struct kept *kept)
{
    const json_t *badge = badge_of (l, kept->which);
    const char *state = kept->which.state;
    return json_pack ("{s:I, s:I, s:s*, s:O*, s:O*}", "job",
                      (json_int_t)kept->which.job, "attempt",
                      (json_int_t)kept->which.attempt, "state",
                      *state ? state : NULL, "ids",
                      json_object_get (badge, "ids"), "user",
                      json_object_get (badge, "user"));
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
    look_around (l);
    for (size_t i = 0; i < l->n; i++)
        json_array_append_new (running, list_one (l, &l->kept[i]));
    list_held (l, running);
    lines_say (json_pack ("{s:s, s:o, s:o*}", "is", "running", "jobs", running,
                          "highest",
                          l->identity ? json_integer (l->highest) : NULL));
}

static void do_forget (struct local *l, const json_t *message)
{
    struct attempt which;
    int dir;
    if (!attempt_read (message, &which) || find_kept (l, which))
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

/* A guard's message only needs to be read; after its end only its lock is
 * waited for. */
static void take_news (struct kept *kept)
{
    char byte;
    if (read (kept->news, &byte, 1) == 1)
        return;
    close (kept->news);
    kept->news = -1;
}

/* Whether nobody will say when there is something new of it. */
static bool is_mute (const struct kept *kept)
{
    return kept->news < 0 || (kept->found && !kept->told);
}

static bool has_loose_ends (const struct local *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (is_mute (&l->kept[i]) || l->kept[i].owed || l->kept[i].limited)
            return true;
    return false;
}

static void review_all (struct local *l)
{
    for (size_t i = l->n; i-- > 0;) {
        short events = l->fds[i + 1].revents;
        struct kept *kept = &l->kept[i];
        if (events)
            take_news (kept);
        pass_on (kept);
        if ((events || is_mute (kept)) && !review_kept (l, kept))
            drop_kept (l, kept);
    }
}

/* Milliseconds until something has to be done, for poll. */
static int next_pause (const struct local *l)
{
    enum { PAUSE = 20 };
    if (has_loose_ends (l))
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
    review_all (l);
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
    int64_t patience;
};

static const struct option options[] = {
    {.name = "jobs", .kind = OPTION_STRING, OPTION_AT (struct values, jobs),
     .value = "DIR",
     .help = "where to keep what has to survive; created if it is not there"},
    {.name = "patience", .kind = OPTION_INTEGER,
     OPTION_AT (struct values, patience), .value = "SECONDS", .min = 1,
     .max = 86400, .fallback = "60",
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
    l.patience = (double)v->patience;
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
    look_around (&l);
    lines_say (make_ready ());
    while (serve_orders (&l))
        ;
    json_decref (l.badges);
    json_decref (l.held);
    lines_clear (&l.lines);
    while (l.n > 0)
        drop_kept (&l, &l.kept[l.n - 1]);
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
