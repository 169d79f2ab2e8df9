#include "traffic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "targets.h"
#include "sized.h"

/* ---- requirements for a job ---- */

static int check_nodes (tori_net *net, const tori_traffic_job *job,
                        uint32_t number, tori_error *err)
{
    uint32_t nodes = tori_machine_nodes (tori_net_machine (net));
    if (job->n == 0)
        return tori_error_set (err, TORI_INVALID,
                               "job %" PRIu32 " has no nodes", number);
    for (uint32_t i = 0; i < job->n; i++) {
        if (job->nodes[i] >= nodes || tori_net_job (net, job->nodes[i]) != 0)
            return tori_error_set (err, TORI_INVALID,
                                   "job %" PRIu32 ": node %" PRIu32
                                   " is not of the machine, or there twice",
                                   number, job->nodes[i]);
        if (tori_net_assign (net, number, &job->nodes[i], 1, err) < 0)
            return -1;
    }
    return 0;
}

static int check_pattern (const tori_traffic_job *job, uint32_t number,
                          tori_error *err)
{
    const tori_shape *shape = job->shape;
    if (shape
        && (shape->ndims < 1 || shape->ndims > TORI_MAX_DIMS
            || tori_shape_volume (shape) != job->n))
        return tori_error_set (err, TORI_INVALID,
                               "job %" PRIu32 ": its nodes are not as many as "
                               "a box of its shape has",
                               number);
    if (job->pattern == TORI_TRAFFIC_NEIGHBOUR && !shape)
        return tori_error_set (err, TORI_INVALID,
                               "job %" PRIu32 ": only the nodes of a box have "
                               "neighbours",
                               number);
    if (job->pattern < TORI_TRAFFIC_LIST
        || (job->pattern >= 0 && !tori_pattern_list ((size_t)job->pattern)))
        return tori_error_set (err, TORI_INVALID,
                               "job %" PRIu32 ": no such pattern", number);
    return 0;
}

static bool is_of (const tori_net *net, uint32_t node, uint32_t number)
{
    return node < tori_machine_nodes (tori_net_machine (net))
           && tori_net_job (net, node) == number;
}

static int check_list (const tori_net *net, const tori_traffic_job *job,
                       uint32_t number, tori_error *err)
{
    for (size_t i = 0; i < job->nlist; i++) {
        const tori_traffic_message *m = &job->list[i];
        if (!is_of (net, m->src, number) || !is_of (net, m->dst, number)
            || m->flits == 0 || (i > 0 && m->time < job->list[i - 1].time))
            return tori_error_set (err, TORI_INVALID,
                                   "job %" PRIu32 ": message %zu is empty, "
                                   "not between its nodes, or before the one "
                                   "in front of it",
                                   number, i + 1);
    }
    return 0;
}

/* ---- the run ---- */

static void run_close (struct traffic_run *run)
{
    for (size_t i = 0; run->players && i < run->config->njobs; i++) {
        free (run->players[i].target);
        free (run->players[i].turn);
        sample_clear (&run->players[i].latency);
    }
    free (run->players);
    free (run->links);
    tori_net_destroy (run->net);
}

static int open_player (struct traffic_run *run, size_t i, tori_error *err)
{
    struct player *player = &run->players[i];
    const tori_traffic_job *job = &run->config->jobs[i];
    player->job = job;
    player->number = (uint32_t)i + 1;
    player->flits = job->flits ? job->flits : 1;
    if (check_nodes (run->net, job, player->number, err) < 0
        || check_pattern (job, player->number, err) < 0
        || check_list (run->net, job, player->number, err) < 0)
        return -1;
    player->phases = targets_phases (job);
    return 0;
}

static int run_open (const tori_traffic_config *config,
                     struct traffic_run *run, tori_error *err)
{
    *run = (struct traffic_run){.config = config, .end = UINT64_MAX};
    if (tori_net_create (config->machine, config->net, &run->net, err) < 0)
        return -1;
    run->nlinks = tori_net_links (run->net);
    run->links = calloc (run->nlinks + 1, sizeof *run->links);
    run->players = calloc (config->njobs + 1, sizeof *run->players);
    if (!run->links || !run->players)
        return tori_error_nomem (err);
    for (size_t i = 0; i < config->njobs; i++)
        if (open_player (run, i, err) < 0)
            return -1;
    return 0;
}

/* ---- the result ---- */

static double ratio_of (double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Whether messages that are sent do not come out and pile up, or some of them
 * do, so that messages take longer and longer. */
static bool is_saturated (const struct player *player, uint64_t measured)
{
    uint64_t out = player->flits_out, sent = player->flits_sent;
    uint64_t room = (uint64_t)player->job->n * player->flits;
    return player->pending > 0
           || (100 * out < 95 * sent && sent - out > room)
           || growth_is_real (&player->growth, player->flits, measured);
}

static void sum_up (const struct traffic_run *run, struct player *player,
                    uint64_t measured, tori_traffic_outcome *to)
{
    bool open = run->config->rate > 0;
    double messages = (double)player->latency.n;
    double room = (double)player->job->n
                  * (double)(open ? measured : player->finish);
    *to = (tori_traffic_outcome){
        .messages = player->latency.n,
        .flits = player->flits_done,
        .waited = ratio_of ((double)player->waited, messages),
        .blocked = ratio_of ((double)player->blocked, messages),
        .hops = ratio_of ((double)player->hops, messages),
        .offered = ratio_of ((double)player->flits_sent, room),
        .accepted = ratio_of (
            (double)(open ? player->flits_out : player->flits_done), room),
        .finish = player->finish,
        .saturated = open && is_saturated (player, measured),
        .unfinished = player->cut};
    sample_sum_up (&player->latency, &to->latency);
}

static int make_result (struct traffic_run *run,
                        tori_traffic_result *ret_result, tori_error *err)
{
    size_t n = run->config->njobs;
    tori_traffic_result result = {.njobs = n, .nlinks = run->nlinks};
    result.jobs = calloc (n + 1, sizeof *result.jobs);
    if (!result.jobs)
        return tori_error_nomem (err);
    result.cycles = tori_net_time (run->net);
    result.measured =
        run->config->rate > 0 ? run->end - run->begin : result.cycles;
    result.flit_hops = run->hops_before + tori_net_flit_hops (run->net);
    for (size_t i = 0; i < n; i++)
        sum_up (run, &run->players[i], result.measured, &result.jobs[i]);
    result.links = run->links;
    run->links = NULL;
    *ret_result = result;
    return 0;
}

int tori_traffic_run (const tori_traffic_config *config,
                      tori_traffic_result *ret_result, tori_error *err)
{
    struct traffic_run run;
    tori_traffic_config own;
    int status;
    if (SIZED_COPY (tori_traffic_config, &own, config, err) < 0)
        return -1;
    if (!(own.rate >= 0))
        return tori_error_set (err, TORI_INVALID,
                               "a rate of %g flits per node and cycle: "
                               "expected 0 or more",
                               own.rate);
    status = run_open (&own, &run, err);
    if (status == 0)
        status = own.rate > 0 ? open_run (&run, err)
                                  : closed_run (&run, err);
    if (status == 0)
        status = make_result (&run, ret_result, err);
    run_close (&run);
    return status;
}

void tori_traffic_clear (tori_traffic_result *result)
{
    if (!result)
        return;
    free (result->jobs);
    free (result->links);
    *result = (tori_traffic_result){0};
}
