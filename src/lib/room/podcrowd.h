/* podcrowd.h - who is in which cube of a pod.
 *
 * A slice takes no links of other jobs, so only nodes are in its way, cube by
 * cube. A job in a cube is a tenant there, with its nodes as a set. So masks
 * tell which jobs a piece pushes away.
 */
#ifndef TORI_ROOM_PODCROWD_H
#define TORI_ROOM_PODCROWD_H

#include "occupancy.h"
#include "podspace.h"

/* A job that may go has nodes in a cube. */
struct podtenant {
    uint32_t job, cube;
    uint64_t share; /* its weight, divided among its cubes */
};

struct podcrowd {
    struct occupancy ground;
    struct podspace space;
    uint32_t cubes;           /* of all pods */
    uint64_t *free;           /* by cube, space.words each: free now */
    struct podtenant *tenant; /* by cube */
    uint64_t *mask;           /* of each: its nodes that would come free */
    size_t tenants, tenant_room, mask_room;
    size_t *first; /* by cube, and one more: its first tenant */
    size_t *own;   /* tenants by job */
    size_t *own_first;
    bool *plain; /* by cube: nothing makes it unlike others but its nodes */
};

/* As occupancy_open. What is no slice stays. In any case podcrowd_close
 * releases what there is. */
int podcrowd_open (struct podcrowd *crowd, const tori_state *state,
                   const tori_room_job jobs[], size_t n,
                   const uint64_t *barred, tori_error *err);
void podcrowd_close (struct podcrowd *crowd);

/* Take a job off its cubes, or put it back there. */
void podcrowd_take_off (struct podcrowd *crowd, uint32_t job);
void podcrowd_put_back (struct podcrowd *crowd, uint32_t job);

/* Whether two cubes of a pod are alike: nobody who may go is in them, or ever
 * was, if `ever`, and the same nodes are free. */
bool podcrowd_alike (const struct podcrowd *crowd, uint32_t a, uint32_t b,
                     bool ever);

#endif
