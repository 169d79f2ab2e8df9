/* asked.h - what a command was asked, for the beginning of its JSON answer.
 *
 *     struct asked asked = {&command_sim, values};
 *     struct answer answer = asked_answer (&asked);
 *     answer_open (&e, &answer);
 *
 * The config is made from the option table. It has every option that can
 * change the answer, by its name with _ for -, with what was given or else its
 * default. An option that has neither is left out.
 */
#ifndef TORI_REPORT_ASKED_H
#define TORI_REPORT_ASKED_H

#include "emit.h"
#include "options.h"

struct asked {
    const struct command *command;
    const void *values;
};

/* `asked` must outlive it. */
struct answer asked_answer (const struct asked *asked);

/* The same at once: open the object of an answer. */
void asked_open (struct emit *e, const struct command *command,
                 const void *values);

/* All options as they were given or are by a fixed default, null for others:
 * also those that do not change the answer. A fraction is exact, "1/3". */
void asked_options (struct emit *e, const struct command *command,
                    const void *values);

/* The whole answer of a command of `tori` itself: a row of the sheet that
 * describes it. */
int asked_emit (const struct command *command, const void *values,
                const void *row, FILE *out, tori_error *err);

/* JSON can hold only UTF-8. Refuse a text that is not, or the first such text
 * among the values of a command: TORI_INVALID, which names it. */
int asked_check_utf8 (const char *what, const char *text, tori_error *err);
int asked_check_texts (const struct command *command, const void *values,
                       tori_error *err);

#endif
