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

/* Leave the terminal as it was. A signal that was to end the program then
 * does. */
void screen_close (struct screen *screen);

/* How large it is now. */
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

/* Call a function for every key that was pressed, until it returns false: then
 * that is returned, and if there is no terminal any more. */
bool screen_keys (bool (*press) (void *arg, enum key key), void *arg);

/* Wait for a key or a signal, so many milliseconds at most: whether there is
 * one. */
bool screen_wait (const struct screen *screen, int patience);

/* Milliseconds of a clock that only goes forwards. */
int64_t screen_clock (void);

/* Take signals that have come: true if it is time to end. */
bool screen_signals (struct screen *screen);

/* Let the shell have the terminal for a while. */
void screen_stop (struct screen *screen);

#endif
