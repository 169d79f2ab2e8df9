/* peers.h - messages between the ranks of a run.
 *
 * Every rank has a connection to every other, within a host as well as between
 * hosts: TCP, which keeps the order and reports when the other end is gone. A
 * rank has died if its connection has ended, or if nothing was acknowledged
 * over it for some seconds, as when its host is gone.
 *
 * Ranks learn from cards where the others are (meeting.h). A rank opens a door
 * first, and each connects to those before it. Both ends prove that they know
 * the key of the run (handshake.h), so no other process gets in, and a rank
 * finds out which of another rank's addresses leads to it.
 */
#ifndef TORI_GANGRUN_PEERS_H
#define TORI_GANGRUN_PEERS_H

#include <netinet/in.h>

#include "bytes.h"
#include "handshake.h"
#include "wire.h"

struct peers;

enum { CARD_TEXT = 80, CARD_ADDRESSES = 8 };

/* The facts that the other ranks need about a rank. */
struct card {
    char host[CARD_TEXT];   /* its name, for people */
    char net[CARD_TEXT];    /* equal on ranks that reach each other by the
                               loopback address */
    char clock[CARD_TEXT];  /* equal on ranks with the same monotonic clock */
    char memory[CARD_TEXT]; /* equal on ranks whose processes see each other,
                               and the files that they share in memory */
    uint16_t port;
    uint16_t addresses;
    struct in6_addr address[CARD_ADDRESSES];
};

/* Seconds until a host that does not answer is taken for dead. */
enum { PEERS_SILENCE = 6 };

/* Whether two ranks are on one host. */
bool card_is_near (const struct card *one, const struct card *other);

/* Listen for others: returns a descriptor, and the card for them. */
int door_open (struct card *ret_card, tori_error *err);

/* Connect to all others, who do the same. The door is closed. */
int peers_open (uint32_t self, uint32_t size, const struct card cards[],
                const struct run_key *key, int door, struct peers **ret_link,
                tori_error *err);

/* A second connection between the first rank and each other one, which ends
 * when the processes that hold its ends are gone. Now it is the caller's. */
int peers_leash (struct peers *peers, uint32_t other);

/* The address by which a rank is reached, as text. */
enum { PEERS_ADDRESS = INET6_ADDRSTRLEN };
void peers_address (const struct peers *peers, uint32_t rank,
                    char text[PEERS_ADDRESS]);

/* Send a message with wire->bytes bytes, which are copied. A message to this
 * rank itself is received next, after earlier ones of that kind. */
int peers_send (struct peers *peers, uint32_t to, const struct wire *wire,
                const void *data, tori_error *err);
/* The next message, 1, or 0 if there is none now. The bytes are replaced. */
int peers_receive (struct peers *peers, struct wire *ret_wire,
                   struct bytes *bytes, tori_error *err);

/* Whether there are messages from this rank to itself. */
bool peers_waits (const struct peers *peers);

/* Readable when there is something else to do for peers_receive. */
int peers_bell (const struct peers *peers);

/* The next rank whose connection has ended, and from which nothing more comes.
 * Each is reported once. */
bool peers_fallen (struct peers *peers, uint32_t *ret_rank);

/* A rank is dead: it is not listened to, and nothing is sent to it, any more.
 */
void peers_lost (struct peers *peers, uint32_t rank);

/* Leave, when all others do: messages on their way to them arrive. */
void peers_close (struct peers *peers);

#endif
