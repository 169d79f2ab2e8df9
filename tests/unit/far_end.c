#include "allocs.h"

#include <string.h>

/* The example is a program. */
int far_end_main (void);
#define main far_end_main
#include "../examples/far_end.c"
#undef main

const tori_alloc_ops *const far_end_ops = &far_end;

const tori_alloc_info *every_alloc (size_t i)
{
    if (plain_alloc (i))
        return plain_alloc (i);
    return i == 0 || plain_alloc (i - 1) ? &far_end.info : NULL;
}

const tori_alloc_ops *ops_named (const char *name)
{
    return strcmp (name, far_end.info.name) == 0 ? &far_end : NULL;
}
