/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "controller.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "versions.h"

/* ---- what slurmctld has ---- */

extern int node_record_count __attribute__ ((weak));
bitstr_t *slurm_bit_alloc (int64_t n);
void slurm_bit_set_all (bitstr_t *bits);
void slurm_bit_free (bitstr_t **bits);
char *bitmap2node_name (bitstr_t *bits) __attribute__ ((weak));
void slurm_xfree (void **memory);
void *slurm_init_buf (uint32_t size);
void *find_part_record (char *name) __attribute__ ((weak));
void pack_part (void *record, void *buffer, uint16_t protocol)
    __attribute__ ((weak));
#if SLURM_IS_SINCE(26, 5)
char *slurm_xfer_buf_data_ptr (void **buffer);
#define TAKE_DATA(buffer) slurm_xfer_buf_data_ptr (&(buffer))
#else
char *slurm_xfer_buf_data (void *buffer);
#define TAKE_DATA(buffer) slurm_xfer_buf_data (buffer)
#endif
#if SLURM_IS_SINCE(24, 5)
void *pack_one_node (uint16_t flags, uid_t uid, char *name, uint16_t protocol)
    __attribute__ ((weak));
#else
void pack_one_node (char **ret_data, int *ret_size, uint16_t flags, uid_t uid,
                    char *name, uint16_t protocol) __attribute__ ((weak));
#endif

/* Every release packs by `protocol >= its own`: this is the newest form. */
enum { NEWEST = UINT16_MAX };

/* ---- packed messages ---- */

static uint32_t take_number (const unsigned char **data, int bytes)
{
    uint32_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | *(*data)++;
    return value;
}

/* A text is its length and that many bytes. */
static void skip_text (const unsigned char **data)
{
    uint32_t n = take_number (data, 4);
    *data += n;
}

/* ---- nodes ---- */

static char *pack_node (char *name)
{
#if SLURM_IS_SINCE(24, 5)
    void *buffer = pack_one_node (SHOW_ALL, 0, name, NEWEST);
    return TAKE_DATA (buffer);
#else
    char *data = NULL;
    int size;
    pack_one_node (&data, &size, SHOW_ALL, 0, name, NEWEST);
    return data;
#endif
}

/* The count of nodes, the time and, in newer ones, a set; then of the node its
 * name, host and two addresses, its port, two states, its release, and its
 * processors. */
static uint32_t cpus_of (char *name)
{
    enum {
        HEAD = 8 + 4 * SLURM_IS_SINCE (24, 11),
        BETWEEN = 2 * SLURM_IS_SINCE (25, 5) + 2 + 4 + 4,
        TEXTS = 4
    };
    char *packed = pack_node (name);
    const unsigned char *data = (const unsigned char *)packed;
    uint32_t cpus = 0;
    if (data && take_number (&data, 4) == 1) {
        data += HEAD;
        for (int i = 0; i < TEXTS; i++)
            skip_text (&data);
        data += BETWEEN;
        skip_text (&data);
        cpus = take_number (&data, 2);
    }
    slurm_xfree ((void **)&packed);
    return cpus;
}

static char *name_all (void)
{
    bitstr_t *all = slurm_bit_alloc (node_record_count);
    char *names;
    slurm_bit_set_all (all);
    names = bitmap2node_name (all);
    slurm_bit_free (&all);
    return names;
}

uint32_t controller_cpus (void)
{
    uint32_t most = 0;
    struct hostlist *names;
    char *text, *name;
    if (!&node_record_count || !bitmap2node_name || !pack_one_node)
        return 0;
    text = name_all ();
    names = slurm_hostlist_create (text);
    slurm_xfree ((void **)&text);
    while (names && (name = slurm_hostlist_shift (names))) {
        uint32_t cpus = cpus_of (name);
        most = cpus > most ? cpus : most;
        free (name);
    }
    slurm_hostlist_destroy (names);
    return most;
}

/* ---- partitions ---- */

/* Its name, four numbers, the most and the least nodes of a job, and its
 * own. */
static struct controller_part read_part (char *name)
{
    enum { ROOM = 16384, BEFORE = 4 };
    struct controller_part part = {0};
    void *record = find_part_record (name), *buffer;
    const unsigned char *data;
    char *packed;
    if (!record)
        return part;
    buffer = slurm_init_buf (ROOM);
    pack_part (record, buffer, NEWEST);
    packed = TAKE_DATA (buffer);
    data = (const unsigned char *)packed;
    skip_text (&data);
    data += BEFORE * sizeof (uint32_t);
    part.most = take_number (&data, 4);
    take_number (&data, 4);
    part.nodes = take_number (&data, 4);
    slurm_xfree ((void **)&packed);
    return part;
}

struct controller_part controller_part (const char *list)
{
    struct controller_part best = {0};
    char *names = find_part_record && pack_part ? strdup (list) : NULL;
    char *rest = names, *name;
    bool limited = names != NULL;
    while (rest && (name = strsep (&rest, ","))) {
        struct controller_part one = read_part (name);
        best.nodes = one.nodes > best.nodes ? one.nodes : best.nodes;
        best.most = one.most > best.most ? one.most : best.most;
        limited &= one.most > 0 && one.most < NO_VAL;
    }
    free (names);
    if (!limited)
        best.most = 0;
    return best;
}
