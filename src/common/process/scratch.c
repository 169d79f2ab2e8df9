#include "scratch.h"

#include <ftw.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "maker.h"

static const char *const homes[] = {"/dev/shm", "/tmp"};
enum { HOMES = sizeof homes / sizeof homes[0] };

int scratch_make (char path[SCRATCH_PATH])
{
    char name[MAKER_NAME];
    maker_name (getpid (), name);
    for (size_t i = 0; i < HOMES; i++) {
        snprintf (path, SCRATCH_PATH, "%s/%s", homes[i], name);
        if (mkdir (path, 0700) == 0)
            return 0;
    }
    *path = 0;
    return -1;
}

static int remove_one (const char *path, const struct stat *st, int kind,
                       struct FTW *where)
{
    remove (path);
    return 0;
}

void scratch_remove (const char *path)
{
    enum { FILES = 16 };
    nftw (path, remove_one, FILES, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

void scratches_sweep (void)
{
    for (size_t i = 0; i < HOMES; i++)
        makers_sweep (homes[i], scratch_remove);
}
