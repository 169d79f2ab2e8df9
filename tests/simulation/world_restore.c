/* world_restore.c - backups of the state directory that are put back: what has
 * happened since then is lost to torid, but not to the executor. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worlds.h"

struct backup {
    struct fact *facts; /* up to this number */
    uint64_t highest;
    json_int_t keys[2][64][2];
    struct node_fact nodes[64];
    size_t processes; /* that had begun */
    bool marked;      /* when it was last put back */
    uint32_t epoch;
    struct witness *witness;
    char mark[256];
};

static void name_mark (char to[128])
{
    snprintf (to, 128, "%s.mark", disk_state ());
}

/* ---- backups ---- */

static void read_mark (char to[256])
{
    char path[128];
    int fd;
    ssize_t n;
    name_mark (path);
    fd = open (path, O_RDONLY | O_CLOEXEC);
    n = fd >= 0 ? read (fd, to, 255) : 0;
    to[n > 0 ? n : 0] = 0;
    if (fd >= 0)
        close (fd);
}

void restore_end (struct world *w)
{
    if (w->backup) {
        free (w->backup->facts);
        check_forget (w->backup->witness);
    }
    free (w->backup);
    w->backup = NULL;
}

void restore_back_up (struct world *w)
{
    struct backup *b;
    if (!service_identity (w->torid.service) || !disk_back_up ())
        return;
    restore_end (w);
    w->backup = b = calloc (1, sizeof *b);
    b->highest = w->highest;
    b->facts = calloc (w->highest + 1, sizeof *b->facts);
    memcpy (b->facts, w->facts, (w->highest + 1) * sizeof *b->facts);
    memcpy (b->keys, w->keys, sizeof b->keys);
    memcpy (b->nodes, w->nodes, sizeof b->nodes);
    b->processes = w->executor.n;
    b->witness = check_before (w);
    read_mark (b->mark);
    world_note (w, "backup", NULL);
}

/* ---- and back ---- */

static void put_mark (const char *path, const char *text)
{
    FILE *file = fopen (path, "we");
    if (!file || fputs (text, file) < 0 || fclose (file) != 0)
        abort ();
}

static void choose_mark (struct world *w)
{
    char path[128];
    uint64_t how = w->gaps_n < WORLD_GAPS ? dice (w, 4) : 3;
    name_mark (path);
    if (how < 2) { /* a file of its own, as a copy is */
        w->mark.number = dice (w, 2);
        w->mark.born++;
        put_mark (path, how == 0 ? "" : w->backup->mark);
    }
    world_note (w, how == 0 ? "no mark" : how == 1 ? "an old mark" : "a mark",
                NULL);
    w->backup->marked = how >= 2;
}

/* After a restore, users remember the later numbers, and that they cancelled
 * some of these jobs. */
static void forget_future (struct world *w)
{
    const struct backup *b = w->backup;
    for (uint64_t id = 1; id <= w->highest; id++) {
        struct fact *fact = &w->facts[id];
        bool created = fact->created, unwanted = fact->unwanted;
        *fact = id <= b->highest ? b->facts[id] : (struct fact){0};
        fact->created |= created;
        fact->unwanted |= unwanted;
    }
    memcpy (w->keys, b->keys, sizeof w->keys);
    memcpy (w->nodes, b->nodes, sizeof w->nodes);
}

struct witness *restore_put_back (struct world *w)
{
    world_note (w, "a backup is put back", NULL);
    w->seen.restores++;
    disk_put_back ();
    client_think_again (w);
    forget_future (w);
    choose_mark (w);
    return check_copy (w->backup->witness);
}

/* ---- whom torid knows ---- */

static bool is_known (const struct world *w, const struct process *p)
{
    const struct service *service = w->torid.service;
    const struct service_job *job = job_table_find (&service->jobs, p->job);
    char state[STATE_WORD];
    if (!job || !attempt_is (job->life, ATTEMPT_IS_OUT)
        || job->attempt != p->attempt)
        return false;
    origin_word (service, job->epoch, state);
    return !strcmp (state, p->state);
}

void restore_look (struct world *w)
{
    for (size_t i = 0; i < w->executor.n; i++) {
        struct process *p = &w->executor.all[i];
        if (is_known (w, p))
            p->lost = p->forgotten;
        else
            p->lost |= i >= w->backup->processes;
        w->seen.strangers += p->lost && p->runs;
    }
    w->backup->epoch = service_epoch (w->torid.service);
}

/* Without a mark, torid does not know which numbers were given when the same
 * backup was put back before. */
static void allow_again (struct world *w)
{
    uint64_t id = service_next_id (w->torid.service);
    for (; id <= w->highest; id++)
        w->facts[id] = (struct fact){0};
}

/* The mark may be that of the backup, if nothing has happened since. */
void restore_notice (struct world *w)
{
    const struct service *service = w->torid.service;
    w->unheard = service_epoch (service) > w->backup->epoch;
    w->unsure |= w->unheard;
    if (!w->backup->marked)
        allow_again (w);
    if (!w->unheard)
        for (size_t i = 0; i < w->executor.n; i++)
            if (w->executor.all[i].lost && w->executor.all[i].runs)
                world_broken (w, "torid does not see that it has gone back");
    if (service_next_id (service) > w->highest + 1000) {
        w->gaps[w->gaps_n].from = w->highest + 1;
        w->gaps[w->gaps_n++].until = service_next_id (service);
        w->highest = service_next_id (service) - 1;
    }
}

static bool is_stranger (const struct world *w, const struct process *p)
{
    char name[STATE_WORD + 48];
    snprintf (name, sizeof name, "%llu.%lld.%s", (unsigned long long)p->job,
              (long long)p->attempt, p->state);
    return json_object_get (w->torid.service->strangers, name);
}

void restore_hear (struct world *w)
{
    w->unheard = false;
    for (size_t i = 0; i < w->executor.n; i++) {
        const struct process *p = &w->executor.all[i];
        if (p->lost && p->runs && !is_stranger (w, p))
            world_broken (w, "attempt %lld of job %llu is not reported",
                          (long long)p->attempt, (unsigned long long)p->job);
    }
    if (w->resting || chance (w, 4))
        restore_release_all (w);
}

/* Those that it has not heard of yet are told of when it has: then again. */
void restore_release_all (struct world *w)
{
    for (size_t i = 0; i < w->executor.n; i++) {
        struct process *p = &w->executor.all[i];
        if (!p->lost || !p->runs)
            continue;
        p->unwanted = true;
        json_decref (world_tell (w, json_pack ("{s:s, s:b, s:I}", "in",
                                               "end-unknown", "root", 1, "id",
                                               (json_int_t)p->job))
                         .body);
    }
}
