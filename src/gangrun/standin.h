/* standin.h - the process that mpirun knows.
 *
 * mpirun kills all its processes as soon as one of its hosts is gone, and a run
 * should go on with the others. So what mpirun has started stays behind as a
 * stand-in, and a child in a session of its own does the work: the keeper. The
 * stand-in passes signals on, and ends as the keeper does. If the keeper or its
 * rank has died, it stays until the run has ended, so that mpirun does not see
 * it.
 */
#ifndef TORI_GANGRUN_STANDIN_H
#define TORI_GANGRUN_STANDIN_H

/* Leave a stand-in behind and go on in a child. Returns a socket that takes
 * messages of keeper.h and ends when the stand-in is gone; -1 if there can be
 * none, and all is as before. */
int standin_leave (void);

#endif
