/* listener.h - the socket of a run, where clients speak to it.
 *
 * It has a name in the file system, which outlives a run that is killed. So a
 * new run replaces a socket that no process listens to, but never the socket
 * of a live run, nor anything that is not a socket.
 */
#ifndef TORI_GANGRUN_LISTENER_H
#define TORI_GANGRUN_LISTENER_H

#include <sys/types.h>

#include <tori/error.h>

struct listener {
    int fd; /* -1: closed */
    const char *path;
    dev_t device; /* of the file at the path; another file may be there
                     later */
    ino_t inode;
};

/* Listen at `path`, which must outlive the listener; only the user may
 * connect. TORI_FAILED if the place is taken, TORI_INVALID if the path is too
 * long. */
int listener_open (struct listener *listener, const char *path,
                   tori_error *err);

/* Stop listening, and remove what is at the path if it is still ours. */
void listener_close (struct listener *listener);

/* Remove a socket that no process listens to. */
void listener_sweep (const char *path);

#endif
