/* sieve.h - a machine of half the sides, which refuses most requests that its
 * large one refuses, eight times as fast.
 *
 * A node of the small machine stands for two in every dimension, and is free
 * if they all are. Wherever a box of side n begins, (n - 1) / 2 pairs of each
 * dimension lie within it, so a small box must be free. The small machine has
 * a sieve of its own. */
#ifndef TORI_ALLOC_SIEVE_H
#define TORI_ALLOC_SIEVE_H

#include <tori/alloc.h>

struct boxscan;

struct sieve {
    uint64_t *set; /* the large machine's free nodes that it was made from */
    bool noted;    /* there is such a set ... */
    bool made;     /* ... and the small machine is up to date with it */
    tori_machine *machine; /* the small one */
    tori_state *state;
    void *scan; /* a boxscan */
};

/* Whether requests for boxes of this shape may be put to it. */
bool sieve_takes (const tori_machine *machine, const tori_request *request);

/* Whether no box of the request is free in the set. False if memory runs out,
 * too. If not, *ret_from is set to a coordinate of the first dimension below
 * which there is none, unless that is 0. */
bool sieve_refuses (struct sieve *sieve, const tori_machine *machine,
                    const tori_request *request, uint32_t *ret_from);

void sieve_clear (struct sieve *sieve);

#endif
