/* jobsides.h - the sides that shapes of jobs may have. */
#ifndef TORI_WORKLOAD_JOBSIDES_H
#define TORI_WORKLOAD_JOBSIDES_H

#include <tori/machine.h>

/* Those of the machine; on a pod, of a box of all its cubes. Cubes that have no
 * places lie in the box whose sides have the smallest sum. */
tori_shape longest_sides (const tori_machine *machine);

#endif
