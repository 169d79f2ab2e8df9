/* Nodes and boxes of tori/machine.h: as text, and as sets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "number.h"

/* "x,y,z" at *text, which is moved past it. */
static bool scan_coords (const tori_machine *machine, const char **text,
                         int ndims, uint32_t coords[])
{
    for (int d = 0; d < ndims; d++) {
        uint64_t value;
        if (d > 0 && *(*text)++ != ',')
            return false;
        if (!number_scan (text, machine->shape.size[d] - 1, &value))
            return false;
        coords[d] = (uint32_t)value;
    }
    return true;
}

static int bad_node (const tori_machine *machine, const char *text,
                     tori_error *err)
{
    char name[TORI_TEXT_MAX], last[TORI_TEXT_MAX];
    tori_machine_format (machine, name);
    tori_node_format (machine, machine->nodes - 1, last);
    return tori_error_set (err, TORI_INVALID,
                           "'%.60s' is not a node of %.80s: expected "
                           "coordinates up to %.100s",
                           text, name, last);
}

int tori_node_parse (const tori_machine *machine, const char *text,
                     uint32_t *ret_id, tori_error *err)
{
    uint32_t coords[TORI_MAX_DIMS];
    const char *p = text;
    if (!scan_coords (machine, &p, machine->shape.ndims, coords) || *p)
        return bad_node (machine, text, err);
    *ret_id = tori_machine_id (machine, coords);
    return 0;
}

static size_t format_number (uint32_t value, char *text)
{
    size_t n = 1, at;
    for (uint32_t rest = value; rest > 9; rest /= 10)
        n++;
    for (at = n; at-- > 0; value /= 10)
        text[at] = (char)('0' + value % 10);
    return n;
}

/* Not by snprintf: the place of a job may have all nodes of the machine. */
static size_t format_coords (const uint32_t coords[], int ndims,
                             char text[TORI_TEXT_MAX])
{
    size_t at = 0;
    for (int d = 0; d < ndims; d++) {
        if (d > 0)
            text[at++] = ',';
        at += format_number (coords[d], text + at);
    }
    text[at] = '\0';
    return at;
}

void tori_node_format (const tori_machine *machine, uint32_t id,
                       char text[TORI_TEXT_MAX])
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, id, coords);
    format_coords (coords, machine->shape.ndims, text);
}

/* Whether the sides of a box lie in the machine, wrapping where that wraps. */
static int check_extent (const tori_machine *machine, const tori_box *box,
                         const char *text, tori_error *err)
{
    if (box->shape.ndims != machine->shape.ndims)
        return tori_error_set (err, TORI_INVALID,
                               "box '%.60s' has %d dimensions in its shape, "
                               "the machine has %d",
                               text, box->shape.ndims, machine->shape.ndims);
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint64_t end = (uint64_t)box->origin[d] + box->shape.size[d];
        uint32_t size = machine->shape.size[d];
        if (box->shape.size[d] > size
            || (end > size && !tori_machine_wraps (machine, d)))
            return tori_error_set (err, TORI_INVALID,
                                   "box '%.60s' leaves the machine in "
                                   "dimension %d, which has %u nodes",
                                   text, d, size);
    }
    return 0;
}

/* Whether a box has nodes in this dimension that the machine has not. */
static bool leaves_machine (const tori_machine *machine, const tori_box *box,
                            int dim)
{
    uint32_t size = machine->shape.size[dim];
    return box->origin[dim] >= size || box->shape.size[dim] > size
           || (box->shape.size[dim] > size - box->origin[dim]
               && !tori_machine_wraps (machine, dim));
}

int box_check (const tori_machine *machine, const tori_box *box,
               tori_error *err)
{
    if (box->shape.ndims != machine->shape.ndims)
        return tori_error_set (err, TORI_INVALID,
                               "a box of %d dimensions on a machine of %d",
                               box->shape.ndims, machine->shape.ndims);
    for (int d = 0; d < machine->shape.ndims; d++) {
        if (box->shape.size[d] == 0)
            return tori_error_set (err, TORI_INVALID,
                                   "a box has a side of 0 in dimension %d",
                                   d);
        if (leaves_machine (machine, box, d))
            return tori_error_set (err, TORI_INVALID,
                                   "a box leaves the machine in dimension "
                                   "%d, which has %u nodes",
                                   d, machine->shape.size[d]);
    }
    return 0;
}

int grid_check (const tori_machine *machine, const char *what, tori_error *err)
{
    if (!machine->apart)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "%s: not on a pod, whose cubes are joined only "
                           "where a slice is",
                           what);
}

int node_check (const tori_machine *machine, uint32_t node, tori_error *err)
{
    if (node < machine->nodes)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "node %u is not one of this machine, which has %u "
                           "nodes",
                           node, machine->nodes);
}

/* The origin of a box, or of a pod the cube in which it begins. */
static bool scan_origin (const tori_machine *machine, const char **text,
                         uint32_t coords[])
{
    const char *p = *text;
    if (scan_coords (machine, text, machine->shape.ndims, coords))
        return true;
    *text = p;
    memset (coords, 0, (size_t)machine->shape.ndims * sizeof *coords);
    return machine->apart
           && scan_coords (machine, text, machine->apart, coords)
           && **text == '/';
}

/* A shape in one cube. */
static void within_cube (const tori_machine *machine, tori_shape *shape)
{
    tori_shape body = *shape;
    if (!machine->apart || body.ndims != tori_machine_shape_dims (machine))
        return;
    shape->ndims = machine->shape.ndims;
    for (int d = 0; d < shape->ndims; d++)
        shape->size[d]
            = d < machine->apart ? 1 : body.size[d - machine->apart];
}

int tori_box_parse (const tori_machine *machine, const char *text,
                    tori_box *ret_box, tori_error *err)
{
    tori_box box = {0};
    const char *p = text;
    if (!scan_origin (machine, &p, box.origin))
        return bad_node (machine, text, err);
    if (*p == '/') {
        if (tori_shape_parse (p + 1, &box.shape, err) < 0)
            return -1;
        within_cube (machine, &box.shape);
    } else if (*p == '\0') {
        box.shape.ndims = machine->shape.ndims;
        for (int d = 0; d < machine->shape.ndims; d++)
            box.shape.size[d] = 1;
    } else {
        return tori_error_set (err, TORI_INVALID,
                               "bad box '%.60s': expected a node, or an "
                               "origin and a shape such as 0,0,4/4x4x2",
                               text);
    }
    if (check_extent (machine, &box, text, err) < 0)
        return -1;
    *ret_box = box;
    return 0;
}

void tori_box_format (const tori_box *box, char text[TORI_TEXT_MAX])
{
    char shape[TORI_TEXT_MAX];
    size_t at = format_coords (box->origin, box->shape.ndims, text);
    tori_shape_format (&box->shape, shape);
    snprintf (text + at, TORI_TEXT_MAX - at, "/%s", shape);
}

bool tori_box_wraps (const tori_machine *machine, const tori_box *box)
{
    for (int d = 0; d < box->shape.ndims; d++)
        if (box->origin[d] + box->shape.size[d] > machine->shape.size[d])
            return true;
    return false;
}

/* How far a coordinate is from the origin, the way the box extends. */
static uint32_t offset_from_origin (const tori_machine *machine,
                                    const tori_box *box, int dim,
                                    uint32_t coord)
{
    uint32_t origin = box->origin[dim];
    return coord >= origin ? coord - origin
                           : coord + machine->shape.size[dim] - origin;
}

bool tori_box_contains (const tori_machine *machine, const tori_box *box,
                        uint32_t id)
{
    for (int d = 0; d < box->shape.ndims; d++)
        if (offset_from_origin (machine, box, d, grid_coord (machine, id, d))
            >= box->shape.size[d])
            return false;
    return true;
}

/* How many coordinates two ranges have in common. */
static uint32_t count_shared (int64_t a, uint32_t na, int64_t b, uint32_t nb)
{
    int64_t from = a > b ? a : b;
    int64_t to = a + na < b + nb ? a + na : b + nb;
    return to > from ? (uint32_t)(to - from) : 0;
}

uint64_t box_common (const tori_machine *machine, const tori_box *a,
                     const tori_box *b)
{
    uint64_t n = 1;
    for (int d = 0; d < a->shape.ndims; d++) {
        int64_t size = machine->shape.size[d], at = b->origin[d];
        uint32_t side = a->shape.size[d], other = b->shape.size[d];
        n *= count_shared (a->origin[d], side, at, other)
             + count_shared (a->origin[d], side, at - size, other)
             + count_shared (a->origin[d], side, at + size, other);
    }
    return n;
}

bool tori_box_overlap (const tori_machine *machine, const tori_box *a,
                       const tori_box *b)
{
    for (int d = 0; d < a->shape.ndims; d++)
        if (offset_from_origin (machine, a, d, b->origin[d])
                >= a->shape.size[d]
            && offset_from_origin (machine, b, d, a->origin[d])
                   >= b->shape.size[d])
            return false;
    return true;
}

void tori_box_nodes (const tori_machine *machine, const tori_box *box,
                     uint32_t ids[])
{
    struct runs runs = runs_of_box (machine, box);
    uint64_t first, count;
    while (runs_next (&runs, &first, &count))
        while (count-- > 0)
            *ids++ = (uint32_t)first++;
}

bool box_equal (const tori_box *a, const tori_box *b)
{
    return tori_shape_equal (&a->shape, &b->shape)
           && memcmp (a->origin, b->origin,
                      (size_t)a->shape.ndims * sizeof *a->origin)
                  == 0;
}
