/* connections.h - connections: who is at the other end, and how long to wait.
 *
 * A client that says nothing costs others nothing. Clients whose request is
 * not yet complete stand in a queue, the one that has waited longest in front.
 * If it waits too long, or if there are too many clients, it is shown out. So
 * ten thousand silent clients do not keep others from asking.
 */
#ifndef TORI_TORID_CONNECTIONS_H
#define TORI_TORID_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "options.h"
#include "tokens.h"

/* The groups of a user that queues or reservations name, with blanks between.
 */
enum { PEER_GROUPS = 512 };

struct peer {
    enum role role;
    char name[256];
    char groups[PEER_GROUPS];
    bool has_token; /* by which it came: */
    unsigned char token[TOKEN_HASH];
};

struct settings;

/* Look up a user of this host, which may take long (names.c). The user that
 * torid runs as and root are operators, and so are those named, as NAME or
 * @GROUP. The groups that count are those of the queues, and others. */
void peer_look (uid_t uid, const struct settings *settings,
                const char *others, struct peer *ret_peer);

/* Root or the user that torid runs as, by the host's own file of users, which
 * never takes long. False if the file does not have that user. Groups are not
 * looked for. */
bool peer_look_here (uid_t uid, struct peer *ret_peer);

/* Look up the groups of the user of this name, who may be one of a token. */
void peer_look_groups (const char *user, const struct settings *settings,
                       const char *others, struct peer *ret_peer);

/* Whether a user of this host is in one of these groups: "@physics @guests".
 * It may take long, too. */
bool user_in_groups (const char *user, const char *groups);

/* Whether the queues name any group. */
bool settings_name_groups (const struct settings *settings);

struct connection {
    int fd;
    uint64_t since; /* milliseconds */
    bool waited_for;
    bool asked; /* at least once */
    struct connection *before, *after; /* in the queue */
    unsigned era;     /* of the settings by which the peer was found; 0: not */
    struct peer peer; /* of a Unix socket */
};

struct connections {
    struct connection *first, *last;
    size_t n, most;
};

void connection_open (struct connections *clients, struct connection *client,
                      uint64_t now);
void connection_close (struct connections *clients, struct connection *client);

/* Its request is complete; and it has been answered. */
void connection_asks (struct connections *clients, struct connection *client);
void connection_waits (struct connections *clients, struct connection *client,
                       uint64_t now);

/* Whether a client has come since then and has not asked yet. */
bool connections_expect (const struct connections *clients, uint64_t since);

/* End a connection: the server hears that the client has gone. */
void connection_cut (const struct connection *client);

/* Show out the clients that have waited for this many milliseconds. */
void connections_sweep (struct connections *clients, uint64_t now,
                        uint64_t patience);

#endif
