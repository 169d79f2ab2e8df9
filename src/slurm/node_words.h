/* node_words.h - features and generic resources of nodes, as Slurm writes
 * them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_NODE_WORDS_H
#define TORI_SLURM_NODE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a node with a list of features such as "big,fast" (or NULL) is what
 * an expression such as "(big|old)&fast" asks for. As in Slurm, '&' and ','
 * mean the same, and operators are applied from left to right. -1 if the
 * expression is not about one node: it has counts or brackets, or is not
 * understood. */
int features_match (const char *asked, const char *has);

/* One item of a list of resources: "gpu:a100:2" is two of a type, "gpu" one of
 * any. */
enum { GRES_TEXT = 64 };
struct gres {
    char name[GRES_TEXT], type[GRES_TEXT]; /* type "": any */
    uint64_t count;
};

/* The next item that a job asks for, such as "gres/gpu:2" or "gres:gpu:2", of
 * a list; other items are left out. False past the end. */
bool gres_next (const char **list, struct gres *ret_gres);

/* How many of that a node has, with a list such as "gpu:a100:2(S:0),ssd:1" (or
 * NULL). */
uint64_t gres_count (const char *has, const struct gres *asked);

#endif
