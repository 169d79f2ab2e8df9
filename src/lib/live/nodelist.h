/* nodelist.h - lists of nodes, boxes and links in a file, as sets. */
#ifndef TORI_LIVE_NODELIST_H
#define TORI_LIVE_NODELIST_H

#include "member.h"

/* A list of nodes, "0,0,0" or [0,0,0], and boxes, as bits and how many are set:
 * 1, and the caller frees them; 0 if there is no such list; or -1, also for a
 * node that occurs twice. It takes as long as the text and the rows of its
 * boxes, however many nodes these have. */
int nodeset_read (const struct member_of *of, const char *key,
                  const tori_machine *machine, uint64_t **ret_set,
                  size_t *ret_n, tori_error *err);

/* The same as ids in ascending order. */
int nodelist_read (const struct member_of *of, const char *key,
                   const tori_machine *machine, uint32_t **ret_ids,
                   size_t *ret_n, tori_error *err);

/* A list of links, in the order of dimension, layer and slot. */
int linklist_read (const struct member_of *of, const char *key,
                   const tori_machine *machine, tori_link **ret_links,
                   size_t *ret_n, tori_error *err);

/* A place: `boxes`; or `nodes`, `box`, or both (the nodes were cut from the
 * box); and `links`, for dimensions that are not wired by the rule. 1, 0 if
 * there is none of these, or -1. */
int place_read (const struct member_of *of, const tori_machine *machine,
                tori_wiring wiring, tori_placement *ret_place,
                tori_error *err);

#endif
