/* chaos.h - the nth allocation fails.
 *
 * A test that is linked with chaos.c and the --wrap options in meson.build has
 * its calls of malloc and the like pass through here, those of the static
 * libraries included, and so do some functions of the C library and zlib that
 * allocate inside. Armed with n, the nth allocation from then on fails: only
 * that one, or that one and all after it.
 *
 *     for (n = 1, fired = true; fired; n++) {
 *         chaos_arm (n, false);
 *         ...
 *         fired = chaos_disarm ();
 *     }
 */
#ifndef TORI_TESTS_CHAOS_H
#define TORI_TESTS_CHAOS_H

#include <stdbool.h>
#include <stddef.h>

void chaos_arm (unsigned long nth, bool onwards);

/* From here on nothing fails. Whether anything did since it was armed. */
bool chaos_disarm (void);
bool chaos_fired (void);

/* In between, allocations neither fail nor count: for what belongs to the
 * test and not to what is tested. */
void chaos_pause (void);
void chaos_resume (void);

/* How many of the blocks allocated through here have not been freed. */
size_t chaos_live (void);

#endif
