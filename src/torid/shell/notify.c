#include "notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "number.h"

/* A name that begins with "@" is in no directory: its first byte is 0. */
void notify_open (struct notify *notify)
{
    const char *path = getenv ("NOTIFY_SOCKET");
    size_t n = path ? strlen (path) : 0;
    *notify = (struct notify){.fd = -1, .to.sun_family = AF_UNIX};
    if (n > 1 && n < sizeof notify->to.sun_path
        && (*path == '/' || *path == '@')) {
        memcpy (notify->to.sun_path, path, n + 1);
        if (*path == '@')
            notify->to.sun_path[0] = 0;
        notify->length
            = (socklen_t)(offsetof (struct sockaddr_un, sun_path) + n);
        notify->fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    }
    unsetenv ("NOTIFY_SOCKET");
}

void notify_say (const struct notify *notify, const char *text)
{
    if (notify->fd >= 0)
        (void)sendto (notify->fd, text, strlen (text), MSG_NOSIGNAL,
                      (const struct sockaddr *)&notify->to, notify->length);
}

void notify_reloading (const struct notify *notify)
{
    struct timespec now;
    char text[64];
    clock_gettime (CLOCK_MONOTONIC, &now);
    snprintf (text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%lld%06ld",
              (long long)now.tv_sec, now.tv_nsec / 1000);
    notify_say (notify, text);
}

static void on_watchdog (uv_timer_t *timer)
{
    /* One that would have to wait is left out: another comes in time. */
    const struct notify *notify = timer->data;
    static const char text[] = "WATCHDOG=1";
    (void)sendto (notify->fd, text, sizeof text - 1,
                  MSG_NOSIGNAL | MSG_DONTWAIT,
                  (const struct sockaddr *)&notify->to, notify->length);
}

void notify_watch (struct notify *notify, uv_loop_t *loop)
{
    const char *text = getenv ("WATCHDOG_USEC");
    const char *pid = getenv ("WATCHDOG_PID");
    uint64_t microseconds, who = (uint64_t)getpid ();
    bool ours = text && number_scan (&text, INT64_MAX, &microseconds) && !*text
                && (!pid || (number_scan (&pid, INT32_MAX, &who) && !*pid))
                && who == (uint64_t)getpid () && notify->fd >= 0;
    unsetenv ("WATCHDOG_USEC");
    unsetenv ("WATCHDOG_PID");
    if (!ours)
        return;
    uv_timer_init (loop, &notify->watchdog);
    notify->watchdog.data = notify;
    uv_timer_start (&notify->watchdog, on_watchdog, 0,
                    microseconds / 2000 + 1);
}

void notify_close (struct notify *notify)
{
    if (notify->fd >= 0)
        close (notify->fd);
}
