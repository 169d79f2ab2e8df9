/* Messages between ranks: processes and threads that connect for real. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ranklink.h"

enum { RANKS = 4, MESSAGES = 300, LONGEST = 300000 };

static const struct link_key key = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};

static struct {
    struct card card[RANKS];
    int door[RANKS];
    struct link *link[RANKS];
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
    link_open (self, RANKS, world.card, &key, world.door[self],
               &world.link[self], NULL);
    return NULL;
}

static void *leave (void *arg)
{
    link_close (world.link[(uintptr_t)arg]);
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
        if (!world.link[i])
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
    *ret_n = number % 3 == 0 ? 0
             : number % 50 == 1
                 ? LONGEST
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
    assert_int_equal (link_send (world.link[from], to, &wire, text, NULL), 0);
    free (text);
}

/* Whether one has come to this rank, which is then the next of its sender. */
static bool hear (uint32_t self, uint32_t heard[RANKS])
{
    struct bytes bytes = {0};
    struct wire wire;
    uint32_t n;
    char *text;
    int found = link_receive (world.link[self], &wire, &bytes, NULL);
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
static void test_all_to_all (void **state)
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
    if (!link_fallen (world.link[self], &found))
        return false;
    assert_int_equal (found, who);
    return true;
}

/* Nothing is heard of a rank that is lost, or sent to it. */
static void test_lost (void **state)
{
    uint32_t heard[RANKS] = {0};
    send_number (1, 0, 0);
    link_lost (world.link[0], 1);
    assert_false (hear (0, heard));
    send_number (0, 1, 0);
    while (!fallen (1, 0))
        usleep (1000);
    assert_false (fallen (1, 0));
    assert_false (fallen (0, 1));
}

/* ---- deaths ---- */

/* The last rank is a process of its own, which says something and is killed.
 * What it said is heard before it has fallen, and that is told once. */
static void test_killed (void **state)
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
        while (link_bell (world.link[LAST]) >= 0)
            link_receive (world.link[LAST], &(struct wire){0},
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
        assert_false (link_fallen (world.link[i], &who));
        link_lost (world.link[i], LAST);
    }
    for (uintptr_t i = 0; i < LAST; i++)
        pthread_create (&thread[i], NULL, leave, (void *)i);
    for (uintptr_t i = 0; i < LAST; i++)
        pthread_join (thread[i], NULL);
}

/* The second connection ends with those who hold its end, not with the link. */
static void test_leash (void **state)
{
    int near = link_leash (world.link[0], 2);
    int far = link_leash (world.link[2], 0);
    char byte;
    assert_int_equal (recv (far, &byte, 1, MSG_DONTWAIT), -1);
    close (near);
    while (recv (far, &byte, 1, MSG_DONTWAIT) != 0)
        usleep (1000);
    close (far);
}

/* ---- strangers ---- */

static int knock (const struct card *card)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
                             .sin_port = htons (card->port)};
    int fd = socket (AF_INET, SOCK_STREAM, 0);
    assert_int_equal (connect (fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

/* Who does not know the key is sent away, and the others find each other. */
static void test_strangers (void **state)
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

/* A rank that knows another key gets nowhere, and says to whom. */
static void test_wrong_key (void **state)
{
    static const struct link_key other = {{9, 9, 9}};
    struct link *link;
    tori_error err;
    pid_t child;
    memset (&world, 0, sizeof world);
    open_doors ();
    child = fork ();
    if (child == 0) {
        enter (NULL);
        _exit (0);
    }
    assert_int_equal (link_open (1, RANKS, world.card, &other, world.door[1],
                                 &link, &err),
                      -1);
    assert_non_null (strstr (err.text, "cannot reach rank 0"));
    kill (child, SIGKILL);
    waitpid (child, NULL, 0);
    for (int i = 0; i < RANKS; i++)
        if (i != 1)
            close (world.door[i]);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (test_all_to_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown (test_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown (test_leash, set_up, tear_down),
        cmocka_unit_test (test_killed),
        cmocka_unit_test (test_strangers),
        cmocka_unit_test (test_wrong_key),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
