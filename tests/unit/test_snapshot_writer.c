/* Snapshots that another process writes: what becomes of them when memory runs
 * out on either side. */
#include <stddef.h>
#include <stdint.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "torid.h"

enum { JOBS = 400 };

/* ---- memory that runs out ---- */

static bool fails;        /* the next time that an array grows */
static char warning[512]; /* the last in the log */

/* The names are the linker's. */
#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#endif

void *__real_array_grow (void *items, size_t *room, size_t need, size_t size);
void *__wrap_array_grow (void *items, size_t *room, size_t need, size_t size);
void __wrap_torid_log (const struct torid *torid, enum level level,
                       const char *event, const char *fmt, ...);

void *__wrap_array_grow (void *items, size_t *room, size_t need, size_t size)
{
    if (fails)
        return NULL;
    return __real_array_grow (items, room, need, size);
}

void __wrap_torid_log (const struct torid *torid, enum level level,
                       const char *event, const char *fmt, ...)
{
    if (level == LEVEL_WARNING)
        snprintf (warning, sizeof warning, "%s", event);
}

#pragma GCC diagnostic pop

/* ---- a torid with jobs ---- */

static char folder[64], path[80];

/* Each asks for something else, so that each is written in full. */
static void submit (struct service *service, int i)
{
    char text[3000];
    json_t *input;
    struct reply reply = {0};
    memset (text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    text[i] = 'y';
    input = json_pack ("{s:s, s:s, s:[{s:i, s:i, s:[s, s], s:b}]}", "in",
                       "submit", "user", "ann", "jobs", "count", 1, "estimate",
                       60, "command", "true", text, "hold", 1);
    assert_int_equal (service_do (service, TORI_SECOND, input, &reply, NULL),
                      0);
    assert_int_equal (reply.code, 201);
    json_decref (reply.body);
    json_decref (input);
}

static void begin (struct torid *torid)
{
    static const tori_alloc_config mm = {.size = sizeof mm, .name = "mm"};
    const tori_sched_config config = {.size = sizeof config,
                                      .policy = "easy",
                                      .alloc = TORI_ALLOC ("first-fit"),
                                      .counts = &mm};
    *torid = (struct torid){.state = folder};
    assert_int_equal (tori_machine_parse ("mesh:4", &torid->machine, NULL), 0);
    assert_int_equal (
        service_create (torid->machine, &config, &torid->service, NULL), 0);
    assert_int_equal (journal_open (path, &torid->journal, NULL), 0);
    for (int i = 0; i < JOBS; i++)
        submit (torid->service, i);
    assert_int_equal (journal_add (torid->journal, 'r', "{}", 2, NULL), 0);
    uv_loop_init (&torid->loop);
    torid->errands.loop = &torid->loop;
    fails = false;
    *warning = 0;
}

static void end (struct torid *torid)
{
    struct effect effect;
    snapshot_writer_stop (torid);
    assert_int_equal (uv_loop_close (&torid->loop), 0);
    while (service_next (torid->service, &effect))
        json_decref (effect.value);
    journal_close (torid->journal);
    service_destroy (torid->service);
    tori_machine_destroy (torid->machine);
    unlink (path);
}

/* ---- tests ---- */

TEST (written)
{
    struct torid torid;
    char *text;
    size_t n = 0;
    begin (&torid);
    text = service_save (torid.service, &n);
    assert_int_equal (snapshot_writer_begin (&torid, NULL), 0);
    uv_run (&torid.loop, UV_RUN_DEFAULT);
    assert_string_equal (warning, "");
    assert_int_equal (torid.writer.errand.pid, 0);
    assert_int_equal (journal_saved (torid.journal), 1);
    assert_true (text && n > (size_t)JOBS * 2900);
    free (text);
    end (&torid);
}

/* The reader stops: the writer is not waited for, and the next one may come.
 */
TEST (no_memory_to_read_it)
{
    struct torid torid;
    begin (&torid);
    alarm (60); /* it used to wait for ever */
    assert_int_equal (snapshot_writer_begin (&torid, NULL), 0);
    fails = true;
    uv_run (&torid.loop, UV_RUN_DEFAULT);
    fails = false;
    assert_string_equal (warning, "no-snapshot");
    assert_int_equal (torid.writer.errand.pid, 0);
    assert_int_equal (journal_saved (torid.journal), 0);
    assert_int_equal (snapshot_writer_begin (&torid, NULL), 0);
    uv_run (&torid.loop, UV_RUN_DEFAULT);
    assert_int_equal (journal_saved (torid.journal), 1);
    alarm (0);
    end (&torid);
}

int main (void)
{
    int status;
    snprintf (folder, sizeof folder, "%s/tori-saver-XXXXXX",
              access ("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp (folder))
        return 1;
    snprintf (path, sizeof path, "%s/journal", folder);
    status = run_cases (NULL, NULL);
    rmdir (folder);
    return status;
}
