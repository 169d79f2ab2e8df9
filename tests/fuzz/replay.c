/* replay.c - pass the files of a directory to a fuzz target, in TAP: what was
 * once found stays found, also where there is no libFuzzer. */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>

static int is_visible (const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The whole file, or NULL. */
static uint8_t *slurp (const char *directory, const char *name, size_t *size)
{
    char path[4096];
    long end;
    uint8_t *data = NULL;
    FILE *file;
    snprintf (path, sizeof path, "%s/%s", directory, name);
    file = fopen (path, "rb");
    if (!file)
        return NULL;
    if (fseek (file, 0, SEEK_END) == 0 && (end = ftell (file)) >= 0) {
        rewind (file);
        *size = (size_t)end;
        data = malloc (*size + 1);
        if (data && fread (data, 1, *size, file) != *size) {
            free (data);
            data = NULL;
        }
    }
    fclose (file);
    return data;
}

int main (int argc, char **argv)
{
    struct dirent **names;
    int n, failed = 0;
    n = argc == 2 ? scandir (argv[1], &names, is_visible, alphasort) : -1;
    if (n < 0) {
        fprintf (stderr, "usage: %s DIRECTORY: %s\n", argv[0],
                 strerror (errno));
        return 2;
    }
    printf ("1..%d\n", n);
    for (int i = 0; i < n; i++) {
        size_t size = 0;
        uint8_t *data = slurp (argv[1], names[i]->d_name, &size);
        if (data)
            LLVMFuzzerTestOneInput (data, size);
        printf ("%sok %d - %s\n", data ? "" : "not ", i + 1,
                names[i]->d_name);
        fflush (stdout);
        failed += !data;
        free (data);
        free (names[i]);
    }
    free (names);
    return failed > 0;
}
