#include "podcrowd.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bits.h"
#include "marks.h"

/* ---- tenants ---- */

static int add_tenant (struct podcrowd *crowd, uint32_t job, uint32_t cube,
                       tori_error *err)
{
    size_t n = crowd->tenants + 1, words = crowd->space.words;
    struct podtenant *tenant = array_room (crowd->tenant, &crowd->tenant_room,
                                           n, sizeof *tenant);
    uint64_t *mask = array_room (crowd->mask, &crowd->mask_room, n * words,
                                 sizeof *mask);
    crowd->tenant = tenant ? tenant : crowd->tenant;
    crowd->mask = mask ? mask : crowd->mask;
    if (!tenant || !mask)
        return tori_error_nomem (err);
    tenant[n - 1] = (struct podtenant){.job = job, .cube = cube};
    memset (mask + (n - 1) * words, 0, words * sizeof *mask);
    crowd->tenants = n;
    return 0;
}

/* Give a node to its tenant. */
static int settle_node (struct podcrowd *crowd, uint32_t cube,
                        uint32_t position, tori_error *err)
{
    const tori_state *state = crowd->ground.state;
    uint32_t node = cube * crowd->space.volume + position;
    uint32_t job = crowd->ground.owner[node];
    size_t t = crowd->first[cube];
    if (job == NO_OWNER || crowd->ground.stays[job])
        return 0;
    while (t < crowd->tenants && crowd->tenant[t].job != job)
        t++;
    if (t == crowd->tenants && add_tenant (crowd, job, cube, err) < 0)
        return -1;
    if (!(state->down && bits_test (state->down, node))
        && !(state->drained && bits_test (state->drained, node)))
        bits_set (crowd->mask + t * crowd->space.words, position);
    return 0;
}

static int settle_all (struct podcrowd *crowd, tori_error *err)
{
    for (uint32_t cube = 0; cube < crowd->cubes; cube++) {
        crowd->first[cube] = crowd->tenants;
        for (uint32_t i = 0; i < crowd->space.volume; i++)
            if (settle_node (crowd, cube, i, err) < 0)
                return -1;
    }
    crowd->first[crowd->cubes] = crowd->tenants;
    return 0;
}

/* List the cubes of each job, and its share of weight in each: own_first[j +
 * 1] is the next position of job j, and in the end the first of j + 1. */
static int list_own (struct podcrowd *crowd, tori_error *err)
{
    size_t *first = crowd->own_first;
    crowd->own = calloc (crowd->tenants + 1, sizeof *crowd->own);
    if (!crowd->own)
        return tori_error_nomem (err);
    for (size_t t = 0; t < crowd->tenants; t++)
        first[crowd->tenant[t].job + 2]++;
    for (size_t t = 0; t < crowd->tenants; t++) {
        struct podtenant *tenant = &crowd->tenant[t];
        tenant->share
            = crowd->ground.weight[tenant->job] / first[tenant->job + 2];
    }
    for (uint32_t j = 0; j < crowd->ground.n; j++)
        first[j + 2] += first[j + 1];
    for (size_t t = 0; t < crowd->tenants; t++)
        crowd->own[first[crowd->tenant[t].job + 1]++] = t;
    return 0;
}

/* ---- open ---- */

static void copy_free_nodes (struct podcrowd *crowd)
{
    struct podspace *space = &crowd->space;
    size_t size = space->cubes * space->words;
    for (uint32_t pod = 0; pod < space->pods; pod++) {
        podspace_look (space, crowd->ground.state, pod);
        memcpy (crowd->free + pod * size, space->free,
                size * sizeof *crowd->free);
        memcpy (crowd->left + pod * space->cubes, space->count,
                space->cubes * sizeof *crowd->left);
    }
    memcpy (crowd->ever, crowd->free,
            space->pods * size * sizeof *crowd->ever);
    for (size_t t = 0; t < crowd->tenants; t++)
        for (size_t w = 0; w < space->words; w++)
            crowd->ever[crowd->tenant[t].cube * space->words + w]
                |= crowd->mask[t * space->words + w];
}

static void mark_barred (struct podcrowd *crowd, const uint64_t *barred)
{
    uint32_t volume = crowd->space.volume;
    for (uint32_t cube = 0; barred && cube < crowd->cubes; cube++)
        if (bits_any_range (barred, (uint64_t)cube * volume, volume))
            crowd->plain[cube] = false;
}

static void mark_plain (struct podcrowd *crowd, const uint64_t *barred)
{
    for (uint32_t cube = 0; cube < crowd->cubes; cube++)
        crowd->plain[cube] = crowd->ground.state->links_down == 0;
    mark_barred (crowd, barred);
    for (uint32_t j = 0; j < crowd->ground.n; j++)
        mark_barred (crowd, crowd->ground.job[j].barred);
}

static int make_lists (struct podcrowd *crowd, tori_error *err)
{
    size_t n = crowd->cubes + (size_t)1;
    crowd->free = calloc (n * crowd->space.words, sizeof *crowd->free);
    crowd->ever = calloc (n * crowd->space.words, sizeof *crowd->ever);
    crowd->left = calloc (n, sizeof *crowd->left);
    crowd->changes = calloc (n, sizeof *crowd->changes);
    crowd->first = calloc (n, sizeof *crowd->first);
    crowd->plain = calloc (n, sizeof *crowd->plain);
    crowd->own_first = calloc (crowd->ground.n + (size_t)2,
                               sizeof *crowd->own_first);
    return crowd->free && crowd->ever && crowd->left && crowd->changes
                   && crowd->first && crowd->plain && crowd->own_first
               ? 0
               : tori_error_nomem (err);
}

int podcrowd_open (struct podcrowd *crowd, const tori_state *state,
                   const tori_room_job jobs[], size_t n,
                   const uint64_t *barred, tori_error *err)
{
    struct occupancy *ground = &crowd->ground;
    *crowd = (struct podcrowd){0};
    if (occupancy_open (ground, state, jobs, n, err) < 0
        || podspace_create (ground->machine, &crowd->space, err) < 0)
        return -1;
    crowd->cubes = crowd->space.cubes * crowd->space.pods;
    for (uint32_t j = 0; j < ground->n; j++) {
        tori_shape shape;
        ground->stays[j] |= !tori_placement_shape (jobs[j].place,
                                                   ground->machine, &shape);
    }
    if (make_lists (crowd, err) < 0 || settle_all (crowd, err) < 0
        || list_own (crowd, err) < 0)
        return -1;
    copy_free_nodes (crowd);
    mark_plain (crowd, barred);
    return 0;
}

void podcrowd_close (struct podcrowd *crowd)
{
    podspace_clear (&crowd->space);
    occupancy_close (&crowd->ground);
    free (crowd->free);
    free (crowd->ever);
    free (crowd->left);
    free (crowd->changes);
    free (crowd->tenant);
    free (crowd->mask);
    free (crowd->first);
    free (crowd->own);
    free (crowd->own_first);
    free (crowd->plain);
}

/* ---- off and on ---- */

void podcrowd_take_off (struct podcrowd *crowd, uint32_t job)
{
    size_t words = crowd->space.words;
    crowd->ground.off[job] = true;
    for (size_t k = crowd->own_first[job]; k < crowd->own_first[job + 1];
         k++) {
        size_t t = crowd->own[k];
        crowd->changes[crowd->tenant[t].cube]++;
        for (size_t w = 0; w < words; w++)
            crowd->free[crowd->tenant[t].cube * words + w]
                |= crowd->mask[t * words + w];
    }
}

void podcrowd_put_back (struct podcrowd *crowd, uint32_t job)
{
    size_t words = crowd->space.words;
    crowd->ground.off[job] = false;
    for (size_t k = crowd->own_first[job]; k < crowd->own_first[job + 1];
         k++) {
        size_t t = crowd->own[k];
        crowd->changes[crowd->tenant[t].cube]--;
        for (size_t w = 0; w < words; w++)
            crowd->free[crowd->tenant[t].cube * words + w]
                &= ~crowd->mask[t * words + w];
    }
}

/* ---- alike ---- */

static bool is_left (const struct podcrowd *crowd, uint32_t cube, bool ever)
{
    for (size_t t = crowd->first[cube]; t < crowd->first[cube + 1]; t++)
        if (ever || !crowd->ground.off[crowd->tenant[t].job])
            return false;
    return crowd->plain[cube];
}

bool podcrowd_alike (const struct podcrowd *crowd, uint32_t a, uint32_t b,
                     bool ever)
{
    size_t words = crowd->space.words;
    return memcmp (crowd->free + a * words, crowd->free + b * words,
                   words * sizeof *crowd->free)
               == 0
           && is_left (crowd, a, ever) && is_left (crowd, b, ever);
}
