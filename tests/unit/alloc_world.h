/* alloc_world.h - a machine, a state of it and the naive model of that state,
 * filled at random; and random requests to ask about it.
 */
#ifndef TORI_TESTS_ALLOC_WORLD_H
#define TORI_TESTS_ALLOC_WORLD_H

#include <tori/alloc.h>

#include "support.h"

enum { PARTS = 24 };

struct world {
    tori_machine *machine;
    struct naive *naive;
    tori_state *state;
    tori_placement parts[PARTS];
    int nparts;
};

/* Takes the machine. */
void world_create (struct world *world, tori_machine *machine);
void world_destroy (struct world *world);

/* Hold a box, if that can be. */
void world_add_box (struct world *world, const tori_box *box,
                    tori_wiring wiring);

/* Hold some of the free nodes below `end`, `percent` of them. */
void world_add_nodes (struct world *world, struct rng *rng, uint32_t end,
                      unsigned percent);

/* Hold so many nodes, one by one; fewer where they are not free. */
void world_sprinkle (struct world *world, struct rng *rng, uint32_t count);

/* Boxes, nodes, and some of the nodes and links down or drained. */
void world_fill (struct world *world, struct rng *rng);

/* Tori above all: they are what makes links scarce. */
tori_wiring random_wiring (struct rng *rng);

/* By count or by shape; now and then one that never fits. */
tori_request random_request (struct rng *rng, const tori_machine *machine);

/* The text to print about a case that fails. Good until the next call. */
const char *world_describe (const struct world *world,
                            const tori_request *request, const char *name);

#endif
