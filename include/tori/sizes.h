/* tori/sizes.h - the sizes of the structures of this library.
 *
 * A program in another language declares the structures for itself. Here it
 * can ask the library that it runs with whether both mean the same:
 *
 *     if (tori_struct_size ("tori_request") != sizeof (tori_request))
 *         ...
 *
 * A program in C need not ask: the compiler knows, and structures that may
 * grow begin with their size.
 */
#ifndef TORI_SIZES_H
#define TORI_SIZES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The size of a structure of the public headers, by the name of its type, such
 * as "tori_box"; 0 for a name that is not one of these. */
size_t tori_struct_size (const char *name);

#ifdef __cplusplus
}
#endif

#endif
