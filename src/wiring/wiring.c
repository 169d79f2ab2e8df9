#include "taking.h"

#include "choice.h"
#include "marks.h"

static const char *const names[] = {
    [TORI_WIRE_NONE] = "none",
    [TORI_WIRE_MESH] = "mesh",
    [TORI_WIRE_TORUS] = "torus",
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

/* ---- the rules, in one line of S nodes, for the nodes first..first+n-1 ----
 * A rule appends its runs of slots and returns how many, or -1. */

struct extent {
    uint32_t first, n, S;
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
 * wired right-oriented, always, so that neighbours never need the same link
 * (the theorem of section 2.1 rests on that). */
static int multi_line_rule (struct extent e, tori_link_run *runs)
{
    tori_link_run *at = runs;
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
        at = put (at, TORI_NEAR, e.first, 2);
        at = put (at, TORI_FAR, e.first, 1);
    }
    return (int)(at - runs);
}

typedef int line_rule (struct extent e, tori_link_run *runs);

static line_rule *const torus_rules[] = {
    [TORI_MESH] = mesh_line_rule,
    [TORI_TORUS] = torus_line_rule,
    [TORI_MULTITORUS] = multi_line_rule,
};

int tori_wiring_runs (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring,
                      tori_link_run ret_runs[TORI_MAX_RUNS])
{
    int total = 0;
    if (wiring == TORI_WIRE_NONE)
        return 0;
    for (int d = 0; d < box->shape.ndims; d++) {
        struct extent e = {box->origin[d], box->shape.size[d],
                           machine->shape.size[d]};
        line_rule *rule = wiring == TORI_WIRE_MESH
                              ? mesh_rule
                              : torus_rules[machine->kind[d]];
        int n = e.n == 1 ? 0 : rule (e, ret_runs + total);
        if (n < 0)
            return -1;
        for (int i = total; i < total + n; i++)
            ret_runs[i].dim = d;
        total += n;
    }
    return total;
}

bool tori_wiring_possible (const tori_machine *machine,
                           const tori_shape *shape, tori_wiring wiring)
{
    if (wiring != TORI_WIRE_TORUS)
        return true;
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] > 1 && machine->kind[d] == TORI_MESH)
            return false;
    return true;
}

/* The slots of a run as a box: the box's own lines, the run's extent. */
static tori_box slots_of (const tori_box *box, const tori_link_run *run)
{
    return box_with (box, run->dim, run->first, run->count);
}

/* Whether none of a run's links is in the layer's set. */
static bool run_clear (const tori_state *state, const tori_box *box,
                       const tori_link_run *run, uint64_t *const layers[])
{
    const uint64_t *set = layers[layer_index (run->dim, run->layer)];
    tori_box slots = slots_of (box, run);
    return !set || !grid_any (state->machine, &slots, set);
}

static bool run_free (const tori_state *state, const tori_box *box,
                      const tori_link_run *run)
{
    return run_clear (state, box, run, state->taken)
           && (state->links_down == 0
               || run_clear (state, box, run, state->broken));
}

bool tori_wiring_free (const tori_state *state, const tori_box *box,
                       tori_wiring wiring)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (state->machine, box, wiring, runs);
    for (int i = 0; i < n; i++)
        if (!run_free (state, box, &runs[i]))
            return false;
    return n >= 0;
}

/* Whether a run is the whole ring of its torus lines. */
static bool is_ring (const tori_state *state, const tori_link_run *run)
{
    return state->machine->kind[run->dim] == TORI_TORUS
           && run->count == state->machine->shape.size[run->dim];
}

static void take_run (tori_state *state, const tori_box *box,
                      const tori_link_run *run)
{
    tori_box slots = slots_of (box, run);
    grid_set (state->machine, &slots,
              state->taken[layer_index (run->dim, run->layer)]);
    if (state->machine->kind[run->dim] != TORI_TORUS)
        return;
    if (is_ring (state, run))
        grid_set (state->machine, &slots, state->ringed[run->dim]);
    slots = box_with (box, run->dim, 0, state->machine->shape.size[run->dim]);
    grid_set (state->machine, &slots, state->touched[run->dim]);
}

static int take_runs (tori_state *state, const tori_box *box,
                      const tori_link_run *runs, int n, tori_error *err)
{
    if (n > 0 && state_need_links (state, err) < 0)
        return -1;
    for (int i = 0; i < n; i++)
        take_run (state, box, &runs[i]);
    return 0;
}

static void give_run (tori_state *state, const tori_box *box,
                      const tori_link_run *run)
{
    tori_box slots = slots_of (box, run);
    grid_clear (state->machine, &slots,
                state->taken[layer_index (run->dim, run->layer)]);
    if (state->machine->kind[run->dim] != TORI_TORUS)
        return;
    if (is_ring (state, run))
        grid_clear (state->machine, &slots, state->ringed[run->dim]);
    /* A line that was one ring had nobody else on it. */
    if (is_ring (state, run) && state->links_down == 0)
        grid_clear (state->machine, &slots, state->touched[run->dim]);
    else
        state_refresh_lines (state, run->dim, box);
}

int wiring_check (tori_wiring wiring, tori_error *err)
{
    if (tori_wiring_name (wiring))
        return 0;
    return tori_error_set (err, TORI_INVALID, "there is no wiring %u",
                           (unsigned)wiring);
}

int tori_wiring_take (tori_state *state, const tori_box *box,
                      tori_wiring wiring, tori_error *err)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n;
    if (wiring_check (wiring, err) < 0
        || box_check (state->machine, box, err) < 0)
        return -1;
    n = tori_wiring_runs (state->machine, box, wiring, runs);
    if (n < 0)
        return tori_error_set (err, TORI_NEVER,
                               "a mesh dimension cannot be wired as a torus");
    for (int i = 0; i < n; i++)
        if (!run_free (state, box, &runs[i]))
            return tori_error_set (err, TORI_NOT_NOW,
                                   "a link of dimension %d is taken or down",
                                   runs[i].dim);
    return take_runs (state, box, runs, n, err);
}

int wiring_block (tori_state *state, const tori_box *box, tori_wiring wiring,
                  tori_error *err)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (state->machine, box, wiring, runs);
    return take_runs (state, box, runs, n, err);
}

void wiring_unblock (tori_state *state, const tori_box *box,
                     tori_wiring wiring)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (state->machine, box, wiring, runs);
    for (int i = 0; i < n; i++)
        give_run (state, box, &runs[i]);
}

/* Whether all links of a run are taken. */
static bool run_taken (const tori_state *state, const tori_box *box,
                       const tori_link_run *run)
{
    const uint64_t *set = state->taken[layer_index (run->dim, run->layer)];
    tori_box slots = slots_of (box, run);
    return set
           && grid_count (state->machine, &slots, set)
                  == tori_shape_volume (&slots.shape);
}

bool wiring_taken (const tori_state *state, const tori_box *box,
                   tori_wiring wiring)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n;
    if (wiring_check (wiring, NULL) < 0
        || box_check (state->machine, box, NULL) < 0)
        return false;
    n = tori_wiring_runs (state->machine, box, wiring, runs);
    for (int i = 0; i < n; i++)
        if (!run_taken (state, box, &runs[i]))
            return false;
    return n >= 0;
}

void tori_wiring_give (tori_state *state, const tori_box *box,
                       tori_wiring wiring)
{
    if (wiring_taken (state, box, wiring))
        wiring_unblock (state, box, wiring);
}

/* Whether slot coordinate i belongs to the run. */
static bool run_has (const tori_machine *machine, const tori_link_run *run,
                     uint32_t i)
{
    uint32_t size = machine->shape.size[run->dim];
    return (i + size - run->first) % size < run->count;
}

/* Call `visit` for the slots of one line, in slot order, near before far. */
static int each_of_line (const tori_machine *machine, uint32_t start,
                         const tori_link_run *runs, int n,
                         int (*visit) (void *arg, const tori_link *link),
                         void *arg)
{
    int dim = runs[0].dim;
    for (int layer = TORI_NEAR; layer <= TORI_FAR; layer++)
        for (uint32_t i = 0; i < machine->shape.size[dim]; i++)
            for (int r = 0; r < n; r++)
                if ((int)runs[r].layer == layer
                    && run_has (machine, &runs[r], i)) {
                    tori_link link = {dim, (tori_layer)layer,
                                      start + i * machine->stride[dim]};
                    int answer = visit (arg, &link);
                    if (answer)
                        return answer;
                }
    return 0;
}

int tori_wiring_each (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring,
                      int (*visit) (void *arg, const tori_link *link),
                      void *arg)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (machine, box, wiring, runs);
    for (int at = 0; at < n;) {
        tori_box starts = box_with (box, runs[at].dim, 0, 1);
        struct runs rows = runs_of_box (machine, &starts);
        int end = at;
        uint64_t first, count;
        while (end < n && runs[end].dim == runs[at].dim)
            end++;
        while (runs_next (&rows, &first, &count))
            for (; count > 0; count--, first++) {
                int answer = each_of_line (machine, (uint32_t)first, runs + at,
                                           end - at, visit, arg);
                if (answer)
                    return answer;
            }
        at = end;
    }
    return 0;
}

/* A slot that both runs have in the lines that both boxes cross. */
static bool runs_meet (const tori_machine *machine, const tori_box *a,
                       const tori_link_run *x, const tori_box *b,
                       const tori_link_run *y, tori_link *ret_link)
{
    tori_box slots_a, slots_b;
    uint32_t coords[TORI_MAX_DIMS];
    if (x->dim != y->dim || x->layer != y->layer)
        return false;
    slots_a = slots_of (a, x);
    slots_b = slots_of (b, y);
    if (!tori_box_overlap (machine, &slots_a, &slots_b))
        return false;
    for (int d = 0; d < a->shape.ndims; d++) {
        uint32_t size = machine->shape.size[d];
        uint32_t gap = (slots_b.origin[d] + size - slots_a.origin[d]) % size;
        coords[d] = gap < slots_a.shape.size[d] ? slots_b.origin[d]
                                                : slots_a.origin[d];
    }
    ret_link->dim = x->dim;
    ret_link->layer = x->layer;
    ret_link->slot = tori_machine_id (machine, coords);
    return true;
}

bool tori_wiring_conflict (const tori_machine *machine, const tori_box *a,
                           tori_wiring wiring_a, const tori_box *b,
                           tori_wiring wiring_b, tori_link *ret_link)
{
    tori_link_run x[TORI_MAX_RUNS], y[TORI_MAX_RUNS];
    int n, m;
    if (wiring_a == TORI_WIRE_NONE || wiring_b == TORI_WIRE_NONE)
        return false;
    n = tori_wiring_runs (machine, a, wiring_a, x);
    m = tori_wiring_runs (machine, b, wiring_b, y);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (runs_meet (machine, a, &x[i], b, &y[j], ret_link))
                return true;
    return false;
}

bool wiring_links_up (const tori_state *state, const tori_box *box,
                      tori_wiring wiring)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = state->links_down > 0
                ? tori_wiring_runs (state->machine, box, wiring, runs)
                : 0;
    for (int i = 0; i < n; i++)
        if (!run_clear (state, box, &runs[i], state->broken))
            return false;
    return true;
}
