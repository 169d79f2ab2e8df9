/* Progress on a terminal that the test holds the other end of: what is read
 * there is waited for, however long it takes. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "support.h"
#include "terminal.h"

/* ---- standard error elsewhere ---- */

struct elsewhere {
    int before; /* what standard error was */
    int reader;
    char text[4096];
    size_t length;
};

static void send_errors_to (struct elsewhere *e, int writer, int reader)
{
    *e = (struct elsewhere){.before = dup (STDERR_FILENO), .reader = reader};
    assert_true (e->before >= 0);
    assert_int_equal (dup2 (writer, STDERR_FILENO), STDERR_FILENO);
    close (writer);
}

static void open_terminal (struct elsewhere *e)
{
    int master = posix_openpt (O_RDWR | O_NOCTTY), slave;
    struct termios raw;
    assert_true (master >= 0);
    assert_int_equal (grantpt (master), 0);
    assert_int_equal (unlockpt (master), 0);
    slave = open (ptsname (master), O_RDWR | O_NOCTTY);
    assert_true (slave >= 0);
    assert_int_equal (tcgetattr (slave, &raw), 0);
    cfmakeraw (&raw);
    assert_int_equal (tcsetattr (slave, TCSANOW, &raw), 0);
    send_errors_to (e, slave, master);
}

static void close_elsewhere (struct elsewhere *e)
{
    dup2 (e->before, STDERR_FILENO);
    close (e->before);
    close (e->reader);
}

/* Read until this comes; what was read is in the text. */
static void wait_for (struct elsewhere *e, const char *what)
{
    e->length = 0;
    do {
        ssize_t got = read (e->reader, e->text + e->length,
                            sizeof e->text - 1 - e->length);
        assert_true (got > 0);
        e->length += (size_t)got;
        e->text[e->length] = '\0';
    } while (!strstr (e->text, what));
}

/* ---- tests ---- */

static void test_silent_work_shows_the_time (void **state)
{
    struct elsewhere e;
    struct progress progress;
    open_terminal (&e);
    progress_begin (&progress);
    wait_for (&e, " s");
    assert_int_equal (e.text[0], '\r');
    assert_true (strtol (e.text + 1, NULL, 10) >= 1);
    progress_end (&progress);
    wait_for (&e, " \r");
    close_elsewhere (&e);
}

static void test_bar_goes_on_by_itself (void **state)
{
    struct elsewhere e;
    struct progress progress;
    open_terminal (&e);
    progress_begin (&progress);
    progress_update (&progress, 1, 2, "jobs");
    wait_for (&e, "jobs/s");
    assert_non_null (strstr (e.text, "[===============               ]"));
    assert_non_null (strstr (e.text, " 50%"));
    progress_end (&progress);
    progress_end (&progress);
    close_elsewhere (&e);
}

static void test_nothing_without_a_terminal (void **state)
{
    struct elsewhere e;
    struct progress progress;
    int ends[2];
    assert_int_equal (pipe (ends), 0);
    send_errors_to (&e, ends[1], ends[0]);
    progress_begin (&progress);
    progress_update (&progress, 1, 2, "jobs");
    progress_end (&progress);
    dup2 (e.before, STDERR_FILENO);
    assert_int_equal (read (e.reader, e.text, sizeof e.text), 0);
    close_elsewhere (&e);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_silent_work_shows_the_time),
        cmocka_unit_test (test_bar_goes_on_by_itself),
        cmocka_unit_test (test_nothing_without_a_terminal),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
