/* nodesource.h - the options by which a command learns the names of nodes. */
#ifndef TORI_TOPOLOGY_NODESOURCE_H
#define TORI_TOPOLOGY_NODESOURCE_H

#include "nodemap.h"
#include "options.h"

struct nodesource {
    const char *nodes, *map, *topology, *torus;
    int order;
    bool suffixes;
};

/* Rows for values that hold a `struct nodesource names`. */
#define NODESOURCE_ROWS(values)                                             \
    {.name = "nodes", .kind = OPTION_STRING,                                \
     OPTION_AT (values, names.nodes), .value = "PATTERN",                   \
     .without = "map topology",                                             \
     .help = "the names of its nodes, such as n[0-63], in the order of "    \
             "their numbers"},                                              \
        {.name = "fastest", .kind = OPTION_CHOICE,                          \
         OPTION_AT (values, names.order), .value = "WHICH",                 \
         .fallback = "last", .choices = nodemap_order_name,                 \
         .with = "nodes", .without = "suffixes",                            \
         .help = "the dimension that varies fastest in that order; in "     \
                 "Slurm's own tori it is the first"},                       \
        {.name = "suffixes", .kind = OPTION_FLAG,                           \
         OPTION_AT (values, names.suffixes), .with = "nodes",               \
         .help = "the names end in their coordinates, a digit or a letter " \
                 "for each, as in n[000x333]"},                             \
        {.name = "map", .kind = OPTION_STRING,                              \
         OPTION_AT (values, names.map), .value = "FILE",                    \
         .file = FILE_READ, .without = "topology",                          \
         .help = "a file that says the same in lines 'NAME "                \
                 "COORDINATES'; '-' is the name of a place without a node"},\
        {.name = "topology", .kind = OPTION_STRING,                         \
         OPTION_AT (values, names.topology), .value = "FILE",               \
         .file = FILE_READ,                                                 \
         .help = "a file that says the same: Slurm's topology.yaml with "   \
                 "torus3d, or topology.conf, whose switches are lines or "  \
                 "planes"},                                                 \
    {                                                                       \
        .name = "torus", .kind = OPTION_STRING,                             \
        OPTION_AT (values, names.torus), .value = "NAME",                   \
        .with = "topology",                                                 \
        .help = "which torus of a topology.yaml, as NAME or TOPOLOGY:NAME, " \
                "if there are several"                                      \
    }

/* Whether one of them names the nodes. */
bool nodesource_given (const struct nodesource *source);

/* Read the names. Without a machine, the machine of a topology.yaml is made
 * and stored at *machine, which the caller destroys after clearing the map.
 * Clear the map in any case. With `ret_torus`, it becomes the torus that was
 * read, which the caller clears; from any other source it has no name. */
int nodesource_read (const struct nodesource *source, tori_machine **machine,
                     struct nodemap *map, struct torus_entry *ret_torus,
                     tori_error *err);

#endif
