/* badge.h - what the kernel knows of a guard.
 *
 * Folders can be copied, moved and put back; processes cannot. So each guard
 * has a file in memory that says which attempt it has, where it runs and whose
 * it is. It is there as long as the guard is, and no copy of a folder is taken
 * for it.
 */
#ifndef TORI_EXECUTOR_BADGE_H
#define TORI_EXECUTOR_BADGE_H

#include "attempt.h"

/* In a guard: wear one. `text` is of badge_text, `dir` the folder of the
 * attempt. Without memory there is none. */
void badge_wear (const char *text, int dir);

/* What an order to start says of an attempt: its job, attempt and state, the
 * numbers of its nodes and its user. A new reference. */
json_t *badge_make (const json_t *order);

/* The same as text for a guard; the caller frees it. NULL for a torid that
 * does not say which state it is, and without memory. */
char *badge_text (const json_t *order);

/* All that are worn by guards of this user, by the names of attempts; the guard
 * is "guard", the number of its folder's descriptor "dir". */
json_t *badges_find (void);

/* The folder of its guard as the guard sees it, and a descriptor of the guard
 * (pidfd_open); or -1. */
int badge_folder (const json_t *badge);
int badge_guard (const json_t *badge);

#endif
