/* snapshot.h - a snapshot is made in steps: read, then checked; or taken. */
#ifndef TORI_LIVE_SNAPSHOT_H
#define TORI_LIVE_SNAPSHOT_H

#include <tori/snapshot.h>

/* Whether it contradicts itself: TORI_INVALID, with the place in its file. */
int snapshot_check (const tori_snapshot *snapshot, tori_error *err);

/* TORI_INVALID, or what else it is: what is wrong with the i-th of a list of
 * the snapshot. */
int snapshot_blame (const tori_snapshot *snapshot, const char *list, size_t i,
                    const char *key, const tori_error *why, tori_error *err);

#endif
