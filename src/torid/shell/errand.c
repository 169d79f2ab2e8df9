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
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    if (getppid () != parent || dup2 (fd, STDIN_FILENO) < 0)
        _exit (1);
    close_range (STDERR_FILENO + 1, ~0U, 0);
    signal (SIGTERM, SIG_DFL);
    signal (SIGINT, SIG_DFL);
    sched_setscheduler (0, SCHED_BATCH, &(struct sched_param){0});
    setpriority (PRIO_PROCESS, 0, LATER);
    offer_memory ();
    _exit (work (errand, STDIN_FILENO) == 0 && shortage_count () == 0 ? 0 : 1);
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

/* Its pipe has ended, and so has the process, or will at once. */
static void finish_errand (struct errand *errand)
{
    int status = -1;
    while (waitpid (errand->pid, &status, 0) < 0 && errno == EINTR)
        ;
    errand->good = status == 0 && errand->text;
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
    if (n > 0)
        errand->n += (size_t)n;
    else if (n == UV_EOF)
        finish_errand (errand);
    else if (n < 0)
        errand_stop (errand);
}

int errand_begin (struct errand *errand, uv_loop_t *loop, errand_work_fn *work,
                 errand_done_fn *done, void *arg, tori_error *err)
{
    pid_t parent = getpid ();
    int fds[2];
    if (pipe2 (fds, O_CLOEXEC) < 0)
        return tori_error_set (err, TORI_FAILED, "%s", strerror (errno));
    *errand = (struct errand){.done = done, .arg = arg};
    errand->pid = fork ();
    if (errand->pid == 0)
        work_there (errand, work, parent, fds[1]);
    close (fds[1]);
    if (errand->pid < 0) {
        tori_error_set (err, TORI_FAILED, "%s", strerror (errno));
        errand->pid = 0;
        close (fds[0]);
        return -1;
    }
    uv_pipe_init (loop, &errand->pipe, 0);
    errand->pipe.data = errand;
    uv_pipe_open (&errand->pipe, fds[0]);
    uv_read_start ((uv_stream_t *)&errand->pipe, on_alloc, on_read);
    return 0;
}

void errand_stop (struct errand *errand)
{
    if (errand->pid <= 0 || uv_is_closing ((uv_handle_t *)&errand->pipe))
        return;
    kill (errand->pid, SIGKILL);
    finish_errand (errand);
    errand->good = false;
}
