/* naive_alloc.h - where the allocators put a request, from their definitions:
 * every origin, every rotation, node by node, in the naive model of a state.
 */
#ifndef TORI_TESTS_NAIVE_ALLOC_H
#define TORI_TESTS_NAIVE_ALLOC_H

#include <tori/alloc.h>

#include "cloud.h"
#include "support.h"

/* The sum over unordered pairs of n things, by the distance of any two. */
typedef wide naive_apart (const void *things, size_t i, size_t j);
wide naive_pairs (const void *things, size_t n, naive_apart *apart);

/* The same of points of a cloud. */
wide naive_cloud_pairs (const struct cloud *cloud, const size_t *chosen,
                        size_t k);

/* Whether there is a definition of the allocator that is quick enough for streams
 * of decisions. */
bool naive_alloc_known (const char *alloc);

/* The place of the request by the allocator; false if there is none. The
 * caller clears the placement. */
bool naive_place (const struct naive *naive, const char *alloc,
                  const tori_request *request, tori_placement *ret_place);

/* Whether a box is inside the machine, wrapped only where the request lets it
 * be. */
bool naive_inside (const tori_machine *machine, const tori_request *request,
                   const tori_box *box);

/* The same, and of the shape that the request asks for. */
bool naive_allows (const tori_machine *machine, const tori_request *request,
                   const tori_box *box);

/* All boxes of a request: origins in order of ids, at each the rotations in
 * lexicographic order. The caller frees the rotations. */
struct naive_boxes {
    const struct naive *naive;
    const tori_request *request;
    tori_shape *rotations;
    size_t n, at;
};

struct naive_boxes naive_boxes_of (const struct naive *naive,
                                   const tori_request *request);
bool naive_boxes_next (struct naive_boxes *boxes, tori_box *ret_box);

/* The findings of a search through every box for a shape. */
struct survey {
    bool possible;  /* on the idle and whole machine */
    bool free;      /* such a box is free, and could be wired */
    bool found;     /* one is free and its links are to be had: */
    tori_box first; /* by origin, then rotation */
};

struct survey naive_survey (const struct naive *naive,
                            const tori_request *request);

/* Whether some box or some nodes of the idle and whole machine would do, and
 * the allocator takes requests of this kind. */
bool naive_possible (const tori_machine *machine, unsigned takes,
                     const tori_request *request);

/* Give all that a placement needs to an owner, which ends the test if somebody
 * has it; or whoever has it (`by_force`). */
void naive_hold_place (struct naive *naive, const tori_placement *place,
                       int owner, bool by_force);

/* Whether all that a placement needs is up and nobody's. */
bool naive_place_free (const struct naive *naive, const tori_placement *place);

/* Whether two placements have a node or a link in common. */
bool naive_share (const struct naive *naive, const tori_placement *a,
                  const tori_placement *b);

/* ---- links ---- */

/* Whether a box can be wired, perhaps around links of a multi-torus that are
 * down, and how. Which links it has then is the library's choice
 * (tests/unit/test_wiring.c has all there are). */
bool naive_can_wire (const struct naive *naive, const tori_box *box,
                     tori_wiring wiring);
bool naive_wire (const struct naive *naive, const tori_box *box,
                 tori_wiring wiring, tori_placement *ret_place);

/* The links of a placement of one box, or none. */
int naive_place_links (const struct naive *naive, const tori_placement *place,
                       size_t ret[]);

#endif
