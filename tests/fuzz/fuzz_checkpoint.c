/* Checkpoints of a network. The input is the body of a file; its header, with
 * a checksum that is right, is put in front of it, so that what is tried is
 * what lies behind the checksum. A state that is accepted can be loaded, is
 * sound, and what is written of it is read as the same. */
#include <tori/tori.h>
#include <zlib.h>

#include "fuzz.h"

enum { HEADER = 16 + 4 + 8 + 4, MOST_CYCLES = 5000, MOST_BYTES = 1 << 16 };

static void put (uint8_t *at, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint8_t *with_header (const uint8_t *body, size_t size)
{
    uint8_t *bytes = malloc (HEADER + size);
    MUST (bytes);
    memcpy (bytes, "tori checkpoint\n", 16);
    put (bytes + 16, 1, 4);
    put (bytes + 20, size, 8);
    put (bytes + 28, crc32 (crc32 (0, NULL, 0), body, (uInt)size), 4);
    if (size > 0)
        memcpy (bytes + HEADER, body, size);
    return bytes;
}

/* The file of a state, through a pipe, which holds that much. */
static size_t write_state (const tori_saved *saved, uint8_t *bytes)
{
    char path[32];
    ssize_t n;
    int fd[2];
    MUST (pipe (fd) == 0);
    snprintf (path, sizeof path, "/proc/self/fd/%d", fd[1]);
    MUST (tori_saved_write (saved, path, NULL) == 0);
    n = read (fd[0], bytes, MOST_BYTES);
    MUST (n > 0);
    close (fd[0]);
    close (fd[1]);
    return (size_t)n;
}

/* What is written is read as the same state. */
static void check_written (const tori_net *net, const tori_box *box,
                           const tori_saved *saved)
{
    uint8_t *first = malloc (MOST_BYTES), *second = malloc (MOST_BYTES);
    struct fuzz_file file;
    tori_saved *again;
    size_t n;
    MUST (first && second);
    n = write_state (saved, first);
    file = fuzz_file (first, n);
    MUST (tori_saved_read (net, box, file.path, &again, NULL) == 0);
    MUST (write_state (again, second) == n && memcmp (first, second, n) == 0);
    tori_saved_destroy (again);
    fuzz_file_close (&file);
    free (first);
    free (second);
}

static void load (tori_net *net, const tori_box *box, tori_saved *saved)
{
    tori_error err = {0};
    tori_drain *drain;
    tori_net_run (net, tori_saved_time (saved), false);
    MUST (tori_drain_start (net, box, NULL, &drain, NULL) == 0);
    while (!tori_drain_done (drain))
        tori_net_step (net);
    if (tori_drain_load (drain, saved, &err) < 0) {
        MUST (err.text[0] != '\0');
        tori_saved_destroy (saved);
        tori_drain_release (drain);
        return;
    }
    tori_drain_release (drain);
    MUST (tori_net_check (net, NULL) == 0);
    for (int i = 0; i < MOST_CYCLES; i++)
        tori_net_step (net);
    MUST (tori_net_check (net, NULL) == 0);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    const tori_net_config config = {.switching = TORI_CUT_THROUGH,
                                    .buffer = 4,
                                    .packet = 4};
    uint8_t *bytes = with_header (data, size);
    struct fuzz_file file = fuzz_file (bytes, HEADER + size);
    tori_machine *machine;
    tori_saved *saved;
    tori_net *net;
    tori_net_config own;
    tori_box box, its;
    tori_error err = {0};
    MUST (tori_machine_parse ("torus:4", &machine, NULL) == 0);
    MUST (tori_net_create (machine, &config, &net, NULL) == 0);
    MUST (tori_box_parse (machine, "0/4", &box, NULL) == 0);
    if (tori_saved_describe (machine, file.path, &own, &its, &err) < 0)
        fuzz_refused (&file, &err);
    if (tori_saved_read (net, &box, file.path, &saved, &err) < 0) {
        fuzz_refused (&file, &err);
    } else {
        check_written (net, &box, saved);
        load (net, &box, saved);
    }
    tori_net_destroy (net);
    tori_machine_destroy (machine);
    fuzz_file_close (&file);
    free (bytes);
    return 0;
}
