/* world_journal.c - the true journal, on a disk that tears and loses writes
 * when the power goes: bad_disk.h. Slower than world_disk.c, which has the
 * same contract. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sqlite3.h>
#include <sys/stat.h>

#include "bad_disk.h"
#include "worlds.h"

static struct {
    struct rng *rng;
    char root[64], state[96];
    unsigned long lives; /* each has a directory of its own */
    bool installed;
} disk;

static void enter (void)
{
    snprintf (disk.state, sizeof disk.state, "%s/%lu", disk.root,
              disk.lives++);
    if (mkdir (disk.state, 0700) < 0)
        abort ();
}

static void leave (const char *state)
{
    static const char *const names[]
        = {"/journal", "/journal-wal", "", ".mark"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf (path, sizeof path, "%s%s", state, names[i]);
        remove (path);
    }
}

void disk_begin (struct rng *rng)
{
    disk.rng = rng;
    disk.lives = 0;
    if (!disk.installed)
        bad_disk_install ();
    disk.installed = true;
    snprintf (disk.root, sizeof disk.root, "/tmp/world-XXXXXX");
    if (!mkdtemp (disk.root))
        abort ();
    enter ();
}

void disk_end (void)
{
    bad_disk_forget ();
    leave (disk.state);
    rmdir (disk.root);
}

void disk_fill (bool full)
{
    bad_disk_fail (full, SQLITE_FULL);
}

void disk_doom (void)
{
    enum { WRITES = 12 }; /* of a usual commit, or a few of them */
    bad_disk_cut_power (rng_below (disk.rng, WRITES) + 1, disk.rng);
}

bool disk_is_gone (void)
{
    return bad_disk_has_image ();
}

void disk_cut (bool power)
{
    if (!bad_disk_has_image ())
        bad_disk_image (power ? disk.rng : NULL);
}

void disk_restart (void)
{
    char old[sizeof disk.state], was[128], is[128];
    snprintf (old, sizeof old, "%s", disk.state);
    enter ();
    snprintf (was, sizeof was, "%s.mark", old);
    snprintf (is, sizeof is, "%s.mark", disk.state);
    rename (was, is); /* if there is one */
    bad_disk_put_image (old, disk.state);
    bad_disk_forget ();
    bad_disk_cut_power (0, NULL);
    leave (old);
}

/* It is not copied while it is torn. */
bool disk_back_up (void)
{
    return false;
}

void disk_put_back (void)
{
}

const char *disk_state (void)
{
    return disk.state;
}
