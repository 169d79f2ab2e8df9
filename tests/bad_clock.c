/* bad_clock.c - a clock that is wrong by as many seconds as a file says, for a
 * program that is started with this library before its own (LD_PRELOAD). */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime (clockid_t clock, struct timespec *time)
{
    const char *path = getenv ("BAD_CLOCK");
    int status = (int)syscall (SYS_clock_gettime, clock, time);
    FILE *file = path && clock == CLOCK_REALTIME ? fopen (path, "re") : NULL;
    long wrong = 0;
    if (file && fscanf (file, "%ld", &wrong) == 1)
        time->tv_sec += wrong;
    if (file)
        fclose (file);
    return status;
}
