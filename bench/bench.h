/* bench.h - timing, memory, and the machine they were measured on. */
#ifndef TORI_BENCH_H
#define TORI_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
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

static inline int bench_compare (const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median time of a call, in seconds, of as many calls as make 0.2 s
 * together, but at least 3 and at most 1000. */
static inline double bench_median (void (*call) (void *arg), void *arg)
{
    double times[1000], total = 0;
    size_t n = 0;
    while (n < 3 || (n < 1000 && total < 0.2)) {
        double start = bench_now ();
        call (arg);
        times[n] = bench_now () - start;
        total += times[n++];
    }
    qsort (times, n, sizeof times[0], bench_compare);
    return times[n / 2];
}

/* Memory that the process occupies, in MiB. */
static inline double bench_memory (void)
{
    char line[256];
    long kib = 0;
    FILE *status = fopen ("/proc/self/status", "r");
    while (status && fgets (line, sizeof line, status))
        if (sscanf (line, "VmRSS: %ld", &kib) == 1)
            break;
    if (status)
        fclose (status);
    return (double)kib / 1024;
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
