/* tori gang logs - what a job of a listening run has printed to its files. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "client.h"
#include "commands.h"
#include "gangjobs.h"
#include "jobwait.h"
#include "number.h"
#include "tail.h"

struct values {
    const char *socket;
    bool follow;
    const char *rank; /* NULL: all */
    const char *id;
};

static const struct option options[] = {
    {"follow", OPTION_FLAG, offsetof (struct values, follow), .letter = 'f',
     .help = "wait for more until the job has ended"},
    {"rank", OPTION_STRING, offsetof (struct values, rank), "N",
     .help = "only what process N has printed, from 0, if each has a file of "
             "its own"},
    GANGJOBS_SOCKET (struct values),
    GANGJOBS_ID (struct values),
    {.name = NULL},
};

struct files {
    struct tail *tail;
    size_t n, room;
    int64_t only;      /* only the output of this process; -1: of all */
    int64_t processes; /* of the job */
    bool ended; /* the job has */
};

static int add_file (struct files *files, const char *path, FILE *out,
                     tori_error *err)
{
    struct tail *more = array_room (files->tail, &files->room, files->n + 1,
                                    sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    files->tail = more;
    more[files->n] = (struct tail){.path = strdup (path), .fd = -1, .to = out};
    return more[files->n++].path ? 0 : tori_error_nomem (err);
}

/* Ask the run whether the job has ended; the first call also lists its
 * files. */
static int ask_logs (const char *path, int64_t id, FILE *out,
                     struct files *files, tori_error *err)
{
    struct bytes text = {0};
    struct reader reader;
    const char *file;
    int64_t ended = 0;
    bool first = files->n == 0;
    int status = client_ask (path, FRAME_LOGS, id, &text, err);
    reader = (struct reader){text.data, text.n};
    if (status == 0)
        reader_number (&reader, &ended);
    if (status == 0)
        reader_number (&reader, &files->processes);
    files->ended = ended;
    for (int64_t i = 0;
         status == 0 && first && (file = reader_text (&reader)); i++)
        if (files->only < 0 || files->only == i)
            status = add_file (files, file, out, err);
    bytes_clear (&text);
    return status;
}

static int check_files (const struct files *files, int64_t id,
                        tori_error *err)
{
    long long job = id, only = files->only;
    if (only >= files->processes)
        return tori_error_set (err, TORI_INVALID,
                               "job %lld has no process %lld", job, only);
    if (files->n > 0)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "job %lld has no file for its output%s: see "
                           "--output of 'tori gang submit'",
                           job, only < 0 ? "" : " of that process alone");
}

static int drain_files (struct files *files, bool *ret_moved, tori_error *err)
{
    *ret_moved = false;
    for (size_t i = 0; i < files->n; i++) {
        files->tail[i].moved = false;
        if (tail_drain (&files->tail[i], true, err) < 0)
            return -1;
        *ret_moved |= files->tail[i].moved;
    }
    return 0;
}

/* Reads once more after the job has ended, so that no output is lost. A run
 * that no longer answers has ended, and its jobs with it. */
static int follow_files (const char *path, int64_t id, FILE *out,
                         struct files *files, tori_error *err)
{
    unsigned pause = 0;
    for (;;) {
        bool moved, last = files->ended;
        if (drain_files (files, &moved, err) < 0)
            return -1;
        if (last)
            return 0;
        if (moved)
            pause = 0;
        pause_longer (&pause);
        if (ask_logs (path, id, out, files, NULL) < 0)
            files->ended = true;
    }
}

static int run_gang_logs (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct files files = {.only = -1};
    const char *path;
    int64_t id;
    bool moved;
    int status = gangjobs_name (v->socket, v->id, &path, &id, err);
    if (status == 0 && v->rank)
        status = number_parse (v->rank, "--rank", 0, UINT32_MAX, &files.only,
                               err);
    if (status == 0)
        status = ask_logs (path, id, out, &files, err);
    if (status == 0)
        status = check_files (&files, id, err);
    if (status == 0)
        status = v->follow ? follow_files (path, id, out, &files, err)
                           : drain_files (&files, &moved, err);
    for (size_t i = 0; i < files.n; i++)
        tail_clear (&files.tail[i]);
    free (files.tail);
    return status;
}

const struct command command_gang_logs = {
    .name = "logs",
    .summary = "Print what a job of a listening run has printed",
    .notes = "This is for jobs that print to files: those submitted with "
             "--output or --detach. Where each process has a file of its own, "
             "the files come one after another, by the number of the process.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori gang logs --socket gang.sock -f 3\n"
                "tori gang logs --socket gang.sock --rank 1 3",
    .status = {"printed; with --follow: the job has ended",
               "no run listens there, or a file cannot be read",
               "bad usage, no such job, or it does not print to a file"},
    .run = run_gang_logs,
};
