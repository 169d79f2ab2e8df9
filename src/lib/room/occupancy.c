#include "occupancy.h"

#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "bits.h"
#include "boxscan.h"
#include "folding.h"
#include "marks.h"
#include "placement.h"
#include "sized.h"

enum { DEFAULT_STEPS = 1 << 20 };

int room_configure (const tori_room_config *config,
                    tori_room_config *ret_config, tori_error *err)
{
    tori_room_config own = {.size = sizeof own};
    if (config && SIZED_COPY (tori_room_config, &own, config, err) < 0)
        return -1;
    if (own.flags & ~(uint64_t)TORI_ROOM_LIVE)
        return tori_error_set (err, TORI_INVALID, "there is no flag %llu",
                               (unsigned long long)own.flags);
    if (own.steps == 0)
        own.steps = DEFAULT_STEPS;
    if (own.moves == 0)
        own.moves = UINT64_MAX;
    *ret_config = own;
    return 0;
}

int room_alloc (const tori_machine *machine, const char *name,
                const tori_room_config *config, tori_alloc **ret_alloc,
                tori_error *err)
{
    return machine->apart ? tori_alloc_create (
               machine, TORI_ALLOC ("cube-best", .slices = config->slices),
               ret_alloc, err)
                          : tori_alloc_create (machine, TORI_ALLOC (name),
                                               ret_alloc, err);
}

int room_check (const tori_machine *machine, const tori_request *request,
                const tori_room_config *config, tori_request *ret_own,
                tori_error *err)
{
    const char *name = request->shape.ndims ? "first-fit" : "mm", *why;
    tori_alloc *alloc;
    if (request_check (request, err) < 0)
        return -1;
    if (tori_request_nodes (request) == 0)
        return tori_error_set (err, TORI_INVALID, "no nodes asked for");
    if (room_alloc (machine, name, config, &alloc, err) < 0)
        return -1;
    why = tori_alloc_impossible (alloc, request);
    tori_alloc_destroy (alloc);
    if (why)
        return tori_error_set (err, TORI_NEVER, "%s", why);
    *ret_own = *request;
    return request->flags && !folding_straight (machine, request, ret_own);
}

/* ---- owners ---- */

/* Mark the nodes of a job as its own: they must be busy, and without an
 * owner. */
static int settle_job (struct occupancy *ground, uint32_t job, uint32_t *nodes,
                       tori_error *err)
{
    const tori_placement *place = ground->job[job].place;
    tori_placement_nodes (place, ground->machine, nodes);
    for (uint32_t i = 0; i < place->count; i++) {
        if (!tori_state_is_busy (ground->state, nodes[i]))
            return tori_error_set (err, TORI_INVALID,
                                   "job %u of the list does not hold its "
                                   "nodes",
                                   job);
        if (ground->owner[nodes[i]] != NO_OWNER)
            return tori_error_set (err, TORI_INVALID,
                                   "jobs %u and %u of the list hold the same "
                                   "node",
                                   ground->owner[nodes[i]], job);
        ground->owner[nodes[i]] = job;
    }
    return 0;
}

static int check_job (const struct occupancy *ground, uint32_t job,
                      tori_error *err)
{
    const tori_placement *place = ground->job[job].place;
    if (placement_check (place, ground->machine, err) < 0)
        return -1;
    if (!placement_links_taken (place, ground->state))
        return tori_error_set (err, TORI_INVALID,
                               "job %u of the list does not hold its links",
                               job);
    return 0;
}

static int settle_all (struct occupancy *ground, tori_error *err)
{
    uint32_t *nodes = malloc (ground->machine->nodes * sizeof *nodes);
    int status = nodes ? 0 : tori_error_nomem (err);
    memset (ground->owner, 0xff,
            ground->machine->nodes * sizeof *ground->owner);
    for (uint32_t j = 0; j < ground->n && status == 0; j++) {
        const tori_placement *place = ground->job[j].place;
        status = check_job (ground, j, err);
        if (status == 0)
            status = settle_job (ground, j, nodes, err);
        ground->weight[j] = place->count;
        ground->stays[j] = ground->job[j].stays;
        if (place->nboxes > 0 && place->wiring != TORI_WIRE_NONE
            && state_links_matter (ground->state))
            ground->wired[ground->nwired++] = j;
    }
    free (nodes);
    return status;
}

static int make_lists (struct occupancy *ground, tori_error *err)
{
    size_t n = ground->n + (size_t)1;
    ground->owner = malloc (ground->machine->nodes * sizeof *ground->owner);
    ground->weight = calloc (n, sizeof *ground->weight);
    ground->off = calloc (n, sizeof *ground->off);
    ground->stays = calloc (n, sizeof *ground->stays);
    ground->wired = calloc (n, sizeof *ground->wired);
    ground->seen = calloc (n, sizeof *ground->seen);
    ground->found = calloc (n, sizeof *ground->found);
    ground->shut =
        calloc (bits_words (ground->machine->nodes), sizeof *ground->shut);
    if (!ground->owner || !ground->weight || !ground->off || !ground->stays
        || !ground->wired || !ground->seen || !ground->found || !ground->shut)
        return tori_error_nomem (err);
    return 0;
}

int occupancy_open (struct occupancy *ground, const tori_state *state,
                    const tori_room_job jobs[], size_t n, tori_error *err)
{
    *ground = (struct occupancy){
        .machine = tori_state_machine (state), .job = jobs, .n = (uint32_t)n};
    if (n >= NO_OWNER)
        return tori_error_set (err, TORI_INVALID, "too many jobs");
    if (make_lists (ground, err) < 0
        || (!ground->machine->apart
            && boxscan_create (ground->machine, &ground->scan, err) < 0)
        || tori_state_create (ground->machine, &ground->state, err) < 0
        || tori_state_copy (ground->state, state, err) < 0)
        return -1;
    if (ground->scan)
        boxscan_by_rule (ground->scan, true);
    return settle_all (ground, err);
}

void occupancy_close (struct occupancy *ground)
{
    tori_state_destroy (ground->state);
    boxscan_destroy (ground->scan);
    free (ground->owner);
    free (ground->weight);
    free (ground->off);
    free (ground->stays);
    free (ground->wired);
    free (ground->seen);
    free (ground->found);
    free (ground->shut);
    *ground = (struct occupancy){0};
}

/* ---- off and on ---- */

void occupancy_take_off (struct occupancy *ground, uint32_t job)
{
    placement_unblock (ground->job[job].place, ground->state);
    ground->off[job] = true;
}

/* This does not use hold, because a job may have had nodes that are
 * drained. */
int occupancy_put_back (struct occupancy *ground, uint32_t job,
                        tori_error *err)
{
    ground->off[job] = false;
    return placement_block (ground->job[job].place, ground->state, err);
}

static bool is_lifted (const struct occupancy *ground, uint32_t job,
                       uint64_t most)
{
    return !ground->off[job] && !ground->stays[job]
           && ground->weight[job] <= most;
}

uint32_t occupancy_lift (struct occupancy *ground, uint64_t most)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < ground->n; j++)
        if (is_lifted (ground, j, most)) {
            placement_unblock (ground->job[j].place, ground->state);
            n++;
        }
    return n;
}

int occupancy_lower (struct occupancy *ground, uint64_t most, tori_error *err)
{
    for (uint32_t j = 0; j < ground->n; j++)
        if (is_lifted (ground, j, most)
            && placement_block (ground->job[j].place, ground->state, err) < 0)
            return -1;
    return 0;
}

/* ---- bars ---- */

int state_bar (tori_state *state, const uint64_t *barred, uint64_t *shut,
               tori_error *err)
{
    for (uint32_t i = 0; barred && i < state->machine->nodes; i++)
        if (bits_test (barred, i)
            && !(state->drained && bits_test (state->drained, i))) {
            if (tori_state_set_drained (state, i, true, err) < 0) {
                state_unbar (state, shut);
                return -1;
            }
            bits_set (shut, i);
        }
    return 0;
}

void state_unbar (tori_state *state, uint64_t *shut)
{
    for (size_t word = 0; word < state->words; word++)
        for (; shut[word]; shut[word] &= shut[word] - 1) {
            unsigned bit = (unsigned)__builtin_ctzll (shut[word]);
            (void)tori_state_set_drained (state, (uint32_t)(64 * word + bit),
                                          false, NULL);
        }
}

int occupancy_bar (struct occupancy *ground, const uint64_t *barred,
                   tori_error *err)
{
    state_unbar (ground->state, ground->shut);
    return state_bar (ground->state, barred, ground->shut, err);
}

/* ---- places ---- */

struct walk_rows {
    occupancy_fn *visit;
    void *arg;
    int inner; /* the dimension along which origins are in a row */
};

static bool walk_row (void *arg, const tori_box *box, uint64_t origins)
{
    const struct walk_rows *walk = arg;
    tori_box one = *box;
    for (; origins; origins &= origins - 1) {
        one.origin[walk->inner] =
            box->origin[walk->inner] + (uint32_t)__builtin_ctzll (origins);
        if (walk->visit (walk->arg, &one))
            return true;
    }
    return false;
}

int occupancy_each (struct occupancy *ground, const tori_request *request,
                    occupancy_fn *visit, void *arg, tori_error *err)
{
    struct walk_rows walk = {visit, arg, ground->machine->shape.ndims - 1};
    while (walk.inner > 0 && ground->machine->shape.size[walk.inner] == 1)
        walk.inner--;
    return boxscan_each (ground->scan, ground->state, request, walk_row, &walk,
                         err);
}

tori_request occupancy_request (const struct occupancy *ground, uint32_t job)
{
    const tori_room_job *of = &ground->job[job];
    return (tori_request){.count = of->place->count,
                          .shape = of->place->box.shape,
                          .wiring = of->place->wiring,
                          .fixed = of->fixed /* as rings of some are */
                                   || of->place->wiring > TORI_WIRE_TORUS,
                          .wrap = of->wrap};
}

/* ---- jobs in the way ---- */

/* Count a job in, once. */
static void meet_job (struct occupancy *ground, uint32_t job,
                      struct toll *toll)
{
    if (ground->seen[job] == ground->question || ground->off[job])
        return;
    ground->seen[job] = ground->question;
    ground->found[toll->jobs++] = job;
    if (__builtin_add_overflow (toll->weight, ground->weight[job],
                                &toll->weight))
        toll->weight = UINT64_MAX;
}

static bool meet_nodes (struct occupancy *ground, const tori_box *box,
                        uint64_t most, struct toll *toll)
{
    struct runs runs = runs_of_box (ground->machine, box);
    uint64_t first, count;
    while (runs_next (&runs, &first, &count)) {
        uint32_t last = NO_OWNER;
        for (uint64_t i = first; i < first + count; i++)
            if (ground->owner[i] != last) {
                last = ground->owner[i];
                if (last != NO_OWNER)
                    meet_job (ground, last, toll);
            }
        if (toll->weight > most)
            return false;
    }
    return true;
}

/* Whether two boxes may be on the same line: they overlap in all dimensions
 * but one at most. */
static bool in_line (const tori_machine *machine, const tori_box *a,
                     const tori_box *b)
{
    int apart = 0;
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t S = machine->shape.size[d];
        uint32_t x = a->origin[d], y = b->origin[d];
        uint32_t xy = y >= x ? y - x : y + S - x;
        uint32_t yx = x >= y ? x - y : x + S - y;
        if (xy >= a->shape.size[d] && yx >= b->shape.size[d] && ++apart > 1)
            return false;
    }
    return true;
}

static bool shares_link (const struct occupancy *ground, const tori_box *box,
                         tori_wiring wiring, const tori_placement *place)
{
    tori_placement target = placement_of_box (box, wiring);
    tori_link link;
    if (placement_lists_of (place, &target, ground->machine))
        return true;
    if (wiring < TORI_WIRE_TORUS && place->wiring < TORI_WIRE_TORUS)
        return false; /* no rings */
    for (size_t i = 0; i < place->nboxes; i++) {
        const tori_box *other = tori_placement_box (place, i);
        if (in_line (ground->machine, box, other)
            && tori_wiring_conflict (ground->machine, box, wiring, other,
                                     place->wiring, &link))
            return true;
    }
    return false;
}

static bool meet_links (struct occupancy *ground, const tori_box *box,
                        tori_wiring wiring, uint64_t most, struct toll *toll)
{
    for (uint32_t i = 0; i < ground->nwired; i++) {
        uint32_t job = ground->wired[i];
        if (ground->off[job] || ground->stays[job]
            || ground->seen[job] == ground->question
            || !shares_link (ground, box, wiring, ground->job[job].place))
            continue;
        meet_job (ground, job, toll);
        if (toll->weight > most)
            return false;
    }
    return true;
}

bool occupancy_toll (struct occupancy *ground, const tori_box *box,
                     tori_wiring wiring, uint64_t most, struct toll *ret_toll)
{
    *ret_toll = (struct toll){0};
    if (++ground->question == 0) { /* begin again: none was seen */
        memset (ground->seen, 0, ground->n * sizeof *ground->seen);
        ground->question = 1;
    }
    return meet_nodes (ground, box, most, ret_toll)
           && (wiring == TORI_WIRE_NONE
               || meet_links (ground, box, wiring, most, ret_toll));
}
