/* notify.h - telling a service manager how things are: the protocol of
 * sd_notify(3), which is a datagram. Without a manager nothing is sent. */
#ifndef TORI_TORID_NOTIFY_H
#define TORI_TORID_NOTIFY_H

#include <sys/socket.h>
#include <sys/un.h>

#include <uv.h>

struct notify {
    int fd; /* -1: there is no service manager */
    struct sockaddr_un to;
    socklen_t length;
    uv_timer_t watchdog;
};

/* Find out who listens, and keep that from processes started later. */
void notify_open (struct notify *notify);

/* Send a text, such as "READY=1". */
void notify_say (const struct notify *notify, const char *text);

/* Report that the configuration is read again; READY=1 says that this is over.
 */
void notify_reloading (const struct notify *notify);

/* Report from time to time that the loop turns, if the manager wants that. */
void notify_watch (struct notify *notify, uv_loop_t *loop);

void notify_close (struct notify *notify);

#endif
