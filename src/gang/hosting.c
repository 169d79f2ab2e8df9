#include "hosting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "rank_parts.h"

/* ---- the tree ---- */

static int make_machine (struct rank *rank)
{
    tori_error *err = &rank->err;
    char text[TORI_TEXT_MAX];
    const char *given = rank->config->machine;
    if (!*given)
        snprintf (text, sizeof text, "mesh:%u", rank->size);
    if (tori_machine_parse (*given ? given : text, &rank->machine, err) < 0)
        return -1;
    if (tori_machine_nodes (rank->machine) != rank->size)
        return tori_error_set (err, TORI_INVALID,
                               "%s has %u processors, and there are %u ranks",
                               given, tori_machine_nodes (rank->machine),
                               rank->size);
    return 0;
}

int hosting_open (struct rank *rank)
{
    if (make_machine (rank) < 0
        || tori_gang_tree_create (rank->machine,
                                  (uint32_t)rank->config->degree, 1,
                                  &rank->tree, &rank->err)
               < 0)
        return -1;
    rank->nodes = tori_gang_tree_nodes (rank->tree);
    rank->host = calloc (rank->nodes, sizeof *rank->host);
    rank->most = calloc (rank->nodes, sizeof *rank->most);
    rank->node = calloc (rank->nodes, sizeof *rank->node);
    rank->dead = calloc (rank->size, sizeof *rank->dead);
    if (!rank->host || !rank->most || !rank->node || !rank->dead)
        return tori_error_nomem (&rank->err);
    hosting_begin (rank);
    return rank_failed (rank) ? -1 : 0;
}

static void drop_nodes (struct rank *rank)
{
    for (uint32_t i = 0; rank->node && i < rank->nodes; i++) {
        tori_gang_node_destroy (rank->node[i]);
        rank->node[i] = NULL;
    }
    heap_clear (&rank->wakes);
}

void hosting_close (struct rank *rank)
{
    drop_nodes (rank);
    tori_gang_outbox_clear (&rank->out);
    free (rank->host);
    free (rank->most);
    free (rank->node);
    free (rank->dead);
    tori_gang_tree_destroy (rank->tree);
    tori_machine_destroy (rank->machine);
}

/* The host of a node is its first live processor. Subnodes have higher
 * numbers, so their largest whole partitions are known before their
 * supernode's. */
static void update_host (struct rank *rank, uint32_t node)
{
    tori_gang_place place;
    uint32_t *list, alive = 0;
    tori_gang_tree_place (rank->tree, node, &place);
    list = malloc (place.size * sizeof *list);
    if (!list) {
        tori_error_nomem (&rank->err);
        return;
    }
    tori_box_nodes (rank->machine, &place.box, list);
    rank->host[node] = TORI_GANG_NONE;
    for (uint32_t i = place.size; i-- > 0;)
        if (!rank->dead[list[i]]) {
            rank->host[node] = list[i];
            alive++;
        }
    free (list);
    rank->most[node] = alive == place.size ? alive : 0;
    for (uint32_t i = 0; i < place.children; i++)
        if (rank->most[place.first + i] > rank->most[node])
            rank->most[node] = rank->most[place.first + i];
}

static void make_node (struct rank *rank, uint32_t id)
{
    tori_gang_place place;
    if (rank->host[id] != rank->self
        || tori_gang_node_create (rank->tree, id, rank->config->policy,
                                  &rank->node[id], &rank->err)
               < 0)
        return;
    tori_gang_tree_place (rank->tree, id, &place);
    for (uint32_t i = 0; i < place.children; i++)
        tori_gang_node_limit (rank->node[id], i, rank->most[place.first + i]);
}

void hosting_begin (struct rank *rank)
{
    drop_nodes (rank);
    for (uint32_t i = rank->nodes; i-- > 0;)
        update_host (rank, i);
    for (uint32_t i = 0; i < rank->nodes; i++)
        make_node (rank, i);
}

bool hosting_lost (struct rank *rank, const struct spec *spec, uint32_t node)
{
    uint32_t count = spec_count (spec);
    struct layout layout;
    bool lost;
    if (layout_make (rank->tree, spec, node, &layout, &rank->err) < 0)
        return false;
    lost = rank->dead[tori_gang_tree_host (rank->tree, node)];
    for (uint32_t i = 0; i < count; i++)
        lost |= rank->dead[layout.processor[i]];
    layout_clear (&layout);
    return lost;
}

/* ---- what nodes send ---- */

/* The job goes with the message that looks for its place. */
static void send_tree (struct rank *rank, const tori_gang_message *message)
{
    struct wire wire = {.kind = WIRE_TREE, .tree = *message};
    struct task *task = message->kind == TORI_GANG_ADD_TASK
                            ? task_find (rank, message->task)
                            : NULL;
    uint32_t host = rank->host[message->to];
    struct bytes bytes = {0};
    if (host == TORI_GANG_NONE)
        return;
    if (task && host != rank->self) {
        spec_pack (task->spec, &bytes, &rank->err);
        wire.task = task->id;
        wire.bytes = (uint32_t)bytes.n;
        task_remove (rank, task);
    }
    rank_send (rank, host, &wire, bytes.data);
    bytes_clear (&bytes);
}

static const char *path_of (const struct spec *spec)
{
    for (char **var = spec->env; var && *var; var++)
        if (!strncmp (*var, "PATH=", 5))
            return *var + 5;
    return NULL;
}

/* The first process of a job is on the processor that hosts its node. So the
 * meeting point of an MPI program can be opened here, before any process
 * starts. */
static void prepare_mpi (struct task *task)
{
    const struct spec *spec = task->spec;
    struct card card = {0};
    if (spec->mpi)
        task->mpi = (enum mpi_kind)(spec->mpi - 1);
    else if (spec->stages == 1)
        task->mpi = mpi_kind_of (spec->stage[0].argv, spec->cwd,
                                 path_of (spec));
    if (task->mpi == MPI_KIND_NONE)
        return;
    task->door = door_open (&card, NULL);
    if (task->door < 0)
        task->no_door = errno;
    task->port = card.port;
}

/* The job's processes are started at once; they run when they have a turn.
 * This rank takes the time, because it also takes the times of the job's later
 * turns. */
static void on_placed (struct rank *rank, const tori_gang_message *message)
{
    struct task *task = task_find (rank, message->task);
    struct wire wire = {.kind = WIRE_PLACED,
                        .task = message->task,
                        .node = message->from};
    if (!task)
        return;
    task->node = message->from;
    task->owned = true;
    task->left = spec_count (task->spec);
    prepare_mpi (task);
    task_changed (rank, task);
    wire.time[0] = task->since;
    rank_send (rank, 0, &wire, NULL);
    task_launch (rank, task);
}

/* A job that came in the middle of a slot has the rest of it. */
static void count_turn (struct rank *rank, struct task *task,
                        const struct wire *wire)
{
    int64_t now = rank_now (rank);
    if (task->turns++ == 0)
        task->first_turn = wire->time[0] > now ? wire->time[0] : now;
    if (wire->time[0] > task->turn.until) {
        task->before = task->turn;
        task->turn.from = wire->time[0];
    }
    task->turn.until = wire->time[1];
}

/* A turn for a job that has been put to sleep since is void: after an order to
 * sleep comes an order to be awake, never a turn. */
static void on_run (struct rank *rank, const tori_gang_message *message)
{
    struct task *task = task_find (rank, message->task);
    struct wire wire = {.kind = WIRE_TURN,
                        .task = message->task,
                        .relay = message->from,
                        .time = {slot_time (rank, message->slot),
                                 slot_time (rank, message->slot + 1)}};
    if (!task || task->asleep)
        return;
    count_turn (rank, task, &wire);
    rank_send (rank, rank->self, &wire, NULL);
}

static void dispatch_message (struct rank *rank,
                              const tori_gang_message *message)
{
    switch (message->kind) {
    case TORI_GANG_WAKE:
        heap_push (&rank->wakes, message->slot, message->to, &rank->err);
        break;
    case TORI_GANG_RUN:
        on_run (rank, message);
        break;
    case TORI_GANG_PLACED:
        on_placed (rank, message);
        break;
    default:
        send_tree (rank, message);
    }
}

/* The tree is ahead of the clock. */
static int64_t tree_slot (struct rank *rank)
{
    int64_t since = rank_now (rank) - rank->epoch + rank->lead;
    return since < 0 ? 0 : since / rank->config->slot;
}

void hosting_deliver (struct rank *rank, const tori_gang_message *message)
{
    tori_gang_node *node
        = message->to < rank->nodes ? rank->node[message->to] : NULL;
    if (!node)
        return;
    rank->out.n = 0;
    tori_gang_node_handle (node, tree_slot (rank), message, &rank->out,
                           &rank->err);
    for (size_t i = 0; i < rank->out.n; i++)
        dispatch_message (rank, &rank->out.item[i]);
}

int64_t hosting_wake (struct rank *rank)
{
    while (rank->wakes.n > 0) {
        struct event event = *heap_top (&rank->wakes);
        int64_t due = slot_time (rank, event.time) - rank->lead;
        tori_gang_message message = {.kind = TORI_GANG_WAKE,
                                     .from = (uint32_t)event.what,
                                     .to = (uint32_t)event.what,
                                     .slot = event.time};
        if (due > rank_now (rank))
            return due;
        heap_pop (&rank->wakes);
        hosting_deliver (rank, &message);
    }
    return INT64_MAX;
}
