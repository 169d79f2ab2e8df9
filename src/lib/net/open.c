/* open.c - open traffic: messages begin by chance, whatever becomes of them.
 *
 * A node begins a message in a cycle with a probability q. Over all ranks of a
 * job and all cycles, in this order, these are independent trials; the number
 * of failures between two successes is drawn at once, so that chance costs
 * once a message and not once a node and cycle. */
#include <stdlib.h>
#include <string.h>

#include "targets.h"
#include "traffic.h"

/* Tables of all phases are at most 256 MiB. */
#define MOST_TARGETS (UINT64_C (1) << 26)

static int make_targets (struct traffic_run *run, struct player *player,
                         tori_error *err)
{
    const tori_traffic_job *job = player->job;
    if (player->phases > MOST_TARGETS / job->n)
        return tori_error_set (err, TORI_INVALID,
                               "a pattern with this many phases and nodes "
                               "can only be closed traffic");
    player->target = calloc (player->phases * job->n + 1,
                             sizeof *player->target);
    player->turn = calloc (job->n, sizeof *player->turn);
    if (!player->target || !player->turn)
        return tori_error_nomem (err);
    for (uint64_t phase = 0; phase < player->phases; phase++)
        targets_fill (job, phase, run->config->seed,
                      player->target + phase * job->n);
    return 0;
}

static int start_player (struct traffic_run *run, struct player *player,
                         tori_error *err)
{
    double q = run->config->rate / player->flits;
    if (player->job->pattern == TORI_TRAFFIC_LIST)
        return tori_error_set (err, TORI_INVALID,
                               "a list of messages has no rate");
    if (q > 1)
        return tori_error_set (err, TORI_INVALID,
                               "a rate of %g flits per node and cycle is more "
                               "than a message of %u a cycle",
                               run->config->rate, (unsigned)player->flits);
    rng_seed (&player->rng, run->config->seed, player->number);
    gaps_prepare (&player->gaps, q);
    player->slot = gaps_draw (&player->gaps, &player->rng);
    player->chance =
        player->job->pattern >= 0
        && !strcmp (tori_pattern_list ((size_t)player->job->pattern)->name,
                    "random");
    return player->phases ? make_targets (run, player, err) : 0;
}

/* ---- messages ---- */

static uint32_t next_target (struct player *player, uint32_t rank)
{
    uint32_t n = player->job->n, phase;
    if (player->chance) {
        uint32_t other = (uint32_t)rng_below (&player->rng, n - 1);
        return other + (other >= rank);
    }
    phase = player->turn[rank];
    player->turn[rank] = phase + 1 < player->phases ? phase + 1 : 0;
    return player->target[(size_t)phase * n + rank];
}

/* All messages that a job begins in this cycle. */
static int inject_messages (struct traffic_run *run, struct player *player,
                            tori_error *err)
{
    uint64_t first = tori_net_time (run->net) * player->job->n;
    const uint32_t *nodes = player->job->nodes;
    while (player->slot - first < player->job->n) {
        uint32_t rank = (uint32_t)(player->slot - first);
        uint32_t other = next_target (player, rank);
        if (other != rank
            && run_send (run, player, nodes[rank], nodes[other],
                         player->flits, err)
                   < 0)
            return -1;
        player->slot += 1 + gaps_draw (&player->gaps, &player->rng);
    }
    return 0;
}

/* The cycle in which the next message begins. */
static uint64_t next_cycle (const struct traffic_run *run)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < run->config->njobs; i++) {
        const struct player *player = &run->players[i];
        uint64_t cycle = player->slot / player->job->n;
        if (player->phases && cycle < next)
            next = cycle;
    }
    return next;
}

/* ---- the run ---- */

/* Go on to a cycle, sending in between and not in that cycle itself. */
static int play_until (struct traffic_run *run, uint64_t until, bool drain,
                       tori_error *err)
{
    for (;;) {
        uint64_t next = next_cycle (run), pending = 0;
        tori_net_run (run->net, next < until ? next : until, false);
        run_collect (run);
        for (size_t i = 0; i < run->config->njobs; i++)
            pending += run->players[i].pending;
        if (next >= until || (drain && pending == 0))
            return 0;
        for (size_t i = 0; i < run->config->njobs; i++)
            if (run->players[i].phases
                && inject_messages (run, &run->players[i], err) < 0)
                return -1;
    }
}

static void begin_measuring (struct traffic_run *run)
{
    run->hops_before = tori_net_flit_hops (run->net);
    tori_net_reset_counts (run->net);
}

static void end_measuring (struct traffic_run *run)
{
    run_keep_links (run);
    for (size_t i = 0; i < run->config->njobs; i++) {
        tori_net_stats stats;
        tori_net_job_stats (run->net, run->players[i].number, &stats);
        run->players[i].flits_out = stats.flits_delivered;
    }
}

/* How long to wait for messages that are still under way: in a short run, as
 * long as a message takes that waits for a few others. */
static uint64_t find_patience (const struct traffic_run *run, uint64_t cycles)
{
    uint64_t least = 1000;
    for (size_t i = 0; i < run->config->njobs; i++) {
        uint64_t need = 1000 + 16 * (uint64_t)run->players[i].flits;
        if (need > least)
            least = need;
    }
    return cycles > least ? cycles : least;
}

int open_run (struct traffic_run *run, tori_error *err)
{
    uint64_t cycles = run->config->cycles ? run->config->cycles : 10000;
    run->begin = run->config->warmup;
    run->end = run->begin + cycles;
    for (size_t i = 0; i < run->config->njobs; i++)
        if (start_player (run, &run->players[i], err) < 0)
            return -1;
    if (play_until (run, run->begin, false, err) < 0)
        return -1;
    begin_measuring (run);
    if (play_until (run, run->end, false, err) < 0)
        return -1;
    end_measuring (run);
    return play_until (run, run->end + find_patience (run, cycles), true, err);
}
