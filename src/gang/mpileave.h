/* mpileave.h - MPI_Finalize, where that may wait for ever.
 *
 * MPICH before 4.2 on UCX first closes its connections and then waits for the
 * others at the launcher. A process that waits there does not answer any more,
 * and over TCP another may need its answer to close.
 */
#ifndef TORI_MPILEAVE_H
#define TORI_MPILEAVE_H

/* Called by all processes; no messages may be under way. */
void mpi_leave (void);

#endif
