/* tori completion - a script by which a shell completes words. */
#include "commands.h"

struct values {
    int shell;
};

static const struct option options[] = {
    {"shell", OPTION_CHOICE, offsetof (struct values, shell), "SHELL",
     .choices = complete_shells, .operand = true, .required = true,
     .help = "the shell"},
    {.name = NULL},
};

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    options_complete (&command_tori, v->shell, out);
    return 0;
}

const struct command command_completion = {
    .name = "completion",
    .summary = "Print a completion script for a shell",
    .options = options,
    .size = sizeof (struct values),
    .examples = "source <(tori completion bash)\n"
                "tori completion fish > ~/.config/fish/completions/tori.fish",
    .run = run,
};
