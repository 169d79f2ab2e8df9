/* Cages of signals: who is stopped is continued, however fast it forks. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cage.h"
#include "support.h"

enum { FORKERS = 3 };

static void pause_for (long microseconds)
{
    nanosleep (&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

/* The record of the processes of a cage. */
struct deeds {
    volatile uint64_t forks[FORKERS];
};

static _Noreturn void fork_on (volatile uint64_t *forks)
{
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        pid_t pid = fork ();
        if (pid == 0)
            _exit (0);
        waitpid (pid, NULL, 0);
        ++*forks;
    }
}

/* A group that forks, and if asked for, one of it that has stopped itself. */
static _Noreturn void be_program (struct deeds *deeds, bool halted)
{
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    setpgid (0, 0);
    raise (SIGSTOP);
    if (halted && fork () == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        raise (SIGSTOP);
        _exit (1);
    }
    for (int i = 1; i < FORKERS; i++)
        if (fork () == 0)
            fork_on (&deeds->forks[i]);
    fork_on (&deeds->forks[0]);
}

static bool all_fork (const struct deeds *deeds)
{
    enum { TRIES = 200000 };
    for (int i = 0; i < FORKERS; i++) {
        uint64_t before = deeds->forks[i];
        int tries = 0;
        while (deeds->forks[i] == before && tries++ < TRIES)
            pause_for (50);
        if (deeds->forks[i] == before)
            return false;
    }
    return true;
}

static void fork_and_stop (bool halted)
{
    struct deeds *deeds = mmap (NULL, sizeof *deeds, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct cage cage;
    assert_true (deeds != MAP_FAILED);
    assert_int_equal (cage_open (&cage, CAGE_SIGNAL), 0);
    cage.group = fork ();
    assert_true (cage.group >= 0);
    if (cage.group == 0)
        be_program (deeds, halted);
    waitpid (cage.group, NULL, WUNTRACED);
    cage_continue (&cage);
    for (size_t i = 0; i < random_cases (100); i++) {
        if (!all_fork (deeds))
            fail_msg ("after %zu rounds somebody stands still", i);
        cage_stop (&cage);
        if (i % 2)
            pause_for ((long)(i % 7) * 100);
        cage_continue (&cage);
    }
    cage_end (&cage);
    free (cage.seen.stopped.one);
    free (cage.got.one);
    munmap (deeds, sizeof *deeds);
}

TEST (group)
{
    fork_and_stop (false);
}

/* One that somebody else has stopped stays so; the others do not. */
TEST (halted)
{
    fork_and_stop (true);
}

int main (void)
{
    prctl (PR_SET_CHILD_SUBREAPER, 1);
    return run_cases (NULL, NULL);
}
