/* opening.h - the nodes of free windows.
 *
 * A box that holds a shape is the union of the windows of that shape in it. So
 * of the free nodes only those matter to a search for such boxes that are in a
 * free window, in any rotation: morphology calls that set an opening. The free
 * nodes are eroded to origins (erosion.h) and these grown to windows again, a
 * word at a time. On a half-full machine few nodes are left if the shape is
 * not small, and often none.
 */
#ifndef TORI_ALLOC_OPENING_H
#define TORI_ALLOC_OPENING_H

#include <tori/alloc.h>

struct opening {
    const tori_machine *machine;
    size_t words;
    uint64_t *nodes; /* the set; has a word more */
    uint64_t *padded, *work[2];
};

/* All of it in one piece of memory, which is taken when first needed. */
void opening_init (struct opening *opening, const tori_machine *machine);
void opening_clear (struct opening *opening);

/* Set `nodes` to those of the windows of a request, wired or not, that do not
 * wrap; to all free nodes if the shape has very many rotations. Returns 1 if
 * there are any, 0 if not, -1 without memory. */
int opening_of (struct opening *opening, const tori_state *state,
                const tori_request *request, tori_error *err);

#endif
