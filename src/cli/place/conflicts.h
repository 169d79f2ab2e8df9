/* conflicts.h - links that partitions of a site need and cannot have, and
 * failed nodes and links of running partitions. */
#ifndef TORI_CLI_CONFLICTS_H
#define TORI_CLI_CONFLICTS_H

#include "links.h"
#include "machine_options.h"

/* Why a partition cannot be wired. */
struct conflict {
    size_t partition;
    bool never;     /* the machine has no such links */
    bool down;      /* the link is down */
    size_t with;    /* else: the partition before it that needs the link */
    tori_link link; /* for boxes that do not wrap, the first by dimension,
                       line, slot */
};

struct conflicts {
    struct conflict *item;
    size_t n, room;
};

/* Take the links of all partitions, and list the conflicts: for each partition
 * every earlier one with a link in common, and a link that is down, in the
 * order of the first such link. Afterwards every partition has its links, even
 * if another has them, too. 0, or -1 without memory; call conflicts_clear in
 * either case. */
int conflicts_find (struct site *site, struct conflicts *ret_conflicts,
                    tori_error *err);
void conflicts_clear (struct conflicts *conflicts);

/* The conflicts of a place that is not a partition and takes no links. */
int conflicts_of_place (const struct site *site, const tori_placement *place,
                        struct conflicts *ret_conflicts, tori_error *err);

/* In words, such as "link 0,0-0,1 n is down". */
enum { CONFLICT_TEXT = TORI_LINK_TEXT + 512 };
void conflict_format (const struct site *site, const struct conflict *conflict,
                      char text[CONFLICT_TEXT]);

/* The i-th partition, for the fields "box" and "wiring". Several boxes are
 * separated by blanks. */
struct partition_row {
    const struct site *site;
    size_t i;
};
extern const struct sheet partition_row_sheet;

/* Running partitions with nodes or links that are down, if there are any: a
 * line for each, or a field of an answer whose row has the site there. */
void hits_print (const struct site *site, FILE *out);
extern const struct sheet hit_sheet;
field_emit_fn hits_emit;

#endif
