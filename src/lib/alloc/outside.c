#include "outside.h"

#include <stdlib.h>

#include "sized.h"

struct outside {
    struct alloc_ops ops; /* the first member: see outside.h */
    tori_alloc_ops theirs;
    void *data; /* theirs */
};

static void destroy_outside (void *data)
{
    struct outside *it = data;
    if (it->theirs.destroy)
        it->theirs.destroy (it->data);
    free (it);
}

static const char *outside_impossible (const void *data,
                                       const tori_request *request)
{
    const struct outside *it = data;
    return it->theirs.never ? it->theirs.never (it->data, request) : NULL;
}

/* An allocator that fails without an error must not leave the caller without
 * one. */
static int report_failure (const tori_error *why, const char *name,
                           tori_error *err)
{
    if (why->status == TORI_OK)
        return tori_error_set (err, TORI_INVALID,
                               "the allocator %.60s failed and did not say "
                               "why",
                               name);
    if (err)
        *err = *why;
    return -1;
}

static int place_outside (void *data, const tori_state *state,
                          const tori_request *request,
                          tori_placement *ret_place, tori_error *err)
{
    struct outside *it = data;
    tori_error why = {.status = TORI_OK};
    int found = it->theirs.place (it->data, state, request, ret_place, &why);
    return found < 0 ? report_failure (&why, it->ops.info.name, err)
                     : found > 0;
}

int outside_check (const tori_alloc_ops *theirs, tori_error *err)
{
    enum { TAKES = TORI_BY_SHAPE | TORI_BY_COUNT };
    tori_alloc_ops own, *ops = &own;
    if (SIZED_COPY (tori_alloc_ops, ops, theirs, err) < 0)
        return -1;
    if (!ops->info.name || !ops->info.summary || !ops->place)
        return tori_error_set (err, TORI_INVALID,
                               "an allocator without a name, a summary or "
                               "place");
    if (!ops->info.takes || (ops->info.takes & ~(unsigned)TAKES)
        || (ops->info.flags
            & ~(unsigned)(TORI_ALLOC_SEARCHES | TORI_ALLOC_PODS)))
        return tori_error_set (err, TORI_INVALID,
                               "the allocator %.60s takes nothing known, or "
                               "has flags that it cannot have",
                               ops->info.name);
    return 0;
}

int outside_create (const tori_machine *machine,
                    const tori_alloc_config *config,
                    struct alloc_ops **ret_ops, tori_error *err)
{
    struct outside *it = malloc (sizeof *it);
    if (!it)
        return tori_error_nomem (err);
    *it = (struct outside){.data = config->arg};
    if (SIZED_COPY (tori_alloc_ops, &it->theirs, config->ops, err) < 0
        || (it->theirs.create
            && it->theirs.create (machine, config, &it->data, err) < 0)) {
        free (it);
        return -1;
    }
    it->ops = (struct alloc_ops){.info = it->theirs.info,
                                 .outside = true,
                                 .destroy = destroy_outside,
                                 .impossible = outside_impossible,
                                 .place = place_outside};
    *ret_ops = &it->ops;
    return 0;
}
