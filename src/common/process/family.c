#include "family.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "maker.h"
#include "number.h"

/* ---- one process ---- */

/* A descriptor of this very process, or -1 if it has gone. */
static int open_relative (struct relative one)
{
    int fd = one.start ? (int)syscall (SYS_pidfd_open, one.pid, 0) : -1;
    if (fd >= 0 && maker_started (one.pid) != one.start) {
        close (fd);
        return -1;
    }
    return fd;
}

bool relative_signal (struct relative one, int signal)
{
    int fd = open_relative (one);
    bool sent
        = fd >= 0 && syscall (SYS_pidfd_send_signal, fd, signal, NULL, 0) == 0;
    if (fd >= 0)
        close (fd);
    return sent;
}

/* ---- several ---- */

void kin_add (struct kin *kin, struct relative one)
{
    struct relative *more
        = array_room (kin->one, &kin->room, kin->n + 1, sizeof *more);
    if (more) {
        kin->one = more;
        more[kin->n++] = one;
    }
    kin->cut |= !more;
}

bool kin_has (const struct kin *kin, pid_t pid)
{
    for (size_t i = 0; i < kin->n; i++)
        if (kin->one[i].pid == pid)
            return true;
    return false;
}

static int compare_relatives (const void *a, const void *b)
{
    const struct relative *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static void sort_kin (struct kin *kin)
{
    if (kin->n > 0)
        qsort (kin->one, kin->n, sizeof *kin->one, compare_relatives);
}

/* Whether it is among those that are sorted. */
static bool is_known (const struct kin *sorted, const struct relative *one)
{
    const struct relative *found
        = sorted->n > 0 ? bsearch (one, sorted->one, sorted->n, sizeof *one,
                                   compare_relatives)
                        : NULL;
    return found && found->start == one->start;
}

/* ---- all that there are ---- */

struct link {
    pid_t parent;
    struct relative child;
};

struct links {
    struct link *link; /* by their parents */
    size_t n, room;
};

static int compare_links (const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return compare_relatives (&x->child, &y->child);
}

static void add_link (struct links *all, pid_t pid)
{
    struct link link = {.child = {.pid = pid}};
    struct link *more;
    if (!maker_look (pid, &link.parent, &link.child.start))
        return;
    more = array_room (all->link, &all->room, all->n + 1, sizeof *more);
    if (!more)
        return;
    all->link = more;
    more[all->n++] = link;
}

static void read_links (struct links *all)
{
    DIR *dir = opendir ("/proc");
    struct dirent *entry;
    all->n = 0;
    while (dir && (entry = readdir (dir))) {
        const char *p = entry->d_name;
        uint64_t pid;
        if (number_scan (&p, INT32_MAX, &pid) && !*p)
            add_link (all, (pid_t)pid);
    }
    if (dir)
        closedir (dir);
    if (all->n > 0)
        qsort (all->link, all->n, sizeof *all->link, compare_links);
}

static void add_children (const struct links *all, pid_t parent,
                          struct kin *to)
{
    size_t low = 0, high = all->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->link[middle].parent < parent)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < all->n && all->link[low].parent == parent; low++)
        kin_add (to, all->link[low].child);
}

/* Whether the number is that of one of those that are sorted. */
static bool has_number (const struct kin *sorted, pid_t pid)
{
    const struct relative key = {.pid = pid};
    return sorted->n > 0
           && bsearch (&key, sorted->one, sorted->n, sizeof key,
                       compare_relatives);
}

/* All descendants of several processes that do not descend from each other,
 * and are sorted; they themselves are not among them. Every process is the
 * child of one parent, so none comes twice; numbers that came round while they
 * were read might lead back to the top. */
static void find_descendants (const struct links *all, const struct kin *tops,
                              struct kin *ret)
{
    ret->n = 0;
    for (size_t i = 0; i < tops->n; i++)
        add_children (all, tops->one[i].pid, ret);
    for (size_t i = 0; i < ret->n; i++)
        if (!has_number (tops, ret->one[i].pid))
            add_children (all, ret->one[i].pid, ret);
    sort_kin (ret);
}

/* Signal the descendants of several processes. Those that were there already
 * need not be signalled twice; a newcomer may have been started by one that
 * was not stopped yet. */
static int gather_from (const struct kin *tops, int signal, struct kin *kin)
{
    struct kin now = {0}, before = {0};
    struct links all = {0};
    int total = 0;
    bool fresh = true;
    for (int round = 0; fresh && round < 100; round++) {
        fresh = false;
        read_links (&all);
        find_descendants (&all, tops, &now);
        for (size_t i = 0; i < now.n; i++) {
            struct relative one = now.one[i];
            if (has_number (tops, one.pid) || is_known (&before, &one))
                continue;
            fresh = signal;
            if (signal && !relative_signal (one, signal))
                continue;
            total++;
            if (kin)
                kin_add (kin, one);
        }
        struct kin swap = before;
        before = now;
        now = swap;
    }
    free (all.link);
    free (now.one);
    free (before.one);
    return total;
}

int family_gather (pid_t top, int signal, struct kin *kin)
{
    struct relative one = {.pid = top};
    if (kin)
        kin->n = kin->cut = 0;
    return gather_from (&(struct kin){.one = &one, .n = 1}, signal, kin);
}

int family_signal (pid_t top, int signal)
{
    return family_gather (top, signal, NULL);
}

void family_children (struct kin *kin)
{
    struct links all = {0};
    read_links (&all);
    add_children (&all, getpid (), kin);
    free (all.link);
}

/* Kill the children that are not known, which are sorted, all together: /proc
 * is read once for each generation, not for each child. Returns how many
 * children there were. */
static size_t kill_strays (const struct kin *known)
{
    struct kin children = {0}, strays = {0};
    size_t n;
    family_children (&children);
    for (size_t i = 0; i < children.n; i++)
        if (!has_number (known, children.one[i].pid))
            kin_add (&strays, children.one[i]);
    sort_kin (&strays);
    for (size_t i = 0; i < strays.n; i++)
        relative_signal (strays.one[i], SIGSTOP);
    if (strays.n > 0)
        gather_from (&strays, SIGKILL, NULL);
    for (size_t i = 0; i < strays.n; i++)
        relative_signal (strays.one[i], SIGKILL);
    n = strays.n;
    free (children.one);
    free (strays.one);
    return n;
}

/* One that dies hands its children on at the last moment. */
void family_end_strays (const struct kin *known)
{
    enum { TRIES = 200, PAUSE = 2000 }; /* microseconds */
    struct kin sorted = {.cut = known->cut};
    for (size_t i = 0; i < known->n; i++)
        kin_add (&sorted, known->one[i]);
    sort_kin (&sorted);
    for (int i = 0; !sorted.cut && i < TRIES && kill_strays (&sorted) > 0; i++)
        usleep (PAUSE);
    free (sorted.one);
}

/* Wait for all that have ended. False if there are no children: then there are
 * no descendants either, for every orphan is a child of the subreaper. */
static bool reap_ended (void)
{
    pid_t pid;
    do
        pid = waitpid (-1, NULL, WNOHANG);
    while (pid > 0);
    return pid == 0 || errno != ECHILD;
}

/* The pauses are short at first, as most processes are about to go, and hand
 * on children that must be killed as well. Those that are left then wait for a
 * file system, or may not be killed: the end of a child shortens the pause. */
void family_end (void)
{
    enum { PAUSE = 2, MOST = 8000 }; /* milliseconds */
    int64_t more = PAUSE;
    sigset_t child, before;
    sigemptyset (&child);
    sigaddset (&child, SIGCHLD);
    sigprocmask (SIG_BLOCK, &child, &before);
    while (reap_ended ()) {
        family_signal (getpid (), SIGSTOP);
        family_signal (getpid (), SIGKILL);
        if (!reap_ended ())
            break;
        usleep (PAUSE * 1000);
        sigtimedwait (&child, NULL,
                      &(struct timespec){more / 1000,
                                         more % 1000 * 1000000});
        more = more < MOST / 2 ? 2 * more : MOST;
    }
    sigprocmask (SIG_SETMASK, &before, NULL);
}
