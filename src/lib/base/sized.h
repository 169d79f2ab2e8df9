/* sized.h - structures of the public headers that begin with their size.
 *
 * A program compiled against an older header passes a shorter structure; one
 * compiled against a newer header passes a longer one. The first gets the
 * defaults, all 0, for the members it does not know. The second is understood
 * as long as it asks for nothing new.
 *
 * So members are only ever added at the end, and there must be no padding
 * after the last one: a member added in the padding would not change the size
 * (tests/unit/test_sized.c).
 */
#ifndef TORI_BASE_SIZED_H
#define TORI_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

#include <tori/error.h>

/* Copy a structure of the caller's into one of ours, of `size` bytes. `name`
 * is that of its type, for messages. TORI_INVALID if its size is not set, or
 * if it is longer and has something there. */
int sized_copy (void *to, size_t size, const void *from, const char *name,
                tori_error *err);

/* The reverse: fill in a structure of the caller's, as much of it as it has
 * room for by its size, which is set; what it has beyond ours is 0. */
void sized_fill (void *to, const void *from, size_t size);

/* Whether a structure of the caller's has a size at all. */
bool sized_is_set (const void *given);

#define SIZED_COPY(type, to, from, err)                                       \
    sized_copy ((to), sizeof (type), (from), #type, (err))

#endif
