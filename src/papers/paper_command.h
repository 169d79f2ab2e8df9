/* paper_command.h - what may be typed after `tori paper`, for the command
 * itself, which shows its help and completes it, and for the program that it
 * becomes. */
#ifndef TORI_PAPERS_PAPER_COMMAND_H
#define TORI_PAPERS_PAPER_COMMAND_H

#include "options.h"

struct paper_values {
    const char *name;
    const char *out;
    struct strings traces;
    int model;
    const char *service;
    int64_t limit;
    int64_t jobs;
    int64_t seed;
    int64_t seeds;
    int64_t workers;
    bool quick;
    bool json;
};

/* The operand is "list", "all", or a paper, in this order. */
enum { PAPER_WORDS = 2 };
const char *paper_names (size_t i);

/* A row of `tori paper list` and `tori paper all`. */
struct paper_entry {
    const char *name, *what, *citation;
    const char *result; /* JSON; NULL or empty: none */
    const char *error;  /* NULL: none */
};

extern const struct option paper_options[];
extern const struct sheet answer_paper; /* of list and all: struct rows */
extern const char paper_notes[];

/* The members of a struct command but for what it does. */
#define PAPER_COMMAND                                                         \
    .name = "paper",                                                          \
    .summary = "Reproduce published tables and figures, beside the printed "  \
               "values",                                                      \
    .notes = paper_notes, .options = paper_options,                           \
    .size = sizeof (struct paper_values),                                     \
    .examples = "tori paper list\n"                                           \
                "tori paper all --quick\n"                                    \
                "tori paper multitoroidal --traces logs --out figures\n"      \
                "tori paper multitoroidal --model lublin --limit 1000 "       \
                "--json",                                                     \
    .answer = &answer_paper

/* The word by which the program prints the fields of all JSON answers of
 * papers: a line "tori paper NAME" each, then a line "FIELD TAB TEXT" for each
 * field. */
#define PAPER_FIELDS "--fields"

#endif
