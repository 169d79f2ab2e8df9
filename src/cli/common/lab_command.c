#include "lab_command.h"

#include <stdlib.h>

#include "asked.h"
#include "sibling.h"
#include "terminal.h"

static char *write_beginning (const struct command *command,
                              const void *values)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    struct emit e = emit_to (out);
    if (!out)
        return NULL;
    asked_open (&e, command, values);
    if (fclose (out) == 0 && !e.nomem)
        return text;
    free (text);
    return NULL;
}

static char *write_request (const struct command *command, const void *values,
                            const char *path, const char *beginning)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    struct emit e = emit_to (out);
    if (!out)
        return NULL;
    emit_open (&e, NULL, '{');
    emit_text (&e, "tori", path);
    emit_text (&e, "beginning", beginning);
    emit_flag (&e, "bold", terminal_bold ());
    emit_open (&e, "options", '{');
    asked_options (&e, command, values);
    emit_close (&e, '}');
    emit_close (&e, '}');
    if (fclose (out) == 0 && !e.nomem)
        return text;
    free (text);
    return NULL;
}

int lab_become (const struct command *command, const void *values,
                tori_error *err)
{
    char module[64], path[PATH_MAX], *text = NULL;
    char *beginning = write_beginning (command, values);
    char *words[PACKAGE_WORDS + 2] = {NULL};
    int status = beginning ? sibling_path ("tori", path, err)
                           : tori_error_nomem (err);
    snprintf (module, sizeof module, "tori.lab.commands.%s", command->name);
    if (status == 0) {
        text = write_request (command, values, path, beginning);
        words[PACKAGE_WORDS] = text;
        status = text ? package_become (module, words, err)
                      : tori_error_nomem (err);
    }
    free (beginning);
    free (text);
    return status;
}

int lab_fields_open (struct sibling *sibling)
{
    char module[] = "tori.lab.commands";
    char *words[PACKAGE_WORDS + 1] = {NULL};
    return package_open (sibling, module, words);
}
