#include "mpikind.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *mpi_kind_name (size_t i)
{
    static const char *const names[] = {[MPI_KIND_NONE] = "none",
                                        [MPI_KIND_MPICH] = "mpich",
                                        [MPI_KIND_OPEN] = "openmpi"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

/* ---- a file ---- */

struct image {
    const char *data;
    size_t n;
    const ElfW (Phdr) *part; /* segments */
    size_t parts;
};

static bool holds_range (const struct image *image, uint64_t at, uint64_t n)
{
    return at <= image->n && n <= image->n - at;
}

static bool open_image (struct image *image)
{
    const ElfW (Ehdr) *head = (const void *)image->data;
    if (image->n < sizeof *head || memcmp (head->e_ident, ELFMAG, SELFMAG)
        || head->e_ident[EI_CLASS]
               != (sizeof (void *) == 8 ? ELFCLASS64 : ELFCLASS32)
        || head->e_phentsize != sizeof *image->part
        || !holds_range (image, head->e_phoff,
                         (uint64_t)head->e_phnum * sizeof *image->part)
        || head->e_phoff % _Alignof(ElfW (Phdr)))
        return false;
    image->part = (const void *)(image->data + head->e_phoff);
    image->parts = head->e_phnum;
    return true;
}

/* The offset in the file of an address; SIZE_MAX if it has none. */
static size_t locate_address (const struct image *image, uint64_t address)
{
    for (size_t i = 0; i < image->parts; i++) {
        const ElfW (Phdr) *part = &image->part[i];
        if (part->p_type == PT_LOAD && address >= part->p_vaddr
            && address - part->p_vaddr < part->p_filesz)
            return (size_t)(address - part->p_vaddr + part->p_offset);
    }
    return SIZE_MAX;
}

static enum mpi_kind kind_of_library (const char *name, size_t room)
{
    static const struct {
        const char *name;
        enum mpi_kind kind;
    } known[] = {{"libmpich.so", MPI_KIND_MPICH},
                 {"libmpi.so.12", MPI_KIND_MPICH},
                 {"libmpi.so.40", MPI_KIND_OPEN}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (room > strlen (known[i].name)
            && !strncmp (name, known[i].name, strlen (known[i].name)))
            return known[i].kind;
    return MPI_KIND_NONE;
}

static enum mpi_kind kind_of_needs (const struct image *image,
                                    const ElfW (Dyn) *entry, size_t n)
{
    size_t names = SIZE_MAX;
    for (size_t i = 0; i < n && entry[i].d_tag != DT_NULL; i++)
        if (entry[i].d_tag == DT_STRTAB)
            names = locate_address (image, entry[i].d_un.d_ptr);
    for (size_t i = 0; i < n && entry[i].d_tag != DT_NULL; i++) {
        uint64_t at = names + entry[i].d_un.d_val;
        enum mpi_kind kind = MPI_KIND_NONE;
        if (entry[i].d_tag == DT_NEEDED && names < image->n && at < image->n)
            kind = kind_of_library (image->data + at, image->n - at);
        if (kind != MPI_KIND_NONE)
            return kind;
    }
    return MPI_KIND_NONE;
}

static enum mpi_kind kind_of_image (struct image *image)
{
    if (!open_image (image))
        return MPI_KIND_NONE;
    for (size_t i = 0; i < image->parts; i++) {
        const ElfW (Phdr) *part = &image->part[i];
        if (part->p_type == PT_DYNAMIC
            && holds_range (image, part->p_offset, part->p_filesz)
            && part->p_offset % _Alignof(ElfW (Dyn)) == 0)
            return kind_of_needs (
                image, (const void *)(image->data + part->p_offset),
                part->p_filesz / sizeof (ElfW (Dyn)));
    }
    return MPI_KIND_NONE;
}

enum mpi_kind mpi_kind_of_file (const char *path)
{
    enum mpi_kind kind = MPI_KIND_NONE;
    struct stat st;
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    void *data = MAP_FAILED;
    if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode)
        && st.st_size > 0)
        data = mmap (NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close (fd);
    if (data != MAP_FAILED) {
        struct image image = {.data = data, .n = (size_t)st.st_size};
        kind = kind_of_image (&image);
        munmap (data, (size_t)st.st_size);
    }
    return kind;
}

/* ---- a program ---- */

static bool join_path (char to[PATH_MAX], const char *dir, const char *folder,
                       size_t n, const char *name)
{
    bool whole = folder[0] == '/' || (n == 0 && name[0] == '/');
    int used = snprintf (to, PATH_MAX, "%s%s%.*s%s%s", whole ? "" : dir,
                         whole ? "" : "/", (int)n, folder, n ? "/" : "",
                         name);
    return used > 0 && used < PATH_MAX;
}

static bool find_program (const char *program, const char *dir,
                          const char *path, char full[PATH_MAX])
{
    if (strchr (program, '/'))
        return join_path (full, dir, "", 0, program)
               && access (full, X_OK) == 0;
    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        n = strcspn (path, ":");
        if (join_path (full, dir, path, n, program)
            && access (full, X_OK) == 0)
            return true;
    }
    return false;
}

/* Whether it becomes, or waits for, a program that its words name. */
static bool leads_on (const char *program)
{
    static const char *const names[]
        = {"chrt",  "env",    "ionice", "nice", "nohup", "numactl",
           "setsid", "stdbuf", "taskset", "time", "timeout"};
    const char *slash = strrchr (program, '/');
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp (slash ? slash + 1 : program, names[i]))
            return true;
    return false;
}

/* After a program that leads on, a word that cannot be run is an option or its
 * value. */
enum mpi_kind mpi_kind_of (char *const words[], const char *dir,
                           const char *path)
{
    char full[PATH_MAX];
    bool behind = false;
    dir = dir && *dir ? dir : ".";
    path = path && *path ? path : getenv ("PATH");
    for (; *words; words++) {
        bool found = find_program (*words, dir, path, full);
        if (found && !leads_on (*words))
            return mpi_kind_of_file (full);
        if (!found && !behind)
            return MPI_KIND_NONE;
        behind = true;
    }
    return MPI_KIND_NONE;
}
