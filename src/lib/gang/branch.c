#include "branch.h"

#include "choice.h"

/* 2^30 processors with 2^32 processes each need more than 64 bits. */
__extension__ typedef unsigned __int128 wide;

/* Subnodes may differ in size by a row: the load per processor counts. */
static bool is_lighter (const tori_gang_node *node, uint32_t a, uint32_t b)
{
    const struct child *x = &node->child[a], *y = &node->child[b];
    return (wide)child_load (x) * y->size < (wide)child_load (y) * x->size;
}

static bool is_lower (const tori_gang_node *node, uint32_t a, uint32_t b)
{
    const struct child *x = &node->child[a], *y = &node->child[b];
    return x->height != y->height ? x->height < y->height
                                  : is_lighter (node, a, b);
}

/* In turn, from the one after the last choice. */
static bool round_robin (const tori_gang_node *node, uint32_t a, uint32_t b)
{
    uint32_t n = node->children, after = node->after;
    return (a + n - after) % n < (b + n - after) % n;
}

static const struct gang_policy policies[] = {
    {{"lightest", "the branch with the fewest virtual processors"},
     is_lighter},
    {{"lowest", "the branch with the shortest pass, then the lightest"},
     is_lower},
    {{"round-robin", "the branches in turn"}, round_robin},
};

enum { NPOLICIES = sizeof policies / sizeof policies[0] };

const tori_gang_policy_info *tori_gang_policy_list (size_t i)
{
    return i < NPOLICIES ? &policies[i].info : NULL;
}

static const char *policy_name (size_t i)
{
    return i < NPOLICIES ? policies[i].info.name : NULL;
}

const struct gang_policy *policy_find (const char *name, tori_error *err)
{
    size_t which;
    if (choice_find ("policy", policy_name, name, &which, err) < 0)
        return NULL;
    return &policies[which];
}
