/* fluid.c - jobs and their phases as flows: begins and ends. Rates are in
 * share.c. */
#include <stdlib.h>
#include <string.h>

#include <tori/fluid.h>

#include "alarm.h"
#include "array.h"
#include "ends.h"
#include "share.h"
#include "steps.h"
#include "usage.h"
#include "sized.h"

/* The part of a tick that may be missing without waiting for it. */
#define NEARLY (1.0 / 16)
#define NONE UINT32_MAX

struct fluid_job {
    uint32_t *nodes;
    uint32_t *coords; /* by rank, and after them the parity of their sum */
    uint32_t n;
    int pattern;
    uint64_t seed;
    uint64_t phase, phases; /* of all rounds */
    uint64_t message;       /* 0: by time */
    int64_t time;
    uint64_t weight;        /* of all phases, and of those before this one */
    uint64_t weight_before;
    uint32_t pending;       /* messages of this phase */
    int64_t ready;          /* when they have been received */
    uint64_t tag;
    uint64_t serial;        /* in the order of their starts */
    uint32_t next;          /* of those not in use, or of those that ended */
};

struct flow {
    uint32_t job;
    uint32_t src, dst;
    uint32_t hops;
    double left; /* at time `since` */
    double rate;
    int64_t since;
    uint32_t place; /* in the list of flows under way */
};

struct tori_fluid {
    const tori_machine *machine;
    tori_fluid_config config;
    struct share *share;
    uint32_t cap; /* of a flow, by its nodes and links */
    int64_t now;
    uint64_t events;
    bool stale; /* rates: flows have come or gone */
    bool ways;  /* all messages have ways out of and into their nodes */
    uint32_t *guests; /* jobs, by node */

    struct flow *flows; /* by the numbers of share */
    size_t flow_room;
    uint32_t *under_way;
    size_t nflows, way_room;
    struct ends ends;

    struct fluid_job *jobs;
    size_t njobs, job_room;
    uint32_t free_job;
    uint64_t started;
    struct alarms phase_ends;
    uint32_t ended; /* jobs that are to be reported, by serial */

    uint32_t *targets, *received; /* by rank */
    size_t rank_room, received_room;
    uint32_t *route;
};

/* ---- links ---- */

/* After the links between nodes come a way out of and into each node. They
 * count if several messages can meet there: if jobs share nodes, and in a
 * phase in which some node receives more than one. */
static uint32_t way_out (const tori_machine *machine, uint32_t node)
{
    return (uint32_t)usage_bits (machine) + 2 * node;
}

static uint32_t way_in (const tori_machine *machine, uint32_t node)
{
    return way_out (machine, node) + 1;
}

/* The coordinates of a rank, by dimension. */
static uint32_t *coords_of (const tori_fluid *fluid,
                            const struct fluid_job *job, uint32_t rank)
{
    return job->coords
           + (size_t)rank * ((size_t)fluid->machine->shape.ndims + 1);
}

/* The links of a message between two ranks; returns how many. */
static size_t find_route (const tori_fluid *fluid, const struct fluid_job *job,
                          uint32_t src, uint32_t dst)
{
    const tori_machine *machine = fluid->machine;
    const uint32_t *from = coords_of (fluid, job, src);
    const uint32_t *to = coords_of (fluid, job, dst);
    uint32_t ndims = (uint32_t)machine->shape.ndims, at = job->nodes[src];
    uint32_t *link = fluid->route;
    for (uint32_t d = 0; d < ndims; d++) {
        uint32_t c = from[d], t = to[d], size = machine->shape.size[d];
        uint32_t stride = machine->stride[d];
        bool up;
        if (c == t)
            continue;
        up = goes_up (machine, (int)d, c, t, from[ndims] != to[ndims]);
        at -= c * stride;
        for (; c != t; c = ring_next (size, c, up))
            *link++ = ((at + c * stride) * ndims + d) * 2 + !up;
        at += t * stride;
    }
    return (size_t)(link - fluid->route);
}

/* ---- making and releasing ---- */

static int make_share (tori_fluid *fluid, tori_error *err)
{
    size_t between = (size_t)usage_bits (fluid->machine);
    size_t n = between + 2 * (size_t)fluid->machine->nodes;
    uint32_t *capacity = malloc (n * sizeof *capacity);
    int status;
    if (!capacity)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++)
        capacity[i] = i < between ? fluid->config.link : fluid->config.node;
    status = share_create (capacity, n, &fluid->share, err);
    free (capacity);
    return status;
}

int tori_fluid_create (const tori_machine *machine,
                       const tori_fluid_config *config, tori_fluid **ret_fluid,
                       tori_error *err)
{
    tori_fluid_config own = {.size = sizeof own};
    tori_fluid *fluid;
    size_t longest = 2;
    if ((config && SIZED_COPY (tori_fluid_config, &own, config, err) < 0)
        || grid_check (machine, "a network", err) < 0)
        return -1;
    if (machine->nodes > UINT32_C (1) << 24
        || usage_bits (machine) + 2 * (uint64_t)machine->nodes > UINT32_MAX)
        return tori_error_set (err, TORI_INVALID,
                               "too many nodes for a network: more than 2^24");
    fluid = calloc (1, sizeof *fluid);
    if (!fluid)
        return tori_error_nomem (err);
    fluid->machine = machine;
    fluid->config = own;
    if (fluid->config.link == 0)
        fluid->config.link = 1;
    if (fluid->config.node == 0)
        fluid->config.node = 1;
    fluid->cap = fluid->config.link < fluid->config.node ? fluid->config.link
                                                         : fluid->config.node;
    fluid->free_job = fluid->ended = NONE;
    for (int d = 0; d < machine->shape.ndims; d++)
        longest += machine->shape.size[d];
    fluid->route = malloc (longest * sizeof *fluid->route);
    fluid->guests = calloc (machine->nodes, sizeof *fluid->guests);
    if (!fluid->route || !fluid->guests || make_share (fluid, err) < 0) {
        tori_fluid_destroy (fluid);
        return tori_error_nomem (err);
    }
    *ret_fluid = fluid;
    return 0;
}

void tori_fluid_destroy (tori_fluid *fluid)
{
    if (!fluid)
        return;
    for (size_t i = 0; i < fluid->njobs; i++) {
        free (fluid->jobs[i].nodes);
        free (fluid->jobs[i].coords);
    }
    share_destroy (fluid->share);
    ends_clear (&fluid->ends);
    alarms_clear (&fluid->phase_ends);
    free (fluid->flows);
    free (fluid->under_way);
    free (fluid->jobs);
    free (fluid->targets);
    free (fluid->received);
    free (fluid->route);
    free (fluid->guests);
    free (fluid);
}

int64_t tori_fluid_time (const tori_fluid *fluid)
{
    return fluid->now;
}

/* ---- flows ---- */

static double left_now (const tori_fluid *fluid, const struct flow *flow)
{
    double left =
        flow->left - flow->rate * (double)(fluid->now - flow->since);
    return left > 0 ? left : 0;
}

/* The first tick at which it is through. */
static int64_t end_of (const struct flow *flow)
{
    double wait = flow->left / flow->rate - NEARLY;
    int64_t ticks;
    if (wait <= 0)
        return flow->since;
    if (wait >= (double)(INT64_MAX / 2))
        return INT64_MAX / 2;
    ticks = (int64_t)wait;
    return flow->since + ticks + ((double)ticks < wait);
}

static int reserve_flow (tori_fluid *fluid, uint32_t number, tori_error *err)
{
    struct flow *flows = array_room (fluid->flows, &fluid->flow_room,
                                     (size_t)number + 1, sizeof *flows);
    uint32_t *under_way;
    if (!flows)
        return tori_error_nomem (err);
    fluid->flows = flows;
    under_way = array_room (fluid->under_way, &fluid->way_room,
                            fluid->nflows + 1, sizeof *under_way);
    if (!under_way)
        return tori_error_nomem (err);
    fluid->under_way = under_way;
    return ends_reserve (&fluid->ends, number, err);
}

/* A message is limited by its nodes, too. */
static int add_ways (tori_fluid *fluid, uint32_t number, tori_error *err)
{
    const struct flow *flow = &fluid->flows[number];
    uint32_t ways[] = {way_out (fluid->machine, flow->src),
                       way_in (fluid->machine, flow->dst)};
    uint32_t has = fluid->share->flows[number].nlinks - flow->hops;
    for (; has < 2; has++)
        if (share_extend (fluid->share, number, ways[has], err) < 0)
            return -1;
    return 0;
}

/* A message between two ranks. */
static int add_flow (tori_fluid *fluid, uint32_t job, uint32_t src,
                     uint32_t dst, double amount, tori_error *err)
{
    size_t n = find_route (fluid, &fluid->jobs[job], src, dst);
    uint32_t number = 0;
    if (share_add (fluid->share, fluid->route, n, fluid->cap, &number, err) < 0
        || reserve_flow (fluid, number, err) < 0)
        return -1;
    fluid->flows[number] = (struct flow){
        .job = job,
        .src = fluid->jobs[job].nodes[src],
        .dst = fluid->jobs[job].nodes[dst],
        .hops = (uint32_t)n,
        .left = amount,
        .since = fluid->now,
        .place = (uint32_t)fluid->nflows,
    };
    fluid->under_way[fluid->nflows++] = number;
    fluid->jobs[job].pending++;
    fluid->events++;
    fluid->stale = true;
    return 0;
}

/* A message is through. */
static int remove_flow (void *arg, uint32_t number, tori_error *err)
{
    tori_fluid *fluid = arg;
    struct flow *flow = &fluid->flows[number];
    struct fluid_job *job = &fluid->jobs[flow->job];
    int64_t received =
        fluid->now + (int64_t)flow->hops * fluid->config.latency;
    uint32_t last = fluid->under_way[--fluid->nflows];
    if (share_remove (fluid->share, number, err) < 0)
        return -1;
    fluid->under_way[flow->place] = last;
    fluid->flows[last].place = flow->place;
    fluid->events++;
    fluid->stale = true;
    if (received > job->ready)
        job->ready = received;
    if (--job->pending == 0)
        alarms_set (&fluid->phase_ends, flow->job, job->ready);
    return 0;
}

/* Make rates fair again, and set the ends by them. */
static int refresh_rates (tori_fluid *fluid, tori_error *err)
{
    const struct share_list *changed = &fluid->share->changed;
    if (!fluid->stale)
        return 0;
    if (share_fill (fluid->share, err) < 0)
        return -1;
    for (size_t i = 0; i < changed->n; i++) {
        uint32_t number = changed->item[i];
        struct flow *flow = &fluid->flows[number];
        flow->left = left_now (fluid, flow);
        flow->since = fluid->now;
        flow->rate = fluid->share->flows[number].rate;
        ends_set (&fluid->ends, number, end_of (flow));
    }
    fluid->stale = false;
    return 0;
}

/* ---- phases ---- */

static int rank_arrays (tori_fluid *fluid, uint32_t n, tori_error *err)
{
    uint32_t *more =
        array_room (fluid->targets, &fluid->rank_room, n, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    fluid->targets = more;
    more = array_room (fluid->received, &fluid->received_room, n,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    fluid->received = more;
    return 0;
}

/* The targets of a phase, and how many messages the busiest rank receives. */
static uint32_t plan_phase (tori_fluid *fluid, const struct fluid_job *job,
                            uint64_t phase)
{
    uint32_t most = 0;
    tori_pattern_targets (job->pattern, job->n, phase, job->seed,
                          fluid->targets);
    memset (fluid->received, 0, job->n * sizeof *fluid->received);
    for (uint32_t r = 0; r < job->n; r++) {
        uint32_t to = fluid->targets[r];
        if (to != r && ++fluid->received[to] > most)
            most = fluid->received[to];
    }
    return most;
}

/* The part of a job's time that is over after this part of its weight. */
static int64_t time_at (const struct fluid_job *job, uint64_t weight)
{
    __extension__ typedef unsigned __int128 wide;
    return (int64_t)((wide)job->time * weight / job->weight);
}

/* The size of each message of the next phase. */
static double next_amount (const tori_fluid *fluid, struct fluid_job *job,
                           uint32_t most)
{
    uint64_t before = job->weight_before;
    int64_t ticks;
    if (job->message > 0)
        return (double)job->message;
    job->weight_before += most;
    if (most == 0)
        return 0;
    ticks = time_at (job, job->weight_before) - time_at (job, before);
    return (double)ticks * fluid->config.node / most;
}

/* `most` is the number of messages that one rank receives. */
static int send_phase (tori_fluid *fluid, uint32_t number, double amount,
                       uint32_t most, tori_error *err)
{
    const struct fluid_job *job = &fluid->jobs[number];
    for (uint32_t r = 0; r < job->n; r++) {
        if (fluid->targets[r] == r)
            continue;
        if (add_flow (fluid, number, r, fluid->targets[r], amount, err) < 0
            || ((most > 1 || fluid->ways)
                && add_ways (fluid, fluid->under_way[fluid->nflows - 1], err)
                       < 0))
            return -1;
    }
    return 0;
}

/* Jobs that have ended are reported in the order of their starts. */
static void end_job (tori_fluid *fluid, uint32_t number)
{
    uint32_t *link = &fluid->ended;
    while (*link != NONE
           && fluid->jobs[*link].serial < fluid->jobs[number].serial)
        link = &fluid->jobs[*link].next;
    fluid->jobs[number].next = *link;
    *link = number;
}

/* Go on with a job: its next phase that has messages, or its end. */
static int next_phase (tori_fluid *fluid, uint32_t number, tori_error *err)
{
    struct fluid_job *job = &fluid->jobs[number];
    if (rank_arrays (fluid, job->n, err) < 0)
        return -1;
    while (job->phase < job->phases) {
        uint32_t most = plan_phase (fluid, job, job->phase++);
        double amount = next_amount (fluid, job, most);
        if (most > 0 && amount > 0) {
            job->ready = fluid->now;
            return send_phase (fluid, number, amount, most, err);
        }
    }
    end_job (fluid, number);
    return 0;
}

/* ---- jobs ---- */

static int take_job (tori_fluid *fluid, uint32_t *ret_number, tori_error *err)
{
    struct fluid_job *more;
    if (fluid->free_job != NONE) {
        *ret_number = fluid->free_job;
        fluid->free_job = fluid->jobs[fluid->free_job].next;
        return 0;
    }
    if (alarms_reserve (&fluid->phase_ends, (uint32_t)fluid->njobs, err) < 0)
        return -1;
    more = array_room (fluid->jobs, &fluid->job_room, fluid->njobs + 1,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    fluid->jobs = more;
    more[fluid->njobs] = (struct fluid_job){0};
    *ret_number = (uint32_t)fluid->njobs++;
    return 0;
}

static void release_job (tori_fluid *fluid, uint32_t number)
{
    struct fluid_job *job = &fluid->jobs[number];
    free (job->nodes);
    free (job->coords);
    *job = (struct fluid_job){.next = fluid->free_job};
    fluid->free_job = number;
}

static int place_ranks (tori_fluid *fluid, struct fluid_job *job,
                        const uint32_t nodes[], tori_error *err)
{
    size_t ndims = (size_t)fluid->machine->shape.ndims;
    job->nodes = malloc (job->n * sizeof *job->nodes);
    job->coords = calloc (job->n, (ndims + 1) * sizeof *job->coords);
    if (!job->nodes || !job->coords)
        return tori_error_nomem (err);
    memcpy (job->nodes, nodes, job->n * sizeof *nodes);
    for (uint32_t r = 0; r < job->n; r++) {
        uint32_t *coords = coords_of (fluid, job, r);
        tori_machine_coords (fluid->machine, nodes[r], coords);
        for (size_t d = 0; d < ndims; d++)
            coords[ndims] ^= coords[d] & 1;
    }
    return 0;
}

/* Visit all phases once to know the share of each in the time. */
static int weigh_phases (tori_fluid *fluid, struct fluid_job *job,
                         tori_error *err)
{
    if (job->message > 0)
        return 0;
    if (rank_arrays (fluid, job->n, err) < 0)
        return -1;
    for (uint64_t p = 0; p < job->phases; p++)
        job->weight += plan_phase (fluid, job, p);
    return 0;
}

static int check_job (const tori_fluid *fluid, const tori_fluid_job *job,
                      tori_error *err)
{
    if (job->n == 0)
        return tori_error_set (err, TORI_INVALID, "a job without nodes");
    if (job->time < 0)
        return tori_error_set (err, TORI_INVALID, "a time below 0");
    if (job->pattern < 0 || !tori_pattern_list ((size_t)job->pattern))
        return tori_error_set (err, TORI_INVALID, "no such pattern");
    for (uint32_t i = 0; i < job->n; i++)
        if (job->nodes[i] >= fluid->machine->nodes)
            return tori_error_set (err, TORI_INVALID,
                                   "node %lu of a machine of %lu nodes",
                                   (unsigned long)job->nodes[i],
                                   (unsigned long)fluid->machine->nodes);
    return 0;
}

/* Jobs that share nodes share what these can send. */
static int add_guests (tori_fluid *fluid, const struct fluid_job *job,
                       tori_error *err)
{
    bool shared = false;
    for (uint32_t i = 0; i < job->n; i++)
        shared |= fluid->guests[job->nodes[i]] > 0;
    for (size_t i = 0; i < fluid->nflows && shared && !fluid->ways; i++)
        if (add_ways (fluid, fluid->under_way[i], err) < 0)
            return -1;
    fluid->ways |= shared;
    for (uint32_t i = 0; i < job->n; i++)
        fluid->guests[job->nodes[i]]++;
    return 0;
}

int tori_fluid_start (tori_fluid *fluid, const tori_fluid_job *asked,
                      uint64_t tag, tori_error *err)
{
    uint32_t number = 0;
    struct fluid_job *job;
    if (check_job (fluid, asked, err) < 0
        || take_job (fluid, &number, err) < 0)
        return -1;
    job = &fluid->jobs[number];
    *job = (struct fluid_job){
        .n = asked->n,
        .pattern = asked->pattern,
        .seed = asked->seed,
        .phases = tori_pattern_phases (asked->pattern, asked->n)
                  * (asked->rounds ? asked->rounds : 1),
        .message = asked->message,
        .time = asked->time,
        .tag = tag,
        .serial = fluid->started,
    };
    if (place_ranks (fluid, job, asked->nodes, err) < 0
        || weigh_phases (fluid, job, err) < 0
        || add_guests (fluid, job, err) < 0) {
        release_job (fluid, number);
        return -1;
    }
    fluid->started++;
    job->ready = fluid->now;
    if (job->message == 0 && job->weight == 0)
        job->ready = fluid->now + job->time;
    alarms_set (&fluid->phase_ends, number, job->ready);
    return 0;
}

/* ---- time ---- */

static int64_t next_time (const tori_fluid *fluid)
{
    int64_t flow = ends_next (&fluid->ends);
    int64_t phase = alarms_next (&fluid->phase_ends);
    return flow < phase ? flow : phase;
}

/* All that ends at the present time, before rates are looked at again. */
static int pass_ends (tori_fluid *fluid, tori_error *err)
{
    if (ends_next (&fluid->ends) == fluid->now
        && ends_take (&fluid->ends, remove_flow, fluid, err) < 0)
        return -1;
    while (alarms_next (&fluid->phase_ends) == fluid->now) {
        uint32_t number = alarms_first (&fluid->phase_ends);
        alarms_drop (&fluid->phase_ends, number);
        if (next_phase (fluid, number, err) < 0)
            return -1;
    }
    return refresh_rates (fluid, err);
}

/* The first of the jobs that have ended; returns its tag. */
static uint64_t take_ended (tori_fluid *fluid)
{
    uint32_t number = fluid->ended;
    uint64_t tag = fluid->jobs[number].tag;
    fluid->ended = fluid->jobs[number].next;
    for (uint32_t i = 0; i < fluid->jobs[number].n; i++)
        fluid->guests[fluid->jobs[number].nodes[i]]--;
    release_job (fluid, number);
    return tag;
}

int tori_fluid_run (tori_fluid *fluid, int64_t until, uint64_t *ret_tag,
                    tori_error *err)
{
    while (fluid->ended == NONE) {
        int64_t next = next_time (fluid);
        if (next > until || next == INT64_MAX) {
            if (until < INT64_MAX)
                fluid->now = until;
            return 0;
        }
        fluid->now = next;
        if (pass_ends (fluid, err) < 0)
            return -1;
    }
    *ret_tag = take_ended (fluid);
    return 1;
}

size_t tori_fluid_flows (const tori_fluid *fluid)
{
    return fluid->nflows;
}

uint64_t tori_fluid_events (const tori_fluid *fluid)
{
    return fluid->events;
}

bool tori_fluid_flow_at (const tori_fluid *fluid, size_t i,
                         tori_fluid_flow *ret_flow)
{
    const struct flow *flow;
    if (i >= fluid->nflows)
        return false;
    flow = &fluid->flows[fluid->under_way[i]];
    *ret_flow = (tori_fluid_flow){
        .src = flow->src,
        .dst = flow->dst,
        .tag = fluid->jobs[flow->job].tag,
        .rate = flow->rate,
        .left = left_now (fluid, flow),
    };
    return true;
}
