#include "errand.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "receive.h"
#include "shortage.h"

/* ---- there ---- */

int errand_write (int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t written = write (fd, text, n);
        if (written < 0 && errno != EINTR)
            return -1;
        text += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* Make this process the first that the kernel ends when memory runs out. */
static void offer_memory (void)
{
    int fd = open ("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)errand_write (fd, "1000", 4);
    close (fd);
}

/* The process keeps none of the files and sockets of torid, which may be
 * restarted meanwhile. It ends when torid ends. */
static _Noreturn void work_there (struct errand *errand, errand_work_fn *work,
                                  pid_t parent, int fd)
{
    enum { LATER = 10 };
    receive_until (UINT64_MAX);
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    if (getppid () != parent || dup2 (fd, STDIN_FILENO) < 0)
        _exit (1);
    close_range (STDERR_FILENO + 1, ~0U, 0);
    signal (SIGTERM, SIG_DFL);
    signal (SIGINT, SIG_DFL);
    signal (SIGCHLD, SIG_DFL);
    sched_setscheduler (0, SCHED_BATCH, &(struct sched_param){0});
    setpriority (PRIO_PROCESS, 0, LATER);
    offer_memory ();
    _exit (work (errand, STDIN_FILENO) == 0 && shortage_count () == 0 ? 0 : 1);
}

/* ---- processes ---- */

struct worker {
    uv_signal_t child; /* SIGCHLD, whoever's */
    pid_t pid;
    struct errand *errand; /* NULL: it is left behind */
    struct errands *all;
    const void *owner;
    struct worker *next; /* of those that are */
};

static void on_forgotten (uv_handle_t *handle)
{
    free (handle->data);
}

static void take_out (const struct worker *worker)
{
    struct worker **at = &worker->all->left;
    while (*at != worker)
        at = &(*at)->next;
    *at = worker->next;
}

static void finish_errand (struct errand *errand);

static void on_child (uv_signal_t *child, int number)
{
    struct worker *worker = child->data;
    struct errand *errand = worker->errand;
    int status = -1;
    pid_t pid = waitpid (worker->pid, &status, WNOHANG);
    if (pid == 0 || (pid < 0 && errno == EINTR))
        return;
    uv_close ((uv_handle_t *)child, on_forgotten);
    if (!errand) {
        take_out (worker);
        return;
    }
    errand->worker = NULL;
    errand->good = pid > 0 && status == 0;
    if (errand->read)
        finish_errand (errand);
}

static void leave_behind (struct errand *errand)
{
    struct worker *worker = errand->worker;
    kill (worker->pid, SIGKILL);
    worker->errand = NULL;
    errand->worker = NULL;
    worker->owner = errand->owner;
    worker->next = errand->all->left;
    errand->all->left = worker;
}

size_t errands_left (const struct errands *errands, const void *owner)
{
    size_t n = 0;
    for (const struct worker *one = errands->left; one; one = one->next)
        n += !owner || one->owner == owner;
    return n;
}

void errands_end (struct errands *errands)
{
    for (struct worker *one = errands->left; one; one = one->next)
        uv_close ((uv_handle_t *)&one->child, on_forgotten);
    errands->left = NULL;
}

/* It watches for the end of a process that is not there yet. */
static struct worker *make_worker (struct errand *errand)
{
    struct worker *worker = calloc (1, sizeof *worker);
    if (!worker || uv_signal_init (errand->all->loop, &worker->child) < 0) {
        free (worker);
        return NULL;
    }
    worker->child.data = worker;
    worker->errand = errand;
    worker->all = errand->all;
    if (uv_signal_start (&worker->child, on_child, SIGCHLD) == 0)
        return worker;
    uv_close ((uv_handle_t *)&worker->child, on_forgotten);
    return NULL;
}

/* ---- here ---- */

static void on_closed (uv_handle_t *handle)
{
    struct errand *errand = handle->data;
    char *text = errand->text;
    errand->pid = 0;
    errand->text = NULL;
    if (!errand->good) {
        free (text);
        text = NULL;
    }
    errand->done (errand, text, errand->n);
}

/* Its text has come in full and its process has ended, or it is stopped. */
static void finish_errand (struct errand *errand)
{
    errand->good = errand->good && errand->text;
    if (errand->good)
        errand->text[errand->n] = '\0';
    uv_close ((uv_handle_t *)&errand->pipe, on_closed);
}

static void on_alloc (uv_handle_t *handle, size_t wanted, uv_buf_t *buffer)
{
    struct errand *errand = handle->data;
    char *more = array_room (errand->text, &errand->room,
                             errand->n + wanted + 1, 1);
    if (more)
        errand->text = more;
    *buffer = more ? uv_buf_init (more + errand->n, (unsigned)wanted)
                   : uv_buf_init (NULL, 0);
}

static void on_read (uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct errand *errand = stream->data;
    if (n > 0) {
        errand->n += (size_t)n;
    } else if (n == UV_EOF) {
        errand->read = true;
        if (!errand->worker)
            finish_errand (errand);
    } else if (n < 0) {
        errand_stop (errand);
    }
}

/* The end of the pipe that is read here; -1 with errno. */
static int start_process (struct errand *errand, errand_work_fn *work)
{
    pid_t parent = getpid ();
    int fds[2], error;
    if (pipe2 (fds, O_CLOEXEC) < 0)
        return -1;
    errand->pid = errand->worker->pid = fork ();
    if (errand->pid == 0)
        work_there (errand, work, parent, fds[1]);
    error = errno;
    close (fds[1]);
    if (errand->pid > 0)
        return fds[0];
    close (fds[0]);
    errno = error;
    return -1;
}

int errand_begin (struct errand *errand, struct errands *all,
                  errand_work_fn *work, errand_done_fn *done, void *arg,
                  tori_error *err)
{
    int fd;
    *errand = (struct errand){.done = done, .arg = arg, .all = all};
    errand->worker = make_worker (errand);
    if (!errand->worker)
        return tori_error_nomem (err);
    fd = start_process (errand, work);
    if (fd < 0) {
        tori_error_set (err, TORI_FAILED, "%s", strerror (errno));
        uv_close ((uv_handle_t *)&errand->worker->child, on_forgotten);
        *errand = (struct errand){0};
        return -1;
    }
    uv_pipe_init (all->loop, &errand->pipe, 0);
    errand->pipe.data = errand;
    uv_pipe_open (&errand->pipe, fd);
    uv_read_start ((uv_stream_t *)&errand->pipe, on_alloc, on_read);
    return 0;
}

void errand_stop (struct errand *errand)
{
    if (errand->pid <= 0 || uv_is_closing ((uv_handle_t *)&errand->pipe))
        return;
    if (errand->worker)
        leave_behind (errand);
    errand->good = false;
    finish_errand (errand);
}
