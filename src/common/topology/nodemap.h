/* nodemap.h - the host of each node of the machine.
 *
 * A place of the machine may be empty: then it has no name.
 */
#ifndef TORI_TOPOLOGY_NODEMAP_H
#define TORI_TOPOLOGY_NODEMAP_H

#include <stdio.h>

#include <jansson.h>
#include <tori/machine.h>

#include "torusfile.h"

struct nodemap {
    const tori_machine *machine;
    uint32_t n;
    char **names; /* by id; NULL: the place is empty */
    json_t *ids;  /* by name */
};

/* Begin without names, and add them one by one: TORI_INVALID for a node that
 * is named twice. Clear it in any case; the machine must outlive it. */
int nodemap_begin (struct nodemap *map, const tori_machine *machine,
                   tori_error *err);
int nodemap_add (struct nodemap *map, uint32_t id, const char *name,
                 tori_error *err);
void nodemap_clear (struct nodemap *map);

/* In which order a pattern names the nodes: that of ids, where the last
 * dimension varies fastest, or that of Slurm's tori, where the first does. */
enum nodemap_order { NODEMAP_LAST, NODEMAP_FIRST };
const char *nodemap_order_name (size_t i);

/* All nodes, each of which is named once: by a pattern of hostlist.h; by names
 * that end in their coordinates, a digit or a letter for each (0 to 9, A to
 * Z), as in Slurm's former topology/3d_torus; or by a file of lines "NAME
 * COORDINATES", where # begins a comment and the name of an empty place is
 * "-". */
int nodemap_pattern (struct nodemap *map, const tori_machine *machine,
                     const char *pattern, enum nodemap_order order,
                     tori_error *err);
int nodemap_suffixes (struct nodemap *map, const tori_machine *machine,
                      const char *pattern, tori_error *err);
int nodemap_file (struct nodemap *map, const tori_machine *machine,
                  const char *path, tori_error *err);

/* The nodes of a torus of a file; places outside its regions are empty. The
 * machine has the same sides; sides of 1 at the end may be missing. */
int nodemap_torus (struct nodemap *map, const tori_machine *machine,
                   const struct torus_entry *torus, const char *path,
                   tori_error *err);

/* The other way: the torus of these nodes, or lines as above. A machine that
 * is not a torus, or has more dimensions, is TORI_INVALID. */
int nodemap_to_torus (const struct nodemap *map, const char *topology,
                      const char *name, struct torus_entry *ret_torus,
                      tori_error *err);
void nodemap_write (const struct nodemap *map, FILE *out);

/* The id of a node of this name, or -1. */
int64_t nodemap_id (const struct nodemap *map, const char *name);

/* Call a function with the id of every node of a pattern that is mapped. */
void nodemap_each (const struct nodemap *map, const char *pattern,
                   void (*each) (void *arg, uint32_t id), void *arg);

/* The nodes of a list of ids as a pattern, which the caller frees; NULL if
 * there is no such node. */
char *nodemap_hosts (const struct nodemap *map, const json_t *ids);

/* The error "PATH:LINE: why", in one line even if the file has control
 * characters; without a line (0), "PATH: why". Returns -1. */
int refuse_at (const char *path, size_t line, const tori_error *why,
               tori_error *err);

#endif
