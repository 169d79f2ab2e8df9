/* exact_level.c - what is settled round a ring by how far points are from the
 * chosen ones.
 *
 * Let g be twice the sum of the distances of a point from the chosen points.
 * In a best set, p chosen and q left out, g (q) - g (p) is at least twice
 * their distance: else they would be exchanged, as the sum would fall by half
 * of what is missing. So q is farther than p, if they are not at one place;
 * the chosen points are the k nearest.
 *
 * A near point of rank r is inside the cuts before r. Up to what is the same
 * for all points, its g is the sum of length (k - 2 n) over those, and with n
 * in a range so is that: E (r) lies between two running sums. For a far point
 * it is E (end) - E (r). Take half of E (end) off: opposite points then have
 * opposite values, and of every point there is a least and a most.
 *
 * The k-th least of what the points have at most is a limit: k points are not
 * beyond it, so no chosen one is. What has more at least is left out. Likewise
 * the next after the k-th least of what they have at least: no point that is
 * left out is below that.
 *
 * Two points differ by the cuts between them only, so for two points more is
 * known. Once some are settled, a point that is surely nearer than a chosen
 * one, by less than which it would be exchanged, is chosen, and one that is
 * farther than one left out is left out. How much farther is a difference of
 * two terms, of one point each, with one formula for those of lower ranks and
 * one for those of higher: so the greatest of all is found by passing over the
 * ranks up and down, and comparing all points with all takes O(n).
 */
#include "exact.h"

/* ---- the k nearest ---- */

/* E (r), from and to. */
static void sum_levels (struct search *search, const struct node *node)
{
    amount *from = search->ahead, *to = search->behind, k = search->k;
    from[0] = to[0] = 0;
    for (uint32_t c = 0; c < search->cuts.ncuts; c++) {
        amount length = search->cuts.length[c];
        from[c + 1] = from[c] + length * (k - 2 * (amount)node->high[c]);
        to[c + 1] = to[c] + length * (k - 2 * (amount)node->low[c]);
    }
}

/* Twice what a point has, at least or at most, less E (end). */
static amount level_of (const struct search *search, uint32_t point,
                        bool at_most)
{
    const struct axis *axis = &search->cuts.axes[0];
    bool far = axis->far[point];
    const amount *a = at_most != far ? search->behind : search->ahead;
    const amount *b = at_most != far ? search->ahead : search->behind;
    uint32_t rank = axis->rank[point];
    amount level = a[rank] - (b[axis->count] - b[rank]);
    return far ? -level : level;
}

/* The level that so many points come before. */
static amount find_level (struct search *search, uint32_t many, bool at_most)
{
    for (uint32_t i = 0; i < search->cuts.n; i++) {
        uint32_t point = search->sides.round[i];
        search->offers[i] = (struct offer){level_of (search, point, at_most),
                                           point};
    }
    offers_sort (search->offers, search->cuts.n, search->room);
    return search->offers[many].price;
}

static void settle_levels (struct search *search, struct node *node,
                           bool *changed)
{
    amount highest, lowest;
    sum_levels (search, node);
    highest = find_level (search, search->k - 1, true);
    lowest = find_level (search, search->k, false);
    for (uint32_t i = 0; i < search->cuts.n; i++) {
        bool beyond, below;
        if (node->marks[i] != OPEN)
            continue;
        beyond = level_of (search, i, false) > highest;
        below = level_of (search, i, true) < lowest;
        if (beyond || below) {
            node->marks[i] = beyond ? LEFT : CHOSEN;
            *changed = true;
        }
    }
}

/* ---- points at one place ---- */

static void settle (struct node *node, uint32_t point, uint8_t mark,
                    bool *changed)
{
    if (node->marks[point] != OPEN)
        return;
    node->marks[point] = mark;
    *changed = true;
}

/* How many of the points of a rank are chosen, near ones or far ones. Of those
 * at one place what comes first goes first, as in the set that comes first. */
struct share {
    int64_t least, most;
};

static struct share share_of (const struct search *search,
                              const struct node *node, uint32_t rank, bool far)
{
    const struct sides *sides = &search->sides;
    struct share share = {0, INT64_MAX};
    int64_t at = 0;
    for (uint32_t i = sides->start[rank]; i < sides->start[rank + 1]; i++) {
        uint32_t point = sides->order[i];
        if (search->cuts.axes[0].far[point] != far)
            continue;
        if (node->marks[point] == LEFT && at < share.most)
            share.most = at;
        at++;
        if (node->marks[point] == CHOSEN)
            share.least = at;
    }
    share.most = share.most < at ? share.most : at;
    return share;
}

/* As many more near ones than far ones are chosen as there are fewer inside
 * the cut behind the rank than inside the one before. Before the first is the
 * last, from its other side. */
static struct share leaving (const struct search *search,
                             const struct node *node, uint32_t rank)
{
    uint32_t last = search->cuts.ncuts - 1, k = search->k;
    int64_t low = rank ? node->low[rank - 1] : k - node->high[last];
    int64_t high = rank ? node->high[rank - 1] : k - node->low[last];
    return (struct share){low - (int64_t)node->high[rank],
                          high - (int64_t)node->low[rank]};
}

static void settle_share (struct search *search, struct node *node,
                          uint32_t rank, bool far, struct share share,
                          bool *changed)
{
    const struct sides *sides = &search->sides;
    int64_t at = 0;
    for (uint32_t i = sides->start[rank]; i < sides->start[rank + 1]; i++) {
        uint32_t point = sides->order[i];
        if (search->cuts.axes[0].far[point] != far)
            continue;
        if (at < share.least)
            settle (node, point, CHOSEN, changed);
        else if (at >= share.most)
            settle (node, point, LEFT, changed);
        at++;
    }
}

static void settle_places (struct search *search, struct node *node,
                           bool *changed)
{
    for (uint32_t rank = 0; rank < search->cuts.ncuts; rank++) {
        struct share near = share_of (search, node, rank, false);
        struct share far = share_of (search, node, rank, true);
        struct share more = leaving (search, node, rank);
        struct share both = {near.least - more.most, near.most - more.least};
        more.least += far.least;
        more.most += far.most;
        settle_share (search, node, rank, false,
                      (struct share){
                          near.least > more.least ? near.least : more.least,
                          near.most < more.most ? near.most : more.most},
                      changed);
        settle_share (search, node, rank, true,
                      (struct share){
                          far.least > both.least ? far.least : both.least,
                          far.most < both.most ? far.most : both.most},
                      changed);
    }
}

/* ---- all against all ---- */

/* Running sums over the cuts: how much a point gets farther at least, and its
 * distance, cut by cut: for a near point up the ranks, and down. */
struct slopes {
    const amount *up, *down;
    uint32_t end;
};

/* The greatest terms of the points with a mark that were passed. */
struct passed {
    amount near_up, near_down; /* up, and -down */
    amount far_up, far_down;   /* -up, and down */
};

static amount greater (amount a, amount b)
{
    return a > b ? a : b;
}

static void pass (struct passed *passed, const struct slopes *slopes,
                  uint32_t rank, bool far)
{
    amount up = slopes->up[rank], down = slopes->down[rank];
    if (far) {
        passed->far_up = greater (passed->far_up, -up);
        passed->far_down = greater (passed->far_down, down);
    } else {
        passed->near_up = greater (passed->near_up, up);
        passed->near_down = greater (passed->near_down, -down);
    }
}

/* How much farther than a point of this rank one of those passed is: they have
 * higher ranks, or its own, or else lower ones. */
static amount farther (const struct passed *passed,
                       const struct slopes *slopes, uint32_t rank, bool far,
                       bool higher)
{
    amount up = slopes->up[rank], down = slopes->down[rank];
    amount all_up = slopes->up[slopes->end];
    amount all_down = slopes->down[slopes->end];
    if (far && higher)
        return greater (passed->far_down - down,
                        passed->near_down + all_down + up);
    if (far)
        return greater (passed->far_up + up,
                        passed->near_up + all_down - down);
    if (higher)
        return greater (passed->near_up - up,
                        passed->far_up + all_up + down);
    return greater (passed->near_down + down, passed->far_down + all_up - up);
}

/* The points of one rank: those that have the mark are passed, or those are
 * settled that one passed is farther than. */
static void pass_rank (struct search *search, const struct node *node,
                       const struct slopes *slopes, uint32_t rank,
                       uint8_t mark, struct passed *passed)
{
    const struct sides *sides = &search->sides;
    for (uint32_t i = sides->start[rank]; i < sides->start[rank + 1]; i++) {
        uint32_t point = sides->order[i];
        if (node->marks[point] == mark)
            pass (passed, slopes, rank, search->cuts.axes[0].far[point]);
    }
}

static bool settle_rank (struct search *search, struct node *node,
                         const struct slopes *slopes, uint32_t rank,
                         uint8_t mark, const struct passed *passed,
                         bool higher)
{
    const struct sides *sides = &search->sides;
    bool changed = false;
    for (uint32_t i = sides->start[rank]; i < sides->start[rank + 1]; i++) {
        uint32_t point = sides->order[i];
        if (node->marks[point] == OPEN
            && farther (passed, slopes, rank, search->cuts.axes[0].far[point],
                        higher)
                   > 0)
            settle (node, point, mark, &changed);
    }
    return changed;
}

static void settle_by_mark (struct search *search, struct node *node,
                            struct slopes slopes, uint8_t mark, bool *changed)
{
    const amount none = -(AMOUNT_MAX / 4);
    const struct passed nobody = {none, none, none, none};
    struct passed passed = nobody;
    for (uint32_t rank = 0; rank <= slopes.end; rank++) {
        *changed |= settle_rank (search, node, &slopes, rank, mark, &passed,
                                 false);
        pass_rank (search, node, &slopes, rank, mark, &passed);
    }
    passed = nobody;
    for (uint32_t rank = slopes.end + 1; rank-- > 0;) {
        pass_rank (search, node, &slopes, rank, mark, &passed);
        *changed |= settle_rank (search, node, &slopes, rank, mark, &passed,
                                 true);
    }
}

/* Choose what some chosen point is farther than. What is left out is the same
 * with the signs changed. */
static void settle_pairs (struct search *search, struct node *node,
                          bool *changed)
{
    uint32_t end = search->cuts.axes[0].count;
    node_slopes (search, node);
    settle_by_mark (search, node,
                    (struct slopes){search->ahead, search->behind, end},
                    CHOSEN, changed);
    settle_by_mark (search, node,
                    (struct slopes){search->behind, search->ahead, end}, LEFT,
                    changed);
}

void sides_settle (struct search *search, struct node *node, bool *changed)
{
    settle_levels (search, node, changed);
    settle_pairs (search, node, changed);
    settle_places (search, node, changed);
}
