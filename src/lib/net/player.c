/* player.c - the messages of a run of traffic: sent, and counted when they
 * arrive. */
#include "traffic.h"

int run_send (struct traffic_run *run, struct player *player, uint32_t src,
              uint32_t dst, uint32_t flits, tori_error *err)
{
    uint64_t now = tori_net_time (run->net);
    bool measured = now >= run->begin && now < run->end;
    if (measured
        && sample_reserve (&player->latency, player->sent + 1, err) < 0)
        return -1;
    if (tori_net_send (run->net, src, dst, flits, 0, err) < 0)
        return -1;
    player->sent += measured;
    player->pending += measured;
    player->flits_sent += measured ? flits : 0;
    return 0;
}

static void take_message (const struct traffic_run *run, struct player *player,
                          const tori_net_message *message)
{
    uint64_t latency = message->delivered - message->sent;
    bool second = message->sent - run->begin >= (run->end - run->begin) / 2;
    sample_put (&player->latency, latency);
    growth_put (&player->growth, second, latency);
    player->waited += message->entered - message->sent;
    player->blocked += message->blocked;
    player->hops += message->hops;
    player->flits_done += message->flits;
    player->finish = message->delivered;
    player->pending--;
    if (run->config->on_message)
        run->config->on_message (run->config->arg, player->number - 1,
                                 message);
}

void run_collect (struct traffic_run *run)
{
    tori_net_message message;
    while (tori_net_receive (run->net, &message))
        if (message.sent >= run->begin && message.sent < run->end)
            take_message (run, &run->players[message.job - 1], &message);
}

void run_keep_links (struct traffic_run *run)
{
    for (size_t i = 0; i < run->nlinks; i++)
        tori_net_link_at (run->net, i, &run->links[i]);
}
