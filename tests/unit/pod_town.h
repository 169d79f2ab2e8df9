/* pod_town.h - small pods with slices in them, at random. */
#ifndef TORI_TESTS_POD_TOWN_H
#define TORI_TESTS_POD_TOWN_H

#include <tori/room.h>

#include "naive_pod.h"

/* A pod with a few nodes and links down. */
struct town {
    tori_machine *machine;
    tori_state *state;
    tori_alloc *first, *best;
    unsigned *met; /* how often each outcome */
    char *slices;  /* that are offered; NULL: all */
};

void make_town (struct town *town, struct rng *rng);

/* From now on it offers some slices smaller than a cube: a share of all, in
 * percent. */
void list_slices (struct town *town, struct rng *rng, unsigned percent);
bool is_offered (const struct town *town, tori_shape shape);

/* If slices are listed, a small one is at multiples of its sides. */
void check_aligned (const struct town *town, const tori_placement *place);
void clear_town (struct town *town);

tori_request random_slice (struct rng *rng, const tori_machine *machine);
tori_request random_fold (struct rng *rng, const tori_machine *machine);

/* Jobs that hold slices. */
enum { CROWD = 6 };

struct crowd {
    tori_placement place[CROWD];
    tori_room_job job[CROWD];
    size_t n;
};

void fill_town (struct town *town, struct rng *rng, struct crowd *crowd);
void clear_crowd (struct crowd *crowd);

#endif
