/* bad_fork.c - no process can be started while the file BAD_FORK is there, for
 * a program that is started with this library before its own (LD_PRELOAD). */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t _Fork (void);

pid_t fork (void)
{
    const char *path = getenv ("BAD_FORK");
    if (path && access (path, F_OK) == 0) {
        errno = EAGAIN;
        return -1;
    }
    return _Fork ();
}
