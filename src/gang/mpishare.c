#include "mpishare.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/tcp.h>
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
#include "callers.h"
#include "mpikind.h"
#include "number.h"
#include "program.h"
#include "wire.h"

enum { KEY_BYTES = sizeof (struct run_key) };

void meet_format (const struct meet *meet, const char *address,
                  char text[MEET_TEXT])
{
    int n = snprintf (text, MEET_TEXT, "%s %u ", address, meet->port);
    for (size_t i = 0; i < KEY_BYTES; i++)
        snprintf (text + n + 2 * i, 3, "%02x", meet->key.byte[i]);
}

/* The command that Open MPI calls in place of ssh has this word. */
#define OPEN_AGENT "--agent"

static int print_error (const char *what)
{
    fprintf (stderr, "tori: %s: %s\n", what, strerror (errno));
    return NOT_RUNNABLE;
}

static bool read_number (const char *name, int64_t *ret)
{
    const char *text = getenv (name);
    return text && number_parse (text, name, 0, INT32_MAX, ret, NULL) == 0;
}

/* ---- connecting ---- */

/* The texts in a file of another process, each with its zero there; NULL with
 * errno. */
static char **read_texts (long pid, const char *name)
{
    struct bytes bytes = {0};
    struct reader reader;
    char path[64], part[4096], **texts;
    ssize_t n = 0;
    int fd;
    snprintf (path, sizeof path, "/proc/%ld/%s", pid, name);
    fd = open (path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read (fd, part, sizeof part)) > 0
           && bytes_add (&bytes, part, (size_t)n, NULL) == 0)
        ;
    texts = calloc (bytes.n + 1, sizeof *texts);
    if (fd >= 0)
        close (fd);
    if (fd < 0 || n != 0 || !texts)
        return NULL;
    reader = (struct reader){bytes.data, bytes.n};
    for (size_t i = 0;
         (texts[i] = (char *)(uintptr_t)reader_text (&reader)); i++)
        ;
    return texts;
}

/* The variable here, or, below mpiexec, in the first process of the job. */
static const char *find_meet (void)
{
    static const char name[] = "TORI_MEET=";
    const char *text = getenv ("TORI_MEET");
    char **texts;
    int64_t hub;
    if (text || !read_number ("TORI_HUB", &hub))
        return text;
    texts = read_texts ((long)hub, "environ");
    for (char **one = texts; one && *one; one++)
        if (!strncmp (*one, name, strlen (name)))
            return *one + strlen (name);
    return NULL;
}

static bool read_meet (char address[INET6_ADDRSTRLEN], struct meet *meet)
{
    const char *text = find_meet ();
    char key[2 * KEY_BYTES + 1];
    if (!text || sscanf (text, "%45s %hu %32s", address, &meet->port, key) != 3
        || strlen (key) != 2 * KEY_BYTES)
        return false;
    for (size_t i = 0; i < KEY_BYTES; i++)
        if (sscanf (key + 2 * i, "%2hhx", &meet->key.byte[i]) != 1)
            return false;
    return true;
}

static int dial_address (const char *address, uint16_t port)
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
    setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof (int));
    if (fd >= 0 && connect (fd, to->ai_addr, to->ai_addrlen) < 0) {
        close (fd);
        fd = -1;
    }
    freeaddrinfo (to);
    return fd;
}

/* A length, and a text with its zero. */
static int send_command (int fd, const char *command)
{
    uint32_t n = (uint32_t)strlen (command) + 1;
    unsigned char length[4];
    number_put (length, n, sizeof length);
    return send_all (fd, length, sizeof length) < 0
                   || send_all (fd, command, n) < 0
               ? -1
               : 0;
}

/* NULL if it is none, or too long; with ECONNRESET if the other has gone. */
static char *read_command (int fd)
{
    enum { MOST = 1 << 20 };
    unsigned char length[4];
    char *text = NULL;
    uint64_t n;
    errno = ECONNRESET;
    if (receive_all (fd, length, sizeof length) < 0)
        return NULL;
    errno = EPROTO;
    n = number_get (length, sizeof length);
    if (n > 0 && n <= MOST)
        text = malloc (n);
    if (text && receive_all (fd, text, n) == 0 && !text[n - 1])
        return text;
    free (text);
    return NULL;
}

/* Connect, and send the number of this process, or of the process for which a
 * command follows. -1, with ECONNRESET if the first process has gone; other
 * errors have been printed. There is no limit to the wait: the other may be
 * stopped. */
static int greet_first (uint32_t index, const char *command)
{
    static const char who[] = "the first process of the job";
    const struct hello hello = {index, 0, command != NULL};
    char address[INET6_ADDRSTRLEN], why[HANDSHAKE_WHY];
    struct meet meet;
    int fd;
    if (!read_meet (address, &meet)) {
        errno = EINVAL;
        return print_error ("TORI_MEET"), -1;
    }
    fd = dial_address (address, meet.port);
    if (fd < 0)
        return print_error (who), -1;
    errno = 0;
    if (handshake_ask (fd, &meet.key, &hello, 0, why)) {
        if (!command || send_command (fd, command) == 0)
            return fd;
    } else if (errno != ECONNRESET && errno != EPIPE) {
        fprintf (stderr, "tori: %s: %s\n", who, why);
        close (fd);
        return errno = EPROTO, -1;
    }
    close (fd);
    errno = ECONNRESET;
    return -1;
}

static _Noreturn void become_command (const char *command)
{
    execl ("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit (print_error ("/bin/sh"));
}

/* ---- what mpiexec starts ---- */

/* A file of another process is missing. If that is because the process has
 * gone, the job is about to end. */
static int report_missing (const char *path)
{
    return errno == ENOENT || errno == ESRCH ? 0 : print_error (path);
}

/* Tori's variables from one process, and all others from another. */
static char **mix_environments (char *const told[], char *const rest[])
{
    size_t n = 0;
    char **all;
    for (char *const *one = told; *one; one++)
        n++;
    for (char *const *one = rest; *one; one++)
        n++;
    all = calloc (n + 1, sizeof *all);
    if (!all)
        _exit (NOT_RUNNABLE);
    n = 0;
    for (int i = 0; i < 2; i++)
        for (char *const *one = i ? rest : told; *one; one++)
            if (!strncmp (*one, "TORI_", 5) == !i)
                all[n++] = *one;
    return all;
}

/* Shared memory goes when its process does. MPI would leave it if the job is
 * killed. */
static void share_in_scratch (void)
{
    static const char *const names[] = {"OMPI_MCA_btl_vader_backing_directory",
                                        "OMPI_MCA_btl_sm_backing_directory",
                                        "OMPI_MCA_osc_sm_backing_directory",
                                        "UCX_POSIX_DIR"};
    const char *scratch = getenv ("TORI_SCRATCH");
    for (size_t i = 0; scratch && i < sizeof names / sizeof names[0]; i++)
        setenv (names[i], scratch, 0);
}

static _Noreturn void become_program (char *const argv[])
{
    share_in_scratch ();
    execvp (argv[0], argv);
    _exit (print_error (argv[0]));
}

/* The daemons of mpiexec send it the output of their processes, and it prints
 * that in the first process; some give all of them its environment. Here each
 * daemon is in a process of the job, and has that process's output and
 * variables. */
int mpishare_program (char **argv)
{
    char **told = read_texts (getppid (), "environ");
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        char path[64];
        int own;
        snprintf (path, sizeof path, "/proc/%ld/fd/%d", (long)getppid (), fd);
        own = open (path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
        if (own >= 0)
            dup2 (own, fd);
    }
    if (told)
        environ = mix_environments (told, environ);
    become_program (argv);
}

/* This process ends as its program did, so that the daemon knows. One core
 * dump is enough. */
static _Noreturn void end_as (int status)
{
    if (WIFSIGNALED (status)) {
        prctl (PR_SET_DUMPABLE, 0);
        signal (WTERMSIG (status), SIG_DFL);
        raise (WTERMSIG (status));
    }
    _exit (WIFEXITED (status) ? WEXITSTATUS (status) : NOT_RUNNABLE);
}

/* A process of the job is sent this in place of a command: the process whose
 * program to run, and the socket where that waits for the result. */
#define TAKE "take %ld %d"

/* Have process `index` of the job run the program, and wait for it. */
static int stand_for (uint32_t index)
{
    char text[64], byte;
    int ends[2], fd, status;
    if (pipe2 (ends, O_CLOEXEC) < 0)
        return print_error ("a pipe");
    snprintf (text, sizeof text, TAKE, (long)getpid (), ends[1]);
    fd = greet_first (index, text);
    if (fd < 0 || receive_all (fd, &byte, 1) < 0
        || receive_all (ends[0], &byte, 1) < 0)
        return NOT_RUNNABLE;
    close (fd);
    close (ends[1]);
    if (receive_all (ends[0], &status, sizeof status) < 0)
        return SIGNALLED + SIGKILL;
    end_as (status);
}

int mpishare_local (char **argv)
{
    int64_t rank, mine;
    if (!read_number ("OMPI_COMM_WORLD_RANK", &rank)
        || !read_number ("TORI_RANK", &mine))
        return print_error (argv[0]);
    if (rank != mine)
        return stand_for ((uint32_t)rank);
    return mpishare_program (argv);
}

/* ---- the others ---- */

/* Become the program of the other process: with its words, in its folder, with
 * its environment, but with tori's variables of this process. */
static _Noreturn void become_like (long pid)
{
    char **words = read_texts (pid, "cmdline"), path[64];
    char **rest = words ? read_texts (pid, "environ") : NULL;
    snprintf (path, sizeof path, "/proc/%ld/cwd", pid);
    if (!rest || chdir (path) < 0 || !words[0] || !words[1] || !words[2])
        _exit (report_missing (path));
    environ = mix_environments (environ, rest);
    setpgid (0, 0);
    become_program (words + 2);
}

static volatile sig_atomic_t child_ended;

static void on_child (int signal)
{
    child_ended = 1;
}

/* From now on a child that ends is seen only while this process waits. */
static void expect_children (void)
{
    struct sigaction action = {.sa_handler = on_child};
    sigset_t set;
    sigemptyset (&set);
    sigaddset (&set, SIGCHLD);
    sigprocmask (SIG_BLOCK, &set, NULL);
    sigaction (SIGCHLD, &action, NULL);
}

static pid_t fork_child (void)
{
    pid_t child = fork ();
    sigset_t none;
    if (child != 0)
        return child;
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    signal (SIGCHLD, SIG_DFL);
    signal (SIGPIPE, SIG_DFL);
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    return 0;
}

/* Whether the other end still listens. */
static bool send_result (int fd, const void *data, size_t n)
{
    return write (fd, data, n) == (ssize_t)n;
}

/* Run the program of another process of this host, and report to it how that
 * ended. If the other process ends, the program is killed. */
static int run_for (long pid, int fd)
{
    const struct timespec patience = {.tv_sec = 1};
    struct pollfd other = {.fd = -1};
    sigset_t none;
    char path[64];
    int status = 0, asked = 0;
    pid_t child;
    snprintf (path, sizeof path, "/proc/%ld/fd/%d", pid, fd);
    other.fd = fd = open (path, O_WRONLY | O_CLOEXEC);
    signal (SIGPIPE, SIG_IGN);
    if (fd < 0 || !send_result (fd, "", 1))
        return report_missing (path);
    expect_children ();
    child = fork_child ();
    if (child == 0)
        become_like (pid);
    if (child < 0)
        return print_error ("a process");
    sigemptyset (&none);
    while (waitpid (child, &status, WNOHANG) == 0)
        if (ppoll (&other, 1, asked ? &patience : NULL, &none) >= 0) {
            other.fd = -1;
            kill (child, asked++ ? SIGKILL : SIGTERM);
        }
    send_result (fd, &status, sizeof status);
    return 0;
}

/* At the end of the job no command comes: the first process is gone. */
static int wait_and_become (uint32_t index)
{
    int fd = greet_first (index, NULL);
    char *command = fd < 0 ? NULL : read_command (fd);
    long pid;
    int to;
    if (!command)
        return errno == ECONNRESET ? 0 : NOT_RUNNABLE;
    close (fd);
    if (sscanf (command, TAKE, &pid, &to) == 2)
        return run_for (pid, to);
    become_command (command);
}

/* Daemons of Open MPI, and mpiexec, make and remove the same folders where
 * they are on one host, unless each has a folder of its own. */
static const char before_open[]
    = "export OMPI_MCA_orte_tmpdir_base=\"$TORI_SCRATCH/daemon\"; "
      "mkdir -p \"$OMPI_MCA_orte_tmpdir_base\"; ";

static int add_word (struct bytes *command, const char *word,
                     const char *behind)
{
    return bytes_add (command, word, strlen (word), NULL) < 0
                   || bytes_add (command, behind, strlen (behind), NULL) < 0
               ? -1
               : 0;
}

/* mpiexec may give options of ssh first. Words are joined as ssh joins
 * them. */
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
    if (bytes_add (&command, "", 1, NULL) < 0)
        return NOT_RUNNABLE;
    fd = greet_first ((uint32_t)index, command.data);
    bytes_clear (&command);
    return fd >= 0 && receive_all (fd, &byte, 1) == 0 ? 0 : NOT_RUNNABLE;
}

/* ---- the first ---- */

struct hub {
    struct callers door;
    uint32_t size;
    int *joined;    /* by process: its connection; -1: it is not there yet */
    char **pending; /* by process: a command for it */
    pid_t mpiexec;
};

static pid_t start_child (char *const argv[])
{
    pid_t child = fork_child ();
    if (child != 0)
        return child;
    close (MEET_FD);
    execvp (argv[0], argv);
    _exit (print_error (argv[0]));
}

/* Hand a command over as soon as its process has connected. */
static void pass_on (struct hub *hub, uint32_t i)
{
    char *command = hub->pending[i];
    if (!command || (i > 0 && hub->joined[i] < 0))
        return;
    if (i == 0)
        start_child (
            (char *[]){(char[]){"sh"}, (char[]){"-c"}, command, NULL});
    else if (send_command (hub->joined[i], command) < 0)
        print_error ("a process of the job");
    hub->pending[i] = NULL;
    free (command);
}

/* A caller that knows the key: a process, or an agent with a command for
 * one. */
static void let_in (struct hub *hub, int fd, const struct hello *hello)
{
    if (hello->from >= hub->size) {
        close (fd);
        return;
    }
    if (!hello->leash) {
        hub->joined[hello->from] = fd;
    } else {
        free (hub->pending[hello->from]);
        hub->pending[hello->from] = read_command (fd);
        send_all (fd, "", 1);
        close (fd);
    }
    pass_on (hub, hello->from);
}

static const char *find_mpiexec (bool open)
{
    const char *given = getenv ("TORI_MPIEXEC");
    const char *own = open ? "/usr/bin/mpiexec.openmpi"
                           : "/usr/bin/mpiexec.mpich";
    return given ? given : access (own, X_OK) == 0 ? own : "mpiexec";
}

/* The words in front of the program. Open MPI refuses to run as root, and to
 * run more processes than it sees cores, without these options; its daemons
 * would leave the session. It would pass on the SIGCONT by which it is
 * continued, to daemons that are not there yet as well, and fail. */
enum { OWN_WORDS = 32 };
static size_t add_words (const char *words[OWN_WORDS], bool open,
                         const char *self, const char *address, uint32_t size)
{
    static char count[16], agent[PATH_MAX + 16], folder[PATH_MAX];
    const char *hosts = getenv ("TORI_HOSTS");
    const char *const mpich[] = {
        find_mpiexec (open), "-localhost", address, "-launcher", "ssh",
        "-launcher-exec", self, "-hosts", hosts, "-n", count, self,
        "--program"};
    const char *const openmpi[] = {
        "env", folder, find_mpiexec (open), "--allow-run-as-root",
        "--oversubscribe", "--bind-to", "none", "--leave-session-attached",
        "--mca", "plm_rsh_no_tree_spawn", "1", "--mca",
        "ess_base_forward_signals", "none", "--mca", "plm", "rsh", "--mca",
        "plm_rsh_agent", agent, "--map-by", "seq", "--host", hosts, "-n",
        count, self, "--local"};
    snprintf (count, sizeof count, "%u", size);
    snprintf (agent, sizeof agent, "%s %s", self, OPEN_AGENT);
    snprintf (folder, sizeof folder, "TMPDIR=%s", getenv ("TORI_SCRATCH"));
    memcpy (words, open ? openmpi : mpich,
            open ? sizeof openmpi : sizeof mpich);
    return (open ? sizeof openmpi : sizeof mpich) / sizeof *words;
}

/* mpiexec sends its environment to other hosts in clear. */
static pid_t start_without_key (char *const argv[])
{
    char *meet = strdup (getenv ("TORI_MEET")), hub[16];
    pid_t child = -1;
    snprintf (hub, sizeof hub, "%ld", (long)getpid ());
    if (meet && setenv ("TORI_HUB", hub, 1) == 0) {
        unsetenv ("TORI_MEET");
        child = start_child (argv);
        if (setenv ("TORI_MEET", meet, 1) < 0)
            child = -1;
    }
    unsetenv ("TORI_HUB");
    free (meet);
    return child;
}

static pid_t start_mpiexec (const struct hub *hub, const char *kind,
                            char *const program[])
{
    static char self[PATH_MAX], address[INET6_ADDRSTRLEN];
    bool open = !strcmp (kind, mpi_kind_name (MPI_KIND_OPEN));
    struct meet meet;
    size_t given = 0, n;
    const char **words;
    pid_t pid;
    while (program[given])
        given++;
    words = calloc (OWN_WORDS + given + 1, sizeof *words);
    if (!words || !getenv ("TORI_HOSTS") || !read_meet (address, &meet)
        || readlink ("/proc/self/exe", self, sizeof self - 1) < 0)
        return -1;
    n = add_words (words, open, self, address, hub->size);
    memcpy (words + n, program, given * sizeof *words);
    pid = start_without_key ((char *const *)(uintptr_t)words);
    free (words);
    return pid;
}

/* Serve until mpiexec has ended; its other processes here end with it. If one
 * of them was killed before mpiexec knew of it, mpiexec would wait for
 * ever. */
static int serve_mpiexec (struct hub *hub)
{
    sigset_t none;
    int status;
    sigemptyset (&none);
    for (;;) {
        struct hello hello;
        pid_t pid;
        int fd;
        child_ended = 0;
        while ((pid = waitpid (-1, &status, WNOHANG)) > 0)
            if (pid == hub->mpiexec || WIFSIGNALED (status))
                return WIFEXITED (status) ? WEXITSTATUS (status)
                                          : SIGNALLED + WTERMSIG (status);
        fd = callers_wait (&hub->door, &none, -1, &hello);
        if (fd >= 0)
            let_in (hub, fd, &hello);
    }
}

static int lead_job (uint32_t size, const char *kind, char *const program[])
{
    char address[INET6_ADDRSTRLEN];
    struct hub hub = {.size = size, .door.fd = MEET_FD};
    struct meet meet;
    hub.joined = calloc (size, sizeof *hub.joined);
    hub.pending = calloc (size, sizeof *hub.pending);
    if (!hub.joined || !hub.pending || !read_meet (address, &meet))
        return print_error ("TORI_MEET");
    hub.door.key = meet.key;
    memset (hub.joined, 0xff, size * sizeof *hub.joined);
    expect_children ();
    hub.mpiexec = start_mpiexec (&hub, kind, program);
    return hub.mpiexec < 0 ? print_error ("mpiexec") : serve_mpiexec (&hub);
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
                    : lead_job ((uint32_t)size, argv[2], argv + 3);
}
