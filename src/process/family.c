#include "family.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "number.h"

struct link {
    pid_t pid, parent;
    bool below; /* a descendant */
};

struct family {
    struct link *link;
    size_t n, room;
};

/* The parent of a process is behind its name, which is in parentheses and may
 * hold any character. -1 if the process has gone, or is dead already. */
static pid_t parent_of (const char *pid)
{
    char path[64], text[512], state = 0;
    const char *end;
    int parent = -1;
    size_t n = 0;
    FILE *file;
    snprintf (path, sizeof path, "/proc/%.20s/stat", pid);
    file = fopen (path, "re");
    if (!file)
        return -1;
    n = fread (text, 1, sizeof text - 1, file);
    fclose (file);
    text[n] = 0;
    end = strrchr (text, ')');
    if (!end || sscanf (end + 1, " %c %d", &state, &parent) != 2
        || state == 'Z')
        return -1;
    return parent;
}

static void read_family (struct family *family)
{
    DIR *dir = opendir ("/proc");
    struct dirent *entry;
    family->n = 0;
    while (dir && (entry = readdir (dir))) {
        const char *p = entry->d_name;
        uint64_t pid;
        struct link *more;
        pid_t parent;
        if (!number_scan (&p, INT32_MAX, &pid) || *p)
            continue;
        parent = parent_of (entry->d_name);
        more = array_room (family->link, &family->room, family->n + 1,
                           sizeof *more);
        if (!more)
            break;
        family->link = more;
        if (parent > 0)
            more[family->n++] = (struct link){(pid_t)pid, parent, false};
    }
    if (dir)
        closedir (dir);
}

static bool is_below (const struct family *family, pid_t pid, pid_t top)
{
    if (pid == top)
        return true;
    for (size_t i = 0; i < family->n; i++)
        if (family->link[i].pid == pid)
            return family->link[i].below;
    return false;
}

/* Pids may have come round, so a child may stand before its parent. */
static void mark_descendants (struct family *family, pid_t top)
{
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < family->n; i++) {
            struct link *link = &family->link[i];
            if (!link->below && is_below (family, link->parent, top))
                link->below = more = true;
        }
    }
}

void kin_add (struct kin *kin, pid_t pid)
{
    pid_t *more = array_room (kin->pid, &kin->room, kin->n + 1, sizeof *more);
    if (more) {
        kin->pid = more;
        more[kin->n++] = pid;
    }
    kin->cut |= !more;
}

bool kin_has (const struct kin *kin, pid_t pid)
{
    for (size_t i = 0; i < kin->n; i++)
        if (kin->pid[i] == pid)
            return true;
    return false;
}

/* Those that were there already need not be signalled twice; a newcomer may
 * have been started by one that was not stopped yet. */
int family_gather (pid_t top, int signal, struct kin *kin)
{
    struct family now = {0}, before = {0};
    int total = 0;
    bool fresh = true;
    if (kin)
        kin->n = kin->cut = 0;
    for (int round = 0; fresh && round < 100; round++) {
        fresh = false;
        read_family (&now);
        mark_descendants (&now, top);
        for (size_t i = 0; i < now.n; i++) {
            const struct link *link = &now.link[i];
            if (!link->below || is_below (&before, link->pid, 0))
                continue;
            total += kill (link->pid, signal) == 0;
            if (kin)
                kin_add (kin, link->pid);
            fresh = true;
        }
        struct family swap = before;
        before = now;
        now = swap;
    }
    free (now.link);
    free (before.link);
    return total;
}

int family_signal (pid_t top, int signal)
{
    return family_gather (top, signal, NULL);
}

void family_children (struct kin *kin)
{
    struct family family = {0};
    read_family (&family);
    for (size_t i = 0; i < family.n; i++)
        if (family.link[i].parent == getpid ())
            kin_add (kin, family.link[i].pid);
    free (family.link);
}

/* How many there were. */
static size_t kill_strays (const struct kin *known)
{
    struct kin children = {0};
    size_t strays = 0;
    family_children (&children);
    for (size_t i = 0; i < children.n; i++) {
        pid_t pid = children.pid[i];
        if (kin_has (known, pid))
            continue;
        strays++;
        kill (pid, SIGSTOP);
        family_signal (pid, SIGKILL);
        kill (pid, SIGKILL);
    }
    free (children.pid);
    return strays;
}

/* One that dies hands its children on at the last moment. */
void family_end_strays (const struct kin *known)
{
    enum { TRIES = 200, PAUSE = 2000 }; /* microseconds */
    for (int i = 0; !known->cut && i < TRIES && kill_strays (known) > 0; i++)
        usleep (PAUSE);
}

void family_end (void)
{
    enum { PAUSE = 2000 }; /* microseconds */
    for (;;) {
        family_signal (getpid (), SIGSTOP);
        family_signal (getpid (), SIGKILL);
        for (;;) {
            pid_t pid = waitpid (-1, NULL, WNOHANG);
            if (pid < 0 && errno == ECHILD)
                return;
            if (pid <= 0)
                break;
        }
        usleep (PAUSE);
    }
}
