/* evidence.c - the place where a request misses the fewest nodes, and what is
 * in the way there. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "marks.h"
#include "placement.h"
#include "taking.h"
#include "whywork.h"

/* ---- jobs in the way ---- */

/* How many nodes of a place are in a box. */
static uint64_t count_common (const tori_machine *machine, const tori_box *box,
                              const tori_placement *place)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < place->nboxes; i++)
        n += box_common (machine, box, tori_placement_box (place, i));
    for (uint32_t i = 0; !place->nboxes && i < place->count; i++)
        n += tori_box_contains (machine, box, place->nodes[i]);
    return n;
}

static int compare_blockers (const void *a, const void *b)
{
    const tori_blocker *x = a, *y = b;
    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static int find_blockers (struct whywork *work, struct evidence *it,
                          tori_error *err)
{
    it->blockers = calloc (work->nrunning + 1, sizeof *it->blockers);
    if (!it->blockers)
        return tori_error_nomem (err);
    for (size_t i = 0; i < work->nrunning; i++) {
        const tori_placement *place = work->info[i].place;
        if (placement_overlap (&it->place, place, work->machine))
            it->blockers[it->nblockers++] = (tori_blocker){
                work->running[i], work->info[i].tag,
                (uint32_t)count_common (work->machine, &it->place.box,
                                        place)};
    }
    qsort (it->blockers, it->nblockers, sizeof *it->blockers,
           compare_blockers);
    return 0;
}

/* ---- outages ---- */

/* Whether some node of a box is down or drained. */
static bool is_unfit (const tori_state *state, const tori_box *box)
{
    return (state->down && grid_any (state->machine, box, state->down))
           || (state->drained
               && grid_any (state->machine, box, state->drained));
}

static int find_down (const struct whywork *work, struct evidence *it,
                      tori_error *err)
{
    uint32_t *ids;
    if (!is_unfit (work->state, &it->place.box))
        return 0;
    ids = calloc (it->place.count + 1, sizeof *ids);
    if (!ids)
        return tori_error_nomem (err);
    tori_placement_nodes (&it->place, work->machine, ids);
    for (uint32_t i = 0; i < it->place.count; i++)
        if (tori_state_is_down (work->state, ids[i])
            || tori_state_is_drained (work->state, ids[i]))
            ids[it->ndown++] = ids[i];
    it->down = ids;
    return 0;
}

struct links {
    const tori_state *state;
    struct evidence *it;
};

static int note_link (void *arg, const tori_link *link)
{
    struct links *links = arg;
    if ((tori_state_link_taken (links->state, link)
         || tori_state_link_down (links->state, link)))
        links->it->links[links->it->nlinks++] = *link;
    return links->it->nlinks == TORI_WHY_LINKS;
}

/* ---- evidence that is kept ---- */

static bool same_request (const tori_request *a, const tori_request *b)
{
    return a->wiring == b->wiring && a->fixed == b->fixed && a->wrap == b->wrap
           && tori_shape_equal (&a->shape, &b->shape);
}

static int gather_evidence (struct whywork *work, struct evidence *it,
                            tori_error *err)
{
    struct links links = {work->state, it};
    tori_box box = {.shape.ndims = 0};
    if (!work->plain || it->request.shape.ndims == 0
        || !missing_least (&work->missing, &it->request, &box, &it->missing))
        return 0;
    it->place = placement_of_box (&box, it->request.wiring);
    if (!wiring_free (work->state, &box,
                      wires_of_box (work->machine, &box, it->request.wiring)))
        (void)tori_wiring_each (work->machine, &box, it->request.wiring,
                                note_link, &links);
    if (find_down (work, it, err) < 0 || find_blockers (work, it, err) < 0)
        return -1;
    return 0;
}

static struct evidence *add_evidence (struct whywork *work,
                                      struct evidence is, tori_error *err)
{
    struct evidence *more
        = array_room (work->evidence, &work->evidence_room,
                      work->nevidence + 1, sizeof *more);
    if (!more) {
        tori_error_nomem (err);
        return NULL;
    }
    work->evidence = more;
    more += work->nevidence++;
    *more = is;
    return more;
}

struct evidence *evidence_for (struct whywork *work,
                               const tori_request *request, tori_error *err)
{
    struct evidence *it;
    for (size_t i = 0; i < work->nevidence; i++)
        if (!work->evidence[i].resumes
            && same_request (&work->evidence[i].request, request))
            return &work->evidence[i];
    it = add_evidence (work, (struct evidence){.request = *request}, err);
    return it && gather_evidence (work, it, err) == 0 ? it : NULL;
}

/* ---- one place ---- */

static int gather_place (struct whywork *work, struct evidence *it,
                         tori_error *err)
{
    struct links links = {work->state, it};
    uint32_t *ids = malloc ((it->resumes->count + 1) * sizeof *ids);
    if (!ids)
        return tori_error_nomem (err);
    it->place = placement_of_box (&it->resumes->box, it->resumes->wiring);
    tori_placement_nodes (it->resumes, work->machine, ids);
    for (uint32_t i = 0; i < it->resumes->count; i++)
        it->missing += tori_state_node (work->state, ids[i]) != TORI_NODE_FREE;
    free (ids);
    (void)tori_placement_each_link (it->resumes, work->machine, note_link,
                                    &links);
    if (find_down (work, it, err) < 0 || find_blockers (work, it, err) < 0)
        return -1;
    return 0;
}

/* Only boxes have evidence of their place. */
struct evidence *evidence_of_place (struct whywork *work,
                                    const tori_placement *place,
                                    tori_error *err)
{
    struct evidence *it
        = add_evidence (work, (struct evidence){.resumes = place}, err);
    if (!it || place->nboxes != 1)
        return it;
    return gather_place (work, it, err) < 0 ? NULL : it;
}

void evidence_clear (struct whywork *work)
{
    for (size_t i = 0; i < work->nevidence; i++) {
        tori_placement_clear (&work->evidence[i].place);
        free (work->evidence[i].blockers);
        free (work->evidence[i].down);
    }
    free (work->evidence);
}
