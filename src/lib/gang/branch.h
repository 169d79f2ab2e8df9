/* branch.h - the subnode for a new process: a comparison of two subnodes. */
#ifndef TORI_GANG_BRANCH_H
#define TORI_GANG_BRANCH_H

#include "node.h"

struct gang_policy {
    tori_gang_policy_info info;
    /* Whether subnode a is to be preferred to b, both large enough. */
    bool (*better) (const tori_gang_node *node, uint32_t a, uint32_t b);
};

/* NULL, and TORI_INVALID, if there is no policy of this name. */
const struct gang_policy *policy_find (const char *name, tori_error *err);

#endif
