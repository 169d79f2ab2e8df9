/* tori paper - published tables and figures. It executes tori-paper
 * (src/papers/main.c). */
#include <stdlib.h>

#include "commands.h"
#include "paper_command.h"
#include "sibling.h"

static int become_papers (int argc, char *const argv[], const void *values,
                          FILE *out, tori_error *err)
{
    char **words = calloc ((size_t)argc + 2, sizeof *words);
    int status;
    if (!words)
        return tori_error_nomem (err);
    for (int i = 0; i < argc; i++)
        words[i + 1] = argv[i];
    status = sibling_become ("tori-paper", words,
                             "tori was installed without its papers", err);
    free (words);
    return status;
}

const struct command command_paper
    = {PAPER_COMMAND, .run_words = become_papers};
