/* bench.h - timing, memory, and the machine they were measured on. */
#ifndef TORI_BENCH_H
#define TORI_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds since some moment. */
static inline double bench_now (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds that this process has computed: unlike the time that has passed it
 * does not depend on what else the machine does. */
static inline double bench_cpu (void)
{
    struct timespec now;
    clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A line of /proc/self/status that is in KiB, in MiB. */
static inline double bench_status (const char *name)
{
    char line[256];
    long kib = 0;
    FILE *status = fopen ("/proc/self/status", "r");
    while (status && fgets (line, sizeof line, status))
        if (strncmp (line, name, strlen (name)) == 0) {
            kib = strtol (line + strlen (name), NULL, 10);
            break;
        }
    if (status)
        fclose (status);
    return (double)kib / 1024;
}

/* Memory that the process occupies, and the most it ever did, in MiB. */
static inline double bench_memory (void)
{
    return bench_status ("VmRSS:");
}

static inline double bench_peak (void)
{
    return bench_status ("VmHWM:");
}

/* Call in a process of its own, so that no row of a table lives off the memory
 * of another. Ends the program if that one fails. */
static inline void bench_apart (void (*call) (const void *arg),
                                const void *arg)
{
    int status = 1;
    pid_t child;
    fflush (stdout);
    child = fork ();
    if (child == 0) {
        call (arg);
        exit (0);
    }
    if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
        exit (1);
}

/* The processor's name; ARM's cores only give numbers. */
static inline void bench_processor (char *name, size_t size)
{
    static const struct {
        unsigned part;
        const char *name;
    } parts[] = {{0xd0c, "Neoverse-N1"}, {0xd40, "Neoverse-V1"},
                 {0xd49, "Neoverse-N2"}, {0xd4f, "Neoverse-V2"},
                 {0xd08, "Cortex-A72"},  {0xd0b, "Cortex-A76"}};
    char line[256];
    unsigned part;
    FILE *info = fopen ("/proc/cpuinfo", "r");
    snprintf (name, size, "unknown processor");
    while (info && fgets (line, sizeof line, info)) {
        line[strcspn (line, "\n")] = '\0';
        if (strncmp (line, "model name", 10) == 0 && strchr (line, ':')) {
            snprintf (name, size, "%s", strchr (line, ':') + 2);
            break;
        }
        if (sscanf (line, "CPU part : %x", &part) != 1)
            continue;
        snprintf (name, size, "CPU part 0x%x", part);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            if (parts[i].part == part)
                snprintf (name, size, "%s", parts[i].name);
    }
    if (info)
        fclose (info);
}

/* One line: architecture, processor, how many, compiler. */
static inline void bench_machine (void)
{
    struct utsname system = {0};
    char processor[128];
    uname (&system);
    bench_processor (processor, sizeof processor);
    printf ("# %s, %s, %ld cores, %s\n", system.machine, processor,
            sysconf (_SC_NPROCESSORS_ONLN),
#ifdef __clang__
            "clang " __clang_version__
#else
            "gcc " __VERSION__
#endif
    );
}

/* The library must not fail here. */
#define BENCH_MUST(call)                                                      \
    do {                                                                      \
        tori_error err = {0};                                                 \
        if ((call) < 0) {                                                     \
            fprintf (stderr, "%s:%d: %s\n", __FILE__, __LINE__, err.text);    \
            exit (1);                                                         \
        }                                                                     \
    } while (0)

#endif
