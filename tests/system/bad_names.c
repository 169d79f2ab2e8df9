/* bad_names.c - the name of a user does not come while the file BAD_NAMES is
 * there, for a program that is started with this library before its own
 * (LD_PRELOAD). If there is a number in the file, those with smaller numbers
 * have their names. What root's number is comes at any time. BAD_NAMES.asked is
 * made when one is asked for. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The number in the file; 0 if there is none. */
static uid_t read_first (const char *path)
{
    FILE *file = fopen (path, "re");
    uid_t first = 0;
    if (file && fscanf (file, "%u", &first) != 1)
        first = 0;
    if (file)
        fclose (file);
    return first;
}

static void wait_for_names (uid_t uid)
{
    const char *path = getenv ("BAD_NAMES");
    char asked[4096];
    if (!path || access (path, F_OK) != 0 || uid < read_first (path))
        return;
    snprintf (asked, sizeof asked, "%s.asked", path);
    close (open (asked, O_WRONLY | O_CREAT, 0666));
    while (access (path, F_OK) == 0)
        nanosleep (&(struct timespec){.tv_nsec = 10000000}, NULL);
}

struct passwd *getpwuid (uid_t uid)
{
    struct passwd *(*next) (uid_t);
    *(void **)&next = dlsym (RTLD_NEXT, "getpwuid");
    wait_for_names (uid);
    return next (uid);
}

struct passwd *getpwnam (const char *name)
{
    struct passwd *(*next) (const char *);
    *(void **)&next = dlsym (RTLD_NEXT, "getpwnam");
    if (strcmp (name, "root"))
        wait_for_names ((uid_t)-1);
    return next (name);
}
