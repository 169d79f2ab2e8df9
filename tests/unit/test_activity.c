/* Looks at processes: whether they do anything. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "activity.h"

static void moment (void)
{
    nanosleep (&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* A child with a child, both of which read from a pipe; what each gets it
 * answers. */
struct pair {
    pid_t pid;
    int to, from;
};

static _Noreturn void answer (int from, int to)
{
    char c;
    while (read (from, &c, 1) == 1 && write (to, &c, 1) == 1)
        ;
    _exit (0);
}

static struct pair start (void)
{
    int in[2], out[2];
    struct pair pair;
    assert_int_equal (pipe (in), 0);
    assert_int_equal (pipe (out), 0);
    pair.pid = fork ();
    assert_true (pair.pid >= 0);
    if (pair.pid == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        close (in[1]);
        if (fork () == 0)
            prctl (PR_SET_PDEATHSIG, SIGKILL);
        answer (in[0], out[1]);
    }
    close (in[0]);
    close (out[1]);
    pair.to = in[1];
    pair.from = out[0];
    return pair;
}

static void finish (struct pair *pair)
{
    close (pair->to);
    close (pair->from);
    kill (pair->pid, SIGKILL);
    waitpid (pair->pid, NULL, 0);
}

/* Both have come to read. */
static void settle (struct look *look)
{
    uint64_t before;
    do {
        look_over (getpid (), look);
        before = look->mark;
        moment ();
        look_over (getpid (), look);
    } while (!look->still || look->mark != before);
}

TEST (who_reads_sleeps_until_something_comes)
{
    struct look look = {0};
    struct pair pair = start ();
    uint64_t before;
    char c = 'x';
    settle (&look);
    before = look.mark;
    for (int i = 0; i < 10; i++) {
        moment ();
        look_over (getpid (), &look);
        assert_true (look.still);
        assert_true (look.mark == before);
    }
    /* Either of the two answers, and then both sleep again. */
    assert_int_equal (write (pair.to, &c, 1), 1);
    assert_int_equal (read (pair.from, &c, 1), 1);
    settle (&look);
    assert_true (look.mark != before);
    finish (&pair);
    free (look.stopped.one);
}

TEST (who_computes_is_not_still)
{
    struct look look = {0};
    pid_t pid = fork ();
    int64_t used;
    assert_true (pid >= 0);
    if (pid == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        for (volatile unsigned n = 1; n > 0; n |= 1)
            ;
    }
    used = look_used (pid);
    do {
        look_over (getpid (), &look);
        assert_false (look.still);
    } while (look_used (pid) == used);
    kill (pid, SIGKILL);
    waitpid (pid, NULL, 0);
    assert_int_equal (look_used (pid), -1);
    look_over (getpid (), &look);
    assert_true (look.still);
    assert_true (look.mark == 0);
    free (look.stopped.one);
}

TEST (who_is_stopped_is_known)
{
    struct look look = {0};
    struct pair pair = start ();
    kill (pair.pid, SIGSTOP);
    waitpid (pair.pid, NULL, WUNTRACED);
    look_over (getpid (), &look);
    assert_int_equal (look.stopped.n, 1);
    assert_true (kin_has (&look.stopped, pair.pid));
    kill (pair.pid, SIGCONT);
    waitpid (pair.pid, NULL, WCONTINUED);
    look_over (getpid (), &look);
    assert_int_equal (look.stopped.n, 0);
    finish (&pair);
    free (look.stopped.one);
}
