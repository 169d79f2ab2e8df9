/* guests.h - connections: who is at the other end, and how long to wait.
 *
 * A guest that says nothing costs others nothing. Guests whose request is not
 * yet complete stand in a line, the one that has waited longest in front. If
 * it waits too long, or if there are too many guests, it is shown out. So ten
 * thousand silent guests keep nobody from asking.
 */
#ifndef TORI_TORID_GUESTS_H
#define TORI_TORID_GUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"
#include "tokens.h"

struct peer {
    enum role role;
    char name[256];
};

/* The user at the other end of a Unix socket. The user that torid runs as and
 * root are operators, and so are those named, as NAME or @GROUP. */
void peer_find (int fd, const struct strings *operators,
                struct peer *ret_peer);

struct guest {
    int fd;
    uint64_t since; /* milliseconds */
    bool waited_for;
    struct guest *before, *after; /* in the line */
    unsigned era;     /* of the settings by which the peer was found; 0: not */
    struct peer peer; /* of a Unix socket */
};

struct guests {
    struct guest *first, *last;
    size_t n, most;
};

void guest_come (struct guests *guests, struct guest *guest, uint64_t now);
void guest_go (struct guests *guests, struct guest *guest);

/* Its request is complete; and it has been answered. */
void guest_asks (struct guests *guests, struct guest *guest);
void guest_waits (struct guests *guests, struct guest *guest, uint64_t now);

/* Show out those who have waited for this many milliseconds. */
void guests_sweep (struct guests *guests, uint64_t now, uint64_t patience);

/* ---- how often ---- */

/* Requests of a user, as many per second and no more than that at once. */
struct rate {
    char name[256];
    double left;
    uint64_t at;
};

struct rates {
    struct rate *items;
    size_t n, room;
};

/* Whether one more is allowed now; without memory it is. */
bool rate_take (struct rates *rates, const char *name, int64_t per_second,
                uint64_t now);

#endif
