#include "rank_parts.h"

#include <string.h>
#include <unistd.h>

#include "front.h"

/* How often to ask for the time, and after how many answers to report to the
 * first rank. */
enum { PERIOD = 250000000, TOLD_EVERY = 4 };

/* The time never goes back: a clock that was ahead stands still until it is
 * right. */
int64_t rank_now (struct rank *rank)
{
    int64_t now = runclock_agreed (&rank->clock, clock_now ());
    if (now > rank->latest)
        rank->latest = now;
    return rank->latest;
}

static bool share_clock (const struct rank *rank, uint32_t a, uint32_t b)
{
    return !strcmp (rank->card[a].clock, rank->card[b].clock);
}

/* The rank above: the host of the node above the highest that is here. */
static uint32_t find_rank_above (const struct rank *rank)
{
    for (uint32_t i = 1; i < rank->nodes; i++) {
        tori_gang_place place;
        if (rank->host[i] != rank->self)
            continue;
        tori_gang_tree_place (rank->tree, i, &place);
        return rank->host[place.parent];
    }
    return 0;
}

int64_t clock_step (struct rank *rank)
{
    struct wire wire = {.kind = WIRE_TICK};
    int64_t now = clock_now ();
    if (share_clock (rank, rank->self, 0))
        return INT64_MAX;
    if (now >= rank->ask) {
        rank->ask = now + PERIOD;
        wire.time[0] = clock_now ();
        rank_send (rank, find_rank_above (rank), &wire, NULL);
    }
    return runclock_agreed (&rank->clock, rank->ask);
}

void clock_tell (struct rank *rank, const struct wire *wire, const char *data)
{
    const struct runclock_state *state = &rank->clock.state;
    unsigned char sent[PACKED_MOST];
    struct wire told = {.kind = WIRE_TOCK,
                        .bytes = (uint32_t)packed_size (PACKED_CLOCK),
                        .time = {wire->time[0], 0, state->error}};
    packed_write (PACKED_CLOCK, state, sent);
    told.time[1] = runclock_agreed (&rank->clock, clock_now ());
    rank_send (rank, wire->from, &told, sent);
}

static void report_clock (struct rank *rank)
{
    struct clock_report known
        = {rank->clock.state, rank->clock.jumps, rank->self};
    struct wire wire = {.kind = WIRE_CLOCK,
                        .bytes = (uint32_t)packed_size (PACKED_REPORT)};
    unsigned char sent[PACKED_MOST];
    known.state.offset = runclock_agreed (&rank->clock, known.state.at)
                         - known.state.at;
    packed_write (PACKED_REPORT, &known, sent);
    rank_send (rank, 0, &wire, sent);
}

void clock_learn (struct rank *rank, const struct wire *wire, const char *data)
{
    struct runclock_state state;
    int64_t jump = 0;
    if (!packed_get (data, wire->bytes, PACKED_CLOCK, 0, &state))
        return;
    if (share_clock (rank, rank->self, wire->from))
        runclock_adopt (&rank->clock, &state);
    else
        jump = runclock_learn (&rank->clock, wire->time[0], clock_now (),
                               wire->time[1], wire->time[2]);
    if (jump)
        dprintf (STDERR_FILENO,
                 "tori: the clock of rank %u on %s has jumped by %.6f s\n",
                 rank->self, rank->card[rank->self].host,
                 -(double)jump / 1e9);
    if (rank->told++ % TOLD_EVERY == 0 || jump)
        report_clock (rank);
}
