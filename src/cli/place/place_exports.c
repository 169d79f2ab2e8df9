#include "place_exports.h"

#include <stdlib.h>

#include "ttrun.h"

static enum rank_format format_of (const struct exports_files *files)
{
    return files->rank_format < 0 ? RANKS_MPICH
                                  : (enum rank_format)files->rank_format;
}

/* Whether there is a rank per host, not per node. */
static bool is_tenstorrent (const struct exports_files *files)
{
    return files->rank_file
           && (format_of (files) == RANKS_TENSTORRENT
               || format_of (files) == RANKS_TENSTORRENT_MESH);
}

int exports_check (const struct exports_files *files,
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

static int write_ranks (const struct exports *exports, tori_error *err)
{
    const struct exports_files *files = exports->files;
    struct nodemap map = {0};
    int status = ranks_names (files->names, exports->machine, &map, err);
    if (status == 0)
        status = ranks_write (&map, exports->ranks, exports->n,
                              format_of (files), files->rank_file, err);
    nodemap_clear (&map);
    return status;
}

/* Order the ranks of the i-th placement, beginning with number `first`. */
static int order_ranks (const struct exports *exports,
                        const struct exports_job *job, size_t i, size_t first,
                        tori_error *err)
{
    const struct exports_files *files = exports->files;
    enum rank_order order
        = files->ranks < 0 ? RANKS_ROW : (enum rank_order)files->ranks;
    return job->map ? ranks_order_map (job->map + first, job->shape, order,
                                       exports->ranks + first, err)
                    : ranks_order (&job->places[i], exports->machine, order,
                                   exports->ranks + first, err);
}

static int make_ranks (struct exports *exports, const struct exports_job *job,
                       tori_error *err)
{
    size_t first = 0;
    exports->ranks = malloc (exports->n * sizeof *exports->ranks);
    if (!exports->ranks)
        return tori_error_nomem (err);
    for (size_t i = 0; i < job->n; first += job->places[i].count, i++)
        if (order_ranks (exports, job, i, first, err) < 0)
            return -1;
    return exports->files->rank_file ? write_ranks (exports, err) : 0;
}

static int make_slice (struct exports *exports, const tori_placement *place,
                       tori_error *err)
{
    const struct exports_files *files = exports->files;
    return gke_make (place, exports->machine, files->slice_name, files->names,
                     &exports->slice, err)
                   < 0
               ? -1
               : gke_write (&exports->slice, files->slice_file, err);
}

int exports_make (const struct exports_files *files,
                  const struct exports_job *job, const tori_machine *machine,
                  const struct meshgraph *graph, const char *graph_path,
                  struct exports *ret_exports, tori_error *err)
{
    *ret_exports = (struct exports){files, machine};
    for (size_t i = 0; i < job->n; i++)
        ret_exports->n += job->places[i].count;
    if (job->n > 1 && (files->slice_file || is_tenstorrent (files)))
        return tori_error_set (err, TORI_INVALID,
                               "%s is of one slice or box, not of several "
                               "segments",
                               files->slice_file ? "--slice-file"
                                                 : "--rank-format");
    if (files->slice_file)
        return make_slice (ret_exports, job->places, err);
    if (is_tenstorrent (files))
        return ttrun_write (graph, graph_path, job->places, machine,
                            files->names,
                            format_of (files) == RANKS_TENSTORRENT_MESH,
                            files->rank_file, err);
    return files->ranks >= 0 || files->rank_file
               ? make_ranks (ret_exports, job, err)
               : 0;
}

void exports_clear (struct exports *exports)
{
    free (exports->ranks);
    gke_clear (&exports->slice);
}

void exports_print (const struct exports *exports, FILE *out)
{
    const char *before = "ranks    ";
    char text[TORI_TEXT_MAX];
    bool listed = exports->ranks && exports->files->ranks >= 0;
    for (size_t i = 0; listed && i < exports->n; i++) {
        tori_node_format (exports->machine, exports->ranks[i], text);
        fprintf (out, "%s %s%s", i % 8 ? "" : before, text,
                 i % 8 == 7 || i + 1 == exports->n ? "\n" : "");
        before = "         ";
    }
    if (exports->slice.n > 0)
        gke_print (&exports->slice, out);
}

static bool has_ranks (const struct field *field, const void *exports)
{
    return ((const struct exports *)exports)->ranks != NULL;
}

static bool has_slice (const struct field *field, const void *exports)
{
    return ((const struct exports *)exports)->slice.n > 0;
}

static void emit_ranks (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct exports *exports = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < exports->n && !ferror (e->out); i++)
        emit_node (e, NULL, exports->machine, exports->ranks[i]);
    emit_close (e, ']');
}

static const struct field exports_fields[] = {
    {"ranks", FIELD_LIST,
     .about = "with --ranks: the nodes in the order of ranks",
     .by = emit_ranks, .when = has_ranks},
    {"slice", FIELD_GROUP, FIELD_AT (struct exports, slice),
     "with --slice-file: the Slice that was written", .group = &gke_sheet,
     .when = has_slice},
};
const struct sheet exports_sheet = {"exports", SHEET_FIELDS (exports_fields)};
