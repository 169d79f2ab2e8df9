/* taking.h - what the folders above need of wiring beyond the public part. */
#ifndef TORI_WIRING_TAKING_H
#define TORI_WIRING_TAKING_H

#include <tori/wiring.h>

/* Mark the links of a box as taken, whether or not they were already. Fails
 * only without memory. */
int wiring_block (tori_state *state, const tori_box *box, tori_wiring wiring,
                  tori_error *err);

/* The reverse, whether or not they were. */
void wiring_unblock (tori_state *state, const tori_box *box,
                     tori_wiring wiring);

/* Whether the box is one of the machine and all links that wiring it takes are
 * taken. */
bool wiring_taken (const tori_state *state, const tori_box *box,
                   tori_wiring wiring);

/* TORI_INVALID for a value that is no wiring. */
int wiring_check (tori_wiring wiring, tori_error *err);

/* Whether none of the links of a box is down. */
bool wiring_links_up (const tori_state *state, const tori_box *box,
                      tori_wiring wiring);

#endif
