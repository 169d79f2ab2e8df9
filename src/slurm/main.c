/* main.c - tori-slurm: an executor of torid whose jobs are Slurm's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "bridge.h"
#include "duration.h"
#include "number.h"
#include "startup.h"

struct values {
    struct about about;
    const char *machine, *nodes, *map, *partitions, *lock;
    int order;
    bool names;
    struct fraction every;
    tori_time patience, estimate, fail_open;
};

/* ---- with torid ---- */

/* Orders are carried out in turn; one that slurmctld does not hear waits, and
 * those after it. */
static void obey_all (struct bridge *bridge)
{
    while (json_array_size (bridge->todo) > 0
           && bridge_obey (bridge, json_array_get (bridge->todo, 0)) == 0)
        json_array_remove (bridge->todo, 0);
}

static void take_orders (struct bridge *bridge)
{
    json_t *order;
    if (!lines_fill (&bridge->lines, STDIN_FILENO))
        bridge->alone = true;
    while ((order = lines_next (&bridge->lines)))
        json_array_append_new (bridge->todo, order);
}

/* Said once, not for every beat that it lasts. */
static void note_absence (int status, const tori_error *err, bool *away)
{
    if (status != 0 && !*away)
        fprintf (stderr, "tori-slurm: slurmctld does not answer: %s\n",
                 err->text);
    if (status == 0 && *away)
        fputs ("tori-slurm: slurmctld answers again\n", stderr);
    *away = status != 0;
}

static int beat_of (const struct values *v)
{
    double beat = 1000 * fraction_value (v->every);
    return beat < 10 ? 10 : beat > 60000 ? 60000 : (int)beat;
}

static void serve (struct bridge *bridge, int beat)
{
    bool away = false;
    bridge_say (bridge, json_pack ("{s:s, s:i}", "is", "ready", "version", 1));
    while (!bridge->alone) {
        struct pollfd input = {STDIN_FILENO, POLLIN, 0};
        tori_error err = {0};
        int status = bridge_look (bridge, &err);
        note_absence (status, &err, &away);
        if (status == 0)
            obey_all (bridge);
        if (poll (&input, 1, beat) > 0)
            take_orders (bridge);
    }
}

/* ---- without ---- */

/* The lock is with whoever speaks for torid. One that torid has left gives it
 * up, and looks whether there is another now. */
static int open_lock (const char *path, tori_error *err)
{
    int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && flock (fd, LOCK_EX) == 0)
        return fd;
    if (fd >= 0)
        close (fd);
    return tori_error_set (err, TORI_FAILED, "%s: %s", path, strerror (errno));
}

static void wait_alone (struct bridge *bridge, int lock, tori_time most)
{
    struct timespec second = {.tv_sec = 1};
    time_t since = time (NULL);
    tori_error err = {0};
    bool open = false;
    do {
        if (!open && (tori_time)(time (NULL) - since) >= most / TORI_SECOND) {
            fputs ("tori-slurm: torid is gone; Slurm places what waits\n",
                   stderr);
            open = true;
        }
        if (open && bridge_look (bridge, &err) == 0)
            bridge_open (bridge);
        flock (lock, LOCK_UN);
        nanosleep (&second, NULL);
    } while (flock (lock, LOCK_EX | LOCK_NB) == 0);
}

/* ---- the command ---- */

static int parse_time (const char *text, void *to, tori_error *err)
{
    return duration_parse (text, to, err);
}

static const struct option options[] = {
    {.name = "machine",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, machine),
     .value = "KIND:SIZES",
     .help = "the machine, as torid has it"},
    {.name = "nodes",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, nodes),
     .value = "PATTERN",
     .without = "map",
     .help = "its nodes in Slurm, such as n[0-63], in the order of their "
             "numbers"},
    {.name = "fastest",
     .kind = OPTION_CHOICE,
     OPTION_AT (struct values, order),
     .value = "WHICH",
     .fallback = "last",
     .choices = nodemap_order_name,
     .with = "nodes",
     .help = "the dimension that varies fastest there: in Slurm's own tori "
             "that is the first"},
    {.name = "map",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, map),
     .value = "FILE",
     .file = FILE_READ,
     .help = "the same as lines 'NAME COORDINATES'"},
    {.name = "partitions",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, partitions),
     .value = "NAME,...",
     .help = "the partitions that torid places; if not given, all"},
    {.name = "every",
     .kind = OPTION_FRACTION,
     OPTION_AT (struct values, every),
     .value = "SECONDS",
     .fallback = "0.5",
     .positive = true,
     .help = "how often Slurm is asked"},
    {.name = "patience",
     .kind = OPTION_PARSED,
     OPTION_AT (struct values, patience),
     .value = "TIME",
     .fallback = "1m",
     .parse = parse_time,
     .help = "a job that Slurm has not started so long after its release is "
             "placed anew"},
    {.name = "estimate",
     .kind = OPTION_PARSED,
     OPTION_AT (struct values, estimate),
     .value = "TIME",
     .fallback = "1d",
     .parse = parse_time,
     .help = "how long jobs without a time limit are taken to run"},
    {.name = "fail-open",
     .kind = OPTION_PARSED,
     OPTION_AT (struct values, fail_open),
     .value = "TIME",
     .parse = parse_time,
     .with = "lock",
     .help = "if torid is gone for so long, Slurm places what waits; if not "
             "given, it waits for torid"},
    {.name = "lock",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, lock),
     .value = "FILE",
     .file = FILE_WRITTEN,
     .help = "by which two of these programs know of each other"},
    {.name = "names",
     .kind = OPTION_FLAG,
     OPTION_AT (struct values, names),
     .aside = true,
     .help = "print all nodes as a file for --map, and end"},
    OPTION_ROWS_ABOUT (struct values),
    {.name = NULL},
};

static const struct command command_slurm;

static int read_map (const struct values *v, tori_machine **ret_machine,
                     struct nodemap *map, tori_error *err)
{
    const struct option_rule rules[] = {
        {!v->machine, "--machine KIND:SIZES is missing; see 'tori-slurm "
                      "--help'"},
        {!v->nodes && !v->map, "--nodes PATTERN or --map FILE is missing; "
                               "see 'tori-slurm --help'"}};
    if (options_check (rules, sizeof rules / sizeof rules[0], err) < 0
        || tori_machine_parse (v->machine, ret_machine, err) < 0)
        return -1;
    return v->map ? nodemap_file (map, *ret_machine, v->map, err)
                  : nodemap_pattern (map, *ret_machine, v->nodes,
                                     (enum nodemap_order)v->order, err);
}

static void print_names (const struct nodemap *map, FILE *out)
{
    char text[TORI_TEXT_MAX];
    for (uint32_t i = 0; i < map->n; i++) {
        tori_node_format (map->machine, i, text);
        fprintf (out, "%s %s\n", map->names[i], text);
    }
}

static int bridge_run (const struct values *v, const struct nodemap *map,
                       tori_error *err)
{
    struct bridge bridge = {.map = map,
                            .partitions = v->partitions,
                            .estimate = v->estimate / TORI_SECOND,
                            .patience = (double)v->patience / TORI_SECOND};
    int lock = v->lock ? open_lock (v->lock, err) : -1;
    int status = v->lock && lock < 0 ? -1 : bridge_begin (&bridge, err);
    if (status == 0) {
        slurm_init (NULL);
        serve (&bridge, beat_of (v));
        if (v->fail_open > 0)
            wait_alone (&bridge, lock, v->fail_open);
    }
    bridge_clear (&bridge);
    if (lock >= 0)
        close (lock);
    return status;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    tori_machine *machine = NULL;
    struct nodemap map = {0};
    int status;
    if (about_done (&v->about, &command_slurm, out, &status, err))
        return status;
    signal (SIGPIPE, SIG_IGN);
    setenv ("SLURM_BITSTR_LEN", "0", 1); /* all tasks of an array */
    status = read_map (v, &machine, &map, err);
    if (status == 0 && v->names)
        print_names (&map, out);
    else if (status == 0)
        status = bridge_run (v, &map, err);
    nodemap_clear (&map);
    tori_machine_destroy (machine);
    return status;
}

static const struct command command_slurm = {
    .name = "tori-slurm",
    .section = 8,
    .summary = "Let torid place the jobs of a Slurm cluster",
    .notes = "An executor of torid. Jobs of Slurm that are held in the "
             "partitions it watches are submitted to torid, and released onto "
             "the nodes that torid has chosen. Whatever it has to remember "
             "is in Slurm, in the comments of the administrator, so it may "
             "be ended and started at any time.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "torid --machine torus:4x4x4 --state DIR --executor \\\n"
                "    \"tori-slurm --machine torus:4x4x4 "
                "--nodes 'n[0-63]'\"",
    .run = run,
};

int main (int argc, char **argv)
{
    return startup (&command_slurm, NULL, argc, argv);
}
