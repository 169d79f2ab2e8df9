#include "process.h"

#include <stdlib.h>

/* ---- a process ---- */

int process_open (struct process *p, const uint32_t nodes[],
                  const uint32_t place[], uint32_t n, tori_error *err)
{
    p->nodes = nodes;
    p->place = place;
    p->n = n;
    p->clock = calloc (n, sizeof *p->clock);
    p->rng = calloc (n, sizeof *p->rng);
    p->next = calloc ((size_t)n * n, 2 * sizeof *p->next);
    if (!p->clock || !p->rng || !p->next)
        return tori_error_nomem (err);
    return 0;
}

void process_clear (struct process *p)
{
    free (p->clock);
    free (p->rng);
    free (p->next);
}

void process_seed (struct process *p, uint64_t seed, uint32_t number)
{
    for (uint32_t i = 0; i < p->n; i++)
        rng_seed (&p->rng[i], seed, (uint64_t)number << 32 | i);
}

static uint32_t *next_sent (const struct process *p, uint32_t a, uint32_t b)
{
    return &p->next[(size_t)a * p->n + b];
}

static uint32_t *next_heard (const struct process *p, uint32_t a, uint32_t b)
{
    return &p->next[((size_t)p->n + a) * p->n + b];
}

/* A number that distinguishes a message from all others. */
static uint64_t name_of (uint32_t src, uint32_t dst, uint32_t flits,
                         uint64_t tag)
{
    uint64_t x = ((uint64_t)src << 32 | dst) * UINT64_C (0x9e3779b97f4a7c15);
    x = (x ^ x >> 29 ^ tag) * UINT64_C (0xbf58476d1ce4e5b9);
    x = (x ^ x >> 32 ^ flits) * UINT64_C (0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Choose among all others, or a few on the other side. */
static uint32_t choose_partner (struct process *p, uint32_t i)
{
    uint32_t k = (uint32_t)rng_below (&p->rng[i], p->partners), to;
    if (p->partners == p->n - 1)
        return (i + 1 + k) % p->n;
    to = (p->n - 1 - i + k) % p->n;
    return to == i ? (to + 1) % p->n : to;
}

int process_run (struct process *p, tori_net *net, uint32_t i,
                 uint64_t *ret_sent, tori_error *err)
{
    uint32_t to, tag;
    if (p->clock[i] == p->quota)
        return 0;
    p->clock[i]++;
    if (rng_uniform (&p->rng[i]) >= p->chance)
        return 0;
    to = choose_partner (p, i);
    tag = (*next_sent (p, i, to))++;
    if (tori_net_send (net, p->nodes[i], p->nodes[to], p->flits, tag, err) < 0)
        return -1;
    p->count.sent++;
    p->count.sum_sent += name_of (i, to, p->flits, tag);
    ++*ret_sent;
    return 0;
}

void process_hear (struct process *p, const tori_net_message *m)
{
    uint32_t a = p->place[m->src], b = p->place[m->dst];
    uint32_t *next = next_heard (p, a, b);
    if (m->tag < *next)
        p->count.reordered++;
    else
        *next = (uint32_t)m->tag + 1;
    p->count.delivered++;
    p->count.sum_delivered += name_of (a, b, m->flits, m->tag);
}

bool process_over (const struct process *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->clock[i] < p->quota)
            return false;
    return true;
}

bool tori_preempt_kept (const tori_preempt_process *p)
{
    return p->delivered == p->sent && p->sum_delivered == p->sum_sent
           && p->reordered == 0;
}
