#include "pool.h"

#include <stdlib.h>

#include "array.h"

static int make_room (struct pool *pool, tori_error *err)
{
    tori_gang_message *message
        = array_room (pool->message, &pool->room, (size_t)pool->n + 1,
                      sizeof *message);
    uint32_t *next;
    if (!message)
        return tori_error_nomem (err);
    pool->message = message;
    next = array_room (pool->next, &pool->next_room, (size_t)pool->n + 1,
                       sizeof *next);
    if (!next)
        return tori_error_nomem (err);
    pool->next = next;
    return 0;
}

int pool_put (struct pool *pool, const tori_gang_message *message,
              uint32_t *ret_number, tori_error *err)
{
    uint32_t number;
    if (pool->vacant) {
        number = pool->vacant - 1;
        pool->vacant = pool->next[number];
    } else {
        if (make_room (pool, err) < 0)
            return -1;
        number = pool->n++;
    }
    pool->message[number] = *message;
    *ret_number = number;
    return 0;
}

tori_gang_message pool_take (struct pool *pool, uint32_t number)
{
    pool->next[number] = pool->vacant;
    pool->vacant = number + 1;
    return pool->message[number];
}

void pool_clear (struct pool *pool)
{
    free (pool->message);
    free (pool->next);
    *pool = (struct pool){0};
}
