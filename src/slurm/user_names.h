/* user_names.h - the names of users, by their numbers.
 *
 * Names may come from a directory far away, which may not answer. So each is
 * looked up by a process of its own, which is given up after a while, and whose
 * jobs wait meanwhile: nothing else does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_USER_NAMES_H
#define TORI_SLURM_USER_NAMES_H

#include <sys/types.h>

struct user_names;

/* NULL without memory. */
struct user_names *user_names_create (void);
void user_names_destroy (struct user_names *names);

/* A look at Slurm begins. All look-ups that begin in it may take a moment
 * together, within which names usually come. */
void user_names_turn (struct user_names *names);

/* The name, or the number of a user without one; NULL: ask again later. The
 * text is good until the next call. */
const char *user_name (struct user_names *names, uid_t uid);

#endif
