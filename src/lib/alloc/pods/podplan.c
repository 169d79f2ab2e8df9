#include "podplan.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "grid.h"

#define NO_PIECE UINT32_MAX

/* Cubes with more nodes than this have so many cuts that one plan is kept. */
enum { SMALL_CUBE = 512 };

/* ---- forms ---- */

int podforms_add (struct podforms *forms, const tori_request *request,
                  tori_error *err)
{
    tori_shape shape = request->shape;
    if (!request->fixed)
        tori_shape_sort (&shape);
    do {
        struct podform *grown = array_room (forms->form, &forms->room,
                                            forms->n + 1, sizeof *grown);
        if (!grown)
            return tori_error_nomem (err);
        forms->form = grown;
        grown[forms->n++] = (struct podform){shape, request->wiring};
    } while (!request->fixed && tori_shape_next_rotation (&shape));
    return 0;
}

static bool same_form (const struct podform *a, const struct podform *b)
{
    return a->wiring == b->wiring && tori_shape_equal (&a->shape, &b->shape);
}

bool podforms_same (const struct podforms *a, const struct podforms *b)
{
    for (size_t i = 0; i < a->n && a->n == b->n; i++)
        if (!same_form (&a->form[i], &b->form[i]))
            return false;
    return a->n == b->n;
}

/* ---- pieces ---- */

static const uint32_t *span_of (const struct podplan *plan, size_t piece,
                                int ndims)
{
    return plan->span + piece * 2 * (size_t)ndims;
}

static uint64_t hash_piece (const uint32_t span[], int ndims,
                            const struct podpiece *piece)
{
    uint64_t hash = (uint64_t)piece->below << 32 | piece->above;
    for (int i = 0; i < 2 * ndims; i++)
        hash = (hash ^ span[i]) * UINT64_C (0x9e3779b97f4a7c15);
    return hash >> 20;
}

/* The slot of a piece in the table, or the empty one where it belongs. */
static uint32_t *slot_of (const struct podplan *plan, int ndims,
                          const uint32_t span[], const struct podpiece *piece)
{
    size_t size = 2 * (size_t)ndims * sizeof *span;
    uint64_t at = hash_piece (span, ndims, piece);
    for (;; at++) {
        uint32_t *slot = &plan->table[at & (plan->ntable - 1)];
        if (*slot == NO_PIECE
            || (plan->piece[*slot].below == piece->below
                && plan->piece[*slot].above == piece->above
                && memcmp (span_of (plan, *slot, ndims), span, size) == 0))
            return slot;
    }
}

/* Double the table if it is more than half full. */
static int grow_table (struct podplan *plan, int ndims)
{
    size_t n = plan->ntable ? 2 * plan->ntable : 64;
    uint32_t *table;
    if (2 * (plan->npieces + 1) <= plan->ntable)
        return 0;
    table = malloc (n * sizeof *table);
    if (!table)
        return -1;
    memset (table, 0xff, n * sizeof *table);
    free (plan->table);
    plan->table = table;
    plan->ntable = n;
    for (uint32_t i = 0; i < plan->npieces; i++)
        *slot_of (plan, ndims, span_of (plan, i, ndims), &plan->piece[i]) = i;
    return 0;
}

static int make_room (struct podplan *plan, const struct podspace *space)
{
    size_t n = plan->npieces + 1;
    struct podpiece *piece =
        array_room (plan->piece, &plan->piece_room, n, sizeof *piece);
    uint32_t *span = array_room (plan->span, &plan->span_room,
                                 n * 2 * (size_t)space->ndims, sizeof *span);
    uint64_t *mask = array_room (plan->mask, &plan->mask_room,
                                 n * space->words, sizeof *mask);
    plan->piece = piece ? piece : plan->piece;
    plan->span = span ? span : plan->span;
    plan->mask = mask ? mask : plan->mask;
    return piece && span && mask ? grow_table (plan, space->ndims) : -1;
}

/* The number of a piece with these parts: a new one if it was not met yet. */
static int number_piece (struct podplan *plan, const struct podspace *space,
                         const struct podpart *parts[], uint32_t *ret_number)
{
    uint32_t span[2 * TORI_MAX_DIMS], *slot;
    struct podpiece piece = {.size = 1};
    if (make_room (plan, space) < 0)
        return -1;
    for (int d = 0; d < space->ndims; d++) {
        uint32_t bit = UINT32_C (1) << (space->machine->apart + d);
        span[2 * d] = parts[d]->first;
        span[2 * d + 1] = parts[d]->end;
        piece.size *= parts[d]->end - parts[d]->first;
        piece.below |= parts[d]->below ? bit : 0;
        piece.above |= parts[d]->above ? bit : 0;
    }
    slot = slot_of (plan, space->ndims, span, &piece);
    if (*slot == NO_PIECE) {
        size_t n = *slot = (uint32_t)plan->npieces++;
        plan->piece[n] = piece;
        memcpy (plan->span + n * 2 * (size_t)space->ndims, span,
                2 * (size_t)space->ndims * sizeof *span);
        podspace_mask (space, span, plan->mask + n * space->words);
    }
    *ret_number = *slot;
    return 0;
}

/* ---- cuts ---- */

static int add_types (struct podplan *plan, const struct podspace *space,
                      const struct podpattern *pattern, struct podcut *cut)
{
    struct podtype *type;
    cut->ntypes = podpattern_types (pattern);
    cut->first = (uint32_t)plan->ntypes;
    type = array_room (plan->type, &plan->type_room,
                       plan->ntypes + cut->ntypes, sizeof *type);
    if (!type)
        return -1;
    plan->type = type;
    for (uint32_t t = 0; t < cut->ntypes; t++) {
        const struct podpart *parts[TORI_MAX_DIMS];
        type = &plan->type[plan->ntypes++];
        podpattern_parts (pattern, t, parts);
        type->need = 1;
        for (int d = 0; d < space->ndims; d++)
            type->need *= parts[d]->count;
        if (number_piece (plan, space, parts, &type->piece) < 0)
            return -1;
    }
    if (cut->ntypes > plan->most_types)
        plan->most_types = cut->ntypes;
    return 0;
}

static int add_cut (struct podplan *plan, const struct podspace *space,
                    uint32_t form, uint32_t offset)
{
    const struct podform *it = &plan->forms.form[form];
    uint64_t pieces =
        podcut_pieces (space, &it->shape, offset, it->wiring);
    struct podpattern pattern;
    struct podcut *cuts;
    if (pieces == 0 || pieces > space->cubes)
        return 0;
    cuts = array_room (plan->cut, &plan->cut_room, plan->ncuts + 1,
                       sizeof *cuts);
    if (!cuts)
        return -1;
    plan->cut = cuts;
    cuts[plan->ncuts] =
        (struct podcut){(uint32_t)pieces, offset, form, 0, 0};
    podpattern_make (&pattern, space, &it->shape, offset, it->wiring,
                     plan->linked);
    return add_types (plan, space, &pattern, &cuts[plan->ncuts++]);
}

static int by_pieces (const void *a, const void *b)
{
    const struct podcut *x = a, *y = b;
    if (x->pieces != y->pieces)
        return x->pieces < y->pieces ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->form > y->form) - (x->form < y->form);
}

static int add_cuts (struct podplan *plan, const struct podspace *space)
{
    for (uint32_t o = 0; o < space->volume; o++)
        for (uint32_t f = 0; f < plan->forms.n; f++)
            if (add_cut (plan, space, f, o) < 0)
                return -1;
    if (plan->ncuts > 1)
        qsort (plan->cut, plan->ncuts, sizeof *plan->cut, by_pieces);
    return 0;
}

/* ---- plans ---- */

static void plan_destroy (struct podplan *plan)
{
    if (!plan)
        return;
    free (plan->forms.form);
    free (plan->cut);
    free (plan->type);
    free (plan->piece);
    free (plan->span);
    free (plan->mask);
    free (plan->table);
    free (plan);
}

static struct podplan *plan_create (const struct podspace *space,
                                    const struct podforms *forms, bool linked)
{
    struct podplan *plan = calloc (1, sizeof *plan);
    if (!plan)
        return NULL;
    plan->linked = linked;
    plan->forms.form = malloc ((forms->n + 1) * sizeof *forms->form);
    if (plan->forms.form) {
        memcpy (plan->forms.form, forms->form,
                forms->n * sizeof *forms->form);
        plan->forms.n = forms->n;
    }
    if (!plan->forms.form || add_cuts (plan, space) < 0) {
        plan_destroy (plan);
        return NULL;
    }
    return plan;
}

static struct podplan **where_kept (struct podplans *plans,
                                    const struct podspace *space,
                                    const struct podforms *forms)
{
    const struct podform *first = forms->form;
    uint64_t hash = forms->n;
    if (space->volume > SMALL_CUBE || forms->n == 0)
        return &plans->kept[0];
    for (int d = 0; d < first->shape.ndims; d++)
        hash =
            (hash ^ first->shape.size[d]) * UINT64_C (0x9e3779b97f4a7c15);
    hash = (hash ^ (uint64_t)first->wiring) * UINT64_C (0x9e3779b97f4a7c15);
    hash = hash >> 32 & (PODPLANS - 1);
    return &plans->kept[forms->n > SMALL_PODFORMS ? hash % LARGE_PODPLANS
                                                  : hash];
}

const struct podplan *podplans_get (struct podplans *plans,
                                    const struct podspace *space,
                                    const struct podforms *forms, bool linked)
{
    struct podplan **kept = where_kept (plans, space, forms);
    if (!*kept || (*kept)->linked != linked
        || !podforms_same (&(*kept)->forms, forms)) {
        struct podplan *plan = plan_create (space, forms, linked);
        if (!plan)
            return NULL;
        plan_destroy (*kept);
        *kept = plan;
    }
    return *kept;
}

void podplans_clear (struct podplans *plans)
{
    for (int i = 0; i < PODPLANS; i++)
        plan_destroy (plans->kept[i]);
}

/* ---- placements ---- */

/* The pieces in order, each in the next cube of its type. */
static int lay_pieces (const struct podplan *plan,
                       const struct podspace *space, const struct podcut *cut,
                       const uint32_t cubes[],
                       const struct podpattern *pattern, tori_box boxes[],
                       tori_error *err)
{
    const struct podtype *type = plan->type + cut->first;
    uint32_t *next = malloc ((cut->ntypes + (size_t)1) * sizeof *next), n = 0;
    if (!next)
        return tori_error_nomem (err);
    for (uint32_t t = 0; t < cut->ntypes; t++) {
        next[t] = n;
        n += type[t].need;
    }
    for (uint32_t i = 0; i < cut->pieces; i++) {
        uint32_t t = podpattern_type (pattern, i);
        boxes[i] = podspace_box (space, cubes[next[t]++],
                                 span_of (plan, type[t].piece, space->ndims));
    }
    free (next);
    return 0;
}

int podplan_lay (const struct podplan *plan, const struct podspace *space,
                 const struct podcut *cut, const uint32_t cubes[],
                 tori_placement *ret_place, tori_error *err)
{
    const struct podform *form = &plan->forms.form[cut->form];
    tori_box *boxes = malloc (cut->pieces * sizeof *boxes);
    struct podpattern pattern;
    int status;
    if (!boxes)
        return tori_error_nomem (err);
    podpattern_make (&pattern, space, &form->shape, cut->offset, form->wiring,
                     plan->linked);
    status = lay_pieces (plan, space, cut, cubes, &pattern, boxes, err);
    if (status == 0)
        status = tori_placement_of_pieces (boxes, &pattern.across,
                                           form->wiring, ret_place, err);
    free (boxes);
    return status;
}
