#include "rank_parts.h"

#include "front.h"
#include "hosting.h"
#include "rankshare.h"

void rank_lose (struct rank *rank, uint32_t dead)
{
    struct wire wire = {.kind = WIRE_FALLEN, .index = dead};
    if (rank->quit || dead >= rank->size || rank->dead[dead])
        return;
    if (rank->self == 0)
        front_lost (rank, dead);
    else if (dead == 0)
        tori_error_set (&rank->err, TORI_FAILED, "the first rank has died");
    else
        rank_send (rank, 0, &wire, NULL);
}

/* Drop a job that had a process on a dead rank. */
static void drop_lost (struct rank *rank)
{
    for (size_t i = rank->tasks; i-- > 0;) {
        struct task *task = rank->task[i];
        if (task->node == TORI_GANG_NONE /* begins again at rank 0 */
            || hosting_lost (rank, task->spec, task->node))
            task_remove (rank, task);
    }
}

static void say_ready (struct rank *rank)
{
    struct wire wire = {.kind = WIRE_READY, .era = rank->era};
    struct bytes bytes = {0};
    for (size_t i = 0; i < rank->tasks; i++)
        if (rank->task[i]->owned)
            packed_add (&bytes, PACKED_TASK, &rank->task[i]->id, &rank->err);
    wire.bytes = (uint32_t)bytes.n;
    rank_send (rank, 0, &wire, bytes.data);
    bytes_clear (&bytes);
}

void era_end (struct rank *rank, const struct wire *wire, const char *data)
{
    rank->era = wire->era;
    rank->halted = true;
    for (uint32_t i = 0; i < rank->size; i++)
        if (data[i]) {
            rank->dead[i] = true;
            peers_lost (rank->peers, i);
        }
    shares_stop (rank);
    for (size_t i = 0; i < rank->tasks; i++)
        task_changed (rank, rank->task[i]);
    shares_hear_early (rank);
    drop_lost (rank);
    hosting_begin (rank);
    say_ready (rank);
}

void rank_activate (struct rank *rank)
{
    struct wire wire = {.kind = WIRE_TREE};
    wire.tree = (tori_gang_message){.kind = TORI_GANG_ACTIVATE,
                                    .from = TORI_GANG_HOST,
                                    .end = TORI_GANG_FOREVER};
    if (rank->self == 0)
        rank_send (rank, 0, &wire, NULL);
}

/* The jobs that are left come back into their queues, except those whose
 * processors all began before and report that they sleep. Some processors may
 * not have heard of the jobs before the era, or that they are to end; the
 * others know already. */
void era_begin (struct rank *rank, const struct wire *wire, const char *data)
{
    if (wire->era != rank->era)
        return;
    rank->halted = false;
    for (size_t i = 0; i < rank->tasks; i++) {
        struct task *task = rank->task[i];
        if (!task->owned || task->left == 0)
            continue;
        if (!task->asleep)
            task_tell_node (rank, task, TORI_GANG_RESUME);
        task_launch (rank, task);
        if (task->ending)
            task_relay_end (rank, task);
    }
    rank_activate (rank);
}
