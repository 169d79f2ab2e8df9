/* Progress on a terminal that the test holds the other end of: what is read
 * there is waited for, however long it takes. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

/* Read on until this is in the text. */
static void wait_more (struct elsewhere *e, const char *what)
{
    while (!strstr (e->text, what)) {
        ssize_t got = read (e->reader, e->text + e->length,
                            sizeof e->text - 1 - e->length);
        assert_true (got > 0);
        e->length += (size_t)got;
        e->text[e->length] = '\0';
    }
}

/* Read until this comes; what was read is in the text. */
static void wait_for (struct elsewhere *e, const char *what)
{
    e->length = 0;
    e->text[0] = '\0';
    wait_more (e, what);
}

/* ---- tests ---- */

TEST (silent_work_shows_the_time)
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

TEST (work_without_an_end_shows_a_text)
{
    struct elsewhere e;
    struct progress progress;
    open_terminal (&e);
    progress_begin (&progress);
    progress_say (&progress, "no moves found so far");
    wait_for (&e, " s, no moves found so far");
    progress_say (&progress, "best so far: 36 nodes move");
    wait_for (&e, " s, best so far: 36 nodes move");
    progress_end (&progress);
    close_elsewhere (&e);
}

TEST (bar_goes_on_by_itself)
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

/* All that happened was longer ago. */
static void let_pass (struct progress *progress, time_t seconds)
{
    pthread_mutex_lock (&progress->lock);
    progress->begin.tv_sec -= seconds;
    progress->last.tv_sec -= seconds;
    progress->news.tv_sec -= seconds;
    pthread_mutex_unlock (&progress->lock);
}

/* A bar of work that began a while ago. */
static void draw_late (struct elsewhere *e, time_t seconds, size_t done,
                       size_t total)
{
    struct progress progress;
    progress_begin (&progress);
    let_pass (&progress, seconds);
    progress_update (&progress, done, total, "jobs");
    wait_for (e, "[");
    progress_end (&progress);
    wait_more (e, " \r");
}

/* Some seconds may pass before it is drawn: the cases allow for them. */
TEST (rate_and_time_left)
{
    static const struct {
        time_t seconds;
        size_t done, total;
        const char *bar, *left, *unit;
    } cases[] = {
        {1000, 100000, 103000, "]  97% ", " jobs/s, 3", " s left"},
        {605, 600000, 1200000, "]  50% 9", " jobs/s, 10:", " left"},
        {7205, 60000, 120000, "]  50% 8.3", " jobs/s, 2:00:", " left"},
        {8640000, 5, 10, "]  50% 0.0", " jobs/s, 100", " days left"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct elsewhere e;
        const char *at;
        open_terminal (&e);
        draw_late (&e, cases[i].seconds, cases[i].done, cases[i].total);
        at = strstr (e.text, cases[i].bar);
        assert_non_null (at);
        at = strstr (at, cases[i].left);
        assert_non_null (at);
        assert_non_null (strstr (at, cases[i].unit));
        close_elsewhere (&e);
    }
}

/* Half was done after 1000 s, and then nothing is heard for a while: the time
 * left goes down, but not to nothing. */
TEST (time_left_without_news)
{
    static const struct {
        time_t silent;
        const char *left;
    } cases[] = {{130, ", 14:"}, {300, ", 11:"}, {3000, ", 33:"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct elsewhere e;
        struct progress progress;
        open_terminal (&e);
        progress_begin (&progress);
        let_pass (&progress, 1000);
        progress_update (&progress, 1, 2, "jobs");
        wait_for (&e, " left");
        let_pass (&progress, cases[i].silent);
        progress_update (&progress, 1, 2, "jobs");
        wait_for (&e, " left");
        assert_non_null (strstr (e.text, cases[i].left));
        progress_end (&progress);
        close_elsewhere (&e);
    }
}

/* No drawing is longer than a line, the last column left empty. */
TEST (narrow_terminal)
{
    struct winsize narrow = {.ws_row = 24, .ws_col = 40};
    struct elsewhere e;
    open_terminal (&e);
    assert_int_equal (ioctl (e.reader, TIOCSWINSZ, &narrow), 0);
    draw_late (&e, 1000, 1, 2);
    for (const char *at = e.text; (at = strchr (at, '\r'));) {
        size_t length = strcspn (++at, "\r");
        assert_true (length <= 39);
    }
    assert_non_null (strstr (e.text, "]  50%"));
    close_elsewhere (&e);
}

TEST (nothing_without_a_terminal)
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
