#include "ballplane.h"

#include <stdlib.h>
#include <string.h>

#include "ballrows.h"
#include "bits.h"
#include "grid.h"

__extension__ typedef unsigned __int128 wide;

static const uint32_t NONE = UINT32_MAX;
static const int64_t FAR = INT32_MAX;

/* Sides of the lines through a centre: lower and higher coordinates of the
 * first dimension, and of the second. */
enum half { HALVES = 4 };

struct plane {
    const struct ball_space *space;
    struct ball_rows rows[2]; /* along each dimension; only their sums */
    const uint64_t *centres;
    uint64_t *open;           /* those that may still be the best */
    uint32_t k, guess, tries;
    uint64_t least; /* sum so far, and the first centre known to have it */
    uint32_t best;
    uint32_t *histogram[2]; /* by coordinate, from the least of the ball */
    uint64_t *stars[2];     /* distances from all k in a dimension, as well */
};

/* A centre and its k nearest: fewer than k are nearer than the radius, and no
 * fewer within it. */
struct hub {
    uint32_t at[2];
    uint32_t left[2], right[2]; /* how far the ball goes */
    uint32_t radius, nearer, within;
    uint64_t sum;
    uint32_t halves[HALVES]; /* within the radius */
};

/* ---- create and destroy ---- */

static void clear_plane (struct plane *plane)
{
    for (int a = 0; a < 2; a++) {
        ball_rows_clear (&plane->rows[a]);
        free (plane->histogram[a]);
        free (plane->stars[a]);
    }
    free (plane->open);
}

static int init_plane (struct plane *plane, const uint64_t *free_nodes,
                       tori_error *err)
{
    const struct ball_space *space = plane->space;
    size_t bytes = bits_words (space->machine->nodes) * sizeof *plane->open;
    for (int a = 0; a < 2; a++) {
        size_t n = space->axes[a].size;
        plane->histogram[a] = malloc (n * sizeof *plane->histogram[a]);
        plane->stars[a] = malloc (n * sizeof *plane->stars[a]);
        if (!plane->histogram[a] || !plane->stars[a])
            return tori_error_nomem (err);
        if (ball_rows_init (&plane->rows[a], space, err) < 0)
            return -1;
        ball_rows_load (&plane->rows[a], free_nodes);
        if (ball_rows_start (&plane->rows[a], a, err) < 0)
            return -1;
    }
    plane->open = malloc (bytes);
    if (!plane->open)
        return tori_error_nomem (err);
    memcpy (plane->open, plane->centres, bytes);
    return 0;
}

/* ---- the k nearest ---- */

static uint32_t count_nearer (const struct plane *plane,
                              const struct hub *look, uint32_t radius)
{
    return ball_rows_within (&plane->rows[0], look->at, radius, -FAR, FAR);
}

/* A better guess, strictly between: nodes grow with the square of a radius. */
static uint32_t next_radius (uint32_t low, uint32_t high, uint32_t radius,
                             uint32_t n, uint32_t k, int tries)
{
    enum { PATIENCE = 8 };
    uint64_t next;
    if (high != NONE && tries > PATIENCE)
        return low + (high - low) / 2;
    if (n == 0)
        next = 2 * (uint64_t)radius + 1;
    else if (n < k)
        next = radius + (uint64_t)(k - n) * radius / (2 * (uint64_t)n) + 1;
    else
        next = radius - (uint64_t)(n - k) * radius / (2 * (uint64_t)n) - 1;
    if (next <= low)
        next = (uint64_t)low + 1;
    return next < high ? (uint32_t)next : high - 1;
}

static void find_radius (struct plane *plane, struct hub *look)
{
    uint32_t low = 0, high = NONE, radius = plane->guess;
    look->nearer = 0;
    for (int tries = 0; high == NONE || high > low + 1; tries++) {
        uint32_t n = count_nearer (plane, look, radius);
        if (n < plane->k) {
            low = radius;
            look->nearer = n;
        } else {
            high = radius;
            look->within = n;
        }
        radius = next_radius (low, high, radius, n, plane->k, tries);
    }
    look->radius = low;
    plane->guess = high;
}

/* The one or two nodes of a row at the radius, the lower id first; returns how
 * many are left to take. */
static uint32_t take_pair (struct plane *plane, const struct hub *look,
                           int64_t offset, uint32_t rest)
{
    const struct ball_axis *axes = plane->space->axes;
    const uint8_t *row = plane->rows[0].open
                         + (size_t)ball_at (&axes[0], look->at[0], offset)
                               * axes[0].stride;
    int64_t reach = look->radius - ball_hops (offset);
    int64_t pair[] = {-reach, reach};
    bool turned = reach <= look->left[1] && reach <= look->right[1]
                  && ball_at (&axes[1], look->at[1], -reach)
                         > ball_at (&axes[1], look->at[1], reach);
    for (int i = 0; i < 2 && rest > 0; i++) {
        int64_t to = pair[i ^ turned];
        bool there = to < 0 ? -to <= look->left[1] : to <= look->right[1];
        if ((reach == 0 && i == 1) || !there
            || !row[ball_at (&axes[1], look->at[1], to)])
            continue;
        plane->histogram[0][look->left[0] + offset]++;
        plane->histogram[1][look->left[1] + to]++;
        rest--;
    }
    return rest;
}

/* Take the nodes at the radius that have the lowest ids. */
static void take_surface (struct plane *plane, const struct hub *look)
{
    struct ball_order order = ball_order_of (&plane->space->axes[0],
                                             look->at[0], look->radius);
    uint32_t rest = plane->k - look->nearer;
    for (int part = 0; part < 2; part++)
        for (int64_t i = order.first[part]; i <= order.last[part] && rest > 0;
             i++)
            rest = take_pair (plane, look, i, rest);
}

static void weigh_nearest (struct plane *plane, struct hub *look)
{
    const struct ball_axis *axes = plane->space->axes;
    find_radius (plane, look);
    for (int a = 0; a < 2; a++) {
        look->left[a] = ball_left (&axes[a], look->at[a], look->radius);
        look->right[a] = ball_right (&axes[a], look->at[a], look->radius);
        ball_rows_pieces (&plane->rows[a], look->at, look->radius,
                          plane->histogram[a] + look->left[a]);
    }
    take_surface (plane, look);
    look->sum = 0;
    for (int a = 0; a < 2; a++)
        look->sum += ball_sum (&axes[a], plane->histogram[a],
                               look->left[a] + look->right[a] + 1, plane->k);
}

/* ---- centres around one ---- */

/* The distances from all k in one dimension, and the coordinate where they are
 * least, from the least of the ball. */
static uint32_t set_stars (struct plane *plane, const struct hub *look, int a)
{
    uint32_t n = look->left[a] + look->right[a] + 1, least = 0;
    uint64_t star = 0, below = 0, *stars = plane->stars[a];
    for (uint32_t i = 0; i < n; i++)
        star += (uint64_t)i * plane->histogram[a][i];
    for (uint32_t i = 0; i < n; i++) {
        stars[i] = star;
        below += plane->histogram[a][i];
        star += 2 * below - plane->k;
        least = stars[i] < stars[least] ? i : least;
    }
    return least;
}

static uint64_t least_outside (const struct hub *look, const uint64_t *stars,
                               int64_t middle, uint32_t reach)
{
    uint64_t low = UINT64_MAX;
    if (ball_hops (middle) >= reach)
        return stars[middle];
    if (reach <= look->left[1])
        low = stars[-(int64_t)reach];
    if (reach <= look->right[1] && stars[reach] < low)
        low = stars[reach];
    return low;
}

/* By how much the distances of a node within the radius from all k may exceed
 * those of one no nearer. No distance may be shorter round a ring. */
static uint64_t star_gap (struct plane *plane, const struct hub *look)
{
    uint64_t top = 0, low = UINT64_MAX;
    uint64_t *rows = plane->stars[0] + look->left[0];
    uint64_t *columns = plane->stars[1] + look->left[1];
    int64_t middle = set_stars (plane, look, 1);
    middle -= look->left[1];
    set_stars (plane, look, 0);
    for (int64_t i = -(int64_t)look->left[0]; i <= look->right[0]; i++) {
        uint32_t reach = look->radius - ball_hops (i);
        uint64_t a = columns[-(int64_t)ball_least (reach, look->left[1])];
        uint64_t b = columns[ball_least (reach, look->right[1])];
        uint64_t out = least_outside (look, columns, middle, reach);
        if (rows[i] + (a > b ? a : b) > top)
            top = rows[i] + (a > b ? a : b);
        if (out != UINT64_MAX && rows[i] + out < low)
            low = rows[i] + out;
    }
    return top > low ? top - low : 0;
}

/* The most that m other nodes may take off the sum. */
static wide most_loss (const struct hub *look, uint64_t m, uint64_t gap,
                       uint32_t hops)
{
    return (wide)m * gap + (wide)m * m * 2 * (look->radius + hops);
}

/* How many nodes are nearer than a radius on one side of a line through the
 * centre, and so many coordinates beyond it. */
static uint32_t count_half (const struct plane *plane, const struct hub *look,
                            uint32_t radius, enum half half, int64_t margin)
{
    return ball_rows_within (&plane->rows[half / 2], look->at, radius,
                             half % 2 ? -margin : -FAR,
                             half % 2 ? FAR : margin);
}

/* The same of the k nearest. */
static uint32_t count_taken (const struct plane *plane,
                             const struct hub *look, enum half half,
                             int64_t margin)
{
    int a = half / 2;
    int64_t n = look->left[a] + look->right[a] + 1, sum = 0;
    int64_t from = half % 2 ? look->left[a] - margin : 0;
    int64_t to = half % 2 ? n - 1 : look->left[a] + margin;
    for (int64_t i = from < 0 ? 0 : from; i <= to && i < n; i++)
        sum += plane->histogram[a][i];
    return (uint32_t)sum;
}

static void count_halves (const struct plane *plane, struct hub *look)
{
    for (int half = 0; half < HALVES; half++)
        look->halves[half] =
            count_half (plane, look, look->radius + 1, half, 0);
}

/* How many of the k may be others. In a plane turned by 45 degrees a ball is a
 * square. One that has moved lacks two of its sides and has two new ones; and
 * nodes at the radius may be taken that were not. Up to two sides of the
 * square are on one side of a line of the machine through the centre, but for
 * their ends. */
static uint64_t most_others (const struct plane *plane,
                             const struct hub *look, uint32_t hops)
{
    uint32_t inner = hops > look->radius ? 0 : look->radius + 1 - hops;
    uint32_t most = 0;
    for (int half = 0; half < HALVES; half++) {
        uint32_t go = count_taken (plane, look, half, hops / 2)
                      - count_half (plane, look, inner, half, hops / 2);
        uint32_t come =
            count_half (plane, look, look->radius + hops + 1, half, 0)
            - look->halves[half] + look->within - plane->k;
        most = go > most ? go : most;
        most = come > most ? come : most;
    }
    return most;
}

/* Distances are as on a line no farther than this many hops away. */
static uint32_t hops_limit (const struct plane *plane, const struct hub *look)
{
    uint32_t limit = 256;
    for (int a = 0; a < 2; a++) {
        const struct ball_axis *axis = &plane->space->axes[a];
        uint32_t half = axis->size / 2;
        if (axis->wraps && half < 2 * (uint64_t)look->radius + 2 * limit)
            limit = half < 2 * (uint64_t)look->radius
                        ? 0
                        : (half - 2 * look->radius) / 2;
    }
    return limit;
}

/* All centres within so many hops of one have higher sums than the least. The
 * first guess is that there are as many nodes at every distance as at the
 * radius. */
static uint32_t hopeless_hops (struct plane *plane, struct hub *look)
{
    uint64_t spare = look->sum - plane->least, gap;
    uint64_t shell = look->within - look->nearer;
    uint32_t hops = hops_limit (plane, look);
    if (hops == 0 || most_loss (look, shell / 2, 0, 1) >= spare)
        return 0;
    gap = star_gap (plane, look);
    while (hops > 0
           && most_loss (look, shell * (2 * hops + 1) / 4, gap, hops)
                  >= spare)
        hops = hops * 7 / 8;
    if (hops > 0)
        count_halves (plane, look);
    while (hops > 0
           && most_loss (look, most_others (plane, look, hops), gap, hops)
                  >= spare)
        hops = hops * 3 / 4;
    return hops;
}

/* Close a piece of a row of centres; coordinates may go round a ring. */
static void close_piece (struct plane *plane, uint32_t row, int64_t from,
                         int64_t to)
{
    const struct ball_axis *axes = plane->space->axes;
    uint64_t base = (uint64_t)row * axes[0].stride;
    int64_t size = axes[1].size;
    if (axes[1].wraps && from < 0)
        bits_clear_range (plane->open, base + (uint64_t)(from + size),
                          (uint64_t)-from);
    if (axes[1].wraps && to >= size)
        bits_clear_range (plane->open, base, (uint64_t)(to - size + 1));
    from = from < 0 ? 0 : from;
    to = to >= size ? size - 1 : to;
    bits_clear_range (plane->open, base + (uint64_t)from,
                      (uint64_t)(to - from + 1));
}

static void close_around (struct plane *plane, const struct hub *look,
                          uint32_t hops)
{
    const struct ball_axis *axis = &plane->space->axes[0];
    int64_t left = ball_left (axis, look->at[0], hops);
    int64_t right = ball_right (axis, look->at[0], hops);
    for (int64_t i = -left; i <= right; i++) {
        int64_t rest = hops - ball_hops (i);
        close_piece (plane, ball_at (axis, look->at[0], i),
                     look->at[1] - rest, look->at[1] + rest);
    }
}

/* ---- runs of centres whose balls are free ---- */

/* Whether all nodes within the radius of the centres of a row from one
 * coordinate to another are free, and none of them is beyond an edge or round
 * a ring along the row. */
static bool is_run_free (const struct plane *plane, const struct hub *look,
                         int64_t from, int64_t to)
{
    const struct ball_axis *axes = plane->space->axes;
    int64_t left = ball_left (&axes[0], look->at[0], look->radius);
    int64_t right = ball_right (&axes[0], look->at[0], look->radius);
    if (from < look->radius || to + look->radius >= axes[1].size)
        return false;
    for (int64_t i = -left; i <= right; i++) {
        uint32_t row = ball_at (&axes[0], look->at[0], i);
        const uint32_t *sums = ball_rows_sums (&plane->rows[0], row);
        int64_t rest = look->radius - ball_hops (i);
        if (sums[to + rest + 1] - sums[from - rest]
            != (uint64_t)(to - from + 2 * rest + 1))
            return false;
    }
    return true;
}

/* How far such a run goes beyond the centre, in steps of this sign. */
static int64_t run_length (const struct plane *plane, const struct hub *look,
                           int sign)
{
    int64_t at = look->at[1], length = 0, step = 1;
    while (step > 0) {
        int64_t end = at + sign * (length + step);
        if (is_run_free (plane, look, sign < 0 ? end : at,
                         sign < 0 ? at : end)) {
            length += step;
            step *= 2;
        } else {
            step /= 2;
        }
    }
    return length;
}

/* The first of the centres beside this one that have the same ball. The others
 * are closed. */
static uint32_t first_of_run (struct plane *plane, const struct hub *look)
{
    uint32_t stride = plane->space->axes[0].stride;
    int64_t from = look->at[1], to = from;
    if (is_run_free (plane, look, from, to)) {
        from -= run_length (plane, look, -1);
        to += run_length (plane, look, 1);
        close_piece (plane, look->at[0], from, to);
    }
    from += (int64_t)look->at[0] * stride;
    while (!bits_test (plane->centres, (uint64_t)from))
        from++;
    return (uint32_t)from;
}

/* ---- all centres ---- */

static void try_centre (struct plane *plane, uint32_t x, uint32_t y)
{
    struct hub look = {.at = {x, y}};
    uint32_t first;
    plane->tries++;
    weigh_nearest (plane, &look);
    bits_clear (plane->open, (uint64_t)x * plane->space->axes[0].stride + y);
    first = first_of_run (plane, &look);
    if (look.sum < plane->least
        || (look.sum == plane->least && first < plane->best)) {
        plane->least = look.sum;
        plane->best = first;
    }
    if (look.sum > plane->least)
        close_around (plane, &look, hopeless_hops (plane, &look));
}

/* A coarse lattice of centres first, then finer ones: so a low sum is soon
 * known, and the centres that are closed by one are mostly not those closed by
 * the next. False if the lattice of every fourth node each way takes more
 * tries than are allowed. */
static bool try_centres (struct plane *plane, uint32_t most)
{
    const struct ball_axis *axes = plane->space->axes;
    for (uint32_t step = 64; step > 0; step /= 2) {
        for (uint32_t x = 0; x < axes[0].size; x += step)
            for (uint32_t y = 0; y < axes[1].size; y += step)
                if (bits_test (plane->open, (uint64_t)x * axes[0].stride + y))
                    try_centre (plane, x, y);
        if (step == 4 && plane->tries > most)
            return false;
    }
    return true;
}

int ball_plane_find (const struct ball_space *space,
                     const uint64_t *free_nodes, uint32_t k,
                     const uint64_t *centres, uint32_t most,
                     uint32_t *ret_centre, tori_error *err)
{
    struct plane plane = {
        .space = space, .centres = centres, .k = k, .guess = 1,
        .least = UINT64_MAX, .best = NONE};
    int status = init_plane (&plane, free_nodes, err);
    if (status == 0 && try_centres (&plane, most)) {
        *ret_centre = plane.best;
        status = 1;
    }
    clear_plane (&plane);
    return status;
}
