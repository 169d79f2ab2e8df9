#include "torusfile.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hostlist.h"

/* ---- memory ---- */

void torus_clear (struct torus_entry *torus)
{
    for (size_t i = 0; i < torus->n_regions; i++)
        free (torus->regions[i].nodes);
    free (torus->regions);
    free (torus->placements);
    free (torus->topology);
    free (torus->name);
    *torus = (struct torus_entry){0};
}

void torusfile_clear (struct torusfile *file)
{
    for (size_t i = 0; i < file->n; i++)
        torus_clear (&file->tori[i]);
    free (file->tori);
    *file = (struct torusfile){0};
}

/* ---- the rules of Slurm ---- */

static uint64_t volume (const uint32_t dims[TORUS_DIMS])
{
    return (uint64_t)dims[0] * dims[1] * dims[2];
}

static void format_dims (const uint32_t dims[TORUS_DIMS], char text[48])
{
    snprintf (text, 48, "%ux%ux%u", dims[0], dims[1], dims[2]);
}

static int check_sides (const char *what, const uint32_t dims[TORUS_DIMS],
                        tori_error *err)
{
    if (volume (dims) == 0)
        return tori_error_set (err, TORI_INVALID,
                               "%s has a side of 0, or none", what);
    return volume (dims) > TORI_MAX_NODES
               ? tori_error_set (err, TORI_INVALID, "%s is too large", what)
               : 0;
}

static bool is_within (const uint32_t anchor[TORUS_DIMS],
                       const uint32_t dims[TORUS_DIMS],
                       const uint32_t sides[TORUS_DIMS])
{
    for (int d = 0; d < TORUS_DIMS; d++)
        if (anchor[d] + dims[d] > sides[d])
            return false;
    return true;
}

static bool regions_meet (const struct torus_region *a,
                          const struct torus_region *b)
{
    for (int d = 0; d < TORUS_DIMS; d++)
        if (a->anchor[d] + a->dims[d] <= b->anchor[d]
            || b->anchor[d] + b->dims[d] <= a->anchor[d])
            return false;
    return true;
}

static int check_region (const struct torus_entry *torus, size_t i,
                         tori_error *err)
{
    const struct torus_region *region = &torus->regions[i];
    char sides[48];
    uint64_t n;
    if (!region->nodes || !*region->nodes)
        return tori_error_set (err, TORI_INVALID, "there are no nodes");
    if (check_sides ("the region", region->dims, err) < 0
        || hostlist_count (region->nodes, &n, err) < 0)
        return -1;
    format_dims (region->dims, sides);
    if (n != volume (region->dims))
        return tori_error_set (err, TORI_INVALID,
                               "'%.80s' has %llu nodes, but %s has %llu",
                               region->nodes, (unsigned long long)n, sides,
                               (unsigned long long)volume (region->dims));
    if (!is_within (region->anchor, region->dims, torus->dims))
        return tori_error_set (err, TORI_INVALID,
                               "the region is not inside the torus");
    for (size_t j = 0; j < i; j++)
        if (regions_meet (region, &torus->regions[j]))
            return tori_error_set (err, TORI_INVALID, "two regions overlap");
    return 0;
}

/* A spacing is never 0: the sides are the default. */
static int check_placement (const struct torus_entry *torus,
                            const struct torus_placement *placement,
                            tori_error *err)
{
    static const uint32_t none[TORUS_DIMS], one[TORUS_DIMS] = {1, 1, 1};
    if (check_sides ("the placement", placement->dims, err) < 0)
        return -1;
    if (!is_within (none, placement->dims, torus->dims))
        return tori_error_set (err, TORI_INVALID,
                               "the placement is larger than the torus");
    if (!is_within (none, placement->spacing, torus->dims))
        return tori_error_set (err, TORI_INVALID,
                               "the anchor_spacing is larger than the torus");
    if (!is_within (one, placement->seed, torus->dims))
        return tori_error_set (err, TORI_INVALID,
                               "the anchor_seed is not inside the torus");
    return 0;
}

int torus_check (const struct torus_entry *torus, size_t *ret_line,
                 tori_error *err)
{
    *ret_line = torus->line;
    if (!torus->name || !*torus->name)
        return tori_error_set (err, TORI_INVALID, "the torus has no name");
    if (check_sides ("the torus", torus->dims, err) < 0)
        return -1;
    for (size_t i = 0; i < torus->n_regions; i++) {
        *ret_line = torus->regions[i].line;
        if (check_region (torus, i, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < torus->n_placements; i++) {
        *ret_line = torus->placements[i].line;
        if (check_placement (torus, &torus->placements[i], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- finding ---- */

static bool is_called (const struct torus_entry *torus, const char *name)
{
    size_t n = strlen (torus->topology);
    return !strcmp (torus->name, name)
           || (!strncmp (torus->topology, name, n) && name[n] == ':'
               && !strcmp (torus->name, name + n + 1));
}

int torusfile_find (const struct torusfile *file, const char *path,
                    const char *name, const struct torus_entry **ret_torus,
                    tori_error *err)
{
    const struct torus_entry *found = NULL;
    for (size_t i = 0; i < file->n; i++) {
        if (name && !is_called (&file->tori[i], name))
            continue;
        if (found)
            return tori_error_set (
                err, TORI_INVALID,
                "%.200s: there are several tori, such as %.60s:%.60s and "
                "%.60s:%.60s; --torus says which",
                path, found->topology, found->name, file->tori[i].topology,
                file->tori[i].name);
        found = &file->tori[i];
    }
    if (!found)
        return tori_error_set (err, TORI_INVALID,
                               name ? "%.200s: there is no torus '%.60s'"
                                    : "%.200s: there is no torus3d",
                               path, name);
    *ret_torus = found;
    return 0;
}

/* ---- a placement as text ---- */

static int bad_placement (const char *text, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "bad placement '%.60s': expected "
                           "[SEED/]SIDES[:SPACING], such as 2x2x1 or "
                           "1,0,0/4x2x1:2x2x1",
                           text);
}

/* Three numbers up to the end of the text, or to one of `ends`. */
static bool scan_dims (const char **at, char by, const char *ends,
                       uint32_t dims[TORUS_DIMS])
{
    for (int d = 0; d < TORUS_DIMS; d++) {
        char *end;
        unsigned long value = strtoul (*at, &end, 10);
        if (end == *at || **at == '-' || **at == '+' || **at == ' '
            || value > TORUS_SIDE_MAX || (d < 2 && *end != by))
            return false;
        dims[d] = (uint32_t)value;
        *at = end + (d < 2);
    }
    return !**at || strchr (ends, **at);
}

int torus_add_placement (struct torus_entry *torus, const char *text,
                         tori_error *err)
{
    struct torus_placement placement = {.line = torus->line}, *more;
    const char *at = text;
    if (strchr (text, '/')
        && (!scan_dims (&at, ',', "/", placement.seed) || *at++ != '/'))
        return bad_placement (text, err);
    if (!scan_dims (&at, 'x', ":", placement.dims))
        return bad_placement (text, err);
    memcpy (placement.spacing, placement.dims, sizeof placement.spacing);
    if (*at == ':'
        && (++at, !scan_dims (&at, 'x', "", placement.spacing)
                      || volume (placement.spacing) == 0))
        return bad_placement (text, err);
    if (check_placement (torus, &placement, err) < 0)
        return -1;
    more =
        realloc (torus->placements, (torus->n_placements + 1) * sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    torus->placements = more;
    more[torus->n_placements++] = placement;
    return 0;
}

/* ---- writing ---- */

/* Whether YAML reads a text as a text, even without quotes. */
static bool is_plain (const char *text)
{
    static const char *const words[] = {"true", "false", "yes", "no", "on",
                                        "off",  "null",  "y",   "n"};
    static const char usual[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.,[]-";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcasecmp (text, words[i]))
            return false;
    return *text && strspn (text, usual) == strlen (text)
           && strspn (text, usual + 52) == 0; /* a letter first */
}

static void write_text (const char *key, const char *text, FILE *out)
{
    fprintf (out, "%s: ", key);
    if (is_plain (text)) {
        fprintf (out, "%s\n", text);
        return;
    }
    fputc ('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc ('\\', out);
        if ((unsigned char)*c < ' ')
            fprintf (out, "\\x%02x", (unsigned)(unsigned char)*c);
        else
            fputc (*c, out);
    }
    fputs ("\"\n", out);
}

static void write_dims (const char *key, const uint32_t dims[TORUS_DIMS],
                        FILE *out)
{
    fprintf (out, "%s: {x: %u, y: %u, z: %u}\n", key, dims[0], dims[1],
             dims[2]);
}

static void write_regions (const struct torus_entry *torus, FILE *out)
{
    if (torus->n_regions > 0 && torus->regions->whole) {
        write_text ("        nodes", torus->regions->nodes, out);
        return;
    }
    if (torus->n_regions > 0)
        fputs ("        regions:\n", out);
    for (size_t i = 0; i < torus->n_regions; i++) {
        write_dims ("          - anchor", torus->regions[i].anchor, out);
        write_dims ("            dims", torus->regions[i].dims, out);
        write_text ("            nodes", torus->regions[i].nodes, out);
    }
}

static void write_placement (const struct torus_placement *placement,
                             FILE *out)
{
    static const uint32_t none[TORUS_DIMS];
    write_dims ("          - dims", placement->dims, out);
    if (memcmp (placement->seed, none, sizeof none) != 0)
        write_dims ("            anchor_seed", placement->seed, out);
    if (memcmp (placement->spacing, placement->dims, sizeof none) != 0)
        write_dims ("            anchor_spacing", placement->spacing, out);
}

void torus_write (const struct torus_entry *torus, FILE *out)
{
    fputs ("---\n", out);
    write_text ("- topology", torus->topology, out);
    fputs ("  cluster_default: true\n  torus3d:\n    toruses:\n", out);
    write_text ("      - name", torus->name, out);
    write_dims ("        dims", torus->dims, out);
    write_regions (torus, out);
    if (torus->n_placements > 0)
        fputs ("        placements:\n", out);
    for (size_t i = 0; i < torus->n_placements; i++)
        write_placement (&torus->placements[i], out);
}
