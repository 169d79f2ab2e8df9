/* faults.c - nodes on which jobs cannot be started, through no fault of
 * theirs.
 *
 * An executor that says "host" of a failed start blames the host: its disk is
 * full, or it has no more processes. The job is requeued, and might be placed
 * there for ever. So a node where this has happened several times in a row is
 * drained, as an operator would do it. Whether it happened in a row is known
 * only since torid began. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torid.h"

static void name_attempt (const json_t *word, char text[48])
{
    snprintf (text, 48, "%lld.%lld",
              (long long)json_integer_value (json_object_get (word, "job")),
              (long long)json_integer_value (
                  json_object_get (word, "attempt")));
}

void faults_order (struct torid *torid, const json_t *order)
{
    const char *what = json_string_value (json_object_get (order, "do"));
    json_t *ids = json_object_get (order, "ids");
    char name[48];
    if (!what || strcmp (what, "start") || !ids)
        return;
    name_attempt (order, name);
    json_object_set (torid->faults.starting, name, ids);
}

static void drain_node (struct torid *torid, uint32_t node, const char *why)
{
    char name[TORI_TEXT_MAX], text[400];
    json_t *word;
    tori_node_format (torid->machine, node, name);
    snprintf (text, sizeof text, "%u starts in a row failed here: %.300s",
              torid->faults.count[node], why);
    torid_log (torid, LEVEL_ERROR, "node-drained", "{s:s, s:s}", "node", name,
               "why", text);
    word = json_pack ("{s:s, s:s, s:s, s:s}", "is", "node", "node", name,
                      "state", "drain", "why", text);
    if (word)
        executor_pipe_hear (torid, word);
    json_decref (word);
    torid->faults.count[node] = 0;
    torid->faults.drained[node] = true;
    torid->faults.any = true;
}

static bool make_room (struct torid *torid)
{
    struct faults *faults = &torid->faults;
    size_t n = (size_t)tori_machine_nodes (torid->machine);
    if (!faults->count)
        faults->count = calloc (n, sizeof *faults->count);
    if (!faults->drained)
        faults->drained = calloc (n, sizeof *faults->drained);
    return faults->count && faults->drained;
}

static void blame_nodes (struct torid *torid, const json_t *ids,
                         const char *why)
{
    int64_t most = torid->setup.values.drain_after;
    json_t *id;
    size_t i;
    if (!make_room (torid))
        return;
    json_array_foreach (ids, i, id)
    {
        uint32_t node = (uint32_t)json_integer_value (id);
        if (++torid->faults.count[node] >= most)
            drain_node (torid, node, why ? why : "");
    }
}

static void clear_nodes (struct torid *torid, const json_t *ids)
{
    json_t *id;
    size_t i;
    if (torid->faults.count)
        json_array_foreach (ids, i, id)
            torid->faults.count[json_integer_value (id)] = 0;
}

void faults_hear (struct torid *torid, const json_t *word)
{
    const char *is = json_string_value (json_object_get (word, "is"));
    char name[48];
    json_t *ids;
    if (!is || !strstr (" started failed ended ", is))
        return;
    name_attempt (word, name);
    ids = json_incref (json_object_get (torid->faults.starting, name));
    json_object_del (torid->faults.starting, name);
    if (ids && json_is_true (json_object_get (word, "host")))
        blame_nodes (torid, ids,
                     json_string_value (json_object_get (word, "why")));
    else if (ids && !strcmp (is, "started"))
        clear_nodes (torid, ids);
    json_decref (ids);
}

/* Count the nodes that were drained here and have not been resumed. */
size_t faults_count (struct torid *torid, uint32_t *ret_first)
{
    struct faults *faults = &torid->faults;
    size_t found = 0;
    for (uint32_t i = 0;
         faults->any && i < tori_machine_nodes (torid->machine); i++) {
        faults->drained[i]
            = faults->drained[i] && service_remark (torid->service, i);
        if (faults->drained[i] && found++ == 0)
            *ret_first = i;
    }
    faults->any = found > 0;
    return found;
}

void faults_clear (struct torid *torid)
{
    json_decref (torid->faults.starting);
    free (torid->faults.count);
    free (torid->faults.drained);
    torid->faults = (struct faults){0};
}
