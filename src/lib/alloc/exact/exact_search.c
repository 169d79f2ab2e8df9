/* exact_search.c - branch and bound: its memory, and the walk itself.
 *
 * Depth first, by halving the range of one cut at a time (exact.h). A node is
 * copied for each of its halves, into memory that is kept for all nodes at
 * that depth; so a search takes as much as its longest path. */
#include "exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static void *allocate_array (size_t n, size_t size)
{
    return calloc (n + 2, size);
}

int search_create (const struct cloud *cloud, uint32_t k,
                   struct search *ret_search, tori_error *err)
{
    struct search s = {.k = k};
    size_t n = cloud->n, cuts, both = 2 * (n + 1);
    if (cuts_create (cloud, &s.cuts, err) < 0)
        return -1;
    cuts = s.cuts.ncuts;
    s.found = allocate_array (n, 1);
    s.relaxed = allocate_array (n, 1);
    s.counts = allocate_array (cuts, sizeof *s.counts);
    s.offers = allocate_array (n, sizeof *s.offers);
    s.chosen_in = allocate_array (cuts, sizeof *s.chosen_in);
    s.open_in = allocate_array (cuts, sizeof *s.open_in);
    s.steps_down = allocate_array (both, sizeof *s.steps_down);
    s.steps_up = allocate_array (both, sizeof *s.steps_up);
    s.cut_price = allocate_array (cuts, sizeof *s.cut_price);
    s.running = allocate_array (cuts, sizeof *s.running);
    s.price = allocate_array (n, sizeof *s.price);
    s.inner = allocate_array (n, sizeof *s.inner);
    s.outer = allocate_array (n, sizeof *s.outer);
    if (!s.found || !s.relaxed || !s.counts || !s.offers
        || !s.chosen_in || !s.open_in || !s.steps_down || !s.steps_up
        || !s.cut_price || !s.running || !s.price || !s.inner || !s.outer) {
        search_clear (&s);
        return tori_error_nomem (err);
    }
    *ret_search = s;
    return 0;
}

void search_clear (struct search *s)
{
    free (s->found);
    free (s->relaxed);
    free (s->counts);
    free (s->offers);
    free (s->chosen_in);
    free (s->open_in);
    free (s->steps_down);
    free (s->steps_up);
    free (s->cut_price);
    free (s->running);
    free (s->price);
    free (s->inner);
    free (s->outer);
    for (size_t i = 0; i < s->depth; i++)
        free (s->path[i].low);
    free (s->path);
    cuts_clear (&s->cuts);
}

/* Have a node at this depth. */
static int path_reach (struct search *search, size_t depth, tori_error *err)
{
    const struct cuts *cuts = &search->cuts;
    struct node *nodes;
    uint32_t *block;
    if (depth < search->depth)
        return 0;
    nodes = realloc (search->path, (depth + 1) * sizeof *nodes);
    if (!nodes)
        return tori_error_nomem (err);
    search->path = nodes;
    block = calloc (2 * cuts->ncuts * sizeof *block + cuts->n + 1, 1);
    if (!block)
        return tori_error_nomem (err);
    nodes[search->depth++] = (struct node){
        .low = block,
        .high = block + cuts->ncuts,
        .marks = (uint8_t *)(block + 2 * cuts->ncuts),
    };
    return 0;
}

static void copy_node (const struct cuts *cuts, struct node *to,
                       const struct node *from)
{
    memcpy (to->low, from->low, cuts->ncuts * sizeof *to->low);
    memcpy (to->high, from->high, cuts->ncuts * sizeof *to->high);
    memcpy (to->marks, from->marks, cuts->n);
}

/* ---- the goal ---- */

/* A sum above the limit is larger by at least 2, because twice a sum is even:
 * at least found / (1 + epsilon), with rounding errors on top. */
amount search_goal (const struct search *search, amount found)
{
    double least = (double)found / 2 / (1 + search->epsilon) * (1 + 1e-12);
    amount goal = (amount)least;
    if (search->epsilon == 0)
        return found - 2;
    if ((double)goal < least)
        goal++;
    return 2 * (goal < found / 2 ? goal : found / 2) - 2;
}

/* ---- the walk ---- */

struct branch {
    bool on_cut;
    uint32_t what;      /* the cut or the point */
    uint32_t low, high; /* of the cut */
    uint32_t at;        /* the first half ends here */
};

/* Find where to split a range, so that n is at an end; `high`: nowhere. */
static uint32_t find_split (const struct search *search, uint32_t low,
                            uint32_t high, uint32_t n)
{
    uint32_t end;
    if (!search->strips)
        return n;
    end = strips_end_near (search->strips, low, high, n);
    return end > 0 ? end : high;
}

/* Branch on the cut whose chord is farthest from the truth; if all are exact,
 * yet the cheapest set is outside the ranges, on a point. */
static struct branch choose_branch (const struct search *search,
                                    const struct node *node)
{
    struct branch branch = {.on_cut = false};
    amount widest = 0;
    for (uint32_t c = 0; c < search->cuts.ncuts; c++) {
        uint32_t n = search->counts[c];
        uint32_t low = node->low[c], high = node->high[c];
        amount gap = search->cuts.length[c] * ((amount)n - low)
                     * ((amount)high - n);
        uint32_t at = gap > widest ? find_split (search, low, high, n) : high;
        if (at == high)
            continue;
        widest = gap;
        branch = (struct branch){true, c, low, high, at};
    }
    while (!branch.on_cut && node->marks[branch.what] != OPEN)
        branch.what++;
    return branch;
}

static void apply_branch (const struct branch *branch, bool second,
                          struct node *node)
{
    if (!branch->on_cut)
        node->marks[branch->what] = second ? LEFT : CHOSEN;
    else if (second)
        node->low[branch->what] = branch->at + 1;
    else
        node->high[branch->what] = branch->at;
}

static bool node_settled (const struct search *search, const struct node *node)
{
    return memchr (node->marks, OPEN, search->cuts.n) == NULL;
}

static bool is_done (const struct search *search)
{
    return (!search->improving && search->found_sum <= search->limit)
           || search->steps > search->budget;
}

/* Search the node at `depth` of the path. */
static int explore_node (struct search *search, size_t depth, tori_error *err)
{
    struct branch branch;
    bool left;
    left = node_narrow (search, &search->path[depth]);
    if (search->on_node)
        search->on_node (search->arg, search->steps);
    if (left && depth == 0 && search->improving
        && search->bound > search->proved)
        search->proved = search->bound;
    if (!left || node_settled (search, &search->path[depth])
        || is_done (search)) {
        search->settled += ldexp (1, -(int)depth);
        return 0;
    }
    branch = choose_branch (search, &search->path[depth]);
    if (path_reach (search, depth + 1, err) < 0)
        return -1;
    for (int second = 0; second < 2 && !is_done (search); second++) {
        copy_node (&search->cuts, &search->path[depth + 1],
                   &search->path[depth]);
        apply_branch (&branch, second, &search->path[depth + 1]);
        if (explore_node (search, depth + 1, err) < 0)
            return -1;
    }
    return 0;
}

/* All sets that the marks allow. */
static int reset_root (struct search *search, const uint8_t *marks,
                       tori_error *err)
{
    struct node *root;
    if (path_reach (search, 0, err) < 0)
        return -1;
    root = &search->path[0];
    memcpy (root->marks, marks, search->cuts.n);
    for (uint32_t c = 0; c < search->cuts.ncuts; c++) {
        root->low[c] = 0;
        root->high[c] = search->k;
    }
    return 0;
}

int search_explore (struct search *search, const uint8_t marks[],
                    tori_error *err)
{
    return reset_root (search, marks, err) < 0 ? -1
                                               : explore_node (search, 0, err);
}

int search_count_ways (struct search *search, const uint8_t marks[],
                       double *ret_ways, tori_error *err)
{
    *ret_ways = 0;
    if (reset_root (search, marks, err) < 0)
        return -1;
    return node_narrow (search, &search->path[0])
               ? node_count_ways (search, &search->path[0], ret_ways, err)
               : 0;
}

/* ---- the first of the best ---- */

void search_open (const struct search *search, uint8_t ret_marks[])
{
    memset (ret_marks, OPEN, search->cuts.n);
    if (search->with_first)
        ret_marks[0] = CHOSEN;
}

/* Is there a best set with this point and what is settled? */
static int try_point (struct search *search, uint8_t *marks, uint32_t point,
                      tori_error *err)
{
    amount least = search->limit;
    marks[point] = CHOSEN;
    if (search->found[point] == CHOSEN)
        return 0;
    search->found_sum = least + 1;
    if (search_explore (search, marks, err) < 0)
        return -1;
    if (search->found_sum > least)
        marks[point] = LEFT;
    return 0;
}

/* Settle point by point. search->found always agrees with the settled points,
 * so it is the answer when the budget is spent. */
static int try_points (struct search *search, uint8_t *marks, tori_error *err)
{
    uint32_t n = search->cuts.n, chosen = 0;
    for (uint32_t i = 0; i < n && chosen < search->k; i++) {
        if (marks[i] == OPEN && try_point (search, marks, i, err) < 0)
            return -1;
        if (search->steps > search->budget)
            break;
        chosen += marks[i] == CHOSEN;
    }
    return 0;
}

int search_first (struct search *search, uint8_t marks[], tori_error *err)
{
    amount least = search->found_sum;
    int status;
    search->budget = search->steps + search->budget / 4;
    search->improving = false;
    search->limit = least;
    memset (marks, OPEN, search->cuts.n);
    status = try_points (search, marks, err);
    search->found_sum = least;
    return status;
}
