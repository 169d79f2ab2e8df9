/* garbage.c - global garbage collection by saved routers (A. Hori et al., "Time
 * Space Sharing Scheduling and Architectural Support", 1995, section 3.3).
 *
 * The hard part elsewhere is a reference that is on its way while the nodes
 * look for references. Here the network has been preempted, so messages are
 * data like any other, and one pass of marking is enough. */
#include <stdlib.h>

#include "drain.h"

int tori_saved_each (const tori_saved *s,
                     int (*visit) (void *arg,
                                   const tori_net_message *message),
                     void *arg)
{
    int stop = 0;
    for (uint32_t i = 0; !stop && i < s->nmessages; i++)
        stop = visit (arg, &s->messages[i].is);
    for (size_t i = 0; !stop && i < s->nlater; i++) {
        const struct later *later = &s->later[i];
        const tori_net_message message = {.src = later->src,
                                          .dst = later->dst,
                                          .flits = later->flits,
                                          .job = s->job,
                                          .tag = later->tag,
                                          .sent = s->time};
        stop = visit (arg, &message);
    }
    return stop;
}

struct marking {
    const tori_reference *refs; /* by `from` */
    const size_t *first;        /* of each object, and the end */
    uint32_t objects;
    bool *live;
    uint32_t *pending; /* alive, and not yet looked at */
    uint32_t n;
};

static void mark_object (struct marking *m, uint32_t object)
{
    if (!m->live[object]) {
        m->live[object] = true;
        m->pending[m->n++] = object;
    }
}

static int mark_message (void *arg, const tori_net_message *message)
{
    struct marking *m = arg;
    if (message->tag < m->objects)
        mark_object (m, (uint32_t)message->tag);
    return 0;
}

static void mark_all (struct marking *m)
{
    while (m->n > 0) {
        uint32_t object = m->pending[--m->n];
        for (size_t i = m->first[object]; i < m->first[object + 1]; i++)
            mark_object (m, m->refs[i].to);
    }
}

/* References by `from`, without those of roots, which are marked. */
static void sort_references (struct marking *m, const tori_reference refs[],
                             size_t n, tori_reference sorted[],
                             size_t first[])
{
    for (size_t i = 0; i < n; i++)
        if (refs[i].from == TORI_ROOT)
            mark_object (m, refs[i].to);
        else
            first[refs[i].from + 1]++;
    for (uint32_t i = 0; i < m->objects; i++)
        first[i + 1] += first[i];
    for (size_t i = 0; i < n; i++)
        if (refs[i].from != TORI_ROOT)
            sorted[first[refs[i].from]++] = refs[i];
    for (uint32_t i = m->objects; i > 0; i--)
        first[i] = first[i - 1];
    first[0] = 0;
}

static int check_references (const tori_reference refs[], size_t n,
                             uint32_t objects, tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        if ((refs[i].from >= objects && refs[i].from != TORI_ROOT)
            || refs[i].to >= objects)
            return tori_error_set (err, TORI_INVALID,
                                   "reference %zu is from %u to %u: there are "
                                   "%u objects",
                                   i, refs[i].from, refs[i].to, objects);
    return 0;
}

int tori_saved_live (const tori_saved *s, const tori_reference refs[],
                     size_t n, uint32_t objects, bool ret_live[],
                     tori_error *err)
{
    tori_reference *sorted;
    size_t *first;
    uint32_t *pending;
    int status = 0;
    if (check_references (refs, n, objects, err) < 0)
        return -1;
    sorted = calloc (n + 1, sizeof *sorted);
    first = calloc ((size_t)objects + 1, sizeof *first);
    pending = calloc ((size_t)objects + 1, sizeof *pending);
    if (sorted && first && pending) {
        struct marking m = {sorted, first, objects, ret_live, pending, 0};
        for (uint32_t i = 0; i < objects; i++)
            ret_live[i] = false;
        sort_references (&m, refs, n, sorted, first);
        tori_saved_each (s, mark_message, &m);
        mark_all (&m);
    } else {
        status = tori_error_nomem (err);
    }
    free (sorted);
    free (first);
    free (pending);
    return status;
}
