#include "badge.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char NAME[] = "tori-attempt";

/* ---- worn ---- */

json_t *badge_make (const json_t *order)
{
    return json_pack ("{s:O, s:O, s:O*, s:O*, s:O*}", "job",
                      json_object_get (order, "job"), "attempt",
                      json_object_get (order, "attempt"), "state",
                      json_object_get (order, "state"), "ids",
                      json_object_get (order, "ids"), "user",
                      json_object_get (order, "user"));
}

char *badge_text (const json_t *order)
{
    json_t *badge = json_is_string (json_object_get (order, "state"))
                        ? badge_make (order)
                        : NULL;
    char *text = badge ? json_dumps (badge, JSON_COMPACT) : NULL;
    json_decref (badge);
    return text;
}

void badge_wear (const char *text, int dir)
{
    int fd = text ? memfd_create (NAME, MFD_CLOEXEC) : -1;
    if (fd >= 0)
        dprintf (fd, "{\"guard\":%ld,\"dir\":%d,%s\n", (long)getpid (), dir,
                 text + 1);
}

/* ---- found ---- */

static bool is_guard (const char *pid)
{
    char path[300], text[32] = "";
    struct stat st;
    int fd;
    ssize_t n;
    snprintf (path, sizeof path, "/proc/%s", pid);
    if (stat (path, &st) < 0 || st.st_uid != geteuid ())
        return false;
    snprintf (path, sizeof path, "/proc/%s/comm", pid);
    fd = open (path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read (fd, text, sizeof text - 1);
    if (fd >= 0)
        close (fd);
    return n > 0 && !strcmp (text, "torid-guard\n");
}

static json_t *read_badge (const char *path)
{
    char target[64] = "";
    json_t *badge;
    int fd;
    if (readlink (path, target, sizeof target - 1) < 0
        || strncmp (target, "/memfd:", 7)
        || strncmp (target + 7, NAME, sizeof NAME - 1))
        return NULL;
    fd = open (path, O_RDONLY | O_CLOEXEC);
    badge = fd < 0 ? NULL : json_loadfd (fd, 0, NULL);
    if (fd >= 0)
        close (fd);
    return badge;
}

/* The badge of a process, unless it was inherited. */
static void find_badge (const char *pid, json_t *all)
{
    char path[600], name[ATTEMPT_NAME];
    struct attempt which;
    struct dirent *entry;
    DIR *dir;
    snprintf (path, sizeof path, "/proc/%s/fd", pid);
    dir = opendir (path);
    while (dir && (entry = readdir (dir))) {
        json_t *badge;
        snprintf (path, sizeof path, "/proc/%s/fd/%s", pid, entry->d_name);
        badge = read_badge (path);
        if (attempt_read (badge, &which) && *which.state
            && json_integer_value (json_object_get (badge, "guard"))
                   == strtol (pid, NULL, 10)) {
            attempt_name (&which, name);
            json_object_set (all, name, badge);
        }
        json_decref (badge);
    }
    if (dir)
        closedir (dir);
}

json_t *badges_find (void)
{
    json_t *all = json_object ();
    DIR *proc = opendir ("/proc");
    struct dirent *entry;
    while (proc && (entry = readdir (proc)))
        if (strspn (entry->d_name, "0123456789") == strlen (entry->d_name)
            && is_guard (entry->d_name))
            find_badge (entry->d_name, all);
    if (proc)
        closedir (proc);
    return all;
}

int badge_folder (const json_t *badge)
{
    char path[80];
    snprintf (path, sizeof path, "/proc/%lld/fd/%lld",
              (long long)json_integer_value (json_object_get (badge, "guard")),
              (long long)json_integer_value (json_object_get (badge, "dir")));
    return open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int badge_guard (const json_t *badge)
{
    json_int_t pid = json_integer_value (json_object_get (badge, "guard"));
    return (int)syscall (SYS_pidfd_open, (pid_t)pid, 0);
}
