/* handshake.h - how two ranks that connect find out who they are.
 *
 * Both say which version they speak, which byte order they have, who they are
 * and a number that was never used before. Then each proves that it knows the
 * key of the run, by a code (HMAC-SHA256) of the key and both greetings. So
 * the key itself is never sent, a recorded answer proves nothing the next
 * time, and a proof sent back to its own end is void.
 *
 *     connecting                       accepting
 *     greeting            ----------->
 *                         <-----------  greeting, proof
 *     proof               ----------->
 *
 * The first bytes of a greeting, up to the version, are the same in all
 * versions. Numbers are in little-endian order.
 */
#ifndef TORI_GANGRUN_HANDSHAKE_H
#define TORI_GANGRUN_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

/* Changes with every format that ranks send to each other. */
enum { HANDSHAKE_VERSION = 3 };

enum {
    GREETING_MARK = 0,    /* "tori" */
    GREETING_ORDER = 4,   /* 0x01020304 as the processor has it: hosts run the
                             same programs, so they have the same order */
    GREETING_VERSION = 8, /* four bytes, like the others */
    GREETING_FROM = 12,   /* a rank */
    GREETING_TO = 16,
    GREETING_LEASH = 20, /* 1 for the second connection */
    GREETING_NONCE = 24,
    GREETING_SIZE = 40,
    PROOF_SIZE = 32,
    HANDSHAKE_WHY = 160
};

struct run_key {
    unsigned char byte[16];
};

/* The rank that connects, its target, and the first or second connection. */
struct hello {
    uint32_t from, to, leash;
};

/* The connecting end: whether the other is the rank that is meant, and lets us
 * in within so many seconds; 0 has no limit. `why` says why not; errno is
 * ECONNRESET if the other has gone. */
bool handshake_ask (int fd, const struct run_key *key,
                    const struct hello *hello, int seconds,
                    char why[HANDSHAKE_WHY]);

/* The accepting end, in three steps, each of which waits for one message of
 * the other: read its greeting; prove the key if the caller wants this rank;
 * check its proof. */
struct guest {
    struct hello hello;
    unsigned char greeting[GREETING_SIZE];
    unsigned char proof[PROOF_SIZE]; /* the proof that it must give */
};
bool handshake_hear (int fd, int seconds, struct guest *ret_guest,
                     char why[HANDSHAKE_WHY]);
bool handshake_reply (int fd, const struct run_key *key, struct guest *guest,
                      char why[HANDSHAKE_WHY]);
bool handshake_check (int fd, const struct guest *guest, int seconds,
                      char why[HANDSHAKE_WHY]);

/* The key of a job, derived from the key of the run: every rank can compute
 * it, it is never sent, and it reveals nothing about the run's key. */
void key_of_job (const struct run_key *run, uint64_t task,
                 struct run_key *ret_key);

#endif
