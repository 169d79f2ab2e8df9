#include "files.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"

/* The file at the end of a path. For a file that does not exist yet it is the
 * folder, and the path's last part. */
struct identity {
    bool known;
    dev_t device;
    ino_t inode;
    const char *name; /* within the path; NULL for a file that exists */
};

static bool is_standard (const struct named_file *file)
{
    return !strcmp (file->path, "-");
}

/* The last part of a path. */
static const char *last_part (const char *path)
{
    const char *slash = strrchr (path, '/');
    return slash ? slash + 1 : path;
}

static int look_at_folder (const char *path, struct stat *ret_st)
{
    char *copy = strdup (path);
    int status = copy ? stat (dirname (copy), ret_st) : -1;
    free (copy);
    return status;
}

static struct identity identify_file (const struct named_file *file)
{
    struct identity id = {0};
    struct stat st;
    int status;
    if (is_standard (file))
        status = fstat (file->written ? STDOUT_FILENO : STDIN_FILENO, &st);
    else
        status = stat (file->path, &st);
    if (status < 0 && errno == ENOENT && file->written) {
        id.name = last_part (file->path);
        status = look_at_folder (file->path, &st);
    }
    if (status < 0 || S_ISCHR (st.st_mode) || S_ISSOCK (st.st_mode))
        return id;
    id.known = true;
    id.device = st.st_dev;
    id.inode = st.st_ino;
    return id;
}

static bool same_file (const struct named_file *a, const struct named_file *b)
{
    struct identity x = identify_file (a), y = identify_file (b);
    if (!x.known || !y.known || x.device != y.device || x.inode != y.inode
        || !x.name != !y.name)
        return false;
    return !x.name || !strcmp (x.name, y.name);
}

static int check_pair (const struct named_file *a, const struct named_file *b,
                       tori_error *err)
{
    bool both = a->written == b->written;
    if (both && is_standard (a) && is_standard (b))
        return tori_error_set (err, TORI_INVALID,
                               "%s and %s both name standard %s", a->label,
                               b->label, a->written ? "output" : "input");
    if ((!a->written && !b->written) || !same_file (a, b))
        return 0;
    return tori_error_set (err, TORI_INVALID, "%s and %s are the same file%s",
                           a->label, b->label,
                           both ? "" : ", which would be overwritten");
}

int files_check (const struct named_file files[], size_t n, tori_error *err)
{
    const struct named_file answer = {"standard output", "-", true};
    for (size_t i = 0; i < n; i++) {
        bool answers = files[i].written && is_standard (&files[i]);
        for (size_t j = i + 1; j < n; j++)
            if (check_pair (&files[i], &files[j], err) < 0)
                return -1;
        if (!answers && check_pair (&files[i], &answer, err) < 0)
            return -1;
    }
    return 0;
}

int files_probe (const struct named_file files[], size_t n, tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (files[i].written && outfile_probe (files[i].path, err) < 0)
            return -1;
    return 0;
}

bool files_within (const char *path, const char *folder)
{
    struct stat a, b;
    return look_at_folder (path, &a) == 0 && stat (folder, &b) == 0
           && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
