#include "screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "syserror.h"

#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

bool screen_can (void)
{
    const char *term = getenv ("TERM");
    return isatty (STDIN_FILENO) && isatty (STDOUT_FILENO) && term && *term
           && strcmp (term, "dumb") != 0;
}

static void write_terminal (const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write (STDOUT_FILENO, text, n);
        if (done < 0 && errno != EINTR && errno != EAGAIN)
            return;
        text += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
}

/* Read keys one by one, without echo, including those that send signals. */
static void enter_screen (const struct screen *screen)
{
    struct termios raw = screen->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr (STDIN_FILENO, TCSADRAIN, &raw);
    write_terminal (ENTER, sizeof ENTER - 1);
}

static void leave_screen (const struct screen *screen)
{
    write_terminal (LEAVE, sizeof LEAVE - 1);
    tcsetattr (STDIN_FILENO, TCSADRAIN, &screen->before);
}

static void taken_signals (sigset_t *set)
{
    static const int numbers[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
                                  SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU,
                                  SIGWINCH};
    sigemptyset (set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset (set, numbers[i]);
}

int screen_open (struct screen *ret_screen, tori_error *err)
{
    struct screen screen = {0};
    sigset_t set;
    taken_signals (&set);
    screen.signals = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (screen.signals < 0 || tcgetattr (STDIN_FILENO, &screen.before) < 0)
        return system_error ("the terminal", errno, err);
    sigprocmask (SIG_BLOCK, &set, NULL);
    enter_screen (&screen);
    *ret_screen = screen;
    return 0;
}

void screen_close (struct screen *screen)
{
    sigset_t set;
    leave_screen (screen);
    close (screen->signals);
    taken_signals (&set);
    sigprocmask (SIG_UNBLOCK, &set, NULL);
    if (screen->ended_by)
        (void)raise (screen->ended_by);
}

void screen_size (unsigned *ret_columns, unsigned *ret_rows)
{
    struct winsize size = {0};
    ioctl (STDOUT_FILENO, TIOCGWINSZ, &size);
    *ret_columns = size.ws_col ? size.ws_col : 80;
    *ret_rows = size.ws_row ? size.ws_row : 24;
}

void screen_show (const char *text)
{
    char *frame = NULL;
    size_t n = 0;
    FILE *to = open_memstream (&frame, &n);
    if (!to)
        return;
    fputs ("\033[H", to);
    for (const char *end; *text; text = end + (*end == '\n')) {
        end = text + strcspn (text, "\n");
        fprintf (to, "%.*s\033[K%s", (int)(end - text), text,
                 *end && end[1] ? "\r\n" : "");
    }
    fputs ("\033[J", to);
    if (fclose (to) == 0)
        write_terminal (frame, n);
    free (frame);
}

/* ---- keys ---- */

static const struct {
    const char *text;
    enum key key;
} keys[] = {
    {"\033[A", KEY_UP},       {"\033OA", KEY_UP},     {"k", KEY_UP},
    {"\033[B", KEY_DOWN},     {"\033OB", KEY_DOWN},   {"j", KEY_DOWN},
    {"\033[D", KEY_LEFT},     {"\033OD", KEY_LEFT},   {"h", KEY_LEFT},
    {"\033[C", KEY_RIGHT},    {"\033OC", KEY_RIGHT},  {"l", KEY_RIGHT},
    {"\033[5~", KEY_PAGE_UP}, {"\033[6~", KEY_PAGE_DOWN},
    {" ", KEY_PAGE_DOWN},     {"\033[H", KEY_HOME},   {"\033[1~", KEY_HOME},
    {"g", KEY_HOME},          {"\033[F", KEY_END},    {"\033[4~", KEY_END},
    {"G", KEY_END},           {"s", KEY_SORT},        {"m", KEY_MAP},
    {"q", KEY_QUIT},          {"Q", KEY_QUIT},        {"\003", KEY_INTERRUPT},
    {"\004", KEY_QUIT},       {"\034", KEY_INTERRUPT}, {"\032", KEY_STOP},
    {"+", KEY_FASTER},        {"=", KEY_FASTER},      {"-", KEY_SLOWER},
};

/* The key at the beginning of a text, and its length there. */
static enum key find_key (const char *text, size_t *ret_length)
{
    *ret_length = 1;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t n = strlen (keys[i].text);
        if (!strncmp (text, keys[i].text, n)) {
            *ret_length = n;
            return keys[i].key;
        }
    }
    return KEY_NONE;
}

bool screen_keys (bool (*press) (void *arg, enum key key), void *arg)
{
    char text[65];
    ssize_t n = read (STDIN_FILENO, text, sizeof text - 1);
    bool going = n >= 0 || errno == EINTR || errno == EAGAIN;
    text[n > 0 ? n : 0] = '\0';
    for (size_t at = 0, length; going && text[at]; at += length)
        going = press (arg, find_key (text + at, &length));
    return going;
}

/* ---- waiting ---- */

bool screen_wait (const struct screen *screen, int patience)
{
    struct pollfd fds[] = {{STDIN_FILENO, POLLIN, 0},
                           {screen->signals, POLLIN, 0}};
    return poll (fds, sizeof fds / sizeof *fds, patience) > 0;
}

int64_t screen_clock (void)
{
    struct timespec t;
    clock_gettime (CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- signals ---- */

bool screen_signals (struct screen *screen)
{
    struct signalfd_siginfo info;
    while (read (screen->signals, &info, sizeof info)
           == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGWINCH)
            screen->ended_by = (int)info.ssi_signo;
    return screen->ended_by != 0;
}

void screen_stop (struct screen *screen)
{
    leave_screen (screen);
    (void)raise (SIGTSTP);
    enter_screen (screen);
}
