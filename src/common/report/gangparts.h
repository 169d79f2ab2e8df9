/* gangparts.h - how many processors a job holds on the queue tree.
 *
 * If all partitions of a level are alike, it is the smallest that is large
 * enough. If they differ by a row, a job may go into a branch without such a
 * partition, and holds a larger one. This is then the mean, if branches take
 * jobs in proportion to their processors, as they do when they are kept
 * equally loaded.
 */
#ifndef TORI_REPORT_GANGPARTS_H
#define TORI_REPORT_GANGPARTS_H

#include <tori/gang.h>

struct gang_parts;

/* For the tree of a machine with this degree, down to single processors. */
int gang_parts_create (const tori_machine *machine, uint32_t degree,
                       struct gang_parts **ret_parts, tori_error *err);
void gang_parts_destroy (struct gang_parts *parts);

/* For a job of 1 to all processors. */
double gang_parts_held (const struct gang_parts *parts, uint32_t count);

#endif
