/* occupancy.h - the owners of nodes, and the jobs in the way.
 *
 * A state knows which nodes are busy, but not which jobs hold them. An
 * occupancy is a copy of a state that knows: it has an owner per node, and
 * jobs can be taken off it and put back. The bit-parallel search of boxscan.h
 * finds places in a state without the jobs that may go. The owners of the
 * nodes of each place are then the jobs that have to go.
 *
 * Links need no owners. Jobs without a common node share a link only on torus
 * lines, where a torus takes the whole ring. For that, two boxes have to be on
 * the same line: side by side in one dimension, overlapping in all others. A
 * job that goes around links of a multi-torus that are down has its links in a
 * list. Places that are made free are wired by the rule. */
#ifndef TORI_ROOM_OCCUPANCY_H
#define TORI_ROOM_OCCUPANCY_H

#include <tori/room.h>

#define NO_OWNER UINT32_MAX

/* The cost of having some jobs out of the way. */
struct toll {
    uint64_t weight;
    uint32_t jobs;
};

struct occupancy {
    const tori_machine *machine;
    tori_state *state;
    const tori_room_job *job;
    uint32_t n;
    uint64_t *weight; /* by job */
    uint32_t *owner;  /* by node: its first owner */
    bool *off;        /* by job: taken off */
    bool *stays;      /* by job: it may not be taken off */
    uint32_t *wired;  /* jobs whose links may be in the way */
    uint32_t nwired;
    uint32_t *seen; /* by job: the last question that found it */
    uint32_t question;
    uint32_t *found; /* by occupancy_toll: the jobs in the way */
    uint64_t *shut;  /* nodes that occupancy_bar has drained */
    void *scan;
};

/* The weight of a job is its number of nodes. TORI_INVALID if a place is not
 * valid on the machine, is not held, or overlaps another. After a failure it
 * must be closed, too. */
int occupancy_open (struct occupancy *ground, const tori_state *state,
                    const tori_room_job jobs[], size_t n, tori_error *err);
void occupancy_close (struct occupancy *ground);

/* Take a job off its place, or put it back there. */
void occupancy_take_off (struct occupancy *ground, uint32_t job);
int occupancy_put_back (struct occupancy *ground, uint32_t job,
                        tori_error *err);

/* The same for all jobs that may go, are not off, and weigh no more than
 * `most`. They are not marked as off, because they are to be put back at once.
 * Returns how many they are. */
uint32_t occupancy_lift (struct occupancy *ground, uint64_t most);
int occupancy_lower (struct occupancy *ground, uint64_t most, tori_error *err);

/* Until the next call, no place has a node of this set: they count as drained.
 * NULL for an empty set. */
int occupancy_bar (struct occupancy *ground, const uint64_t *barred,
                   tori_error *err);

/* The same for any state, and the nodes that were drained for it; and the
 * reverse. */
int state_bar (tori_state *state, const uint64_t *barred, uint64_t *shut,
               tori_error *err);
void state_unbar (tori_state *state, uint64_t *shut);

/* Call for every place of a request by shape in the state as it is, by
 * rotation in lexicographic order, then by origin, until `visit` returns
 * true. */
typedef bool occupancy_fn (void *arg, const tori_box *box);
int occupancy_each (struct occupancy *ground, const tori_request *request,
                    occupancy_fn *visit, void *arg, tori_error *err);

/* The jobs that are not off and whose nodes or links a place needs, in
 * `found`. False once they weigh more than `most`; then only a part of them
 * counts. */
bool occupancy_toll (struct occupancy *ground, const tori_box *box,
                     tori_wiring wiring, uint64_t most, struct toll *ret_toll);

/* The request of a job that holds a box. */
tori_request occupancy_request (const struct occupancy *ground, uint32_t job);

/* Whether the idle machine could serve a request. TORI_INVALID if it is
 * malformed, TORI_NEVER if it could not. `ret_own` is the request without
 * folding. 1 if it has to be folded. */
int room_check (const tori_machine *machine, const tori_request *request,
                const tori_room_config *config, tori_request *ret_own,
                tori_error *err);

/* The allocator by whose rules a place is searched: that of pods, for the
 * slices that are offered, or the one of this name. */
int room_alloc (const tori_machine *machine, const char *name,
                const tori_room_config *config, tori_alloc **ret_alloc,
                tori_error *err);

/* A copy of a configuration, or the defaults if there is none. */
int room_configure (const tori_room_config *config,
                    tori_room_config *ret_config, tori_error *err);

/* As tori_room_make, for a request that is possible and may not be folded. */
int boxroom_make (const tori_state *state, const tori_room_job jobs[],
                  size_t n, const tori_request *request,
                  const tori_room_config *config, tori_room *ret_room,
                  tori_error *err);

#endif
