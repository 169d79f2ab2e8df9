#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "array.h"
#include "number.h"
#include "syserror.h"

/* ---- options ---- */

const char *turns_name (size_t i)
{
    static const char *const names[] = {
        [TURNS_GANG] = "gang",
        [TURNS_LOCAL] = "local",
        [TURNS_NONE] = "none",
    };
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

/* MPI itself cannot answer: it has not begun yet, or could not begin. */
bool launched_first (void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rank = getenv (names[i]);
        if (rank)
            return !strcmp (rank, "0");
    }
    return true;
}

const char *sleepers_name (size_t i)
{
    static const char *const names[] = {
        [SLEEPERS_LEAVE] = "leave",
        [SLEEPERS_KEEP] = "keep",
    };
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static const struct {
    size_t offset;
    bool text;
} rows[CONFIG_WORDS] = {
    {offsetof (struct config, slot), false},
    {offsetof (struct config, degree), false},
    {offsetof (struct config, policy), true},
    {offsetof (struct config, machine), true},
    {offsetof (struct config, listen), true},
    {offsetof (struct config, report), true},
    {offsetof (struct config, cage), false},
    {offsetof (struct config, turns), false},
    {offsetof (struct config, sleepers), false},
    {offsetof (struct config, label), false},
    {offsetof (struct config, jobs), false},
};

void config_write (const struct config *config, struct config_words *words)
{
    for (int i = 0; i < CONFIG_WORDS; i++) {
        const char *at = (const char *)config + rows[i].offset;
        char *number = words->room[i];
        if (!rows[i].text)
            snprintf (number, sizeof words->room[i], "%lld",
                      (long long)*(const int64_t *)(const void *)at);
        words->word[i + 1]
            = rows[i].text ? *(char *const *)(const void *)at : number;
    }
    words->word[CONFIG_WORDS + 1] = NULL;
}

int config_read (char *const argv[], int argc, struct config *config,
                 tori_error *err)
{
    if (argc != CONFIG_WORDS + 1)
        return tori_error_set (err, TORI_INVALID,
                               "this program is started by 'tori gang run'");
    for (int i = 0; i < CONFIG_WORDS; i++) {
        char *at = (char *)config + rows[i].offset;
        if (rows[i].text)
            *(const char **)(void *)at = argv[i + 1];
        else if (number_parse (argv[i + 1], "option", INT64_MIN, INT64_MAX,
                               (int64_t *)(void *)at, err)
                 < 0)
            return -1;
    }
    return 0;
}

/* ---- jobs ---- */

void joblist_clear (struct joblist *list)
{
    for (size_t i = 0; i < list->n; i++)
        spec_destroy (list->item[i].spec);
    free (list->item);
    free (list->path);
    *list = (struct joblist){0};
}

static int write_memory (const struct bytes *bytes, tori_error *err)
{
    int fd = memfd_create ("jobs", 0);
    size_t done = 0;
    while (fd >= 0 && done < bytes->n) {
        ssize_t n = write (fd, bytes->data + done, bytes->n - done);
        if (n < 0 && errno != EINTR) {
            close (fd);
            fd = -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd < 0 || lseek (fd, 0, SEEK_SET) < 0)
        return system_error ("file in memory", errno, err);
    return fd;
}

int joblist_write (const char *path, const struct bytes *lines,
                   const tori_error *bad, tori_error *err)
{
    struct bytes bytes = {0};
    int fd = -1;
    if (bytes_add_number (&bytes, bad ? (int64_t)bad->status : 0, err) == 0
        && bytes_add_text (&bytes, bad ? bad->text : "", err) == 0
        && bytes_add_text (&bytes, path, err) == 0
        && bytes_add (&bytes, lines->data, lines->n, err) == 0)
        fd = write_memory (&bytes, err);
    bytes_clear (&bytes);
    return fd;
}

static int read_jobs (struct reader reader, struct joblist *list,
                      tori_error *err)
{
    int64_t status, line;
    const char *text, *path;
    if (reader_number (&reader, &status) < 0 || !(text = reader_text (&reader))
        || !(path = reader_text (&reader)))
        return tori_error_set (err, TORI_FAILED, "jobs that are cut");
    if (status)
        return tori_error_set (err, (tori_status)status, "%s", text);
    if (!(list->path = strdup (path)))
        return tori_error_nomem (err);
    while (reader_number (&reader, &line) == 0
           && (text = reader_text (&reader))) {
        struct listed *more =
            array_room (list->item, &list->room, list->n + 1, sizeof *more);
        if (!more)
            return tori_error_nomem (err);
        list->item = more;
        more[list->n].line = line;
        if (spec_parse_line (text, &more[list->n].spec, err) < 0)
            return -1;
        list->n++;
    }
    return 0;
}

int joblist_read (int fd, struct joblist *list, tori_error *err)
{
    struct bytes bytes = {0};
    char part[4096];
    ssize_t n;
    int status = 0;
    while (status == 0 && (n = read (fd, part, sizeof part)) > 0)
        status = bytes_add (&bytes, part, (size_t)n, err);
    if (status == 0)
        status = read_jobs ((struct reader){bytes.data, bytes.n}, list, err);
    close (fd);
    bytes_clear (&bytes);
    return status;
}
