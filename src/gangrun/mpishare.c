#include "mpishare.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "mpikind.h"
#include "number.h"
#include "program.h"

/* What is said first: who it is, or for whom a command is that follows. */
struct greeting {
    uint64_t key[2];
    uint32_t index;
    uint32_t bytes; /* of a command; 0: it is this process, and waits for one */
};

void meet_format (const struct meet *meet, const char *address,
                  char text[MEET_TEXT])
{
    snprintf (text, MEET_TEXT, "%s %u %016llx%016llx", address, meet->port,
              (unsigned long long)meet->key[0],
              (unsigned long long)meet->key[1]);
}

/* What Open MPI calls in place of ssh has this word. */
#define OPEN_AGENT "--agent"

static int complain (const char *what)
{
    fprintf (stderr, "tori: %s: %s\n", what, strerror (errno));
    return NOT_RUNNABLE;
}

/* ---- connecting ---- */

static bool read_meet (char address[INET6_ADDRSTRLEN], struct meet *meet)
{
    const char *text = getenv ("TORI_MEET");
    unsigned long long key[2];
    if (!text
        || sscanf (text, "%45s %hu %16llx%16llx", address, &meet->port,
                   &key[0], &key[1])
               != 4)
        return false;
    meet->key[0] = key[0];
    meet->key[1] = key[1];
    return true;
}

static int dial (const char *address, uint16_t port)
{
    const struct addrinfo way = {.ai_flags = AI_NUMERICHOST,
                                 .ai_socktype = SOCK_STREAM};
    struct addrinfo *to;
    char text[8];
    int fd;
    snprintf (text, sizeof text, "%u", port);
    if (getaddrinfo (address, text, &way, &to) != 0) {
        errno = EINVAL;
        return -1;
    }
    fd = socket (to->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect (fd, to->ai_addr, to->ai_addrlen) < 0) {
        close (fd);
        fd = -1;
    }
    freeaddrinfo (to);
    return fd;
}

/* Connect, and say who this is or what is to be run where. */
static int greet (uint32_t index, const char *command)
{
    char address[INET6_ADDRSTRLEN];
    struct meet meet;
    struct greeting greeting = {.index = index};
    int fd;
    if (!read_meet (address, &meet)) {
        errno = EINVAL;
        return -1;
    }
    memcpy (greeting.key, meet.key, sizeof meet.key);
    greeting.bytes = command ? (uint32_t)strlen (command) + 1 : 0;
    fd = dial (address, meet.port);
    if (fd >= 0
        && (send_all (fd, &greeting, sizeof greeting) < 0
            || (command && send_all (fd, command, greeting.bytes) < 0))) {
        close (fd);
        return -1;
    }
    return fd;
}

static char *read_command (int fd, uint32_t n)
{
    enum { MOST = 1 << 20 };
    char *text = n > 0 && n <= MOST ? malloc (n) : NULL;
    if (text && (receive_all (fd, text, n) < 0 || text[n - 1])) {
        free (text);
        return NULL;
    }
    return text;
}

static _Noreturn void become (const char *command)
{
    execl ("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit (complain ("/bin/sh"));
}

/* ---- the others ---- */

/* At the end nobody tells anything: the first process is gone. */
static int wait_and_become (uint32_t index)
{
    int fd = greet (index, NULL);
    uint32_t n = 0;
    char *command;
    if (fd < 0)
        return complain ("the first process of the job");
    if (receive_all (fd, &n, sizeof n) < 0)
        return 0;
    command = read_command (fd, n);
    close (fd);
    if (!command)
        return NOT_RUNNABLE;
    become (command);
}

/* Daemons of Open MPI that are on one host make and remove the same folders,
 * unless each has a folder of its own. */
static const char before_open[]
    = "own=$(mktemp -d -t tori-ompi.XXXXXX) && "
      "export OMPI_MCA_orte_tmpdir_base=\"$own\"; (",
    after_open[] = "); status=$?; rm -rf \"$own\"; exit $status";

static int add_word (struct bytes *command, const char *word,
                     const char *behind)
{
    return bytes_add (command, word, strlen (word), NULL) < 0
                   || bytes_add (command, behind, strlen (behind), NULL) < 0
               ? -1
               : 0;
}

/* mpiexec may give options of ssh first. Words are joined as ssh does it. */
int mpishare_agent (int argc, char **argv)
{
    bool open = !strcmp (argv[1], OPEN_AGENT);
    struct bytes command = {0};
    int64_t index;
    int i = 1, fd;
    char byte;
    while (i < argc && argv[i][0] == '-')
        i++;
    if (i + 1 >= argc || strncmp (argv[i], "tori-", 5)
        || number_parse (argv[i] + 5, "host", 0, INT32_MAX, &index, NULL) < 0
        || add_word (&command, open ? before_open : "", "") < 0)
        return NOT_RUNNABLE;
    for (i++; i < argc; i++)
        if (add_word (&command, argv[i], i + 1 < argc ? " " : "") < 0)
            return NOT_RUNNABLE;
    if (add_word (&command, open ? after_open : "", "") < 0
        || bytes_add (&command, "", 1, NULL) < 0)
        return NOT_RUNNABLE;
    fd = greet ((uint32_t)index, command.data);
    bytes_clear (&command);
    if (fd < 0)
        return complain ("the first process of the job");
    return receive_all (fd, &byte, 1) == 0 ? 0 : NOT_RUNNABLE;
}

/* mpiexec has its daemons send it what their processes print, and prints it in
 * the first process. Here each daemon is in a process of the job whose output
 * it still has. */
int mpishare_program (char **argv)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        char path[64];
        int own;
        snprintf (path, sizeof path, "/proc/%ld/fd/%d", (long)getppid (), fd);
        own = open (path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
        if (own >= 0)
            dup2 (own, fd);
    }
    execvp (argv[0], argv);
    return complain (argv[0]);
}

/* ---- the first ---- */

struct hub {
    struct meet meet;
    uint32_t size;
    int *joined;    /* by process: its connection; -1: it is not there yet */
    char **pending; /* by process: a command for it */
    pid_t mpiexec;
};

static pid_t start (char *const argv[])
{
    pid_t child = fork ();
    sigset_t none;
    if (child != 0)
        return child;
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    signal (SIGCHLD, SIG_DFL);
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    close (MEET_FD);
    execvp (argv[0], argv);
    _exit (complain (argv[0]));
}

/* Hand a command over as soon as there is somebody to take it. */
static void pass_on (struct hub *hub, uint32_t i)
{
    char *command = hub->pending[i];
    uint32_t n = command ? (uint32_t)strlen (command) + 1 : 0;
    if (!command || (i > 0 && hub->joined[i] < 0))
        return;
    if (i == 0)
        start ((char *[]){(char[]){"sh"}, (char[]){"-c"}, command, NULL});
    else if (send_all (hub->joined[i], &n, sizeof n) < 0
             || send_all (hub->joined[i], command, n) < 0)
        complain ("a process of the job");
    hub->pending[i] = NULL;
    free (command);
}

static void let_in (struct hub *hub)
{
    int fd = accept4 (MEET_FD, NULL, NULL, SOCK_CLOEXEC);
    struct greeting greeting;
    if (fd < 0)
        return;
    if (receive_all (fd, &greeting, sizeof greeting) < 0
        || greeting.key[0] != hub->meet.key[0]
        || greeting.key[1] != hub->meet.key[1]
        || greeting.index >= hub->size) {
        close (fd);
        return;
    }
    if (greeting.bytes == 0) {
        hub->joined[greeting.index] = fd;
    } else {
        free (hub->pending[greeting.index]);
        hub->pending[greeting.index] = read_command (fd, greeting.bytes);
        send_all (fd, "", 1);
        close (fd);
    }
    pass_on (hub, greeting.index);
}

/* Names that no host has: mpiexec must not take one for this one. */
static char *list_hosts (uint32_t n, const char *each)
{
    struct bytes text = {0};
    char name[40];
    for (uint32_t i = 0; i < n; i++) {
        snprintf (name, sizeof name, "%stori-%u%s", i ? "," : "", i, each);
        if (bytes_add (&text, name, strlen (name), NULL) < 0)
            return NULL;
    }
    return bytes_add (&text, "", 1, NULL) == 0 ? text.data : NULL;
}

static const char *find_mpiexec (bool open)
{
    const char *given = getenv ("TORI_MPIEXEC");
    const char *own = open ? "/usr/bin/mpiexec.openmpi"
                           : "/usr/bin/mpiexec.mpich";
    return given ? given : access (own, X_OK) == 0 ? own : "mpiexec";
}

/* The words in front of the program. Open MPI refuses to run as root, and to
 * run more processes than it sees cores, unless it is told that it may; its
 * daemons would leave the session. It would pass on the SIGCONT by which it is
 * continued, to daemons that are not there yet as well, and fail. */
static size_t add_words (const char *words[], bool open, const char *self,
                         const char *address, uint32_t size)
{
    static char count[16], agent[PATH_MAX + 16];
    const char *hosts = list_hosts (size, open ? ":1" : "");
    size_t n = 0;
    snprintf (count, sizeof count, "%u", size);
    words[n++] = find_mpiexec (open);
    if (open) {
        const char *const more[]
            = {"--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
               "--leave-session-attached", "--mca", "plm_rsh_no_tree_spawn",
               "1", "--mca", "ess_base_forward_signals", "none", "--mca",
               "plm", "rsh", "--mca", "plm_rsh_agent"};
        snprintf (agent, sizeof agent, "%s %s", self, OPEN_AGENT);
        for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
            words[n++] = more[i];
        words[n++] = agent;
        words[n++] = "--host";
    } else {
        words[n++] = "-localhost";
        words[n++] = address;
        words[n++] = "-launcher";
        words[n++] = "ssh";
        words[n++] = "-launcher-exec";
        words[n++] = self;
        words[n++] = "-hosts";
    }
    words[n++] = hosts;
    words[n++] = "-n";
    words[n++] = count;
    words[n++] = self;
    words[n++] = "--program";
    return n;
}

static pid_t start_mpiexec (const struct hub *hub, const char *kind,
                            char *const program[])
{
    enum { OWN = 32 };
    static char self[PATH_MAX], address[INET6_ADDRSTRLEN];
    bool open = !strcmp (kind, mpi_kind_name (MPI_KIND_OPEN));
    struct meet meet;
    size_t given = 0, n;
    const char **words;
    pid_t pid;
    while (program[given])
        given++;
    words = calloc (OWN + given + 1, sizeof *words);
    if (!words || !read_meet (address, &meet)
        || readlink ("/proc/self/exe", self, sizeof self - 1) < 0)
        return -1;
    n = add_words (words, open, self, address, hub->size);
    for (size_t i = 0; i < given; i++)
        words[n++] = program[i];
    pid = start ((char *const *)(uintptr_t)words);
    free (words);
    return pid;
}

static volatile sig_atomic_t child_ended;

static void on_child (int signal)
{
    child_ended = 1;
}

/* The daemon that mpiexec had here tidies up behind itself. */
static void let_end (void)
{
    enum { TRIES = 100, PAUSE = 10 };
    for (int i = 0; i < TRIES && waitpid (-1, NULL, WNOHANG) >= 0; i++)
        poll (NULL, 0, PAUSE);
}

/* Until mpiexec has ended; what else it has started here ends with it. If that
 * was killed before mpiexec has heard of it, mpiexec waits for ever. */
static int serve (struct hub *hub)
{
    sigset_t none;
    int status;
    sigemptyset (&none);
    for (;;) {
        struct pollfd fd = {MEET_FD, POLLIN, 0};
        pid_t pid;
        child_ended = 0;
        while ((pid = waitpid (-1, &status, WNOHANG)) > 0)
            if (pid == hub->mpiexec || WIFSIGNALED (status)) {
                if (pid == hub->mpiexec)
                    let_end ();
                return WIFEXITED (status) ? WEXITSTATUS (status)
                                          : SIGNALLED + WTERMSIG (status);
            }
        if (ppoll (&fd, 1, NULL, &none) > 0)
            let_in (hub);
    }
}

static int lead (uint32_t size, const char *kind, char *const program[])
{
    struct sigaction action = {.sa_handler = on_child};
    char address[INET6_ADDRSTRLEN];
    struct hub hub = {.size = size};
    sigset_t set;
    hub.joined = calloc (size, sizeof *hub.joined);
    hub.pending = calloc (size, sizeof *hub.pending);
    if (!hub.joined || !hub.pending || !read_meet (address, &hub.meet))
        return complain ("TORI_MEET");
    memset (hub.joined, 0xff, size * sizeof *hub.joined);
    sigemptyset (&set);
    sigaddset (&set, SIGCHLD);
    sigprocmask (SIG_BLOCK, &set, NULL);
    sigaction (SIGCHLD, &action, NULL);
    hub.mpiexec = start_mpiexec (&hub, kind, program);
    return hub.mpiexec < 0 ? complain ("mpiexec") : serve (&hub);
}

static bool read_number (const char *name, int64_t *ret)
{
    const char *text = getenv (name);
    return text && number_parse (text, name, 0, INT32_MAX, ret, NULL) == 0;
}

int mpishare_run (int argc, char **argv)
{
    int64_t rank, size;
    if (argc < 4 || !read_number ("TORI_RANK", &rank)
        || !read_number ("TORI_SIZE", &size)) {
        fprintf (stderr, "tori-gang: --share is for 'tori gang run'\n");
        return NOT_RUNNABLE;
    }
    return rank > 0 ? wait_and_become ((uint32_t)rank)
                    : lead ((uint32_t)size, argv[2], argv + 3);
}
