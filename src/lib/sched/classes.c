#include "classes.h"

#include <stdlib.h>
#include <string.h>


static void clear_class (struct class *class)
{
    free (class->others);
    free (class->alternatives);
    free (class->only);
    class->only = NULL;
    if (class->exact)
        tori_placement_clear (class->exact);
    free (class->exact);
    class->exact = NULL;
    class->others = NULL;
    class->alternatives = NULL;
    class->nothers = 0;
}

void classes_clear (struct classes *classes)
{
    for (size_t i = 0; classes->all && i < classes->n; i++)
        clear_class (&classes->all[i]);
    free (classes->all);
    free (classes->buckets);
    *classes = (struct classes){0};
}

static uint64_t mix_hash (uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C (0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_request (uint64_t hash, const tori_request *request)
{
    hash = mix_hash (hash, request->count);
    hash = mix_hash (hash, (uint64_t)request->shape.ndims);
    hash = mix_hash (hash, (uint64_t)request->wiring << 2
                               | (uint64_t)request->fixed << 1
                               | (uint64_t)request->wrap);
    hash = mix_hash (hash, request->flags);
    for (int d = 0; d < request->shape.ndims; d++)
        hash = mix_hash (hash, request->shape.size[d]);
    return hash;
}

static uint64_t hash_of (const struct wish *wish)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < wish->n; i++)
        hash = hash_request (hash, &wish->all[i].request);
    for (size_t i = 0; wish->only && i < wish->words; i++)
        hash = mix_hash (hash, wish->only[i]);
    return hash;
}

static bool same_request (const tori_request *a, const tori_request *b)
{
    return a->count == b->count && a->wiring == b->wiring
           && a->fixed == b->fixed && a->wrap == b->wrap
           && a->flags == b->flags
           && tori_shape_equal (&a->shape, &b->shape);
}

/* Compare all but the number of nodes of the first request: each job has its
 * own. */
static bool matches_wish (const struct class *class, const struct wish *wish,
                          uint64_t hash)
{
    if (class->exact || class->hash != hash
        || class->nothers + 1 != wish->n || !class->only != !wish->only
        || (class->only
            && memcmp (class->only, wish->only,
                       wish->words * sizeof *wish->only)
                   != 0)
        || !same_request (&class->asks.request, &wish->all[0].request))
        return false;
    for (size_t i = 1; i < wish->n; i++)
        if (class->others[i - 1].asked != wish->all[i].asked
            || !same_request (&class->others[i - 1].request,
                              &wish->all[i].request))
            return false;
    return true;
}

/* The bucket that holds the wish, or the empty one where it belongs; the empty
 * one for NULL. */
static uint32_t *bucket_of (const struct classes *classes, uint64_t hash,
                            const struct wish *wish)
{
    size_t i = hash & (classes->nbuckets - 1);
    while (classes->buckets[i]
           && !(wish
                && matches_wish (&classes->all[classes->buckets[i] - 1], wish,
                                 hash)))
        i = (i + 1) & (classes->nbuckets - 1);
    return &classes->buckets[i];
}

static void put_in_bucket (struct classes *classes, uint32_t number)
{
    *bucket_of (classes, classes->all[number].hash, NULL) = number + 1;
}

/* How many have no members. */
static size_t count_deserted (const struct classes *classes)
{
    size_t n = 0;
    for (size_t i = 0; i < classes->n; i++)
        n += classes->all[i].members == 0;
    return n;
}

/* Remove the classes without members, and what is known of them. */
static void sweep_deserted (struct classes *classes)
{
    memset (classes->buckets, 0,
            classes->nbuckets * sizeof *classes->buckets);
    for (uint32_t i = 0; i < classes->n; i++) {
        if (classes->all[i].members > 0) {
            put_in_bucket (classes, i);
        } else {
            clear_class (&classes->all[i]);
            classes->all[i].next_vacant = classes->vacant;
            classes->vacant = i + 1;
        }
    }
}

static int grow_buckets (struct classes *classes, tori_error *err)
{
    size_t room = classes->room ? classes->room * 2 : 32;
    struct class *all;
    uint32_t *buckets = calloc (2 * room, sizeof *buckets);
    if (!buckets)
        return tori_error_nomem (err);
    all = realloc (classes->all, room * sizeof *all);
    if (!all) {
        free (buckets);
        return tori_error_nomem (err);
    }
    free (classes->buckets);
    classes->all = all;
    classes->room = room;
    classes->buckets = buckets;
    classes->nbuckets = 2 * room;
    for (uint32_t i = 0; i < classes->n; i++)
        put_in_bucket (classes, i);
    return 0;
}

/* Make room for one more class; at most every second bucket is in use. If half
 * of the classes have no members they are removed instead, so the room is less
 * than four times the largest number of classes with members. */
static int make_room (struct classes *classes, tori_error *err)
{
    if (classes->vacant || classes->n < classes->room)
        return 0;
    if (classes->n == 0 || count_deserted (classes) < classes->n / 2)
        return grow_buckets (classes, err);
    sweep_deserted (classes);
    return 0;
}

static uint32_t take_number (struct classes *classes)
{
    uint32_t number = classes->vacant;
    if (!number)
        return (uint32_t)classes->n++;
    classes->vacant = classes->all[number - 1].next_vacant;
    return number - 1;
}

static int64_t at_most (uint64_t nodes)
{
    return nodes > INT64_MAX ? INT64_MAX : (int64_t)nodes;
}

/* Note what else it asks for. */
static void note_others (struct class *class)
{
    class->asked_instead = INT64_MAX;
    for (size_t i = 0; i < class->nothers; i++) {
        const struct prepared *other = &class->others[i];
        class->alternatives[i] = other->request;
        class->alternatives[i].count = (uint32_t)other->asked;
        if (at_most (other->nodes) < class->nodes)
            class->nodes = at_most (other->nodes);
        if (at_most (other->asked) < class->asked_instead)
            class->asked_instead = at_most (other->asked);
    }
}

/* A copy in memory of its own, NULL for nothing; sets *bad if memory runs
 * out. */
static void *own_copy (const void *from, size_t size, bool *bad)
{
    void *to = from && size ? malloc (size) : NULL;
    if (to)
        memcpy (to, from, size);
    *bad |= from && size && !to;
    return to;
}

static tori_placement *own_place (const tori_placement *from, bool *bad)
{
    tori_placement *to = from ? calloc (1, sizeof *to) : NULL;
    if (to && tori_placement_copy (to, from, NULL) < 0) {
        free (to);
        to = NULL;
    }
    *bad |= from && !to;
    return to;
}

int class_copy_parts (struct class *class, tori_error *err)
{
    size_t n = class->nothers;
    bool bad = false;
    class->others = own_copy (class->others, n * sizeof *class->others, &bad);
    class->alternatives
        = n > 0 ? malloc (n * sizeof *class->alternatives) : NULL;
    class->only = own_copy (class->only, class->words * sizeof *class->only,
                            &bad);
    class->exact = own_place (class->exact, &bad);
    if (bad || (n > 0 && !class->alternatives)) {
        clear_class (class);
        return tori_error_nomem (err);
    }
    note_others (class);
    return 0;
}

static int make_class (struct wish *wish, uint64_t hash,
                       struct class *ret_class, tori_error *err)
{
    struct class class = {.asks = wish->all[0],
                          .others = wish->all + 1,
                          .nothers = wish->n - 1,
                          .nodes = at_most (wish->all[0].nodes),
                          .only = (uint64_t *)(uintptr_t)wish->only,
                          .words = wish->words,
                          .asked_instead = INT64_MAX,
                          .hash = hash};
    class.asks.asked = alloc_asked (&class.asks.request);
    if (class_copy_parts (&class, err) < 0)
        return -1;
    *ret_class = class;
    return 0;
}

int classes_find (struct classes *classes, struct wish *wish,
                  uint32_t *ret_class, tori_error *err)
{
    uint64_t hash = hash_of (wish);
    struct class class;
    uint32_t *bucket;
    if (make_room (classes, err) < 0)
        return -1;
    bucket = bucket_of (classes, hash, wish);
    if (!*bucket) {
        uint32_t number;
        if (make_class (wish, hash, &class, err) < 0)
            return -1;
        number = take_number (classes);
        classes->all[number] = class;
        *bucket = number + 1;
    }
    *ret_class = *bucket - 1;
    return 0;
}

int classes_add_place (struct classes *classes, uint32_t like,
                       const tori_placement *place, uint32_t *ret_class,
                       tori_error *err)
{
    struct class class = {.nodes = place->count, .asked_instead = INT64_MAX};
    bool bad = false;
    if (make_room (classes, err) < 0)
        return -1;
    class.asks = classes->all[like].asks;
    class.exact = own_place (place, &bad);
    if (bad)
        return tori_error_nomem (err);
    *ret_class = take_number (classes);
    classes->all[*ret_class] = class;
    return 0;
}
