/* screen.h - the whole of a terminal, drawn again and again.
 *
 * It uses plain escape sequences that every terminal knows today. A frame is
 * written whole, over the last one, so there is nothing to keep track of, and
 * a library for that would be larger than what it replaces. Signals that would
 * end the program are handled as events, so the terminal is always left as it
 * was found.
 */
#ifndef TORI_CLI_SCREEN_H
#define TORI_CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include <tori/error.h>

struct screen {
    struct termios before;
    int signals;  /* a descriptor for signals */
    int ended_by; /* the signal that is to end the program, or 0 */
};

/* Whether input and output are a terminal on which a cursor can be moved. */
bool screen_can (void);

int screen_open (struct screen *ret_screen, tori_error *err);

/* Restore the terminal. If a signal was to end the program, it does so now. */
void screen_close (struct screen *screen);

/* The present size of the terminal. */
void screen_size (unsigned *ret_columns, unsigned *ret_rows);

/* Show lines, from the top; the rest is cleared. */
void screen_show (const char *text);

enum key {
    KEY_NONE,
    KEY_QUIT,
    KEY_UP,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_SORT,
    KEY_MAP,
    KEY_FASTER,
    KEY_SLOWER,
    KEY_INTERRUPT,
    KEY_STOP
};

/* Call a function for every key that was pressed, until it returns false.
 * Returns false then, and also if the terminal is gone. */
bool screen_keys (bool (*press) (void *arg, enum key key), void *arg);

/* Wait for a key or a signal, at most `patience` milliseconds; returns whether
 * one came. */
bool screen_wait (const struct screen *screen, int patience);

/* Milliseconds of a clock that only goes forwards. */
int64_t screen_clock (void);

/* Handle the signals that have come: true if the program is to end. */
bool screen_signals (struct screen *screen);

/* Stop the program, and give the terminal to the shell meanwhile. */
void screen_stop (struct screen *screen);

#endif
