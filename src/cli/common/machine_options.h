/* machine_options.h - a machine and its situation, as the command line describes it.
 *
 * A site is the machine of --machine and a state of it that follows the files
 * of --down, --down-links, --partitions and --busy. A file that contradicts
 * itself or another one (a node held twice) is bad input: the error names both
 * lines. A held node may be down: it may have failed since it was taken.
 */
#ifndef TORI_CLI_MACHINE_OPTIONS_H
#define TORI_CLI_MACHINE_OPTIONS_H

#include <tori/tori.h>

#include "options.h"

/* As typed; all but the machine may be NULL. */
struct machine_options {
    const char *machine;
    const char *links; /* of its lines, beside those that it has */
    const char *down;       /* nodes and boxes, one per line */
    const char *down_links; /* links */
    const char *partitions; /* BOX mesh|torus|none; of a pod, the pieces of a
                               slice and how many there are along each
                               dimension before the wiring */
    const char *busy;       /* nodes and boxes */
    bool wrap;              /* boxes may wrap around */
    bool running;           /* partitions run: they have their links, and what
                               is down under them has failed since */
};

/* Rows of option tables, for values that hold a struct machine_options `site`. */
#define SITE_OPTION(values, member, text, ...)                           \
    {                                                                    \
        .kind = OPTION_STRING, .offset = offsetof (values, site.member), \
        .help = text, __VA_ARGS__                                        \
    }
#define SITE_MACHINE_ROW(values, pods, ...)                          \
    SITE_OPTION (values, machine,                                    \
                 "the machine: mesh, torus or multitorus "           \
                 "and its sizes, such as torus:8x8x8, mesh:2^10 or " \
                 "torus:16x16x8m" pods,                              \
                 .name = "machine", .value = "KIND:SIZES", __VA_ARGS__)
#define SITE_PODS "; or a pod of cubes, pod:64/4x4x4"
#define SITE_MACHINE(values) \
    SITE_MACHINE_ROW (values, SITE_PODS, .required = true)
#define SITE_MACHINE_IF(values) \
    SITE_MACHINE_ROW (values, SITE_PODS, .required = false)
/* For commands that refuse pods. */
#define SITE_MESH_OR_TORUS(values) \
    SITE_MACHINE_ROW (values, "", .required = true)
#define SITE_MESH_OR_TORUS_IF(values) \
    SITE_MACHINE_ROW (values, "", .required = false)
#define SITE_LINKS(values)                                                \
    SITE_OPTION (values, links,                                           \
                 "further links of the machine's lines: per line of the " \
                 "file a dimension and two nodes of its lines, such as "  \
                 "0 2-7; the same as torus:8+2-7x4x4",                    \
                 .name = "links", .value = "FILE", .file = FILE_READ)
#define SITE_DOWN(values)                                    \
    SITE_OPTION (values, down,                               \
                 "nodes that are down: one node (0,1,2) or " \
                 "box (0,1,2/4x4x2) per line",               \
                 .name = "down", .value = "FILE", .file = FILE_READ)
#define SITE_DOWN_LINKS_ROW(values, pods)                                  \
    SITE_OPTION (values, down_links,                                       \
                 "links that are down, one per line: "                     \
                 "0,0,1-0,0,2, with a kind (n, s, w) where two join the "  \
                 "same nodes; or a share of all links at random, such as " \
                 "2.5% or, with a seed, 2.5%:7" pods,                      \
                 .name = "down-links", .value = "FILE", .file = FILE_READ)
#define SITE_DOWN_LINKS(values) \
    SITE_DOWN_LINKS_ROW (values, "; a port of a pod is 5,3,0,0 +1")
/* For commands that refuse pods. */
#define SITE_DOWN_PLAIN_LINKS(values) SITE_DOWN_LINKS_ROW (values, "")
#define SITE_BUSY(values)                                           \
    SITE_OPTION (values, busy, "nodes that are busy, as in --down", \
                 .name = "busy", .value = "FILE", .file = FILE_READ)
#define SITE_WRAP_HELP .help = "boxes may wrap around where the dimension does"
#define SITE_WRAP_ROW(values, ...)                              \
    {                                                           \
        .name = "wrap", .kind = OPTION_FLAG,                    \
        .offset = offsetof (values, site.wrap), __VA_ARGS__     \
    }
#define SITE_WRAP(values)                                       \
    SITE_WRAP_ROW (values, SITE_WRAP_HELP)

/* A partition: its line in the file, and its placement, which has links once
 * they were chosen (conflicts_find). */
struct partition {
    size_t line;
    tori_placement place;
};

struct site {
    const struct machine_options *files;
    tori_machine *machine;
    tori_state *state;
    struct partition *partition;
    size_t partitions;
    size_t room;
    uint32_t *holder; /* by node: file and line, or 0; NULL until needed */
};

/* Read all files. Partitions hold their nodes, and with `running` also their
 * links; then two that need the same link are bad input. Call site_close
 * afterwards, also on failure. */
int site_open (const struct machine_options *files, struct site *ret_site,
               tori_error *err);
void site_close (struct site *site);

#endif
