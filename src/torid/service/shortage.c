#include "shortage.h"

#include <stdlib.h>

#include <jansson.h>

static _Thread_local unsigned long json_shortages;

static void *take_block (size_t n)
{
    void *block = malloc (n);
    json_shortages += block == NULL;
    return block;
}

static void give_block (void *block)
{
    free (block);
}

void shortage_watch (void)
{
    json_set_alloc_funcs (take_block, give_block);
}

unsigned long shortage_count (void)
{
    return json_shortages;
}
