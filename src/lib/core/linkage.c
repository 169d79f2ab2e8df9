#include "linkage.h"

#include <stdlib.h>

static bool is_multitorus (tori_kind kind)
{
    return kind == TORI_MULTITORUS || kind == TORI_MULTITORUS_LEFT
           || kind == TORI_MULTITORUS_FACING;
}

/* ---- links ---- */

static void put_link (struct linkage *line, uint32_t bit, uint32_t a, uint32_t b,
                      char kind)
{
    line->links |= UINT32_C (1) << bit;
    line->ends[bit][0] = (uint8_t)(a < b ? a : b);
    line->ends[bit][1] = (uint8_t)(a < b ? b : a);
    line->kind[bit] = kind;
}

/* The slots of tori/state.h. */
static void put_base (struct linkage *line)
{
    uint32_t S = line->size;
    for (uint32_t i = 0; line->base != TORI_LINKED && i + 1 < S; i++)
        put_link (line, i, i, i + 1, 'n');
    if (line->base == TORI_TORUS && S > 1)
        put_link (line, S - 1, 0, S - 1, 'w');
    if (!is_multitorus (line->base) || S < 2)
        return;
    for (uint32_t i = 0; i + 2 < S; i++)
        put_link (line, S + i, i, i + 2, 's');
    put_link (line, S + S - 2, 0, 1, 's');
    if (S > 2)
        put_link (line, S + S - 1, S - 2, S - 1, 's');
}

int linkage_create (tori_kind base, uint32_t size, struct linkage **ret_line,
                 tori_error *err)
{
    struct linkage *line;
    if (size > LINKAGE_NODES)
        return tori_error_set (err, TORI_INVALID,
                               "links cannot be given for a side of %u: only "
                               "for sides of up to %d",
                               size, LINKAGE_NODES);
    line = calloc (1, sizeof *line);
    if (!line)
        return tori_error_nomem (err);
    line->base = base;
    line->size = size;
    put_base (line);
    *ret_line = line;
    return 0;
}

/* Tell links apart that were given for the same two nodes. */
static char next_kind (const struct linkage *line, uint32_t a, uint32_t b)
{
    int n = 0;
    for (uint32_t i = 0; i < 2 * line->size; i++)
        n += line->given >> i & 1 && line->ends[i][0] == a
             && line->ends[i][1] == b;
    return n < 3 ? (char)('x' + n) : '\0';
}

int linkage_add (struct linkage *line, uint64_t a, uint64_t b, tori_error *err)
{
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t bit = 0;
    char kind;
    if (low == high || high >= line->size)
        return tori_error_set (err, TORI_INVALID,
                               "no link %llu-%llu in a line of %u: expected "
                               "two different nodes, from 0 on",
                               (unsigned long long)a, (unsigned long long)b,
                               line->size);
    while (bit < 2 * line->size && line->links >> bit & 1)
        bit++;
    if (bit == 2 * line->size)
        return tori_error_set (err, TORI_INVALID,
                               "link %llu-%llu is too many: a line of %u has "
                               "up to %u links in all",
                               (unsigned long long)a, (unsigned long long)b,
                               line->size, 2 * line->size);
    kind = next_kind (line, (uint32_t)low, (uint32_t)high);
    if (!kind)
        return tori_error_set (err, TORI_INVALID,
                               "link %llu-%llu is given more than three times",
                               (unsigned long long)a, (unsigned long long)b);
    put_link (line, bit, (uint32_t)low, (uint32_t)high, kind);
    line->given |= UINT32_C (1) << bit;
    return 0;
}

void linkage_destroy (struct linkage *line)
{
    if (line)
        free (line->loop);
    free (line);
}

/* ---- loops ---- */

static uint32_t ends_of (const struct linkage *line, uint32_t bit)
{
    return UINT32_C (1) << line->ends[bit][0]
           | UINT32_C (1) << line->ends[bit][1];
}

/* The nodes that links end at. */
static uint32_t touched_by (const struct linkage *line, uint32_t links)
{
    uint32_t nodes = 0;
    for (; links; links &= links - 1)
        nodes |= ends_of (line, (uint32_t)__builtin_ctz (links));
    return nodes;
}

/* The links of a set that hang together with its first. */
static uint32_t first_part (const struct linkage *line, uint32_t links)
{
    uint32_t part = links & -links, reached = touched_by (line, part);
    for (uint32_t before = 0; part != before;) {
        before = part;
        for (uint32_t rest = links & ~part; rest; rest &= rest - 1) {
            uint32_t bit = (uint32_t)__builtin_ctz (rest);
            if (ends_of (line, bit) & reached) {
                part |= UINT32_C (1) << bit;
                reached |= ends_of (line, bit);
            }
        }
    }
    return part;
}

/* The links of a tree between two nodes, of which the second is an end; 0 if
 * the tree does not join them. */
static uint32_t tree_path (const struct linkage *line, uint32_t tree, uint32_t at,
                           uint32_t to)
{
    for (uint32_t rest = tree; rest && at != to; rest &= rest - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz (rest), path;
        uint32_t link = UINT32_C (1) << bit;
        const uint8_t *ends = line->ends[bit];
        if (ends[0] != at && ends[1] != at)
            continue;
        uint32_t next = ends[0] == at ? ends[1] : ends[0];
        path = tree_path (line, tree & ~link, next, to);
        if (path || next == to)
            return path | link;
    }
    return 0;
}

/* Every even set of links is a sum of those that one link closes in a tree of
 * others. Returns how many of these there are. */
static uint32_t find_basis (const struct linkage *line, uint32_t basis[])
{
    uint32_t tree = 0, n = 0;
    for (uint32_t rest = line->links; rest; rest &= rest - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz (rest);
        uint32_t link = UINT32_C (1) << bit;
        uint32_t path
            = tree_path (line, tree, line->ends[bit][0], line->ends[bit][1]);
        if (path)
            basis[n++] = path | link;
        else
            tree |= link;
    }
    return n;
}

static int compare_loops (const void *a, const void *b)
{
    const struct linkage_loop *x = a, *y = b;
    int n = __builtin_popcount (x->links), m = __builtin_popcount (y->links);
    return n != m ? n - m : (x->links > y->links) - (x->links < y->links);
}

int linkage_close (struct linkage *line, tori_error *err)
{
    uint32_t basis[LINKAGE_LINKS], links = 0;
    uint32_t n = find_basis (line, basis);
    struct linkage_loop *loop = malloc (sizeof *loop << n);
    if (!loop)
        return tori_error_nomem (err);
    free (line->loop);
    line->loop = loop;
    line->loops = 0;
    for (uint32_t i = 1; i < UINT32_C (1) << n; i++) { /* in Gray's order */
        links ^= basis[__builtin_ctz (i)];
        if (first_part (line, links) == links)
            loop[line->loops++]
                = (struct linkage_loop){links, touched_by (line, links)};
    }
    qsort (loop, line->loops, sizeof *loop, compare_loops);
    for (uint32_t first = 0; first < line->size; first++)
        for (uint32_t k = 2; first + k <= line->size; k++)
            line->ring[first][k]
                = linkage_ring (line, linkage_interval (first, k), 0);
    return 0;
}

/* ---- questions ---- */

/* The links with an end outside. */
static uint32_t links_outside (const struct linkage *line, uint32_t nodes)
{
    uint32_t outside = 0;
    for (uint32_t rest = line->links; rest; rest &= rest - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz (rest);
        if (ends_of (line, bit) & ~nodes)
            outside |= UINT32_C (1) << bit;
    }
    return outside;
}

uint32_t linkage_ring (const struct linkage *line, uint32_t nodes, uint32_t busy)
{
    uint32_t outside = links_outside (line, nodes), best = 0;
    int least = LINKAGE_LINKS + 1;
    for (size_t i = 0; i < line->loops && least > 0; i++) {
        const struct linkage_loop *loop = &line->loop[i];
        if ((loop->nodes & nodes) == nodes && !(loop->links & busy)
            && __builtin_popcount (loop->links & outside) < least) {
            best = loop->links;
            least = __builtin_popcount (best & outside);
        }
    }
    return best;
}

bool linkage_has_ring (const struct linkage *line, uint32_t nodes, uint32_t busy)
{
    for (size_t i = 0; i < line->loops; i++)
        if ((line->loop[i].nodes & nodes) == nodes
            && !(line->loop[i].links & busy))
            return true;
    return false;
}

/* The first link that is not busy between two nodes. */
static uint32_t link_between (const struct linkage *line, uint32_t a, uint32_t b,
                              uint32_t busy)
{
    for (uint32_t rest = line->links & ~busy; rest; rest &= rest - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz (rest);
        if (line->ends[bit][0] == a && line->ends[bit][1] == b)
            return UINT32_C (1) << bit;
    }
    return 0;
}

uint32_t linkage_path (const struct linkage *line, uint32_t first, uint32_t n,
                    uint32_t busy)
{
    uint32_t path = 0;
    for (uint32_t i = first; i + 1 < first + n; i++) {
        uint32_t link = link_between (line, i, i + 1, busy);
        if (!link)
            return 0;
        path |= link;
    }
    return path;
}

/* Go over links from a node until none is left there; that is at `from`
 * again. The walk is appended. */
static void walk_on (const struct linkage *line, uint32_t *links, uint8_t from,
                     uint8_t walk[], uint32_t *n)
{
    uint8_t at = from;
    for (uint32_t rest = *links; rest;) {
        uint32_t bit = (uint32_t)__builtin_ctz (rest);
        rest &= rest - 1;
        if (line->ends[bit][0] != at && line->ends[bit][1] != at)
            continue;
        *links &= ~(UINT32_C (1) << bit);
        at = line->ends[bit][line->ends[bit][0] == at];
        walk[(*n)++] = at;
        rest = *links;
    }
}

uint32_t linkage_order (const struct linkage *line, uint32_t loop, uint32_t nodes,
                     uint8_t order[LINKAGE_NODES])
{
    uint8_t walk[LINKAGE_LINKS + 1], more[LINKAGE_LINKS];
    uint32_t n = 1, found = 0, seen = 0;
    walk[0] = (uint8_t)__builtin_ctz (nodes);
    for (uint32_t i = 0; i < n; i++) { /* put in the walks that were left out */
        uint32_t m = 0;
        walk_on (line, &loop, walk[i], more, &m);
        for (uint32_t k = n; m > 0 && k-- > i + 1;)
            walk[k + m] = walk[k];
        for (uint32_t k = 0; k < m; k++)
            walk[i + 1 + k] = more[k];
        n += m;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = UINT32_C (1) << walk[i];
        if (nodes & ~seen & node)
            order[found++] = walk[i];
        seen |= node;
    }
    return found;
}

uint32_t linkage_longest (const struct linkage *line)
{
    for (uint32_t n = line->size; n > 1; n--)
        for (uint32_t first = 0; first + n <= line->size; first++)
            if (line->ring[first][n])
                return n;
    return 1;
}
