/* Nodes, shapes, boxes and links on a few machines: what is accepted lies in
 * the machine and its own text gives the same thing again. The first byte of
 * the input chooses the machine. */
#include <tori/state.h>

#include "fuzz.h"

static const char *const MACHINES[] = {
    "mesh:1",
    "mesh:4x5",
    "torus:8x8x8",
    "multitorus:8x8x8",
    "torus:16x1x2x8m",
    "multitorus:2x3x4t",
    "mesh:2^20",
    "torus:1073741824",
};
enum { NMACHINES = sizeof MACHINES / sizeof MACHINES[0] };

static void try_node (const tori_machine *machine, const char *text)
{
    char canonical[TORI_TEXT_MAX];
    uint32_t id = UINT32_MAX, again;
    if (tori_node_parse (machine, text, &id, NULL) < 0) {
        MUST (id == UINT32_MAX);
        return;
    }
    MUST (id < tori_machine_nodes (machine));
    tori_node_format (machine, id, canonical);
    MUST (tori_node_parse (machine, canonical, &again, NULL) == 0);
    MUST (again == id);
}

static void try_rotations (tori_shape shape)
{
    uint64_t volume = tori_shape_volume (&shape);
    int steps = 0;
    tori_shape_sort (&shape);
    do {
        MUST (tori_shape_volume (&shape) == volume);
    } while (tori_shape_next_rotation (&shape) && ++steps < 200);
}

static void try_shape (const tori_machine *machine, const char *text)
{
    char canonical[TORI_TEXT_MAX];
    tori_shape shape, again;
    if (tori_shape_parse (text, &shape, NULL) < 0)
        return;
    MUST (shape.ndims >= 1 && shape.ndims <= TORI_MAX_DIMS);
    for (int d = 0; d < shape.ndims; d++)
        MUST (shape.size[d] > 0);
    tori_shape_format (&shape, canonical);
    MUST (tori_shape_parse (canonical, &again, NULL) == 0);
    MUST (tori_shape_equal (&shape, &again));
    if (tori_shape_fits (&shape, machine))
        MUST (tori_shape_volume (&shape) <= tori_machine_nodes (machine));
    try_rotations (shape);
}

/* The nodes of a box ascend and are those that it contains. */
static void try_box_nodes (const tori_machine *machine, const tori_box *box,
                           uint64_t volume)
{
    uint32_t *ids = malloc (volume * sizeof *ids);
    MUST (ids);
    tori_box_nodes (machine, box, ids);
    for (uint64_t i = 0; i < volume; i++) {
        MUST (i == 0 || ids[i - 1] < ids[i]);
        MUST (tori_box_contains (machine, box, ids[i]));
    }
    MUST (ids[volume - 1] < tori_machine_nodes (machine));
    free (ids);
}

static void try_box (const tori_machine *machine, const char *text)
{
    char canonical[TORI_TEXT_MAX];
    tori_box box, again;
    uint64_t volume;
    bool wraps = false;
    if (tori_box_parse (machine, text, &box, NULL) < 0)
        return;
    MUST (box.shape.ndims == tori_machine_ndims (machine));
    for (int d = 0; d < box.shape.ndims; d++) {
        uint32_t side = tori_machine_size (machine, d);
        MUST (box.origin[d] < side);
        MUST (box.shape.size[d] >= 1 && box.shape.size[d] <= side);
        if (box.shape.size[d] > side - box.origin[d]) {
            MUST (tori_machine_wraps (machine, d));
            wraps = true;
        }
    }
    MUST (tori_box_wraps (machine, &box) == wraps);
    tori_box_format (&box, canonical);
    MUST (tori_box_parse (machine, canonical, &again, NULL) == 0);
    MUST (memcmp (box.origin, again.origin,
                  (size_t)box.shape.ndims * sizeof box.origin[0]) == 0);
    MUST (tori_shape_equal (&box.shape, &again.shape));
    MUST (tori_box_overlap (machine, &box, &again));
    volume = tori_shape_volume (&box.shape);
    if (volume <= 4096)
        try_box_nodes (machine, &box, volume);
}

/* A link's ends and kind, written out, name the same link. */
static void try_link (const tori_machine *machine, const char *text)
{
    char a[TORI_TEXT_MAX], b[TORI_TEXT_MAX], canonical[2 * TORI_TEXT_MAX + 4];
    uint32_t coords[TORI_MAX_DIMS], first, second;
    tori_link link, again;
    char kind;
    if (tori_link_parse (machine, text, &link, NULL) < 0)
        return;
    MUST (tori_link_exists (machine, &link));
    MUST (link.dim >= 0 && link.dim < tori_machine_ndims (machine));
    MUST (link.slot < tori_machine_nodes (machine));
    kind = tori_link_ends (machine, &link, &first, &second);
    MUST (kind == 'n' || kind == 'w' || kind == 's');
    MUST (first < second && second < tori_machine_size (machine, link.dim));
    tori_machine_coords (machine, link.slot, coords);
    coords[link.dim] = first;
    tori_node_format (machine, tori_machine_id (machine, coords), a);
    coords[link.dim] = second;
    tori_node_format (machine, tori_machine_id (machine, coords), b);
    snprintf (canonical, sizeof canonical, "%s-%s %c", a, b, kind);
    MUST (tori_link_parse (machine, canonical, &again, NULL) == 0);
    MUST (again.dim == link.dim && again.layer == link.layer
          && again.slot == link.slot);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    tori_machine *machine;
    char *text;
    if (size == 0)
        return 0;
    MUST (tori_machine_parse (MACHINES[data[0] % NMACHINES], &machine, NULL)
          == 0);
    text = fuzz_text (data + 1, size - 1);
    try_node (machine, text);
    try_shape (machine, text);
    try_box (machine, text);
    try_link (machine, text);
    free (text);
    tori_machine_destroy (machine);
    return 0;
}
