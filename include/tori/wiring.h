/* tori/wiring.h - which links a partition takes.
 *
 * Links are dedicated: a link belongs to one partition at a time. Dimensions
 * are independent of each other, and so are the lines within a dimension. So
 * the links of a box follow from its extent in one line (Aridor et al., 2004,
 * section 2):
 *
 *   size 1        no link: a switch closes the loop by itself.
 *   mesh          the neighbour links inside the box (with the wrap link
 *                 where the box wraps).
 *   torus, on a torus line: every link of the line, since the ring also passes
 *                 through the switches outside the box.
 *   torus, on a multi-torus line: the folded ring of the box itself: (i, i+2)
 *                 throughout and a link at either end that joins the last two.
 *                 Two inner nodes i, i+1 close through the switch to the
 *                 right: (i, i+1), (i, i+2), (i+1, i+2); or, as the kind of
 *                 the dimension says, through the one to the left, or through
 *                 the one towards the middle of the line.
 *   torus, on a mesh line: impossible.
 *   torus, in a cube of a pod: the links inside the box and, of a whole side,
 *                 the ports at both ends, which a switch joins. A part of a
 *                 side cannot be closed.
 *
 * That is the rule. On a multi-torus line with links down, a partition may be
 * wired by other links. A path replaces each link of the rule. It lies inside
 * the partition or outside, and passes through switches that join their ports
 * without the node between them. The nodes keep their order around the ring.
 * As few links as possible are taken outside the partition, and then as few as
 * possible in all. So one link down on a line of 8 hinders no partition, where
 * the rule alone fails for 117 of 420 pairs of a partition and a link. Such
 * links do not follow from the box, so the placement holds them:
 * tori_placement_wire (tori/alloc.h).
 *
 * On a pod a box lies within one cube. The slices of a pod, whose pieces are
 * joined by switches, are placements (tori/alloc.h). Only they can be twisted:
 * all sides are K or 2K, and the wrap of a side of K leads K further along
 * every side of 2K. A twisted slice takes the same ports as a torus, but joins
 * them differently.
 */
#ifndef TORI_WIRING_H
#define TORI_WIRING_H

#include <tori/state.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tori_wiring {
    TORI_WIRE_NONE,
    TORI_WIRE_MESH,
    TORI_WIRE_TORUS,
    TORI_WIRE_TWISTED, /* a slice of a pod: as a torus, with shifted wraps */
    TORI_WIRE_MIXED, /* this and higher values: see tori_wiring_of_rings */
    TORI_WIRE_LAST = 0x7fffffff
} tori_wiring;

/* "none", "mesh", "torus", "twisted"; NULL for anything else. Parsing fails
 * with TORI_INVALID for any other text. */
const char *tori_wiring_name (tori_wiring wiring);
int tori_wiring_parse (const char *text, tori_wiring *ret_wiring,
                       tori_error *err);

/* Wire some dimensions as a torus and the others as a mesh: of the first 28,
 * those whose bits are set are a torus. With no bit set it is TORI_WIRE_MESH.
 * Folded jobs are wired like this; a request cannot ask for it. */
tori_wiring tori_wiring_of_rings (uint32_t rings);

/* Whether a dimension is wired as a torus. */
bool tori_wiring_closes (tori_wiring wiring, int dim);

/* The text of any wiring on a machine: its name, or one letter for each
 * dimension, t or m, such as "tmm". Reading fails with TORI_INVALID for any
 * other text. */
void tori_wiring_format (const tori_machine *machine, tori_wiring wiring,
                         char text[TORI_TEXT_MAX]);
int tori_wiring_read (const tori_machine *machine, const char *text,
                      tori_wiring *ret_wiring, tori_error *err);

/* A run of links: in every line of `dim` that the box crosses, the links of
 * `layer` whose slots have the coordinates first, first+1, ... (modulo the
 * side) in that dimension. */
typedef struct tori_link_run {
    int dim;
    tori_layer layer;
    uint32_t first;
    uint32_t count;
} tori_link_run;

enum { TORI_MAX_RUNS = 4 * TORI_MAX_DIMS };

/* Write the links that the rule gives this box, as runs. Returns the number of
 * runs, or -1 if the machine can never wire the box this way. Here and in
 * tori_wiring_possible, _free, _each and _conflict the box must be within the
 * machine and the wiring must exist; this is not checked. */
int tori_wiring_runs (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring,
                      tori_link_run ret_runs[TORI_MAX_RUNS]);

/* Whether this shape, without rotation, could ever be wired this way. */
bool tori_wiring_possible (const tori_machine *machine,
                           const tori_shape *shape, tori_wiring wiring);

/* Whether the box can be wired now: every link that the rule gives it is free
 * and up, or the lines where this is not so can be wired by other links. */
bool tori_wiring_free (const tori_state *state, const tori_box *box,
                       tori_wiring wiring);

/* Take the links that the rule gives a box, or give them back. Taking fails
 * with TORI_NOT_NOW if a link is taken or down, with TORI_NEVER if such a box
 * can never be wired this way, with TORI_INVALID for a box outside this
 * machine, and with TORI_FAILED if memory runs out. On failure the state is
 * unchanged. Giving back does nothing unless all of the links are taken. The
 * state does not know who has taken them. */
int tori_wiring_take (tori_state *state, const tori_box *box,
                      tori_wiring wiring, tori_error *err);
void tori_wiring_give (tori_state *state, const tori_box *box,
                       tori_wiring wiring);

/* Call `visit` once for every link that the rule gives the box, ordered by
 * dimension, line, layer and slot. If `visit` returns non-zero, stop and
 * return that value. `visit` may call any function of the library. */
int tori_wiring_each (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring,
                      int (*visit) (void *arg, const tori_link *link),
                      void *arg);

/* Whether the rule gives two boxes a common link; if so, write one such link.
 */
bool tori_wiring_conflict (const tori_machine *machine, const tori_box *a,
                           tori_wiring wiring_a, const tori_box *b,
                           tori_wiring wiring_b, tori_link *ret_link);

#ifdef __cplusplus
}
#endif

#endif
