/* pool.h - messages on their way, by number. */
#ifndef TORI_GANG_POOL_H
#define TORI_GANG_POOL_H

#include <tori/gang.h>

struct pool {
    tori_gang_message *message;
    uint32_t *next; /* the next vacant one after this vacant one */
    size_t room, next_room;
    uint32_t n;      /* ever used */
    uint32_t vacant; /* the first, plus one; 0 for none */
};

int pool_put (struct pool *pool, const tori_gang_message *message,
              uint32_t *ret_number, tori_error *err);

/* Take one out; its number may be given to another. */
tori_gang_message pool_take (struct pool *pool, uint32_t number);
void pool_clear (struct pool *pool);

#endif
