/* Messages between ranks: processes and threads that connect for real. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "callers.h"
#include "peers.h"

enum { RANKS = 4, MESSAGES = 300, LONGEST = 300000 };

static const struct run_key key = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};

static struct {
    struct card card[RANKS];
    int door[RANKS];
    struct peers *peers[RANKS];
} world;

static void open_doors (void)
{
    for (int i = 0; i < RANKS; i++) {
        world.door[i] = door_open (&world.card[i], NULL);
        assert_true (world.door[i] >= 0);
    }
}

static void *enter (void *arg)
{
    uint32_t self = (uint32_t)(uintptr_t)arg;
    peers_open (self, RANKS, world.card, &key, world.door[self],
                &world.peers[self], NULL);
    return NULL;
}

static void *leave (void *arg)
{
    peers_close (world.peers[(uintptr_t)arg]);
    return NULL;
}

/* All from `first` on do it at the same time. */
static void at_once (void *(*what) (void *), uintptr_t first)
{
    pthread_t thread[RANKS];
    for (uintptr_t i = first; i < RANKS; i++)
        assert_int_equal (pthread_create (&thread[i], NULL, what, (void *)i),
                          0);
    for (uintptr_t i = first; i < RANKS; i++)
        pthread_join (thread[i], NULL);
}

static int set_up (void **state)
{
    memset (&world, 0, sizeof world);
    open_doors ();
    at_once (enter, 0);
    for (int i = 0; i < RANKS; i++)
        if (!world.peers[i])
            return -1;
    return 0;
}

static int tear_down (void **state)
{
    at_once (leave, 0);
    return 0;
}

/* ---- messages ---- */

static char *fill (uint32_t from, uint32_t number, uint32_t *ret_n)
{
    uint64_t at = from * 7919u + number * 104729u + 1;
    char *text;
    at = at * 6364136223846793005u + 1442695040888963407u;
    *ret_n = number % 3 == 0    ? 0
             : number % 50 == 1 ? LONGEST
                                : (uint32_t)(at >> 33) % 2000;
    text = malloc (*ret_n + 1);
    assert_non_null (text);
    for (uint32_t i = 0; i < *ret_n; i++) {
        at = at * 6364136223846793005u + 1442695040888963407u;
        text[i] = (char)(at >> 56);
    }
    return text;
}

static void send_number (uint32_t from, uint32_t to, uint32_t number)
{
    struct wire wire = {.kind = WIRE_STOP, .task = number};
    char *text = fill (from, number, &wire.bytes);
    assert_int_equal (peers_send (world.peers[from], to, &wire, text, NULL),
                      0);
    free (text);
}

/* Whether one has come to this rank, which is then the next of its sender. */
static bool hear (uint32_t self, uint32_t heard[RANKS])
{
    struct bytes bytes = {0};
    struct wire wire;
    uint32_t n;
    char *text;
    int found = peers_receive (world.peers[self], &wire, &bytes, NULL);
    assert_true (found >= 0);
    if (found) {
        assert_true (wire.from < RANKS);
        assert_int_equal (wire.task, heard[wire.from]++);
        text = fill (wire.from, (uint32_t)wire.task, &n);
        assert_int_equal (n, wire.bytes);
        assert_int_equal (n, bytes.n);
        if (n > 0)
            assert_memory_equal (text, bytes.data, n);
        free (text);
    }
    bytes_clear (&bytes);
    return found;
}

/* Everybody to everybody, oneself too, and more than the connections hold at a
 * time: nobody waits, nothing is lost, mixed or out of order. */
TEST_BETWEEN (all_to_all, set_up, tear_down)
{
    uint32_t heard[RANKS][RANKS] = {{0}}, left;
    for (uint32_t k = 0; k < MESSAGES; k++)
        for (uint32_t from = 0; from < RANKS; from++)
            for (uint32_t to = 0; to < RANKS; to++)
                send_number (from, to, k);
    left = RANKS * RANKS * MESSAGES;
    while (left > 0)
        for (uint32_t i = 0; i < RANKS; i++)
            left -= hear (i, heard[i]);
    for (uint32_t i = 0; i < RANKS; i++)
        assert_false (hear (i, heard[i]));
}

static bool fallen (uint32_t self, uint32_t who)
{
    uint32_t found = RANKS, heard[RANKS] = {0};
    hear (self, heard);
    if (!peers_fallen (world.peers[self], &found))
        return false;
    assert_int_equal (found, who);
    return true;
}

/* Nothing is heard of a rank that is lost, or sent to it. */
TEST_BETWEEN (lost, set_up, tear_down)
{
    uint32_t heard[RANKS] = {0};
    send_number (1, 0, 0);
    peers_lost (world.peers[0], 1);
    assert_false (hear (0, heard));
    send_number (0, 1, 0);
    while (!fallen (1, 0))
        usleep (1000);
    assert_false (fallen (1, 0));
    assert_false (fallen (0, 1));
}

/* ---- bytes ---- */

/* Every member arrives, and numbers are sent with the lowest byte first. */
TEST (header)
{
    unsigned char head[WIRE_HEADER], again[WIRE_HEADER], filled[WIRE_HEADER];
    struct wire wire = {.kind = WIRE_TREE, .era = 0x01020304, .status = -2};
    assert_int_equal (packed_size (PACKED_HEADER), WIRE_HEADER);
    packed_write (PACKED_HEADER, &wire, head);
    assert_memory_equal (head + 4, "\4\3\2\1", 4);
    for (size_t i = 0; i < WIRE_HEADER; i++)
        filled[i] = (unsigned char)(i * 37 + 1);
    filled[WIRE_HEADER - 4 * TORI_MAX_DIMS - 5] = 1; /* a bool */
    packed_read (PACKED_HEADER, filled, &wire);
    packed_write (PACKED_HEADER, &wire, again);
    assert_memory_equal (filled, again, WIRE_HEADER);
    packed_read (PACKED_HEADER, head, &wire);
    assert_int_equal (wire.era, 0x01020304);
    assert_int_equal (wire.status, -2);
}

/* The bytes after a header; and they are read as they were written. */
static void check_packed (enum packed kind, const void *of, size_t in_memory,
                          const char *golden, size_t n)
{
    struct bytes bytes = {0};
    void *read = malloc (in_memory);
    assert_non_null (read);
    assert_int_equal (packed_size (kind), n);
    assert_true (n <= PACKED_MOST);
    for (int i = 0; i < 2; i++)
        assert_int_equal (packed_add (&bytes, kind, of, NULL), 0);
    assert_int_equal (bytes.n, 2 * n);
    for (size_t i = 0; i < 2; i++) {
        assert_memory_equal (bytes.data + i * n, golden, n);
        memset (read, 0xa5, in_memory);
        assert_true (packed_get (bytes.data, bytes.n, kind, i, read));
        assert_memory_equal (read, of, in_memory);
    }
    assert_false (packed_get (bytes.data, bytes.n, kind, 2, read));
    assert_false (packed_get (bytes.data, 2 * n - 1, kind, 1, read));
    assert_false (packed_get (NULL, 0, kind, 0, read));
    bytes_clear (&bytes);
    free (read);
}
#define CHECK(kind, of, golden) \
    check_packed (kind, &(of), sizeof (of), golden, sizeof (golden) - 1)

/* 1.5 is 3ff8000000000000, -0.25 is bfd0000000000000. */
#define CLOCK_BYTES                    \
    "\x08\x07\x06\x05\x04\x03\x02\x01" \
    "\xfe\xff\xff\xff\xff\xff\xff\xff" \
    "\0\0\0\0\0\0\xf8\x3f"             \
    "\0\0\0\0\0\0\xd0\xbf"             \
    "\x07\0\0\0\0\0\0\0"

TEST (packed)
{
    const struct runclock_state clock = {0x0102030405060708, -2, 1.5, -0.25,
                                         7};
    const struct clock_report report = {clock, 0x01020304, 5};
    const uint64_t task = 0x0000000300000002;
    struct job_state job;
    memset (&job, 0, sizeof job); /* between the members, too */
    job.task = task;
    job.state = JOB_ASLEEP;
    job.used = 0x0a0b;
    job.since = -1;
    job.first_turn = 1;
    job.turns = 0x010203;
    CHECK (PACKED_CLOCK, clock, CLOCK_BYTES);
    CHECK (PACKED_REPORT, report,
           CLOCK_BYTES "\4\3\2\1"
                       "\5\0\0\0");
    CHECK (PACKED_TASK, task, "\2\0\0\0\3\0\0\0");
    CHECK (PACKED_STATE, job,
           "\2\0\0\0\3\0\0\0"
           "\3\0\0\0"
           "\x0b\x0a\0\0\0\0\0\0"
           "\xff\xff\xff\xff\xff\xff\xff\xff"
           "\1\0\0\0\0\0\0\0"
           "\3\2\1\0\0\0\0\0");
}

/* ---- deaths ---- */

/* The last rank is a process of its own, which sends something and is killed.
 * Its message is heard before its end, which is reported once. */
TEST (killed)
{
    enum { LAST = RANKS - 1 };
    uint32_t heard[RANKS] = {0}, who;
    pthread_t thread[RANKS];
    pid_t child;
    int status;
    memset (&world, 0, sizeof world);
    open_doors ();
    child = fork ();
    if (child == 0) {
        enter ((void *)(uintptr_t)LAST);
        for (uint32_t k = 0; k < MESSAGES; k++)
            send_number (LAST, 0, k);
        while (peers_bell (world.peers[LAST]) >= 0)
            peers_receive (world.peers[LAST], &(struct wire){0},
                           &(struct bytes){0}, NULL);
    }
    close (world.door[LAST]);
    for (uintptr_t i = 0; i < LAST; i++)
        pthread_create (&thread[i], NULL, enter, (void *)i);
    for (uintptr_t i = 0; i < LAST; i++)
        pthread_join (thread[i], NULL);
    while (heard[LAST] < MESSAGES)
        hear (0, heard);
    kill (child, SIGKILL);
    waitpid (child, &status, 0);
    for (uint32_t i = 0; i < LAST; i++) {
        while (!fallen (i, LAST))
            usleep (1000);
        assert_false (peers_fallen (world.peers[i], &who));
        peers_lost (world.peers[i], LAST);
    }
    for (uintptr_t i = 0; i < LAST; i++)
        pthread_create (&thread[i], NULL, leave, (void *)i);
    for (uintptr_t i = 0; i < LAST; i++)
        pthread_join (thread[i], NULL);
}

/* The second connection ends with those who hold its end, not with
 * peers_close. */
TEST_BETWEEN (leash, set_up, tear_down)
{
    int near = peers_leash (world.peers[0], 2);
    int far = peers_leash (world.peers[2], 0);
    char byte;
    assert_int_equal (recv (far, &byte, 1, MSG_DONTWAIT), -1);
    close (near);
    while (recv (far, &byte, 1, MSG_DONTWAIT) != 0)
        usleep (1000);
    close (far);
}

/* ---- strangers ---- */

static void put (int fd, const void *from, size_t size)
{
    assert_int_equal (send (fd, from, size, MSG_NOSIGNAL), size);
}

static int knock (const struct card *card)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
                             .sin_port = htons (card->port)};
    int fd = socket (AF_INET, SOCK_STREAM, 0);
    assert_int_equal (connect (fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

/* A rank that does not know the key is sent away, and the others find each
 * other. */
TEST (strangers)
{
    char nonsense[64] = "GET / HTTP/1.0\r\n\r\n", answer[64];
    int fd[RANKS];
    memset (&world, 0, sizeof world);
    open_doors ();
    for (int i = 0; i < RANKS - 1; i++) {
        fd[i] = knock (&world.card[i]);
        assert_true (send (fd[i], nonsense, sizeof nonsense, 0) > 0);
    }
    at_once (enter, 0);
    for (int i = 0; i < RANKS - 1; i++) {
        assert_true (recv (fd[i], answer, sizeof answer, 0) <= 0);
        close (fd[i]);
    }
    test_all_to_all (NULL);
    at_once (leave, 0);
}

/* Strangers who come first and say nothing, or a part of something, are heard
 * together with the others: heard one by one, they would take longer than a
 * rank waits for another. */
TEST (silent_strangers)
{
    enum { MANY = 40 };
    int fd[RANKS][MANY];
    char byte;
    memset (&world, 0, sizeof world);
    open_doors ();
    for (int i = 0; i < RANKS - 1; i++)
        for (int j = 0; j < MANY; j++) {
            fd[i][j] = knock (&world.card[i]);
            if (j % 2 == 1)
                put (fd[i][j], "tori", 4);
        }
    at_once (enter, 0);
    for (int i = 0; i < RANKS; i++)
        assert_non_null (world.peers[i]);
    for (int i = 0; i < RANKS - 1; i++)
        for (int j = 0; j < MANY; j++) {
            assert_true (recv (fd[i][j], &byte, 1, 0) <= 0);
            close (fd[i][j]);
        }
    test_all_to_all (NULL);
    at_once (leave, 0);
}

/* A rank that knows another key gets nowhere, and says to whom. */
TEST (wrong_key)
{
    static const struct run_key other = {{9, 9, 9}};
    struct peers *peers;
    tori_error err;
    pid_t child;
    memset (&world, 0, sizeof world);
    open_doors ();
    child = fork ();
    if (child == 0) {
        enter (NULL);
        _exit (0);
    }
    assert_int_equal (
        peers_open (1, RANKS, world.card, &other, world.door[1], &peers, &err),
        -1);
    assert_non_null (strstr (err.text, "cannot reach rank 0"));
    assert_non_null (strstr (err.text, "it does not know the key"));
    kill (child, SIGKILL);
    waitpid (child, NULL, 0);
    for (int i = 0; i < RANKS; i++)
        if (i != 1)
            close (world.door[i]);
}

/* ---- two ends of a connection, and somebody between them ---- */

/* The accepting end, in a thread: rank 0, which rank 1 wants to reach. */
struct accepting {
    int fd;
    const struct run_key *key;
    bool good;
    char why[HANDSHAKE_WHY];
    pthread_t thread;
};

static void *accept_guest (void *arg)
{
    struct accepting *it = arg;
    struct guest guest;
    it->good = handshake_hear (it->fd, 20, &guest, it->why)
               && guest.hello.from == 1
               && handshake_reply (it->fd, it->key, &guest, it->why)
               && handshake_check (it->fd, &guest, 20, it->why);
    close (it->fd);
    return NULL;
}

/* Our end of its connection. */
static int begin_accepting (struct accepting *it, const struct run_key *its)
{
    int pair[2];
    assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM, 0, pair), 0);
    *it = (struct accepting){.fd = pair[0], .key = its};
    assert_int_equal (pthread_create (&it->thread, NULL, accept_guest, it), 0);
    return pair[1];
}

/* The connecting end, the same. */
struct connecting {
    int fd;
    bool good;
    char why[HANDSHAKE_WHY];
    pthread_t thread;
};

static void *connect_guest (void *arg)
{
    struct connecting *it = arg;
    it->good =
        handshake_ask (it->fd, &key, &(struct hello){1, 0, 0}, 20, it->why);
    close (it->fd);
    return NULL;
}

static int begin_connecting (struct connecting *it)
{
    int pair[2];
    assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM, 0, pair), 0);
    *it = (struct connecting){.fd = pair[0]};
    assert_int_equal (pthread_create (&it->thread, NULL, connect_guest, it),
                      0);
    return pair[1];
}

/* The bytes of a handshake. */
struct record {
    unsigned char greeting[GREETING_SIZE];
    unsigned char answer[GREETING_SIZE + PROOF_SIZE];
    unsigned char proof[PROOF_SIZE];
};

static void get (int fd, void *to, size_t size)
{
    assert_int_equal (recv (fd, to, size, MSG_WAITALL), size);
}

/* Pass on what two ranks say to each other, and keep it. */
static void listen_in (struct record *record)
{
    struct accepting accepting;
    struct connecting connecting;
    int in = begin_connecting (&connecting);
    int out = begin_accepting (&accepting, &key);
    get (in, record->greeting, sizeof record->greeting);
    put (out, record->greeting, sizeof record->greeting);
    get (out, record->answer, sizeof record->answer);
    put (in, record->answer, sizeof record->answer);
    get (in, record->proof, sizeof record->proof);
    put (out, record->proof, sizeof record->proof);
    pthread_join (connecting.thread, NULL);
    pthread_join (accepting.thread, NULL);
    assert_true (connecting.good);
    assert_true (accepting.good);
    close (in);
    close (out);
}

/* The key is not among what is said, and what is said helps nobody later. */
TEST (replayed)
{
    struct record old;
    struct accepting accepting;
    struct connecting connecting;
    unsigned char answer[sizeof old.answer], greeting[GREETING_SIZE];
    int fd;
    listen_in (&old);
    assert_null (memmem (&old, sizeof old, key.byte, 8));
    fd = begin_accepting (&accepting, &key);
    put (fd, old.greeting, sizeof old.greeting);
    get (fd, answer, sizeof answer);
    assert_memory_not_equal (answer, old.answer, sizeof answer);
    put (fd, old.proof, sizeof old.proof);
    pthread_join (accepting.thread, NULL);
    assert_false (accepting.good);
    assert_string_equal (accepting.why,
                         "it does not know the key of this run");
    close (fd);
    fd = begin_connecting (&connecting);
    get (fd, greeting, sizeof greeting);
    put (fd, old.answer, sizeof old.answer);
    pthread_join (connecting.thread, NULL);
    assert_false (connecting.good);
    assert_string_equal (connecting.why,
                         "it does not know the key of this run");
    close (fd);
}

/* One end's own proof is nothing that it takes itself. */
TEST (reflected)
{
    struct record old;
    struct accepting accepting;
    unsigned char answer[sizeof old.answer];
    int fd;
    listen_in (&old);
    fd = begin_accepting (&accepting, &key);
    put (fd, old.greeting, sizeof old.greeting);
    get (fd, answer, sizeof answer);
    put (fd, answer + GREETING_SIZE, PROOF_SIZE);
    pthread_join (accepting.thread, NULL);
    assert_false (accepting.good);
    close (fd);
}

/* Another key is no good at either end. */
TEST (another_key)
{
    static const struct run_key other = {{9, 9, 9}};
    struct accepting accepting;
    struct connecting connecting;
    struct record said;
    int in = begin_connecting (&connecting);
    int out = begin_accepting (&accepting, &other);
    get (in, said.greeting, sizeof said.greeting);
    put (out, said.greeting, sizeof said.greeting);
    get (out, said.answer, sizeof said.answer);
    put (in, said.answer, sizeof said.answer);
    pthread_join (connecting.thread, NULL);
    assert_false (connecting.good);
    assert_string_equal (connecting.why,
                         "it does not know the key of this run");
    memset (said.proof, 0, sizeof said.proof);
    put (out, said.proof, sizeof said.proof);
    pthread_join (accepting.thread, NULL);
    assert_false (accepting.good);
    close (in);
    close (out);
}

/* A rank of another version or byte order is refused at both ends, with the
 * reason. */
static void refuse_greeting (size_t at, const char *bytes, const char *why)
{
    struct record old;
    struct accepting accepting;
    struct connecting connecting;
    unsigned char told[GREETING_SIZE];
    int fd;
    listen_in (&old);
    memcpy (old.greeting + at, bytes, 4);
    memcpy (old.answer + at, bytes, 4);
    fd = begin_accepting (&accepting, &key);
    put (fd, old.greeting, sizeof old.greeting);
    if (at != GREETING_MARK) {
        get (fd, told, sizeof told);
        assert_memory_equal (told, "tori", 4);
        assert_int_equal (number_get (told + GREETING_VERSION, 4),
                          HANDSHAKE_VERSION);
    }
    pthread_join (accepting.thread, NULL);
    assert_false (accepting.good);
    assert_non_null (strstr (accepting.why, why));
    close (fd);
    fd = begin_connecting (&connecting);
    get (fd, told, sizeof told);
    put (fd, old.answer, sizeof old.answer);
    pthread_join (connecting.thread, NULL);
    assert_false (connecting.good);
    assert_non_null (strstr (connecting.why, why));
    close (fd);
}

TEST (not_understood)
{
    const uint32_t swapped = 0x04030201;
    char order[sizeof swapped];
    memcpy (order, &swapped, sizeof swapped);
    refuse_greeting (GREETING_MARK, "http", "not a rank of tori");
    refuse_greeting (GREETING_ORDER, order, "another byte order");
    refuse_greeting (GREETING_VERSION, "\7\0\0\0",
                     "it speaks version 7 of the language of ranks, and this "
                     "one 3: expected the same tori on all hosts");
}

/* ---- the first process of an MPI program ---- */

/* Job 5 of this run, from its key. */
static struct run_key job_key (uint64_t task)
{
    struct run_key made;
    key_of_job (&key, task, &made);
    return made;
}

/* Every rank makes the same, each job another, and none tells of the run's. */
TEST (job_key)
{
    static const unsigned char golden[] = {0x92, 0xc6, 0x77, 0xd8, 0x57, 0xfc,
                                           0x21, 0x91, 0x53, 0xc0, 0x8a, 0x03,
                                           0x40, 0xe8, 0xb1, 0xf6};
    const struct run_key one = job_key (0x0000000100000002);
    const struct run_key again = job_key (0x0000000200000002);
    assert_memory_equal (one.byte, golden, sizeof golden);
    assert_memory_not_equal (one.byte, again.byte, sizeof one.byte);
    assert_memory_not_equal (one.byte, key.byte, sizeof one.byte);
}

/* A process of the job that comes, in a thread. */
struct joining {
    const struct card *card;
    struct run_key key;
    struct hello hello;
    bool good;
    pthread_t thread;
};

static void *join_job (void *arg)
{
    struct joining *it = arg;
    char why[HANDSHAKE_WHY], byte;
    int fd = knock (it->card);
    it->good = handshake_ask (fd, &it->key, &it->hello, 0, why)
               && recv (fd, &byte, 1, 0) == 1;
    close (fd);
    return NULL;
}

/* Strangers who say nothing, or part of something, keep nobody out; one with
 * another key is not let in. */
TEST (mpi_door)
{
    struct card card = {0};
    struct callers door = {.fd = door_open (&card, NULL), .key = job_key (5)};
    struct joining wrong = {&card, job_key (6), {1, 0, 0}};
    struct joining right = {&card, job_key (5), {2, 0, 1}};
    struct hello hello = {0};
    int silent = knock (&card), halting = knock (&card), fd = -1;
    sigset_t none;
    sigemptyset (&none);
    put (halting, "tori", 4);
    assert_int_equal (pthread_create (&wrong.thread, NULL, join_job, &wrong),
                      0);
    while (door.n < 3) /* the strangers come first */
        assert_int_equal (callers_wait (&door, &none, -1, &hello), -1);
    assert_int_equal (pthread_create (&right.thread, NULL, join_job, &right),
                      0);
    while (fd < 0)
        fd = callers_wait (&door, &none, -1, &hello);
    assert_int_equal (hello.from, 2);
    assert_int_equal (hello.leash, 1);
    put (fd, "", 1);
    pthread_join (right.thread, NULL);
    assert_true (right.good);
    while (door.n > 2) /* until the one with another key has gone */
        assert_int_equal (callers_wait (&door, &none, -1, &hello), -1);
    pthread_join (wrong.thread, NULL);
    assert_false (wrong.good);
    callers_clear (&door);
    close (fd);
    close (silent);
    close (halting);
    close (door.fd);
}
