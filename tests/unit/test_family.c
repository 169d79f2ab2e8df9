/* Processes by number and start time, and all that a process has started. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "family.h"
#include "maker.h"

static void pause_for (long milliseconds)
{
    nanosleep (&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

static _Noreturn void sleep_on (void)
{
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        pause ();
}

static pid_t start (void)
{
    pid_t pid = fork ();
    assert_true (pid >= 0);
    if (pid == 0)
        sleep_on ();
    return pid;
}

static void finish (pid_t pid)
{
    kill (pid, SIGKILL);
    assert_int_equal (waitpid (pid, NULL, 0), pid);
}

TEST (signal)
{
    pid_t pid = start ();
    uint64_t started = maker_started (pid);
    int status;
    assert_true (started > 0);
    assert_false (relative_signal ((struct relative){pid, started + 1}, SIGKILL));
    assert_false (relative_signal ((struct relative){pid, 0}, SIGKILL));
    assert_int_equal (waitpid (pid, &status, WNOHANG), 0);
    assert_true (relative_signal ((struct relative){pid, started}, SIGTERM));
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGTERM);
    assert_false (relative_signal ((struct relative){pid, started}, SIGTERM));
}

/* The next process gets this number, if nobody else is quicker. False where
 * that cannot be asked for. */
static bool ask_for (pid_t pid)
{
    FILE *file = fopen ("/proc/sys/kernel/ns_last_pid", "w");
    bool done = file && fprintf (file, "%ld", (long)pid - 1) > 0;
    return file && fclose (file) == 0 && done;
}

/* A number that has passed to another process stands for that process no
 * more. */
TEST (reused)
{
    pid_t first = start (), second = 0;
    uint64_t started = maker_started (first);
    finish (first);
    pause_for (30); /* start times are in hundredths of a second */
    for (int i = 0; i < 100 && second != first; i++) {
        if (second > 0)
            finish (second);
        if (!ask_for (first)) {
            printf ("needs /proc/sys/kernel/ns_last_pid: skipped\n");
            skip ();
        }
        second = start ();
    }
    assert_int_equal (second, first);
    assert_false (relative_signal ((struct relative){second, started}, SIGKILL));
    pause_for (10);
    assert_int_equal (waitpid (second, NULL, WNOHANG), 0);
    finish (second);
}

/* A chain of processes, each the child of the one before; the first writes
 * when the last is there. */
static pid_t start_chain (int depth)
{
    int ready[2];
    char c;
    pid_t pid;
    assert_int_equal (pipe (ready), 0);
    pid = fork ();
    assert_true (pid >= 0);
    while (pid == 0) {
        if (depth == 0 && write (ready[1], "", 1) != 1)
            _exit (1);
        if (depth-- == 0 || (pid = fork ()) != 0)
            sleep_on ();
    }
    assert_int_equal (read (ready[0], &c, 1), 1);
    close (ready[0]);
    close (ready[1]);
    return pid;
}

TEST (descendants)
{
    enum { DEPTH = 20 };
    struct kin kin = {0};
    pid_t top = start_chain (DEPTH);
    assert_int_equal (family_gather (top, 0, &kin), DEPTH);
    assert_false (kin_has (&kin, top));
    assert_int_equal (family_gather (getpid (), 0, &kin), DEPTH + 1);
    assert_true (kin_has (&kin, top));
    for (size_t i = 0; i < kin.n; i++)
        assert_true (kin.one[i].start > 0);
    free (kin.one);
    family_end ();
    assert_int_equal (waitpid (-1, NULL, WNOHANG), -1);
}

static double seconds (clockid_t clock)
{
    struct timespec t;
    clock_gettime (clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A job that has left nothing costs nothing, however many processes there
 * are; and all of many are ended without comparing each with each. */
TEST (many)
{
    enum { MANY = 1500 };
    double before;
    for (int i = 0; i < MANY; i++)
        start ();
    before = seconds (CLOCK_PROCESS_CPUTIME_ID);
    assert_int_equal (family_signal (getpid (), SIGCONT), MANY);
    assert_true (seconds (CLOCK_PROCESS_CPUTIME_ID) - before < 2);
    family_end ();
    before = seconds (CLOCK_PROCESS_CPUTIME_ID);
    family_end ();
    assert_true (seconds (CLOCK_PROCESS_CPUTIME_ID) - before < 0.001);
}

/* All children that are not known go, with what descends from them; the known
 * one stays, with its own. */
TEST (strays)
{
    enum { MANY = 300, DEPTH = 5 };
    struct kin known = {0}, left = {0};
    pid_t kept = start_chain (DEPTH);
    kin_add (&known, (struct relative){.pid = 1});
    kin_add (&known, (struct relative){.pid = kept});
    start_chain (DEPTH);
    for (int i = 0; i < MANY; i++)
        start ();
    family_end_strays (&known);
    assert_int_equal (family_gather (getpid (), 0, &left), DEPTH + 1);
    assert_true (kin_has (&left, kept));
    free (known.one);
    free (left.one);
    family_end ();
}

int main (void)
{
    prctl (PR_SET_CHILD_SUBREAPER, 1);
    return run_cases (NULL, NULL);
}
