/* badge.h - a guard's badge, kept by the kernel.
 *
 * Folders can be copied, moved and put back; processes cannot. So each guard
 * has a file in memory with its attempt, nodes and user. It exists as long as
 * the guard does, and a copied folder does not have it.
 */
#ifndef TORI_EXECUTOR_BADGE_H
#define TORI_EXECUTOR_BADGE_H

#include "attempt.h"

/* Give the calling guard a badge. `text` is from badge_text, `dir` the folder
 * of the attempt. Without memory there is none. */
void badge_wear (const char *text, int dir);

/* The badge for an order to start: job, attempt and state, the numbers of the
 * nodes and the user. A new reference. */
json_t *badge_make (const json_t *order);

/* The same as text for a guard; the caller frees it. NULL for a torid that
 * does not name its state, and without memory. */
char *badge_text (const json_t *order);

/* All badges of guards of this user, by the names of attempts; the guard is
 * "guard", the number of its folder's descriptor "dir". */
json_t *badges_find (void);

/* The folder of its guard as the guard sees it, and a descriptor of the guard
 * (pidfd_open); or -1. */
int badge_folder (const json_t *badge);
int badge_guard (const json_t *badge);

#endif
