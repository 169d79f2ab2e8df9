#include "sized.h"

#include <string.h>

/* No structure will ever be that long: the caller did not set it. */
enum { LONGEST = 4096 };

static bool is_size (size_t size)
{
    return size >= sizeof size && size <= LONGEST;
}

static size_t size_of (const void *given)
{
    size_t size;
    memcpy (&size, given, sizeof size);
    return size;
}

bool sized_is_set (const void *given)
{
    return is_size (size_of (given));
}

static bool any_set (const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return true;
    return false;
}

int sized_copy (void *to, size_t size, const void *from, const char *name,
                tori_error *err)
{
    size_t given = size_of (from);
    if (!is_size (given))
        return tori_error_set (err, TORI_INVALID,
                               "the size of a %s is not set", name);
    if (given > size
        && any_set ((const unsigned char *)from + size, given - size))
        return tori_error_set (err, TORI_INVALID,
                               "a %s of a newer tori asks for what this one "
                               "does not have",
                               name);
    memcpy (to, from, given < size ? given : size);
    if (given < size)
        memset ((unsigned char *)to + given, 0, size - given);
    memcpy (to, &size, sizeof size);
    return 0;
}

void sized_fill (void *to, const void *from, size_t size)
{
    size_t given = size_of (to);
    memcpy (to, from, given < size ? given : size);
    if (given > size)
        memset ((unsigned char *)to + size, 0, given - size);
    memcpy (to, &given, sizeof given);
}
