#include "activity.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t look_used (pid_t pid)
{
    struct timespec t;
    clockid_t clock;
    if (clock_getcpuclockid (pid, &clock) != 0
        || clock_gettime (clock, &t) < 0)
        return -1;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The same for the same processes in any order. */
static uint64_t mix (pid_t pid, int64_t used)
{
    uint64_t x = (uint64_t)pid * 0x9e3779b97f4a7c15u ^ (uint64_t)used;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static ssize_t read_file (const char *path, char *to, size_t room)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read (fd, to, room - 1);
    if (fd >= 0)
        close (fd);
    if (n >= 0)
        to[n] = 0;
    return n;
}

/* The letter after the name, which is in parentheses. */
static char state_of (pid_t pid, const char *thread)
{
    char path[80], text[512];
    const char *end;
    snprintf (path, sizeof path, "/proc/%ld/task/%.20s/stat", (long)pid,
              thread);
    if (read_file (path, text, sizeof text) < 0)
        return 0;
    end = strrchr (text, ')');
    return end && end[1] ? end[2] : 0;
}

/* False if the list cannot be read. */
static bool add_children (pid_t pid, const char *thread, struct kin *to)
{
    char path[80];
    FILE *file;
    long child;
    snprintf (path, sizeof path, "/proc/%ld/task/%.20s/children", (long)pid,
              thread);
    file = fopen (path, "re");
    if (!file)
        return false;
    while (!to->cut && fscanf (file, "%ld", &child) == 1)
        kin_add (to, (struct relative){(pid_t)child, 0});
    fclose (file);
    return true;
}

/* Look at the threads of a process; those of the top only have children. A
 * process that is gone meanwhile is seen to be by the next look. */
static bool look_at_threads (pid_t pid, bool top, struct look *look,
                             struct kin *todo)
{
    char path[32];
    struct dirent *entry;
    bool known = true;
    DIR *dir;
    snprintf (path, sizeof path, "/proc/%ld/task", (long)pid);
    dir = opendir (path);
    while (dir && (entry = readdir (dir))) {
        char state;
        if (entry->d_name[0] == '.')
            continue;
        state = top ? 0 : state_of (pid, entry->d_name);
        look->still &= state != 'R';
        if (state == 'T' && !kin_has (&look->stopped, pid))
            kin_add (&look->stopped, (struct relative){pid, 0});
        if (!add_children (pid, entry->d_name, todo) && top)
            known = false;
    }
    if (dir)
        closedir (dir);
    return known;
}

char look_state (pid_t pid)
{
    char path[32], found = 0;
    struct dirent *entry;
    DIR *dir;
    snprintf (path, sizeof path, "/proc/%ld/task", (long)pid);
    dir = opendir (path);
    while (dir && found != 'R' && (entry = readdir (dir))) {
        char state
            = entry->d_name[0] == '.' ? 0 : state_of (pid, entry->d_name);
        if (state == 'R' || state == 'D')
            found = state;
    }
    if (dir)
        closedir (dir);
    return found;
}

void look_over (pid_t top, struct look *look)
{
    struct kin todo = {0};
    look->mark = 0;
    look->stopped.n = look->stopped.cut = 0;
    look->still = true;
    if (!look_at_threads (top, true, look, &todo))
        look->still = false;
    while (todo.n > 0) {
        pid_t pid = todo.one[--todo.n].pid;
        look->mark += mix (pid, look_used (pid));
        look_at_threads (pid, false, look, &todo);
    }
    look->still &= !todo.cut && !look->stopped.cut;
    free (todo.one);
}
