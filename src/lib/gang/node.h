/* node.h - the inside of a node of the tree.
 *
 * A node has slots of its own from an activation until the slot `end`. In them
 * it runs its own queue (OWN), or its subnodes are at work (BELOW) and hold
 * the partition until `below`. A node whose branch is empty gives its slots
 * back by saying so: after it reports a load of height 0 it may not use them.
 * A subnode that has something to do again is activated again. An activation
 * that was sent before the supernode saw that load is void. So messages under
 * way never let two nodes hold the same processors.
 *
 * A node knows the work of a subnode from its last load and from what was sent
 * to it since: the load says how many processors were asked for by all
 * add_task messages that the subnode had seen by then. So a burst of processes
 * between two loads is spread as if the loads were known, and a subnode need
 * not report a process that it was sent (unless its height changes, or it took
 * more processors than were asked for).
 */
#ifndef TORI_GANG_NODE_H
#define TORI_GANG_NODE_H

#include <tori/gang.h>

#include "runqueue.h"

enum node_phase {
    GANG_OFF,  /* no slots, or nothing to do in them */
    GANG_IDLE, /* the root with nothing to do */
    GANG_OWN,
    GANG_BELOW
};

struct child {
    uint32_t id;
    uint32_t size;
    tori_shape shape;
    uint32_t most;     /* processors of a process that it can take */
    uint64_t load;     /* as last reported */
    uint64_t sent;     /* processors asked for, by all add_task so far */
    uint64_t accepted; /* of those, seen at the last report */
    uint32_t height;
    uint64_t seen; /* the number of its reports */
};

struct tori_gang_node {
    uint32_t id;
    uint32_t parent;
    uint32_t size;
    tori_shape shape;
    const struct gang_policy *policy;
    struct runqueue queue;

    enum node_phase phase;
    int64_t end;     /* of its slots */
    int64_t below;   /* the end of the subnodes' slots */
    size_t turns;    /* of its own queue, left in this pass */
    int64_t wake;    /* the slot it waits for */
    uint64_t task;   /* that runs in slot `running` */
    int64_t running;

    /* The last report to the supernode. */
    uint64_t told_load;
    uint32_t told_height;
    uint64_t accepted;
    uint64_t said;       /* reports so far */
    uint64_t given_back; /* reports up to the last of height 0 */

    uint32_t after; /* the subnode after the last one chosen */
    uint32_t children;
    struct child child[];
};

/* The longest pass of a subnode. */
uint32_t node_depth (const tori_gang_node *node);

/* Virtual processors of a subnode's branch, including those on their way. */
static inline uint64_t child_load (const struct child *child)
{
    return child->load + (child->sent - child->accepted);
}

/* Whether the node, when it next decides, begins a pass. */
static inline bool node_at_top (const tori_gang_node *node)
{
    return node->phase == GANG_BELOW
           || (node->phase == GANG_OWN && node->turns == 0
               && node_depth (node) == 0);
}

#endif
