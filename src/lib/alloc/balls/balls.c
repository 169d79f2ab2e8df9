#include "balls.h"

#include <stdlib.h>
#include <string.h>

#include "ballplane.h"
#include "ballrows.h"
#include "ballwalk.h"
#include "bits.h"
#include "marks.h"

/* A centre. The k nearest are all nodes nearer than the radius and `rest`
 * nodes at it: whole slices across the first dimension, in the order of ids,
 * and part of the next. */
struct centre {
    uint64_t sum;    /* over pairs, as far as it is known */
    uint64_t price;  /* of the k nearest, likewise */
    uint32_t radius; /* NONE if it need not be tried */
    uint32_t rest;
    uint32_t slices, some;
};

static const uint32_t NONE = UINT32_MAX;

/* From so many nodes on a ball is wide. */
enum { WIDE = 4000 };

struct balls {
    struct ball_space space;
    struct ball_rows rows;
    struct centre *centres;
    uint32_t *histogram; /* of the longest side */

    const uint64_t *allowed;       /* a set of nodes */
    const uint64_t *const *prices; /* by dimension and coordinate, or NULL */
    uint32_t k;
    bool all;       /* every sum is wanted, not just the least */
    uint64_t least; /* sum so far, unless all are wanted */
    uint32_t longest; /* radius in a slab; NONE if no centre is to be tried */
};

/* The centre that is looked at, by the line that it is on. */
struct view {
    const struct balls *balls;
    int axis;                       /* the dimension of the line */
    uint32_t coords[TORI_MAX_DIMS]; /* of the centre */
    uint32_t left, right;           /* how far its ball goes along it */
    const uint32_t *const *at;      /* rows by offset from it */
    struct centre *centre;
    struct ball_order order; /* of the slices across the first dimension */
    uint32_t *histogram;     /* by offset from it */
};

/* ---- create and destroy ---- */

void balls_destroy (struct balls *balls)
{
    if (!balls)
        return;
    ball_rows_clear (&balls->rows);
    free (balls->centres);
    free (balls->histogram);
    free (balls);
}

int balls_create (const tori_machine *machine, struct balls **ret_balls,
                  tori_error *err)
{
    struct balls *balls = calloc (1, sizeof *balls);
    size_t longest = 0;
    if (!balls)
        return tori_error_nomem (err);
    balls->space = ball_space_of (machine);
    for (int a = 0; a < balls->space.n; a++)
        if (balls->space.axes[a].size > longest)
            longest = balls->space.axes[a].size;
    balls->histogram = malloc (longest * sizeof *balls->histogram);
    if (!balls->histogram) {
        free (balls);
        return tori_error_nomem (err);
    }
    *ret_balls = balls;
    return 0;
}

/* Allocate the arrays in proportion to the machine, when they are needed. */
static int prepare_arrays (struct balls *balls, tori_error *err)
{
    size_t nodes = balls->space.machine->nodes;
    if (!balls->centres)
        balls->centres = malloc (nodes * sizeof *balls->centres);
    if (!balls->centres)
        return tori_error_nomem (err);
    return ball_rows_init (&balls->rows, &balls->space, err);
}

/* ---- radii ---- */

/* Find the radius of a centre from the counts of its balls. False if they do
 * not go so far. If just k nodes are within it, all are nearer than the
 * next. */
static bool set_radius (struct balls *balls, uint32_t node,
                        const uint32_t *counts, uint32_t guess)
{
    uint32_t r = ball_least (guess, balls->rows.radius), k = balls->k;
    while (r > 0 && counts[r] >= k)
        r--;
    while (counts[r + 1] < k)
        if (++r > balls->rows.radius)
            return false;
    balls->centres[node] = counts[r + 1] == k
                               ? (struct centre){.radius = r + 1}
                               : (struct centre){.radius = r,
                                                 .rest = k - counts[r]};
    return true;
}

static bool set_radii (struct balls *balls, const struct ball_line *line)
{
    const uint32_t *counts = ball_rows_whole (&balls->rows, line);
    uint32_t size = balls->space.axes[0].size, guess = 0;
    for (uint32_t x = 0; x < size; x++, counts += balls->rows.row) {
        uint32_t node = line->first + x * line->step;
        balls->centres[node].radius = NONE;
        if (!bits_test (balls->allowed, node))
            continue;
        if (!set_radius (balls, node, counts, guess))
            return false;
        guess = balls->centres[node].radius;
        if (balls->longest == NONE || guess > balls->longest)
            balls->longest = guess;
    }
    return true;
}

/* The longest radius in a slab; NONE if no centre is to be tried. */
static uint32_t longest_radius (const struct balls *balls, uint32_t slab)
{
    uint32_t nodes = ball_rows_nodes (&balls->rows), longest = NONE;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t node = ball_rows_node (&balls->rows, slab, i);
        uint32_t radius = balls->centres[node].radius;
        if (radius != NONE && (longest == NONE || radius > longest))
            longest = radius;
    }
    return longest;
}

/* ---- the first dimension ---- */

/* Nodes at the radius are taken in the order of ids, and so slice by slice
 * across the first dimension. */
static void fill_first (const struct view *view)
{
    struct centre *c = view->centre;
    uint32_t rest = c->rest;
    for (int part = 0; part < 2; part++) {
        int64_t i = view->order.first[part], last = view->order.last[part];
        for (; i <= last && rest > 0; i++) {
            const uint32_t *row = view->at[i] + (c->radius - ball_hops (i));
            uint32_t surface = row[1] - row[0];
            uint32_t take = ball_least (surface, rest);
            if (take == surface)
                c->slices++;
            else
                c->some = take;
            rest -= take;
            view->histogram[i] = row[0] + take;
        }
        for (; i <= last; i++)
            view->histogram[i] = view->at[i][c->radius - ball_hops (i)];
    }
}

/* The offset of a slice by its number in the order of ids. */
static int64_t slice_offset (const struct ball_order *order, uint32_t number)
{
    int64_t n = order->last[0] - order->first[0] + 1;
    return number < n ? order->first[0] + number
                      : order->first[1] + number - n;
}

/* ---- slices taken whole ---- */

/* Slices as sums over one side of a slice. */
struct term {
    int64_t shift;  /* from a row of the centre's slice to one of the term's */
    uint32_t reach; /* the radius that is left there */
    uint32_t sign;
};

struct taken {
    uint32_t all; /* 1: the whole surface, to which the terms are added */
    int n;
    struct term terms[5];
};

static void add_term (const struct view *view, int64_t offset, uint32_t sign,
                      struct taken *taken)
{
    const struct ball_rows *rows = &view->balls->rows;
    const struct ball_axis *axis = &view->balls->space.axes[0];
    uint32_t at = view->coords[0], hops = ball_hops (offset);
    size_t side = offset < 0 ? rows->before : rows->beyond;
    if (hops > view->centre->radius
        || (!axis->wraps && (offset < 0 ? hops > at
                                        : hops >= axis->size - at)))
        return;
    taken->terms[taken->n++] = (struct term){
        .shift = (int64_t)side
                 + ((int64_t)ball_at (axis, at, offset) - at)
                       * (int64_t)rows->step,
        .reach = view->centre->radius - hops,
        .sign = sign,
    };
}

/* The slices from the left end to an offset are those on the left of it, minus
 * the part beyond that end round a ring; or all minus those on the right of
 * the next. */
static void add_upto (const struct view *view, int64_t offset, uint32_t sign,
                      struct taken *taken)
{
    const struct ball_axis *axis = &view->balls->space.axes[0];
    uint32_t radius = view->centre->radius;
    int64_t left = ball_left (axis, view->coords[0], radius);
    int64_t right = ball_right (axis, view->coords[0], radius);
    if (offset < -left)
        return;
    if (offset < 0) {
        add_term (view, offset, sign, taken);
        add_term (view, -left - 1, -sign, taken);
        return;
    }
    taken->all += sign;
    if (offset >= right)
        return;
    add_term (view, offset + 1, -sign, taken);
    add_term (view, right + 1, sign, taken);
}

static struct taken taken_of (const struct view *view)
{
    const struct ball_order *order = &view->order;
    struct taken taken = {.all = 0};
    int64_t last;
    if (view->centre->slices == 0)
        return taken;
    last = slice_offset (order, view->centre->slices - 1);
    add_upto (view, last, 1, &taken);
    add_upto (view, order->first[0] - 1, UINT32_MAX, &taken);
    if (last < order->first[0]) /* all of the first part, some of the next */
        add_upto (view, order->last[0], 1, &taken);
    return taken;
}

/* The histogram of another dimension, without the slice taken in part. */
static void fill_slices (const struct view *view)
{
    struct taken taken = taken_of (view);
    uint32_t radius = view->centre->radius;
    for (int64_t i = -(int64_t)view->left; i <= view->right; i++)
        view->histogram[i] = view->at[i][radius - ball_hops (i) + taken.all];
    for (int t = 0; t < taken.n; t++) {
        const struct term *term = &taken.terms[t];
        int64_t from = -(int64_t)ball_least (view->left, term->reach);
        int64_t to = ball_least (view->right, term->reach);
        for (int64_t i = from; i <= to; i++) {
            const uint32_t *row = view->at[i] + term->shift
                                  + (term->reach - ball_hops (i));
            view->histogram[i] += term->sign * (row[1] - row[0]);
        }
    }
}

/* In two dimensions a slice has one or two nodes at the radius. */
static void fill_columns (const struct view *view)
{
    const struct ball_axis *axes = view->balls->space.axes;
    const struct centre *c = view->centre;
    uint32_t y = view->coords[1], stride = axes[0].stride;
    int64_t left = view->left, right = view->right;
    ball_rows_pieces (&view->balls->rows, view->coords, c->radius,
                      view->histogram);
    for (uint32_t s = 0; s < c->slices; s++) {
        int64_t offset = slice_offset (&view->order, s);
        int64_t reach = (int64_t)c->radius - ball_hops (offset);
        const uint8_t *row = view->balls->rows.open
                             + ball_at (&axes[0], view->coords[0], offset)
                                   * stride;
        if (reach <= left)
            view->histogram[-reach] += row[ball_at (&axes[1], y, -reach)];
        if (reach > 0 && reach <= right)
            view->histogram[reach] += row[ball_at (&axes[1], y, reach)];
    }
}

/* ---- the slice taken in part ---- */

static uint32_t walk_node (const struct view *view, const uint8_t *row,
                           int64_t offset)
{
    int last = view->balls->space.n - 1;
    const struct ball_axis *axis = &view->balls->space.axes[last];
    uint32_t open = row[ball_at (axis, view->coords[last], offset)];
    if (last == view->axis)
        view->histogram[offset] += open;
    return open;
}

/* The one or two nodes of a row at this distance, in order. */
static uint32_t walk_row (const struct view *view, const uint8_t *row,
                          uint32_t distance, uint32_t most)
{
    int last = view->balls->space.n - 1;
    const struct ball_axis *axis = &view->balls->space.axes[last];
    uint32_t at = view->coords[last], count = 0;
    bool left = ball_left (axis, at, distance) == distance;
    bool right = distance > 0 && ball_right (axis, at, distance) == distance;
    int64_t low = -(int64_t)distance, high = distance;
    if (left && right && ball_at (axis, at, low) > ball_at (axis, at, high)) {
        low = distance;
        high = -(int64_t)distance;
    } else if (!left) {
        low = distance;
    }
    if (left || right)
        count = walk_node (view, row, low);
    if (left && right && count < most)
        count += walk_node (view, row, high);
    return count;
}

/* Nodes at this distance in the dimensions from `a` on, up to so many, in the
 * order of ids; `part` begins at their coordinates 0. Returns how many. */
static uint32_t walk_surface (const struct view *view, int a,
                              const uint8_t *part, uint32_t distance,
                              uint32_t most)
{
    const struct ball_axis *axis = &view->balls->space.axes[a];
    struct ball_order order;
    uint32_t count = 0;
    if (a == view->balls->space.n - 1)
        return walk_row (view, part, distance, most);
    order = ball_order_of (axis, view->coords[a], distance);
    for (int p = 0; p < 2; p++)
        for (int64_t i = order.first[p]; i <= order.last[p] && count < most;
             i++) {
            uint32_t rest = distance - ball_hops (i), more;
            if (rest > axis->later)
                continue;
            more = walk_surface (
                view, a + 1,
                part + ball_at (axis, view->coords[a], i) * axis->stride, rest,
                most - count);
            if (a == view->axis)
                view->histogram[i] += more;
            count += more;
        }
    return count;
}

static void fill_some (const struct view *view)
{
    const struct ball_axis *axis = &view->balls->space.axes[0];
    int64_t offset = slice_offset (&view->order, view->centre->slices);
    walk_surface (view, 1,
                  view->balls->rows.open
                      + ball_at (axis, view->coords[0], offset) * axis->stride,
                  view->centre->radius - ball_hops (offset),
                  view->centre->some);
}

/* ---- sums ---- */

static uint64_t price_histogram (const struct view *view)
{
    const struct ball_axis *axis = &view->balls->space.axes[view->axis];
    const uint64_t *prices = view->balls->prices[view->axis];
    uint32_t at = ball_at (axis, view->coords[view->axis],
                           -(int64_t)view->left);
    uint64_t sum = 0;
    for (int64_t i = -(int64_t)view->left; i <= view->right; i++) {
        sum += view->histogram[i] * prices[at];
        at = at + 1 < axis->size ? at + 1 : 0;
    }
    return sum;
}

/* ---- all centres ---- */

static void set_view (struct view *view, uint32_t at)
{
    const struct ball_axis *axes = view->balls->space.axes;
    uint32_t radius = view->centre->radius;
    view->coords[view->axis] = at;
    view->left = ball_left (&axes[view->axis], at, radius);
    view->right = ball_right (&axes[view->axis], at, radius);
    view->order = ball_order_of (&axes[0], view->coords[0], radius);
    view->histogram = view->balls->histogram + view->left;
}

/* Add the share of a dimension to the sum of a centre. */
static void add_centre (const struct view *view)
{
    struct centre *c = view->centre;
    if (view->axis == 0)
        fill_first (view);
    else if (view->balls->rows.sides)
        fill_slices (view);
    else
        fill_columns (view);
    if (view->axis > 0 && c->some)
        fill_some (view);
    c->sum += ball_sum (&view->balls->space.axes[view->axis],
                        view->histogram - view->left,
                        view->left + view->right + 1, view->balls->k);
    if (view->balls->prices)
        c->price += price_histogram (view);
}

/* The same for the centres of a line. */
static void add_line (struct balls *balls, int axis,
                      const struct ball_line *line)
{
    struct view view = {.balls = balls, .axis = axis};
    memcpy (view.coords, line->coords, sizeof view.coords);
    for (uint32_t x = 0; x < balls->space.axes[axis].size; x++) {
        view.centre = &balls->centres[line->first + x * line->step];
        if (view.centre->radius == NONE)
            continue;
        set_view (&view, x);
        view.at = line->at + x;
        add_centre (&view);
    }
}

static bool next_line (struct balls *balls, uint32_t slab, bool *first,
                       struct ball_line *line)
{
    bool there = ball_rows_line (&balls->rows, slab, *first, line);
    *first = false;
    return there;
}

/* Find the radii of a slab; `radius` is a guess at the longest. 1, 0 if it
 * takes too much memory, -1 without. */
static int start_slab (struct balls *balls, uint32_t slab, uint32_t radius,
                       tori_error *err)
{
    for (;; radius += radius / 2 + 4) {
        bool first = true, enough = true;
        struct ball_line line;
        int done;
        balls->longest = NONE;
        done = ball_rows_count (&balls->rows, slab, radius, err);
        if (done <= 0)
            return done;
        while (enough && next_line (balls, slab, &first, &line))
            enough = set_radii (balls, &line);
        if (enough)
            return 1;
    }
}

/* Add the share of a dimension to the sums of the centres of a slab. The first
 * dimension finds their radii; neighbours' differ by one. */
static int add_slab (struct balls *balls, int axis, uint32_t slab,
                     uint32_t *radius, tori_error *err)
{
    bool first = true;
    struct ball_line line;
    int done = 1;
    if (axis == 0)
        done = start_slab (balls, slab, *radius + 1, err);
    if (done <= 0)
        return done;
    *radius = axis == 0 ? balls->longest : longest_radius (balls, slab);
    if (*radius == NONE) {
        *radius = 0;
        return 1;
    }
    if (axis > 0)
        done = ball_rows_count (&balls->rows, slab, *radius, err);
    while (done > 0 && next_line (balls, slab, &first, &line))
        add_line (balls, axis, &line);
    return done;
}

/* In two dimensions the lines give the share of the second one. In the order
 * of ids a centre must have less than those before it. */
static void add_columns (struct balls *balls)
{
    const struct ball_axis *axes = balls->space.axes;
    struct view view = {.balls = balls, .axis = 1};
    view.centre = balls->centres;
    for (uint32_t x = 0; x < axes[0].size; x++)
        for (uint32_t y = 0; y < axes[1].size; y++, view.centre++) {
            if (view.centre->radius == NONE
                || view.centre->sum >= balls->least)
                continue;
            view.coords[0] = x;
            set_view (&view, y);
            add_centre (&view);
            if (!balls->all && view.centre->sum < balls->least)
                balls->least = view.centre->sum;
        }
}

/* The sums of all centres. 1, 0 if it takes too much memory, -1 without. */
static int sum_centres (struct balls *balls, tori_error *err)
{
    for (int a = 0; a < balls->space.n; a++) {
        uint32_t radius = 0, slabs;
        if (ball_rows_start (&balls->rows, a, err) < 0)
            return -1;
        if (a > 0 && balls->space.n == 2) {
            add_columns (balls);
            break;
        }
        slabs = balls->space.axes[balls->rows.across].size;
        for (uint32_t slab = 0; slab < slabs; slab++) {
            int done = add_slab (balls, a, slab, &radius, err);
            if (done <= 0)
                return done;
        }
    }
    return 1;
}

/* ---- a request ---- */

static int weigh_centres (struct balls *balls, const tori_state *state,
                          uint32_t k, const uint64_t *centres, tori_error *err)
{
    balls->allowed = centres;
    balls->k = k;
    balls->least = UINT64_MAX;
    if (prepare_arrays (balls, err) < 0)
        return -1;
    ball_rows_load (&balls->rows, state->free);
    return sum_centres (balls, err);
}

int balls_weigh (struct balls *balls, const tori_state *state, uint32_t k,
                 const uint64_t *centres, const uint64_t *const prices[],
                 tori_error *err)
{
    balls->prices = prices;
    balls->all = true;
    return weigh_centres (balls, state, k, centres, err);
}

uint32_t balls_best (const struct balls *balls, const uint64_t *among)
{
    uint32_t best = NONE;
    for (uint32_t i = 0; i < balls->space.machine->nodes; i++)
        if (balls->centres[i].radius != NONE && bits_test (among, i)
            && (best == NONE
                || balls->centres[i].sum < balls->centres[best].sum))
            best = i;
    return best;
}

struct ball_weight balls_weight (const struct balls *balls, uint32_t centre)
{
    const struct centre *c = &balls->centres[centre];
    return (struct ball_weight){c->sum, c->price, c->radius, c->rest};
}

void balls_nearest (const struct balls *balls, const tori_state *state,
                    uint32_t centre, uint32_t ret_nodes[])
{
    const struct centre *c = &balls->centres[centre];
    ball_walk_take (&balls->space, state->free, centre, c->radius, c->rest,
                    ret_nodes);
}

/* Rows take time in proportion to the radius. In the plane a wide ball tells
 * much about its neighbours; but not if busy nodes are spread evenly, where
 * all centres are nearly as good. There this costs up to a quarter more. 1 and
 * the centre, 0 if rows are better, -1 without memory. */
static int find_wide (const struct balls *balls, const tori_state *state,
                      uint32_t k, const uint64_t *centres,
                      uint32_t *ret_centre, tori_error *err)
{
    if (balls->space.n != 2 || k < WIDE)
        return 0;
    return ball_plane_find (&balls->space, state->free, k, centres,
                            balls->space.machine->nodes / 64 * 3, ret_centre,
                            err);
}

int balls_find (struct balls *balls, const tori_state *state, uint32_t k,
                const uint64_t *centres, uint32_t ret_nodes[], tori_error *err)
{
    uint32_t centre;
    int done = find_wide (balls, state, k, centres, &centre, err);
    if (done != 0) {
        if (done > 0)
            balls_take (balls, state, k, centre, ret_nodes);
        return done;
    }
    balls->prices = NULL;
    balls->all = false;
    done = weigh_centres (balls, state, k, centres, err);
    if (done > 0)
        balls_nearest (balls, state, balls_best (balls, centres), ret_nodes);
    return done;
}

void balls_take (const struct balls *balls, const tori_state *state,
                 uint32_t k, uint32_t centre, uint32_t ret_nodes[])
{
    uint32_t nearer, radius = ball_walk_radius (&balls->space, state->free,
                                                centre, k, &nearer);
    ball_walk_take (&balls->space, state->free, centre, radius, k - nearer,
                    ret_nodes);
}
