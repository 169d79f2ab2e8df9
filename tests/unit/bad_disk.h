/* bad_disk.h - a disk under SQLite that fails, or loses power.
 *
 * It is SQLite's default as soon as it is installed, and passes everything on
 * to the real one. Writes, truncations and syncs are counted. From the nth on
 * they fail, or at the nth the power goes: an image is kept of what a disk may
 * hold then, which is all that was synced, and of the writes since then each
 * whole, its beginning, or nothing of it, at random. The program goes on as if
 * nothing had happened; the image can be looked at afterwards.
 *
 * Removing a file is taken to be on disk at once.
 */
#ifndef TORI_TESTS_BAD_DISK_H
#define TORI_TESTS_BAD_DISK_H

#include <stdbool.h>

#include "random.h"

void bad_disk_install (void);

/* From the nth operation on, counted from now, all fail with this code of
 * SQLite; 0: none does. */
void bad_disk_fail (unsigned long nth, int code);

/* Operations since the last call of bad_disk_fail. */
unsigned long bad_disk_count (void);

/* Take an image at the nth operation from now. `rng` is used then. */
void bad_disk_cut_power (unsigned long nth, struct rng *rng);

/* Take one now; without `rng` as when only the process is killed: all that was
 * written is there. */
void bad_disk_image (struct rng *rng);

/* Whether there is one. */
bool bad_disk_has_image (void);

/* Put the image of each file to NAMENEW where its name was NAMEOLD with the
 * same end, such as "-wal". */
void bad_disk_put_image (const char *old, const char *new);

/* Forget all files and the image. No file may be open. */
void bad_disk_forget (void);

#endif
