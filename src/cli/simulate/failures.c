#include "failures.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "lines.h"
#include "timeunit.h"

struct failures {
    const tori_machine *machine;
    tori_sim_outage *all;
    size_t n, room;
};

/* Split a line into its time, its node, box or link, and its last word: false
 * if there are fewer words. */
static bool split_line (char *text, char **ret_what, char **ret_state)
{
    char *time_end = text + strcspn (text, " \t");
    char *what = time_end + strspn (time_end, " \t");
    char *end = what + strlen (what);
    while (end > what && !strchr (" \t", end[-1]))
        end--;
    if (end == what)
        return false;
    *ret_state = end;
    *time_end = '\0';
    while (strchr (" \t", end[-1]))
        end--;
    *end = '\0';
    *ret_what = what;
    return true;
}

static int read_time (const struct failures *failures, const char *text,
                      tori_time *ret_time, tori_error *err)
{
    if (moment_of ("time", text, ret_time, err) < 0)
        return -1;
    if (failures->n > 0 && *ret_time < failures->all[failures->n - 1].time)
        return tori_error_set (err, TORI_INVALID,
                               "time %.40s is before that of the line before",
                               text);
    return 0;
}

static int append_outage (struct failures *failures,
                          const tori_sim_outage *outage, tori_error *err)
{
    tori_sim_outage *more = array_room (failures->all, &failures->room,
                                        failures->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    failures->all = more;
    failures->all[failures->n++] = *outage;
    return 0;
}

static int append_box (struct failures *failures, const tori_box *box,
                       tori_sim_outage outage, tori_error *err)
{
    size_t n = (size_t)tori_shape_volume (&box->shape);
    uint32_t *nodes = malloc (n * sizeof *nodes);
    int status = nodes ? 0 : tori_error_nomem (err);
    if (nodes)
        tori_box_nodes (failures->machine, box, nodes);
    for (size_t i = 0; i < n && status == 0; i++) {
        outage.node = nodes[i];
        status = append_outage (failures, &outage, err);
    }
    free (nodes);
    return status;
}

static int enter_line (void *arg, char *text, size_t line, tori_error *err)
{
    struct failures *failures = arg;
    tori_sim_outage outage = {.node = TORI_NO_NODE};
    char *what, *state;
    tori_box box;
    if (!split_line (text, &what, &state))
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s': expected TIME, a node, box or link, "
                               "and down or up",
                               text);
    outage.down = strcmp (state, "down") == 0;
    if (!outage.down && strcmp (state, "up") != 0)
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s': expected down or up", state);
    if (read_time (failures, text, &outage.time, err) < 0)
        return -1;
    if (strpbrk (what, "-+"))
        return tori_link_parse (failures->machine, what, &outage.link, err) < 0
                   ? -1
                   : append_outage (failures, &outage, err);
    return tori_box_parse (failures->machine, what, &box, err) < 0
               ? -1
               : append_box (failures, &box, outage, err);
}

int failures_read (const char *path, const tori_machine *machine,
                   tori_sim_outage **ret_outages, size_t *ret_n,
                   tori_error *err)
{
    struct failures failures = {.machine = machine};
    if (lines_each (path, enter_line, &failures, err) < 0) {
        free (failures.all);
        return -1;
    }
    *ret_outages = failures.all;
    *ret_n = failures.n;
    return 0;
}
