#include "maker.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *maker_stat (pid_t pid, char text[MAKER_STAT])
{
    char path[64];
    const char *end;
    ssize_t n;
    int file;
    snprintf (path, sizeof path, "/proc/%ld/stat", (long)pid);
    file = open (path, O_RDONLY | O_CLOEXEC);
    n = file < 0 ? -1 : read (file, text, MAKER_STAT - 1);
    if (file >= 0)
        close (file);
    if (n < 0)
        return NULL;
    text[n] = 0;
    end = strrchr (text, ')');
    return end ? end + 1 : NULL;
}

bool maker_look (pid_t pid, pid_t *ret_parent, uint64_t *ret_start)
{
    char text[MAKER_STAT], state = 0;
    unsigned long long ticks = 0;
    long parent = 0;
    const char *stat = maker_stat (pid, text);
    if (!stat
        || sscanf (stat,
                   " %c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                   "%*s %*s %*s %*s %*s %llu",
                   &state, &parent, &ticks)
               != 3
        || state == 'Z' || state == 'X')
        return false;
    *ret_parent = (pid_t)parent;
    *ret_start = ticks;
    return true;
}

uint64_t maker_started (pid_t pid)
{
    uint64_t start = 0;
    pid_t parent;
    return maker_look (pid, &parent, &start) ? start : 0;
}

/* Which processes can be seen from here; 0 if that is unknown. */
static unsigned long long namespace_here (void)
{
    struct stat st;
    return stat ("/proc/self/ns/pid", &st) < 0 ? 0
                                               : (unsigned long long)st.st_ino;
}

void maker_name (pid_t maker, char name[MAKER_NAME])
{
    snprintf (name, MAKER_NAME, "tori-gang-%ld-%llu-%llu", (long)maker,
              (unsigned long long)maker_started (maker), namespace_here ());
}

/* Whether it is that of one that is dead, and was in our namespace. */
static bool is_left (const char *name)
{
    long pid;
    unsigned long long start, space;
    int n = 0;
    if (sscanf (name, "tori-gang-%ld-%llu-%llu%n", &pid, &start, &space, &n)
            != 3
        || name[n] || pid <= 0 || start == 0 || space == 0)
        return false;
    return space == namespace_here () && maker_started ((pid_t)pid) != start;
}

void makers_sweep (const char *home, void (*clear) (const char *path))
{
    char path[PATH_MAX];
    DIR *dir = opendir (home);
    struct dirent *entry;
    struct stat st;
    int n;
    while (dir && (entry = readdir (dir))) {
        if (!is_left (entry->d_name))
            continue;
        n = snprintf (path, sizeof path, "%s/%s", home, entry->d_name);
        if (n > 0 && n < PATH_MAX && lstat (path, &st) == 0
            && S_ISDIR (st.st_mode) && st.st_uid == geteuid ())
            clear (path);
    }
    if (dir)
        closedir (dir);
}
