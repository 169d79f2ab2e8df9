/* closed.c - closed traffic: a phase begins when the one before it has been
 * delivered. */
#include <stdlib.h>

#include "targets.h"
#include "traffic.h"

static int prepare_player (struct player *player, tori_error *err)
{
    player->target = calloc (player->job->n, sizeof *player->target);
    return player->target ? 0 : tori_error_nomem (err);
}

static uint64_t all_phases (const struct player *player)
{
    return player->phases * (player->job->rounds ? player->job->rounds : 1);
}

static int send_phase (struct traffic_run *run, struct player *player,
                       tori_error *err)
{
    const tori_traffic_job *job = player->job;
    targets_fill (job, player->phase++, run->config->seed, player->target);
    for (uint32_t rank = 0; rank < job->n; rank++)
        if (player->target[rank] != rank
            && run_send (run, player, job->nodes[rank],
                         job->nodes[player->target[rank]], player->flits, err)
                   < 0)
            return -1;
    return 0;
}

/* Send the messages of a list whose time has come. */
static int send_listed (struct traffic_run *run, struct player *player,
                        tori_error *err)
{
    const tori_traffic_job *job = player->job;
    uint64_t now = tori_net_time (run->net);
    while (player->listed < job->nlist
           && job->list[player->listed].time <= now) {
        const tori_traffic_message *m = &job->list[player->listed++];
        if (run_send (run, player, m->src, m->dst, m->flits, err) < 0)
            return -1;
    }
    return 0;
}

/* Send what a job can send now. A phase in which all ranks are silent is over
 * at once. */
static int go_on (struct traffic_run *run, struct player *player,
                  tori_error *err)
{
    if (player->job->pattern == TORI_TRAFFIC_LIST)
        return send_listed (run, player, err);
    while (player->pending == 0 && player->phase < all_phases (player))
        if (send_phase (run, player, err) < 0)
            return -1;
    return 0;
}

/* Whether anything is left; *ret_next is the time of the next message of a
 * list. */
static bool is_unfinished (const struct traffic_run *run, uint64_t *ret_next)
{
    uint64_t next = run->config->limit ? run->config->limit : UINT64_MAX;
    bool left = false;
    for (size_t i = 0; i < run->config->njobs; i++) {
        const struct player *player = &run->players[i];
        const tori_traffic_job *job = player->job;
        if (player->listed < job->nlist) {
            left = true;
            if (job->list[player->listed].time < next)
                next = job->list[player->listed].time;
        }
        left |= player->pending > 0;
    }
    *ret_next = next;
    return left;
}

static bool is_cut (const struct player *player)
{
    return player->pending > 0 || player->listed < player->job->nlist
           || (player->job->pattern != TORI_TRAFFIC_LIST
               && player->phase < all_phases (player));
}

int closed_run (struct traffic_run *run, tori_error *err)
{
    uint64_t limit = run->config->limit ? run->config->limit : UINT64_MAX;
    uint64_t next;
    for (size_t i = 0; i < run->config->njobs; i++)
        if (prepare_player (&run->players[i], err) < 0)
            return -1;
    do {
        for (size_t i = 0; i < run->config->njobs; i++)
            if (go_on (run, &run->players[i], err) < 0)
                return -1;
        if (!is_unfinished (run, &next))
            break;
        tori_net_run (run->net, next, true);
        run_collect (run);
    } while (tori_net_time (run->net) < limit);
    for (size_t i = 0; i < run->config->njobs; i++)
        run->players[i].cut = is_cut (&run->players[i]);
    run_keep_links (run);
    return 0;
}
