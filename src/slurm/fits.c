/* fits.c - partitions, narrowed to the nodes that have what a job asks for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "fits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "node_words.h"
#include "slurm_ask.h"
#include "slurm_watch.h"

/* So long, in seconds, a job waits for nodes that it prefers; and so many fits
 * are kept. */
enum { PREFERS = 30, MOST = 1000 };

struct slurm_fits {
    const struct nodemap *map;
    const struct slurm_parts *parts;
    const node_info_msg_t *nodes;
    uint64_t digest;                 /* of the nodes and partitions */
    uint64_t (*least)[NEED_NUMBERS]; /* by partition: what all nodes have */
    struct slurm_fit *plain;         /* by partition: all of it */
    struct slurm_fit **all;
    size_t n;
    json_t *by_need; /* where each is in `all` */
};

struct slurm_fits *slurm_fits_create (void)
{
    struct slurm_fits *fits = calloc (1, sizeof *fits);
    if (fits)
        fits->by_need = json_object ();
    return fits;
}

static void free_fit (struct slurm_fit *fit)
{
    free ((void *)(uintptr_t)fit->bar);
    free ((void *)(uintptr_t)fit->text);
    free (fit->own.has);
    json_decref (fit->own.only);
    free (fit);
}

static void forget_all (struct slurm_fits *fits)
{
    for (size_t i = 0; i < fits->n; i++)
        free_fit (fits->all[i]);
    free (fits->all);
    free (fits->least);
    free (fits->plain);
    fits->all = NULL;
    fits->least = NULL;
    fits->plain = NULL;
    fits->n = 0;
    json_object_clear (fits->by_need);
}

void slurm_fits_destroy (struct slurm_fits *fits)
{
    if (!fits)
        return;
    forget_all (fits);
    json_decref (fits->by_need);
    free (fits);
}

/* ---- how the nodes are ---- */

static void mix_bytes (uint64_t *hash, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ ((const unsigned char *)bytes)[i])
                * UINT64_C (1099511628211);
}

static void mix_text (uint64_t *hash, const char *text)
{
    mix_bytes (hash, text ? text : "", text ? strlen (text) + 1 : 1);
}

static uint64_t digest_of (const struct slurm_parts *parts,
                           const node_info_msg_t *nodes)
{
    uint64_t hash = UINT64_C (14695981039346656037);
    uint64_t offer[NEED_NUMBERS];
    mix_bytes (&hash, &parts->all, sizeof parts->all); /* fits point there */
    for (uint32_t i = 0; i < nodes->record_count; i++) {
        const node_info_t *node = &nodes->node_array[i];
        needs_offer (node, offer);
        mix_bytes (&hash, offer, sizeof offer);
        mix_text (&hash, node->name);
        mix_text (&hash, node->features);
        mix_text (&hash, node->gres);
    }
    return hash;
}

static int64_t id_of (const struct slurm_fits *fits, uint32_t i)
{
    const char *name = fits->nodes->node_array[i].name;
    return name ? nodemap_id (fits->map, name) : -1;
}

uint64_t slurm_fits_digest (const struct slurm_fits *fits)
{
    return fits->digest;
}

bool slurm_fits_have (const struct slurm_fits *fits, int64_t id,
                      const char *features)
{
    for (uint32_t i = 0; i < fits->nodes->record_count; i++)
        if (id_of (fits, i) == id)
            return features_match (features,
                                   fits->nodes->node_array[i].features)
                   != 0;
    return false;
}

static void find_least (struct slurm_fits *fits, size_t part)
{
    const struct slurm_part *one = &fits->parts->all[part];
    uint64_t offer[NEED_NUMBERS], *least = fits->least[part];
    memset (least, 0xff, sizeof offer);
    for (uint32_t i = 0; i < fits->nodes->record_count; i++) {
        int64_t id = id_of (fits, i);
        if (id < 0 || !one->has[id])
            continue;
        needs_offer (&fits->nodes->node_array[i], offer);
        for (int need = 0; need < NEED_NUMBERS; need++)
            if (offer[need] < least[need])
                least[need] = offer[need];
    }
}

void slurm_fits_renew (struct slurm_fits *fits, const struct nodemap *map,
                       const struct slurm_parts *parts,
                       const node_info_msg_t *nodes)
{
    uint64_t digest = digest_of (parts, nodes);
    bool same = fits->least && fits->digest == digest && fits->n < MOST;
    fits->map = map;
    fits->parts = parts;
    fits->nodes = nodes;
    fits->digest = digest;
    if (!same) {
        forget_all (fits);
        fits->least = calloc (parts->n + 1, sizeof *fits->least);
        fits->plain = calloc (parts->n + 1, sizeof *fits->plain);
    }
    for (size_t i = 0; !same && fits->least && fits->plain && i < parts->n;
         i++) {
        find_least (fits, i);
        fits->plain[i].part = &parts->all[i];
    }
}

/* ---- one job ---- */

static void exclude_node (void *arg, uint32_t id)
{
    unsigned char *lacks = arg;
    lacks[id] |= 1;
}

/* A set of needs that some node does not meet. */
static unsigned narrow (const struct slurm_fits *fits,
                        const struct needs *needs, struct slurm_part *own,
                        const struct slurm_part *part)
{
    const slurm_job_info_t *record = needs->record;
    unsigned char *out = calloc (fits->map->n, 1);
    unsigned all = 0;
    if (out && record->exc_nodes)
        nodemap_each (fits->map, record->exc_nodes, exclude_node, out);
    for (uint32_t i = 0; i < fits->nodes->record_count; i++) {
        const node_info_t *node = &fits->nodes->node_array[i];
        int64_t id = id_of (fits, i);
        unsigned lacks;
        if (id < 0 || !part->has[id])
            continue;
        lacks = needs_lacking (needs, node);
        if (out && out[id])
            lacks |= 1U << NEED_CHOSEN;
        all |= lacks;
        own->has[id] = lacks == 0;
        own->count += lacks == 0;
    }
    free (out);
    return all;
}

/* Keep those that it prefers, if they are enough. */
static void prefer (const struct slurm_fits *fits, const struct needs *needs,
                    struct slurm_part *own)
{
    const char *features = needs->record->prefer;
    unsigned char *liked = calloc (fits->map->n, 1);
    uint32_t count = 0;
    for (uint32_t i = 0; liked && i < fits->nodes->record_count; i++) {
        int64_t id = id_of (fits, i);
        if (id >= 0 && own->has[id]
            && features_match (features, fits->nodes->node_array[i].features)
                   != 0) {
            liked[id] = 1;
            count++;
        }
    }
    if (!liked || count < needs->nodes) {
        free (liked);
        return;
    }
    free (own->has);
    own->has = liked;
    own->count = count;
}

static void explain (struct slurm_fit *fit, const struct needs *needs,
                     unsigned which)
{
    const struct slurm_part *own = &fit->own;
    const char *has = own->count == 1 ? "has" : "have";
    char text[NEEDS_TEXT];
    needs_explain (needs, own->name, own->count, which, text);
    fit->text = strdup (text);
    if (own->count == 0)
        snprintf (text, sizeof text, "no node in Slurm has what it asks for");
    else
        snprintf (text, sizeof text,
                  "only %u node%s in Slurm %s what it asks for", own->count,
                  own->count == 1 ? "" : "s", has);
    fit->bar = strdup (text);
}

/* The rule for shapes knows the whole machine only. */
static int reshape (const struct slurm_fits *fits,
                    const struct slurm_task *task, struct slurm_fit *fit)
{
    fit->ask = task->ask;
    return task->ruled && task->ask.shape.ndims > 0 && fit->part->only
               ? slurm_watch_narrow (fits->map->machine, fit->part->has,
                                     &task->ask, &fit->ask, NULL)
               : 0;
}

static struct slurm_fit *make_fit (const struct slurm_fits *fits,
                                   const struct slurm_part *part,
                                   const struct slurm_task *task,
                                   const struct needs *needs, bool prefers)
{
    struct slurm_fit *fit = calloc (1, sizeof *fit);
    unsigned lacks;
    if (!fit)
        return NULL;
    fit->own.name = part->name;
    fit->own.has = calloc (fits->map->n, 1);
    if (!fit->own.has) {
        free_fit (fit);
        return NULL;
    }
    lacks = narrow (fits, needs, &fit->own, part);
    if (prefers)
        prefer (fits, needs, &fit->own);
    fit->part = part;
    if (needs->nodes > part->count)
        return fit;
    if (fit->own.count < part->count)
        fit->part = &fit->own;
    if (fit->own.count < needs->nodes)
        explain (fit, needs, lacks);
    else if ((fit->part == &fit->own
              && slurm_part_boxes (&fit->own, fits->map) < 0)
             || reshape (fits, task, fit) < 0) {
        free_fit (fit);
        return NULL;
    }
    return fit;
}

/* A job that has waited for long enough takes other nodes, too. */
static bool still_prefers (const slurm_job_info_t *record)
{
    time_t since = record->eligible_time > record->submit_time
                       ? record->eligible_time
                       : record->submit_time;
    return record->prefer && *record->prefer
           && difftime (time (NULL), since) < PREFERS;
}

static const struct slurm_fit *keep_fit (struct slurm_fits *fits,
                                         const char *key,
                                         struct slurm_fit *fit)
{
    struct slurm_fit **all
        = realloc (fits->all, (fits->n + 1) * sizeof *fits->all);
    if (all)
        fits->all = all;
    if (!all
        || json_object_set_new (fits->by_need, key,
                                json_integer ((json_int_t)fits->n))
               < 0) {
        free_fit (fit);
        return NULL;
    }
    fits->all[fits->n++] = fit;
    return fit;
}

/* Its shape matters only if the rule has chosen it. */
static void format_ruled (const struct slurm_task *task,
                          char text[TORI_TEXT_MAX])
{
    text[0] = 0;
    if (task->ruled)
        tori_shape_format (&task->ask.shape, text);
}

const struct slurm_fit *slurm_fits_find (struct slurm_fits *fits,
                                         const struct slurm_part *part,
                                         const struct slurm_task *task)
{
    size_t at = (size_t)(part - fits->parts->all);
    bool prefers = still_prefers (task->record);
    struct slurm_fit *fit;
    struct needs needs;
    const json_t *known;
    char shape[TORI_TEXT_MAX], key[TORI_TEXT_MAX + 100];
    if (!fits->least || !fits->plain)
        return NULL;
    needs_read (task, &needs);
    if (needs_are_plain (&needs, fits->least[at])
        && !(task->ruled && part->only))
        return &fits->plain[at];
    format_ruled (task, shape);
    snprintf (key, sizeof key, "%zu %lld %llu %d %s %d", at,
              (long long)task_want (task->record),
              (unsigned long long)needs.nodes, prefers, shape,
              (int)task->ask.wiring);
    known = json_object_get (fits->by_need, key);
    if (known)
        return fits->all[json_integer_value (known)];
    fit = make_fit (fits, part, task, &needs, prefers);
    return fit ? keep_fit (fits, key, fit) : NULL;
}
