#include "cage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "family.h"
#include "maker.h"
#include "scratch.h"

static const char *const names[] = {
    [CAGE_AUTO] = "auto",
    [CAGE_CGROUP] = "cgroup",
    [CAGE_SIGNAL] = "signal",
};

const char *cage_kind_name (size_t i)
{
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

/* ---- control groups ---- */

/* Finds the mount of control groups of version 2; false if there is none. */
static bool find_mount (char to[PATH_MAX])
{
    char line[2 * PATH_MAX], path[PATH_MAX], type[64];
    FILE *file = fopen ("/proc/self/mounts", "re");
    bool found = false;
    while (file && !found && fgets (line, sizeof line, file))
        found = sscanf (line, "%*s %4095s %63s", path, type) == 2
                && !strcmp (type, "cgroup2");
    if (file)
        fclose (file);
    if (found)
        snprintf (to, PATH_MAX, "%s", path);
    return found;
}

/* The caller's own group, as a path below the mount. */
static bool find_own (char to[PATH_MAX])
{
    char line[PATH_MAX];
    FILE *file = fopen ("/proc/self/cgroup", "re");
    bool found = false;
    while (file && !found && fgets (line, sizeof line, file))
        found = !strncmp (line, "0::", 3);
    if (file)
        fclose (file);
    if (found) {
        line[strcspn (line, "\n")] = 0;
        snprintf (to, PATH_MAX, "%s", strcmp (line + 3, "/") ? line + 3 : "");
    }
    return found;
}

/* The caller's own group, in which groups are made. */
static bool find_home (char to[PATH_MAX])
{
    char mount[PATH_MAX], own[PATH_MAX];
    int n;
    if (!find_mount (mount) || !find_own (own))
        return false;
    n = snprintf (to, PATH_MAX, "%s%s", mount, own);
    return n > 0 && n < PATH_MAX;
}

/* That of another process, or of one's own. */
static bool name_of (pid_t maker, char to[PATH_MAX])
{
    char home[PATH_MAX], name[MAKER_NAME];
    int n;
    if (!find_home (home))
        return false;
    maker_name (maker, name);
    n = snprintf (to, PATH_MAX, "%s/%s", home, name);
    return n > 0 && n < PATH_MAX;
}

/* ---- groups ---- */

static int open_file (const char *dir, const char *name)
{
    char path[PATH_MAX + 32];
    snprintf (path, sizeof path, "%s/%s", dir, name);
    return open (path, O_WRONLY | O_CLOEXEC);
}

static bool write_file (const char *dir, const char *name, const char *text)
{
    int fd = open_file (dir, name);
    bool done = fd >= 0
                && write (fd, text, strlen (text)) == (ssize_t)strlen (text);
    if (fd >= 0)
        close (fd);
    return done;
}

/* Below a group of threads no group can have processes. */
static bool takes_processes (const char *dir)
{
    char path[PATH_MAX + 32], type[32] = "";
    FILE *file;
    snprintf (path, sizeof path, "%s/cgroup.type", dir);
    file = fopen (path, "re");
    if (file && !fgets (type, sizeof type, file))
        *type = 0;
    if (file)
        fclose (file);
    errno = EOPNOTSUPP;
    return !strcmp (type, "domain\n");
}

/* False with errno. */
static bool make_group (struct cage *cage)
{
    int error;
    if (!name_of (getpid (), cage->dir)) {
        errno = ENOENT;
        return false;
    }
    if (mkdir (cage->dir, 0755) < 0)
        return false;
    if (takes_processes (cage->dir))
        cage->freeze = open_file (cage->dir, "cgroup.freeze");
    if (cage->freeze >= 0 && write (cage->freeze, "1", 1) == 1)
        return true;
    error = errno;
    if (cage->freeze >= 0)
        close (cage->freeze);
    cage->freeze = -1;
    rmdir (cage->dir);
    errno = error;
    return false;
}

/* ---- both ways ---- */

int cage_open (struct cage *cage, enum cage_kind kind)
{
    *cage = (struct cage){.freeze = -1};
    cage->cgroup = kind != CAGE_SIGNAL && make_group (cage);
    return kind == CAGE_CGROUP && !cage->cgroup ? -1 : 0;
}

bool cage_enter (const struct cage *cage)
{
    return cage->cgroup ? write_file (cage->dir, "cgroup.procs", "0")
                        : raise (SIGSTOP) == 0;
}

/* The group keeps its number for as long as its leader, our child, has not
 * been waited for. Later the number may be that of others. */
static void signal_group (const struct cage *cage, int signal)
{
    siginfo_t info;
    if (cage->group > 0
        && waitid (P_PID, (id_t)cage->group, &info,
                   WEXITED | WNOHANG | WNOWAIT)
               == 0)
        kill (-cage->group, signal);
}

static void write_freeze (const struct cage *cage, const char *text)
{
    if (write (cage->freeze, text, 1) != 1)
        signal_group (cage, text[0] == '1' ? SIGSTOP : SIGCONT);
}

void cage_stop (struct cage *cage)
{
    if (cage->cgroup) {
        write_freeze (cage, "1");
        return;
    }
    look_over (getpid (), &cage->seen);
    signal_group (cage, SIGSTOP);
    family_gather (getpid (), SIGSTOP, &cage->got);
}

/* A fork that was under way when the group got SIGSTOP still makes a child,
 * which will stop, whatever the group gets before the child is there: SIGCONT
 * must not come until the parent has stopped. One that waits for the child of
 * a vfork cannot, so we do not wait long for that. */
static void await_stop (const struct kin *got)
{
    enum { PAUSE = 100, MOST = 1000000, LONG = MOST / 500 }; /* microseconds */
    int waited = 0;
    for (size_t i = 0; i < got->n && waited < MOST; i++) {
        char state;
        while (waited < MOST && (state = look_state (got->one[i].pid))) {
            waited += state == 'D' ? LONG : PAUSE;
            usleep (PAUSE);
        }
    }
}

/* Every process gets one SIGCONT and no more: one that continues may stop
 * itself at once. No process starts another while all are stopped; at first
 * that is the group. If another program has stopped some, the group is not
 * continued as one, and the latest processes must be looked for. */
static void send_continue (struct cage *cage)
{
    bool some = cage->seen.stopped.n > 0;
    await_stop (&cage->got);
    if (some)
        family_gather (getpid (), 0, &cage->got);
    else
        signal_group (cage, SIGCONT);
    for (size_t i = 0; i < cage->got.n; i++) {
        struct relative one = cage->got.one[i];
        if (some ? !kin_has (&cage->seen.stopped, one.pid)
                 : getpgid (one.pid) != cage->group)
            relative_signal (one, SIGCONT);
    }
    if (cage->got.cut)
        family_signal (getpid (), SIGCONT);
}

void cage_continue (struct cage *cage)
{
    if (cage->cgroup)
        write_freeze (cage, "0");
    else
        send_continue (cage);
}

/* -1 where the group does not say. */
static int64_t group_time (const char *dir)
{
    char path[PATH_MAX + 32], line[128];
    long long used = -1, value;
    FILE *file;
    snprintf (path, sizeof path, "%s/cpu.stat", dir);
    file = fopen (path, "re");
    while (file && used < 0 && fgets (line, sizeof line, file))
        if (sscanf (line, "usage_usec %lld", &value) == 1)
            used = value * 1000;
    if (file)
        fclose (file);
    return used;
}

static int64_t children_time (void)
{
    struct rusage used;
    int64_t microseconds;
    if (getrusage (RUSAGE_CHILDREN, &used) < 0)
        return 0;
    microseconds = (int64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
                       * 1000000
                   + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    return microseconds * 1000;
}

/* The time that a process has used itself, if `own`, plus that of the children
 * it has waited for. */
static int64_t time_of (pid_t pid, bool own)
{
    char text[MAKER_STAT];
    long long used[4] = {0};
    const char *stat = maker_stat (pid, text);
    if (stat)
        sscanf (stat,
                " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld %lld %lld "
                "%lld",
                &used[0], &used[1], &used[2], &used[3]);
    return (used[2] + used[3] + (own ? used[0] + used[1] : 0))
           * (1000000000 / sysconf (_SC_CLK_TCK));
}

int64_t cage_used (pid_t maker)
{
    char dir[PATH_MAX];
    struct kin kin = {0};
    int64_t used = name_of (maker, dir) ? group_time (dir) : -1;
    if (used >= 0)
        return used;
    used = time_of (maker, false);
    family_gather (maker, 0, &kin);
    for (size_t i = 0; i < kin.n; i++)
        used += time_of (kin.one[i].pid, true);
    free (kin.one);
    return used;
}

/* A process with the right to do so may have left the group, so the family is
 * ended in any case. */
int64_t cage_end (struct cage *cage)
{
    int64_t used;
    if (cage->cgroup)
        write_file (cage->dir, "cgroup.kill", "1");
    family_end ();
    used = cage->cgroup ? group_time (cage->dir) : -1;
    if (used < 0)
        used = children_time ();
    if (!cage->cgroup)
        return used;
    close (cage->freeze);
    rmdir (cage->dir);
    cage->cgroup = false;
    return used;
}

int cage_try (tori_error *err)
{
    struct cage cage = {.freeze = -1};
    char home[PATH_MAX];
    int error;
    if (make_group (&cage)) {
        close (cage.freeze);
        rmdir (cage.dir);
        return 0;
    }
    error = errno;
    return tori_error_set (err, TORI_FAILED,
                           "no control group can be created here (%.200s: %s)",
                           find_home (home) ? home : "cgroup2",
                           strerror (error));
}

/* ---- what is left ---- */

/* A killed process takes a moment to go. */
static void remove_group (const char *dir)
{
    enum { TRIES = 200, PAUSE = 1000 };
    write_file (dir, "cgroup.kill", "1");
    for (int i = 0; i < TRIES && rmdir (dir) < 0 && errno == EBUSY; i++)
        usleep (PAUSE);
}

void cages_sweep (void)
{
    char home[PATH_MAX];
    if (find_home (home))
        makers_sweep (home, remove_group);
    scratches_sweep ();
}
