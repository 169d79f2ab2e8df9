#include "jobfile.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int jobfile_become (const char *user, tori_error *err)
{
    const struct passwd *is = getpwnam (user);
    if (!is)
        return tori_error_set (err, TORI_INVALID,
                               "there is no user %.100s where torid runs",
                               user);
    if (geteuid () != 0 && geteuid () != is->pw_uid)
        return tori_error_set (err, TORI_INVALID,
                               "torid does not run as root, and reads no files "
                               "of other users");
    if (geteuid () == is->pw_uid)
        return 0;
    if (initgroups (user, is->pw_gid) < 0 || setgid (is->pw_gid) < 0
        || setuid (is->pw_uid) < 0 || getuid () != is->pw_uid
        || geteuid () != is->pw_uid)
        return tori_error_set (err, TORI_FAILED, "cannot become %.100s: %s",
                               user, strerror (errno));
    return 0;
}

static int read_end (int fd, struct jobfile *file, uint64_t most)
{
    uint64_t n = file->size < most ? file->size : most, done = 0;
    ssize_t more = 1;
    file->from = file->size - n;
    file->text = malloc (n + 1);
    while (file->text && done < n && more > 0) {
        more = pread (fd, file->text + done, n - done,
                      (off_t)(file->from + done));
        done += more > 0 ? (uint64_t)more : 0;
    }
    if (!file->text || more < 0)
        return -1;
    file->text[done] = '\0';
    for (uint64_t i = 0; i < done; i++)
        if (!file->text[i])
            file->text[i] = ' ';
    return 0;
}

int jobfile_read (const char *path, uint64_t most, struct jobfile *ret_file,
                  tori_error *err)
{
    int fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct jobfile file = {0};
    struct stat st;
    int status = fd >= 0 && fstat (fd, &st) == 0 ? 0 : -1;
    if (status == 0 && !S_ISREG (st.st_mode)) {
        close (fd);
        return tori_error_set (err, TORI_INVALID, "it is not a file");
    }
    if (status == 0) {
        file.size = (uint64_t)st.st_size;
        status = read_end (fd, &file, most);
    }
    if (status < 0) {
        tori_error_set (err, TORI_FAILED, "%s", strerror (errno));
        free (file.text);
    } else {
        *ret_file = file;
    }
    if (fd >= 0)
        close (fd);
    return status;
}
