/* alloc.c - the table of allocators, and what they share: requests that can
 * never be placed, and the reasons of refusals. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "choice.h"
#include "folding.h"
#include "marks.h"
#include "outside.h"
#include "placement.h"
#include "policy.h"
#include "sized.h"

static const struct alloc_ops *const table[] = {
    &first_fit_ops,
    &best_fit_ops,
    &anchors_ops,
    &isomorphic_ops,
    &eb_ops,
    &egc_ops,
    &k_partner_ops,
    &multiple_gc_ops,
    &sniffing_ops,
    &efl_ops,
    &etc_ops,
    &row_ff_ops,
    &row_bf_ops,
    &row_ss_ops,
    &snake_ff_ops,
    &snake_bf_ops,
    &snake_ss_ops,
    &hilbert_ff_ops,
    &hilbert_bf_ops,
    &hilbert_ss_ops,
    &mc1x1_ops,
    &mc_ops,
    &mm_ops,
    &gen_alg_ops,
    &mm_inc_ops,
    &regard_ops,
    &exact_ops,
    &ptas_ops,
    &cube_first_ops,
    &cube_best_ops,
};

enum { NALLOCS = sizeof table / sizeof table[0] };

struct tori_alloc {
    const struct alloc_ops *ops;
    const tori_machine *machine;
    tori_alloc_config config;
    void *data;
    struct foldings foldings;
    char *slices; /* of the configuration */
};

static const char *const outcomes[] = {
    [TORI_PLACED] = "placed",           [TORI_NUMERICAL] = "numerical",
    [TORI_TOPOLOGICAL] = "topological", [TORI_WIRING] = "wiring",
    [TORI_UNPLACEABLE] = "never",
};

const char *tori_outcome_name (tori_outcome outcome)
{
    if (outcome == TORI_ERROR)
        return "error";
    return (unsigned)outcome < sizeof outcomes / sizeof outcomes[0]
               ? outcomes[outcome]
               : NULL;
}

static const char *const hypercubes[] = {
    [TORI_HYPERCUBE_BUDDY] = "buddy",
    [TORI_HYPERCUBE_GRAY] = "gray",
    [TORI_HYPERCUBE_FREE_LIST] = "free-list",
    [TORI_HYPERCUBE_ADAPTIVE] = "adaptive",
};

static const char *const noncubics[] = {
    [TORI_NONCUBIC_ROUND_UP] = "round-up",
    [TORI_NONCUBIC_DECOMPOSE] = "decompose",
};

const char *tori_hypercube_name (int hypercube)
{
    return (unsigned)hypercube < sizeof hypercubes / sizeof hypercubes[0]
               ? hypercubes[hypercube]
               : NULL;
}

const char *tori_noncubic_name (int noncubic)
{
    return (unsigned)noncubic < sizeof noncubics / sizeof noncubics[0]
               ? noncubics[noncubic]
               : NULL;
}

const tori_alloc_info *tori_alloc_list (size_t i)
{
    return i < NALLOCS ? &table[i]->info : NULL;
}

const struct alloc_ops *alloc_find (const char *name)
{
    for (size_t i = 0; i < NALLOCS; i++)
        if (strcmp (table[i]->info.name, name) == 0)
            return table[i];
    return NULL;
}

const tori_alloc_info *tori_alloc_find (const char *name)
{
    const struct alloc_ops *ops = alloc_find (name);
    return ops ? &ops->info : NULL;
}

int alloc_config_read (const tori_alloc_config *config,
                       tori_alloc_config *ret_config, tori_error *err)
{
    if (SIZED_COPY (tori_alloc_config, ret_config, config, err) < 0)
        return -1;
    if (!tori_hypercube_name ((int)ret_config->hypercube))
        return tori_error_set (err, TORI_INVALID, "there is no hypercube %u",
                               (unsigned)ret_config->hypercube);
    if (!tori_noncubic_name ((int)ret_config->noncubic))
        return tori_error_set (err, TORI_INVALID, "there is no noncubic %u",
                               (unsigned)ret_config->noncubic);
    return ret_config->ops ? outside_check (ret_config->ops, err) : 0;
}

bool tori_alloc_serves (const tori_alloc_info *info,
                        const tori_machine *machine)
{
    return info->flags & TORI_ALLOC_ANYWHERE
           || !(info->flags & TORI_ALLOC_PODS)
                  == !tori_machine_is_pod (machine);
}

static const char *alloc_name (size_t i)
{
    return i < NALLOCS ? table[i]->info.name : NULL;
}

/* The allocator of a configuration, or NULL and TORI_INVALID. */
static const struct alloc_ops *find_chosen (const tori_alloc_config *config,
                                            tori_error *err)
{
    const char *name = config->name ? config->name : "first-fit";
    const struct alloc_ops *ops = alloc_find (name);
    if (!ops) {
        tori_error_set (err, TORI_INVALID,
                        "unknown allocator '%.60s': known are ", name);
        choice_list (alloc_name, ", ", err);
    }
    return ops;
}

const tori_alloc_info *alloc_config_info (const tori_alloc_config *config,
                                          tori_error *err)
{
    const struct alloc_ops *ops;
    if (config->ops)
        return &config->ops->info;
    ops = find_chosen (config, err);
    return ops ? &ops->info : NULL;
}

static int check_serves (const tori_alloc_info *info,
                         const tori_machine *machine, tori_error *err)
{
    bool pod = tori_machine_is_pod (machine);
    if (tori_alloc_serves (info, machine))
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           pod ? "%.60s does not place slices on a pod: "
                                 "cube-first and cube-best do, and row-ff, "
                                 "row-bf and row-ss take counts"
                               : "%.60s places slices on a pod, and this "
                                 "machine is not a pod",
                           info->name);
}

/* The ops of an allocator, and its working memory. */
static int create_parts (tori_alloc *alloc, tori_error *err)
{
    const struct alloc_ops *ops;
    struct alloc_ops *outside;
    if (alloc->config.ops) {
        if (check_serves (&alloc->config.ops->info, alloc->machine, err) < 0
            || outside_create (alloc->machine, &alloc->config, &outside, err)
                   < 0)
            return -1;
        alloc->ops = alloc->data = outside;
        return 0;
    }
    if (!alloc->config.name && tori_machine_is_pod (alloc->machine))
        alloc->config.name = cube_best_ops.info.name;
    alloc->ops = ops = find_chosen (&alloc->config, err);
    if (!ops || check_serves (&ops->info, alloc->machine, err) < 0)
        return -1;
    if (ops->create)
        return ops->create (alloc->machine, &alloc->data, err);
    if (ops->create_with)
        return ops->create_with (alloc->machine, &alloc->config, &alloc->data,
                                 err);
    return 0;
}

/* Keep a copy, because the caller may free the text. */
static int keep_slices (tori_alloc *alloc, tori_error *err)
{
    if (!alloc->config.slices)
        return 0;
    alloc->config.slices = alloc->slices = strdup (alloc->config.slices);
    return alloc->slices ? 0 : tori_error_nomem (err);
}

int tori_alloc_create (const tori_machine *machine,
                       const tori_alloc_config *config,
                       tori_alloc **ret_alloc, tori_error *err)
{
    tori_alloc *alloc = calloc (1, sizeof *alloc);
    if (!alloc)
        return tori_error_nomem (err);
    alloc->machine = machine;
    if (alloc_config_read (config, &alloc->config, err) < 0
        || keep_slices (alloc, err) < 0 || create_parts (alloc, err) < 0) {
        free (alloc->slices);
        free (alloc);
        return -1;
    }
    alloc->config.name = alloc->ops->info.name; /* the caller may free its
                                                 * own */
    *ret_alloc = alloc;
    return 0;
}

void tori_alloc_destroy (tori_alloc *alloc)
{
    if (!alloc)
        return;
    if (alloc->ops->destroy)
        alloc->ops->destroy (alloc->data);
    foldings_clear (&alloc->foldings);
    free (alloc->slices);
    free (alloc);
}

const tori_alloc_info *tori_alloc_get_info (const tori_alloc *alloc)
{
    return &alloc->ops->info;
}

const tori_alloc_config *alloc_config (const tori_alloc *alloc)
{
    return &alloc->config;
}

bool alloc_room (const tori_alloc *alloc, const tori_placement *place,
                 tori_box *ret_box)
{
    return alloc->ops->room && alloc->ops->room (alloc->data, place, ret_box);
}

bool alloc_is_loose (const tori_alloc *alloc)
{
    return alloc->ops->loose;
}

bool alloc_is_thorough (const tori_alloc *alloc)
{
    return alloc->ops->thorough;
}

static bool may_fold_shapes (const tori_alloc *alloc)
{
    return alloc->ops->info.flags & TORI_ALLOC_FOLDS;
}

/* Whether a request may be folded without dilation. */
static bool may_fold (const tori_request *request)
{
    return request->flags & TORI_REQUEST_FOLD;
}

bool alloc_offers (const tori_alloc *alloc, const tori_request *box)
{
    return !alloc->slices || !alloc->ops->impossible (alloc->data, box);
}

/* Whether one of its boxes is offered; false if memory runs out. */
static bool is_offered (const tori_alloc *alloc, const tori_request *request)
{
    struct foldings own = {0};
    const struct folded *boxes;
    size_t n = 0;
    bool any = !alloc->slices
               || foldings_get (&own, alloc->machine, request, &boxes, &n,
                                NULL)
                      < 0;
    for (size_t i = 0; !any && i < n; i++)
        any = alloc_offers (alloc, &boxes[i].request);
    foldings_clear (&own);
    return any;
}

static const char *rings_impossible (const tori_alloc *alloc,
                                     const struct prepared *prepared)
{
    if (!(alloc->ops->info.flags & TORI_ALLOC_RINGS))
        return "the allocator does not fold rings";
    if (prepared->volume == 0)
        return "the shape has a side of 0";
    if (prepared->volume > tori_machine_nodes (alloc->machine))
        return "larger than the machine";
    if (!folding_possible (alloc->machine, &prepared->request))
        return "no box of the machine carries the shape, folded or not";
    return is_offered (alloc, &prepared->request)
               ? NULL
               : "no slice that is offered carries the shape, folded or not";
}

/* An allocator that folds needs only the volume, not the sides. */
static const char *shape_impossible (const tori_alloc *alloc,
                                     const struct prepared *prepared)
{
    const tori_machine *machine = alloc->machine;
    const tori_request *request = &prepared->request;
    const char *why = NULL;
    if (request->wiring == TORI_WIRE_TWISTED && !tori_machine_is_pod (machine))
        return "only slices of a pod can be twisted";
    if (may_fold (request))
        return rings_impossible (alloc, prepared);
    if (!may_fold_shapes (alloc)
        && request->shape.ndims != tori_machine_shape_dims (machine))
        return tori_machine_is_pod (machine)
                   ? "the shape has another number of dimensions than a cube"
                   : "the shape has another number of dimensions than the "
                     "machine";
    if (prepared->volume == 0)
        return "the shape has a side of 0";
    if (prepared->volume > tori_machine_nodes (machine))
        return "larger than the machine";
    if (!may_fold_shapes (alloc) && !tori_machine_is_pod (machine))
        why = sides_impossible (machine, request);
    if (why)
        return why;
    if (alloc->ops->impossible)
        return alloc->ops->impossible (alloc->data, request);
    return NULL;
}

uint64_t alloc_asked (const tori_request *request)
{
    uint64_t all = tori_request_nodes (request);
    return request->count > 0 && request->count < all ? request->count : all;
}

/* Check a place that a shape is folded into: all of a box, or a part of it. */
static int check_folded (const tori_alloc *alloc, const tori_placement *place,
                         tori_error *err)
{
    const tori_box *box = &place->box;
    if (box_check (alloc->machine, box, err) < 0)
        return -1;
    for (uint32_t i = 0; !place->nboxes && i < place->count; i++)
        if (!tori_box_contains (alloc->machine, box, place->nodes[i]))
            return tori_error_set (err, TORI_INVALID,
                                   "a place that is not cut from its box");
    return 0;
}

/* In a box with as many nodes as the shape, only a rotation of the shape holds
 * it. */
static bool is_of_shape (const tori_alloc *alloc, const tori_request *request,
                         const tori_placement *place)
{
    bool slices = alloc->ops->info.flags & TORI_ALLOC_SLICES;
    bool may_wrap = request->wrap && !slices;
    tori_shape shape;
    return tori_placement_shape (place, alloc->machine, &shape)
           && shape.ndims == request->shape.ndims
           && (may_wrap || !tori_box_wraps (alloc->machine, &place->box))
           && shape_within (request->shape, shape, request->fixed);
}

/* Whether the place has the rings as they were asked for, or folded. */
static bool is_of_rings (const tori_alloc *alloc, const tori_request *request,
                         const tori_placement *place)
{
    tori_request own;
    struct ringfold fold;
    tori_wiring wiring;
    tori_shape box;
    if (folding_straight (alloc->machine, request, &own)
        && own.wiring == place->wiring && is_of_shape (alloc, &own, place))
        return true;
    return tori_placement_shape (place, alloc->machine, &box)
           && (request->wrap || !tori_box_wraps (alloc->machine, &place->box))
           && folding_of (alloc->machine, request, &box, &fold, &wiring)
           && wiring == place->wiring;
}

int alloc_check_place (const tori_alloc *alloc,
                       const struct prepared *prepared,
                       const tori_placement *place, tori_error *err)
{
    const tori_request *request = &prepared->request;
    bool shaped = request->shape.ndims > 0;
    if (placement_check (place, alloc->machine, err) < 0)
        return -1;
    if (place->count != prepared->nodes)
        return tori_error_set (err, TORI_INVALID,
                               "a place of %u nodes for a job that takes "
                               "%" PRIu64,
                               place->count, prepared->nodes);
    if (may_fold (request))
        return is_of_rings (alloc, request, place)
                   ? 0
                   : tori_error_set (err, TORI_INVALID,
                                     "a place that does not carry the job's "
                                     "shape");
    if (place->wiring != (shaped ? request->wiring : TORI_WIRE_NONE))
        return tori_error_set (err, TORI_INVALID,
                               "a place with another wiring than the job's");
    if (may_fold_shapes (alloc))
        return check_folded (alloc, place, err);
    if (shaped && !is_of_shape (alloc, request, place))
        return tori_error_set (err, TORI_INVALID,
                               "a place of another shape than the job's");
    return 0;
}

/* ---- requests ---- */

static const char *find_impossible (const tori_alloc *alloc,
                                    const struct prepared *prepared)
{
    const tori_request *request = &prepared->request;
    unsigned takes = alloc->ops->info.takes;
    if (alloc->ops->loose && request->wiring != TORI_WIRE_NONE)
        return "the allocator places nodes, not a box, so it cannot be wired";
    if (request->shape.ndims)
        return takes & TORI_BY_SHAPE
                   ? shape_impossible (alloc, prepared)
                   : "the allocator takes a count, not a shape";
    if (request->count > tori_machine_nodes (alloc->machine))
        return "larger than the machine";
    if (request->count == 0)
        return "no nodes asked for";
    if (!(takes & TORI_BY_COUNT))
        return "the allocator takes a shape, not a count";
    return alloc->ops->impossible
               ? alloc->ops->impossible (alloc->data, request)
               : NULL;
}

int alloc_prepare (const tori_alloc *alloc, const tori_request *request,
                   struct prepared *ret_prepared, tori_error *err)
{
    struct prepared *it = ret_prepared;
    if (request_check (request, err) < 0)
        return -1;
    *it = (struct prepared){.request = *request,
                            .volume = tori_request_nodes (request)};
    it->asked = request->count > 0 && request->count < it->volume
                    ? request->count
                    : it->volume;
    if (alloc->ops->nodes)
        it->nodes = alloc->ops->nodes (alloc->data, &it->request);
    else
        it->nodes = alloc->ops->loose ? it->asked : it->volume;
    if (request->shape.ndims)
        it->request.count
            = it->nodes < it->volume ? (uint32_t)it->nodes : 0;
    it->never = find_impossible (alloc, it);
    return 0;
}

const char *tori_alloc_impossible (const tori_alloc *alloc,
                                   const tori_request *request)
{
    struct prepared prepared;
    if (alloc_prepare (alloc, request, &prepared, NULL) < 0)
        return "no such dimensions, or no such wiring";
    return prepared.never;
}

/* A torus needs more of a line than a mesh, which needs more than nothing. But
 * a smaller torus takes other links than a larger one around it, so what is
 * down may hinder only the smaller. */
bool alloc_refuses_too (const tori_alloc *alloc, const tori_state *state,
                        const tori_request *smaller,
                        const tori_request *larger)
{
    if (!alloc->ops->thorough || alloc->slices || state_disturbed (state)
        || may_fold (smaller) || may_fold (larger)
        || smaller->fixed != larger->fixed || smaller->wrap != larger->wrap
        || smaller->wiring > larger->wiring
        || smaller->shape.ndims != larger->shape.ndims)
        return false;
    for (int d = 0; d < smaller->shape.ndims; d++)
        if (smaller->shape.size[d] > larger->shape.size[d])
            return false;
    return true;
}

/* Whether the answer of an allocator from outside is free, and fits the
 * request. */
static int check_answer (const tori_alloc *alloc, const tori_state *state,
                         const struct prepared *prepared,
                         tori_placement *place, tori_error *err)
{
    tori_error why = {0};
    if (alloc_check_place (alloc, prepared, place, &why) == 0) {
        if (tori_placement_wire (place, state, &why) == 0
            && placement_free (place, state))
            return 0;
        if (why.status == TORI_FAILED)
            return tori_error_nomem (err);
        tori_error_set (&why, TORI_INVALID, "nodes or links that are not free");
    }
    return tori_error_set (err, TORI_INVALID,
                           "the allocator %.60s gave a wrong answer: %.300s",
                           alloc->ops->info.name, why.text);
}

static int try_outside (tori_alloc *alloc, const tori_state *state,
                        const struct prepared *prepared,
                        tori_placement *ret_place, tori_error *err)
{
    tori_placement place = {0};
    int found = alloc->ops->place (alloc->data, state, &prepared->request,
                                   &place, err);
    if (found > 0 && check_answer (alloc, state, prepared, &place, err) < 0)
        found = -1;
    if (found > 0)
        *ret_place = place;
    else
        tori_placement_clear (&place);
    return found;
}

/* Try the boxes of a folded request in order, unless the allocator has a rule
 * of its own. */
static int try_folds (tori_alloc *alloc, const tori_state *state,
                      const tori_request *request, tori_placement *ret_place,
                      tori_error *err)
{
    const struct folded *boxes;
    size_t n;
    int found = 0;
    if (foldings_get (&alloc->foldings, alloc->machine, request, &boxes, &n,
                      err)
        < 0)
        return -1;
    if (alloc->ops->place_any)
        return alloc->ops->place_any (alloc->data, state, boxes, n, ret_place,
                                      err);
    for (size_t i = 0; i < n && found == 0; i++)
        found = alloc->ops->place (alloc->data, state, &boxes[i].request,
                                   ret_place, err);
    return found;
}

static int ask_allocator (tori_alloc *alloc, const tori_state *state,
                          const struct prepared *prepared,
                          tori_placement *ret_place, tori_error *err)
{
    const tori_request *request = &prepared->request;
    if (may_fold (request))
        return try_folds (alloc, state, request, ret_place, err);
    if (alloc->ops->outside)
        return try_outside (alloc, state, prepared, ret_place, err);
    if (!alloc->ops->place)
        return cloud_place (alloc->ops->choose, &alloc->config, state,
                            request, ret_place, err);
    return alloc->ops->place (alloc->data, state, request, ret_place, err);
}

/* If links are down, a place goes around them. */
static int ask_disturbed (tori_alloc *alloc, const tori_state *state,
                          const struct prepared *prepared,
                          tori_placement *ret_place, tori_error *err)
{
    tori_placement place = {0};
    int found = ask_allocator (alloc, state, prepared, &place, err);
    if (found > 0 && tori_placement_wire (&place, state, err) == 0)
        *ret_place = place;
    else if (found > 0) {
        tori_placement_clear (&place);
        return -1;
    }
    return found;
}

int alloc_try (tori_alloc *alloc, const tori_state *state,
               const struct prepared *prepared, tori_placement *ret_place,
               tori_error *err)
{
    if (prepared->nodes > tori_state_free_count (state))
        return 0;
    return state_disturbed (state)
               ? ask_disturbed (alloc, state, prepared, ret_place, err)
               : ask_allocator (alloc, state, prepared, ret_place, err);
}

int alloc_try_once (tori_alloc *alloc, const tori_state *state,
                    const tori_request *request, tori_placement *ret_place,
                    tori_error *err)
{
    struct prepared prepared;
    if (alloc_prepare (alloc, request, &prepared, err) < 0)
        return -1;
    return prepared.never
               ? 0
               : alloc_try (alloc, state, &prepared, ret_place, err);
}

/* An absent set reads as empty (marks.h). */
int alloc_try_unlinked (tori_alloc *alloc, const tori_state *state,
                        const struct prepared *prepared,
                        tori_placement *ret_place, tori_error *err)
{
    const tori_state unlinked = {.machine = state->machine,
                                 .words = state->words,
                                 .free_count = state->free_count,
                                 .free = state->free,
                                 .busy = state->busy,
                                 .down = state->down,
                                 .drained = state->drained};
    return alloc_try (alloc, &unlinked, prepared, ret_place, err);
}

/* Whether the wiring rules out some places of a box. */
static bool wiring_limits (const tori_machine *machine,
                           const tori_request *request)
{
    tori_shape sides = torus_sides (machine);
    return request->wiring == TORI_WIRE_TORUS && !may_fold (request)
           && !tori_machine_is_pod (machine)
           && !tori_shape_equal (&sides, tori_machine_shape (machine));
}

/* The missing thing, in the text of a refusal. */
static const char *missing_box (const tori_alloc *alloc,
                                const tori_request *request)
{
    if (may_fold (request))
        return "box for this shape, folded or not";
    return alloc->ops->missing ? alloc->ops->missing : "box of this shape";
}

/* Why a box is refused: are its links the reason? Links do not count if a free
 * box lies so that the machine could never wire it. */
static tori_outcome explain_refusal (tori_alloc *alloc,
                                     const tori_state *state,
                                     const struct prepared *prepared,
                                     tori_error *err)
{
    const tori_request *request = &prepared->request;
    const char *missing = missing_box (alloc, request);
    tori_placement place = {0};
    int found = 0;
    if (request->wiring != TORI_WIRE_NONE && state_links_matter (state))
        found = alloc_try_unlinked (alloc, state, prepared, &place, err);
    if (found < 0)
        return TORI_ERROR;
    if (found) {
        tori_placement_clear (&place);
        tori_error_set (err, TORI_NOT_NOW,
                        "a box %s this shape is free, but its links are not",
                        may_fold (request) ? "for" : "of");
        return TORI_WIRING;
    }
    tori_error_set (err, TORI_NOT_NOW, "%u nodes are free, but not in a %s%s",
                    tori_state_free_count (state),
                    missing,
                    wiring_limits (alloc->machine, request)
                        ? " that could be wired as a torus"
                        : "");
    return TORI_TOPOLOGICAL;
}

tori_outcome alloc_place (tori_alloc *alloc, const tori_state *state,
                          const struct prepared *prepared,
                          tori_placement *ret_place, tori_error *err)
{
    int found;
    if (prepared->volume == 0) {
        tori_error_set (err, TORI_INVALID, "no nodes asked for");
        return TORI_ERROR;
    }
    if (prepared->never) {
        tori_error_set (err, TORI_NEVER, "%s", prepared->never);
        return TORI_UNPLACEABLE;
    }
    if (prepared->asked > tori_state_free_count (state)) {
        tori_error_set (err, TORI_NOT_NOW, "%u nodes asked for, %u free",
                        (unsigned)prepared->asked,
                        tori_state_free_count (state));
        return TORI_NUMERICAL;
    }
    found = alloc_try (alloc, state, prepared, ret_place, err);
    if (found > 0)
        return TORI_PLACED;
    return found < 0 ? TORI_ERROR
                     : explain_refusal (alloc, state, prepared, err);
}

tori_outcome tori_alloc_place (tori_alloc *alloc, const tori_state *state,
                               const tori_request *request,
                               tori_placement *ret_place, tori_error *err)
{
    struct prepared prepared;
    if (alloc_prepare (alloc, request, &prepared, err) < 0)
        return TORI_ERROR;
    return alloc_place (alloc, state, &prepared, ret_place, err);
}
