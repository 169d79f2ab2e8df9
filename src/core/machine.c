#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "number.h"

static const struct {
    const char *name;
    char letter;
} kinds[] = {
    [TORI_MESH] = {"mesh", 'm'},
    [TORI_TORUS] = {"torus", 't'},
    [TORI_MULTITORUS] = {"multitorus", 'u'},
};

enum { NKINDS = sizeof kinds / sizeof kinds[0] };

static bool kind_of_letter (char letter, tori_kind *ret_kind)
{
    for (int k = 0; k < NKINDS; k++)
        if (kinds[k].letter == letter) {
            *ret_kind = (tori_kind)k;
            return true;
        }
    return false;
}

/* "torus:" in front of the sizes; moves *text past it. */
static int scan_kind (const char **text, tori_kind *ret_kind, tori_error *err)
{
    const char *colon = strchr (*text, ':');
    size_t length = colon ? (size_t)(colon - *text) : strlen (*text);
    for (int k = 0; k < NKINDS; k++)
        if (strlen (kinds[k].name) == length
            && strncmp (*text, kinds[k].name, length) == 0 && colon) {
            *ret_kind = (tori_kind)k;
            *text = colon + 1;
            return 0;
        }
    return tori_error_set (err, TORI_INVALID,
                           "unknown machine '%.60s': expected mesh:, torus: "
                           "or multitorus: and sizes such as 8x8x8 or 8^3",
                           *text);
}

static int check_size (uint64_t size, tori_error *err)
{
    if (size == 0)
        return tori_error_set (err, TORI_INVALID,
                               "machine size 0: sizes are at least 1");
    return 0;
}

static int add_dimension (tori_machine *machine, uint64_t size, tori_kind kind,
                          tori_error *err)
{
    int d = machine->shape.ndims;
    if (d == TORI_MAX_DIMS)
        return tori_error_set (err, TORI_INVALID,
                               "machine has more than %d dimensions",
                               TORI_MAX_DIMS);
    if (size > TORI_MAX_NODES / machine->nodes)
        return tori_error_set (err, TORI_INVALID,
                               "machine has more than %u nodes",
                               TORI_MAX_NODES);
    machine->shape.size[d] = (uint32_t)size;
    machine->kind[d] = kind;
    machine->wraps |= kind == TORI_TORUS;
    machine->nodes *= (uint32_t)size;
    machine->shape.ndims++;
    return 0;
}

/* One size, "8", "8m", "8^3" or "8^3m"; moves *text past it. */
static int scan_size (tori_machine *machine, const char **text,
                      tori_kind kind, tori_error *err)
{
    const char *p = *text;
    uint64_t size, power = 1;
    if (!number_scan (&p, UINT32_MAX, &size))
        return tori_error_set (err, TORI_INVALID,
                               "bad machine size at %s%.40s%s: expected a "
                               "number up to %u",
                               **text ? "'" : "the end", *text,
                               **text ? "'" : "", TORI_MAX_NODES);
    if (check_size (size, err) < 0)
        return -1;
    if (*p == '^') {
        const char *from = p++;
        if (!number_scan (&p, TORI_MAX_DIMS, &power) || power == 0)
            return tori_error_set (err, TORI_INVALID,
                                   "bad machine power at '%.40s': expected "
                                   "1 to %d dimensions",
                                   from, TORI_MAX_DIMS);
    }
    if (kind_of_letter (*p, &kind))
        p++;
    while (power-- > 0)
        if (add_dimension (machine, size, kind, err) < 0)
            return -1;
    *text = p;
    return 0;
}

static void set_strides (tori_machine *machine)
{
    uint32_t stride = 1;
    machine->block = machine->shape.ndims;
    for (int d = machine->shape.ndims - 1; d >= 0; d--) {
        machine->stride[d] = stride;
        stride *= machine->shape.size[d];
        if (machine->block == d + 1 && stride <= 64 && 64 % stride == 0)
            machine->block = d;
    }
}

int tori_machine_parse (const char *text, tori_machine **ret_machine,
                        tori_error *err)
{
    tori_machine *machine = calloc (1, sizeof *machine);
    tori_kind kind = TORI_MESH;
    if (!machine)
        return tori_error_nomem (err);
    machine->nodes = 1;
    if (scan_kind (&text, &kind, err) < 0)
        goto fail;
    for (;;) {
        if (scan_size (machine, &text, kind, err) < 0)
            goto fail;
        if (*text != 'x')
            break;
        text++;
    }
    if (*text) {
        tori_error_set (err, TORI_INVALID,
                        "unexpected '%.40s' in machine: expected x, ^, or one "
                        "of the letters m, t, u behind a size",
                        text);
        goto fail;
    }
    set_strides (machine);
    *ret_machine = machine;
    return 0;
fail:
    free (machine);
    return -1;
}

/* Kinds are one a dimension, or the first for all of them. */
static int create (int ndims, const tori_kind *of, bool each,
                   const uint32_t sizes[], tori_machine **ret_machine,
                   tori_error *err)
{
    tori_machine *machine;
    if (ndims < 1)
        return tori_error_set (err, TORI_INVALID,
                               "a machine of %d dimensions", ndims);
    machine = calloc (1, sizeof *machine);
    if (!machine)
        return tori_error_nomem (err);
    machine->nodes = 1;
    for (int d = 0; d < ndims; d++) {
        tori_kind kind = of[each ? d : 0];
        if ((unsigned)kind >= NKINDS) {
            tori_error_set (err, TORI_INVALID, "no kind of machine: %d",
                            (int)kind);
            goto fail;
        }
        if (check_size (sizes[d], err) < 0
            || add_dimension (machine, sizes[d], kind, err) < 0)
            goto fail;
    }
    set_strides (machine);
    *ret_machine = machine;
    return 0;
fail:
    free (machine);
    return -1;
}

int tori_machine_create (tori_kind kind, int ndims, const uint32_t sizes[],
                         tori_machine **ret_machine, tori_error *err)
{
    return create (ndims, &kind, false, sizes, ret_machine, err);
}

int tori_machine_create_mixed (int ndims, const tori_kind kinds_of[],
                               const uint32_t sizes[],
                               tori_machine **ret_machine, tori_error *err)
{
    return create (ndims, kinds_of, true, sizes, ret_machine, err);
}

void tori_machine_destroy (tori_machine *machine)
{
    free (machine);
}

int tori_machine_ndims (const tori_machine *machine)
{
    return machine->shape.ndims;
}

/* What the machine does not use of its arrays is 0. */
static bool has_dim (int dim)
{
    return (unsigned)dim < TORI_MAX_DIMS;
}

uint32_t tori_machine_size (const tori_machine *machine, int dim)
{
    return has_dim (dim) ? machine->shape.size[dim] : 0;
}

tori_kind tori_machine_kind (const tori_machine *machine, int dim)
{
    return has_dim (dim) ? machine->kind[dim] : TORI_MESH;
}

uint32_t tori_machine_nodes (const tori_machine *machine)
{
    return machine->nodes;
}

bool tori_machine_wraps (const tori_machine *machine, int dim)
{
    return tori_machine_kind (machine, dim) == TORI_TORUS;
}

const tori_shape *tori_machine_shape (const tori_machine *machine)
{
    return &machine->shape;
}

void tori_machine_format (const tori_machine *machine,
                          char text[TORI_TEXT_MAX])
{
    tori_kind kind = machine->kind[0];
    size_t at = (size_t)snprintf (text, TORI_TEXT_MAX, "%s:",
                                  kinds[kind].name);
    for (int d = 0; d < machine->shape.ndims; d++) {
        char suffix[2] = {kinds[machine->kind[d]].letter, '\0'};
        at += (size_t)snprintf (text + at, TORI_TEXT_MAX - at, "%s%u%s",
                                d ? "x" : "", machine->shape.size[d],
                                machine->kind[d] == kind ? "" : suffix);
    }
}

void tori_machine_coords (const tori_machine *machine, uint32_t id,
                          uint32_t coords[])
{
    for (int d = machine->shape.ndims - 1; d >= 0; d--) {
        coords[d] = id % machine->shape.size[d];
        id /= machine->shape.size[d];
    }
}

uint32_t tori_machine_id (const tori_machine *machine, const uint32_t coords[])
{
    uint32_t id = 0;
    for (int d = 0; d < machine->shape.ndims; d++)
        id += coords[d] * machine->stride[d];
    return id;
}

uint32_t tori_machine_distance (const tori_machine *machine, uint32_t a,
                                uint32_t b)
{
    uint32_t sum = 0;
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint32_t i = grid_coord (machine, a, d);
        uint32_t j = grid_coord (machine, b, d);
        uint32_t hops = i < j ? j - i : i - j;
        if (tori_machine_wraps (machine, d)
            && hops > machine->shape.size[d] - hops)
            hops = machine->shape.size[d] - hops;
        sum += hops;
    }
    return sum;
}
