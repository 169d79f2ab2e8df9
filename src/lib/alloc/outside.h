/* outside.h - allocators that programs bring along: tori_alloc_ops. */
#ifndef TORI_ALLOC_OUTSIDE_H
#define TORI_ALLOC_OUTSIDE_H

#include "policy.h"

/* TORI_INVALID for ops that tori/alloc.h does not allow. */
int outside_check (const tori_alloc_ops *ops, tori_error *err);

/* The ops that alloc.c needs for the allocator of a configuration: their
 * functions take the ops themselves as data, and destroy frees both. They have
 * been checked. */
int outside_create (const tori_machine *machine,
                    const tori_alloc_config *config,
                    struct alloc_ops **ret_ops, tori_error *err);

#endif
