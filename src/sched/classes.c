#include "classes.h"

#include <stdlib.h>
#include <string.h>


void classes_clear (struct classes *classes)
{
    free (classes->all);
    free (classes->buckets);
    *classes = (struct classes){0};
}

static uint64_t mix (uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C (0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of (const tori_request *request)
{
    uint64_t hash = mix (request->count, (uint64_t)request->shape.ndims);
    hash = mix (hash, (uint64_t)request->wiring << 2
                          | (uint64_t)request->fixed << 1
                          | (uint64_t)request->wrap);
    for (int d = 0; d < request->shape.ndims; d++)
        hash = mix (hash, request->shape.size[d]);
    return hash;
}

static bool same (const tori_request *a, const tori_request *b)
{
    return a->count == b->count && a->wiring == b->wiring
           && a->fixed == b->fixed && a->wrap == b->wrap
           && tori_shape_equal (&a->shape, &b->shape);
}

/* The bucket that holds the request, or the empty one where it belongs. */
static uint32_t *bucket_of (const struct classes *classes,
                            const tori_request *request)
{
    size_t i = hash_of (request) & (classes->nbuckets - 1);
    while (classes->buckets[i]
           && !same (&classes->all[classes->buckets[i] - 1].asks.request,
                    request))
        i = (i + 1) & (classes->nbuckets - 1);
    return &classes->buckets[i];
}

static void put (struct classes *classes, uint32_t number)
{
    *bucket_of (classes, &classes->all[number].asks.request) = number + 1;
}

/* How many have no members. */
static size_t deserted (const struct classes *classes)
{
    size_t n = 0;
    for (size_t i = 0; i < classes->n; i++)
        n += classes->all[i].members == 0;
    return n;
}

/* Take those without members out. What is known of them is lost. */
static void sweep (struct classes *classes)
{
    memset (classes->buckets, 0,
            classes->nbuckets * sizeof *classes->buckets);
    for (uint32_t i = 0; i < classes->n; i++) {
        if (classes->all[i].members > 0) {
            put (classes, i);
        } else {
            classes->all[i].next_vacant = classes->vacant;
            classes->vacant = i + 1;
        }
    }
}

static int grow (struct classes *classes, tori_error *err)
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
        put (classes, i);
    return 0;
}

/* Room for one more, and at most every second bucket in use. Where half of the
 * classes have no members these make room, so that there is room for fewer
 * than four times as many as ever had members at once. */
static int make_room (struct classes *classes, tori_error *err)
{
    if (classes->vacant || classes->n < classes->room)
        return 0;
    if (classes->n == 0 || deserted (classes) < classes->n / 2)
        return grow (classes, err);
    sweep (classes);
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

static struct class new_class (const struct prepared *prepared)
{
    struct class class = {.asks = *prepared};
    class.asks.asked = alloc_asked (&prepared->request);
    class.nodes = prepared->nodes > INT64_MAX ? INT64_MAX
                                              : (int64_t)prepared->nodes;
    return class;
}

int classes_find (struct classes *classes, const struct prepared *prepared,
                  uint32_t *ret_class, tori_error *err)
{
    uint32_t *bucket;
    if (make_room (classes, err) < 0)
        return -1;
    bucket = bucket_of (classes, &prepared->request);
    if (!*bucket) {
        uint32_t number = take_number (classes);
        classes->all[number] = new_class (prepared);
        *bucket = number + 1;
    }
    *ret_class = *bucket - 1;
    return 0;
}
