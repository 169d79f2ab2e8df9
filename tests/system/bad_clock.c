/* bad_clock.c - clocks that are wrong, for a program that is started with this
 * library before its own (LD_PRELOAD): the time of day by as many seconds as
 * the file BAD_CLOCK says; the monotonic clocks by as many as the file BAD_JUMP
 * says, and CLOCK_MONOTONIC too fast by BAD_DRIFT millionths. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double read_number (const char *name)
{
    const char *path = getenv (name);
    FILE *file = path ? fopen (path, "re") : NULL;
    double number = 0;
    if (file && fscanf (file, "%lf", &number) != 1)
        number = 0;
    if (file)
        fclose (file);
    return number;
}

static double drift_of (const struct timespec *time)
{
    const char *drift = getenv ("BAD_DRIFT");
    return drift ? strtod (drift, NULL) * 1e-6
                       * ((double)time->tv_sec + (double)time->tv_nsec * 1e-9)
                 : 0;
}

static void add (struct timespec *time, double seconds)
{
    double whole = floor (seconds);
    time->tv_sec += (time_t)whole;
    time->tv_nsec += (long)((seconds - whole) * 1e9);
    if (time->tv_nsec >= 1000000000) {
        time->tv_nsec -= 1000000000;
        time->tv_sec++;
    }
}

time_t time (time_t *to)
{
    struct timespec now;
    clock_gettime (CLOCK_REALTIME, &now);
    if (to)
        *to = now.tv_sec;
    return now.tv_sec;
}

int clock_gettime (clockid_t clock, struct timespec *time)
{
    int status = (int)syscall (SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME)
        add (time, read_number ("BAD_CLOCK"));
    if (clock == CLOCK_MONOTONIC)
        add (time, drift_of (time));
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME)
        add (time, read_number ("BAD_JUMP"));
    return status;
}
