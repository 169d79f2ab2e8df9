/* listeners.h - sockets to listen at: one for clients of this host, and
 * perhaps one for clients with a token. */
#ifndef TORI_TORID_LISTENERS_H
#define TORI_TORID_LISTENERS_H

#include <microhttpd.h>
#include <uv.h>

#include "connections.h"
#include "settings.h"

struct torid;

struct listener {
    struct torid *torid;
    int fd;
    bool local;       /* a Unix socket: who comes is known */
    const char *path; /* to be removed at the end, or NULL */
    struct connections clients;
    size_t streams; /* of events */
    struct MHD_Daemon *http;
    bool quiet; /* it accepts no more, and will not close the socket */
    bool more; /* something is left to do in the next turn of the loop */
    uv_poll_t poll;
    uv_timer_t timer;
};

enum { LISTENERS = 4 };

/* Open the listeners that the settings name, but take over those that the
 * service manager has opened: they stay open while torid is restarted, so no
 * client is turned away. *ret_n is how many there are now. */
int listeners_open (struct listener listeners[LISTENERS], size_t *ret_n,
                    const char *socket, const struct settings *settings,
                    tori_error *err);

/* Write the address of a listener. */
void listener_name (const struct listener *listener, char *text, size_t size);

/* Close listeners that no daemon has taken over, and remove their paths. */
void listeners_close (struct listener listeners[], size_t n);

#endif
