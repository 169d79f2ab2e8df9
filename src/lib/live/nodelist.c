#include "nodelist.h"

#include <stdio.h>
#include <stdlib.h>

#include "bits.h"
#include "compare.h"
#include "grid.h"
#include "placement.h"
#include "taking.h"

/* The i-th of a list as a text, or NULL. */
static const char *text_at (const struct member_of *of, const char *key,
                            const json_t *list, size_t i, tori_error *err)
{
    const char *text = json_string_value (json_array_get (list, i));
    if (!text)
        member_bad (of, key, err, "entry %zu: expected a string", i);
    return text;
}

static int bad_entry (const struct member_of *of, const char *key, size_t i,
                      const tori_error *why, tori_error *err)
{
    if (why->status == TORI_FAILED)
        return member_blame (of, key, why, err);
    return member_bad (of, key, err, "entry %zu: %s", i, why->text);
}

/* ---- nodes ---- */

/* [0,0,0] as "0,0,0". */
static bool node_text (const json_t *value, char text[TORI_TEXT_MAX])
{
    size_t n = json_array_size (value), used = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *at = json_array_get (value, i);
        int wrote;
        if (!json_is_integer (at))
            return false;
        wrote = snprintf (text + used, TORI_TEXT_MAX - used, "%s%lld",
                          i ? "," : "", (long long)json_integer_value (at));
        if (wrote < 0 || (size_t)wrote >= TORI_TEXT_MAX - used)
            return false;
        used += (size_t)wrote;
    }
    return n > 0;
}

/* The i-th of a list of nodes and boxes as a text, or NULL. */
static const char *node_at (const struct member_of *of, const char *key,
                            const json_t *list, size_t i,
                            char text[TORI_TEXT_MAX], tori_error *err)
{
    const json_t *entry = json_array_get (list, i);
    if (json_is_string (entry))
        return json_string_value (entry);
    if (node_text (entry, text))
        return text;
    member_bad (of, key, err,
                "entry %zu: expected a node or a box, such as \"0,0,0\", "
                "[0,0,0] or \"0,0,0/2x2x2\"",
                i);
    return NULL;
}

/* What was read of a set. */
struct nodeset {
    uint64_t *bits;
    uint64_t n;     /* with nodes that are there twice, */
    uint64_t twice; /* and the first of these; or UINT64_MAX */
};

static void add_run (struct nodeset *set, uint64_t first, uint64_t count)
{
    uint64_t met = first;
    if (first < set->twice && bits_any_range (set->bits, first, count)) {
        while (!bits_test (set->bits, met))
            met++;
        if (met < set->twice)
            set->twice = met;
    }
    bits_set_range (set->bits, first, count);
}

/* Row by row: a box of any size costs little. */
static int add_box (struct nodeset *set, const tori_machine *machine,
                    const char *text, tori_error *err)
{
    uint64_t volume, first, count;
    struct runs runs;
    tori_box box;
    if (tori_box_parse (machine, text, &box, err) < 0)
        return -1;
    volume = tori_shape_volume (&box.shape);
    if (volume > tori_machine_nodes (machine) - set->n)
        return tori_error_set (err, TORI_INVALID,
                               "the list has more nodes than the machine");
    set->n += volume;
    runs = runs_of_box (machine, &box);
    while (runs_next (&runs, &first, &count))
        add_run (set, first, count);
    return 0;
}

static int add_all (const struct member_of *of, const char *key,
                    const json_t *list, const tori_machine *machine,
                    struct nodeset *set, tori_error *err)
{
    char room[TORI_TEXT_MAX];
    for (size_t i = 0; i < json_array_size (list); i++) {
        const char *text = node_at (of, key, list, i, room, err);
        tori_error why;
        if (!text)
            return -1;
        if (add_box (set, machine, text, &why) < 0)
            return bad_entry (of, key, i, &why, err);
    }
    if (set->twice == UINT64_MAX)
        return 0;
    tori_node_format (machine, (uint32_t)set->twice, room);
    return member_bad (of, key, err, "node %.80s is there twice", room);
}

int nodeset_read (const struct member_of *of, const char *key,
                  const tori_machine *machine, uint64_t **ret_set,
                  size_t *ret_n, tori_error *err)
{
    struct nodeset set = {.twice = UINT64_MAX};
    const json_t *list;
    int found = member_list (of, key, &list, err);
    if (found <= 0)
        return found;
    set.bits = calloc (bits_words (tori_machine_nodes (machine)),
                       sizeof *set.bits);
    if (!set.bits)
        return tori_error_nomem (err);
    if (add_all (of, key, list, machine, &set, err) < 0) {
        free (set.bits);
        return -1;
    }
    *ret_set = set.bits;
    *ret_n = (size_t)set.n;
    return 1;
}

int nodelist_read (const struct member_of *of, const char *key,
                   const tori_machine *machine, uint32_t **ret_ids,
                   size_t *ret_n, tori_error *err)
{
    uint64_t *set, word;
    uint32_t *ids = NULL;
    size_t n, k = 0;
    int found = nodeset_read (of, key, machine, &set, &n, err);
    if (found <= 0)
        return found;
    ids = n > 0 ? malloc (n * sizeof *ids) : NULL;
    for (size_t i = 0; ids && k < n; i++)
        for (word = set[i]; word; word &= word - 1)
            ids[k++] = (uint32_t)(64 * i + (size_t)__builtin_ctzll (word));
    free (set);
    if (n > 0 && !ids)
        return tori_error_nomem (err);
    *ret_ids = ids;
    *ret_n = n;
    return 1;
}

/* ---- links ---- */

int linklist_read (const struct member_of *of, const char *key,
                   const tori_machine *machine, tori_link **ret_links,
                   size_t *ret_n, tori_error *err)
{
    const json_t *list;
    tori_link *links;
    size_t n;
    int found = member_list (of, key, &list, err);
    if (found <= 0)
        return found;
    n = json_array_size (list);
    links = calloc (n + 1, sizeof *links);
    if (!links)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++) {
        const char *text = text_at (of, key, list, i, err);
        tori_error why;
        if (!text)
            goto fail;
        if (tori_link_parse (machine, text, &links[i], &why) < 0) {
            bad_entry (of, key, i, &why, err);
            goto fail;
        }
    }
    qsort (links, n, sizeof *links, compare_links);
    *ret_links = links;
    *ret_n = n;
    return 1;
fail:
    free (links);
    return -1;
}

/* ---- places ---- */

static int read_box (const struct member_of *of, const tori_machine *machine,
                     tori_wiring wiring, tori_placement *place,
                     tori_error *err)
{
    const char *text;
    tori_error why;
    tori_box box;
    int found = member_text (of, "box", &text, err);
    if (found <= 0)
        return found;
    if (tori_box_parse (machine, text, &box, &why) < 0)
        return member_blame (of, "box", &why, err);
    *place = placement_of_box (&box, wiring);
    return 1;
}

/* The joints of the pieces of a slice. 0: there are so many separate boxes. */
static int read_across (const struct member_of *of, size_t n,
                        tori_shape *across, tori_error *err)
{
    const char *text;
    tori_error why;
    int found = member_text (of, "across", &text, err);
    if (found <= 0)
        return found;
    if (tori_shape_parse (text, across, &why) < 0)
        return member_blame (of, "across", &why, err);
    if (tori_shape_volume (across) != n)
        return member_bad (of, "across", err, "there are %zu boxes", n);
    return 1;
}

static int join_boxes (const struct member_of *of, const tori_box boxes[],
                       size_t n, tori_wiring wiring, tori_placement *place,
                       tori_error *err)
{
    tori_shape across;
    int joined = read_across (of, n, &across, err);
    if (joined < 0)
        return -1;
    return joined ? tori_placement_of_pieces (boxes, &across, wiring, place,
                                              err)
                  : tori_placement_of_boxes (boxes, n, wiring, place, err);
}

/* Read several boxes. */
static int read_boxes (const struct member_of *of, const tori_machine *machine,
                       tori_wiring wiring, tori_placement *place,
                       tori_error *err)
{
    const json_t *list;
    tori_box *boxes;
    size_t n;
    int status = 0, found = member_list (of, "boxes", &list, err);
    if (found <= 0)
        return found;
    n = json_array_size (list);
    if (n == 0)
        return member_bad (of, "boxes", err, "there are none");
    boxes = calloc (n, sizeof *boxes);
    if (!boxes)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n && status == 0; i++) {
        const char *text = text_at (of, "boxes", list, i, err);
        tori_error why;
        status = text ? 0 : -1;
        if (text && tori_box_parse (machine, text, &boxes[i], &why) < 0)
            status = bad_entry (of, "boxes", i, &why, err);
    }
    if (status == 0)
        status = join_boxes (of, boxes, n, wiring, place, err);
    free (boxes);
    return status < 0 ? -1 : 1;
}

/* The links of a box that is not wired by the rule. */
static int read_links (const struct member_of *of, const tori_machine *machine,
                       tori_placement *place, tori_error *err)
{
    tori_link *links;
    tori_error why;
    size_t n;
    int found = linklist_read (of, "links", machine, &links, &n, err);
    if (found <= 0)
        return found;
    if (place->nboxes == 0 || n == 0) {
        free (links);
        return n == 0 ? 0
                      : member_bad (of, "links", err, "there is no box");
    }
    if (placement_set_links (place, machine, links, n, &why) < 0) {
        free (links);
        return member_blame (of, "links", &why, err);
    }
    return 1;
}

int place_read (const struct member_of *of, const tori_machine *machine,
                tori_wiring wiring, tori_placement *ret_place,
                tori_error *err)
{
    tori_placement place = {0};
    uint32_t *nodes;
    size_t n;
    int boxed = read_boxes (of, machine, wiring, &place, err), listed = 0;
    if (boxed == 0) {
        boxed = read_box (of, machine, wiring, &place, err);
        if (boxed >= 0)
            listed = nodelist_read (of, "nodes", machine, &nodes, &n, err);
    }
    if (boxed < 0 || listed < 0)
        return -1;
    if (listed && n == 0) {
        free (nodes);
        return member_bad (of, "nodes", err, "there are none");
    }
    if (listed) {
        place.nboxes = 0;
        place.wiring = TORI_WIRE_NONE;
        place.nodes = nodes;
        place.count = (uint32_t)n;
    }
    if (read_links (of, machine, &place, err) < 0) {
        tori_placement_clear (&place);
        return -1;
    }
    if (boxed || listed)
        *ret_place = place;
    return boxed || listed;
}
