#include "maker.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *maker_stat (pid_t pid, char text[MAKER_STAT])
{
    char path[64];
    const char *end;
    size_t n;
    FILE *file;
    snprintf (path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (!(file = fopen (path, "re")))
        return NULL;
    n = fread (text, 1, MAKER_STAT - 1, file);
    fclose (file);
    text[n] = 0;
    end = strrchr (text, ')');
    return end ? end + 1 : NULL;
}

/* When a process was started, in ticks since the machine was; 0 if it is dead.
 */
static unsigned long long started (pid_t pid)
{
    char text[MAKER_STAT], state = 0;
    unsigned long long ticks = 0;
    const char *stat = maker_stat (pid, text);
    if (!stat
        || sscanf (stat,
                   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                   "%*s %*s %*s %*s %*s %llu",
                   &state, &ticks)
               != 2
        || state == 'Z' || state == 'X')
        return 0;
    return ticks;
}

/* Which processes can be seen from here; 0 if nobody says. */
static unsigned long long namespace_here (void)
{
    struct stat st;
    return stat ("/proc/self/ns/pid", &st) < 0 ? 0
                                               : (unsigned long long)st.st_ino;
}

void maker_name (pid_t maker, char name[MAKER_NAME])
{
    snprintf (name, MAKER_NAME, "tori-gang-%ld-%llu-%llu", (long)maker,
              started (maker), namespace_here ());
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
    return space == namespace_here () && started ((pid_t)pid) != start;
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
