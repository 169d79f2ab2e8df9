/* bodywords.h - the body of a request as the words of a command, so that one
 * table of options reads both:
 *
 *     {"shape": "4x4", "live": true}    --shape=4x4 --live
 */
#ifndef TORI_TORID_BODYWORDS_H
#define TORI_TORID_BODYWORDS_H

#include <jansson.h>

#include "options.h"

struct words {
    char **word;
    int n;
};

/* Add the members of an object. TORI_INVALID for a name that is not an option,
 * or no option for a request: a file, how an answer is printed. */
int words_add (struct words *words, const struct option *options,
               const json_t *object, tori_error *err);
void words_clear (struct words *words);

/* Whether an option is one for requests. */
bool option_is_asked (const struct option *option);

#endif
