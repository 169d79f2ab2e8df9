#include "kube_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "nodelist.h"
#include "number.h"

int kube_order_place (const tori_machine *machine, const json_t *order,
                      tori_placement *ret_place)
{
    json_t *place = json_pack ("{s:O*, s:O*, s:O*}", "box",
                               json_object_get (order, "box"), "boxes",
                               json_object_get (order, "boxes"), "across",
                               json_object_get (order, "across"));
    const struct member_of of = {.object = place, .list = "order"};
    tori_error err;
    int found = place ? place_read (&of, machine, TORI_WIRE_NONE, ret_place,
                                    &err)
                      : -1;
    json_decref (place);
    return found > 0 ? 0 : -1;
}

/* Whether a place is a box of a shape, in whose order the ids are then. */
static bool rank_box (const tori_machine *machine, const tori_placement *place,
                      const char *shape, uint32_t ids[], size_t n)
{
    tori_request request = {0};
    return shape && tori_shape_parse (shape, &request.shape, NULL) == 0
           && place->count == n && tori_shape_volume (&request.shape) == n
           && tori_placement_map (place, machine, &request, ids, NULL) == 0;
}

/* Leaves the ids as they are if the order has no box of a shape that will
 * do. */
static void rank_boxes (const tori_machine *machine, const json_t *order,
                        const json_t *ask, uint32_t ids[], size_t n)
{
    const json_t *others = json_object_get (ask, "alternatives");
    const json_t *one = ask;
    tori_placement place = {0};
    if (kube_order_place (machine, order, &place) < 0)
        return;
    for (size_t i = 0; one; one = json_array_get (others, i++))
        if (rank_box (machine, &place,
                      json_string_value (json_object_get (one, "shape")), ids,
                      n))
            break;
    tori_placement_clear (&place);
}

static uint32_t *read_ids (const tori_machine *machine, const json_t *list,
                           size_t *ret_n)
{
    size_t n = json_array_size (list);
    uint32_t *ids = n > 0 ? malloc (n * sizeof *ids) : NULL;
    for (size_t i = 0; ids && i < n; i++) {
        json_int_t id = json_integer_value (json_array_get (list, i));
        if (id < 0 || id >= tori_machine_nodes (machine)) {
            free (ids);
            return NULL;
        }
        ids[i] = (uint32_t)id;
    }
    *ret_n = n;
    return ids;
}

uint32_t *kube_ranks (const tori_machine *machine, const json_t *order,
                      const json_t *ask, size_t *ret_n)
{
    const json_t *map = json_object_get (order, "map");
    uint32_t *ids = read_ids (
        machine, map ? map : json_object_get (order, "ids"), ret_n);
    if (ids && !map)
        rank_boxes (machine, order, ask, ids, *ret_n);
    return ids;
}

/* ---- as a text ---- */

char *kube_ranks_format (const uint32_t ids[], size_t n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream (&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < n;) {
        size_t last = i;
        while (last + 1 < n && ids[last + 1] == ids[last] + 1)
            last++;
        fprintf (out, last > i ? "%s%u-%u" : "%s%u", i > 0 ? "," : "", ids[i],
                 ids[last]);
        i = last + 1;
    }
    if (fclose (out) == 0)
        return text;
    free (text);
    return NULL;
}

static bool read_run (const char **text, uint32_t most, uint64_t *first,
                      uint64_t *last)
{
    if (!number_scan (text, most, first))
        return false;
    *last = *first;
    if (**text == '-') {
        ++*text;
        if (!number_scan (text, most, last))
            return false;
    }
    return *first <= *last && *last < most;
}

uint32_t *kube_ranks_parse (const char *text, uint32_t most, size_t *ret_n)
{
    uint32_t *ids = NULL, *more;
    size_t n = 0, room = 0;
    uint64_t first, last;
    while (read_run (&text, most, &first, &last)) {
        if (last - first >= most - n
            || !(more = array_room (ids, &room, n + last - first + 1,
                                    sizeof *ids)))
            break;
        ids = more;
        for (; first <= last; first++)
            ids[n++] = (uint32_t)first;
        if (!*text) {
            *ret_n = n;
            return ids;
        }
        if (*text++ != ',')
            break;
    }
    free (ids);
    return NULL;
}
