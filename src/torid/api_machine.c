/* api_machine.c - the machine and its nodes. */
#include "api.h"

/* What is meant is the rest of the path: "1,2,3", a box, or a link. */
static bool patch_part (struct asking *a, const char *what)
{
    json_t *body = read_body (a);
    if (!body)
        return true;
    json_object_set_new (body, what, json_string (a->rest));
    return tell (a, what, body);
}

bool patch_node (struct asking *a)
{
    return patch_part (a, "node");
}

bool patch_link (struct asking *a)
{
    return patch_part (a, "link");
}

bool get_nodes (struct asking *a)
{
    static const char *const names[] = {[TORI_NODE_FREE] = "free",
                                        [TORI_NODE_BUSY] = "busy",
                                        [TORI_NODE_DOWN] = "down",
                                        [TORI_NODE_DRAINED] = "drained"};
    const tori_state *state
        = tori_sched_state (service_sched (a->torid->service));
    json_t *nodes = json_array ();
    char text[TORI_TEXT_MAX];
    for (uint32_t i = 0; i < tori_machine_nodes (a->torid->machine); i++) {
        tori_node_format (a->torid->machine, i, text);
        json_array_append_new (
            nodes, json_pack ("{s:I, s:s, s:s}", "id", (json_int_t)i, "node",
                              text, "state",
                              names[tori_state_node (state, i)]));
    }
    reply (a, 200, json_pack ("{s:o}", "nodes", nodes));
    return true;
}

bool get_machine (struct asking *a)
{
    const tori_state *state
        = tori_sched_state (service_sched (a->torid->service));
    char text[TORI_TEXT_MAX];
    tori_machine_format (a->torid->machine, text);
    reply (a, 200,
           json_pack ("{s:s, s:I, s:I}", "machine", text, "nodes",
                      (json_int_t)tori_machine_nodes (a->torid->machine),
                      "free", (json_int_t)tori_state_free_count (state)));
    return true;
}

bool get_events (struct asking *a)
{
    a->request->watching = true;
    a->request->reply.code = 200;
    return true;
}

bool get_health (struct asking *a)
{
    if (a->torid->stuck)
        refuse_with (a, 503, "no-disk", "%s", a->torid->trouble);
    else
        reply (a, 200,
               json_pack ("{s:s, s:b}", "status", "ok", "executor",
                          a->torid->ready));
    return true;
}
