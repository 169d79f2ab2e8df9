#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "duration.h"
#include "syserror.h"
#include "torid.h"

/* ---- one at a time ---- */

/* The process that has the lock has written its number there. */
static void read_owner (int fd, char text[static 24])
{
    ssize_t n = pread (fd, text, 23, 0);
    text[n > 0 ? n : 0] = 0;
    text[strcspn (text, "\n")] = 0;
}

static int refuse_taken (const char *dir, int fd, tori_error *err)
{
    char text[24];
    read_owner (fd, text);
    return tori_error_set (err, TORI_FAILED,
                           "%s: another torid uses this directory (process "
                           "%s)",
                           dir, *text ? text : "?");
}

/* A child that its torid has just begun has the lock, too, until it closes the
 * files of torid; and torid may have been killed meanwhile. */
static int lock_file (int fd)
{
    enum { TRIES = 1000, PAUSE = 10000 }; /* microseconds */
    char text[24];
    int status;
    for (int i = 0; (status = flock (fd, LOCK_EX | LOCK_NB)) < 0 && i < TRIES;
         i++) {
        long owner;
        read_owner (fd, text);
        owner = strtol (text, NULL, 10);
        if (owner <= 0 || kill ((pid_t)owner, 0) == 0 || errno != ESRCH)
            break;
        usleep (PAUSE);
    }
    return status;
}

/* Whoever can open the file can lock it, and so keep torid from starting. */
int state_lock (const char *dir, int *ret_lock, tori_error *err)
{
    char path[4096];
    int fd;
    snprintf (path, sizeof path, "%s/lock", dir);
    fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return system_error (path, errno, err);
    (void)fchmod (fd, 0600); /* an earlier torid let others read it */
    if (lock_file (fd) < 0) {
        refuse_taken (dir, fd, err);
        close (fd);
        return -1;
    }
    if (ftruncate (fd, 0) == 0)
        dprintf (fd, "%ld\n", (long)getpid ());
    *ret_lock = fd;
    return 0;
}

/* The journal has the same mode as before if it is there. */
void state_hide (const char *dir)
{
    char path[4096];
    int fd;
    snprintf (path, sizeof path, "%s/journal", dir);
    fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close (fd);
}

void state_unlock (int lock)
{
    if (lock >= 0)
        close (lock);
}

static bool is_running (const char *dir)
{
    char path[4096];
    bool running;
    int fd;
    snprintf (path, sizeof path, "%s/lock", dir);
    fd = open (path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    running = flock (fd, LOCK_SH | LOCK_NB) < 0;
    close (fd);
    return running;
}

/* ---- the service ---- */

/* How much one turn of the loop decides. The larger the machine, the longer a
 * question to the allocator takes. */
static uint32_t questions_of_turn (const tori_machine *machine)
{
    enum { MOST = 1024, LEAST = 8, NODES = 1 << 23 };
    uint32_t n = NODES / tori_machine_nodes (machine);
    return n < LEAST ? LEAST : n < MOST ? n : MOST;
}

int service_make (const struct settings *v, tori_machine **ret_machine,
                  struct service **ret_service, tori_error *err)
{
    const tori_alloc_config alloc
        = {.size = sizeof alloc, .name = v->alloc, .slices = v->slices};
    const tori_alloc_config counts
        = {.size = sizeof counts,
           .name = v->counts ? v->counts : "snake-bf"};
    tori_sched_config config = {.size = sizeof config,
                                .policy = v->sched,
                                .alloc = &alloc,
                                .flags = TORI_SCHED_RESTARTS
                                         | (v->moves ? TORI_SCHED_MOVES : 0),
                                .move = v->move,
                                .depth = (uint32_t)v->depth};
    if (tori_machine_parse (v->machine, ret_machine, err) < 0)
        return -1;
    if (v->counts || !tori_machine_is_pod (*ret_machine))
        config.counts = &counts;
    if (!v->shadow)
        config.work = questions_of_turn (*ret_machine);
    if (service_create (*ret_machine, &config, ret_service, err) < 0)
        return -1;
    return v->shadow ? service_shadow (*ret_service, err) : 0;
}

/* ---- the journal ---- */

/* A file that is not there is not copied. */
static int copy_file (const char *from, const char *to, tori_error *err)
{
    enum { PIECE = 1 << 20 };
    int in = open (from, O_RDONLY | O_CLOEXEC), out;
    ssize_t n = -1;
    if (in < 0)
        return errno == ENOENT ? 0 : system_error (from, errno, err);
    out = open (to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out >= 0)
        do
            n = sendfile (out, in, NULL, PIECE);
        while (n > 0);
    if (n < 0)
        system_error (to, errno, err);
    close (in);
    if (out >= 0)
        close (out);
    return n < 0 ? -1 : 0;
}

/* Check that the journal in a directory can be read and replayed. This is done
 * in a copy, so a migration changes only the copy. */
static int replay_copy (struct torid *torid, const char *from, tori_error *err)
{
    static const char *const names[] = {"journal", "journal-wal"};
    char here[4096], there[4096];
    for (size_t i = 0; i < 2; i++) {
        snprintf (here, sizeof here, "%s/%s", from, names[i]);
        snprintf (there, sizeof there, "%s/%s", torid->state, names[i]);
        if (copy_file (here, there, err) < 0)
            return -1;
    }
    return commit_loop_open (torid, err);
}

enum { PATH_SIZE = 4096 };
static const char *const ends[] = {"", "-wal"};
enum { NENDS = sizeof ends / sizeof ends[0] };

static void name_paths (const char *dir, const struct aside *aside,
                        const char *end, char here[PATH_SIZE],
                        char there[PATH_SIZE])
{
    snprintf (here, PATH_SIZE, "%s/journal%s", dir, end);
    snprintf (there, PATH_SIZE, "%s/%s%s", dir, aside->name, end);
}

static struct aside find_free (const char *dir)
{
    struct aside aside = {"journal.before"};
    char path[PATH_SIZE];
    for (int i = 2;; i++) {
        snprintf (path, sizeof path, "%s/%s", dir, aside.name);
        if (access (path, F_OK) < 0)
            return aside;
        snprintf (aside.name, sizeof aside.name, "journal.before.%d", i);
    }
}

int state_set_aside (const char *dir, struct aside *ret_aside,
                     tori_error *err)
{
    struct aside aside = find_free (dir);
    char here[PATH_SIZE], there[PATH_SIZE];
    for (size_t i = 0; i < NENDS; i++) {
        name_paths (dir, &aside, ends[i], here, there);
        if (copy_file (here, there, err) < 0) {
            state_drop_aside (dir, &aside);
            return -1;
        }
    }
    *ret_aside = aside;
    return 0;
}

void state_drop_aside (const char *dir, const struct aside *aside)
{
    char here[PATH_SIZE], there[PATH_SIZE];
    for (size_t i = 0; i < NENDS; i++) {
        name_paths (dir, aside, ends[i], here, there);
        (void)unlink (there);
    }
}

/* A log that was not there before is not there after. */
void state_put_back (const char *dir, const struct aside *aside)
{
    char here[PATH_SIZE], there[PATH_SIZE];
    for (size_t i = NENDS; i-- > 0;) {
        name_paths (dir, aside, ends[i], here, there);
        if (rename (there, here) < 0 && errno == ENOENT && i > 0)
            (void)unlink (here);
    }
}

static void remove_copy (const char *dir)
{
    static const char *const names[]
        = {"journal", "journal-wal", "journal-shm"};
    char path[4096];
    for (size_t i = 0; i < 3; i++) {
        snprintf (path, sizeof path, "%s/%s", dir, names[i]);
        (void)unlink (path);
    }
    (void)rmdir (dir);
}

/* A message that begins with the name of the copy begins with that of the
 * original instead. */
static void name_original (const char *copied, const char *from,
                           tori_error *err)
{
    const tori_error was = *err;
    size_t n = strlen (copied);
    if (!strncmp (was.text, copied, n))
        tori_error_set (err, was.status, "%s%s", from, was.text + n);
}

static int check_journal (struct torid *torid, const char *from, FILE *out,
                          tori_error *err)
{
    const char *tmp = getenv ("TMPDIR");
    char dir[256];
    struct job_counts counts;
    int status;
    snprintf (dir, sizeof dir, "%s/torid-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp (dir))
        return system_error (dir, errno, err);
    torid->state = dir;
    status = replay_copy (torid, from, err);
    if (status == 0) {
        counts = service_count (torid->service);
        fprintf (out, "the journal is good: %zu jobs wait, %zu run",
                 counts.queued, counts.running);
        if (counts.suspended > 0)
            fprintf (out, ", %zu are suspended", counts.suspended);
        fputc ('\n', out);
    } else
        name_original (dir, from, err);
    journal_close (torid->journal);
    remove_copy (dir);
    return status;
}

/* ---- all of it ---- */

static void describe_shares (const struct service_policy *policy, FILE *out)
{
    char text[DURATION_TEXT_MAX];
    if (policy->half_life == 0)
        return;
    duration_format (policy->half_life, text);
    fprintf (out, "fair share: usage counts half after %s", text);
    if (policy->weight > 0)
        fprintf (out, ", and takes up to %lld from priorities\n",
                 (long long)policy->weight);
    else
        fputs (", and takes nothing from priorities: usage-weight is not "
               "set\n",
               out);
}

static int check_settings (const struct settings *v, FILE *out,
                           tori_error *err)
{
    tori_machine *machine = NULL;
    struct service *service = NULL;
    int status = service_make (v, &machine, &service, err);
    if (status == 0)
        status = service_set_policy (service, 0, &v->policy, err);
    if (status == 0) {
        fputs ("the settings are good\n", out);
        describe_shares (&v->policy, out);
    }
    service_destroy (service);
    tori_machine_destroy (machine);
    return status;
}

static int check_tokens (const char *state, tori_error *err)
{
    struct tokens tokens = {0};
    int status = tokens_read (&tokens, state, err);
    tokens_free (&tokens);
    return status < 0 ? -1 : 0;
}

int check (const struct settings *v, FILE *out, tori_error *err)
{
    struct torid torid = {.level = LEVEL_WARNING};
    int status = check_settings (v, out, err);
    if (status == 0)
        status = check_host (v, out, err);
    if (status == 0)
        status = check_tokens (v->state, err);
    if (status == 0 && is_running (v->state))
        fputs ("torid is running: its journal is left alone\n", out);
    else if (status == 0) {
        status = service_make (v, &torid.machine, &torid.service, err);
        if (status == 0)
            status = check_journal (&torid, v->state, out, err);
    }
    service_destroy (torid.service);
    tori_machine_destroy (torid.machine);
    return status;
}
