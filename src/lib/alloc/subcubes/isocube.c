#include "isocube.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "grid.h"

static uint64_t bit_of (unsigned i)
{
    return UINT64_C (1) << i;
}

static unsigned lowest_bit (uint64_t set)
{
    return (unsigned)__builtin_ctzll (set);
}

/* ---- layout ---- */

static void add_step (struct isocube *iso, unsigned bits, unsigned halving)
{
    struct isocube_step *step = &iso->step[iso->nsteps];
    unsigned low = iso->nsteps ? step[-1].low + step[-1].bits : 0;
    step->bits = bits;
    step->low = low;
    step->fan = 1u << bits;
    step->full = bits_low (step->fan);
    step->whole = bits_low (low) & ~bits_low (halving);
    step->size = (2 + step->fan + low) * sizeof (uint64_t);
    iso->tops |= bit_of (low + bits - 1);
    for (unsigned i = 0; i < bits; i++)
        iso->step_of[low + i] = (uint8_t)iso->nsteps;
    iso->nsteps++;
}

/* A halving of m dimensions, whose children have this size. */
static void add_steps (struct isocube *iso, unsigned m, unsigned halving)
{
    unsigned parts = (m + SIBLINGS_BITS - 1) / SIBLINGS_BITS;
    for (unsigned i = 0; i < parts; i++)
        add_step (iso, m / parts + (i < m % parts), halving);
}

static void lay_out (struct isocube *iso)
{
    unsigned before = 0;
    for (int i = 0; i < ISOSPACE_HALVINGS; i++) {
        add_steps (iso, iso->space.halved[i], before);
        before += iso->space.halved[i];
    }
    iso->step_of[iso->space.bits] = (uint8_t)iso->nsteps;
}

/* ---- the order of the tree ---- */

/* With gray, the children of every step are numbered in Gray code: the address
 * in the order of the tree, and back. */
static uint64_t to_tree (const struct isocube *iso, uint64_t address)
{
    uint64_t tree = address;
    if (iso->rule->gray)
        for (int i = 1; i < SIBLINGS_BITS; i++)
            tree = address ^ (tree >> 1 & ~iso->tops);
    return tree;
}

static uint64_t from_tree (const struct isocube *iso, uint64_t tree)
{
    return iso->rule->gray ? tree ^ (tree >> 1 & ~iso->tops) : tree;
}

/* ---- cells ---- */

static unsigned slot_of (const struct isocube_step *step, uint64_t address)
{
    return (unsigned)(address >> step->low) & (step->fan - 1);
}

/* The sizes available among the free children. */
static uint64_t own_sizes (const struct isocube *iso,
                           const struct isocube_step *step, uint64_t free)
{
    if (!free)
        return 0;
    return iso->rule->sizes (free, step->bits) << step->low | step->whole;
}

/* The sizes available in a cell; one that does not exist has none. */
static uint64_t sizes_of (const struct isocube *iso, unsigned t,
                          const union link *link)
{
    const struct isocube_step *step = &iso->step[t];
    if (t == 0)
        return own_sizes (iso, step, link->bits);
    if (!link->cell)
        return 0;
    return own_sizes (iso, step, link->cell->free) | link->cell->below;
}

static uint64_t *children_with (struct cell *cell,
                                const struct isocube_step *step,
                                unsigned size)
{
    return &cell->at[step->fan + size].bits;
}

/* Set the sizes that are available under a child. */
static void change_below (struct cell *cell, const struct isocube_step *step,
                          unsigned slot, uint64_t sizes)
{
    for (; sizes; sizes &= sizes - 1) {
        unsigned size = lowest_bit (sizes);
        uint64_t *with = children_with (cell, step, size);
        *with ^= bit_of (slot);
        cell->below =
            *with ? cell->below | bit_of (size) : cell->below & ~bit_of (size);
    }
}

/* The available sizes under the cell below step t have changed: carry it up as
 * far as it makes a difference. */
static void raise_sizes (struct isocube *iso, const struct isocube_spot *spot,
                         unsigned t, uint64_t sizes)
{
    for (; sizes && t < iso->nsteps; t++) {
        const struct isocube_step *step = &iso->step[t];
        struct cell *cell = spot->at[t]->cell;
        uint64_t before = cell->below;
        change_below (cell, step, slot_of (step, spot->address), sizes);
        sizes = before ^ cell->below;
        if (cell->free)
            sizes &= ~step->whole;
    }
}

static struct cell *new_cell (struct isocube *iso, unsigned t, uint64_t free)
{
    struct cell *cell = calloc (1, iso->step[t].size);
    if (cell) {
        cell->free = free;
        iso->bytes += iso->step[t].size;
    }
    return cell;
}

static void free_cell (struct isocube *iso, unsigned t, struct cell *cell)
{
    iso->bytes -= iso->step[t].size;
    free (cell);
}

/* Remove a cell and all below it; `t` is its step. */
static void remove_cells (struct isocube *iso, unsigned t, union link *link)
{
    struct cell *cell = link->cell;
    if (t > 0 && cell) {
        for (unsigned i = 0; t > 1 && i < iso->step[t].fan; i++)
            remove_cells (iso, t - 1, &cell->at[i]);
        free_cell (iso, t, cell);
    }
    link->bits = 0;
}

/* ---- finding ---- */

uint64_t isocube_sizes (const struct isocube *iso)
{
    if (iso->free)
        return bit_of (iso->space.bits);
    return iso->nsteps ? sizes_of (iso, iso->nsteps - 1, &iso->root) : 0;
}

bool isocube_is_free (const struct isocube *iso, uint64_t address)
{
    uint64_t tree = to_tree (iso, address);
    const union link *link = &iso->root;
    for (unsigned t = iso->nsteps; t-- > 0 && !iso->free;) {
        unsigned slot = slot_of (&iso->step[t], tree);
        if (t == 0)
            return link->bits & bit_of (slot);
        if (!link->cell || link->cell->free & bit_of (slot))
            return link->cell;
        link = &link->cell->at[slot];
    }
    return iso->free;
}

/* The first place at which an available size can be taken: children of a cell,
 * or one child that is at least as large. */
static unsigned descend_to_size (struct isocube *iso, unsigned size,
                                 struct isocube_spot *spot)
{
    union link *link = &iso->root;
    for (unsigned t = iso->nsteps - 1;; t--) {
        const struct isocube_step *step = &iso->step[t];
        struct cell *cell = link->cell;
        uint64_t free = t ? cell->free : link->bits, with;
        unsigned slot;
        spot->at[t] = link;
        if (size >= step->low) {
            spot->children
                = iso->rule->choose (free, step->bits, size - step->low);
            return t;
        }
        with = *children_with (cell, step, size);
        if (step->whole & bit_of (size))
            with |= free;
        slot = lowest_bit (with);
        if (free & bit_of (slot)) {
            spot->children = bit_of (slot);
            return t;
        }
        spot->address |= (uint64_t)slot << step->low;
        link = &cell->at[slot];
    }
}

bool isocube_find (struct isocube *iso, unsigned size,
                   struct isocube_spot *spot)
{
    uint64_t sizes = isocube_sizes (iso) >> size;
    if (!sizes)
        return false;
    spot->address = 0;
    spot->size = size;
    spot->step = iso->step_of[size];
    spot->made = iso->nsteps;
    if (!iso->free) {
        spot->made = descend_to_size (iso, size + lowest_bit (sizes), spot);
        if (spot->made == spot->step)
            return true;
        spot->address |= (uint64_t)lowest_bit (spot->children)
                         << iso->step[spot->made].low;
    }
    /* The first of a subcube that is free as a whole. */
    spot->children = 1;
    if (spot->step < iso->nsteps)
        spot->children
            = bits_low (1u << (size - iso->step[spot->step].low));
    return true;
}

struct cube isocube_cube (const struct isocube *iso,
                          const struct isocube_spot *spot)
{
    struct cube cube = {from_tree (iso, spot->address),
                        bits_low (iso->space.bits)};
    const struct isocube_step *step = &iso->step[spot->step];
    uint64_t corners;
    unsigned first;
    if (spot->step == iso->nsteps)
        return cube;
    corners = siblings_corners (iso->rule, spot->children);
    first = lowest_bit (corners);
    cube.base |= (uint64_t)first << step->low;
    cube.wild = bits_low (step->low);
    for (unsigned i = 0; i < step->bits; i++)
        if (!(first & 1u << i) && corners & bit_of (first | 1u << i))
            cube.wild |= bit_of (step->low + i);
    return cube;
}

/* ---- taking ---- */

/* Take children of an existing cell. */
static void take_children (struct isocube *iso,
                           const struct isocube_spot *spot)
{
    unsigned t = spot->step;
    union link *link;
    uint64_t before;
    if (t == iso->nsteps) {
        iso->free = false;
        return;
    }
    link = spot->at[t];
    before = sizes_of (iso, t, link);
    if (t == 0)
        link->bits &= ~spot->children;
    else
        link->cell->free &= ~spot->children;
    raise_sizes (iso, spot, t + 1, before ^ sizes_of (iso, t, link));
}

/* The cells from the spot's step up to below `made`, linked, as one branch.
 * Sets the link to the highest. */
static int grow_branch (struct isocube *iso, const struct isocube_spot *spot,
                        union link *ret_link, tori_error *err)
{
    union link link = {.bits = 0};
    uint64_t taken = spot->children;
    for (unsigned t = spot->step; t < spot->made; t++) {
        const struct isocube_step *step = &iso->step[t];
        uint64_t free = step->full & ~taken, sizes;
        unsigned up = t + 1 < iso->nsteps
                          ? slot_of (&iso->step[t + 1], spot->address)
                          : 0;
        if (t == 0) {
            link.bits = free;
        } else {
            struct cell *cell = new_cell (iso, t, free);
            if (!cell) {
                remove_cells (iso, t - 1, &link);
                return tori_error_nomem (err);
            }
            if (t > spot->step) {
                unsigned slot = slot_of (step, spot->address);
                sizes = sizes_of (iso, t - 1, &link);
                cell->at[slot] = link;
                change_below (cell, step, slot, sizes);
            }
            link.cell = cell;
        }
        taken = bit_of (up);
    }
    *ret_link = link;
    return 0;
}

/* Take part of a subcube that is free as a whole, which is broken up. */
static int take_part (struct isocube *iso, const struct isocube_spot *spot,
                      tori_error *err)
{
    unsigned t = spot->made;
    union link branch = {.bits = 0}, *link;
    uint64_t before;
    unsigned slot;
    if (grow_branch (iso, spot, &branch, err) < 0)
        return -1;
    if (t == iso->nsteps) {
        iso->free = false;
        iso->root = branch;
        return 0;
    }
    link = spot->at[t];
    slot = slot_of (&iso->step[t], spot->address);
    before = sizes_of (iso, t, link);
    link->cell->free &= ~bit_of (slot);
    link->cell->at[slot] = branch;
    change_below (link->cell, &iso->step[t], slot,
                  sizes_of (iso, t - 1, &branch));
    raise_sizes (iso, spot, t + 1, before ^ sizes_of (iso, t, link));
    return 0;
}

int isocube_take_spot (struct isocube *iso, const struct isocube_spot *spot,
                       tori_error *err)
{
    if (spot->made == spot->step)
        take_children (iso, spot);
    else if (take_part (iso, spot, err) < 0)
        return -1;
    iso->free_count -= (uint32_t)bit_of (spot->size);
    return 0;
}

/* ---- by subcube ---- */

/* The cell and children that a subcube is. */
static void spot_of_cube (const struct isocube *iso, struct cube cube,
                          struct isocube_spot *spot)
{
    bool dense = !(cube.wild & (cube.wild + 1));
    unsigned size = dense ? 63 - (unsigned)__builtin_clzll (cube.wild + 1)
                          : (unsigned)__builtin_popcountll (cube.wild);
    const struct isocube_step *step = &iso->step[iso->step_of[size]];
    uint64_t inside, corners;
    spot->size = size;
    spot->step = iso->step_of[size];
    spot->address = 0;
    spot->children = 1;
    if (spot->step == iso->nsteps)
        return;
    inside = (uint64_t)(step->fan - 1) << step->low | bits_low (step->low);
    corners = siblings_span (slot_of (step, cube.base),
                             cube.wild >> step->low & (step->fan - 1));
    spot->address = to_tree (iso, cube.base & ~inside);
    spot->children = siblings_ranks (iso->rule, corners);
}

int isocube_take (struct isocube *iso, struct cube cube, tori_error *err)
{
    struct isocube_spot spot;
    union link *link = &iso->root;
    spot_of_cube (iso, cube, &spot);
    spot.made = iso->nsteps;
    if (iso->free)
        return isocube_take_spot (iso, &spot, err);
    for (unsigned t = iso->nsteps - 1;; t--) {
        unsigned slot = slot_of (&iso->step[t], spot.address);
        spot.at[t] = link;
        spot.made = t;
        if (t == spot.step || link->cell->free & bit_of (slot))
            break;
        link = &link->cell->at[slot];
    }
    return isocube_take_spot (iso, &spot, err);
}

/* Make the cells on the way down: a subcube that was taken as a whole becomes
 * a cell with all children taken. */
static int open_way (struct isocube *iso, struct isocube_spot *spot,
                     tori_error *err)
{
    union link *link = &iso->root;
    for (unsigned t = iso->nsteps; t-- > spot->step;) {
        spot->at[t] = link;
        if (t == 0)
            break;
        if (!link->cell && !(link->cell = new_cell (iso, t, 0)))
            return tori_error_nomem (err);
        link = &link->cell->at[slot_of (&iso->step[t], spot->address)];
    }
    return 0;
}

/* Give back the children, and all above that becomes whole by it. */
static void give_children (struct isocube *iso,
                           const struct isocube_spot *spot)
{
    uint64_t children = spot->children, lost = 0;
    unsigned t = spot->step;
    for (; t < iso->nsteps; t++) {
        const struct isocube_step *step = &iso->step[t];
        union link *link = spot->at[t];
        uint64_t before = sizes_of (iso, t, link);
        uint64_t *free = t ? &link->cell->free : &link->bits;
        if (lost)
            change_below (link->cell, step, slot_of (step, spot->address),
                          lost);
        *free |= children;
        if (*free != step->full) {
            raise_sizes (iso, spot, t + 1, before ^ sizes_of (iso, t, link));
            return;
        }
        lost = before;
        if (t)
            free_cell (iso, t, link->cell);
        link->bits = 0;
        if (t + 1 < iso->nsteps)
            children = bit_of (slot_of (step + 1, spot->address));
    }
    iso->free = true;
}

int isocube_give (struct isocube *iso, struct cube cube, tori_error *err)
{
    struct isocube_spot spot;
    uint64_t below;
    spot_of_cube (iso, cube, &spot);
    if (spot.step == iso->nsteps)
        remove_cells (iso, iso->nsteps ? iso->nsteps - 1 : 0, &iso->root);
    else if (open_way (iso, &spot, err) < 0)
        return -1;
    if (spot.step > 0 && spot.step < iso->nsteps)
        for (below = spot.children; below; below &= below - 1)
            remove_cells (iso, spot.step - 1,
                          &spot.at[spot.step]->cell->at[lowest_bit (below)]);
    give_children (iso, &spot);
    iso->free_count += (uint32_t)bit_of (spot.size);
    return 0;
}

/* ---- looking around ---- */

/* Visit the free ones among some children of a cell, and those below the
 * others. */
static void see_children (const struct isocube *iso, unsigned t,
                          const union link *link, uint64_t address,
                          uint64_t children, isocube_see_fn *see, void *arg)
{
    const struct isocube_step *step = &iso->step[t];
    uint64_t free;
    if (t > 0 && !link->cell)
        return;
    free = t > 0 ? link->cell->free : link->bits;
    for (; children; children &= children - 1) {
        unsigned slot = lowest_bit (children);
        uint64_t child = address | (uint64_t)slot << step->low;
        if (free & bit_of (slot))
            see (arg, (struct cube){from_tree (iso, child),
                                    bits_low (step->low)});
        else if (t > 0)
            see_children (iso, t - 1, &link->cell->at[slot], child,
                          iso->step[t - 1].full, see, arg);
    }
}

void isocube_each_free (const struct isocube *iso, struct cube cube,
                        isocube_see_fn *see, void *arg)
{
    const union link *link = &iso->root;
    struct isocube_spot spot;
    unsigned t = iso->nsteps;
    spot_of_cube (iso, cube, &spot);
    if (iso->free)
        see (arg, cube);
    if (iso->free || iso->nsteps == 0)
        return;
    if (spot.step == iso->nsteps) {
        see_children (iso, t - 1, link, 0, iso->step[t - 1].full, see, arg);
        return;
    }
    while (--t > spot.step) {
        unsigned slot = slot_of (&iso->step[t], spot.address);
        if (!link->cell)
            return;
        if (link->cell->free & bit_of (slot)) {
            see (arg, cube);
            return;
        }
        link = &link->cell->at[slot];
    }
    see_children (iso, t, link, spot.address, spot.children, see, arg);
}

static void count_nodes (void *arg, struct cube cube)
{
    *(uint64_t *)arg += cube.wild + 1;
}

bool isocube_is_whole (const struct isocube *iso, struct cube cube)
{
    uint64_t n = 0;
    isocube_each_free (iso, cube, count_nodes, &n);
    return n == cube.wild + 1;
}

struct parts {
    struct isocube *iso;
    const tori_box *box;
    isocube_act_fn *act;
    size_t left, done;
    tori_error *err;
};

static int visit_part (struct parts *parts, unsigned t, uint64_t address)
{
    struct cube cube = isocube_at (parts->iso, address, t);
    enum isospace_lie lie =
        isospace_lies (&parts->iso->space, cube, parts->box);
    if (lie == ISOSPACE_OUTSIDE)
        return 0;
    if (lie == ISOSPACE_INSIDE) {
        if (parts->left-- == 0
            || parts->act (parts->iso, cube, parts->err) != 0)
            return -1;
        parts->done++;
        return 0;
    }
    for (unsigned i = 0; i < parts->iso->step[t - 1].fan; i++)
        if (visit_part (parts, t - 1,
                        address | (uint64_t)i << parts->iso->step[t - 1].low)
            < 0)
            return -1;
    return 0;
}

bool isocube_each_part (struct isocube *iso, const tori_box *box, size_t *n,
                        isocube_act_fn *act, tori_error *err)
{
    struct parts parts = {iso, box, act, *n, 0, err};
    bool all = visit_part (&parts, iso->nsteps, 0) == 0;
    *n = parts.done;
    return all;
}

/* ---- sides that are not powers of two ---- */

enum { MOST_ABSENT = 1 << 24 };

/* Take the nodes that do not exist in the subcube of this step. `most` bounds
 * the number of visits. */
static int take_absent (struct isocube *iso, unsigned t, uint64_t address,
                        long *most, tori_error *err)
{
    const tori_box machine = {.shape = iso->space.machine->shape};
    struct cube cube = isocube_at (iso, address, t);
    enum isospace_lie lie = isospace_lies (&iso->space, cube, &machine);
    if (lie == ISOSPACE_INSIDE)
        return 0;
    if (--*most < 0)
        return tori_error_set (err, TORI_INVALID,
                               "the sides are too far from powers of two for "
                               "isomorphic partitioning");
    if (lie == ISOSPACE_OUTSIDE)
        return isocube_take (iso, cube, err);
    for (unsigned i = 0; i < iso->step[t - 1].fan; i++)
        if (take_absent (iso, t - 1,
                         address | (uint64_t)i << iso->step[t - 1].low, most,
                         err)
            < 0)
            return -1;
    return 0;
}

/* ---- all of it ---- */

int isocube_create (const tori_machine *machine, tori_hypercube rule,
                    struct isocube **ret_iso, tori_error *err)
{
    struct isocube *iso = calloc (1, sizeof *iso);
    long most = MOST_ABSENT;
    if (!iso)
        return tori_error_nomem (err);
    iso->rule = siblings_find (rule);
    iso->free = true;
    isospace_init (&iso->space, machine);
    lay_out (iso);
    if (take_absent (iso, iso->nsteps, 0, &most, err) < 0) {
        isocube_destroy (iso);
        return -1;
    }
    iso->free_count = machine->nodes;
    iso->idle = isocube_sizes (iso);
    *ret_iso = iso;
    return 0;
}

void isocube_destroy (struct isocube *iso)
{
    if (!iso)
        return;
    if (iso->nsteps)
        remove_cells (iso, iso->nsteps - 1, &iso->root);
    free (iso);
}

size_t isocube_bytes (const struct isocube *iso)
{
    return sizeof *iso + iso->bytes;
}
