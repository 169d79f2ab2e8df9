/* kept.c - the attempts that torid-local has started or found. */
#include "local.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "array.h"
#include "badge.h"
#include "cage.h"

/* ---- messages to torid ---- */

void local_mark_host (json_t *message)
{
    json_object_set_new (message, "retry", json_true ());
    json_object_set_new (message, "host", json_true ());
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
            local_mark_host (message);
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
        json_object_set_new (message, "lost", json_true ());
    } else {
        local_mark_host (message);
    }
    json_object_set_new (message, "why",
                         json_string (began ? "its guard was killed"
                                            : why_not_started (dir)));
    lines_say (message);
}

/* ---- attempts ---- */

/* The place of an attempt among the kept ones, in order. */
static size_t place_of (const struct local *l, struct attempt which)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (attempt_compare (&l->kept[middle].which, &which) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct kept *kept_find (struct local *l, struct attempt which)
{
    size_t at = place_of (l, which);
    return at < l->n && attempt_compare (&l->kept[at].which, &which) == 0
               ? &l->kept[at]
               : NULL;
}

void kept_add (struct local *l, struct kept kept)
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

void kept_drop (struct local *l, struct kept *kept)
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
void kept_pass_on (struct kept *kept)
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
    json_object_set_new (message, "signal", json_null ());
    json_object_set_new (message, "lost", json_true ());
    json_object_set_new (message, "why",
                         json_string ("its outcome is unknown: its folder was "
                                      "replaced while it ran"));
    lines_say (message);
    return false;
}

bool kept_review (const struct local *l, struct kept *kept)
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
    kept_add (l, (struct kept){.which = which,
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
    kept_add (l, (struct kept){.which = which,
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
        if (!kept_find (l, which))
            adopt_guard (l, which, badge);
    }
}

void kept_take_stock (void *arg, struct attempt which)
{
    struct local *l = arg;
    int dir = attempt_open (l->jobs, which);
    enum attempt_state state = dir < 0 ? ATTEMPT_NEW : attempt_look (dir);
    if (which.job > l->highest)
        l->highest = which.job;
    if (kept_find (l, which)) {
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

void kept_look_around (struct local *l)
{
    json_decref (l->badges);
    l->badges = badges_find ();
    attempts_each (l->jobs, kept_take_stock, l, NULL);
    adopt_all (l);
}

/* ---- all of them ---- */

json_t *kept_describe (const struct local *l, const struct kept *kept)
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

bool kept_are_unsettled (const struct local *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (is_mute (&l->kept[i]) || l->kept[i].owed || l->kept[i].limited)
            return true;
    return false;
}

void kept_review_all (struct local *l)
{
    for (size_t i = l->n; i-- > 0;) {
        short events = l->fds[i + 1].revents;
        struct kept *kept = &l->kept[i];
        if (events)
            take_news (kept);
        kept_pass_on (kept);
        if ((events || is_mute (kept)) && !kept_review (l, kept))
            kept_drop (l, kept);
    }
}
