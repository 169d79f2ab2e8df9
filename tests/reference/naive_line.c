#include "naive_line.h"

struct walk {
    struct naive_line line; /* the links behind are busy */
    const uint32_t *sets;
    int nsets;
    int set;
    uint32_t start, seen;
    int cost, best;
};

static int cost_of_link (const struct walk *walk, uint32_t i)
{
    uint32_t ends = UINT32_C (1) << walk->line.ends[i][0]
                    | UINT32_C (1) << walk->line.ends[i][1];
    return ends & ~walk->sets[walk->set] ? NAIVE_LINE_OUTSIDE + 1 : 1;
}

static void walk_from (struct walk *walk, uint32_t at);

static void begin_set (struct walk *walk)
{
    struct walk before = *walk;
    walk->seen = 0;
    walk->start = (uint32_t)__builtin_ctz (walk->sets[walk->set]);
    walk_from (walk, walk->start);
    before.best = walk->best;
    *walk = before;
}

/* All of the set was seen, and the walk is closed: go on with the next set. */
static void end_set (struct walk *walk)
{
    if (walk->set + 1 == walk->nsets) {
        if (walk->best < 0 || walk->cost < walk->best)
            walk->best = walk->cost;
        return;
    }
    walk->set++;
    begin_set (walk);
    walk->set--;
}

static void walk_from (struct walk *walk, uint32_t at)
{
    uint32_t seen = walk->seen, nodes = walk->sets[walk->set];
    if (walk->best >= 0 && walk->cost >= walk->best)
        return;
    walk->seen |= UINT32_C (1) << at;
    if (at == walk->start && (nodes & ~seen) == 0)
        end_set (walk);
    for (uint32_t i = 0; i < walk->line.links; i++) {
        const uint32_t *ends = walk->line.ends[i];
        if (walk->line.busy[i] || (ends[0] != at && ends[1] != at))
            continue;
        walk->line.busy[i] = true;
        walk->cost += cost_of_link (walk, i);
        walk_from (walk, ends[0] == at ? ends[1] : ends[0]);
        walk->cost -= cost_of_link (walk, i);
        walk->line.busy[i] = false;
    }
    walk->seen = seen;
}

int naive_line_ring (const struct naive_line *line, uint32_t nodes)
{
    struct walk walk = {.line = *line, .sets = &nodes, .nsets = 1, .best = -1};
    begin_set (&walk);
    return walk.best;
}

bool naive_line_rings (const struct naive_line *line, const uint32_t nodes[],
                       int n)
{
    struct walk walk = {.line = *line, .sets = nodes, .nsets = n, .best = -1};
    if (n > 0)
        begin_set (&walk);
    return n == 0 || walk.best >= 0;
}

static bool follow_order (struct naive_line *line, const uint32_t nodes[],
                          uint32_t n, uint32_t hop, uint32_t at)
{
    if (at == nodes[(hop + 1) % n] && ++hop == n)
        return true;
    for (uint32_t i = 0; i < line->links; i++) {
        const uint32_t *ends = line->ends[i];
        bool found;
        if (line->busy[i] || (ends[0] != at && ends[1] != at))
            continue;
        line->busy[i] = true;
        found = follow_order (line, nodes, n, hop,
                              ends[0] == at ? ends[1] : ends[0]);
        line->busy[i] = false;
        if (found)
            return true;
    }
    return false;
}

bool naive_line_in_order (const struct naive_line *line,
                          const uint32_t nodes[], uint32_t n)
{
    struct naive_line copy = *line;
    return follow_order (&copy, nodes, n, 0, nodes[0]);
}
