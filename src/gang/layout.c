#include "layout.h"

#include <stdlib.h>
#include <string.h>

/* How much of a partition is used. */
enum use { FREE, PART, FULL };

/* A search for places. Stages are few and the tree is small, a node or two a
 * rank, so each stage looks at the whole of it. */
struct search {
    const tori_gang_tree *tree;
    const struct spec *spec;
    unsigned char *use; /* a node */
    bool *placed;       /* a stage */
    uint32_t *node;     /* a stage: where it is */
};

static void search_clear (struct search *s)
{
    free (s->use);
    free (s->placed);
    free (s->node);
}

static int search_open (struct search *s, const tori_gang_tree *tree,
                        const struct spec *spec, tori_error *err)
{
    *s = (struct search){
        .tree = tree,
        .spec = spec,
        .use = calloc (tori_gang_tree_nodes (tree), sizeof *s->use),
        .placed = calloc (spec->stages, sizeof *s->placed),
        .node = calloc (spec->stages, sizeof *s->node)};
    if (s->use && s->placed && s->node)
        return 0;
    search_clear (s);
    return tori_error_nomem (err);
}

/* The smallest free partition within a node's that holds that many, the first
 * of equal ones; TORI_GANG_NONE if there is none. */
static uint32_t find_free (const struct search *s, uint32_t node,
                           uint32_t count)
{
    tori_gang_place place;
    uint32_t best = TORI_GANG_NONE, least = UINT32_MAX;
    tori_gang_tree_place (s->tree, node, &place);
    if (s->use[node] == FULL || place.size < count)
        return TORI_GANG_NONE;
    for (uint32_t i = 0; i < place.children; i++) {
        uint32_t found = find_free (s, place.first + i, count);
        tori_gang_place below;
        if (found == TORI_GANG_NONE)
            continue;
        tori_gang_tree_place (s->tree, found, &below);
        if (below.size < least) {
            best = found;
            least = below.size;
        }
    }
    return best == TORI_GANG_NONE && s->use[node] == FREE ? node : best;
}

static void take_node (struct search *s, uint32_t node)
{
    tori_gang_place place;
    s->use[node] = FULL;
    tori_gang_tree_place (s->tree, node, &place);
    while (place.parent != TORI_GANG_NONE) {
        s->use[place.parent] = PART;
        tori_gang_tree_place (s->tree, place.parent, &place);
    }
}

/* The largest program that has no place yet, the first of equal ones. */
static size_t next_stage (const struct search *s)
{
    const struct spec *spec = s->spec;
    size_t best = spec->stages;
    for (size_t i = 0; i < spec->stages; i++)
        if (!s->placed[i]
            && (best == spec->stages
                || spec->stage[i].count > spec->stage[best].count))
            best = i;
    return best;
}

/* Whether there are disjoint places for all within a node's partition. */
static bool find_all (struct search *s, uint32_t node)
{
    memset (s->use, FREE, tori_gang_tree_nodes (s->tree));
    memset (s->placed, 0, s->spec->stages * sizeof *s->placed);
    for (size_t n = 0; n < s->spec->stages; n++) {
        size_t i = next_stage (s);
        s->node[i] = find_free (s, node, s->spec->stage[i].count);
        if (s->node[i] == TORI_GANG_NONE)
            return false;
        s->placed[i] = true;
        take_node (s, s->node[i]);
    }
    return true;
}

uint32_t layout_need (const tori_gang_tree *tree, const struct spec *spec,
                      uint32_t most, tori_error *err)
{
    uint32_t count = spec_count (spec), need = count;
    struct search s;
    if (spec->stages == 1)
        return count;
    if (search_open (&s, tree, spec, err) < 0)
        return 0;
    for (uint32_t i = 0; i < tori_gang_tree_nodes (tree); i++) {
        tori_gang_place place;
        tori_gang_tree_place (tree, i, &place);
        if (place.size >= need && !find_all (&s, i))
            need = place.size + 1;
    }
    search_clear (&s);
    return need <= most ? need : count;
}

/* ---- processors ---- */

/* The first processors of a partition. */
static int list_processors (const tori_gang_tree *tree, uint32_t node,
                            uint32_t count, uint32_t to[], tori_error *err)
{
    tori_gang_place place;
    uint32_t *all;
    tori_gang_tree_place (tree, node, &place);
    all = malloc (place.size * sizeof *all);
    if (!all)
        return tori_error_nomem (err);
    tori_box_nodes (tori_gang_tree_machine (tree), &place.box, all);
    memcpy (to, all, count * sizeof *to);
    free (all);
    return 0;
}

static int list_all (const struct search *s, uint32_t node,
                     struct layout *layout, tori_error *err)
{
    const struct spec *spec = s->spec;
    uint32_t *to = layout->processor;
    if (!layout->disjoint)
        return list_processors (s->tree, node, spec_count (spec), to, err);
    for (size_t i = 0; i < spec->stages; i++) {
        uint32_t count = spec->stage[i].count;
        if (list_processors (s->tree, layout->node[i], count, to, err) < 0)
            return -1;
        to += count;
    }
    return 0;
}

int layout_make (const tori_gang_tree *tree, const struct spec *spec,
                 uint32_t node, struct layout *ret_layout, tori_error *err)
{
    struct layout layout = {0};
    struct search s;
    int status;
    if (search_open (&s, tree, spec, err) < 0)
        return -1;
    layout.disjoint = spec->stages > 1 && find_all (&s, node);
    layout.node = s.node;
    s.node = NULL;
    for (size_t i = 0; !layout.disjoint && i < spec->stages; i++)
        layout.node[i] = node;
    layout.processor = calloc (spec_count (spec), sizeof *layout.processor);
    status = layout.processor ? list_all (&s, node, &layout, err)
                              : tori_error_nomem (err);
    search_clear (&s);
    if (status < 0)
        layout_clear (&layout);
    else
        *ret_layout = layout;
    return status;
}

void layout_clear (struct layout *layout)
{
    free (layout->processor);
    free (layout->node);
    *layout = (struct layout){0};
}
