/* snapshot.h - a snapshot is made in steps: read, then checked; or taken. */
#ifndef TORI_LIVE_SNAPSHOT_H
#define TORI_LIVE_SNAPSHOT_H

#include <jansson.h>

#include <tori/snapshot.h>

/* Whether it contradicts itself: TORI_INVALID, with the place in its file. */
int snapshot_check (const tori_snapshot *snapshot, tori_error *err);

struct member_of;

/* Note the members that mean nothing. */
int snapshot_note_unknown (const struct member_of *of,
                           tori_snapshot *snapshot, tori_error *err);

/* Read the policy, the order and the allocators. */
int snapshot_read_policy (const struct member_of *root,
                          const tori_snapshot_own *own,
                          tori_snapshot *snapshot, tori_error *err);

/* Report an error, TORI_INVALID or another, in the i-th of a list of the
 * snapshot. */
int snapshot_blame (const tori_snapshot *snapshot, const char *list, size_t i,
                    const char *key, const tori_error *why, tori_error *err);

/* The description of an allocator that the snapshot names; NULL if there is
 * none of this name. */
const tori_alloc_info *snapshot_alloc (const tori_snapshot *snapshot,
                                       const char *name);

/* Set the members that describe a place, as wired_place_read reads them. Not 0
 * without memory. */
int place_set (json_t *object, const tori_machine *machine,
               const tori_placement *place, tori_wiring usual);

/* The request of a waiting job, with the members of a submission. NULL without
 * memory. */
json_t *wishes_json (const tori_machine *machine,
                     const tori_snapshot_job *job);

#endif
