#include "process.h"

#include <stdlib.h>
#include <string.h>

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

/* What tells a message from all others, made into a number. */
static uint64_t name_of (uint32_t src, uint32_t dst, uint32_t flits,
                         uint64_t tag)
{
    uint64_t x = ((uint64_t)src << 32 | dst) * UINT64_C (0x9e3779b97f4a7c15);
    x = (x ^ x >> 29 ^ tag) * UINT64_C (0xbf58476d1ce4e5b9);
    x = (x ^ x >> 32 ^ flits) * UINT64_C (0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* All others, or a few on the other side. */
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

/* ---- as bytes ---- */

/* Words of 64 bits, little-endian: to be counted, written, or read. */
struct process_words {
    unsigned char *bytes;
    const unsigned char *from;
    size_t at, n;
    bool bad;
};

static void word (struct process_words *w, uint64_t *value)
{
    size_t at = w->at;
    w->at += 8;
    if (w->from && w->at > w->n) {
        w->bad = true;
        w->at = w->n;
        *value = 0;
    } else if (w->from) {
        *value = 0;
        for (size_t i = 0; i < 8; i++)
            *value |= (uint64_t)w->from[at + i] << 8 * i;
    } else if (w->bytes) {
        for (size_t i = 0; i < 8; i++)
            w->bytes[at + i] = (unsigned char)(*value >> 8 * i);
    }
}

static void word_double (struct process_words *w, double *value)
{
    uint64_t bits;
    memcpy (&bits, value, sizeof bits);
    word (w, &bits);
    memcpy (value, &bits, sizeof bits);
}

static void word_32 (struct process_words *w, uint32_t *value)
{
    uint64_t wide = *value;
    word (w, &wide);
    *value = (uint32_t)wide;
}

static void constants (struct process_words *w, struct process *p)
{
    uint32_t n = p->n;
    word_32 (w, &n);
    w->bad |= n != p->n;
    word_32 (w, &p->flits);
    word_32 (w, &p->partners);
    word_double (w, &p->chance);
    word (w, &p->quota);
    word (w, &p->count.sent);
    word (w, &p->count.delivered);
    word (w, &p->count.reordered);
    word (w, &p->count.sum_sent);
    word (w, &p->count.sum_delivered);
    w->bad |= p->partners == 0 || p->partners >= p->n;
    w->bad |= p->flits == 0 || !(p->chance >= 0 && p->chance <= 1);
}

/* Most pairs of a large partition have never met: only the others are kept,
 * each behind the distance from the one before. */
static void numbers_out (struct process_words *w, const struct process *p)
{
    uint64_t last = 0, pairs = 0;
    size_t all = (size_t)p->n * p->n * 2;
    for (size_t i = 0; i < all; i++)
        pairs += p->next[i] > 0;
    word (w, &pairs);
    for (size_t i = 0; i < all; i++)
        if (p->next[i]) {
            uint64_t value = (uint64_t)(i - last) << 32 | p->next[i];
            word (w, &value);
            last = i;
        }
}

static void numbers_in (struct process_words *w, struct process *p)
{
    uint64_t at = 0, pairs = 0, value = 0;
    size_t all = (size_t)p->n * p->n * 2;
    word (w, &pairs);
    for (uint64_t i = 0; i < pairs && !w->bad; i++) {
        word (w, &value);
        at += value >> 32;
        w->bad |= at >= all;
        if (!w->bad)
            p->next[at] = (uint32_t)value;
    }
}

static void fill (struct process_words *w, struct process *p)
{
    constants (w, p);
    for (uint32_t i = 0; i < p->n; i++) {
        word (w, &p->clock[i]);
        for (int s = 0; s < 4; s++)
            word (w, &p->rng[i].s[s]);
    }
    if (w->from)
        numbers_in (w, p);
    else
        numbers_out (w, p);
}

int process_put (const struct process *process, tori_saved *saved,
                 tori_error *err)
{
    struct process p = *process;
    struct process_words w = {0};
    int status;
    fill (&w, &p);
    w.bytes = malloc (w.at);
    if (!w.bytes)
        return tori_error_nomem (err);
    w.n = w.at;
    w.at = 0;
    fill (&w, &p);
    status = tori_saved_set_context (saved, w.bytes, w.n, err);
    free (w.bytes);
    return status;
}

int process_get (struct process *p, const tori_saved *saved, tori_error *err)
{
    struct process_words w = {0};
    w.from = tori_saved_context (saved, &w.n);
    if (w.n > 0)
        fill (&w, p);
    if (w.n == 0 || w.bad || w.at != w.n)
        return tori_error_set (err, TORI_INVALID,
                               "the checkpoint is of another program");
    return 0;
}
