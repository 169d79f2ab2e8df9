/* tori/error.h - errors as values.
 *
 * A function that can fail returns 0 on success and -1 on failure (or NULL
 * where it returns a pointer) and describes the failure in a caller-owned
 * tori_error. Outputs, named ret_..., are untouched on failure unless the
 * function says otherwise. The error may be NULL: then only the return value
 * reports the failure.
 *
 * Checks of arguments. A function with a tori_error checks its arguments, as
 * long as that costs no more than its real work: node ids, boxes, shapes,
 * values of enums. A node or box outside the machine, or an unknown value, is
 * TORI_INVALID. A function without a tori_error says which numbers it takes,
 * and whether it answers others harmlessly (false, NULL, 0). A function that
 * gives the name of a value returns NULL for an unknown value. Passing NULL
 * for a pointer is undefined, with these exceptions: where NULL is documented,
 * for the error, and for every _destroy, _close and _clear and for
 * tori_drain_release, which then do nothing.
 */
#ifndef TORI_ERROR_H
#define TORI_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a failure. The values are the exit statuses of the command, so a
 * program can pass them on. The last is the exception: the command then exits
 * with 2 and, if it prints JSON, reports what is known. */
typedef enum tori_status {
    TORI_OK = 0,
    TORI_FAILED = 1,  /* run-time failure: I/O, memory */
    TORI_INVALID = 2, /* bad usage or bad input */
    TORI_NOT_NOW = 3, /* it does not fit now */
    TORI_NEVER = 4,   /* it never fits on this machine */
    TORI_GAVE_UP = 5  /* not bad input: the question is sound, but its answer
                         takes, or would take, longer than allowed */
} tori_status;

enum { TORI_ERROR_TEXT = 512 };

typedef struct tori_error {
    tori_status status;
    char text[TORI_ERROR_TEXT]; /* one line, no newline, always terminated */
} tori_error;

/* Set `err` (which may be NULL) to a status and a formatted text, cut to fit.
 * Returns -1, so a failing function can end with `return tori_error_set (err,
 * TORI_INVALID, ...)`. */
int tori_error_set (tori_error *err, tori_status status, const char *fmt, ...)
    __attribute__ ((format (printf, 3, 4)));

/* The error of a failed allocation. Returns -1. */
int tori_error_nomem (tori_error *err);

#ifdef __cplusplus
}
#endif

#endif
