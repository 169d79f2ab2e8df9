#include "manuals.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "outfile.h"
#include "syserror.h"

static int make_dir (const char *path, tori_error *err)
{
    if (mkdir (path, 0777) == 0 || errno == EEXIST)
        return 0;
    return system_error (path, errno, err);
}

int manual_begin (const char *dir, const char *name, int section,
                  struct outfile **ret_file, tori_error *err)
{
    char path[4096];
    char *file;
    if (make_dir (dir, err) < 0)
        return -1;
    snprintf (path, sizeof path, "%s/man%d", dir, section);
    if (make_dir (path, err) < 0)
        return -1;
    snprintf (path, sizeof path, "%s/man%d/%s.%d", dir, section, name,
              section);
    for (file = strrchr (path, '/'); (file = strchr (file, ' '));)
        *file = '-';
    return outfile_create (path, ret_file, err);
}

struct writing {
    const char *dir;
    tori_error *err;
};

static int write_command (const struct command *command, const char *path,
                          void *arg)
{
    const struct writing *to = arg;
    struct outfile *file;
    struct page page;
    if (manual_begin (to->dir, path, command_section (command), &file,
                      to->err) < 0)
        return -1;
    page = page_as_manual (outfile_stream (file));
    command_page (&page, command, path);
    return outfile_end (file, 0, to->err);
}

int manuals_write (const struct command *root, const char *dir,
                   tori_error *err)
{
    struct writing to = {dir, err};
    return command_each (root, root->name, write_command, &to);
}
