/* podcrowd.h - the jobs in the cubes of a pod.
 *
 * A slice takes no links of other jobs, so only nodes are in its way, cube by
 * cube. A job in a cube is a tenant there, with its nodes as a set. So masks
 * give the jobs that a piece pushes away. */
#ifndef TORI_ROOM_PODCROWD_H
#define TORI_ROOM_PODCROWD_H

#include "occupancy.h"
#include "podspace.h"

/* A job that may go, and its nodes in a cube. */
struct podtenant {
    uint32_t job, cube;
    uint64_t share; /* its weight, divided among its cubes */
};

struct podcrowd {
    struct occupancy ground;
    struct podspace space;
    uint32_t cubes;           /* of all pods */
    uint64_t *free;           /* by cube, space.words each: free now */
    uint64_t *ever;           /* free, or of a job that may go */
    uint32_t *left;           /* by cube: nodes that were free at first */
    uint32_t *changes;        /* by cube: what it differs by from the first */
    struct podtenant *tenant; /* by cube */
    uint64_t *mask;           /* per tenant: its nodes that would come free */
    size_t tenants, tenant_room, mask_room;
    size_t *first; /* by cube, and one more: its first tenant */
    size_t *own;   /* tenants by job */
    size_t *own_first;
    bool *plain; /* by cube: it differs from others only by its nodes */
};

/* As occupancy_open. Jobs that are not slices are never moved. podcrowd_close
 * is needed in any case. */
int podcrowd_open (struct podcrowd *crowd, const tori_state *state,
                   const tori_room_job jobs[], size_t n,
                   const uint64_t *barred, tori_error *err);
void podcrowd_close (struct podcrowd *crowd);

/* Take a job off its cubes, or put it back there. */
void podcrowd_take_off (struct podcrowd *crowd, uint32_t job);
void podcrowd_put_back (struct podcrowd *crowd, uint32_t job);

/* Whether two cubes of a pod are alike: no job that may go is in them, or ever
 * was, if `ever`, and the same nodes are free. */
bool podcrowd_alike (const struct podcrowd *crowd, uint32_t a, uint32_t b,
                     bool ever);

#endif
