/* terminal.h - output for people only: bold headings and progress. */
#ifndef TORI_USAGE_TERMINAL_H
#define TORI_USAGE_TERMINAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Whether standard output is a terminal that shows bold text: NO_COLOR is
 * unset or empty and TERM is not dumb. */
bool terminal_bold (void);

/* Whether the terminal reads UTF-8, by the locale of the environment. */
bool terminal_utf8 (void);

/* Whether an output, by its name or NULL, is standard output. */
bool is_stdout (const char *path);

/* How wide the terminal on standard output is; 79 if it is not a terminal. */
unsigned terminal_columns (void);

/* A bar on standard error, if that is a terminal, and nothing otherwise: how
 * much is done, how fast, and how long the rest will take at that rate. A
 * thread draws it every second, so that work without progress reports shows
 * how long it has taken. It stays where it is from begin to end. */
enum { PROGRESS_TEXT = 100 };

struct progress {
    bool shown;   /* is a terminal */
    int drawn;    /* columns to erase */
    bool ticking; /* the thread runs */
    bool over;    /* and is to end */
    size_t done, total;
    const char *unit;
    char said[PROGRESS_TEXT];
    struct timespec begin;
    struct timespec last; /* when it was drawn last */
    struct timespec news; /* when `done` changed last */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

void progress_begin (struct progress *progress);

/* Draw it again, if the last time is a while ago. `unit` is what is counted,
 * such as "jobs". One thread at a time. */
void progress_update (struct progress *progress, size_t done, size_t total,
                      const char *unit);

/* For work whose end is not known: show a text beside the time that it has
 * taken. */
void progress_say (struct progress *progress, const char *text);

/* Erase it. */
void progress_end (struct progress *progress);

/* Seconds between two times of the monotonic clock. */
double seconds_between (const struct timespec *from,
                        const struct timespec *to);

/* Make a text from elsewhere safe for a terminal: question marks in place of
 * what moves the cursor, changes colours, ends the line or is not UTF-8. */
void text_clean (char *text);

#endif
