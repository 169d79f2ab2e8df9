/* switchtree.h - Slurm's topology.conf, for topology/tree: a mesh or torus as
 * a tree of switches.
 *
 *     SwitchName=t0s0 Switches=t1s[0-1] # 0,0/4x2
 *     SwitchName=t1s0 Nodes=n[0-3] # 0,0/2x2
 *     SwitchName=t1s1 Nodes=n[4-7] # 2,0/2x2
 *
 * Such a file has no coordinates. But a comment after the nodes of a switch
 * may say which box they are, in the order of ids. Without such comments, the
 * switches that have nodes are, in the order of the file, whole lines along
 * the last dimension, or planes, and so on, in the order of ids.
 */
#ifndef TORI_TOPOLOGY_SWITCHTREE_H
#define TORI_TOPOLOGY_SWITCHTREE_H

#include "nodemap.h"

/* TORI_INVALID with "FILE:LINE: why" if a node is missing, or named twice. */
int switchtree_read (struct nodemap *map, const tori_machine *machine,
                     const char *path, tori_error *err);

/* Write the tree of boxes that halves every side longer than 3, again and
 * again. TORI_INVALID if places of the machine are empty. */
int switchtree_write (const struct nodemap *map, FILE *out, tori_error *err);

#endif
