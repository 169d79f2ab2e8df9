/* Links of tori/state.h: which there are, what they join, who has them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"
#include "number.h"

/* Which slots of a line of S nodes have a link. */
static uint32_t slots (const tori_machine *machine, int dim, tori_layer layer)
{
    uint32_t size = machine->shape.size[dim];
    tori_kind kind = machine->kind[dim];
    if (kind == TORI_SWITCHED) /* ports, even of a side of 1 */
        return layer == TORI_NEAR ? size : layer == TORI_FAR;
    if (size == 1 || kind == TORI_APART || kind == TORI_LINKED)
        return 0;
    if (layer == TORI_NEAR)
        return tori_machine_wraps (machine, dim) ? size : size - 1;
    if (layer != TORI_FAR || !kind_is_multitorus (kind))
        return 0;
    return size == 2 ? 1 : size;
}

/* The links of a line that were given one by one, as bits: see linkage.h. */
static uint32_t bit_of (const tori_machine *machine, int dim, tori_layer layer,
                        uint32_t i)
{
    return layer == TORI_FAR ? machine->shape.size[dim] + i : i;
}

static bool has_slot (const tori_machine *machine, int dim, tori_layer layer,
                      uint32_t i)
{
    if (machine->line[dim])
        return machine->line[dim]->links >> bit_of (machine, dim, layer, i) & 1;
    return i < slots (machine, dim, layer);
}

bool tori_link_exists (const tori_machine *machine, const tori_link *link)
{
    return link->dim >= 0 && link->dim < machine->shape.ndims
           && link->slot < machine->nodes && (unsigned)link->layer <= TORI_FAR
           && has_slot (machine, link->dim, link->layer,
                        grid_coord (machine, link->slot, link->dim));
}

uint64_t tori_machine_links (const tori_machine *machine)
{
    uint64_t sum = 0;
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint64_t lines = machine->nodes / machine->shape.size[d];
        if (machine->line[d])
            sum += lines
                   * (uint64_t)__builtin_popcount (machine->line[d]->links);
        sum += lines * slots (machine, d, TORI_NEAR);
        sum += lines * slots (machine, d, TORI_FAR);
    }
    return sum;
}

char tori_link_ends (const tori_machine *machine, const tori_link *link,
                     uint32_t *ret_a, uint32_t *ret_b)
{
    uint32_t size, i;
    if (!tori_link_exists (machine, link))
        return '\0';
    size = machine->shape.size[link->dim];
    i = grid_coord (machine, link->slot, link->dim);
    if (machine->line[link->dim]) {
        const struct linkage *line = machine->line[link->dim];
        uint32_t bit = bit_of (machine, link->dim, link->layer, i);
        *ret_a = line->ends[bit][0];
        *ret_b = line->ends[bit][1];
        return line->kind[bit];
    }
    if (machine->kind[link->dim] == TORI_SWITCHED
        && (link->layer == TORI_FAR || i == size - 1)) {
        *ret_a = *ret_b = i;
        return link->layer == TORI_FAR ? '-' : '+';
    }
    if (link->layer == TORI_NEAR) {
        bool wrap = i == size - 1;
        *ret_a = wrap ? 0 : i;
        *ret_b = wrap ? i : i + 1;
        return wrap ? 'w' : 'n';
    }
    if (i + 2 < size) {
        *ret_a = i;
        *ret_b = i + 2;
    } else { /* the ring's two ends */
        *ret_a = i + 2 == size ? 0 : size - 2;
        *ret_b = *ret_a + 1;
    }
    return 's';
}

/* The one dimension in which two nodes differ, or -1. */
static int dimension_between (const tori_machine *machine, uint32_t a,
                              uint32_t b)
{
    int found = -1;
    for (int d = 0; d < machine->shape.ndims; d++)
        if (grid_coord (machine, a, d) != grid_coord (machine, b, d)) {
            if (found >= 0)
                return -1;
            found = d;
        }
    return found;
}

/* The link of this kind between two nodes, 0 for the first kind there is. A
 * link sits at the slot of its lower end or, the ends of a ring, at one of the
 * last two; so a line of any length takes six looks, but where links were given
 * one by one. */
static bool find_link (const tori_machine *machine, uint32_t a, uint32_t b,
                       char kind, tori_link *ret_link)
{
    int dim = dimension_between (machine, a, b);
    uint32_t lower = a < b ? a : b, low, high, size;
    int looks;
    if (dim < 0)
        return false;
    low = grid_coord (machine, lower, dim);
    high = grid_coord (machine, a < b ? b : a, dim);
    size = machine->shape.size[dim];
    looks = machine->line[dim] ? 2 * (int)size : 6;
    for (int look = 0; look < looks; look++) {
        uint32_t at = (uint32_t)(look % (looks / 2));
        uint32_t i = machine->line[dim]
                         ? at
                         : (uint32_t[]){low, size - 2, size - 1}[at];
        tori_link link = {dim, look < looks / 2 ? TORI_NEAR : TORI_FAR,
                          lower + (i - low) * machine->stride[dim]};
        uint32_t from, to;
        char is;
        if (!has_slot (machine, dim, link.layer, i))
            continue;
        is = tori_link_ends (machine, &link, &from, &to);
        if (from == low && to == high && (!kind || kind == is)) {
            *ret_link = link;
            return true;
        }
    }
    return false;
}

/* The node at [text, end) as a number. */
static int parse_end (const tori_machine *machine, const char *text,
                      size_t length, uint32_t *ret_id, tori_error *err)
{
    char buffer[TORI_TEXT_MAX];
    if (length >= sizeof buffer)
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s...' is too long for a node", text);
    memcpy (buffer, text, length);
    buffer[length] = '\0';
    return tori_node_parse (machine, buffer, ret_id, err);
}

static int no_link (const char *text, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "no such link on this machine: '%.60s'", text);
}

/* "5,3,1,2 +1", where `sign` is at the sign. */
static int parse_port (const tori_machine *machine, const char *text,
                       const char *sign, tori_link *ret_link, tori_error *err)
{
    const char *p = sign + 1;
    tori_link link = {.layer = *sign == '+' ? TORI_NEAR : TORI_FAR};
    uint64_t dim;
    uint32_t a, b;
    if (parse_end (machine, text, (size_t)(sign - text - 1), &link.slot, err)
        < 0)
        return -1;
    if (!number_scan (&p, TORI_MAX_DIMS - 1, &dim) || *p)
        return no_link (text, err);
    link.dim = (int)dim;
    if (tori_link_ends (machine, &link, &a, &b) != *sign)
        return no_link (text, err);
    *ret_link = link;
    return 0;
}

int tori_link_parse (const tori_machine *machine, const char *text,
                     tori_link *ret_link, tori_error *err)
{
    const char *sign = text + strspn (text, "0123456789,");
    const char *dash = strchr (text, '-');
    const char *end = text + strspn (text, "0123456789,-");
    const char *at = end + (*end == ' ');
    char kind = *at;
    uint32_t a, b;
    if (sign > text && *sign == ' ' && (sign[1] == '+' || sign[1] == '-'))
        return parse_port (machine, text, sign + 1, ret_link, err);
    if (!dash || dash > end || (*end && (!kind || at[1])))
        return tori_error_set (err, TORI_INVALID,
                               "bad link '%.60s': expected two nodes and "
                               "perhaps a kind (n, w, s, x), as in 0,1-0,2 n",
                               text);
    if (parse_end (machine, text, (size_t)(dash - text), &a, err) < 0
        || parse_end (machine, dash + 1, (size_t)(end - dash - 1), &b, err)
               < 0)
        return -1;
    return find_link (machine, a, b, kind, ret_link) ? 0
                                                     : no_link (text, err);
}

void tori_link_format (const tori_machine *machine, const tori_link *link,
                       char text[TORI_LINK_TEXT])
{
    uint32_t coords[TORI_MAX_DIMS], ends[2] = {0};
    char kind = tori_link_ends (machine, link, &ends[0], &ends[1]);
    char node[2][TORI_TEXT_MAX];
    tori_machine_coords (machine, link->slot, coords);
    for (int i = 0; i < 2; i++) {
        coords[link->dim] = ends[i];
        tori_node_format (machine, tori_machine_id (machine, coords), node[i]);
    }
    if (kind == '+' || kind == '-')
        snprintf (text, TORI_LINK_TEXT, "%s %c%d", node[0], kind, link->dim);
    else
        snprintf (text, TORI_LINK_TEXT, "%s-%s %c", node[0], node[1], kind);
}

int state_need_links (tori_state *state, tori_error *err)
{
    const tori_machine *machine = state->machine;
    for (int d = 0; d < machine->shape.ndims; d++) {
        uint64_t **needed[] = {
            &state->taken[layer_index (d, TORI_NEAR)],
            kind_is_flexible (machine->kind[d])
                    || machine->kind[d] == TORI_SWITCHED
                ? &state->taken[layer_index (d, TORI_FAR)]
                : NULL,
            machine->kind[d] == TORI_TORUS ? &state->ringed[d] : NULL,
            machine->kind[d] == TORI_TORUS ? &state->touched[d] : NULL,
        };
        for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
            if (needed[i] && !*needed[i]) {
                *needed[i] = calloc (state->words, sizeof **needed[i]);
                if (!*needed[i])
                    return tori_error_nomem (err);
            }
    }
    return 0;
}

/* A slot without a link is in no set. */
static bool has_mark (const tori_state *state, uint64_t *const layers[],
                      const tori_link *link)
{
    const uint64_t *set;
    if (link->dim < 0 || link->dim >= state->machine->shape.ndims
        || (unsigned)link->layer > TORI_FAR
        || link->slot >= state->machine->nodes)
        return false;
    set = layers[layer_index (link->dim, link->layer)];
    return set && bits_test (set, link->slot);
}

bool tori_state_link_taken (const tori_state *state, const tori_link *link)
{
    return has_mark (state, state->taken, link);
}

bool tori_state_link_down (const tori_state *state, const tori_link *link)
{
    return has_mark (state, state->broken, link);
}

int tori_state_set_link_down (tori_state *state, const tori_link *link,
                              bool down, tori_error *err)
{
    uint64_t **set;
    tori_box node = {0};
    if (!tori_link_exists (state->machine, link))
        return tori_error_set (err, TORI_INVALID, "no such link");
    set = &state->broken[layer_index (link->dim, link->layer)];
    if (down == tori_state_link_down (state, link))
        return 0;
    if (state_need_links (state, err) < 0)
        return -1;
    if (!*set && !(*set = calloc (state->words, sizeof **set)))
        return tori_error_nomem (err);
    if (down)
        bits_set (*set, link->slot);
    else
        bits_clear (*set, link->slot);
    state->links_down += down ? 1 : UINT64_MAX;
    tori_machine_coords (state->machine, link->slot, node.origin);
    node.shape.ndims = state->machine->shape.ndims;
    for (int d = 0; d < node.shape.ndims; d++)
        node.shape.size[d] = 1;
    state_refresh_lines (state, link->dim, &node);
    return 0;
}

uint64_t tori_state_links_taken (const tori_state *state)
{
    uint64_t sum = 0;
    for (int i = 0; i < MAX_LAYERS; i++)
        if (state->taken[i])
            sum += bits_count_range (state->taken[i], 0,
                                     state->machine->nodes);
    return sum;
}

/* `n` bits side by side, n at most 64, each the first of a line whose bits
 * are `stride` apart: which of the lines have a bit set? */
static uint64_t gather (const uint64_t *set, uint64_t first, unsigned n,
                        uint32_t stride, uint32_t size)
{
    uint64_t any = 0;
    for (uint32_t i = 0; set && i < size; i++)
        any |= bits_get (set, first + (uint64_t)i * stride, n);
    return any;
}

static void refresh_strip (tori_state *state, int dim, uint64_t first,
                           unsigned n)
{
    const tori_machine *machine = state->machine;
    uint32_t stride = machine->stride[dim], size = machine->shape.size[dim];
    int layer = layer_index (dim, TORI_NEAR);
    uint64_t any = gather (state->taken[layer], first, n, stride, size)
                   | gather (state->broken[layer], first, n, stride, size);
    for (uint32_t i = 0; i < size; i++)
        bits_put (state->touched[dim], first + (uint64_t)i * stride, n, any);
}

/* Lines of the last dimension lie along the words. */
static void refresh_row (tori_state *state, int dim, uint64_t first)
{
    uint32_t size = state->machine->shape.size[dim];
    int layer = layer_index (dim, TORI_NEAR);
    const uint64_t *broken = state->broken[layer];
    if (bits_any_range (state->taken[layer], first, size)
        || (broken && bits_any_range (broken, first, size)))
        bits_set_range (state->touched[dim], first, size);
    else
        bits_clear_range (state->touched[dim], first, size);
}

void state_refresh_lines (tori_state *state, int dim, const tori_box *box)
{
    tori_box starts = box_with (box, dim, 0, 1);
    struct runs runs = runs_of_box (state->machine, &starts);
    uint64_t first, count;
    if (!state->touched[dim])
        return;
    while (runs_next (&runs, &first, &count))
        while (count > 0) {
            unsigned n = count < 64 ? (unsigned)count : 64;
            if (state->machine->stride[dim] == 1) {
                refresh_row (state, dim, first);
                n = 1;
            } else {
                refresh_strip (state, dim, first, n);
            }
            first += n;
            count -= n;
        }
}
