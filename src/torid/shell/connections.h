/* connections.h - connections: who is at the other end, and how long to wait.
 *
 * A guest that says nothing costs others nothing. Guests whose request is not
 * yet complete stand in a line, the one that has waited longest in front. If
 * it waits too long, or if there are too many guests, it is shown out. So ten
 * thousand silent guests do not keep others from asking.
 */
#ifndef TORI_TORID_CONNECTIONS_H
#define TORI_TORID_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "options.h"
#include "tokens.h"

struct peer {
    enum role role;
    char name[256];
    bool has_token; /* by which it came: */
    unsigned char token[TOKEN_HASH];
};

/* Look up a user of this host, which may take long (names.c). The user that
 * torid runs as and root are operators, and so are those named, as NAME or
 * @GROUP. */
void peer_look (uid_t uid, const struct strings *operators,
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

/* Show out the guests that have waited for this many milliseconds. */
void guests_sweep (struct guests *guests, uint64_t now, uint64_t patience);

#endif
