/* wiring_rules.c - the names of wirings, and the links that each takes by its
 * rule, whatever is taken or down. */
#include "taking.h"

#include <stdio.h>
#include <string.h>

#include "choice.h"
#include "marks.h"
#include "rings.h"

static const char *const names[] = {
    [TORI_WIRE_NONE] = "none",
    [TORI_WIRE_MESH] = "mesh",
    [TORI_WIRE_TORUS] = "torus",
    [TORI_WIRE_TWISTED] = "twisted",
};

enum { NWIRINGS = sizeof names / sizeof names[0] };

const char *tori_wiring_name (tori_wiring wiring)
{
    return (unsigned)wiring < NWIRINGS ? names[wiring] : NULL;
}

static const char *wiring_name (size_t i)
{
    return i < NWIRINGS ? names[i] : NULL;
}

int tori_wiring_parse (const char *text, tori_wiring *ret_wiring,
                       tori_error *err)
{
    size_t which;
    if (choice_find ("wiring", wiring_name, text, &which, err) < 0)
        return -1;
    *ret_wiring = (tori_wiring)which;
    return 0;
}

/* ---- mixed ---- */

enum { RINGS_SHIFT = 3, MOST_RINGS = 28 };

tori_wiring tori_wiring_of_rings (uint32_t rings)
{
    uint32_t mixed = (uint32_t)TORI_WIRE_MIXED;
    rings = rings << RINGS_SHIFT & INT32_MAX;
    return rings ? (tori_wiring)(mixed | rings) : TORI_WIRE_MESH;
}

/* Its rings, where it is mixed. */
static uint32_t rings_of (tori_wiring wiring)
{
    return (uint32_t)wiring >> RINGS_SHIFT;
}

static bool is_mixed (tori_wiring wiring)
{
    return rings_of (wiring) > 0
           && tori_wiring_of_rings (rings_of (wiring)) == wiring;
}

bool tori_wiring_closes (tori_wiring wiring, int dim)
{
    return wiring == TORI_WIRE_TORUS || wiring == TORI_WIRE_TWISTED
           || (dim < MOST_RINGS && rings_of (wiring) >> dim & 1);
}

void tori_wiring_format (const tori_machine *machine, tori_wiring wiring,
                         char text[TORI_TEXT_MAX])
{
    int n = machine->shape.ndims;
    if (tori_wiring_name (wiring)) {
        snprintf (text, TORI_TEXT_MAX, "%s", tori_wiring_name (wiring));
        return;
    }
    for (int d = 0; d < n; d++)
        text[d] = tori_wiring_closes (wiring, d) ? 't' : 'm';
    text[n] = '\0';
}

int tori_wiring_read (const tori_machine *machine, const char *text,
                      tori_wiring *ret_wiring, tori_error *err)
{
    uint32_t rings = 0;
    size_t n = strlen (text);
    if (strspn (text, "mt") == n && n > 0
        && n != (size_t)machine->shape.ndims)
        return tori_error_set (err, TORI_INVALID,
                               "unknown wiring '%.60s': expected %d letters, m "
                               "or t for each dimension",
                               text, machine->shape.ndims);
    if (n == 0 || strspn (text, "mt") < n)
        return tori_wiring_parse (text, ret_wiring, err);
    for (size_t d = 0; d < n && d < MOST_RINGS; d++)
        rings |= (uint32_t)(text[d] == 't') << d;
    *ret_wiring = tori_wiring_of_rings (rings);
    return 0;
}

/* ---- the rules, in one line of S nodes, for the nodes first..first+n-1 ----
 * A rule appends its runs of slots and returns how many, or -1. */

struct extent {
    uint32_t first, n, S;
    bool below, above; /* joined at its faces, in a cube of a pod */
    const struct linkage *line; /* whose links were given one by one, or NULL */
};

static tori_link_run *put (tori_link_run *at, tori_layer layer, uint32_t first,
                           uint32_t count)
{
    at->layer = layer;
    at->first = first;
    at->count = count;
    return at + (count > 0);
}

/* Property 2 of Aridor et al.: a mesh takes the n-1 links inside it. */
static int mesh_rule (struct extent e, tori_link_run *runs)
{
    return (int)(put (runs, TORI_NEAR, e.first, e.n - 1) - runs);
}

/* On a plain torus line the ring has only one way round: all of it. */
static int torus_line_rule (struct extent e, tori_link_run *runs)
{
    return (int)(put (runs, TORI_NEAR, 0, e.S) - runs);
}

static int mesh_line_rule (struct extent e, tori_link_run *runs)
{
    (void)e;
    (void)runs;
    return -1;
}

/* The link that joins the first two nodes or the last two: at the machine's
 * edge the ring's own second link, elsewhere the neighbour link. */
static tori_link_run *close_left (struct extent e, tori_link_run *at)
{
    return e.first == 0 ? put (at, TORI_FAR, e.S - 2, 1)
                        : put (at, TORI_NEAR, e.first, 1);
}

static tori_link_run *close_right (struct extent e, tori_link_run *at)
{
    uint32_t last = e.first + e.n - 1;
    return last == e.S - 1 ? put (at, TORI_FAR, e.S - 1, 1)
                           : put (at, TORI_NEAR, last - 1, 1);
}

/* Properties 3 to 5: the folded ring of the box itself. Two inner nodes are
 * closed through the switch at `beyond`: the next one, or the one before. If
 * all pairs of a line have the same orientation, neighbours never need the
 * same link (the theorem of section 2.1 rests on that). */
static int fold_ring (struct extent e, uint32_t beyond, tori_link_run *runs)
{
    tori_link_run *at = runs;
    uint32_t low = beyond < e.first ? beyond : e.first;
    if (e.n > 2) {
        at = put (at, TORI_FAR, e.first, e.n - 2);
        at = close_left (e, at);
        at = close_right (e, at);
    } else if (e.first == 0) {
        at = put (at, TORI_NEAR, 0, 1);
        at = close_left (e, at);
    } else if (e.first == e.S - 2) {
        at = put (at, TORI_NEAR, e.first, 1);
        at = close_right (e, at);
    } else {
        at = put (at, TORI_NEAR, low, 2);
        at = put (at, TORI_FAR, low, 1);
    }
    return (int)(at - runs);
}

static int multi_line_rule (struct extent e, tori_link_run *runs)
{
    return fold_ring (e, e.first + 2, runs);
}

static int left_line_rule (struct extent e, tori_link_run *runs)
{
    return fold_ring (e, e.first - 1, runs);
}

/* The mixed orientation of Figure 9. A pair in the middle is right-oriented.
 */
static int facing_line_rule (struct extent e, tori_link_run *runs)
{
    return 2 * (e.first + 1) <= e.S ? multi_line_rule (e, runs)
                                    : left_line_rule (e, runs);
}

/* Links given one by one, layer by layer. */
static int put_links (const struct linkage *line, uint32_t links,
                      tori_link_run *runs)
{
    tori_link_run *at = runs;
    for (uint32_t i = 0, end; i < 2 * line->size; i = end) {
        uint32_t layer = i / line->size;
        for (end = i + 1; end % line->size != 0 && links >> end & 1;)
            end++;
        if (links >> i & 1)
            at = put (at, (tori_layer)layer, i % line->size, end - i);
        else
            end = i + 1;
    }
    return links ? (int)(at - runs) : -1;
}

/* The cheapest ring of the empty line. */
static int linked_torus_rule (struct extent e, tori_link_run *runs)
{
    return put_links (e.line, e.line->ring[e.first][e.n], runs);
}

static int linked_mesh_rule (struct extent e, tori_link_run *runs)
{
    return put_links (e.line, linkage_path (e.line, e.first, e.n, 0), runs);
}

/* In a cube: the links inside, and the ports where it is joined. */
static int cube_line_rule (struct extent e, tori_link_run *runs)
{
    tori_link_run *at = put (runs, TORI_NEAR, e.first, e.n - 1 + e.above);
    return (int)(put (at, TORI_FAR, 0, e.below) - runs);
}

/* A ring goes through cubes from face to face. */
static int cube_torus_rule (struct extent e, tori_link_run *runs)
{
    return e.below && e.above && e.n == e.S ? cube_line_rule (e, runs) : -1;
}

typedef int line_rule (struct extent e, tori_link_run *runs);

/* The rule for a line, and the rule for a ring. */
static line_rule *const rules[][2] = {
    [TORI_MESH] = {mesh_rule, mesh_line_rule},
    [TORI_TORUS] = {mesh_rule, torus_line_rule},
    [TORI_MULTITORUS] = {mesh_rule, multi_line_rule},
    [TORI_MULTITORUS_LEFT] = {mesh_rule, left_line_rule},
    [TORI_MULTITORUS_FACING] = {mesh_rule, facing_line_rule},
    [TORI_LINKED] = {linked_mesh_rule, linked_torus_rule},
    [TORI_APART] = {mesh_line_rule, mesh_line_rule},
    [TORI_SWITCHED] = {cube_line_rule, cube_torus_rule},
};

int wiring_runs (const tori_machine *machine, const tori_box *box,
                 struct wires wires, tori_link_run ret_runs[TORI_MAX_RUNS])
{
    int total = 0;
    if (wires.wiring == TORI_WIRE_TWISTED && !machine->apart)
        return -1;
    if (wires.wiring == TORI_WIRE_NONE)
        return 0;
    for (int d = 0; d < box->shape.ndims; d++) {
        struct extent e = {box->origin[d], box->shape.size[d],
                           machine->shape.size[d], wires.below >> d & 1,
                           wires.above >> d & 1, machine->line[d]};
        line_rule *rule
            = rules[machine->kind[d]][tori_wiring_closes (wires.wiring, d)];
        bool none = (e.n == 1 && !e.below && !e.above) || wires.listed >> d & 1;
        int n = none ? 0 : rule (e, ret_runs + total);
        if (n < 0)
            return -1;
        for (int i = total; i < total + n; i++)
            ret_runs[i].dim = d;
        total += n;
    }
    return total;
}

struct wires wires_of_box (const tori_machine *machine, const tori_box *box,
                           tori_wiring wiring)
{
    struct wires wires = {.wiring = wiring};
    bool pod = machine->apart > 0;
    for (int d = machine->apart; pod && d < machine->shape.ndims; d++)
        if (tori_wiring_closes (wiring, d) && box->shape.size[d] > 1
            && box->shape.size[d] == machine->shape.size[d])
            wires.below |= UINT32_C (1) << d;
    wires.above = wires.below;
    return wires;
}

int tori_wiring_runs (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring,
                      tori_link_run ret_runs[TORI_MAX_RUNS])
{
    return wiring_runs (machine, box, wires_of_box (machine, box, wiring),
                        ret_runs);
}

/* Whether some n nodes beside each other can be a mesh. */
static bool has_path (const struct linkage *line, uint32_t n)
{
    for (uint32_t first = 0; first + n <= line->size; first++)
        if (linkage_path (line, first, n, 0))
            return true;
    return false;
}

/* Whether n nodes of a line can be wired this way, wherever they are. */
static bool line_possible (const tori_machine *machine, uint32_t n,
                           tori_wiring wiring, int d)
{
    tori_kind kind = machine->kind[d];
    uint32_t size = machine->shape.size[d];
    if (n == 1 || wiring == TORI_WIRE_NONE)
        return true;
    if (kind == TORI_LINKED && !tori_wiring_closes (wiring, d))
        return has_path (machine->line[d], n);
    if (kind == TORI_LINKED)
        return n <= linkage_longest (machine->line[d]);
    if (!tori_wiring_closes (wiring, d))
        return kind != TORI_APART;
    return kind == TORI_TORUS || kind_is_multitorus (kind)
           || (kind == TORI_SWITCHED && n == size);
}

bool tori_wiring_possible (const tori_machine *machine,
                           const tori_shape *shape, tori_wiring wiring)
{
    for (int d = 0; d < shape->ndims; d++)
        if (wiring == TORI_WIRE_TWISTED /* takes more cubes than one */
            || !line_possible (machine, shape->size[d], wiring, d))
            return false;
    return true;
}

/* ---- which there are ---- */

int wiring_check (tori_wiring wiring, tori_error *err)
{
    if (tori_wiring_name (wiring))
        return 0;
    return tori_error_set (err, TORI_INVALID, "there is no wiring %u",
                           (unsigned)wiring);
}

int wiring_check_on (const tori_machine *machine, tori_wiring wiring,
                     tori_error *err)
{
    if (is_mixed (wiring)
        && rings_of (wiring) >> (machine->shape.ndims - 1) < 2)
        return 0;
    if (wiring == TORI_WIRE_TWISTED && !machine->apart)
        return tori_error_set (err, TORI_INVALID,
                               "only slices of a pod can be twisted");
    return wiring_check (wiring, err);
}

const char *wiring_never (const tori_machine *machine)
{
    if (machine->apart)
        return "a part of a cube's side cannot be wired as a torus, nor cubes "
               "as one box";
    for (int d = 0; d < machine->shape.ndims; d++)
        if (machine->line[d])
            return "the lines have no links that wire it this way";
    return "a mesh dimension cannot be wired as a torus";
}
