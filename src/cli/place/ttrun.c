#include "ttrun.h"

#include <string.h>

#include "outfile.h"
#include "ranks.h"

/* The job, as a mesh of its own. */
struct ttjob {
    const struct meshgraph *graph; /* of the machine */
    const tori_box *box;
    struct meshgraph own;
    uint32_t first[TORI_MAX_DIMS]; /* its first host */
    uint32_t ranks;
    bool whole; /* it has all of the machine */
};

/* Along one dimension, the job has whole hosts, or a part of one host. */
static bool share_hosts (struct ttjob *job, int d)
{
    uint32_t block = job->graph->dims[d] / job->graph->hosts[d];
    uint32_t from = job->box->origin[d], n = job->box->shape.size[d];
    bool part = from / block == (from + n - 1) / block;
    job->first[d] = from / block;
    job->own.hosts[d] = part ? 1 : n / block;
    return part || (from % block == 0 && n % block == 0);
}

static int make_job (const struct meshgraph *graph,
                     const tori_placement *place, const tori_machine *machine,
                     struct ttjob *job, tori_error *err)
{
    *job = (struct ttjob){graph, &place->box, *graph, .ranks = 1,
                          .whole = true};
    if (place->nboxes != 1 || tori_box_wraps (machine, &place->box))
        return tori_error_set (err, TORI_INVALID,
                               "--rank-format: a mesh of Tenstorrent is one "
                               "box that does not wrap");
    snprintf (job->own.name, sizeof job->own.name, "%s", "JOB");
    for (int d = 0; d < graph->ndims; d++) {
        char text[TORI_TEXT_MAX];
        uint32_t n = place->box.shape.size[d];
        bool all = n == graph->dims[d];
        tori_box_format (&place->box, text);
        if (!share_hosts (job, d))
            return tori_error_set (err, TORI_INVALID,
                                   "--rank-format: %.100s cuts a host of %u "
                                   "devices along dimension %d; whole hosts "
                                   "or a part of one can be bound",
                                   text, graph->dims[d] / graph->hosts[d], d);
        job->own.dims[d] = n;
        job->own.ring[d] = n > 1
                           && ((all && graph->ring[d])
                               || tori_wiring_closes (place->wiring, d));
        job->ranks *= job->own.hosts[d];
        job->whole &= all;
    }
    return 0;
}

/* ---- bindings ---- */

static void coords_in (const uint32_t sides[], int n, uint32_t i,
                       uint32_t at[])
{
    for (int d = n; d-- > 0;) {
        at[d] = i % sides[d];
        i /= sides[d];
    }
}

/* Write the job's devices on a host, numbered within the host. */
static void write_devices (const struct ttjob *job, const uint32_t host[],
                           FILE *out)
{
    const struct meshgraph *graph = job->graph;
    uint32_t block[TORI_MAX_DIMS], devices = 1;
    const char *before = "";
    for (int d = 0; d < graph->ndims; d++) {
        block[d] = graph->dims[d] / graph->hosts[d];
        devices *= block[d];
    }
    for (uint32_t i = 0; i < devices; i++) {
        uint32_t at[TORI_MAX_DIMS];
        bool in = true;
        coords_in (block, graph->ndims, i, at);
        for (int d = 0; d < graph->ndims; d++) {
            uint32_t c = host[d] * block[d] + at[d];
            in &= c >= job->box->origin[d]
                  && c - job->box->origin[d] < job->box->shape.size[d];
        }
        if (in) {
            fprintf (out, "%s%u", before, i);
            before = ",";
        }
    }
}

/* Write the descriptor's path: for job.yaml it is job.textproto. */
static void write_path (const struct ttjob *job, const char *graph_path,
                        const char *path, FILE *out)
{
    const char *slash = strrchr (path, '/');
    const char *name = slash ? slash + 1 : path, *dot = strrchr (name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - path) : strlen (path);
    fputs ("mesh_graph_desc_path: \"", out);
    if (job->whole)
        fputs (graph_path, out);
    else if (!strcmp (path, "-"))
        fputs ("job.textproto", out);
    else
        fprintf (out, "%.*s.textproto", (int)n, path);
    fputs ("\"\n", out);
}

static void write_rank (const struct ttjob *job, const struct nodemap *hosts,
                        uint32_t rank, FILE *out)
{
    uint32_t host[TORI_MAX_DIMS], id;
    char text[TORI_TEXT_MAX];
    coords_in (job->own.hosts, job->own.ndims, rank, host);
    for (int d = 0; d < job->own.ndims; d++)
        host[d] += job->first[d];
    id = tori_machine_id (hosts->machine, host);
    tori_node_format (hosts->machine, id, text);
    fprintf (out,
             "  - rank: %u # host %s\n"
             "    mesh_id: 0\n"
             "    mesh_host_rank: %u\n"
             "    env_overrides:\n"
             "      TT_VISIBLE_DEVICES: \"",
             rank, hosts->names && hosts->names[id] ? hosts->names[id] : text,
             rank);
    write_devices (job, host, out);
    fputs ("\"\n", out);
}

static int write_bindings (const struct ttjob *job, const char *graph_path,
                           const char *names, const char *path, FILE *out,
                           tori_error *err)
{
    tori_machine *hosts;
    struct nodemap map = {0};
    int status = tori_machine_create (TORI_MESH, job->graph->ndims,
                                      job->graph->hosts, &hosts, err);
    if (status < 0)
        return -1;
    if (names)
        status = ranks_names (names, hosts, &map, err);
    map.machine = hosts;
    if (status == 0) {
        fputs ("rank_bindings:\n", out);
        for (uint32_t i = 0; i < job->ranks; i++)
            write_rank (job, &map, i, out);
        write_path (job, graph_path, path, out);
    }
    nodemap_clear (&map);
    tori_machine_destroy (hosts);
    return status;
}

int ttrun_write (const struct meshgraph *graph, const char *graph_path,
                 const tori_placement *place, const tori_machine *machine,
                 const char *names, bool mesh, const char *path,
                 tori_error *err)
{
    struct outfile *file;
    struct ttjob job;
    int status = 0;
    if (make_job (graph, place, machine, &job, err) < 0
        || outfile_create (path, &file, err) < 0)
        return -1;
    if (mesh)
        meshgraph_write (&job.own, outfile_stream (file));
    else
        status = write_bindings (&job, graph_path, names, path,
                                 outfile_stream (file), err);
    return outfile_end (file, status, err);
}
