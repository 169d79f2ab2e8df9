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
    [TORI_MULTITORUS_LEFT] = {"multitorus-left", 'l'},
    [TORI_MULTITORUS_FACING] = {"multitorus-facing", 'f'},
    [TORI_LINKED] = {"links", 'k'},
};

enum { NKINDS = sizeof kinds / sizeof kinds[0] };

static const char pod_name[] = "pod:";

static bool kind_of_letter (char letter, tori_kind *ret_kind)
{
    for (int k = 0; k < NKINDS; k++)
        if (letter && kinds[k].letter == letter) {
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
        if (kinds[k].name && strlen (kinds[k].name) == length
            && strncmp (*text, kinds[k].name, length) == 0 && colon) {
            *ret_kind = (tori_kind)k;
            *text = colon + 1;
            return 0;
        }
    return tori_error_set (err, TORI_INVALID,
                           "unknown machine '%.60s': expected mesh:, torus: "
                           "or multitorus: and sizes such as 8x8x8 or 8^3, "
                           "or pod:64/4x4x4",
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
    machine->searched |= kind == TORI_MULTITORUS_FACING && size > 2;
    machine->nodes *= (uint32_t)size;
    machine->shape.ndims++;
    return 0;
}

/* The links "+0-2+1-2" of the last dimension; moves *text past them. */
static int scan_links (tori_machine *machine, const char **text,
                       tori_error *err)
{
    int d = machine->shape.ndims - 1;
    if (!machine->line[d]
        && linkage_create (machine->kind[d], machine->shape.size[d],
                        &machine->line[d], err)
               < 0)
        return -1;
    machine->kind[d] = TORI_LINKED;
    machine->searched = true;
    while (**text == '+') {
        const char *p = *text + 1;
        uint64_t a, b;
        if (!number_scan (&p, UINT32_MAX, &a) || *p++ != '-'
            || !number_scan (&p, UINT32_MAX, &b))
            return tori_error_set (err, TORI_INVALID,
                                   "bad link at '%.40s': expected two nodes of "
                                   "a line, as in +0-2",
                                   *text);
        if (linkage_add (machine->line[d], a, b, err) < 0)
            return -1;
        *text = p;
    }
    return linkage_close (machine->line[d], err);
}

/* One size, "8", "8m", "8^3" or "8^3m"; moves *text past it. */
static int scan_size (tori_machine *machine, const char **text, tori_kind kind,
                      tori_error *err)
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
    if (kinds[kind].name && kind_of_letter (*p, &kind))
        p++;
    while (power-- > 0) {
        const char *links = p;
        if (add_dimension (machine, size, kind, err) < 0
            || ((kind == TORI_LINKED || (kinds[kind].name && *links == '+'))
                && scan_links (machine, &links, err) < 0))
            return -1;
        *text = links;
    }
    return 0;
}

static void set_strides (tori_machine *machine)
{
    uint32_t stride = 1;
    machine->block = machine->shape.ndims;
    for (int d = machine->shape.ndims - 1; d >= 0; d--) {
        machine->wraps |= machine->kind[d] == TORI_TORUS;
        machine->stride[d] = stride;
        stride *= machine->shape.size[d];
        if (machine->block == d + 1 && stride <= 64 && 64 % stride == 0)
            machine->block = d;
    }
}

/* "8x8x8" at *text, which is moved past it. */
static int scan_sizes (tori_machine *machine, const char **text,
                       tori_kind kind, tori_error *err)
{
    for (;;) {
        if (scan_size (machine, text, kind, err) < 0)
            return -1;
        if (**text != 'x')
            return 0;
        ++*text;
    }
}

/* The beginning of "pod:", perhaps after a number of pods, or NULL. */
static const char *find_pod (const char *text)
{
    const char *pod = text + strspn (text, "0123456789");
    if (*pod == '*')
        pod++;
    else
        pod = text;
    return strncmp (pod, pod_name, strlen (pod_name)) == 0 ? pod : NULL;
}

/* "2*pod:64/4x4x4", where find_pod found the pod. */
static int scan_pod (tori_machine *machine, const char **text, const char *pod,
                     tori_error *err)
{
    if (pod > *text) {
        const char *count = *text;
        uint64_t pods = 0;
        if (!number_scan (&count, TORI_MAX_NODES, &pods) || pods == 0)
            return tori_error_set (err, TORI_INVALID,
                                   "bad number of pods at '%.40s'", *text);
        machine->pods = pods > 1;
        if (pods > 1 && add_dimension (machine, pods, TORI_APART, err) < 0)
            return -1;
    }
    *text = pod + strlen (pod_name);
    if (scan_sizes (machine, text, TORI_APART, err) < 0)
        return -1;
    machine->apart = machine->shape.ndims;
    if (**text != '/')
        return tori_error_set (err, TORI_INVALID,
                               "unexpected '%.40s' in machine: expected the "
                               "cubes of a pod and their sides, such as "
                               "pod:64/4x4x4",
                               *text);
    ++*text;
    return scan_sizes (machine, text, TORI_SWITCHED, err);
}

static int scan_machine (tori_machine *machine, const char *text,
                         tori_error *err)
{
    const char *pod = find_pod (text);
    tori_kind kind = TORI_MESH;
    if (pod ? scan_pod (machine, &text, pod, err) < 0
            : scan_kind (&text, &kind, err) < 0
                  || scan_sizes (machine, &text, kind, err) < 0)
        return -1;
    if (*text)
        return tori_error_set (
            err, TORI_INVALID,
            "unexpected '%.40s' in machine: expected x, ^%s", text,
            pod ? ""
                : ", one of the letters m, t, u, l, f, k after a size, or "
                  "links such as +0-2");
    return 0;
}

/* The text of a machine must fit the room that it has everywhere. */
static int check_text (const tori_machine *machine, tori_error *err)
{
    size_t length = 0;
    for (int d = 0; d < machine->shape.ndims; d++)
        length += machine->line[d] ? 6 * (size_t)__builtin_popcount (
                                             machine->line[d]->given)
                                   : 0;
    if (length > TORI_TEXT_MAX / 2)
        return tori_error_set (err, TORI_INVALID,
                               "machine has more links than its text of %d "
                               "characters holds",
                               TORI_TEXT_MAX);
    return 0;
}

int tori_machine_parse (const char *text, tori_machine **ret_machine,
                        tori_error *err)
{
    tori_machine *machine = calloc (1, sizeof *machine);
    if (!machine)
        return tori_error_nomem (err);
    machine->nodes = 1;
    if (scan_machine (machine, text, err) < 0
        || check_text (machine, err) < 0) {
        tori_machine_destroy (machine);
        return -1;
    }
    set_strides (machine);
    *ret_machine = machine;
    return 0;
}

/* Kinds are one a dimension, or the first for all of them. */
static int create (int ndims, const tori_kind *of, bool each,
                   const uint32_t sizes[], tori_machine **ret_machine,
                   tori_error *err)
{
    tori_machine *machine;
    if (ndims < 1)
        return tori_error_set (err, TORI_INVALID, "a machine of %d dimensions",
                               ndims);
    machine = calloc (1, sizeof *machine);
    if (!machine)
        return tori_error_nomem (err);
    machine->nodes = 1;
    for (int d = 0; d < ndims; d++) {
        tori_kind kind = of[each ? d : 0];
        if ((unsigned)kind >= NKINDS || !kinds[kind].name
            || kind == TORI_LINKED) {
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
    for (int d = 0; machine && d < TORI_MAX_DIMS; d++)
        linkage_destroy (machine->line[d]);
    free (machine);
}

int tori_machine_ndims (const tori_machine *machine)
{
    return machine->shape.ndims;
}

/* Entries of its arrays that the machine does not use are 0. */
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

bool tori_machine_is_pod (const tori_machine *machine)
{
    return machine->apart > 0;
}

int tori_machine_apart (const tori_machine *machine)
{
    return machine->apart;
}

int tori_machine_cube_dims (const tori_machine *machine)
{
    return machine->apart - machine->pods;
}

int tori_machine_shape_dims (const tori_machine *machine)
{
    return machine->shape.ndims - machine->apart;
}

const tori_shape *tori_machine_shape (const tori_machine *machine)
{
    return &machine->shape;
}

static void format_pod (const tori_machine *machine, char text[TORI_TEXT_MAX])
{
    const uint32_t *size = machine->shape.size;
    size_t at = 0;
    if (machine->pods)
        at = (size_t)snprintf (text, TORI_TEXT_MAX, "%u*", size[0]);
    for (int d = machine->pods; d < machine->shape.ndims; d++)
        at += (size_t)snprintf (text + at, TORI_TEXT_MAX - at, "%s%u",
                                d == machine->pods    ? pod_name
                                : d == machine->apart ? "/"
                                                      : "x",
                                size[d]);
}

/* The kind that a dimension is written with. */
static tori_kind base_of (const tori_machine *machine, int d)
{
    return machine->line[d] ? machine->line[d]->base : machine->kind[d];
}

/* The links that were given, in the order of their slots. */
static size_t format_links (const struct linkage *line, char *text, size_t room)
{
    size_t at = 0;
    for (uint32_t i = 0; line && i < 2 * line->size; i++)
        if (line->given >> i & 1)
            at += (size_t)snprintf (text + at, room - at, "+%u-%u",
                                    line->ends[i][0], line->ends[i][1]);
    return at;
}

void tori_machine_format (const tori_machine *machine,
                          char text[TORI_TEXT_MAX])
{
    tori_kind kind = base_of (machine, 0);
    size_t at;
    if (machine->apart) {
        format_pod (machine, text);
        return;
    }
    at = (size_t)snprintf (text, TORI_TEXT_MAX, "%s:", kinds[kind].name);
    for (int d = 0; d < machine->shape.ndims; d++) {
        char suffix[2] = {kinds[base_of (machine, d)].letter, '\0'};
        at += (size_t)snprintf (text + at, TORI_TEXT_MAX - at, "%s%u%s",
                                d ? "x" : "", machine->shape.size[d],
                                base_of (machine, d) == kind ? "" : suffix);
        at += format_links (machine->line[d], text + at, TORI_TEXT_MAX - at);
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

/* The hops from i to j that are added by going through a switch in dimension d
 * instead of along the line: the shorter of the two ways out. */
static uint32_t detour (const tori_machine *machine, int d, uint32_t i,
                        uint32_t j)
{
    uint32_t gap = i < j ? j - i : i - j;
    return machine->shape.size[d] - gap - gap;
}

/* Between two cubes, of hops as if they were one: leave where that costs
 * least. */
static uint32_t through_switch (const tori_machine *machine, uint32_t a,
                                uint32_t b, uint32_t hops)
{
    uint32_t best = UINT32_MAX;
    for (int d = machine->apart; d < machine->shape.ndims; d++) {
        uint32_t way = hops
                       + detour (machine, d, grid_coord (machine, a, d),
                                 grid_coord (machine, b, d));
        if (way < best)
            best = way;
    }
    return best;
}

uint32_t tori_machine_distance (const tori_machine *machine, uint32_t a,
                                uint32_t b)
{
    uint32_t sum = 0;
    for (int d = machine->apart; d < machine->shape.ndims; d++) {
        uint32_t i = grid_coord (machine, a, d);
        uint32_t j = grid_coord (machine, b, d);
        uint32_t hops = i < j ? j - i : i - j;
        if (tori_machine_wraps (machine, d)
            && hops > machine->shape.size[d] - hops)
            hops = machine->shape.size[d] - hops;
        sum += hops;
    }
    if (machine->apart && a / grid_cube (machine) != b / grid_cube (machine))
        return through_switch (machine, a, b, sum);
    return sum;
}
