/* keyseal.h - how the first rank gives the others the key of the run, over a
 * network on which others may listen.
 *
 * Every rank makes a pair of numbers and shows one of them. From its own secret
 * and the other's open number each end computes the same text (X25519), which
 * nobody can who has heard only the open ones, and the key is sent under that.
 * It does not keep out one who changes what is sent.
 */
#ifndef TORI_GANGRUN_KEYSEAL_H
#define TORI_GANGRUN_KEYSEAL_H

#include <tori/error.h>

#include "handshake.h"

enum { SEAL_BYTES = 32 };

/* For one run. */
struct seal {
    unsigned char secret[SEAL_BYTES];
    unsigned char open[SEAL_BYTES];
};

int seal_make (struct seal *ret_seal, tori_error *err);

/* Put a key under the seal of both, or take it out again. A key goes under it
 * once. */
void seal_turn (const struct seal *own, const unsigned char other[SEAL_BYTES],
                struct link_key *key);

#endif
