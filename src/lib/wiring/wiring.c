/* wiring.c - the links of boxes among those that are free, taken or down. */
#include "taking.h"

#include "array.h"
#include "bits.h"
#include "marks.h"
#include "rings.h"

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

static bool runs_free (const tori_state *state, const tori_box *box,
                       const tori_link_run *runs, int n)
{
    for (int i = 0; i < n; i++)
        if (!run_free (state, box, &runs[i]))
            return false;
    return true;
}

bool wiring_free (const tori_state *state, const tori_box *box,
                  struct wires wires)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = wiring_runs (state->machine, box, wires, runs);
    return n >= 0 && runs_free (state, box, runs, n);
}

/* ---- around links that are down ---- */

/* The lines of a dimension that a box crosses, by the nodes they begin with:
 * a walk of them. */
struct linewalk {
    struct runs rows;
    uint64_t first, count;
};

static struct linewalk lines_of_box (const tori_machine *machine,
                                  const tori_box *box, int dim)
{
    tori_box starts = box_with (box, dim, 0, 1);
    return (struct linewalk){.rows = runs_of_box (machine, &starts)};
}

static bool lines_next (struct linewalk *lines, uint32_t *ret_start)
{
    if (lines->count == 0
        && !runs_next (&lines->rows, &lines->first, &lines->count))
        return false;
    *ret_start = (uint32_t)lines->first++;
    lines->count--;
    return true;
}

/* One line of a box: the runs of its dimension, and what is searched if their
 * links are not free. */
struct boxline {
    const tori_link_run *runs;
    int n;
    struct section section;
};

static struct boxline line_of_box (const tori_state *state, const tori_box *box,
                                tori_wiring wiring, const tori_link_run *runs,
                                int n)
{
    int dim = runs[0].dim;
    return (struct boxline){runs, n,
                         {.state = state,
                          .dim = dim,
                          .first = box->origin[dim],
                          .n = box->shape.size[dim],
                          .ring = tori_wiring_closes (wiring, dim)}};
}

/* Whether a run's links are free in one line. */
static bool slots_free (const struct boxline *line, const tori_link_run *run)
{
    const struct section *s = &line->section;
    const tori_state *state = s->state;
    uint32_t stride = state->machine->stride[s->dim];
    const uint64_t *sets[] = {state->taken[layer_index (s->dim, run->layer)],
                              state->broken[layer_index (s->dim, run->layer)]};
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; sets[i] && k < run->count; k++)
            if (bits_test (sets[i], s->start + (run->first + k) * stride))
                return false;
    return true;
}

static bool by_rule (const struct boxline *line)
{
    for (int i = 0; i < line->n; i++)
        if (!slots_free (line, &line->runs[i]))
            return false;
    return true;
}

/* ---- links that were given one by one ----
 * All lines of a box are wired by the same links, because its nodes must have
 * the same order in all of them. */

/* The links that are taken or down in some line of a box. */
static uint32_t busy_links (const tori_state *state, const tori_box *box,
                            int dim)
{
    const struct linkage *line = state->machine->line[dim];
    uint32_t busy = 0;
    for (uint32_t rest = line->links; rest; rest &= rest - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz (rest);
        tori_link_run run = {dim, (tori_layer)(bit / line->size),
                             bit % line->size, 1};
        if (!run_free (state, box, &run))
            busy |= UINT32_C (1) << bit;
    }
    return busy;
}

static bool linked_wirable (const tori_state *state, const tori_box *box,
                            tori_wiring wiring, int dim)
{
    const struct linkage *line = state->machine->line[dim];
    uint32_t first = box->origin[dim], n = box->shape.size[dim];
    uint32_t busy = busy_links (state, box, dim);
    return tori_wiring_closes (wiring, dim)
               ? linkage_has_ring (line, linkage_interval (first, n), busy)
               : linkage_path (line, first, n, busy) != 0;
}

static uint32_t find_linked (const tori_state *state, const tori_box *box,
                             tori_wiring wiring, int dim)
{
    const struct linkage *line = state->machine->line[dim];
    uint32_t first = box->origin[dim], n = box->shape.size[dim];
    uint32_t busy = busy_links (state, box, dim);
    return tori_wiring_closes (wiring, dim)
               ? linkage_ring (line, linkage_interval (first, n), busy)
               : linkage_path (line, first, n, busy);
}

/* ---- line by line ---- */

/* Whether a box can be wired in one dimension, line by line. */
static bool wirable (const tori_state *state, const tori_box *box,
                     tori_wiring wiring, const tori_link_run *runs, int n)
{
    struct boxline line = line_of_box (state, box, wiring, runs, n);
    struct linewalk lines = lines_of_box (state->machine, box, runs[0].dim);
    if (!state_disturbed (state)
        || !kind_is_flexible (state->machine->kind[runs[0].dim]))
        return false;
    if (state->machine->line[runs[0].dim])
        return linked_wirable (state, box, wiring, runs[0].dim);
    while (lines_next (&lines, &line.section.start))
        if (!by_rule (&line) && !ring_exists (&line.section))
            return false;
    return true;
}

/* The runs of a dimension, from the i-th on: their end. */
static int end_of_dim (const tori_link_run *runs, int n, int i)
{
    int end = i;
    while (end < n && runs[end].dim == runs[i].dim)
        end++;
    return end;
}

bool tori_wiring_free (const tori_state *state, const tori_box *box,
                       tori_wiring wiring)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (state->machine, box, wiring, runs);
    for (int i = 0, end; i < n; i = end) {
        end = end_of_dim (runs, n, i);
        if (!runs_free (state, box, runs + i, end - i)
            && !wirable (state, box, wiring, runs + i, end - i))
            return false;
    }
    return n >= 0;
}

static int list_room (struct linklist *list, size_t more, tori_error *err)
{
    tori_link *link = array_room (list->link, &list->room, list->n + more,
                                  sizeof *link);
    if (!link)
        return tori_error_nomem (err);
    list->link = link;
    return 0;
}

/* The links of one line: the rule's, if they are free. */
static int list_line (const struct boxline *line, struct linklist *list,
                      tori_error *err)
{
    const struct section *s = &line->section;
    const tori_machine *machine = s->state->machine;
    size_t n = 0;
    int found = 1;
    if (list_room (list, 2 * (size_t)machine->shape.size[s->dim], err) < 0)
        return -1;
    if (!by_rule (line))
        found = ring_find (s, list->link + list->n, &n, err);
    else
        for (int i = 0; i < line->n; i++)
            for (uint32_t k = 0; k < line->runs[i].count; k++)
                list->link[list->n + n++] = (tori_link){
                    s->dim, line->runs[i].layer,
                    s->start
                        + (line->runs[i].first + k) * machine->stride[s->dim]};
    list->n += n;
    if (found == 0)
        tori_error_set (err, TORI_NOT_NOW,
                        "a link of dimension %d is taken or down", s->dim);
    return found > 0 ? 0 : -1;
}

static int list_linked (const tori_state *state, const tori_box *box,
                        tori_wiring wiring, int dim, struct linklist *list,
                        tori_error *err)
{
    const tori_machine *machine = state->machine;
    struct linewalk lines = lines_of_box (machine, box, dim);
    uint32_t links = find_linked (state, box, wiring, dim), start;
    uint32_t size = machine->shape.size[dim];
    if (!links)
        return tori_error_set (err, TORI_NOT_NOW,
                               "a link of dimension %d is taken or down", dim);
    while (lines_next (&lines, &start)) {
        if (list_room (list, LINKAGE_LINKS, err) < 0)
            return -1;
        for (uint32_t i = 0; i < 2 * size; i++)
            if (links >> i & 1)
                list->link[list->n++] = (tori_link){
                    dim, (tori_layer)(i / size),
                    start + i % size * machine->stride[dim]};
    }
    return 0;
}

int wiring_list (const tori_state *state, const tori_box *box,
                 tori_wiring wiring, uint32_t dims, struct linklist *list,
                 tori_error *err)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (state->machine, box, wiring, runs);
    for (int i = 0, end; i < n; i = end) {
        struct boxline line;
        struct linewalk lines;
        end = end_of_dim (runs, n, i);
        if (!(dims >> runs[i].dim & 1))
            continue;
        if (state->machine->line[runs[i].dim]) {
            if (list_linked (state, box, wiring, runs[i].dim, list, err) < 0)
                return -1;
            continue;
        }
        line = line_of_box (state, box, wiring, runs + i, end - i);
        lines = lines_of_box (state->machine, box, runs[i].dim);
        while (lines_next (&lines, &line.section.start))
            if (list_line (&line, list, err) < 0)
                return -1;
    }
    return 0;
}

uint32_t wiring_hindered (const tori_state *state, const tori_box *box,
                          tori_wiring wiring)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = tori_wiring_runs (state->machine, box, wiring, runs);
    uint32_t dims = 0;
    for (int i = 0; i < n; i++)
        if (kind_is_flexible (state->machine->kind[runs[i].dim])
            && !run_free (state, box, &runs[i]))
            dims |= UINT32_C (1) << runs[i].dim;
    return dims;
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

int wiring_take (tori_state *state, const tori_box *box, struct wires wires,
                 tori_error *err)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n;
    if (wiring_check_on (state->machine, wires.wiring, err) < 0
        || box_check (state->machine, box, err) < 0)
        return -1;
    n = wiring_runs (state->machine, box, wires, runs);
    if (n < 0)
        return tori_error_set (err, TORI_NEVER, "%s",
                               wiring_never (state->machine));
    for (int i = 0; i < n; i++)
        if (!run_free (state, box, &runs[i]))
            return tori_error_set (err, TORI_NOT_NOW,
                                   "a link of dimension %d is taken or down",
                                   runs[i].dim);
    return take_runs (state, box, runs, n, err);
}

int tori_wiring_take (tori_state *state, const tori_box *box,
                      tori_wiring wiring, tori_error *err)
{
    return wiring_take (state, box,
                        wires_of_box (state->machine, box, wiring), err);
}

int wiring_block (tori_state *state, const tori_box *box, struct wires wires,
                  tori_error *err)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = wiring_runs (state->machine, box, wires, runs);
    return take_runs (state, box, runs, n, err);
}

void wiring_unblock (tori_state *state, const tori_box *box,
                     struct wires wires)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = wiring_runs (state->machine, box, wires, runs);
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
                   struct wires wires)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n;
    if (wiring_check_on (state->machine, wires.wiring, NULL) < 0
        || box_check (state->machine, box, NULL) < 0)
        return false;
    n = wiring_runs (state->machine, box, wires, runs);
    for (int i = 0; i < n; i++)
        if (!run_taken (state, box, &runs[i]))
            return false;
    return n >= 0;
}

void tori_wiring_give (tori_state *state, const tori_box *box,
                       tori_wiring wiring)
{
    struct wires wires = wires_of_box (state->machine, box, wiring);
    if (wiring_taken (state, box, wires))
        wiring_unblock (state, box, wires);
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

int wiring_each (const tori_machine *machine, const tori_box *box,
                 struct wires wires,
                 int (*visit) (void *arg, const tori_link *link), void *arg)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = wiring_runs (machine, box, wires, runs), answer = 0;
    for (int at = 0, end; at < n && answer == 0; at = end) {
        struct linewalk lines = lines_of_box (machine, box, runs[at].dim);
        uint32_t start;
        end = end_of_dim (runs, n, at);
        while (answer == 0 && lines_next (&lines, &start))
            answer = each_of_line (machine, start, runs + at, end - at, visit,
                                   arg);
    }
    return answer;
}

int tori_wiring_each (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring,
                      int (*visit) (void *arg, const tori_link *link),
                      void *arg)
{
    return wiring_each (machine, box, wires_of_box (machine, box, wiring),
                        visit, arg);
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

bool wiring_conflict (const tori_machine *machine, const tori_box *a,
                      struct wires wires_a, const tori_box *b,
                      struct wires wires_b, tori_link *ret_link)
{
    tori_link_run x[TORI_MAX_RUNS], y[TORI_MAX_RUNS];
    int n, m;
    if (wires_a.wiring == TORI_WIRE_NONE || wires_b.wiring == TORI_WIRE_NONE)
        return false;
    n = wiring_runs (machine, a, wires_a, x);
    m = wiring_runs (machine, b, wires_b, y);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (runs_meet (machine, a, &x[i], b, &y[j], ret_link))
                return true;
    return false;
}

bool tori_wiring_conflict (const tori_machine *machine, const tori_box *a,
                           tori_wiring wiring_a, const tori_box *b,
                           tori_wiring wiring_b, tori_link *ret_link)
{
    return wiring_conflict (machine, a, wires_of_box (machine, a, wiring_a), b,
                            wires_of_box (machine, b, wiring_b), ret_link);
}

bool wiring_links_up (const tori_state *state, const tori_box *box,
                      struct wires wires)
{
    tori_link_run runs[TORI_MAX_RUNS];
    int n = state->links_down > 0
                ? wiring_runs (state->machine, box, wires, runs)
                : 0;
    for (int i = 0; i < n; i++)
        if (!run_clear (state, box, &runs[i], state->broken))
            return false;
    return true;
}

/* ---- links of a list ---- */

int compare_links (const void *a, const void *b)
{
    const tori_link *x = a, *y = b;
    if (x->dim != y->dim)
        return x->dim < y->dim ? -1 : 1;
    if (x->layer != y->layer)
        return x->layer < y->layer ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

static uint64_t *taken_set (const tori_state *state, const tori_link *link)
{
    return state->taken[layer_index (link->dim, link->layer)];
}

bool links_free (const tori_state *state, const tori_link links[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tori_state_link_taken (state, &links[i])
            || tori_state_link_down (state, &links[i]))
            return false;
    return true;
}

bool links_taken (const tori_state *state, const tori_link links[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!tori_state_link_taken (state, &links[i]))
            return false;
    return true;
}

bool links_up (const tori_state *state, const tori_link links[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tori_state_link_down (state, &links[i]))
            return false;
    return true;
}

int links_block (tori_state *state, const tori_link links[], size_t n,
                 tori_error *err)
{
    if (n > 0 && state_need_links (state, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        bits_set (taken_set (state, &links[i]), links[i].slot);
    state->listed += n;
    return 0;
}

void links_unblock (tori_state *state, const tori_link links[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        bits_clear (taken_set (state, &links[i]), links[i].slot);
    state->listed -= n;
}
