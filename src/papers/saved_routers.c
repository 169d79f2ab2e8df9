#include "saved_routers.h"

#include <stdlib.h>

#include <tori/drain.h>

#include "random.h"

enum { NODES = 16, WEIGHT = 11, TOTAL = 1 << (WEIGHT - 1), FLITS = 4 };
enum { OBJECTS = 200, TURNS = 300, END_SLICE = 25, GARBAGE_SLICE = 3 };

/* All nodes of a small network, which take turns with nobody. */
struct ground {
    tori_machine *machine;
    tori_net *net;
    tori_box box;
    struct rng rng;
};

static int open_ground (struct ground *ground, uint64_t seed, tori_error *err)
{
    const tori_net_config config = {.size = sizeof config,
                                    .switching = TORI_CUT_THROUGH};
    *ground = (struct ground){
        .box = {.shape = {.ndims = 2, .size = {4, 4}}}};
    rng_seed (&ground->rng, seed, 71);
    if (tori_machine_parse ("torus:4x4", &ground->machine, err) < 0)
        return -1;
    return tori_net_create (ground->machine, &config, &ground->net, err);
}

static void close_ground (struct ground *ground)
{
    tori_net_destroy (ground->net);
    tori_machine_destroy (ground->machine);
}

/* ---- the end of a computation ---- */

/* A message of weight k makes its receiver send messages of weights k - 1 down
 * to 1, so it stands for 2^(k - 1) of them. */
static int diffuse (struct ground *ground, uint32_t *heard, tori_error *err)
{
    tori_net_message m;
    while (tori_net_receive (ground->net, &m)) {
        ++*heard;
        for (uint64_t k = m.tag - 1; k >= 1; k--) {
            uint32_t to = (uint32_t)rng_below (&ground->rng, NODES);
            if (tori_net_send (ground->net, m.dst, to, FLITS, k, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* Run for some cycles, and then until the routers are frozen. */
static int stop_end (struct ground *ground, uint32_t *heard,
                     tori_drain **ret_drain, tori_error *err)
{
    int status = 0;
    for (int i = 0; status == 0 && i < END_SLICE; i++) {
        tori_net_step (ground->net);
        status = diffuse (ground, heard, err);
    }
    if (status < 0
        || tori_drain_start (ground->net, &ground->box, NULL, ret_drain, err)
               < 0)
        return -1;
    while (status == 0 && !tori_drain_done (*ret_drain)) {
        tori_net_step (ground->net);
        status = diffuse (ground, heard, err);
    }
    if (status < 0)
        tori_drain_release (*ret_drain);
    return status;
}

/* Nodes have heard all that came, so all of them are idle. */
static int look_for_end (struct ground *ground, struct saved_end *end,
                         tori_error *err)
{
    tori_local local[NODES] = {{0}};
    tori_drain *drain;
    tori_saved *saved;
    bool ended, is;
    int status;
    if (stop_end (ground, &end->messages, &drain, err) < 0)
        return -1;
    status = tori_drain_save (drain, &saved, err);
    if (status == 0) {
        for (int i = 0; i < NODES; i++)
            local[i].idle = true;
        ended = end->messages == TOTAL;
        is = tori_saved_progress (saved, local, NODES) == TORI_TERMINATED;
        end->looks++;
        end->wrong += is != ended;
        end->blind += !ended;
        status = tori_drain_load (drain, saved, err);
        if (status < 0)
            tori_saved_destroy (saved);
    }
    tori_drain_release (drain);
    return status;
}

int saved_end_run (uint64_t seed, struct saved_end *ret_end, tori_error *err)
{
    struct ground ground;
    int status = open_ground (&ground, seed, err);
    *ret_end = (struct saved_end){0};
    if (status == 0)
        status = tori_net_send (ground.net, 0, 5, FLITS, WEIGHT, err);
    while (status == 0 && ret_end->messages < TOTAL && ret_end->looks < TURNS)
        status = look_for_end (&ground, ret_end, err);
    close_ground (&ground);
    return status;
}

/* ---- garbage ---- */

/* References: of nodes, of messages, and of objects. */
struct heap {
    uint32_t held[NODES][OBJECTS];
    uint32_t sent[OBJECTS];
    bool refers[OBJECTS][OBJECTS];
    tori_reference refs[OBJECTS * (OBJECTS + NODES)];
};

static uint32_t draw_object (struct ground *ground)
{
    return (uint32_t)rng_below (&ground->rng, OBJECTS);
}

static void start_heap (struct ground *ground, struct heap *heap)
{
    for (uint32_t i = 0; i < OBJECTS; i++) {
        heap->held[i % NODES][i] = 1;
        for (int k = 0; k < 2; k++)
            heap->refers[i][draw_object (ground)] = true;
    }
}

/* Hear what has come, send on or drop a few references, and cut one. */
static int work_on_heap (struct ground *ground, struct heap *heap,
                         tori_error *err)
{
    tori_net_message m;
    while (tori_net_receive (ground->net, &m)) {
        heap->sent[m.tag]--;
        heap->held[m.dst][m.tag]++;
    }
    for (int k = 0; k < 8; k++) {
        uint32_t node = (uint32_t)rng_below (&ground->rng, NODES);
        uint32_t to = (uint32_t)rng_below (&ground->rng, NODES);
        uint32_t object = draw_object (ground);
        if (!heap->held[node][object])
            continue;
        heap->held[node][object]--;
        if (rng_below (&ground->rng, 5) == 0)
            continue;
        heap->sent[object]++;
        if (tori_net_send (ground->net, node, to, FLITS, object, err) < 0)
            return -1;
    }
    heap->refers[draw_object (ground)][draw_object (ground)] = false;
    return 0;
}

/* By going through everything until nothing changes. */
static void count_live (const struct heap *heap, bool routers, bool live[])
{
    bool more = true;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        live[i] = routers && heap->sent[i] > 0;
        for (uint32_t node = 0; node < NODES; node++)
            live[i] |= heap->held[node][i] > 0;
    }
    while (more) {
        more = false;
        for (uint32_t i = 0; i < OBJECTS; i++)
            for (uint32_t k = 0; live[i] && k < OBJECTS; k++)
                if (heap->refers[i][k] && !live[k])
                    more = live[k] = true;
    }
}

static size_t list_references (struct heap *heap)
{
    size_t n = 0;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        for (uint32_t k = 0; k < OBJECTS; k++)
            if (heap->refers[i][k])
                heap->refs[n++] = (tori_reference){i, k};
        for (uint32_t node = 0; node < NODES; node++)
            if (heap->held[node][i])
                heap->refs[n++] = (tori_reference){TORI_ROOT, i};
    }
    return n;
}

static int compare_live (const tori_saved *saved, struct heap *heap,
                         struct saved_garbage *garbage, tori_error *err)
{
    bool live[OBJECTS], should[OBJECTS], blind[OBJECTS];
    size_t n = list_references (heap);
    if (tori_saved_live (saved, heap->refs, n, OBJECTS, live, err) < 0)
        return -1;
    count_live (heap, true, should);
    count_live (heap, false, blind);
    garbage->looks++;
    garbage->objects += OBJECTS;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        garbage->wrong += live[i] != should[i];
        garbage->garbage += !live[i];
        garbage->blind += should[i] && !blind[i];
    }
    return 0;
}

static int look_for_garbage (struct ground *ground, struct heap *heap,
                             struct saved_garbage *garbage, tori_error *err)
{
    tori_drain *drain;
    tori_saved *saved;
    int status;
    for (int i = 0; i < GARBAGE_SLICE; i++) {
        tori_net_step (ground->net);
        if (work_on_heap (ground, heap, err) < 0)
            return -1;
    }
    if (tori_drain_start (ground->net, &ground->box, NULL, &drain, err) < 0)
        return -1;
    while (!tori_drain_done (drain))
        tori_net_step (ground->net);
    status = work_on_heap (ground, heap, err);
    if (status == 0)
        status = tori_drain_save (drain, &saved, err);
    if (status == 0) {
        status = compare_live (saved, heap, garbage, err);
        if (status < 0 || tori_drain_load (drain, saved, err) < 0) {
            tori_saved_destroy (saved);
            status = -1;
        }
    }
    tori_drain_release (drain);
    return status;
}

int saved_garbage_run (uint64_t seed, struct saved_garbage *ret_garbage,
                       tori_error *err)
{
    struct ground ground;
    struct heap *heap = calloc (1, sizeof *heap);
    int status = heap ? open_ground (&ground, seed, err)
                      : tori_error_nomem (err);
    *ret_garbage = (struct saved_garbage){0};
    if (!heap)
        return -1;
    if (status == 0)
        start_heap (&ground, heap);
    for (int turn = 0; status == 0 && turn < TURNS; turn++)
        status = look_for_garbage (&ground, heap, ret_garbage, err);
    close_ground (&ground);
    free (heap);
    return status;
}
