/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm_wake.h"

#include <fcntl.h>
#include <stdbool.h>
#include <limits.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_path (const char *folder, char path[PATH_MAX])
{
    return folder
           && snprintf (path, PATH_MAX, "%s/tori.wake", folder) < PATH_MAX;
}

void slurm_wake (const char *folder, enum slurm_news news)
{
    char path[PATH_MAX];
    int fd;
    if (!make_path (folder, path))
        return;
    if (news & NEWS_JOB)
        (void)utimensat (AT_FDCWD, path, NULL, 0);
    fd = news & NEWS_END ? open (path, O_WRONLY | O_CLOEXEC) : -1;
    if (fd >= 0)
        close (fd);
}

/* slurmctld may be another user, who is the owner of the folder. */
static bool make_file (const char *folder, const char *path)
{
    int fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat owner;
    if (fd < 0)
        return false;
    if (geteuid () == 0 && stat (folder, &owner) == 0
        && fchown (fd, owner.st_uid, owner.st_gid) < 0) {
        close (fd);
        return false;
    }
    close (fd);
    return true;
}

int slurm_wake_watch (const char *folder)
{
    char path[PATH_MAX];
    int fd;
    if (!make_path (folder, path) || !make_file (folder, path))
        return -1;
    fd = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
    if (fd >= 0 && inotify_add_watch (fd, path, IN_ATTRIB | IN_CLOSE_WRITE) < 0) {
        close (fd);
        return -1;
    }
    return fd;
}

unsigned slurm_wake_take (int fd)
{
    _Alignas (struct inotify_event) char events[4096];
    unsigned news = 0;
    ssize_t n;
    while ((n = read (fd, events, sizeof events)) > 0)
        for (const char *at = events; at < events + n;) {
            const struct inotify_event *event = (const void *)at;
            if (event->mask & (IN_ATTRIB | IN_Q_OVERFLOW))
                news |= NEWS_JOB;
            if (event->mask & IN_CLOSE_WRITE)
                news |= NEWS_END;
            at += sizeof *event + event->len;
        }
    return news;
}
