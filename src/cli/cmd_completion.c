/* tori completion - a script by which a shell completes words. */
#include "commands.h"

struct values {
    int shell;
};

static const char *shells (size_t i)
{
    return i == 0 ? "bash" : NULL;
}

static const struct option options[] = {
    {"shell", OPTION_CHOICE, offsetof (struct values, shell), "SHELL",
     .choices = shells, .operand = true, .required = true,
     .help = "the shell"},
    {.name = NULL},
};

static int run (const void *values, FILE *out, tori_error *err)
{
    options_complete (&command_tori, out);
    return 0;
}

const struct command command_completion = {
    .name = "completion",
    .summary = "Print a script that lets a shell complete tori's words",
    .options = options,
    .size = sizeof (struct values),
    .examples = "source <(tori completion bash)",
    .run = run,
};
