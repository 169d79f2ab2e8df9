/* mpikind.h - which MPI a program was built with.
 *
 * A program lists the libraries that it needs, and each MPI has a library of
 * its own name. A file that is not a program of the machine itself, such as a
 * script, lists none.
 */
#ifndef TORI_GANGRUN_MPIKIND_H
#define TORI_GANGRUN_MPIKIND_H

#include <stddef.h>

enum mpi_kind { MPI_KIND_NONE, MPI_KIND_MPICH, MPI_KIND_OPEN, MPI_KINDS };

/* Their names; NULL past the end. */
const char *mpi_kind_name (size_t i);

/* The kind of a file; MPI_KIND_NONE if it cannot be read. */
enum mpi_kind mpi_kind_of_file (const char *path);

/* The kind of a program, with its words, which is started in a directory and
 * with a PATH. NULL or "": those of the caller. For a program such as env or
 * nice it is the kind of the program that follows. */
enum mpi_kind mpi_kind_of (char *const words[], const char *dir,
                           const char *path);

#endif
