#include "handout.h"

#include <stdlib.h>

#include "ttrun.h"

static enum rank_format format_of (const struct handout_files *files)
{
    return files->rank_format < 0 ? RANKS_MPICH
                                  : (enum rank_format)files->rank_format;
}

/* A rank per host, not per node. */
static bool is_tenstorrent (const struct handout_files *files)
{
    return files->rank_file
           && (format_of (files) == RANKS_TENSTORRENT
               || format_of (files) == RANKS_TENSTORRENT_MESH);
}

int handout_check (const struct handout_files *files,
                   const struct meshgraph *graph, tori_error *err)
{
    if (is_tenstorrent (files) && !graph)
        return tori_error_set (err, TORI_INVALID,
                               "--rank-format %s needs --mesh-graph",
                               rank_format_name (format_of (files)));
    if (is_tenstorrent (files) && files->ranks >= 0)
        return tori_error_set (err, TORI_INVALID,
                               "--rank-format %s has a rank per host, and "
                               "--ranks orders nodes",
                               rank_format_name (format_of (files)));
    if (files->rank_file && !files->names && !is_tenstorrent (files))
        return tori_error_set (err, TORI_INVALID,
                               "--rank-file needs --names");
    if (files->slice_file && !files->names)
        return tori_error_set (err, TORI_INVALID,
                               "--slice-file needs --names, of all cubes");
    return 0;
}

static int write_ranks (const struct handout *handout, tori_error *err)
{
    const struct handout_files *files = handout->files;
    struct nodemap map = {0};
    int status = ranks_names (files->names, handout->machine, &map, err);
    if (status == 0)
        status = ranks_write (&map, handout->ranks, handout->n,
                              format_of (files), files->rank_file, err);
    nodemap_clear (&map);
    return status;
}

/* The ranks of the i-th placement, from this one on. */
static int order_ranks (const struct handout *handout,
                        const struct handout_job *job, size_t i, size_t first,
                        tori_error *err)
{
    const struct handout_files *files = handout->files;
    enum rank_order order
        = files->ranks < 0 ? RANKS_ROW : (enum rank_order)files->ranks;
    return job->map ? ranks_order_map (job->map + first, job->shape, order,
                                       handout->ranks + first, err)
                    : ranks_order (&job->places[i], handout->machine, order,
                                   handout->ranks + first, err);
}

static int make_ranks (struct handout *handout, const struct handout_job *job,
                       tori_error *err)
{
    size_t first = 0;
    handout->ranks = malloc (handout->n * sizeof *handout->ranks);
    if (!handout->ranks)
        return tori_error_nomem (err);
    for (size_t i = 0; i < job->n; first += job->places[i].count, i++)
        if (order_ranks (handout, job, i, first, err) < 0)
            return -1;
    return handout->files->rank_file ? write_ranks (handout, err) : 0;
}

static int make_slice (struct handout *handout, const tori_placement *place,
                       tori_error *err)
{
    const struct handout_files *files = handout->files;
    return gke_make (place, handout->machine, files->slice_name, files->names,
                     &handout->slice, err)
                   < 0
               ? -1
               : gke_write (&handout->slice, files->slice_file, err);
}

int handout_make (const struct handout_files *files,
                  const struct handout_job *job, const tori_machine *machine,
                  const struct meshgraph *graph, const char *graph_path,
                  struct handout *ret_handout, tori_error *err)
{
    *ret_handout = (struct handout){files, machine};
    for (size_t i = 0; i < job->n; i++)
        ret_handout->n += job->places[i].count;
    if (job->n > 1 && (files->slice_file || is_tenstorrent (files)))
        return tori_error_set (err, TORI_INVALID,
                               "%s is of one slice or box, not of several "
                               "segments",
                               files->slice_file ? "--slice-file"
                                                 : "--rank-format");
    if (files->slice_file)
        return make_slice (ret_handout, job->places, err);
    if (is_tenstorrent (files))
        return ttrun_write (graph, graph_path, job->places, machine,
                            files->names,
                            format_of (files) == RANKS_TENSTORRENT_MESH,
                            files->rank_file, err);
    return files->ranks >= 0 || files->rank_file
               ? make_ranks (ret_handout, job, err)
               : 0;
}

void handout_clear (struct handout *handout)
{
    free (handout->ranks);
    gke_clear (&handout->slice);
}

void handout_print (const struct handout *handout, FILE *out)
{
    const char *before = "ranks    ";
    char text[TORI_TEXT_MAX];
    bool listed = handout->ranks && handout->files->ranks >= 0;
    for (size_t i = 0; listed && i < handout->n; i++) {
        tori_node_format (handout->machine, handout->ranks[i], text);
        fprintf (out, "%s %s%s", i % 8 ? "" : before, text,
                 i % 8 == 7 || i + 1 == handout->n ? "\n" : "");
        before = "         ";
    }
    if (handout->slice.n > 0)
        gke_print (&handout->slice, out);
}

void handout_emit (const struct handout *handout, struct emit *e)
{
    if (handout->ranks)
        emit_open (e, "ranks", '[');
    for (size_t i = 0; handout->ranks && i < handout->n && !ferror (e->out);
         i++)
        emit_node (e, NULL, handout->machine, handout->ranks[i]);
    if (handout->ranks)
        emit_close (e, ']');
    if (handout->slice.n > 0)
        gke_emit (&handout->slice, e);
}
