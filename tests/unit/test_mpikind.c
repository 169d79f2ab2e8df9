/* Programs that need one library: the kind follows its name. A file that is cut
 * or damaged anywhere is of some kind, too, and nothing outside it is read. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpikind.h"
#include "random.h"
#include "spec.h"
#include "support.h"

/* The least of a program that says what it needs. */
struct program {
    ElfW (Ehdr) head;
    ElfW (Phdr) part[2];
    ElfW (Dyn) entry[3];
    char names[64];
};

#define ADDRESS 0x400000

static struct program program_with (const char *library)
{
    struct program p = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
                             sizeof (void *) == 8 ? ELFCLASS64 : ELFCLASS32},
                 .e_phoff = offsetof (struct program, part),
                 .e_phentsize = sizeof (ElfW (Phdr)),
                 .e_phnum = 2},
        .part = {{.p_type = PT_LOAD,
                  .p_vaddr = ADDRESS,
                  .p_filesz = sizeof p},
                 {.p_type = PT_DYNAMIC,
                  .p_offset = offsetof (struct program, entry),
                  .p_filesz = sizeof p.entry}},
        .entry = {{.d_tag = DT_NEEDED, .d_un.d_val = 1},
                  {.d_tag = DT_STRTAB,
                   .d_un.d_ptr = ADDRESS + offsetof (struct program, names)},
                  {.d_tag = DT_NULL}},
    };
    snprintf (p.names + 1, sizeof p.names - 1, "%s", library);
    return p;
}

static enum mpi_kind kind_of (const void *data, size_t n)
{
    char path[] = "mpikind-XXXXXX";
    int fd = mkstemp (path);
    enum mpi_kind kind;
    assert_true (fd >= 0);
    assert_int_equal (write (fd, data, n), (ssize_t)n);
    close (fd);
    kind = mpi_kind_of_file (path);
    unlink (path);
    return kind;
}

TEST (kinds)
{
    static const struct {
        const char *library;
        enum mpi_kind kind;
    } known[] = {{"libmpich.so.12", MPI_KIND_MPICH},
                 {"libmpi.so.12", MPI_KIND_MPICH},
                 {"libmpi.so.40", MPI_KIND_OPEN},
                 {"libmpi.so", MPI_KIND_NONE},
                 {"libm.so.6", MPI_KIND_NONE},
                 {"", MPI_KIND_NONE}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct program p = program_with (known[i].library);
        assert_int_equal (kind_of (&p, sizeof p), known[i].kind);
    }
    assert_int_equal (kind_of ("#!/bin/sh\n", 10), MPI_KIND_NONE);
    assert_int_equal (mpi_kind_of_file ("no such file"), MPI_KIND_NONE);
    assert_int_equal (mpi_kind_of_file ("/"), MPI_KIND_NONE);
}

/* Programs that lead on to another, with their options; a script says nothing.
 */
TEST (behind)
{
    static const struct {
        const char *line;
        enum mpi_kind kind;
    } known[] = {
        {"./mpikind-program", MPI_KIND_OPEN},
        {"env A=b nice -n 5 ./mpikind-program", MPI_KIND_OPEN},
        {"/usr/bin/env timeout 5 mpikind-program a", MPI_KIND_OPEN},
        {"sh ./mpikind-program", MPI_KIND_NONE},
        {"nice sh ./mpikind-program", MPI_KIND_NONE},
        {"./mpikind-missing ./mpikind-program", MPI_KIND_NONE},
        {"env", MPI_KIND_NONE},
    };
    struct program p = program_with ("libmpi.so.40");
    int fd = open ("mpikind-program", O_CREAT | O_WRONLY | O_TRUNC, 0755);
    assert_int_equal (write (fd, &p, sizeof p), (ssize_t)sizeof p);
    close (fd);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct spec *spec;
        assert_int_equal (spec_parse_line (known[i].line, &spec, NULL), 0);
        assert_int_equal (mpi_kind_of (spec->stage[0].argv, NULL,
                                       "/usr/bin:/bin:."),
                          known[i].kind);
        spec_destroy (spec);
    }
    unlink ("mpikind-program");
}

/* The name ends 12 characters after it begins. */
TEST (cut)
{
    struct program p = program_with ("libmpi.so.40");
    size_t whole = offsetof (struct program, names) + 1 + 12;
    for (size_t n = 0; n <= sizeof p; n++)
        assert_int_equal (kind_of (&p, n),
                          n > whole ? MPI_KIND_OPEN : MPI_KIND_NONE);
}

/* A sanitizer, or the end of a page, notices what is read past the end. */
TEST (damaged)
{
    struct rng rng = seeded (31);
    size_t kept = 0, lost = 0;
    for (size_t i = 0; i < random_cases (4000); i++) {
        struct program p = program_with ("libmpi.so.40");
        unsigned char *bytes = (unsigned char *)&p;
        for (uint32_t n = between (&rng, 1, 3); n > 0; n--)
            bytes[between (&rng, 0, sizeof p - 1)]
                = (unsigned char)between (&rng, 0, 255);
        if (kind_of (&p, sizeof p) == MPI_KIND_OPEN)
            kept++;
        else
            lost++;
    }
    assert_true (kept > random_cases (400) && lost > random_cases (400));
}
