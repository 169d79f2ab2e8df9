#include "peers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "callers.h"
#include "syserror.h"

/* Seconds, in all, until another host has to have let this rank in. */
enum { PATIENCE = 30 };

/* The messages to and from another rank. */
struct peer {
    int fd;    /* -1: there is none */
    int leash; /* -1: it was given away */
    bool fallen, told;
    struct bytes in, out;
    size_t done; /* how much of `in` was handed out */
};

struct peers {
    uint32_t self, size;
    int bell; /* an epoll descriptor */
    struct peer *peer;
    uint32_t next; /* the rank to be heard next */
};

/* ---- cards ---- */

static void read_name (const char *path, char *text, size_t size)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read (fd, text, size - 1);
    if (fd >= 0)
        close (fd);
    text[n > 0 ? n : 0] = 0;
    text[strcspn (text, "\n")] = 0;
}

/* Identifies this kernel and one of its namespaces. */
static void name_space (const char *boot, const char *path, char to[CARD_TEXT])
{
    char name[32];
    ssize_t n = readlink (path, name, sizeof name - 1);
    name[n > 0 ? n : 0] = 0;
    snprintf (to, CARD_TEXT, "%.40s %s", boot, name);
}

static void add_address (struct card *card, const struct sockaddr *of)
{
    struct in6_addr *to = &card->address[card->addresses];
    if (card->addresses == CARD_ADDRESSES || !of)
        return;
    if (of->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const void *)of;
        *to = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
        memcpy (&to->s6_addr[12], &four->sin_addr, 4);
    } else if (of->sa_family == AF_INET6) {
        *to = ((const struct sockaddr_in6 *)(const void *)of)->sin6_addr;
        if (IN6_IS_ADDR_LINKLOCAL (to))
            return;
    } else {
        return;
    }
    card->addresses++;
}

static void add_addresses (struct card *card)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs (&all) < 0)
        return;
    for (struct ifaddrs *one = all; one; one = one->ifa_next)
        if ((one->ifa_flags & IFF_UP) && !(one->ifa_flags & IFF_LOOPBACK))
            add_address (card, one->ifa_addr);
    freeifaddrs (all);
}

static void write_card (struct card *card)
{
    char boot[CARD_TEXT];
    struct stat shared;
    size_t n;
    read_name ("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    name_space (boot, "/proc/self/ns/net", card->net);
    name_space (boot, "/proc/self/ns/time", card->clock);
    name_space (boot, "/proc/self/ns/pid", card->memory);
    n = strlen (card->memory);
    if (stat ("/dev/shm", &shared) == 0)
        snprintf (card->memory + n, sizeof card->memory - n, " %llx",
                  (unsigned long long)shared.st_dev);
    gethostname (card->host, sizeof card->host - 1);
    add_addresses (card);
}

bool card_is_near (const struct card *one, const struct card *other)
{
    return !strcmp (one->net, other->net)
           && !strcmp (one->memory, other->memory);
}

union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

/* The port is at the same place in both kinds. */
static union address address_of (const struct in6_addr *of, uint16_t port)
{
    union address to = {.six = {.sin6_family = AF_INET6,
                                .sin6_addr = *of,
                                .sin6_port = htons (port)}};
    if (IN6_IS_ADDR_V4MAPPED (of)) {
        to = (union address){
            .four = {.sin_family = AF_INET, .sin_port = htons (port)}};
        memcpy (&to.four.sin_addr, &of->s6_addr[12], 4);
    }
    return to;
}

static int listen_at (union address at, uint16_t *ret_port)
{
    socklen_t n = sizeof at;
    int no = 0, fd = socket (at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (at.any.sa_family == AF_INET6)
        setsockopt (fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (fd >= 0
        && (bind (fd, &at.any, n) < 0 || listen (fd, SOMAXCONN) < 0
            || getsockname (fd, &at.any, &n) < 0)) {
        close (fd);
        return -1;
    }
    *ret_port = ntohs (at.six.sin6_port);
    return fd;
}

/* One socket for both kinds of addresses, or for IPv4 on a host without
 * IPv6. */
static int listen_anywhere (uint16_t *ret_port)
{
    static const struct in6_addr four = {.s6_addr = {[10] = 0xff, 0xff}};
    int fd = listen_at (address_of (&in6addr_any, 0), ret_port);
    return fd >= 0 ? fd : listen_at (address_of (&four, 0), ret_port);
}

int door_open (struct card *ret_card, tori_error *err)
{
    struct card card = {0};
    int fd = listen_anywhere (&card.port);
    if (fd < 0)
        return system_error ("a socket for the other ranks", errno, err);
    write_card (&card);
    *ret_card = card;
    return fd;
}

/* ---- connecting ---- */

static bool wait_for (int fd, short events, int milliseconds)
{
    struct pollfd poll_fd = {fd, events, 0};
    int n;
    do
        n = poll (&poll_fd, 1, milliseconds);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

static int connect_to (const struct in6_addr *address, uint16_t port)
{
    const struct timeval patience = {.tv_sec = 2};
    union address to = address_of (address, port);
    int fd = socket (to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), status;
    setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    do
        status = connect (fd, &to.any, sizeof to);
    while (status && errno == EINTR);
    if (status && fd >= 0)
        close (fd);
    return status ? -1 : fd;
}

/* The answer shows whether it is the right rank. It comes when that rank has
 * connected to all before it. */
static int try_address (const struct in6_addr *address, uint16_t port,
                        const struct run_key *key, const struct hello *hello,
                        char why[HANDSHAKE_WHY])
{
    int fd = connect_to (address, port);
    if (fd < 0) {
        snprintf (why, HANDSHAKE_WHY, "%s", strerror (errno));
        return -1;
    }
    if (handshake_ask (fd, key, hello, PATIENCE, why))
        return fd;
    close (fd);
    return -1;
}

static int connect_card (const struct card *own, const struct card *other,
                         const struct run_key *key, const struct hello *hello,
                         tori_error *err)
{
    static const struct in6_addr here = {
        .s6_addr = {[10] = 0xff, [11] = 0xff, 127, 0, 0, 1}};
    char why[HANDSHAKE_WHY] = "it has no address";
    int fd = strcmp (own->net, other->net)
                 ? -1
                 : try_address (&here, other->port, key, hello, why);
    for (uint16_t i = 0; fd < 0 && i < other->addresses; i++)
        fd = try_address (&other->address[i], other->port, key, hello, why);
    return fd >= 0 ? fd
                   : tori_error_set (err, TORI_FAILED,
                                     "rank %u on %s cannot reach rank %u on "
                                     "%s, port %u: %s",
                                     hello->from, own->host, hello->to,
                                     other->host, other->port, why);
}

/* Small messages go at once, and a host that is silent is noticed. */
static int set_up (int fd)
{
    const struct {
        int level, name, value;
    } options[] = {
        {IPPROTO_TCP, TCP_NODELAY, 1},
        {SOL_SOCKET, SO_KEEPALIVE, 1},
        {IPPROTO_TCP, TCP_KEEPIDLE, 1},
        {IPPROTO_TCP, TCP_KEEPINTVL, 1},
        {IPPROTO_TCP, TCP_KEEPCNT, PEERS_SILENCE - 1},
        {IPPROTO_TCP, TCP_USER_TIMEOUT, PEERS_SILENCE * 1000},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (setsockopt (fd, options[i].level, options[i].name,
                        &options[i].value, sizeof options[i].value)
            < 0)
            return -1;
    return fcntl (fd, F_SETFL, O_NONBLOCK);
}

static int keep_connection (struct peers *peers, uint32_t other, int fd,
                            bool leash, tori_error *err)
{
    struct peer *peer = &peers->peer[other];
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = other};
    *(leash ? &peer->leash : &peer->fd) = fd;
    if (set_up (fd) < 0
        || (!leash && epoll_ctl (peers->bell, EPOLL_CTL_ADD, fd, &event) < 0))
        return system_error ("connection between ranks", errno, err);
    return 0;
}

static int connect_lower (struct peers *peers, const struct card cards[],
                          const struct run_key *key, tori_error *err)
{
    for (uint32_t i = 0; i < peers->self; i++)
        for (uint32_t leash = 0; leash < (i == 0 ? 2 : 1); leash++) {
            struct hello hello = {peers->self, i, leash};
            int fd = connect_card (&cards[peers->self], &cards[i], key, &hello,
                                   err);
            if (fd < 0 || keep_connection (peers, i, fd, leash, err) < 0)
                return -1;
        }
    return 0;
}

/* Whether it is a rank of the run that is not connected yet. */
static bool is_missing (const void *arg, const struct hello *hello)
{
    const struct peers *peers = arg;
    const struct peer *peer;
    if (hello->to != peers->self || hello->from <= peers->self
        || hello->from >= peers->size || hello->leash > (peers->self == 0))
        return false;
    peer = &peers->peer[hello->from];
    return (hello->leash ? peer->leash : peer->fd) < 0;
}

/* The last caller that was sent away may be the rank that is missing. */
static int report_missing (const struct peers *peers, uint32_t left,
                           const char *why, tori_error *err)
{
    return tori_error_set (err, TORI_FAILED,
                           "%u connection%s from other ranks to rank %u did "
                           "not arrive%s%s%s",
                           left, left == 1 ? "" : "s", peers->self,
                           *why ? " (of the last that came: " : "", why,
                           *why ? ")" : "");
}

/* A rank that is missing has PATIENCE after the last one that came. */
static int admit_all (struct peers *peers, struct callers *callers,
                      uint32_t left, tori_error *err)
{
    int64_t until = callers_now () + PATIENCE * 1000;
    sigset_t mask;
    sigprocmask (SIG_BLOCK, NULL, &mask);
    while (left > 0) {
        struct hello hello;
        int64_t rest = until - callers_now ();
        int fd = rest > 0 ? callers_wait (callers, &mask, (int)rest, &hello)
                          : -1;
        if (rest <= 0)
            return report_missing (peers, left, callers->why, err);
        if (fd < 0)
            continue;
        if (!is_missing (peers, &hello)) {
            close (fd);
            continue;
        }
        if (keep_connection (peers, hello.from, fd, hello.leash, err) < 0)
            return -1;
        until = callers_now () + PATIENCE * 1000;
        left--;
    }
    return 0;
}

static int admit_higher (struct peers *peers, int door,
                         const struct run_key *key, tori_error *err)
{
    struct callers callers
        = {.fd = door, .key = *key, .wants = is_missing, .arg = peers};
    uint32_t left =
        (peers->size - 1 - peers->self) * (peers->self == 0 ? 2 : 1);
    int status = admit_all (peers, &callers, left, err);
    callers_clear (&callers);
    return status;
}

static void destroy_peers (struct peers *peers)
{
    for (uint32_t i = 0; peers->peer && i < peers->size; i++) {
        struct peer *peer = &peers->peer[i];
        if (peer->fd >= 0)
            close (peer->fd);
        if (peer->leash >= 0)
            close (peer->leash);
        bytes_clear (&peer->in);
        bytes_clear (&peer->out);
    }
    if (peers->bell >= 0)
        close (peers->bell);
    free (peers->peer);
    free (peers);
}

static struct peers *create_peers (uint32_t self, uint32_t size)
{
    struct peers *peers = calloc (1, sizeof *peers);
    if (!peers)
        return NULL;
    *peers = (struct peers){.self = self, .size = size};
    peers->bell = epoll_create1 (EPOLL_CLOEXEC);
    peers->peer = calloc (size, sizeof *peers->peer);
    for (uint32_t i = 0; peers->peer && i < size; i++)
        peers->peer[i] = (struct peer){.fd = -1, .leash = -1};
    if (peers->bell >= 0 && peers->peer)
        return peers;
    destroy_peers (peers);
    return NULL;
}

int peers_open (uint32_t self, uint32_t size, const struct card cards[],
                const struct run_key *key, int door, struct peers **ret_link,
                tori_error *err)
{
    struct peers *peers = create_peers (self, size);
    int status = -1;
    if (!peers)
        tori_error_nomem (err);
    else if (connect_lower (peers, cards, key, err) == 0)
        status = admit_higher (peers, door, key, err);
    close (door);
    if (status == 0)
        *ret_link = peers;
    else if (peers)
        destroy_peers (peers);
    return status;
}

int peers_leash (struct peers *peers, uint32_t other)
{
    int fd = peers->peer[other].leash;
    peers->peer[other].leash = -1;
    return fd;
}

/* The own address is the one by which a rank on another host reaches this
 * rank, if there is one. */
void peers_address (const struct peers *peers, uint32_t rank,
                    char text[PEERS_ADDRESS])
{
    bool own = rank == peers->self;
    snprintf (text, PEERS_ADDRESS, "127.0.0.1");
    for (uint32_t i = 0; i < peers->size; i++) {
        union address at = {0};
        socklen_t n = sizeof at;
        int fd = peers->peer[i].fd;
        if ((!own && i != rank) || fd < 0)
            continue;
        if ((own ? getsockname (fd, &at.any, &n)
                 : getpeername (fd, &at.any, &n))
            == 0)
            getnameinfo (&at.any, n, text, PEERS_ADDRESS, NULL, 0,
                         NI_NUMERICHOST);
        if (!strncmp (text, "::ffff:", 7))
            memmove (text, text + 7, strlen (text + 7) + 1);
        if (strcmp (text, "127.0.0.1"))
            return;
    }
}

/* ---- out ---- */

/* Messages that have already come can still be received. */
static void drop_connection (struct peer *peer)
{
    if (peer->fd >= 0)
        close (peer->fd);
    peer->fd = -1;
    peer->fallen = true;
    bytes_clear (&peer->out);
}

static bool must_wait (void)
{
    return errno == EAGAIN || errno == EINTR;
}

static void await_room (const struct peers *peers, struct peer *peer)
{
    struct epoll_event event = {.events =
                                    EPOLLIN | (peer->out.n > 0 ? EPOLLOUT : 0),
                                .data.u32 = (uint32_t)(peer - peers->peer)};
    epoll_ctl (peers->bell, EPOLL_CTL_MOD, peer->fd, &event);
}

static void flush_peer (struct peers *peers, struct peer *peer)
{
    while (peer->fd >= 0 && peer->out.n > 0) {
        ssize_t n = send (peer->fd, peer->out.data, peer->out.n, MSG_NOSIGNAL);
        if (n < 0 && must_wait ())
            return;
        if (n < 0) {
            drop_connection (peer);
            return;
        }
        bytes_drop (&peer->out, (size_t)n);
    }
    if (peer->fd >= 0)
        await_room (peers, peer);
}

/* Send as much as goes at once; the rest waits. */
static ssize_t send_now (int fd, unsigned char head[WIRE_HEADER],
                         const void *data, uint32_t bytes)
{
    struct iovec parts[] = {{head, WIRE_HEADER},
                            {(void *)(uintptr_t)data, bytes}};
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = bytes > 0 ? 2 : 1};
    return sendmsg (fd, &header, MSG_NOSIGNAL);
}

/* Queue the rest of a message after the first `done` bytes. */
static int queue_rest (struct bytes *to, const unsigned char head[WIRE_HEADER],
                       const void *data, uint32_t bytes, size_t done,
                       tori_error *err)
{
    size_t sent = done < WIRE_HEADER ? done : WIRE_HEADER;
    const char *rest = data;
    if (bytes_add (to, head + sent, WIRE_HEADER - sent, err) < 0)
        return -1;
    return bytes > 0 ? bytes_add (to, rest + (done - sent),
                                  bytes - (done - sent), err)
                     : 0;
}

int peers_send (struct peers *peers, uint32_t to, const struct wire *wire,
                const void *data, tori_error *err)
{
    struct peer *peer = &peers->peer[to];
    unsigned char head[WIRE_HEADER];
    struct wire copy = *wire;
    ssize_t n = 0;
    copy.from = peers->self;
    packed_write (PACKED_HEADER, &copy, head);
    if (to == peers->self)
        return queue_rest (&peer->in, head, data, copy.bytes, 0, err);
    if (peer->fd < 0)
        return 0; /* its death has been, or will be reported */
    if (peer->out.n == 0)
        n = send_now (peer->fd, head, data, copy.bytes);
    if (n < 0 && !must_wait ()) {
        drop_connection (peer);
        return 0;
    }
    n = n < 0 ? 0 : n;
    if ((size_t)n == WIRE_HEADER + (size_t)copy.bytes)
        return 0;
    if (queue_rest (&peer->out, head, data, copy.bytes, (size_t)n, err) < 0)
        return -1;
    await_room (peers, peer);
    return 0;
}

/* ---- in ---- */

static int listen_to (struct peers *peers, struct peer *peer, tori_error *err)
{
    char part[64 * 1024];
    ssize_t n = recv (peer->fd, part, sizeof part, 0);
    if (n < 0 && must_wait ())
        return 0;
    if (n <= 0) {
        drop_connection (peer);
        return 0;
    }
    return bytes_add (&peer->in, part, (size_t)n, err);
}

static int poll_peers (struct peers *peers, tori_error *err)
{
    struct epoll_event events[64];
    int n = epoll_wait (peers->bell, events, 64, 0);
    for (int i = 0; i < n; i++) {
        struct peer *peer = &peers->peer[events[i].data.u32];
        if (events[i].events & EPOLLOUT)
            flush_peer (peers, peer);
        if (peer->fd >= 0 && (events[i].events & ~(uint32_t)EPOLLOUT)
            && listen_to (peers, peer, err) < 0)
            return -1;
    }
    return n > 0;
}

/* The next whole message of a rank: 1, or 0, and messages that were handed out
 * are dropped. */
static int take_message (struct peer *peer, struct wire *ret_wire,
                         struct bytes *bytes, tori_error *err)
{
    const char *at = peer->in.data + peer->done;
    size_t left = peer->in.n - peer->done;
    struct wire wire = {0};
    if (left >= WIRE_HEADER)
        packed_read (PACKED_HEADER, (const unsigned char *)at, &wire);
    if (left < WIRE_HEADER + (size_t)wire.bytes) {
        if (peer->done > 0)
            bytes_drop (&peer->in, peer->done);
        peer->done = 0;
        return 0;
    }
    bytes->n = 0;
    if (bytes_add (bytes, at + WIRE_HEADER, wire.bytes, err) < 0)
        return -1;
    peer->done += WIRE_HEADER + (size_t)wire.bytes;
    *ret_wire = wire;
    return 1;
}

/* A rank's messages to itself come first; then each rank in its turn, so that
 * none is kept waiting by another. */
int peers_receive (struct peers *peers, struct wire *ret_wire,
                   struct bytes *bytes, tori_error *err)
{
    for (;;) {
        int more =
            take_message (&peers->peer[peers->self], ret_wire, bytes, err);
        for (uint32_t i = 0; more == 0 && i < peers->size; i++) {
            more =
                take_message (&peers->peer[peers->next], ret_wire, bytes, err);
            peers->next = (peers->next + 1) % peers->size;
        }
        if (more)
            return more;
        more = poll_peers (peers, err);
        if (more <= 0)
            return more;
    }
}

bool peers_waits (const struct peers *peers)
{
    return peers->peer[peers->self].in.n > 0;
}

int peers_bell (const struct peers *peers)
{
    return peers->bell;
}

bool peers_fallen (struct peers *peers, uint32_t *ret_rank)
{
    for (uint32_t i = 0; i < peers->size; i++)
        if (peers->peer[i].fallen && !peers->peer[i].told) {
            peers->peer[i].told = true;
            *ret_rank = i;
            return true;
        }
    return false;
}

void peers_lost (struct peers *peers, uint32_t rank)
{
    struct peer *peer = &peers->peer[rank];
    drop_connection (peer);
    peer->told = true;
    bytes_clear (&peer->in);
    peer->done = 0;
}

/* ---- leaving ---- */

/* Shut down the own side, and read until the others do: closing a socket with
 * unread bytes would take back messages that were sent. */
void peers_close (struct peers *peers)
{
    enum { TRIES = 100, PAUSE = 50 }; /* milliseconds */
    uint32_t open = 1;
    for (int i = 0; i < TRIES && open > 0; i++) {
        open = 0;
        for (uint32_t k = 0; k < peers->size; k++) {
            struct peer *peer = &peers->peer[k];
            flush_peer (peers, peer);
            if (peer->fd >= 0 && peer->out.n == 0)
                shutdown (peer->fd, SHUT_WR);
            bytes_clear (&peer->in);
            peer->done = 0;
            open += peer->fd >= 0;
        }
        if (open > 0 && wait_for (peers->bell, POLLIN, PAUSE))
            poll_peers (peers, NULL);
    }
    destroy_peers (peers);
}
