/* keyseal.h - how the first rank gives the others the key of the run, over a
 * network on which others may listen.
 *
 * Every rank makes a pair of numbers and shows one of them. From its own
 * secret and the other's open number each end computes the same text (X25519),
 * and the key is sent encrypted with that. A listener who has only the open
 * numbers cannot compute it. This does not protect against an attacker who
 * changes messages.
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

/* Encrypt a key with the text of both, or decrypt it. A seal is used for one
 * key only. */
void seal_turn (const struct seal *own, const unsigned char other[SEAL_BYTES],
                struct run_key *key);

#endif
