#include "naive_room.h"

#include <stdlib.h>
#include <string.h>

enum { REQUEST = 1000 };

tori_request naive_job_request (const tori_room_job *job)
{
    tori_request request = {.count = job->place->count,
                            .fixed = job->fixed,
                            .wrap = job->wrap};
    if (job->place->nboxes) {
        request.shape = job->place->box.shape;
        request.wiring = job->place->wiring;
    }
    return request;
}

static bool spend (struct naive_room *room)
{
    room->left -= room->left > 0;
    return room->left > 0;
}

/* ---- places ---- */

bool naive_may_go (const struct naive *naive, const uint64_t *barred,
                   const tori_placement *place)
{
    for (uint32_t i = 0; barred && i < naive->n; i++)
        if (barred[i / 64] >> i % 64 & 1
            && tori_placement_contains (place, naive->machine, i))
            return false;
    return true;
}

/* Whether a box is to be had: by the rule, or around links that are down. */
static bool will_do (const struct naive *naive, const tori_box *box,
                     tori_wiring wiring, const uint64_t *barred, bool around)
{
    return naive_box_free (naive, box)
           && (around ? naive_can_wire : naive_wirable) (naive, box, wiring)
           && naive_may_go (naive, barred,
                            &(tori_placement){.nboxes = 1, .box = *box});
}

static bool request_fits (const struct naive_room *room, bool around)
{
    struct naive_boxes boxes = naive_boxes_of (room->naive, room->request);
    bool fits = false;
    tori_box box;
    while (!fits && naive_boxes_next (&boxes, &box))
        fits = will_do (room->naive, &box, room->request->wiring,
                        room->barred, around);
    free (boxes.rotations);
    return fits;
}

/* ---- sets of nodes ---- */

/* Step to the next k-subset of the free nodes: `pick` holds k numbers below n
 * in ascending order. */
static bool next_subset (uint32_t pick[], uint32_t k, uint32_t n)
{
    for (uint32_t i = k; i-- > 0;)
        if (pick[i] < n - (k - i)) {
            pick[i]++;
            for (uint32_t j = i + 1; j < k; j++)
                pick[j] = pick[j - 1] + 1;
            return true;
        }
    return false;
}

static uint32_t free_nodes (const struct naive *naive, const uint64_t *barred,
                            uint32_t ids[])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < naive->n; i++)
        if (naive_is_free (naive, i)
            && !(barred && barred[i / 64] >> i % 64 & 1)) {
            if (ids)
                ids[n] = i;
            n++;
        }
    return n;
}

/* ---- all at once ---- */

static bool pack (struct naive_room *room, unsigned set);

/* In every place of a request that is free, go on with the others. */
static bool pack_in (struct naive_room *room, const tori_request *request,
                     const uint64_t *barred, int owner, unsigned rest)
{
    struct naive_boxes boxes = naive_boxes_of (room->naive, request);
    bool done = false;
    tori_box box;
    while (!done && naive_boxes_next (&boxes, &box) && spend (room)) {
        if (!will_do (room->naive, &box, request->wiring, barred, false))
            continue;
        naive_hold (room->naive, &box, request->wiring, owner);
        done = pack (room, rest);
        naive_release (room->naive, owner);
    }
    free (boxes.rotations);
    return done;
}

/* Whether all jobs of a set have a place: those of lists, any nodes. */
static bool pack (struct naive_room *room, unsigned set)
{
    uint32_t loose = 0;
    for (size_t j = 0; j < room->n; j++) {
        tori_request request = naive_job_request (&room->job[j]);
        if (!(set >> j & 1))
            continue;
        if (request.shape.ndims)
            return pack_in (room, &request, room->job[j].barred, (int)j,
                            set & ~(1u << j));
        loose += request.count;
    }
    return loose <= naive_free_count (room->naive);
}

/* ---- one after another ---- */

static bool follow (struct naive_room *room, unsigned set);

static bool follow_box (struct naive_room *room, size_t j, unsigned rest)
{
    tori_request request = naive_job_request (&room->job[j]);
    struct naive_boxes boxes = naive_boxes_of (room->naive, &request);
    bool done = false;
    tori_box box;
    while (!done && naive_boxes_next (&boxes, &box) && spend (room)) {
        if (!will_do (room->naive, &box, request.wiring, room->job[j].barred,
                      false))
            continue;
        naive_hold (room->naive, &box, request.wiring, (int)j);
        done = follow (room, rest);
        naive_release (room->naive, (int)j);
    }
    free (boxes.rotations);
    return done;
}

static bool follow_list (struct naive_room *room, size_t j, unsigned rest)
{
    uint32_t *ids = make_array (room->naive->n, sizeof *ids);
    uint32_t *pick = make_array (room->naive->n, sizeof *pick);
    uint32_t n = free_nodes (room->naive, room->job[j].barred, ids);
    uint32_t k = room->job[j].place->count;
    bool done = false, more = k <= n;
    for (uint32_t i = 0; i < k; i++)
        pick[i] = i;
    for (; !done && more && spend (room); more = next_subset (pick, k, n)) {
        for (uint32_t i = 0; i < k; i++)
            room->naive->nodes[ids[pick[i]]].owner = (int)j;
        done = follow (room, rest);
        naive_release (room->naive, (int)j);
    }
    free (ids);
    free (pick);
    return done;
}

/* Whether the jobs of a set can move in some order, so that the request fits
 * in the end. */
static bool follow (struct naive_room *room, unsigned set)
{
    bool done = false;
    if (set == 0)
        return request_fits (room, false);
    for (size_t j = 0; j < room->n && !done; j++) {
        unsigned rest = set & ~(1u << j);
        if (rest == set)
            continue;
        naive_release (room->naive, (int)j);
        done = room->job[j].place->nboxes ? follow_box (room, j, rest)
                                          : follow_list (room, j, rest);
        naive_hold_place (room->naive, room->job[j].place, (int)j, true);
    }
    return done;
}

/* ---- every set ---- */

static void lift (struct naive_room *room, unsigned set)
{
    for (size_t j = 0; j < room->n; j++)
        if (set >> j & 1)
            naive_release (room->naive, (int)j);
}

static void lower (struct naive_room *room, unsigned set)
{
    for (size_t j = 0; j < room->n; j++)
        if (set >> j & 1)
            naive_hold_place (room->naive, room->job[j].place, (int)j, true);
}

static bool moves_help (struct naive_room *room, unsigned set)
{
    bool helps;
    if (set == 0 && room->request->shape.ndims && request_fits (room, true))
        return true;
    if (room->live)
        return follow (room, set);
    lift (room, set);
    helps = pack_in (room, room->request, room->barred, REQUEST, set);
    lower (room, set);
    return helps;
}

static bool ends_help (struct naive_room *room, unsigned set)
{
    bool helps;
    lift (room, set);
    helps = room->request->shape.ndims
                ? request_fits (room, false)
                : free_nodes (room->naive, room->barred, NULL)
                      >= room->request->count;
    lower (room, set);
    return helps;
}

static bool cheaper (const struct naive_least *a, const struct naive_least *b)
{
    return a->weight != b->weight ? a->weight < b->weight : a->jobs < b->jobs;
}

/* The cost of a set; false if one of it has to stay. */
static bool price (const struct naive_room *room, unsigned set, bool by_work,
                   struct naive_least *ret_cost)
{
    *ret_cost = (struct naive_least){.found = true};
    for (size_t j = 0; j < room->n; j++)
        if (set >> j & 1) {
            if (room->job[j].stays)
                return false;
            ret_cost->weight += by_work ? room->job[j].work
                                        : room->job[j].place->count;
            ret_cost->jobs++;
        }
    return true;
}

static bool search (struct naive_room *room, bool by_work,
                    bool (*helps) (struct naive_room *room, unsigned set),
                    struct naive_least *ret_least)
{
    struct naive_least least = {0}, cost;
    for (unsigned set = 0; set < 1u << room->n; set++)
        if (price (room, set, by_work, &cost) && cost.jobs <= room->moves
            && (!least.found || cheaper (&cost, &least))
            && helps (room, set))
            least = cost;
    *ret_least = least;
    return room->left > 0;
}

bool naive_moves (struct naive_room *room, struct naive_least *ret_least)
{
    return search (room, false, moves_help, ret_least);
}

bool naive_victims (struct naive_room *room, struct naive_least *ret_least)
{
    return search (room, true, ends_help, ret_least);
}

/* ---- repair ---- */

static uint64_t count_new (const struct naive *naive, const tori_box *box,
                           const tori_box *old)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < naive->n; i++)
        n += naive_contains (naive->machine, box, i)
             && !naive_contains (naive->machine, old, i);
    return n;
}

bool naive_shift (struct naive_room *room, tori_placement *ret_place,
                  uint64_t *ret_new)
{
    tori_request request = naive_job_request (&room->job[0]);
    struct naive_boxes boxes = naive_boxes_of (room->naive, &request);
    uint64_t least = UINT64_MAX;
    tori_box box, best;
    lift (room, 1);
    while (naive_boxes_next (&boxes, &box)) {
        uint64_t n = count_new (room->naive, &box, &room->job[0].place->box);
        if (n >= least
            || !will_do (room->naive, &box, request.wiring,
                         room->job[0].barred, true))
            continue;
        least = n;
        best = box;
        *ret_new = n;
    }
    if (least < UINT64_MAX)
        assert_true (
            naive_wire (room->naive, &best, request.wiring, ret_place));
    lower (room, 1);
    free (boxes.rotations);
    return least < UINT64_MAX;
}

static uint64_t sum_pairs (const tori_machine *machine, const uint32_t ids[],
                           uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            sum += tori_machine_distance (machine, ids[i], ids[j]);
    return sum;
}

uint64_t naive_sum (const tori_machine *machine, const tori_placement *place)
{
    return sum_pairs (machine, place->nodes, place->count);
}

bool naive_patch (struct naive_room *room, uint64_t *ret_sum)
{
    const tori_placement *place = room->job[0].place;
    uint32_t *ids = make_array (room->naive->n, sizeof *ids);
    uint32_t *pick = make_array (room->naive->n, sizeof *pick);
    uint32_t *all = make_array (place->count, sizeof *all);
    uint32_t n = free_nodes (room->naive, room->job[0].barred, ids);
    uint32_t kept = 0, k;
    uint64_t least = UINT64_MAX;
    bool more;
    for (uint32_t i = 0; i < place->count; i++)
        if (!room->naive->nodes[place->nodes[i]].down)
            all[kept++] = place->nodes[i];
    k = place->count - kept;
    for (uint32_t i = 0; i < k && k <= n; i++)
        pick[i] = i;
    for (more = k <= n; more; more = next_subset (pick, k, n)) {
        uint64_t sum;
        for (uint32_t i = 0; i < k; i++)
            all[kept + i] = ids[pick[i]];
        sum = sum_pairs (room->naive->machine, all, place->count);
        least = sum < least ? sum : least;
    }
    free (ids);
    free (pick);
    free (all);
    *ret_sum = least;
    return least < UINT64_MAX;
}
