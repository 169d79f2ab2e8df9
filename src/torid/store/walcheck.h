/* walcheck.h - what SQLite would silently drop from a write-ahead log.
 *
 * SQLite reads a log up to its last valid commit and forgets the rest. After a
 * crash, the rest is a commit that was under way and not acknowledged.
 * After damage, it is also what was synced and acknowledged later. The two can
 * be told apart: a commit is written only when the one before it is on disk,
 * so a crash leaves at most one commit past the last valid one. On disks that
 * do not promise to keep what is beside a write, SQLite writes the last frame
 * of a commit twice, and the second copy may be torn when the next commit is
 * written. That makes three frames that look like commits.
 */
#ifndef TORI_STORE_WALCHECK_H
#define TORI_STORE_WALCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

enum { WAL_CRASH_MOST = 3 }; /* commits that a crash may leave */

struct wal_tail {
    uint64_t frames;  /* past the last valid commit */
    uint64_t commits; /* among them: frames that end one */
    bool damaged;     /* no crash leaves this */
};

/* Look at PATH-wal, before SQLite opens PATH. A log that is not there has no
 * tail. */
int wal_check (const char *path, struct wal_tail *ret_tail, tori_error *err);

/* Where PATH-wal has the newest copy of each page. Frames past damage count if
 * their own sums are right, and if so many commits follow that no crash has
 * left them. */
struct wal_map {
    size_t page;     /* the bytes of one; 0: there is no log */
    uint64_t *at;    /* of page i, in the file; 0: it is not in the log */
    size_t pages;    /* all of `at`; page 0 is none */
    uint64_t broken; /* frames of this log with a wrong sum */
};

/* The array is from malloc. */
int wal_map (const char *path, struct wal_map *ret_map, tori_error *err);

#endif
