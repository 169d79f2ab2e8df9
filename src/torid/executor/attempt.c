#include "attempt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "number.h"
#include "syserror.h"

enum { NAME_MAX_SIZE = ATTEMPT_NAME, KEPT = 24 * 60 * 60 };

static const char NEXT[] = "next";

int attempt_compare (const struct attempt *a, const struct attempt *b)
{
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    if (a->attempt != b->attempt)
        return a->attempt < b->attempt ? -1 : 1;
    return strcmp (a->state, b->state);
}

bool attempt_read (const json_t *message, struct attempt *ret)
{
    const json_t *job = json_object_get (message, "job");
    const json_t *attempt = json_object_get (message, "attempt");
    const char *state
        = json_string_value (json_object_get (message, "state"));
    *ret = (struct attempt){json_integer_value (job),
                            json_integer_value (attempt), ""};
    if (state && (strlen (state) >= ATTEMPT_STATE || strchr (state, '/')))
        return false;
    snprintf (ret->state, ATTEMPT_STATE, "%s", state ? state : "");
    return json_is_integer (job) && json_is_integer (attempt)
           && ret->job >= 0 && ret->attempt >= 0;
}

json_t *attempt_message (const char *is, const struct attempt *attempt)
{
    return json_pack ("{s:s, s:I, s:I, s:s*}", "is", is, "job",
                      (json_int_t)attempt->job, "attempt",
                      (json_int_t)attempt->attempt, "state",
                      *attempt->state ? attempt->state : NULL);
}

void attempt_name (const struct attempt *attempt, char to[ATTEMPT_NAME])
{
    snprintf (to, ATTEMPT_NAME, "%lld.%lld%s%s", (long long)attempt->job,
              (long long)attempt->attempt, *attempt->state ? "." : "",
              attempt->state);
}

static bool parse_name (const char *name, struct attempt *ret)
{
    uint64_t job, attempt;
    if (!number_scan (&name, INT64_MAX, &job) || *name++ != '.'
        || !number_scan (&name, INT64_MAX, &attempt)
        || (*name && *name != '.') || strlen (name) > ATTEMPT_STATE)
        return false;
    *ret = (struct attempt){(int64_t)job, (int64_t)attempt, ""};
    snprintf (ret->state, ATTEMPT_STATE, "%s", *name ? name + 1 : "");
    return true;
}

/* ---- one ---- */

static bool has_file (int dir, const char *name)
{
    return faccessat (dir, name, F_OK, 0) == 0;
}

int attempt_open (int jobs, struct attempt attempt)
{
    char name[NAME_MAX_SIZE];
    attempt_name (&attempt, name);
    return openat (jobs, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* A directory that is ready but has no name yet. An executor that was killed
 * here may have left one; there is one executor at a time, so it can be
 * used. */
static int prepare_directory (int jobs, int *ret_lock)
{
    int dir, lock;
    if (mkdirat (jobs, NEXT, 0755) < 0 && errno != EEXIST)
        return -1;
    dir = openat (jobs, NEXT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return -1;
    lock = openat (dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || flock (lock, LOCK_EX | LOCK_NB) < 0 || fsync (dir) < 0) {
        if (lock >= 0)
            close (lock);
        close (dir);
        return -1;
    }
    *ret_lock = lock;
    return dir;
}

/* The directory appears with its lock, because a directory without one counts
 * as forgotten. It has to be on disk before the program runs, or the job could
 * start twice after a crash of the machine. */
int attempt_create (int jobs, struct attempt attempt, int *ret_lock,
                    tori_error *err)
{
    char name[NAME_MAX_SIZE];
    int dir, lock;
    attempt_name (&attempt, name);
    if (has_file (jobs, name)) {
        errno = EEXIST;
        return system_error (name, errno, err);
    }
    dir = prepare_directory (jobs, &lock);
    if (dir < 0)
        return system_error (name, errno, err);
    if (renameat (jobs, NEXT, jobs, name) < 0 || fsync (jobs) < 0) {
        system_error (name, errno, err);
        close (lock);
        close (dir);
        return -1;
    }
    *ret_lock = lock;
    return dir;
}

static bool is_locked (int dir)
{
    int lock = openat (dir, "lock", O_RDWR | O_CLOEXEC);
    bool taken = lock >= 0 && flock (lock, LOCK_EX | LOCK_NB) < 0;
    if (lock >= 0)
        close (lock);
    return taken;
}

/* The lock is checked first: a guard may write how the job ended and exit
 * between two checks. */
enum attempt_state attempt_look (int dir)
{
    bool alive = is_locked (dir);
    if (has_file (dir, "ended"))
        return ATTEMPT_ENDED;
    if (!has_file (dir, "lock"))
        return ATTEMPT_FORGOTTEN;
    if (!alive)
        return ATTEMPT_LOST;
    return has_file (dir, "began") ? ATTEMPT_RUNNING : ATTEMPT_STARTING;
}

static bool write_all (int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t wrote = write (fd, text, n);
        if (wrote < 0 && errno != EINTR)
            return false;
        if (wrote > 0) {
            text += wrote;
            n -= (size_t)wrote;
        }
    }
    return true;
}

int attempt_write (int dir, const char *name, const char *text,
                   tori_error *err)
{
    char other[NAME_MAX_SIZE];
    int fd;
    bool good;
    snprintf (other, sizeof other, ".%s", name);
    fd = openat (dir, other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return system_error (name, errno, err);
    good = write_all (fd, text, strlen (text)) && fsync (fd) == 0;
    close (fd);
    if (!good || renameat (dir, other, dir, name) < 0 || fsync (dir) < 0)
        return system_error (name, errno, err);
    return 0;
}

json_t *attempt_ending (int dir)
{
    int fd = openat (dir, "ended", O_RDONLY | O_CLOEXEC);
    json_t *value = fd < 0 ? NULL : json_loadfd (fd, 0, NULL);
    if (fd >= 0)
        close (fd);
    return value;
}

pid_t attempt_guard (int dir)
{
    char text[32];
    const char *at = text;
    uint64_t pid = 0;
    int fd = openat (dir, "guard", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read (fd, text, sizeof text - 1);
    if (fd >= 0)
        close (fd);
    text[n > 0 ? n : 0] = 0;
    return number_scan (&at, INT32_MAX, &pid) ? (pid_t)pid : 0;
}

int attempt_guard_open (int dir, pid_t guard)
{
    int fd = guard > 0 ? (int)syscall (SYS_pidfd_open, guard, 0) : -1;
    if (fd < 0 || is_locked (dir))
        return fd;
    close (fd);
    return -1;
}

static const char *const files[] = {"script", "began",  "hosts",  "guard",
                                    ".guard", ".hosts", ".began", ".ended",
                                    "lock",   "ended"};

void attempt_forget (int dir)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlinkat (dir, files[i], 0);
}

/* ---- all ---- */

struct list {
    struct attempt *items;
    size_t n, room;
};

static int compare_attempts (const void *a, const void *b)
{
    return attempt_compare (a, b);
}

static int gather_attempts (DIR *dir, struct list *list)
{
    struct dirent *entry;
    struct attempt attempt;
    while ((entry = readdir (dir))) {
        struct attempt *more;
        if (!parse_name (entry->d_name, &attempt))
            continue;
        more = array_room (list->items, &list->room, list->n + 1,
                           sizeof *more);
        if (!more)
            return -1;
        list->items = more;
        list->items[list->n++] = attempt;
    }
    if (list->n > 0)
        qsort (list->items, list->n, sizeof *list->items, compare_attempts);
    return 0;
}

/* Whether it was forgotten a day ago, and is gone now. */
static bool is_over (int jobs, struct attempt attempt)
{
    char name[NAME_MAX_SIZE];
    int dir = attempt_open (jobs, attempt);
    struct stat st;
    bool over = dir >= 0 && attempt_look (dir) == ATTEMPT_FORGOTTEN
                && fstat (dir, &st) == 0
                && st.st_mtime < time (NULL) - KEPT;
    if (dir >= 0)
        close (dir);
    attempt_name (&attempt, name);
    return over && unlinkat (jobs, name, AT_REMOVEDIR) == 0;
}

int attempts_each (int jobs, void (*each) (void *arg, struct attempt attempt),
                   void *arg, tori_error *err)
{
    struct list list = {0};
    int fd = openat (jobs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir (fd);
    int status = 0;
    if (!dir) {
        system_error ("the directory of jobs", errno, err);
        if (fd >= 0)
            close (fd);
        return -1;
    }
    if (gather_attempts (dir, &list) < 0)
        status = tori_error_nomem (err);
    for (size_t i = 0; i < list.n && status == 0; i++)
        if (!is_over (jobs, list.items[i]))
            each (arg, list.items[i]);
    closedir (dir);
    free (list.items);
    return status;
}
