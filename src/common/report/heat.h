/* heat.h - how busy the links of a machine were, as a picture (SVG).
 *
 * The last two dimensions are drawn as a grid, two lines between neighbours,
 * one for each way; links that wrap round stick out at the edges. With more
 * dimensions there is a grid for each plane, and a node has the colour of the
 * busiest of its links to other planes. Rows and columns have their
 * coordinates beside them, boxes an outline. Colours go from no load to the
 * load of the busiest link.
 */
#ifndef TORI_REPORT_HEAT_H
#define TORI_REPORT_HEAT_H

#include <stdio.h>

#include <tori/net.h>

struct heat {
    const tori_machine *machine;
    const tori_net_link *links;
    size_t nlinks;
    double most; /* flits that a link could have carried */
    const tori_box *boxes; /* to be outlined */
    size_t nboxes;
    const char *title;
};

/* TORI_INVALID if the machine is too large to be drawn. */
int heat_check (const tori_machine *machine, tori_error *err);

/* Write the picture to a file. */
int heat_write (const struct heat *heat, const char *path, tori_error *err);

#endif
