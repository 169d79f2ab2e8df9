/* A configuration file of torid's: it is read, or everything that is wrong
 * with it is told with its name. */
#include "fuzz.h"

#include "settings.h"

static void on_problem (void *arg, const char *text)
{
    const struct fuzz_file *file = arg;
    MUST (strncmp (text, file->path, strlen (file->path)) == 0);
    MUST (!strpbrk (text, "\n\r"));
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file (data, size);
    struct setup setup = {0};
    config_read (file.path, &setup, on_problem, &file);
    setup_free (&setup);
    fuzz_file_close (&file);
    return 0;
}
