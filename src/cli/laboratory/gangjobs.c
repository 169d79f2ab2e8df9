#include "gangjobs.h"

#include <stdlib.h>

#include "lines.h"
#include "mpikind.h"
#include "number.h"

static int check_kind (const struct spec *spec, tori_error *err)
{
    enum mpi_kind is;
    if (!spec->mpi)
        return 0;
    is = mpi_kind_of (spec->stage[0].argv, spec->cwd, NULL);
    if (is == MPI_KIND_NONE || spec->mpi == 1 + (int64_t)is)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "--mpi %s: the program was built with %s",
                           mpi_kind_name ((size_t)spec->mpi - 1),
                           mpi_kind_name (is));
}

int gangjobs_check_mpi (const struct spec *spec, tori_error *err)
{
    if (spec->mpi == 1 + MPI_KIND_NONE)
        return 0;
    if (spec->stages == 1)
        return check_kind (spec, err);
    for (size_t i = 0; i < spec->stages; i++)
        if (spec->mpi
            || (spec->stage[i].count > 1
                && mpi_kind_of (spec->stage[i].argv, spec->cwd, NULL)
                       != MPI_KIND_NONE))
            return tori_error_set (err, TORI_INVALID,
                                   "%.200s: processes of an MPI program that "
                                   "is piped are alone; if that is meant, say "
                                   "--mpi none",
                                   spec->stage[i].argv[0]);
    return 0;
}

static int take_line (void *jobs, char *text, size_t line, tori_error *err)
{
    struct spec *spec;
    int status = spec_parse_line (text, &spec, err);
    if (status == 0) {
        status = gangjobs_check_mpi (spec, err);
        if (status == 0 && (spec->detach || spec->pty))
            status = tori_error_set (err, TORI_INVALID,
                                     "--detach and --pty are for 'tori gang "
                                     "submit'");
        spec_destroy (spec);
    }
    return status < 0 || bytes_add_number (jobs, (int64_t)line, err) < 0
               ? -1
               : bytes_add_text (jobs, text, err);
}

int gangjobs_read (const char *path, struct bytes *jobs, tori_error *err)
{
    return lines_each (path, take_line, jobs, err);
}

int gangjobs_socket (const char *given, const char **ret_path, tori_error *err)
{
    const char *path = given ? given : getenv ("TORI_GANG_SOCKET");
    if (!path || !*path)
        return tori_error_set (err, TORI_INVALID,
                               "--socket PATH is missing, and "
                               "TORI_GANG_SOCKET is not set");
    *ret_path = path;
    return 0;
}

int gangjobs_name (const char *socket, const char *id, const char **ret_path,
                   int64_t *ret_id, tori_error *err)
{
    return number_parse (id, "ID", 1, UINT32_MAX, ret_id, err) < 0
               ? -1
               : gangjobs_socket (socket, ret_path, err);
}
