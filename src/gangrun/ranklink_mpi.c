#include "ranklink.h"

#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "array.h"
#include "warden.h"

struct letter {
    MPI_Request request;
    uint32_t to;
    void *data;
};

/* What the others must know of a rank. */
struct card {
    int64_t pid, parent;
    char host[MPI_MAX_PROCESSOR_NAME];
};

/* What goes to another rank, and comes from it. */
struct peer {
    bool lost;
    bool deaf;     /* its bell could not be rung */
    uint64_t sent; /* messages to it */
    uint64_t told; /* how many it has sent, as the last bell had it, */
    uint64_t come; /* and how many have come */
};

/* What a bell says: how many messages its sender has sent to whom it rings for.
 * Who only counted bells would forget a message that shows late, and from then
 * on take each for the one before it. */
struct ring {
    uint32_t from;
    uint64_t sent;
};

struct link {
    int rank, size;
    struct card *card; /* a rank */
    struct peer *peer; /* a rank */
    bool any_lost;
    uint64_t name; /* of the run */
    int bell;
    int64_t rang; /* when a bell last did */
    struct letter *letter; /* on their way */
    size_t letters, room;
};

/* ---- bells ---- */

static socklen_t bell_address (const struct link *link, int rank,
                               struct sockaddr_un *address)
{
    int n;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    n = snprintf (address->sun_path + 1, sizeof address->sun_path - 1,
                  "tori-gang-%016llx-%d", (unsigned long long)link->name,
                  rank);
    return (socklen_t)(offsetof (struct sockaddr_un, sun_path) + 1
                       + (size_t)n);
}

static int make_bell (struct link *link, tori_error *err)
{
    struct sockaddr_un address;
    socklen_t n = bell_address (link, link->rank, &address);
    link->bell = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                         0);
    if (link->bell < 0
        || bind (link->bell, (struct sockaddr *)&address, n) < 0)
        return tori_error_set (err, TORI_FAILED, "socket: %s",
                               strerror (errno));
    return 0;
}

/* A bell that has rung too often without being heard is rung again later. */
static void ring (struct link *link, uint32_t to)
{
    struct ring ring = {(uint32_t)link->rank, link->peer[to].sent};
    struct sockaddr_un address;
    socklen_t n = bell_address (link, (int)to, &address);
    link->peer[to].deaf
        = sendto (link->bell, &ring, sizeof ring, MSG_DONTWAIT | MSG_NOSIGNAL,
                  (struct sockaddr *)&address, n)
              < 0
          && errno == EAGAIN;
}

int link_bell (const struct link *link)
{
    return link->bell;
}

void link_silence (struct link *link)
{
    struct ring ring;
    ssize_t n;
    while ((n = recv (link->bell, &ring, sizeof ring, MSG_DONTWAIT)) > 0)
        if (n == sizeof ring && ring.from < (uint32_t)link->size
            && !link->peer[ring.from].lost)
            link->peer[ring.from].told = ring.sent;
    link->rang = clock_now ();
}

/* Whether a message is on its way here. */
static bool expects (const struct link *link)
{
    for (int i = 0; i < link->size; i++)
        if (link->peer[i].come < link->peer[i].told)
            return true;
    return false;
}

/* ---- entering ---- */

static int exchange_cards (struct link *link, tori_error *err)
{
    struct card own = {.pid = getpid (), .parent = getppid ()};
    int length;
    MPI_Get_processor_name (own.host, &length);
    MPI_Allgather (&own, sizeof own, MPI_BYTE, link->card, sizeof own,
                   MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < link->size; i++)
        if (strcmp (link->card[i].host, own.host))
            return tori_error_set (err, TORI_INVALID,
                                   "ranks on %.60s and %.60s: all must be on "
                                   "one host, to share its clock",
                                   own.host, link->card[i].host);
    return 0;
}

/* The bells are there before anybody rings. */
int link_agree (struct link *link, int64_t *ret_epoch, tori_error *err)
{
    if (getrandom (&link->name, sizeof link->name, 0) < 0)
        link->name = (uint64_t)clock_now ();
    MPI_Bcast (&link->name, sizeof link->name, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (make_bell (link, err) < 0)
        return -1;
    MPI_Barrier (MPI_COMM_WORLD);
    *ret_epoch = clock_now ();
    MPI_Bcast (ret_epoch, sizeof *ret_epoch, MPI_BYTE, 0, MPI_COMM_WORLD);
    return 0;
}

int link_open (struct link **ret_link, tori_error *err)
{
    struct link *link = calloc (1, sizeof *link);
    if (!link)
        return tori_error_nomem (err);
    link->bell = -1;
    if (MPI_Init (NULL, NULL) != MPI_SUCCESS) {
        free (link);
        return tori_error_set (err, TORI_FAILED, "MPI cannot be entered");
    }
    MPI_Comm_set_errhandler (MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank (MPI_COMM_WORLD, &link->rank);
    MPI_Comm_size (MPI_COMM_WORLD, &link->size);
    link->card = calloc ((size_t)link->size, sizeof *link->card);
    link->peer = calloc ((size_t)link->size, sizeof *link->peer);
    if (!link->card || !link->peer)
        tori_error_nomem (err);
    else if (exchange_cards (link, err) == 0) {
        *ret_link = link;
        return 0;
    }
    link_close (link);
    return -1;
}

uint32_t link_rank (const struct link *link)
{
    return (uint32_t)link->rank;
}

uint32_t link_size (const struct link *link)
{
    return (uint32_t)link->size;
}

pid_t link_pid (const struct link *link, uint32_t rank)
{
    return (pid_t)link->card[rank].pid;
}

pid_t link_parent (const struct link *link, uint32_t rank)
{
    return (pid_t)link->card[rank].parent;
}

/* ---- letters ---- */

static bool has_left (MPI_Request *request)
{
    int done = 0;
    return MPI_Test (request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done;
}

int link_send (struct link *link, uint32_t to, const struct wire *wire,
               const void *data, tori_error *err)
{
    size_t n = sizeof *wire + wire->bytes;
    struct letter *more = array_room (link->letter, &link->room,
                                      link->letters + 1, sizeof *more);
    MPI_Request request;
    char *copy;
    if (!more)
        return tori_error_nomem (err);
    link->letter = more;
    if (link->peer[to].lost)
        return 0;
    copy = malloc (n);
    if (!copy)
        return tori_error_nomem (err);
    memcpy (copy, wire, sizeof *wire);
    ((struct wire *)(void *)copy)->from = (uint32_t)link->rank;
    if (wire->bytes > 0)
        memcpy (copy + sizeof *wire, data, wire->bytes);
    if (MPI_Isend (copy, (int)n, MPI_BYTE, (int)to, 0, MPI_COMM_WORLD,
                   &request)
        != MPI_SUCCESS) {
        free (copy);
        return 0; /* its death will be heard of */
    }
    link->peer[to].sent++;
    if (!has_left (&request))
        link->letter[link->letters++] = (struct letter){request, to, copy};
    else
        free (copy);
    ring (link, to);
    return 0;
}

/* Letters that have left. The receiver of one that could not leave at once
 * may have looked for it too early: the bell is rung again. Answers whether
 * something is left to do. */
static bool collect (struct link *link)
{
    size_t kept = 0;
    bool deaf = false;
    for (size_t i = 0; i < link->letters; i++) {
        struct letter letter = link->letter[i];
        if (has_left (&letter.request)) {
            free (letter.data);
            ring (link, letter.to);
        } else {
            link->letter[kept++] = letter;
        }
    }
    link->letters = kept;
    for (int i = 0; i < link->size; i++) {
        if (link->peer[i].deaf)
            ring (link, (uint32_t)i);
        deaf |= link->peer[i].deaf;
    }
    return deaf || kept > 0;
}

/* A message may show only at the second or third look, or later if its sender
 * is held up. */
int64_t link_patience (struct link *link)
{
    enum { SOON = 50000, BUSY = 500000, WHILE = 5000000, IDLE = 200000000 };
    bool expected = expects (link), busy = collect (link);
    if (expected && clock_now () - link->rang < WHILE)
        return SOON;
    return expected || busy ? BUSY : IDLE;
}

int link_receive (struct link *link, struct wire *ret_wire,
                  struct bytes *bytes, tori_error *err)
{
    MPI_Status status;
    int found = 0, n = 0;
    char *more;
    if (MPI_Iprobe (MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, &status)
            != MPI_SUCCESS
        || !found)
        return 0;
    MPI_Get_count (&status, MPI_BYTE, &n);
    more = array_room (bytes->data, &bytes->room, (size_t)n + 1, 1);
    if (!more)
        return tori_error_nomem (err);
    bytes->data = more;
    bytes->n = 0;
    if (MPI_Recv (more, n, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE)
            != MPI_SUCCESS
        || (size_t)n < sizeof *ret_wire)
        return 0;
    link->peer[status.MPI_SOURCE].come++;
    memcpy (ret_wire, more, sizeof *ret_wire);
    bytes->n = (size_t)n;
    bytes_drop (bytes, sizeof *ret_wire);
    return 1;
}

/* Wait for the others, and take what they have sent before they waited. */
static void meet (struct link *link)
{
    enum { PAUSE = 200 }; /* microseconds */
    struct bytes bytes = {0};
    struct wire wire;
    MPI_Request all;
    int there = 0;
    MPI_Ibarrier (MPI_COMM_WORLD, &all);
    while (!there || link->letters > 0) {
        while (link_receive (link, &wire, &bytes, NULL) > 0)
            ;
        collect (link);
        if (!there)
            MPI_Test (&all, &there, MPI_STATUS_IGNORE);
        usleep (PAUSE);
    }
    while (link_receive (link, &wire, &bytes, NULL) > 0)
        ;
    bytes_clear (&bytes);
}

/* What is on its way to the living, as far as they take it. */
static void send_off (struct link *link)
{
    enum { TRIES = 500, PAUSE = 1000 }; /* microseconds */
    for (int i = 0; i < TRIES && link->letters > 0; i++) {
        collect (link);
        usleep (PAUSE);
    }
}

bool link_close (struct link *link)
{
    bool orderly = !link->any_lost;
    if (orderly) {
        meet (link);
        MPI_Finalize ();
    } else {
        send_off (link);
    }
    if (link->bell >= 0)
        close (link->bell);
    free (link->letter);
    free (link->card);
    free (link->peer);
    free (link);
    return orderly;
}

/* MPI may still look at what was to be sent there, so it is not freed. */
void link_lost (struct link *link, uint32_t rank)
{
    size_t kept = 0;
    if (link->peer[rank].lost)
        return;
    link->peer[rank] = (struct peer){.lost = true};
    link->any_lost = true;
    for (size_t i = 0; i < link->letters; i++)
        if (link->letter[i].to != rank)
            link->letter[kept++] = link->letter[i];
    link->letters = kept;
}
