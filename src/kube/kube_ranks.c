#include "kube_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "number.h"

/* ---- a box that lies turned ---- */

/* along[i] is the side of the box along which side i of the shape goes. */
static bool find_turn (const tori_shape *asked, const tori_shape *placed,
                       int along[])
{
    bool taken[TORI_MAX_DIMS] = {false};
    if (asked->ndims != placed->ndims)
        return false;
    for (int i = 0; i < asked->ndims; i++) {
        int d = 0;
        while (d < placed->ndims
               && (taken[d] || placed->size[d] != asked->size[i]))
            d++;
        if (d == placed->ndims)
            return false;
        taken[d] = true;
        along[i] = d;
    }
    return true;
}

static uint32_t node_of_rank (const tori_machine *machine, const tori_box *box,
                              const tori_shape *asked, const int along[],
                              uint32_t rank)
{
    uint32_t coords[TORI_MAX_DIMS];
    for (int i = asked->ndims; i-- > 0;) {
        int d = along[i];
        coords[d] = (box->origin[d] + rank % asked->size[i])
                    % tori_machine_size (machine, d);
        rank /= asked->size[i];
    }
    return tori_machine_id (machine, coords);
}

static bool rank_box (const tori_machine *machine, const char *text,
                      const char *shape, uint32_t ids[], size_t n)
{
    tori_shape asked;
    tori_box box;
    int along[TORI_MAX_DIMS];
    if (tori_shape_parse (shape, &asked, NULL) < 0
        || tori_box_parse (machine, text, &box, NULL) < 0
        || tori_shape_volume (&asked) != n
        || !find_turn (&asked, &box.shape, along))
        return false;
    for (uint32_t i = 0; i < n; i++)
        ids[i] = node_of_rank (machine, &box, &asked, along, i);
    return true;
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
                      const char *shape, size_t *ret_n)
{
    const json_t *map = json_object_get (order, "map");
    const char *box = json_string_value (json_object_get (order, "box"));
    uint32_t *ids = read_ids (
        machine, map ? map : json_object_get (order, "ids"), ret_n);
    if (ids && box && shape && !map)
        rank_box (machine, box, shape, ids, *ret_n);
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
