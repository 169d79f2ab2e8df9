/* ranklink.h - messages between the ranks of a run.
 *
 * Every rank has a connection to every other, within a host as well as between
 * hosts: TCP, which keeps the order and reports when the other end is gone. A
 * rank has died if its connection has ended, or if nothing was acknowledged
 * over it for some seconds, as when its host is gone.
 *
 * Ranks learn from cards where the others are (meeting.h). A rank opens a door
 * first, and each connects to those before it. Both ends prove that they know
 * the key of the run (handshake.h), so nobody else gets in, and a rank finds out
 * which of the addresses of another one leads to it.
 */
#ifndef TORI_GANGRUN_RANKLINK_H
#define TORI_GANGRUN_RANKLINK_H

#include <netinet/in.h>

#include "bytes.h"
#include "handshake.h"
#include "wire.h"

struct link;

enum { CARD_TEXT = 80, CARD_ADDRESSES = 8 };

/* What the others must know of a rank. */
struct card {
    char host[CARD_TEXT];  /* its name, for people */
    char net[CARD_TEXT];   /* the same where the loopback address leads to it */
    char clock[CARD_TEXT]; /* the same where the monotonic clock is the same */
    char memory[CARD_TEXT]; /* the same where processes see each other, and the
                               files that they share in memory */
    uint16_t port;
    uint16_t addresses;
    struct in6_addr address[CARD_ADDRESSES];
};

/* Seconds until a host that does not answer is taken for dead. */
enum { LINK_SILENCE = 6 };

/* Whether two ranks are on one host. */
bool card_is_near (const struct card *one, const struct card *other);

/* Listen for others: a descriptor, and what they must know. */
int door_open (struct card *ret_card, tori_error *err);

/* Connect to all others, who do the same. The door is closed. */
int link_open (uint32_t self, uint32_t size, const struct card cards[],
               const struct link_key *key, int door, struct link **ret_link,
               tori_error *err);

/* A second connection between the first rank and each other one, which ends
 * when those who hold its ends are gone. Now it is the caller's. */
int link_leash (struct link *link, uint32_t other);

/* The address by which a rank is reached, as text. */
enum { LINK_ADDRESS = INET6_ADDRSTRLEN };
void link_address (const struct link *link, uint32_t rank,
                   char text[LINK_ADDRESS]);

/* Send a message with wire->bytes bytes, which are copied. One to oneself is
 * the next to be received, behind others of that kind. */
int link_send (struct link *link, uint32_t to, const struct wire *wire,
               const void *data, tori_error *err);
/* The next message, 1, or 0 if there is none now. The bytes are replaced. */
int link_receive (struct link *link, struct wire *ret_wire,
                  struct bytes *bytes, tori_error *err);

/* Whether there are messages to oneself. */
bool link_waits (const struct link *link);

/* Readable when there is something else to do for link_receive. */
int link_bell (const struct link *link);

/* The next rank whose connection has ended, and of which nothing more comes.
 * Each is told once. */
bool link_fallen (struct link *link, uint32_t *ret_rank);

/* A rank is dead: it is not listened to, and nothing is sent to it, any more.
 */
void link_lost (struct link *link, uint32_t rank);

/* Leave, when all others do: what is on its way to them arrives. */
void link_close (struct link *link);

#endif
