/* rounds.h - the bound of a search, and who watches it.
 *
 * A step is about one place that is looked at, a few microseconds. A search
 * goes in rounds: each has twice the steps of the one before. Half of them go
 * to the proof, the rest to better answers without proof. So there is an
 * answer soon, whatever the bound, and the proof goes on for as long as there
 * are steps. */
#ifndef TORI_ROOM_ROUNDS_H
#define TORI_ROOM_ROUNDS_H

#include <tori/room.h>

/* The first round, about a second, unless the caller has another. */
enum { ROUND_STEPS = 1 << 16 };

struct steps {
    uint64_t spent, limit;
    uint64_t most;  /* of the whole search */
    uint64_t begin; /* of this round */
    uint64_t length;
    uint64_t look; /* when the watch is asked again */
    bool stopped;  /* by the watch */
    bool (*watch) (void *arg, const tori_room *so_far);
    void *arg;
    const tori_room *best;     /* the best answer so far */
    const uint64_t *floor;     /* no answer costs less */
};

/* `best` and `floor` are looked at during the search. The first round begins
 * with steps_start; what comes before may take half of all steps. */
void steps_open (struct steps *steps, const tori_room_config *config,
                 const tori_room *best, const uint64_t *floor);

void steps_start (struct steps *steps);

/* Go to the second half of a round; then to the next round, if there is
 * one. */
void steps_improve (struct steps *steps);
bool steps_next (struct steps *steps);

/* Whether a search has to end now. */
bool steps_over (struct steps *steps);

#endif
