#include "ranklink.h"

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

/* Seconds, in all, until a host has to have let us in. */
enum { PATIENCE = 30 };

/* What goes to another rank, and comes from it. */
struct peer {
    int fd;    /* -1: there is none */
    int leash; /* -1: it was given away */
    bool fallen, told;
    struct bytes in, out;
    size_t done; /* of `in`, how much was handed out */
};

struct link {
    uint32_t self, size;
    int bell; /* an epoll descriptor */
    struct peer *peer;
    uint32_t next; /* whose turn it is to be heard */
};

static int failed (const char *what, tori_error *err)
{
    return tori_error_set (err, TORI_FAILED, "%s: %s", what,
                           strerror (errno));
}

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

/* Which kernel this is, and which of its namespaces. */
static void name_space (const char *boot, const char *path,
                        char to[CARD_TEXT])
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

/* One socket for both kinds of addresses, or for the older kind where there is
 * no other. */
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
        return failed ("a socket for the other ranks", err);
    write_card (&card);
    *ret_card = card;
    return fd;
}

/* ---- connecting ---- */

/* What both ends of a connection say first. */
struct hello {
    struct link_key key;
    uint32_t from, to;
    uint32_t leash;
};

static bool wait_for (int fd, short events, int milliseconds)
{
    struct pollfd poll_fd = {fd, events, 0};
    int n;
    do
        n = poll (&poll_fd, 1, milliseconds);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

/* All of it, or nothing after some seconds. */
static bool read_hello (int fd, int seconds, struct hello *ret)
{
    const struct timeval patience = {.tv_sec = seconds};
    ssize_t n;
    setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    do
        n = recv (fd, ret, sizeof *ret, MSG_WAITALL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *ret;
}

static bool say_hello (int fd, const struct hello *hello)
{
    return send (fd, hello, sizeof *hello, MSG_NOSIGNAL)
           == (ssize_t)sizeof *hello;
}

/* Constant in time, since strangers may ask. */
static bool knows (const struct hello *hello, const struct link_key *key)
{
    unsigned char differs = 0;
    for (size_t i = 0; i < sizeof key->byte; i++)
        differs |= hello->key.byte[i] ^ key->byte[i];
    return !differs;
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

/* Whether it is the right one is seen from its answer. It comes when that one
 * has connected to all before it. */
static int try (const struct in6_addr *address, uint16_t port,
                const struct hello *hello)
{
    struct hello answer;
    int fd = connect_to (address, port);
    if (fd < 0)
        return -1;
    if (say_hello (fd, hello) && read_hello (fd, PATIENCE, &answer)
        && knows (&answer, &hello->key) && answer.from == hello->to
        && answer.to == hello->from)
        return fd;
    close (fd);
    return -1;
}

static int connect_card (const struct card *own, const struct card *other,
                         const struct hello *hello, tori_error *err)
{
    static const struct in6_addr here
        = {.s6_addr = {[10] = 0xff, [11] = 0xff, 127, 0, 0, 1}};
    int fd = strcmp (own->net, other->net)
                 ? -1
                 : try (&here, other->port, hello);
    for (uint16_t i = 0; fd < 0 && i < other->addresses; i++)
        fd = try (&other->address[i], other->port, hello);
    return fd >= 0 ? fd
                   : tori_error_set (err, TORI_FAILED,
                                     "rank %u on %s cannot reach rank %u on "
                                     "%s, port %u",
                                     hello->from, own->host, hello->to,
                                     other->host, other->port);
}

/* Small messages go at once; a host that is silent is found out. */
static int set_up (int fd)
{
    const struct {
        int level, name, value;
    } options[] = {
        {IPPROTO_TCP, TCP_NODELAY, 1},
        {SOL_SOCKET, SO_KEEPALIVE, 1},
        {IPPROTO_TCP, TCP_KEEPIDLE, 1},
        {IPPROTO_TCP, TCP_KEEPINTVL, 1},
        {IPPROTO_TCP, TCP_KEEPCNT, LINK_SILENCE - 1},
        {IPPROTO_TCP, TCP_USER_TIMEOUT, LINK_SILENCE * 1000},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (setsockopt (fd, options[i].level, options[i].name,
                        &options[i].value, sizeof options[i].value)
            < 0)
            return -1;
    return fcntl (fd, F_SETFL, O_NONBLOCK);
}

static int keep (struct link *link, uint32_t other, int fd, bool leash,
                 tori_error *err)
{
    struct peer *peer = &link->peer[other];
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = other};
    *(leash ? &peer->leash : &peer->fd) = fd;
    if (set_up (fd) < 0
        || (!leash && epoll_ctl (link->bell, EPOLL_CTL_ADD, fd, &event) < 0))
        return failed ("connection between ranks", err);
    return 0;
}

static int connect_lower (struct link *link, const struct card cards[],
                          const struct link_key *key, tori_error *err)
{
    for (uint32_t i = 0; i < link->self; i++)
        for (uint32_t leash = 0; leash < (i == 0 ? 2 : 1); leash++) {
            struct hello hello = {*key, link->self, i, leash};
            int fd = connect_card (&cards[link->self], &cards[i], &hello, err);
            if (fd < 0 || keep (link, i, fd, leash, err) < 0)
                return -1;
        }
    return 0;
}

/* Answers whether it was one of ours that was not here yet. */
static bool let_in (struct link *link, int fd, const struct link_key *key,
                    struct hello *hello)
{
    struct hello answer;
    struct peer *peer;
    if (!read_hello (fd, 2, hello) || !knows (hello, key)
        || hello->to != link->self || hello->from <= link->self
        || hello->from >= link->size || (hello->leash && link->self > 0))
        return false;
    peer = &link->peer[hello->from];
    answer = (struct hello){*key, link->self, hello->from, hello->leash};
    return (hello->leash ? peer->leash : peer->fd) < 0
           && say_hello (fd, &answer);
}

static int admit_higher (struct link *link, int door,
                         const struct link_key *key, tori_error *err)
{
    uint32_t left = (link->size - 1 - link->self) * (link->self == 0 ? 2 : 1);
    while (left > 0) {
        struct hello hello;
        int fd = wait_for (door, POLLIN, PATIENCE * 1000)
                     ? accept4 (door, NULL, NULL, SOCK_CLOEXEC)
                     : -1;
        if (fd < 0)
            return tori_error_set (err, TORI_FAILED,
                                   "%u connection%s from other ranks to rank "
                                   "%u did not arrive",
                                   left, left == 1 ? "" : "s", link->self);
        if (!let_in (link, fd, key, &hello)) {
            close (fd);
            continue;
        }
        if (keep (link, hello.from, fd, hello.leash, err) < 0)
            return -1;
        left--;
    }
    return 0;
}

static void destroy (struct link *link)
{
    for (uint32_t i = 0; link->peer && i < link->size; i++) {
        struct peer *peer = &link->peer[i];
        if (peer->fd >= 0)
            close (peer->fd);
        if (peer->leash >= 0)
            close (peer->leash);
        bytes_clear (&peer->in);
        bytes_clear (&peer->out);
    }
    if (link->bell >= 0)
        close (link->bell);
    free (link->peer);
    free (link);
}

static struct link *create (uint32_t self, uint32_t size)
{
    struct link *link = calloc (1, sizeof *link);
    if (!link)
        return NULL;
    *link = (struct link){.self = self, .size = size};
    link->bell = epoll_create1 (EPOLL_CLOEXEC);
    link->peer = calloc (size, sizeof *link->peer);
    for (uint32_t i = 0; link->peer && i < size; i++)
        link->peer[i] = (struct peer){.fd = -1, .leash = -1};
    if (link->bell >= 0 && link->peer)
        return link;
    destroy (link);
    return NULL;
}

int link_open (uint32_t self, uint32_t size, const struct card cards[],
               const struct link_key *key, int door, struct link **ret_link,
               tori_error *err)
{
    struct link *link = create (self, size);
    int status = -1;
    if (!link)
        tori_error_nomem (err);
    else if (connect_lower (link, cards, key, err) == 0)
        status = admit_higher (link, door, key, err);
    close (door);
    if (status == 0)
        *ret_link = link;
    else if (link)
        destroy (link);
    return status;
}

int link_leash (struct link *link, uint32_t other)
{
    int fd = link->peer[other].leash;
    link->peer[other].leash = -1;
    return fd;
}

/* Of oneself, as one on another host has it, if there is one. */
void link_address (const struct link *link, uint32_t rank,
                   char text[LINK_ADDRESS])
{
    bool own = rank == link->self;
    snprintf (text, LINK_ADDRESS, "127.0.0.1");
    for (uint32_t i = 0; i < link->size; i++) {
        union address at = {0};
        socklen_t n = sizeof at;
        int fd = link->peer[i].fd;
        if ((!own && i != rank) || fd < 0)
            continue;
        if ((own ? getsockname (fd, &at.any, &n)
                 : getpeername (fd, &at.any, &n))
            == 0)
            getnameinfo (&at.any, n, text, LINK_ADDRESS, NULL, 0,
                         NI_NUMERICHOST);
        if (!strncmp (text, "::ffff:", 7))
            memmove (text, text + 7, strlen (text + 7) + 1);
        if (strcmp (text, "127.0.0.1"))
            return;
    }
}

/* ---- out ---- */

/* What has come of it can still be heard. */
static void fall (struct peer *peer)
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

static void await_room (const struct link *link, struct peer *peer)
{
    struct epoll_event event
        = {.events = EPOLLIN | (peer->out.n > 0 ? EPOLLOUT : 0),
           .data.u32 = (uint32_t)(peer - link->peer)};
    epoll_ctl (link->bell, EPOLL_CTL_MOD, peer->fd, &event);
}

static void flush (struct link *link, struct peer *peer)
{
    while (peer->fd >= 0 && peer->out.n > 0) {
        ssize_t n = send (peer->fd, peer->out.data, peer->out.n,
                          MSG_NOSIGNAL);
        if (n < 0 && must_wait ())
            return;
        if (n < 0) {
            fall (peer);
            return;
        }
        bytes_drop (&peer->out, (size_t)n);
    }
    if (peer->fd >= 0)
        await_room (link, peer);
}

/* As much as goes at once; the rest waits. */
static ssize_t send_now (int fd, struct wire *wire, const void *data)
{
    struct iovec parts[] = {{wire, sizeof *wire},
                            {(void *)(uintptr_t)data, wire->bytes}};
    struct msghdr header
        = {.msg_iov = parts, .msg_iovlen = wire->bytes > 0 ? 2 : 1};
    return sendmsg (fd, &header, MSG_NOSIGNAL);
}

static int queue (struct bytes *to, const struct wire *wire, const void *data,
                  size_t done, tori_error *err)
{
    size_t head = done < sizeof *wire ? done : sizeof *wire;
    const char *rest = data;
    if (bytes_add (to, (const char *)wire + head, sizeof *wire - head, err) < 0)
        return -1;
    return wire->bytes > 0 ? bytes_add (to, rest + (done - head),
                                        wire->bytes - (done - head), err)
                           : 0;
}

int link_send (struct link *link, uint32_t to, const struct wire *wire,
               const void *data, tori_error *err)
{
    struct peer *peer = &link->peer[to];
    struct wire copy = *wire;
    ssize_t n = 0;
    copy.from = link->self;
    if (to == link->self)
        return queue (&peer->in, &copy, data, 0, err);
    if (peer->fd < 0)
        return 0; /* its death has been, or will be heard of */
    if (peer->out.n == 0)
        n = send_now (peer->fd, &copy, data);
    if (n < 0 && !must_wait ()) {
        fall (peer);
        return 0;
    }
    n = n < 0 ? 0 : n;
    if ((size_t)n == sizeof copy + copy.bytes)
        return 0;
    if (queue (&peer->out, &copy, data, (size_t)n, err) < 0)
        return -1;
    await_room (link, peer);
    return 0;
}

/* ---- in ---- */

static int listen_to (struct link *link, struct peer *peer, tori_error *err)
{
    char part[64 * 1024];
    ssize_t n = recv (peer->fd, part, sizeof part, 0);
    if (n < 0 && must_wait ())
        return 0;
    if (n <= 0) {
        fall (peer);
        return 0;
    }
    return bytes_add (&peer->in, part, (size_t)n, err);
}

static int look (struct link *link, tori_error *err)
{
    struct epoll_event events[64];
    int n = epoll_wait (link->bell, events, 64, 0);
    for (int i = 0; i < n; i++) {
        struct peer *peer = &link->peer[events[i].data.u32];
        if (events[i].events & EPOLLOUT)
            flush (link, peer);
        if (peer->fd >= 0 && (events[i].events & ~(uint32_t)EPOLLOUT)
            && listen_to (link, peer, err) < 0)
            return -1;
    }
    return n > 0;
}

/* The next whole message of a rank: 1, or 0, and what was handed out goes. */
static int take (struct peer *peer, struct wire *ret_wire, struct bytes *bytes,
                 tori_error *err)
{
    const char *at = peer->in.data + peer->done;
    size_t left = peer->in.n - peer->done;
    struct wire wire = {0};
    if (left >= sizeof wire)
        memcpy (&wire, at, sizeof wire);
    if (left < sizeof wire + wire.bytes) {
        if (peer->done > 0)
            bytes_drop (&peer->in, peer->done);
        peer->done = 0;
        return 0;
    }
    bytes->n = 0;
    if (bytes_add (bytes, at + sizeof wire, wire.bytes, err) < 0)
        return -1;
    peer->done += sizeof wire + wire.bytes;
    *ret_wire = wire;
    return 1;
}

/* What one has said to oneself; then each in its turn, so that none is kept
 * waiting by another. */
int link_receive (struct link *link, struct wire *ret_wire,
                  struct bytes *bytes, tori_error *err)
{
    for (;;) {
        int more = take (&link->peer[link->self], ret_wire, bytes, err);
        for (uint32_t i = 0; more == 0 && i < link->size; i++) {
            more = take (&link->peer[link->next], ret_wire, bytes, err);
            link->next = (link->next + 1) % link->size;
        }
        if (more)
            return more;
        more = look (link, err);
        if (more <= 0)
            return more;
    }
}

bool link_waits (const struct link *link)
{
    return link->peer[link->self].in.n > 0;
}

int link_bell (const struct link *link)
{
    return link->bell;
}

bool link_fallen (struct link *link, uint32_t *ret_rank)
{
    for (uint32_t i = 0; i < link->size; i++)
        if (link->peer[i].fallen && !link->peer[i].told) {
            link->peer[i].told = true;
            *ret_rank = i;
            return true;
        }
    return false;
}

void link_lost (struct link *link, uint32_t rank)
{
    struct peer *peer = &link->peer[rank];
    fall (peer);
    peer->told = true;
    bytes_clear (&peer->in);
    peer->done = 0;
}

/* ---- leaving ---- */

/* Say that nothing more comes, and hear the others out: who closes while there
 * is something to read takes back what he has sent. */
void link_close (struct link *link)
{
    enum { TRIES = 100, PAUSE = 50 }; /* milliseconds */
    uint32_t open = 1;
    for (int i = 0; i < TRIES && open > 0; i++) {
        open = 0;
        for (uint32_t k = 0; k < link->size; k++) {
            struct peer *peer = &link->peer[k];
            flush (link, peer);
            if (peer->fd >= 0 && peer->out.n == 0)
                shutdown (peer->fd, SHUT_WR);
            bytes_clear (&peer->in);
            peer->done = 0;
            open += peer->fd >= 0;
        }
        if (open > 0 && wait_for (link->bell, POLLIN, PAUSE))
            look (link, NULL);
    }
    destroy (link);
}
