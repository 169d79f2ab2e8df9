/* saver.c - snapshots that are written while the service goes on.
 *
 * A process of its own has the state as it was when it began, for nothing: it
 * writes that as text, and this process puts the text into the journal. With
 * 100,000 jobs the text takes a second, during which nobody waits. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "torid.h"

/* ---- there ---- */

static bool write_all (int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t written = write (fd, text, n);
        if (written < 0 && errno != EINTR)
            return false;
        text += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* It keeps none of the files and sockets of torid, which may end and begin
 * again meanwhile; in that case it ends, too. And it is in no hurry: those who
 * wait for torid go first. */
static _Noreturn void write_state (struct service *service, int fd)
{
    enum { LATER = 10 };
    size_t n = 0;
    char *text;
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    sched_setscheduler (0, SCHED_BATCH, &(struct sched_param){0});
    setpriority (PRIO_PROCESS, 0, LATER);
    if (dup2 (fd, STDIN_FILENO) < 0)
        _exit (1);
    close_range (STDERR_FILENO + 1, ~0U, 0);
    text = service_save (service, &n);
    _exit (text && write_all (STDIN_FILENO, text, n) ? 0 : 1);
}

/* ---- here ---- */

static void on_closed (uv_handle_t *handle)
{
    struct torid *torid = handle->data;
    torid->saver.busy = false;
}

static void finish (struct torid *torid)
{
    struct saver *saver = &torid->saver;
    tori_error err = {0};
    int status = -1;
    while (waitpid (saver->pid, &status, 0) < 0 && errno == EINTR)
        ;
    saver->pid = 0;
    if (status != 0)
        tori_error_set (&err, TORI_FAILED, "it could not be written");
    if (status != 0
        || journal_save_at (torid->journal, saver->seq, saver->text, saver->n,
                            &err)
               < 0)
        torid_log (torid, LEVEL_WARNING, "no-snapshot", "{s:s}", "why",
                   err.text);
    free (saver->text);
    saver->text = NULL;
    saver->n = saver->room = 0;
    torid->stirred = true;
    uv_close ((uv_handle_t *)&saver->pipe, on_closed);
}

static void on_alloc (uv_handle_t *handle, size_t wanted, uv_buf_t *buffer)
{
    struct torid *torid = handle->data;
    struct saver *saver = &torid->saver;
    char *more = array_room (saver->text, &saver->room, saver->n + wanted, 1);
    if (more)
        saver->text = more;
    *buffer = more ? uv_buf_init (more + saver->n, (unsigned)wanted)
                   : uv_buf_init (NULL, 0);
}

static void on_read (uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct torid *torid = stream->data;
    if (n > 0)
        torid->saver.n += (size_t)n;
    else if (n < 0)
        finish (torid);
}

int saver_begin (struct torid *torid, tori_error *err)
{
    struct saver *saver = &torid->saver;
    int fds[2];
    if (saver->busy)
        return 0;
    if (pipe (fds) < 0)
        return tori_error_set (err, TORI_FAILED, "%s", strerror (errno));
    saver->pid = fork ();
    if (saver->pid == 0)
        write_state (torid->service, fds[1]);
    close (fds[1]);
    if (saver->pid < 0) {
        close (fds[0]);
        return tori_error_set (err, TORI_FAILED, "%s", strerror (errno));
    }
    saver->busy = true;
    saver->seq = journal_last (torid->journal);
    uv_pipe_init (&torid->loop, &saver->pipe, 0);
    saver->pipe.data = torid;
    uv_pipe_open (&saver->pipe, fds[0]);
    uv_read_start ((uv_stream_t *)&saver->pipe, on_alloc, on_read);
    return 0;
}

void saver_stop (struct torid *torid)
{
    struct saver *saver = &torid->saver;
    if (saver->pid > 0) {
        kill (saver->pid, SIGKILL);
        waitpid (saver->pid, NULL, 0);
    }
    free (saver->text);
    saver->text = NULL;
}
