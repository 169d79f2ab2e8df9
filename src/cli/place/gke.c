#include "gke.h"

#include <stdlib.h>
#include <string.h>

#include "gkeslice.h"
#include "outfile.h"
#include "ranks.h"

enum { DIMS = GKE_DIMS, SIDE = GKE_SIDE, NAME_MOST = 49 };

static const char type[] = GKE_TYPE;

/* Partitions smaller than a cube, as they lie in it. */
static const uint32_t small[][DIMS]
    = {{2, 2, 1}, {2, 2, 2}, {2, 2, 4}, {2, 4, 4}};

/* ---- requests that GKE accepts ---- */

/* ^[a-z]([-a-z0-9]*[a-z0-9])?$ */
static bool is_name (const char *name)
{
    size_t n = strlen (name);
    return n > 0 && n <= NAME_MOST
           && strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n
           && name[0] >= 'a' && name[n - 1] != '-';
}

static bool has_cubes (const tori_machine *machine)
{
    int apart = tori_machine_apart (machine);
    if (apart == 0 || tori_machine_shape_dims (machine) != DIMS)
        return false;
    for (int d = apart; d < apart + DIMS; d++)
        if (tori_machine_size (machine, d) != SIDE)
            return false;
    return true;
}

static int refuse_slice (const char *why, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "--slice-file: %s", why);
}

static bool is_small (const tori_shape *shape)
{
    return tori_shape_volume (shape) < SIDE * SIDE * SIDE;
}

/* A slice smaller than a cube is a partition by itself: GKE cuts cubes into
 * those of a few sizes, side by side, and names them. It closes no rings. */
static int check_small (const tori_placement *place,
                        const tori_machine *machine, const tori_shape *shape,
                        tori_error *err)
{
    const tori_box *box = tori_placement_box (place, 0);
    int apart = tori_machine_apart (machine);
    bool known = false;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        known |= memcmp (shape->size, small[i], sizeof small[i]) == 0;
    if (!known)
        return refuse_slice (
            "GKE cuts cubes into 2x2x1, 2x2x2, 2x2x4 and 2x4x4, as "
            "they lie (--no-rotate), and larger slices have whole "
            "cubes",
            err);
    if (place->nboxes != 1)
        return refuse_slice (
            "the slice is smaller than a cube, and lies in several", err);
    if (place->wiring != TORI_WIRE_MESH)
        return refuse_slice (
            "GKE closes no rings within a cube: --wiring mesh is "
            "needed",
            err);
    for (int d = 0; d < DIMS; d++)
        if (box->origin[apart + d] % shape->size[d])
            return refuse_slice ("GKE has no partition there: they begin at "
                                 "multiples of their sides",
                                 err);
    return 0;
}

/* Fills in the sides of the slice, if GKE supports it. */
static int check_slice (const tori_placement *place,
                        const tori_machine *machine, const char *name,
                        tori_shape *shape, tori_error *err)
{
    if (!is_name (name))
        return tori_error_set (err, TORI_INVALID,
                               "--slice-name: '%.60s' is not a name: expected "
                               "up to %d lower-case letters, digits and -, "
                               "beginning with a letter and not ending with -",
                               name, NAME_MOST);
    if (!has_cubes (machine))
        return refuse_slice (
            "GKE has slices of cubes of 4x4x4, as in pod:64/4x4x4", err);
    if (!tori_placement_shape (place, machine, shape))
        return refuse_slice ("several boxes are not a slice", err);
    if (is_small (shape))
        return check_small (place, machine, shape, err);
    if (place->wiring >= TORI_WIRE_MIXED)
        return refuse_slice (
            "the shape was folded, and GKE wires no folded slices: "
            "ask for whole cubes without --fold",
            err);
    if (place->wiring != TORI_WIRE_TORUS)
        return refuse_slice (
            "GKE joins slices to tori: --wiring torus is needed", err);
    for (int d = 0; d < DIMS; d++)
        if (shape->size[d] % SIDE)
            return refuse_slice ("the slice is not made of whole cubes", err);
    if (tori_shape_volume (shape) > GKE_CHIPS_MOST)
        return refuse_slice ("GKE has slices of up to 9216 chips", err);
    return 0;
}

/* ---- its partitions ---- */

/* A node for each cube, or for each small partition of all cubes. */
static int name_parts (const tori_machine *machine, const tori_shape *shape,
                       const char *names, struct gke_slice *slice,
                       tori_error *err)
{
    tori_shape grid = *tori_machine_shape (machine);
    int apart = tori_machine_apart (machine);
    for (int d = 0; d < DIMS; d++)
        grid.size[apart + d] = SIDE / shape->size[d];
    return tori_machine_create (TORI_MESH,
                                is_small (shape) ? apart + DIMS : apart,
                                grid.size, &slice->cubes, err)
                       < 0
               ? -1
               : ranks_names (names, slice->cubes, &slice->names, err);
}

static int set_part (struct gke_slice *slice, size_t i, const uint32_t at[],
                     tori_error *err)
{
    char text[TORI_TEXT_MAX];
    slice->parts[i] = tori_machine_id (slice->cubes, at);
    if (slice->names.names[slice->parts[i]])
        return 0;
    tori_node_format (slice->cubes, slice->parts[i], text);
    return tori_error_set (err, TORI_INVALID, "--names: %.200s has no name",
                           text);
}

/* The one partition of a slice smaller than a cube. */
static int list_small (const tori_placement *place,
                       const tori_machine *machine, const tori_shape *shape,
                       struct gke_slice *slice, tori_error *err)
{
    tori_box box = *tori_placement_box (place, 0);
    for (int d = 0; d < DIMS; d++)
        box.origin[tori_machine_apart (machine) + d] /= shape->size[d];
    tori_shape_format (shape, slice->topology);
    slice->n = 1;
    slice->parts = calloc (1, sizeof *slice->parts);
    return slice->parts ? set_part (slice, 0, box.origin, err)
                        : tori_error_nomem (err);
}

static int list_cubes (const tori_placement *place, const tori_shape *shape,
                       struct gke_slice *slice, tori_error *err)
{
    tori_shape across = *shape;
    for (int d = 0; d < DIMS; d++)
        across.size[d] /= SIDE;
    gkeslice_topology (&across, slice->topology);
    slice->n = place->nboxes;
    slice->parts = calloc (slice->n, sizeof *slice->parts);
    if (!slice->parts)
        return tori_error_nomem (err);
    for (size_t i = 0; i < slice->n; i++) {
        const tori_box *box
            = tori_placement_box (place, gkeslice_piece (&across, i));
        if (set_part (slice, i, box->origin, err) < 0)
            return -1;
    }
    return 0;
}

int gke_make (const tori_placement *place, const tori_machine *machine,
              const char *name, const char *names, struct gke_slice *ret_slice,
              tori_error *err)
{
    tori_shape shape;
    *ret_slice = (struct gke_slice){.name = name};
    if (check_slice (place, machine, name, &shape, err) < 0
        || name_parts (machine, &shape, names, ret_slice, err) < 0)
        return -1;
    return is_small (&shape)
               ? list_small (place, machine, &shape, ret_slice, err)
               : list_cubes (place, &shape, ret_slice, err);
}

void gke_clear (struct gke_slice *slice)
{
    nodemap_clear (&slice->names);
    tori_machine_destroy (slice->cubes);
    free (slice->parts);
    *slice = (struct gke_slice){0};
}

/* ---- output ---- */

static const char *part_name (const struct gke_slice *slice, size_t i)
{
    return slice->names.names[slice->parts[i]];
}

/* In quotes, because YAML would not read names such as 123 and no as texts. */
static void put_text (const char *text, FILE *out)
{
    fputc ('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc ('\\', out);
        fputc (*text, out);
    }
    fputs ("\"\n", out);
}

int gke_write (const struct gke_slice *slice, const char *path,
               tori_error *err)
{
    struct outfile *file;
    FILE *out;
    if (outfile_create (path, &file, err) < 0)
        return -1;
    out = outfile_stream (file);
    fprintf (out,
             "apiVersion: " GKE_VERSION "\n"
             "kind: Slice\n"
             "metadata:\n"
             "  name: \"%s\"\n"
             "spec:\n"
             "  type: \"%s\"\n"
             "  topology: \"%s\"\n"
             "  partitionIds:\n",
             slice->name, type, slice->topology);
    for (size_t i = 0; i < slice->n; i++) {
        fputs ("    - ", out);
        put_text (part_name (slice, i), out);
    }
    return outfile_end (file, 0, err);
}

/* The labels of its nodes, in turn; false past the end. */
static bool label_of (const struct gke_slice *slice, size_t i,
                      const char **ret_key, const char **ret_value)
{
    const char *const labels[][2]
        = {{"cloud.google.com/gke-tpu-accelerator", type},
           {"cloud.google.com/gke-tpu-topology", slice->topology},
           {"cloud.google.com/gke-tpu-slice", slice->name}};
    if (i >= sizeof labels / sizeof *labels)
        return false;
    *ret_key = labels[i][0];
    *ret_value = labels[i][1];
    return true;
}

void gke_print (const struct gke_slice *slice, FILE *out)
{
    const char *key, *value;
    fprintf (out, "slice     %s, %s %s, %zu partition%s\n", slice->name, type,
             slice->topology, slice->n, slice->n == 1 ? "" : "s");
    for (size_t i = 0; label_of (slice, i, &key, &value); i++)
        fprintf (out, "%s%s=%s\n", i ? "          " : "labels    ", key,
                 value);
}

static void emit_type (struct emit *e, const struct field *field,
                       const void *slice)
{
    emit_text (e, field->name, type);
}

static void emit_parts (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct gke_slice *slice = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < slice->n; i++)
        emit_text (e, NULL, part_name (slice, i));
    emit_close (e, ']');
}

static void emit_labels (struct emit *e, const struct field *field,
                         const void *slice)
{
    const char *key, *value;
    emit_open (e, field->name, '{');
    for (size_t i = 0; label_of (slice, i, &key, &value); i++)
        emit_text (e, key, value);
    emit_close (e, '}');
}

#define AT(member) FIELD_AT (struct gke_slice, member)
static const struct field gke_fields[] = {
    {"name", FIELD_TEXT, AT (name), "its name"},
    {"type", FIELD_BY, .about = "the accelerator: tpu7x", .by = emit_type},
    {"topology", FIELD_CHARS, AT (topology), "its sides, ascending"},
    {"partitions", FIELD_LIST,
     .about = "the names of its cubes, row by row of the topology",
     .by = emit_parts},
    {"labels", FIELD_BY,
     .about = "what its nodes will be labelled with, by which a job selects "
              "them",
     .by = emit_labels},
};
const struct sheet gke_sheet = {"slice", SHEET_FIELDS (gke_fields)};
