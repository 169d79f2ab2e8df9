/* options.h - one table makes the parser, the help and the completion.
 *
 * A command is a constant: its name, a sentence about it, a table of options
 * and a function. Typed values go into a structure of the command's own, at
 * the offset in the option's row, so the tables are constants and two parses
 * share nothing:
 *
 *     struct values { const char *machine; int64_t count; bool json; };
 *     static const struct option options[] = {
 *         {"machine", OPTION_STRING, offsetof (struct values, machine),
 *          "KIND:SIZES", .required = true, .help = "the machine"},
 *         {.name = NULL}};
 *
 * A default is a text that is parsed as if it had been typed, so that the help
 * cannot promise another value than the one used. Options are written --name
 * VALUE or --name=VALUE, or by their letter, -j VALUE or -jVALUE; "--" ends
 * them. An option that takes one value and is given twice is refused, because
 * it is a mistake. Only OPTION_STRINGS collects, and a flag may be repeated. A
 * command may have commands of its own; then it takes no operands, and `run`,
 * if any, is for when none of them is named.
 *
 * A row marks a file as read or written. So a command never overwrites its
 * input, and finds out before any work that a file cannot be written
 * (files.h).
 */
#ifndef TORI_USAGE_OPTIONS_H
#define TORI_USAGE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tori/error.h>

/* The type of an option's value, and the value of an option that is not
 * given. */
enum option_kind {
    OPTION_FLAG,     /* bool, false */
    OPTION_STRING,   /* const char *, NULL */
    OPTION_INTEGER,  /* int64_t from min to max, 0 */
    OPTION_FRACTION, /* struct fraction (number.h) from 0 to max, 0/0 */
    OPTION_CHOICE,   /* int, the index in a list of names, -1 */
    OPTION_STRINGS,  /* struct strings, none */
    OPTION_PARSED    /* the type that the row's `parse` stores, zero */
};

/* The use of the file that a string names. */
enum option_file {
    FILE_NONE,
    FILE_READ,
    FILE_WRITTEN,
    FILE_WRITTEN_AT /* "TIME:FILE": see find_time_end */
};

/* The values of an option that may be repeated. The texts belong to argv. */
struct strings {
    const char **item;
    size_t n;
};

struct option {
    const char *name; /* without dashes; NULL ends the table */
    enum option_kind kind;
    size_t offset;        /* in the command's values */
    const char *value;    /* name of the value in help, such as FILE */
    char letter;          /* -j; 0 for none */
    const char *fallback; /* the default as it would be typed, or NULL */
    const char *help;
    int64_t min;
    int64_t max;                       /* for a fraction: 0 is no limit */
    bool positive;                     /* for a fraction: above 0 */
    int64_t unit; /* for a fraction: it is a time, and a plain number counts
                     units of so many seconds; "1h30m" is taken, too */
    bool none; /* for a fraction: "none" is given, but means no value: 1/0 */
    const char *(*choices) (size_t i); /* NULL past the end; for strings: only
                                          in help and completion */
    const char *asks; /* for completion: 'tori completion' with this word
                         prints the present values; or NULL */
    bool required;
    bool operand; /* taken from the words, in the order of the table */
    enum option_file file; /* for OPTION_STRING */
    bool aside; /* does not change the answer, only its format or speed */
    bool live;  /* for a daemon: may change while it runs */

    /* Parses an OPTION_PARSED, or checks an OPTION_STRING, with `to` NULL. */
    int (*parse) (const char *text, void *to, tori_error *err);

    /* The value that the command uses if there is no fixed default, for the
     * config of an answer (asked.h); or NULL. */
    const char *(*otherwise) (const void *values, const void *slot);

    /* Names of other options, with blanks between. The option has no effect,
     * and is refused, without any of the first, and with any of the second. */
    const char *with;
    const char *without;

    const char *old; /* its name in the version before, which is still taken
                        and shown nowhere; or NULL */
};

/* Rows that many tables have, for values that hold a bool `json`, a `socket`,
 * an int64_t `seed` or `workers`. The text is their purpose. */
#define OPTION_AT(values, member) .offset = offsetof (values, member)
#define OPTION_ROW_JSON(values)                                      \
    {                                                                \
        .name = "json", .kind = OPTION_FLAG,                         \
        OPTION_AT (values, json), .aside = true,                     \
        .help = "print JSON"                                         \
    }
#define OPTION_ROW_SNAPSHOT(values)                                  \
    {                                                                \
        .name = "snapshot", .kind = OPTION_STRING,                   \
        OPTION_AT (values, snapshot), .value = "SNAPSHOT",           \
        .operand = true, .file = FILE_READ,                          \
        .help = "a scheduler as a file, see 'tori help files'; - is " \
                "standard input; if not given, the running torid is " \
                "asked"                                              \
    }
#define OPTION_ROW_SOCKET(values)                                          \
    {                                                                      \
        .name = "socket", .kind = OPTION_STRING,                           \
        OPTION_AT (values, socket), .value = "PATH", .aside = true,        \
        .help = "the socket of torid, or its address, as "                 \
                "http://HOST:PORT with a token in TORI_TOKEN; if not "     \
                "given, TORI_SOCKET, $XDG_RUNTIME_DIR/tori/socket if it "  \
                "is there, or /run/tori/socket"                            \
    }
#define OPTION_ROW_SEED(values, text)                                \
    {                                                                \
        .name = "seed", .kind = OPTION_INTEGER,                      \
        OPTION_AT (values, seed), .value = "N", .max = INT64_MAX,    \
        .fallback = "1", .help = text                                \
    }
#define OPTION_ROW_WORKERS(values, text)                             \
    {                                                                \
        .name = "workers", .letter = 'j', .kind = OPTION_INTEGER,    \
        OPTION_AT (values, workers), .value = "N", .min = 1,         \
        .max = 4096, .aside = true,                                  \
        .help = text "; if not given, one per processor"             \
    }

struct sheet;
struct page_ref;

/* A heading in the list of a command's commands, and the first below it. */
struct command_group {
    const char *title; /* NULL ends a table of them */
    const struct command *first;
};

struct command {
    const char *name;
    const char *path;    /* the words after "tori"; NULL: only the name */
    const char *summary; /* one sentence, no full stop */
    const char *notes;   /* a further paragraph for the help, or NULL */
    int section;         /* of the manual; 0: the first */
    const struct option *options;
    size_t size;                           /* of the structure of values */
    const struct command *const *commands; /* ended by NULL, or NULL */
    const struct command_group *groups;    /* of these commands, in order, or
                                              NULL */
    const char *examples;                  /* one command line per line */
    const struct page_ref *also; /* further pages to see; ended by NULL */
    bool verbatim; /* the first word that is not one of its options, and all
                      after it, are operands: they are for another command */
    bool passes;   /* such a word may be an option that is not its own */
    bool ranks;    /* mpirun starts it several times: only the first one prints
                      help and errors */
    const char *status[5];                 /* exit statuses; NULL: the usual */
    const struct sheet *answer; /* describes its JSON (sheet.h), and the page
                                   that documents all fields; NULL: it prints
                                   none */

    /* Returns the exit status, or -1 with the error. Results go to `out`,
     * whose failures the caller checks. */
    int (*run) (const void *values, FILE *out, tori_error *err);

    /* The same, for a command that has to read its words again. */
    int (*run_words) (int argc, char *const argv[], const void *values,
                      FILE *out, tori_error *err);
};

/* The colon of "TIME:FILE", or NULL: times may have colons as well. */
const char *find_time_end (const char *text);

/* Parse the words after a command's name into `values`. `path` has the words
 * that lead here, such as "tori place". A command with commands of its own
 * stops before the first word. Returns the number of words taken, or -1; sets
 * *ret_help when --help was among them, and then nothing is required. In any
 * case options_free releases the values. */
int options_parse (const struct command *command, const char *path, int argc,
                   char *const argv[], void *values, bool *ret_help,
                   tori_error *err);
void options_free (const struct command *command, void *values);

/* Fill options that were not given in `values` from other values of the same
 * command, which still own their lists. */
void options_inherit (const struct command *command, void *values,
                      const void *others);

/* The same in steps, for values that come from elsewhere as well: the
 * defaults; one value, as if it had been typed ("true" or "false" for a flag);
 * and typed words, which replace earlier values. */
int options_begin (const struct command *command, void *values,
                   tori_error *err);
int options_set (const struct option *option, const char *text, void *values,
                 tori_error *err);
int options_words (const struct command *command, const char *path, int argc,
                   char *const argv[], void *values, bool *ret_help,
                   tori_error *err);

/* Whether an option has the same value in both. */
bool options_equal (const struct option *option, const void *a,
                    const void *b);

/* The contradictions that a command refuses, as a table: the first rule that
 * is broken is the error, TORI_INVALID. */
struct option_rule {
    bool broken;
    const char *why;
};
int options_check (const struct option_rule rules[], size_t n,
                   tori_error *err);

/* The words that lead to a command: those to its parent, and its name. */
enum { PATH_TEXT = 128 };
void path_join (char to[PATH_TEXT], const char *path, const char *name);

static inline int command_section (const struct command *command)
{
    return command->section ? command->section : 1;
}

/* The command of this name among those of `command`, or NULL. */
const struct command *command_find (const struct command *command,
                                    const char *name);

/* The error for an unknown command, with the nearest known name. Returns
 * -1. */
int command_unknown (const struct command *command, const char *path,
                     const char *name, tori_error *err);

/* Look a name up in a list; -1 with an error that lists the names. */
int choice_parse (const char *what, const char *text,
                  const char *(*choices) (size_t i), int *ret_index,
                  tori_error *err);

/* Help for a command: as a page, and as text. */
struct page;
void command_page (struct page *page, const struct command *command,
                   const char *path);
void options_help (const struct command *command, const char *path, bool bold,
                   FILE *out);

/* An option as an item of a list, by this name. */
void option_describe (struct page *page, const char *name,
                      const struct option *option);

/* Visit a command and all below it, with the words that lead there, until a
 * visit returns -1, which is returned. */
typedef int command_visit_fn (const struct command *command, const char *path,
                              void *arg);
int command_each (const struct command *root, const char *path,
                  command_visit_fn *visit, void *arg);

/* A script that completes the words of a command and all below, for the shell
 * of this name; shells in a list. */
const char *complete_shells (size_t i);
void options_complete (const struct command *root, int shell, FILE *out);

#endif
