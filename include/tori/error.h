/* tori/error.h - errors as values.
 *
 * A function that can fail returns 0 on success and -1 on failure (or NULL
 * where it returns a pointer) and describes the failure in a caller-owned
 * tori_error. Outputs, named ret_..., are untouched on failure unless the
 * function says otherwise. Passing NULL for the error is allowed: the failure
 * is then only reported by the return value.
 *
 * What is checked. A function with a tori_error checks its arguments as far as
 * that costs no more than its work: numbers of nodes, boxes, shapes, values of
 * enums. A node or box outside the machine, or an unknown value, is
 * TORI_INVALID. A function without a tori_error says which numbers it takes,
 * and whether it answers others harmlessly (false, NULL, 0). A function that
 * gives the name of a value returns NULL for an unknown value. NULL for a
 * pointer is undefined, except where it is documented, for the error, and for
 * every _destroy, _close and _clear and tori_drain_release: these take NULL
 * and do nothing.
 */
#ifndef TORI_ERROR_H
#define TORI_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* What kind of failure it was. The values are the exit statuses of the
 * command, so that a program can pass them on, except the last: the command
 * then ends with 2 and, where it prints JSON, tells what is known. */
typedef enum tori_status {
    TORI_OK = 0,
    TORI_FAILED = 1,  /* run-time failure: I/O, memory */
    TORI_INVALID = 2, /* bad usage or bad input */
    TORI_NOT_NOW = 3, /* it does not fit now */
    TORI_NEVER = 4,   /* it never fits on this machine */
    TORI_GAVE_UP = 5  /* the question is sound, but its answer takes longer
                         than was allowed, or would: no bad input */
} tori_status;

enum { TORI_ERROR_TEXT = 512 };

typedef struct tori_error {
    tori_status status;
    char text[TORI_ERROR_TEXT]; /* one line, no newline, always terminated */
} tori_error;

/* Fill `err` (which may be NULL) with a status and a formatted text, cut to
 * fit. Returns -1, so that a failing function can end in
 * `return tori_error_set (err, TORI_INVALID, ...)`. */
int tori_error_set (tori_error *err, tori_status status, const char *fmt, ...)
    __attribute__ ((format (printf, 3, 4)));

/* The error of a failed allocation. Returns -1. */
int tori_error_nomem (tori_error *err);

#ifdef __cplusplus
}
#endif

#endif
