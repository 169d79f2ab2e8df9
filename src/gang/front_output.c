#include "front_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frame.h"
#include "syserror.h"

/* ---- files ---- */

/* %j is the job, %r or, as for srun, %t the process. */
int job_output_path (const struct job *job, uint32_t index,
                     char ret_path[PATH_MAX], tori_error *err)
{
    const char *dir = job->spec->cwd, *p = job->spec->output;
    int n = 0;
    *ret_path = 0;
    if (dir && *p != '/')
        n = snprintf (ret_path, PATH_MAX, "%s/", dir);
    for (; *p && n < PATH_MAX; p++) {
        char *to = ret_path + n;
        size_t room = (size_t)(PATH_MAX - n);
        bool mark = *p == '%' && p[1] && strchr ("jrt%", p[1]);
        p += mark;
        if (mark && *p != '%')
            n += snprintf (to, room, "%u", *p == 'j' ? job->number : index);
        else
            n += snprintf (to, room, "%c", *p);
    }
    return n < PATH_MAX
               ? 0
               : tori_error_set (err, TORI_INVALID, "--output: %s",
                                 strerror (ENAMETOOLONG));
}

/* Whether each process has a file. */
static bool names_process (const char *pattern)
{
    for (const char *p = pattern; (p = strchr (p, '%')); p += p[1] ? 2 : 1)
        if (p[1] == 'r' || p[1] == 't')
            return true;
    return false;
}

/* A directory has a file for every process. */
static int look_for_directory (const struct job *job, tori_error *err)
{
    char path[PATH_MAX], *pattern;
    struct stat st;
    if (job_output_path (job, 0, path, err) < 0)
        return -1;
    if (stat (path, &st) < 0 || !S_ISDIR (st.st_mode))
        return 0;
    if (asprintf (&pattern, "%s/%%j.%%r", job->spec->output) < 0)
        return tori_error_nomem (err);
    free (job->spec->output);
    job->spec->output = pattern;
    return 0;
}

/* Refuse files that could make this rank wait. */
static int open_file (const struct job *job, uint32_t index, int *ret_fd,
                      tori_error *err)
{
    enum { NEEDS = 8 }; /* to start a process here */
    char path[PATH_MAX];
    struct stat st;
    if (job_output_path (job, index, path, err) < 0)
        return -1;
    *ret_fd = open (path,
                    O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC
                        | O_NONBLOCK,
                    0666);
    if (*ret_fd < 0 || fstat (*ret_fd, &st) < 0)
        return system_error (path, errno, err);
    if (!rank_has_room (*ret_fd, NEEDS))
        return system_error (path, EMFILE, err);
    return S_ISREG (st.st_mode) || S_ISCHR (st.st_mode)
               ? 0
               : tori_error_set (err, TORI_FAILED, "%.400s: not a file",
                                 path);
}

int job_open_output (struct rank *rank, struct job *job, tori_error *err)
{
    const struct spec *spec = job->spec;
    uint32_t n;
    if (!spec->output || job->file)
        return 0;
    if (look_for_directory (job, err) < 0)
        return -1;
    n = names_process (spec->output) ? spec_count (spec) : 1;
    job->file = calloc (n, sizeof *job->file);
    if (!job->file)
        return tori_error_nomem (err);
    for (job->files = 0; job->files < n; job->files++)
        if (open_file (job, job->files, &job->file[job->files].fd, err) < 0) {
            job->files++;
            job_close_output (rank, job);
            job->files = 0;
            return -1;
        }
    return 0;
}

void job_close_output (struct rank *rank, struct job *job)
{
    for (uint32_t i = 0; job->file && i < job->files; i++)
        sink_close (rank, &job->file[i]);
    free (job->file);
    job->file = NULL;
}

/* ---- lines ---- */

/* The sink for the output of a process; NULL: none. */
static struct sink *sink_of (const struct rank *rank, const struct job *job,
                             uint32_t index, uint32_t stream)
{
    struct front *front = rank->front;
    struct client *client = job ? job->client : NULL;
    if (job && job->file)
        return &job->file[index % job->files];
    if (client || !job || job->submitted)
        return client && !client->gone ? &client->sink : NULL;
    return stream == 1 ? &front->out : &front->err;
}

/* Whole lines, into the sink of the job. */
static void put_text (struct rank *rank, const struct job *job,
                      struct sink *sink, const struct source *source,
                      const char *text)
{
    struct frame frame = {source->stream == 1 ? FRAME_OUT : FRAME_ERR,
                          source->credit};
    char label[64];
    int n = 0;
    if ((!job || job->submitted) && !(job && job->file)) {
        sink_put (rank, sink, source, (const char *)&frame, sizeof frame, text,
                  source->credit);
        return;
    }
    if (rank->config->label && !job->file)
        n = snprintf (label, sizeof label, "%u.%u: ", job->number,
                      source->index);
    sink_put_lines (rank, sink, source, label, (size_t)n, text,
                    source->credit);
}

void front_output (struct rank *rank, const struct wire *wire,
                   const char *data)
{
    struct job *job = job_find (rank, wire->task);
    struct source source = {wire->from, wire->task, wire->index, wire->stream,
                            wire->bytes};
    struct sink nobody = {.fd = -1},
                *sink = sink_of (rank, job, wire->index, wire->stream);
    if (!sink)
        sink = &nobody;
    put_text (rank, job, sink, &source, data);
    sink_flush (rank, sink);
}
