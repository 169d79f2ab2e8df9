/* ringbound.c - that neighbours are the best k of n points round a ring.
 *
 * Of k chosen points c are on one side of a diameter; its lead is v = 2c - k,
 * and twice the sum over pairs is the integral of c (k - c) = (k^2 - v^2) / 4
 * over half a turn of the diameter. So the best set has the greatest integral
 * of v^2. Half a turn later the sides have changed places, and v is -v.
 *
 * How often does the lead change its sign? Let g be the sum of the distances
 * of a place from the chosen points. In a best set, g is less at a chosen
 * point than at one left out, if they are not at one place: else they would be
 * exchanged, and the distance of the two is gained besides. Going up the ring,
 * g rises at a rate of -v. So between points left out and chosen points on
 * both sides of them the lead goes from below 0 to above 0. A set that is not
 * neighbours leaves out points in two gaps or more: in a whole turn its lead
 * goes up through 0 twice, and as often down; in half a turn it changes its
 * sign three times, or any odd number more.
 *
 * That costs a lot. Say that v > 0 begins when the diameter passes event s and
 * ends when it passes event e. Then v is at most what can enter from s on,
 * what can leave until e, what all points would lead by, plus those left out,
 * and not k (if only one point is on the other side, or none, there are no
 * three changes; of an even number, two). So is its integral; v < 0 is the
 * same half a turn later. Of the times between changes look at the longest, at
 * every place that it may have, and at all that may be between in the rest of
 * the half turn, each no longer. If all that together is never as much as what
 * neighbours have, they are best. Bounds hold for ranges of s and e as well,
 * so ranges are halved only where need be. An integral costs a search in
 * running sums, and in all the proof is nearly linear, where it succeeds;
 * nearly always it does.
 *
 * Of n places at equal distances, as an idle ring has them, nothing need be
 * looked at. Let x be how many chosen points are among m = n / 2 neighbours,
 * rounded up: of the n different x every one stands for a diameter, and all
 * for as long, so best is the greatest sum of x^2. From one x to the next is a
 * step of 1 at most, the sum of all is k m, and they are from some B, 0 or
 * what the other n - m places cannot hold, to some A, k or m. Let F (j) be how
 * many are j or more: the sum of all F is fixed, that of j F (j) to be
 * greatest. A turn passes each number between the least x and the greatest
 * twice at least, so there F falls by 2 or more from j to j + 1; for
 * neighbours it falls by just 2 everywhere between B and A. So what F is above
 * that of neighbours falls from the least x to the greatest; below, where all
 * x count, it is not less than 0, and above, where none does, not more. It
 * sums up to 0 and changes its sign once, downwards: the sum of j F (j) is no
 * greater, and is as great only if F is the same. Then each number is passed
 * once up and once down, the lead changes its sign once in half a turn, and
 * the set is neighbours.
 */
#include "ring.h"

#include <stdlib.h>

#include "cuts.h"

/* Below which products of counts and lengths fit. */
static const size_t MOST_POINTS = (size_t)1 << 24;

/* The diameter passes points: near ones leave the side, far ones enter it. The
 * counts and integrals are those before the event; `most` is the lead's limit
 * behind it. */
struct event {
    amount at; /* doubled, as in cuts.h */
    int64_t near, far, most;
    amount near_one, near_two; /* the integrals of near, near^2 and so on */
    amount far_one, far_two, most_two;
};

/* Half a turn has `half` events; here are three halves, and one more. */
struct turning {
    size_t half;
    int64_t k, odd;
    amount length, enough; /* what the integral of v^2 is compared with */
    struct event *events;
};

/* ---- the events ---- */

/* Twice the place, on the near half or the far one. */
static amount passed_at (const struct ring *ring, size_t i, bool *ret_far)
{
    amount at = 2 * (amount)ring->places[i].at;
    *ret_far = at >= (amount)ring->length;
    return *ret_far ? at - (amount)ring->length : at;
}

/* How many points are on the near half. */
static size_t count_near (const struct ring *ring)
{
    size_t low = 0, high = ring->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool far;
        passed_at (ring, middle, &far);
        if (far)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The points passed, the near half and the far one merged: an event has its
 * own counts as yet. */
static void merge_halves (const struct ring *ring, struct turning *turning)
{
    size_t near = 0, far = count_near (ring), last_near = far, half = 0;
    while (near < last_near || far < ring->n) {
        struct event *event = &turning->events[half];
        bool is_far;
        amount x = near < last_near ? passed_at (ring, near, &is_far) : -1;
        amount y = far < ring->n ? passed_at (ring, far, &is_far) : -1;
        is_far = x < 0 || (y >= 0 && y < x);
        x = is_far ? y : x;
        if (half == 0 || event[-1].at != x) {
            *event = (struct event){.at = x};
            half++;
        } else {
            event--;
        }
        event->near += !is_far;
        event->far += is_far;
        near += !is_far;
        far += is_far;
    }
    turning->half = half;
}

/* The halves that follow, in which near and far change places. */
static void repeat_halves (struct turning *turning)
{
    size_t half = turning->half;
    for (size_t i = half; i <= 3 * half; i++) {
        const struct event *from = &turning->events[i - half];
        turning->events[i] = (struct event){
            .at = from->at + turning->length,
            .near = from->far,
            .far = from->near,
        };
    }
}

/* Counts become running counts. */
static void add_up_counts (struct turning *turning)
{
    int64_t near = 0, far = 0;
    for (size_t i = 0; i <= 3 * turning->half; i++) {
        struct event *event = &turning->events[i];
        int64_t more_near = event->near, more_far = event->far;
        event->near = near;
        event->far = far;
        near += more_near;
        far += more_far;
    }
}

/* All points lead by 2 (far - near) less what that is half a turn on, half of
 * it; points left out make it more if they are all on the other side. */
static int64_t limit_at (const struct turning *turning, size_t i, int64_t left)
{
    const struct event *end = &turning->events[turning->half];
    const struct event *next = &turning->events[i + 1];
    int64_t most = 2 * (next->far - next->near) - (end->far - end->near)
                   + left;
    int64_t k = turning->k - (turning->odd ? 2 : 4);
    most = most < k ? most : k;
    return most > 0 ? most : 0;
}

static void add_up_integrals (struct turning *turning, int64_t left)
{
    for (size_t i = 0; i < 3 * turning->half; i++) {
        struct event *event = &turning->events[i], *next = event + 1;
        amount gap = next->at - event->at;
        event->most = limit_at (turning, i, left);
        next->near_one = event->near_one + gap * next->near;
        next->near_two = event->near_two + gap * next->near * next->near;
        next->far_one = event->far_one + gap * next->far;
        next->far_two = event->far_two + gap * next->far * next->far;
        next->most_two = event->most_two + gap * event->most * event->most;
    }
}

static int turning_create (const struct ring *ring, wide least,
                           struct turning *ret_turning, tori_error *err)
{
    amount k = (amount)ring->k, length = (amount)ring->length;
    struct turning turning = {
        .k = (int64_t)ring->k,
        .odd = (int64_t)(ring->k % 2),
        .length = length,
        .enough = k * k * length - 8 * ((amount)least - 1),
        .events = malloc ((3 * ring->n + 1) * sizeof *turning.events),
    };
    if (!turning.events)
        return tori_error_nomem (err);
    merge_halves (ring, &turning);
    repeat_halves (&turning);
    add_up_counts (&turning);
    add_up_integrals (&turning, (int64_t)(ring->n - ring->k));
    *ret_turning = turning;
    return 0;
}

/* ---- one time between two changes ---- */

/* Between the first event at which v may become positive and the last at which
 * it may cease to be. */
struct lead {
    const struct event *events;
    size_t first, last;
    int64_t entered, leaving; /* twice the counts that v is limited by */
};

typedef bool behind_fn (const struct lead *lead, size_t event);

static int64_t may_enter (const struct lead *lead, size_t i)
{
    return 2 * lead->events[i + 1].far - lead->entered;
}

static int64_t may_leave (const struct lead *lead, size_t i)
{
    return lead->leaving - 2 * lead->events[i + 1].near;
}

static bool may_be_positive (const struct lead *lead, size_t i)
{
    return may_enter (lead, i) >= 0;
}

static bool enter_more (const struct lead *lead, size_t i)
{
    int64_t enter = may_enter (lead, i);
    return enter > lead->events[i].most || enter > may_leave (lead, i);
}

static bool leave_less (const struct lead *lead, size_t i)
{
    return may_leave (lead, i) <= lead->events[i].most;
}

static bool must_be_negative (const struct lead *lead, size_t i)
{
    return may_leave (lead, i) < 0;
}

/* The first of the events from `low` to `high` from which on it holds. */
static size_t first_behind (const struct lead *lead, behind_fn *holds,
                            size_t low, size_t high)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (holds (lead, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* What the integral of v^2 is at most, if v is positive from event `first` or
 * later to event `last` or sooner. What may enter grows, and what may leave
 * falls, and grows or falls faster than the limit, so each of the three is the
 * least in one piece. */
static amount lead_integral (const struct turning *turning, size_t first,
                             size_t last)
{
    const struct event *e = turning->events;
    struct lead lead = {e, first, last, 2 * e[first].far + turning->odd,
                        2 * e[last + 1].near - (2 - turning->odd)};
    amount in = lead.entered, out = lead.leaving;
    size_t a, b, c, d;
    b = first_behind (&lead, enter_more, first, last);
    a = first_behind (&lead, may_be_positive, first, b);
    c = first_behind (&lead, leave_less, b, last);
    d = first_behind (&lead, must_be_negative, c, last);
    return 4 * (e[b].far_two - e[a].far_two)
           - 4 * in * (e[b].far_one - e[a].far_one)
           + in * in * (e[b].at - e[a].at)
           + (e[c].most_two - e[b].most_two)
           + 4 * (e[d].near_two - e[c].near_two)
           - 4 * out * (e[d].near_one - e[c].near_one)
           + out * out * (e[d].at - e[c].at);
}

/* The same for any signs from event to event, where it changes at both. */
static amount lump_integral (const struct turning *turning, size_t first,
                             size_t last)
{
    const struct event *from = &turning->events[first];
    const struct event *to = &turning->events[last];
    amount near = to[1].near - from->near, far = to[1].far - from->far;
    amount most = 2 * (near < far ? near : far);
    most = most < turning->k ? most : turning->k;
    return most * most * (to->at - from->at);
}

/* ---- the rest of half a turn ---- */

/* The events of half a turn in blocks. For a change in one block and a change
 * so many blocks on: what the integral in between is at most, with one sign,
 * and with any, no sign longer than a limit: length >> class. -1 if that
 * cannot be. */
enum { CLASSES = 6 };

struct blocks {
    const struct turning *turning;
    size_t n;
    amount *lump; /* of changes within a block */
    amount *one;
    amount *any[CLASSES];
};

/* The first event of a block; blocks go on behind the half turn. */
static size_t block_start (const struct blocks *blocks, size_t block)
{
    size_t half = blocks->turning->half, n = blocks->n;
    return block / n * half + block % n * half / n;
}

static size_t block_end (const struct blocks *blocks, size_t block)
{
    return block_start (blocks, block + 1) - 1;
}

static amount *entry (const struct blocks *blocks, amount *table, size_t from,
                      size_t on)
{
    return &table[from % blocks->n * (blocks->n + 1) + on];
}

static void fill_one (struct blocks *blocks)
{
    const struct turning *turning = blocks->turning;
    size_t half = turning->half;
    for (size_t x = 0; x < blocks->n; x++) {
        size_t first = block_start (blocks, x);
        blocks->lump[x] = lump_integral (turning, first,
                                         block_end (blocks, x));
        for (size_t on = 0; on <= blocks->n; on++) {
            size_t last = block_end (blocks, x + on);
            amount up, down;
            last = last < first + half ? last : first + half;
            up = lead_integral (turning, first, last);
            down = lead_integral (turning, first + half, last + half);
            *entry (blocks, blocks->one, x, on)
                = blocks->lump[x] + (up > down ? up : down);
        }
    }
}

/* The best way to go on: to a change in a block behind, then further. */
static amount best_any (const struct blocks *blocks, amount *any, size_t x,
                        size_t on, amount limit)
{
    const struct event *events = blocks->turning->events;
    amount best = on == 0 ? blocks->lump[x] : -1;
    amount end = events[block_end (blocks, x)].at;
    for (size_t z = 1; z <= on; z++) {
        amount rest = *entry (blocks, any, x + z, on - z), sum;
        if (events[block_start (blocks, x + z)].at - end > limit)
            break;
        sum = rest < 0 ? -1 : rest + *entry (blocks, blocks->one, x, z);
        best = sum > best ? sum : best;
    }
    return best;
}

static void fill_any (struct blocks *blocks)
{
    for (int class = 0; class < CLASSES; class ++)
        for (size_t on = 0; on <= blocks->n; on++)
            for (size_t x = 0; x < blocks->n; x++)
                *entry (blocks, blocks->any[class], x, on)
                    = best_any (blocks, blocks->any[class], x, on,
                                blocks->turning->length >> class);
}

static int blocks_create (const struct turning *turning, size_t n,
                          struct blocks *ret_blocks, tori_error *err)
{
    struct blocks blocks = {.turning = turning,
                            .n = n < turning->half ? n : turning->half};
    size_t entries = blocks.n * (blocks.n + 1);
    blocks.lump = malloc ((blocks.n + (CLASSES + 1) * entries)
                          * sizeof *blocks.lump);
    if (!blocks.lump)
        return tori_error_nomem (err);
    blocks.one = blocks.lump + blocks.n;
    for (int class = 0; class < CLASSES; class ++)
        blocks.any[class] = blocks.one + (size_t)(class + 1) * entries;
    fill_one (&blocks);
    fill_any (&blocks);
    *ret_blocks = blocks;
    return 0;
}

static void blocks_clear (struct blocks *blocks)
{
    free (blocks->lump);
}

/* ---- the proof ---- */

/* A lead that begins at one of these events and ends at one of those; what the
 * rest of the half turn may have is known, roughly. */
struct ranges {
    size_t first_low, first_high, last_low, last_high;
    amount rest;
};

/* Half a turn on from the end, and two changes between. */
static bool clip (const struct turning *turning, struct ranges *r)
{
    size_t most = r->first_high + turning->half - 2;
    r->last_high = r->last_high < most ? r->last_high : most;
    if (r->last_low <= r->first_low)
        r->last_low = r->first_low + 1;
    return r->last_low <= r->last_high;
}

/* From the end of the lead to half a turn behind its beginning. */
static amount rest_integral (const struct turning *turning,
                             const struct ranges *r)
{
    size_t half = turning->half;
    amount lump = r->last_low >= half
                      ? lump_integral (turning, r->last_low - half,
                                       r->first_high)
                      : lump_integral (turning, r->last_low,
                                       r->first_high + half);
    return lump < r->rest ? lump : r->rest;
}

static bool is_less (const struct turning *turning, struct ranges r)
{
    struct ranges a, b;
    if (!clip (turning, &r)
        || lead_integral (turning, r.first_low, r.last_high)
                   + rest_integral (turning, &r)
               < turning->enough)
        return true;
    a = b = r;
    if (r.first_high - r.first_low >= r.last_high - r.last_low) {
        a.first_high = r.first_low + (r.first_high - r.first_low) / 2;
        b.first_low = a.first_high + 1;
    } else {
        a.last_high = r.last_low + (r.last_high - r.last_low) / 2;
        b.last_low = a.last_high + 1;
    }
    return r.first_high + r.last_high > r.first_low + r.last_low
           && is_less (turning, a) && is_less (turning, b);
}

/* The same for leads from one block to another, the longest of half a turn. */
static bool block_is_less (const struct blocks *blocks, size_t x, size_t on)
{
    const struct turning *turning = blocks->turning;
    struct ranges r = {block_start (blocks, x), block_end (blocks, x),
                       block_start (blocks, x + on),
                       block_end (blocks, x + on), 0};
    amount longest;
    int class = 0;
    if (!clip (turning, &r))
        return true;
    longest = turning->events[r.last_high].at
              - turning->events[r.first_low].at;
    while (class + 1 < CLASSES && longest <= turning->length >> (class + 1))
        class ++;
    r.rest = *entry (blocks, blocks->any[class], x + on, blocks->n - on);
    if (r.rest < 0)
        return true;
    r.rest += blocks->lump[(x + on) % blocks->n];
    return is_less (turning, r);
}

static int prove (const struct turning *turning, size_t n, tori_error *err)
{
    struct blocks blocks = {0};
    bool less = true;
    if (blocks_create (turning, n, &blocks, err) < 0)
        return -1;
    for (size_t x = 0; x < 2 * blocks.n && less; x++)
        for (size_t on = 0; on <= blocks.n && less; on++)
            less = block_is_less (&blocks, x, on);
    blocks_clear (&blocks);
    return less;
}

/* Few blocks do nearly always. More are slower, however few the points are:
 * they are of use only where branch and bound takes as long. */
static const size_t FEW_BLOCKS = 64, MANY_BLOCKS = 256;
static const size_t MANY_POINTS = 16384;

/* All places of a ring, or every other one, and so on. */
static bool is_regular (const struct ring *ring)
{
    const struct place *places = ring->places;
    uint64_t step = ring->length / ring->n;
    if (ring->length % ring->n != 0)
        return false;
    for (size_t i = 1; i < ring->n; i++)
        if (places[i].at - places[i - 1].at != step)
            return false;
    return true;
}

int ring_bound (const struct ring *ring, wide least, tori_error *err)
{
    struct turning turning;
    int status;
    if (ring->n - ring->k < 2 || ring->k < 3 || is_regular (ring))
        return 1;
    if (ring->n > MOST_POINTS)
        return 0;
    if (turning_create (ring, least, &turning, err) < 0)
        return -1;
    status = turning.half < 3 ? 1 : prove (&turning, FEW_BLOCKS, err);
    if (status == 0 && ring->n >= MANY_POINTS)
        status = prove (&turning, MANY_BLOCKS, err);
    free (turning.events);
    return status;
}
