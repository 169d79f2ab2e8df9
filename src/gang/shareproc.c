#include "shareproc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "keeper.h"

/* ---- the start message ---- */

/* A text for the warden, with its zero. */
static void __attribute__ ((format (printf, 3, 4)))
add_text (const struct share *share, struct bytes *bytes, const char *format,
          ...)
{
    char line[TORI_TEXT_MAX + 64];
    va_list args;
    va_start (args, format);
    vsnprintf (line, sizeof line, format, args);
    va_end (args);
    bytes_add_text (bytes, line, &share->rank->err);
}

static void add_box (const struct share *share, const char *name,
                     uint32_t node, struct bytes *bytes)
{
    char box[TORI_TEXT_MAX];
    tori_gang_place place;
    tori_gang_tree_place (share->rank->tree, node, &place);
    tori_box_format (&place.box, box);
    add_text (share, bytes, "%s=%s", name, box);
}

static void add_meet (const struct share *share, struct bytes *bytes)
{
    const struct rank *rank = share->rank;
    struct meet meet = {.port = share->task->port};
    char address[PEERS_ADDRESS], text[MEET_TEXT];
    key_of_job (&rank->key, share->task->id, &meet.key);
    peers_address (rank->peers, rank->host[share->task->node], address);
    meet_format (&meet, address, text);
    add_text (share, bytes, "TORI_MEET=%s", text);
}

/* The "hosts" of the job's processes, for mpiexec. Open MPI has one where
 * processes share memory, named after the first there. MPICH finds that out by
 * itself, and each process is a host of its own. */
static void add_hosts (const struct share *share, const struct layout *layout,
                       struct bytes *bytes)
{
    const struct card *card = share->rank->card;
    bytes_add (bytes, "TORI_HOSTS=", strlen ("TORI_HOSTS="),
               &share->rank->err);
    for (uint32_t i = 0; i < spec_count (share->task->spec); i++) {
        char name[24];
        uint32_t first = share->task->mpi == MPI_KIND_OPEN ? 0 : i;
        while (!card_is_near (&card[layout->processor[first]],
                              &card[layout->processor[i]]))
            first++;
        snprintf (name, sizeof name, "%stori-%u", i ? "," : "", first);
        bytes_add (bytes, name, strlen (name), &share->rank->err);
    }
    bytes_add_text (bytes, "", &share->rank->err);
}

/* The variables that tell a program about itself; returns their number. */
static uint32_t add_variables (const struct share *share,
                               const struct layout *layout,
                               struct bytes *bytes)
{
    const struct spec *spec = share->task->spec;
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"JOB_ID", share->task->id & UINT32_MAX},
        {"JOB", share->task->id & UINT32_MAX}, /* its old name */
        {"RANK", share->in_stage},
        {"SIZE", spec->stage[share->stage].count},
        {"STAGE", share->stage},
        {"STAGES", spec->stages},
        {"PROCESSOR", share->rank->self},
        {"RESTART", (share->task->id >> 32) - 1},
    };
    enum { N = sizeof numbers / sizeof numbers[0] };
    for (size_t i = 0; i < N; i++)
        add_text (share, bytes, "TORI_%s=%llu", numbers[i].name,
                  (unsigned long long)numbers[i].value);
    add_box (share, "TORI_PARTITION", share->node, bytes);
    add_box (share, "TORI_JOB_PARTITION", share->task->node, bytes);
    if (share->task->mpi == MPI_KIND_NONE)
        return N + 2;
    add_meet (share, bytes);
    if (share->index > 0)
        return N + 3;
    add_hosts (share, layout, bytes);
    return N + 4;
}

static uint32_t add_texts (const struct share *share, char *const texts[],
                           struct bytes *bytes)
{
    uint32_t n = 0;
    for (; texts && texts[n]; n++)
        bytes_add_text (bytes, texts[n], &share->rank->err);
    return n;
}

/* The program of an MPI job is started by the MPI that it was built with. */
static uint32_t add_launcher (const struct share *share, struct bytes *bytes)
{
    char self[PATH_MAX];
    ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);
    if (share->task->mpi == MPI_KIND_NONE)
        return 0;
    self[n > 0 ? n : 0] = 0;
    bytes_add_text (bytes, self, &share->rank->err);
    add_text (share, bytes, "--share");
    add_text (share, bytes, "%s", mpi_kind_name (share->task->mpi));
    return 3;
}

/* The position of this rank among the ranks of this host, from 1. */
static uint32_t place_on_host (const struct rank *rank)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < rank->self; i++)
        n += !strcmp (rank->card[i].host, rank->card[rank->self].host);
    return n;
}

/* A warden that is gone is noticed when its events are read. */
static void send_start (const struct share *share,
                        const struct layout *layout)
{
    const struct spec *spec = share->task->spec;
    struct rank *rank = share->rank;
    bool watched = rank->config->turns != TURNS_NONE
                   && rank->config->sleepers == SLEEPERS_LEAVE;
    struct warden_start start = {.slot = watched ? rank->config->slot : 0,
                                 .core = spec->pin ? place_on_host (rank) : 0,
                                 .bare = spec->env != NULL,
                                 .scratch = share->task->mpi != MPI_KIND_NONE};
    struct bytes bytes = {0};
    bytes_add_text (&bytes, spec->cwd ? spec->cwd : "", &rank->err);
    start.args = add_launcher (share, &bytes);
    start.args += add_texts (share, spec->stage[share->stage].argv, &bytes);
    start.told = add_variables (share, layout, &bytes);
    start.vars = add_texts (share, spec->env, &bytes);
    start.bytes = (uint32_t)bytes.n;
    if (!rank_failed (rank)
        && send_all (share->control, &start, sizeof start) == 0)
        send_all (share->control, bytes.data, bytes.n);
    bytes_clear (&bytes);
}

/* Both ends of a pipe, this process's first. */
static int make_pipe (bool we_read, int *ret_ours, int *ret_theirs)
{
    int ends[2];
    if (pipe2 (ends, O_CLOEXEC) < 0)
        return -1;
    *ret_ours = ends[we_read ? 0 : 1];
    *ret_theirs = ends[we_read ? 1 : 0];
    return fcntl (*ret_ours, F_SETFL, we_read ? O_NONBLOCK : 0);
}

void share_resize (int terminal, int64_t size)
{
    const struct winsize window = {.ws_row = (unsigned short)(size >> 16),
                                   .ws_col = (unsigned short)size};
    ioctl (terminal, TIOCSWINSZ, &window);
}

static int copy_of (int fd)
{
    return fd < 0 ? -1 : fcntl (fd, F_DUPFD_CLOEXEC, 0);
}

/* Standard input, output and error are one terminal, and this process has its
 * other end. */
static int make_terminal (struct share *share, int files[WARDEN_FILES])
{
    enum { HOW = O_RDWR | O_NOCTTY | O_CLOEXEC };
    char name[64];
    int ours = posix_openpt (HOW | O_NONBLOCK);
    share->out.fd = ours;
    if (ours < 0 || grantpt (ours) < 0 || unlockpt (ours) < 0
        || ptsname_r (ours, name, sizeof name) != 0)
        return -1;
    share_resize (ours, share->task->spec->pty);
    share->input.fd = copy_of (ours);
    files[WARDEN_IN] = open (name, HOW);
    files[WARDEN_OUT] = copy_of (files[WARDEN_IN]);
    files[WARDEN_ERR] = copy_of (files[WARDEN_OUT]);
    return share->input.fd < 0 || files[WARDEN_ERR] < 0 ? -1 : 0;
}

static int make_files (struct share *share, int files[WARDEN_FILES])
{
    int pair[2];
    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    share->control = pair[0];
    files[WARDEN_CONTROL] = pair[1];
    if (!rank_has_room (pair[1], 0)) {
        errno = EMFILE;
        return -1;
    }
    if (share->task->spec->pty)
        return make_terminal (share, files);
    if (share->writers > 0) {
        if (make_pipe (false, &share->input.fd, &files[WARDEN_IN]) < 0)
            return -1;
    } else {
        files[WARDEN_IN] = open ("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    return files[WARDEN_IN] < 0
                   || make_pipe (true, &share->out.fd, &files[WARDEN_OUT]) < 0
                   || make_pipe (true, &share->err.fd, &files[WARDEN_ERR]) < 0
               ? -1
               : 0;
}

static int hand_over (const struct rank *rank, const int files[WARDEN_FILES])
{
    struct keeper_message message
        = {.kind = KEEPER_SPAWN,
           .cage = (enum cage_kind)rank->config->cage};
    return keeper_tell (rank->keeper, &message, files,
                        files[WARDEN_DOOR] >= 0 ? WARDEN_FILES : WARDEN_DOOR);
}

int share_spawn (struct share *share, const struct layout *layout)
{
    int files[WARDEN_FILES] = {-1, -1, -1, -1, -1}, why = 0;
    if (share->index == 0) {
        files[WARDEN_DOOR] = share->task->door;
        share->task->door = -1;
        why = share->task->no_door;
    }
    if (!why
        && (make_files (share, files) < 0
            || hand_over (share->rank, files) < 0))
        why = errno ? errno : EMFILE;
    if (!why)
        send_start (share, layout);
    warden_close (files);
    return why;
}

void share_order (const struct share *share, const struct warden_order *order)
{
    send_all (share->control, order, sizeof *order);
}

void share_close (int *fd)
{
    if (*fd >= 0)
        close (*fd);
    *fd = -1;
}

/* A warden whose socket is closed kills its processes. */
void share_destroy (struct rank *rank, struct share *share)
{
    if (!share)
        return;
    share_close (&share->control);
    share_close (&share->out.fd);
    share_close (&share->err.fd);
    sink_close (rank, &share->input);
    bytes_clear (&share->out.kept);
    bytes_clear (&share->err.kept);
    bytes_clear (&share->events);
    free (share);
}
