/* Protocol buffers as text: fields "NAME: VALUE" and "NAME { FIELDS }", where
 * a value may be a list. */
#include "meshgraph.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nodemap.h"
#include "number.h"

enum { DEPTH_MOST = 16, MESHES_MOST = 64, PATH_MOST = 256, WORD_MOST = 256 };

/* A descriptor as it is read. */
struct meshread {
    struct meshgraph graph;
    int nrings, nhosts;
    size_t line;
};

struct textproto {
    const char *path, *at, *end;
    size_t line;
    char field[PATH_MOST]; /* the path of the present field: "a.b.c" */
    struct meshread *mesh; /* the descriptors of the file */
    size_t n;
    char top[MESHGRAPH_WORD]; /* the mesh of the top-level instance */
    bool graph;               /* the top-level instance is a graph of meshes */
    tori_error *err;
};

static int refuse_line (struct textproto *t, size_t line, const char *format,
                        ...) __attribute__ ((format (printf, 3, 4)));

static int refuse_line (struct textproto *t, size_t line, const char *format,
                        ...)
{
    tori_error why = {.status = TORI_INVALID};
    va_list words;
    va_start (words, format);
    vsnprintf (why.text, sizeof why.text, format, words);
    va_end (words);
    return refuse_at (t->path, line, &why, t->err);
}

/* ---- words ---- */

static void skip_blanks (struct textproto *t)
{
    while (t->at < t->end) {
        if (*t->at == '#')
            while (t->at < t->end && *t->at != '\n')
                t->at++;
        else if (!isspace ((unsigned char)*t->at))
            return;
        else
            t->line += *t->at++ == '\n';
    }
}

/* The next character that is neither blank nor comment, or 0. */
static char peek_char (struct textproto *t)
{
    skip_blanks (t);
    return t->at < t->end ? *t->at : '\0';
}

static bool take_char (struct textproto *t, const char *set)
{
    char c = peek_char (t);
    if (c == '\0' || !strchr (set, c))
        return false;
    t->at++;
    return true;
}

static bool is_word (char c)
{
    return isalnum ((unsigned char)c) || c == '_' || c == '-' || c == '+'
           || c == '.';
}

static int read_quoted (struct textproto *t, char quote, char word[WORD_MOST])
{
    size_t n = 0;
    for (t->at++; t->at < t->end && *t->at != quote && *t->at != '\n';
         t->at++) {
        if (*t->at == '\\' && t->at + 1 < t->end)
            t->at++;
        if (n + 1 >= WORD_MOST)
            return refuse_line (t, t->line, "a text is too long");
        word[n++] = *t->at;
    }
    word[n] = '\0';
    if (t->at >= t->end || *t->at != quote)
        return refuse_line (t, t->line, "a text has no end");
    t->at++;
    return 0;
}

static int read_word (struct textproto *t, char word[WORD_MOST])
{
    size_t n = 0;
    char first = peek_char (t);
    if (first == '"' || first == '\'')
        return read_quoted (t, first, word);
    for (; t->at < t->end && is_word (*t->at); t->at++) {
        if (n + 1 >= WORD_MOST)
            return refuse_line (t, t->line, "a word is too long");
        word[n++] = *t->at;
    }
    word[n] = '\0';
    return n > 0 ? 0 : refuse_line (t, t->line, "expected a name or a value");
}

/* ---- what values mean ---- */

static int set_word (struct textproto *t, char to[MESHGRAPH_WORD],
                     const char *word)
{
    size_t n = 0;
    while (is_word (word[n]))
        n++;
    if (n == 0 || word[n] || n >= MESHGRAPH_WORD)
        return refuse_line (
            t, t->line, "'%.40s' is not a word of letters, digits, _, - and .",
            word);
    snprintf (to, MESHGRAPH_WORD, "%s", word);
    return 0;
}

static int add_side (struct textproto *t, uint32_t sides[], int *n,
                     const char *word)
{
    const char *at = word;
    uint64_t side;
    if (!number_scan (&at, TORI_MAX_NODES, &side) || *at || side == 0)
        return refuse_line (t, t->line, "'%.40s' is not the length of a side",
                            word);
    if (*n == TORI_MAX_DIMS)
        return refuse_line (t, t->line, "more than %d dimensions",
                            TORI_MAX_DIMS);
    sides[(*n)++] = (uint32_t)side;
    return 0;
}

static int add_type (struct textproto *t, struct meshread *mesh,
                     const char *word)
{
    bool ring = strcmp (word, "RING") == 0;
    if (!ring && strcmp (word, "LINE") != 0)
        return refuse_line (t, t->line, "'%.40s' is neither LINE nor RING",
                            word);
    if (mesh->nrings == TORI_MAX_DIMS)
        return refuse_line (t, t->line, "more than %d dimensions",
                            TORI_MAX_DIMS);
    mesh->graph.ring[mesh->nrings++] = ring;
    return 0;
}

/* A field of a descriptor; `field` is the rest of its name. */
static int set_member (struct textproto *t, const char *field,
                       const char *word)
{
    struct meshread *mesh;
    struct meshgraph *graph;
    if (t->n == 0)
        return refuse_line (t, t->line, "'%.40s' is not in a descriptor",
                            field);
    mesh = &t->mesh[t->n - 1];
    graph = &mesh->graph;
    if (!strcmp (field, "name"))
        return set_word (t, graph->name, word);
    if (!strcmp (field, "arch"))
        return set_word (t, graph->arch, word);
    if (!strcmp (field, "channels.count"))
        return set_word (t, graph->channels, word);
    if (!strcmp (field, "channels.policy"))
        return set_word (t, graph->policy, word);
    if (!strcmp (field, "device_topology.dims"))
        return add_side (t, graph->dims, &graph->ndims, word);
    if (!strcmp (field, "device_topology.dim_types")
        || !strcmp (field, "device_topology.types"))
        return add_type (t, mesh, word);
    if (!strcmp (field, "host_topology.dims"))
        return add_side (t, graph->hosts, &mesh->nhosts, word);
    return 0;
}

static int set_value (struct textproto *t, const char *word)
{
    static const char mesh[] = "mesh_descriptors.";
    static const char top[] = "top_level_instance.";
    if (!strncmp (t->field, mesh, strlen (mesh)))
        return set_member (t, t->field + strlen (mesh), word);
    if (!strcmp (t->field, "top_level_instance.mesh.mesh_descriptor"))
        return set_word (t, t->top, word);
    if (!strncmp (t->field, top, strlen (top))
        && !strncmp (t->field + strlen (top), "graph.", strlen ("graph.")))
        t->graph = true;
    return 0;
}

/* ---- fields ---- */

static int read_fields (struct textproto *t, const char *end, int depth);

static int begin_mesh (struct textproto *t)
{
    if (strcmp (t->field, "mesh_descriptors") != 0)
        return 0;
    if (t->n == MESHES_MOST)
        return refuse_line (t, t->line, "more than %d meshes", MESHES_MOST);
    t->mesh[t->n++] = (struct meshread){.line = t->line};
    return 0;
}

/* A value, or the fields of a message. */
static int read_value (struct textproto *t, int depth)
{
    char word[WORD_MOST];
    if (take_char (t, "{<"))
        return begin_mesh (t) < 0
                   ? -1
                   : read_fields (t, t->at[-1] == '{' ? "}" : ">", depth + 1);
    return read_word (t, word) < 0 ? -1 : set_value (t, word);
}

static int read_field (struct textproto *t, int depth)
{
    char word[WORD_MOST];
    size_t outer = strlen (t->field), at = outer;
    int status;
    if (read_word (t, word) < 0)
        return -1;
    if (outer + strlen (word) + 2 > sizeof t->field)
        return refuse_line (t, t->line, "fields are too deep");
    if (outer)
        t->field[at++] = '.';
    memcpy (t->field + at, word, strlen (word) + 1);
    take_char (t, ":");
    if (take_char (t, "[")) {
        status = 0;
        while (status == 0 && !take_char (t, "]"))
            if ((status = read_value (t, depth)) == 0)
                take_char (t, ",");
    } else {
        status = read_value (t, depth);
    }
    take_char (t, ",;");
    t->field[outer] = '\0';
    return status;
}

static int read_fields (struct textproto *t, const char *end, int depth)
{
    size_t line = t->line;
    if (depth > DEPTH_MOST)
        return refuse_line (t, t->line, "fields are too deep");
    while (peek_char (t) != '\0') {
        if (*end && take_char (t, end))
            return 0;
        if (read_field (t, depth) < 0)
            return -1;
    }
    return *end ? refuse_line (t, line, "what begins here has no '%s'", end)
                : 0;
}

/* ---- the mesh ---- */

static int find_mesh (struct textproto *t, struct meshread **ret_mesh)
{
    if (t->graph)
        return refuse_line (
            t, 0,
            "a graph of meshes is no machine; take one of them as "
            "the top level");
    if (t->n == 0)
        return refuse_line (t, 0, "there are no mesh_descriptors");
    if (!*t->top && t->n > 1)
        return refuse_line (
            t, 0,
            "there are %zu meshes, and no top_level_instance of "
            "one",
            t->n);
    for (size_t i = 0; i < t->n; i++)
        if (!*t->top || !strcmp (t->mesh[i].graph.name, t->top)) {
            *ret_mesh = &t->mesh[i];
            return 0;
        }
    return refuse_line (t, 0, "there is no mesh '%.40s'", t->top);
}

static int check_mesh (struct textproto *t, struct meshread *mesh)
{
    struct meshgraph *graph = &mesh->graph;
    if (!*graph->name)
        snprintf (graph->name, sizeof graph->name, "MESH");
    if (graph->ndims == 0)
        return refuse_line (t, mesh->line, "device_topology has no dims");
    if (mesh->nrings > graph->ndims)
        return refuse_line (t, mesh->line,
                            "device_topology has %d dims, but %d dim_types",
                            graph->ndims, mesh->nrings);
    for (; mesh->nhosts < graph->ndims; mesh->nhosts++)
        graph->hosts[mesh->nhosts] = 1;
    if (mesh->nhosts > graph->ndims)
        return refuse_line (
            t, mesh->line, "host_topology has more dims than device_topology");
    for (int d = 0; d < graph->ndims; d++)
        if (graph->dims[d] % graph->hosts[d])
            return refuse_line (
                t, mesh->line,
                "%u devices cannot be shared by %u hosts evenly",
                graph->dims[d], graph->hosts[d]);
    return 0;
}

static int read_text (struct textproto *t, struct meshgraph *ret_graph)
{
    struct meshread *mesh = NULL;
    if (read_fields (t, "", 0) < 0 || find_mesh (t, &mesh) < 0
        || check_mesh (t, mesh) < 0)
        return -1;
    *ret_graph = mesh->graph;
    return 0;
}

/* ---- files ---- */

enum { FILE_MOST = 1 << 20 };

static int load_file (const char *path, char **ret_text, size_t *ret_n,
                      tori_error *err)
{
    FILE *in = fopen (path, "r");
    char *text = in ? malloc (FILE_MOST) : NULL;
    if (!in)
        return tori_error_set (err, TORI_FAILED, "cannot open %.200s: %s",
                               path, strerror (errno));
    if (text)
        *ret_n = fread (text, 1, FILE_MOST, in);
    if (text && ferror (in)) {
        tori_error_set (err, TORI_FAILED, "cannot read %.200s: %s", path,
                        strerror (errno));
        free (text);
        fclose (in);
        return -1;
    }
    fclose (in);
    *ret_text = text;
    return text ? 0 : tori_error_nomem (err);
}

int meshgraph_read (const char *path, struct meshgraph *ret_graph,
                    tori_error *err)
{
    struct textproto t = {.path = path, .line = 1, .err = err};
    char *text = NULL;
    size_t n = 0;
    int status;
    if (load_file (path, &text, &n, err) < 0)
        return -1;
    t.at = text;
    t.end = text + n;
    t.mesh = calloc (MESHES_MOST, sizeof *t.mesh);
    status = t.mesh ? read_text (&t, ret_graph) : tori_error_nomem (err);
    free (t.mesh);
    free (text);
    return status;
}

int meshgraph_machine (const struct meshgraph *graph,
                       tori_machine **ret_machine, tori_error *err)
{
    tori_kind kinds[TORI_MAX_DIMS];
    for (int d = 0; d < graph->ndims; d++)
        kinds[d] = graph->ring[d] ? TORI_TORUS : TORI_MESH;
    return tori_machine_create_mixed (graph->ndims, kinds, graph->dims,
                                      ret_machine, err);
}

static void write_list (const char *name, const uint32_t sides[], int n,
                        FILE *out)
{
    fprintf (out, "  %s {\n    dims: [", name);
    for (int d = 0; d < n; d++)
        fprintf (out, "%s%u", d ? ", " : "", sides[d]);
    fputs ("]\n", out);
}

void meshgraph_write (const struct meshgraph *graph, FILE *out)
{
    fprintf (out, "mesh_descriptors {\n  name: \"%s\"\n", graph->name);
    if (*graph->arch)
        fprintf (out, "  arch: %s\n", graph->arch);
    write_list ("device_topology", graph->dims, graph->ndims, out);
    fputs ("    dim_types: [", out);
    for (int d = 0; d < graph->ndims; d++)
        fprintf (out, "%s%s", d ? ", " : "", graph->ring[d] ? "RING" : "LINE");
    fputs ("]\n  }\n", out);
    write_list ("host_topology", graph->hosts, graph->ndims, out);
    fputs ("  }\n", out);
    if (*graph->channels) {
        fprintf (out, "  channels {\n    count: %s\n", graph->channels);
        if (*graph->policy)
            fprintf (out, "    policy: %s\n", graph->policy);
        fputs ("  }\n", out);
    }
    fprintf (out,
             "}\n\ntop_level_instance {\n  mesh {\n"
             "    mesh_descriptor: \"%s\"\n    mesh_id: 0\n  }\n}\n",
             graph->name);
}
