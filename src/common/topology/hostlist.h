/* hostlist.h - names of hosts in the short form of Slurm: "n[0-3,07],a".
 *
 * Names are separated by commas or blanks. Numbers in brackets have as many
 * digits as the first of their range: [08-11] is 08, 09, 10 and 11. A name
 * may have several pairs of brackets; the last varies fastest. As in Slurm on
 * three-dimensional machines, [000x133] is a box: each digit, 0 to 9 and A to
 * Z, goes from the first corner to the second.
 */
#ifndef TORI_TOPOLOGY_HOSTLIST_H
#define TORI_TOPOLOGY_HOSTLIST_H

#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

/* How long a name may be, with its end. */
enum { HOST_TEXT = 256 };

/* How many names a pattern has. TORI_INVALID if it is not a pattern, or
 * has more than 2^32. */
int hostlist_count (const char *pattern, uint64_t *ret_n, tori_error *err);

/* Call a function with every name, in order, until it returns -1. */
typedef int host_fn (void *arg, const char *name, tori_error *err);
int hostlist_each (const char *pattern, host_fn *each, void *arg,
                   tori_error *err);

/* The pattern of names, in their order, from malloc; NULL without memory. */
char *hostlist_format (const char *const names[], size_t n);

#endif
