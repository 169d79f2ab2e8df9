/* design.c - a grid of simulations. */
#include "design.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cell.h"
#include "files.h"

/* Limits that no useful grid reaches: cells, values of one axis, and words of
 * a cell. */
enum {
    MOST_CELLS = 10000000,
    MOST_VALUES = 10000,
    MOST_WORDS = 2 * AXES + 2 * SHARED + 64
};

#define NAME(id, text, ...) [AXIS_##id] = text,
static const char *const names[AXES] = {DESIGN_SCENES (NAME)
                                            DESIGN_POLICIES (NAME)};
#define SHARED_NAME(id, text, ...) [SHARED_##id] = text,
static const char *const shared_names[SHARED] = {DESIGN_SHARED (SHARED_NAME)};
#undef SHARED_NAME
#undef NAME

/* ---- the values of an axis ---- */

static int add_value (struct axis *axis, const char *text, size_t length,
                      tori_error *err)
{
    char **more = realloc (axis->value, (axis->n + 1) * sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    axis->value = more;
    more[axis->n] = strndup (text, length);
    if (!more[axis->n])
        return tori_error_nomem (err);
    axis->n++;
    return 0;
}

/* A decimal number as an integer and a number of digits. */
struct decimal {
    int64_t number;
    int digits; /* after the point */
};

static bool scan_decimal (const char **text, struct decimal *ret)
{
    const char *at = *text;
    *ret = (struct decimal){0};
    for (bool point = false; (*at >= '0' && *at <= '9') || *at == '.'; at++) {
        if (*at == '.' ? point : ret->number > INT64_MAX / 100)
            return false;
        if (*at == '.') {
            point = true;
            continue;
        }
        ret->number = 10 * ret->number + (*at - '0');
        ret->digits += point;
    }
    if (at == *text)
        return false;
    *text = at;
    return true;
}

/* FROM:TO:STEP, each a number. */
static bool scan_range (const char *text, size_t length, struct decimal ret[3])
{
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        if (!scan_decimal (&at, &ret[i]))
            return false;
        if (i < 2 && *at++ != ':')
            return false;
    }
    return at == text + length;
}

/* Give all three the same number of digits. */
static int align_digits (struct decimal all[3])
{
    int most = 0;
    for (int i = 0; i < 3; i++)
        most = all[i].digits > most ? all[i].digits : most;
    for (int i = 0; i < 3; i++)
        for (; all[i].digits < most; all[i].digits++)
            if (__builtin_mul_overflow (all[i].number, 10, &all[i].number))
                return -1;
    return most;
}

static int add_range (struct axis *axis, struct decimal range[3],
                      tori_error *err)
{
    int digits = align_digits (range);
    int64_t unit = 1;
    if (digits < 0 || range[2].number == 0
        || range[0].number > range[1].number)
        return tori_error_set (err, TORI_INVALID,
                               "--%s: expected FROM:TO:STEP, such as "
                               "0.2:1.0:0.1",
                               axis->name);
    if ((range[1].number - range[0].number) / range[2].number >= MOST_VALUES)
        return tori_error_set (err, TORI_INVALID, "--%s: more than %d values",
                               axis->name, MOST_VALUES);
    for (int i = 0; i < digits; i++)
        unit *= 10;
    for (int64_t at = range[0].number; at <= range[1].number;
         at += range[2].number) {
        char text[64];
        int n = snprintf (text, sizeof text, "%lld", (long long)(at / unit));
        if (digits > 0)
            n += snprintf (text + n, sizeof text - (size_t)n, ".%0*lld",
                           digits, (long long)(at % unit));
        if (add_value (axis, text, (size_t)n, err) < 0)
            return -1;
    }
    return 0;
}

static int check_twice (const struct axis *axis, tori_error *err)
{
    for (size_t i = 0; i < axis->n; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp (axis->value[i], axis->value[j]))
                return tori_error_set (err, TORI_INVALID,
                                       "--%s: '%.60s' is given twice",
                                       axis->name, axis->value[i]);
    return 0;
}

static int read_axis (struct axis *axis, const char *text, tori_error *err)
{
    struct decimal range[3];
    for (size_t n; text; text = text[n] ? text + n + 1 : NULL) {
        n = strcspn (text, ",");
        if (n == 0)
            return tori_error_set (err, TORI_INVALID,
                                   "--%s: expected values with commas "
                                   "between them",
                                   axis->name);
        if ((scan_range (text, n, range) ? add_range (axis, range, err)
                                         : add_value (axis, text, n, err))
            < 0)
            return -1;
    }
    return check_twice (axis, err);
}

/* ---- a cell ---- */

/* The index of a combination on an axis; the last axis changes fastest. */
static size_t place_on (const struct design *design, size_t scene,
                        size_t policy, size_t axis)
{
    bool is_policy = design->axis[axis].policy;
    size_t at = is_policy ? policy : scene;
    for (size_t i = AXES; --i > axis;)
        if (design->axis[i].policy == is_policy && design->axis[i].n)
            at /= design->axis[i].n;
    return design->axis[axis].n ? at % design->axis[axis].n : 0;
}

static const char *value_at (const struct design *design, size_t scene,
                             size_t policy, size_t axis)
{
    const struct axis *of = &design->axis[axis];
    return of->n ? of->value[place_on (design, scene, policy, axis)] : NULL;
}

size_t design_position (const struct design *design, const struct cell *cell)
{
    size_t row = cell->scene * design->policies + cell->policy;
    return row * design->seeds + (cell->seed - design->cell[0].seed);
}

const char *design_value (const struct design *design, const struct cell *cell,
                          size_t axis)
{
    return value_at (design, cell->scene, cell->policy, axis);
}

static bool add_word (struct cell *cell, size_t *n, const char *text,
                      size_t length)
{
    if (*n == MOST_WORDS)
        return false;
    cell->words[*n] = strndup (text, length);
    return cell->words[(*n)++] != NULL;
}

static bool add_option (struct cell *cell, size_t *n, const char *name,
                        const char *value)
{
    char text[64];
    snprintf (text, sizeof text, "--%s", name);
    return add_word (cell, n, text, strlen (text))
           && add_word (cell, n, value, strlen (value));
}

static bool add_extra (struct cell *cell, size_t *n, const char *options)
{
    for (size_t length; options && *options; options += length) {
        options += strspn (options, " \t\n");
        length = strcspn (options, " \t\n");
        if (length > 0 && !add_word (cell, n, options, length))
            return false;
    }
    return true;
}

/* A patience that all share says nothing to those without alternatives, which
 * the others are compared with. */
static bool is_pointless (const struct design *design, const struct cell *cell,
                          size_t axis)
{
    const char *instead = design_value (design, cell, AXIS_OR);
    return axis == AXIS_PATIENCE && design->axis[axis].n == 1 && instead
           && !strcmp (instead, "none");
}

static bool add_words (const struct design *design, struct cell *cell,
                       const struct design_options *typed, size_t *n)
{
    char seed[24];
    snprintf (seed, sizeof seed, "%llu", (unsigned long long)cell->seed);
    for (size_t i = 0; i < AXES; i++) {
        const char *value = design_value (design, cell, i);
        if (value && !is_pointless (design, cell, i)
            && !add_option (cell, n, names[i], value))
            return false;
    }
    for (size_t i = 0; i < SHARED; i++)
        if (typed->shared[i]
            && !add_option (cell, n, shared_names[i], typed->shared[i]))
            return false;
    return add_option (cell, n, "seed", seed)
           && add_extra (cell, n, typed->options);
}

static void cell_clear (struct cell *cell)
{
    for (size_t i = 0; cell->words && cell->words[i]; i++)
        free (cell->words[i]);
    free (cell->words);
    free (cell->key);
}

/* Returns 0; 1 and `why` if the values contradict each other; or -1. */
static int make_cell (const struct design *design,
                      const struct design_options *typed, struct cell *cell,
                      tori_error *why, tori_error *err)
{
    struct cell_line line;
    size_t n = 0;
    int status;
    cell->words = calloc (MOST_WORDS + 1, sizeof *cell->words);
    if (!cell->words)
        return tori_error_nomem (err);
    if (!add_words (design, cell, typed, &n))
        return n == MOST_WORDS ? tori_error_set (err, TORI_INVALID,
                                                 "--options: too many words")
                               : tori_error_nomem (err);
    status = cell_parse (cell->words, n, typed->seeds, &line, why, err);
    cell->values = line.values;
    cell->key = line.key;
    return status;
}

/* ---- the grid ---- */

static int count_combinations (const struct axis axis[AXES], bool policies,
                               size_t *ret_n, tori_error *err)
{
    size_t n = 1;
    for (size_t i = 0; i < AXES; i++)
        if (axis[i].n && axis[i].policy == policies
            && (__builtin_mul_overflow (n, axis[i].n, &n) || n > MOST_CELLS))
            return tori_error_set (err, TORI_INVALID,
                                   "more than %d combinations", MOST_CELLS);
    *ret_n = n;
    return 0;
}

/* Every simulation reads its log from the beginning. */
static int check_logs (const struct axis *logs, tori_error *err)
{
    for (size_t i = 0; i < logs->n; i++) {
        struct named_file log = {"--trace", logs->value[i]};
        if (!strcmp (logs->value[i], "-"))
            return tori_error_set (err, TORI_INVALID,
                                   "--trace: every simulation reads the log, "
                                   "and standard input can be read only "
                                   "once");
        if (files_check (&log, 1, err) < 0)
            return -1;
    }
    return 0;
}

/* The axis with a name of that length; AXES if there is none. */
static size_t find_axis (const char *name, size_t length)
{
    size_t i = 0;
    while (i < AXES
           && (strlen (names[i]) != length
               || strncmp (names[i], name, length) != 0))
        i++;
    return i;
}

static int read_pair (struct design *design, const char *text,
                      tori_error *err)
{
    for (size_t i = AXES_OF_SCENE; i < AXES; i++)
        design->axis[i].policy = true;
    for (size_t n; text; text = text[n] ? text + n + 1 : NULL) {
        size_t axis;
        n = strcspn (text, ",");
        axis = find_axis (text, n);
        if (axis == AXES)
            return tori_error_set (err, TORI_INVALID,
                                   "--pair: '%.*s': expected options with "
                                   "several values, such as wiring,shapes",
                                   (int)(n < 60 ? n : 60), text);
        if (design->axis[axis].n < 2)
            return tori_error_set (err, TORI_INVALID,
                                   "--pair: --%s has only one value",
                                   names[axis]);
        design->axis[axis].policy = true;
    }
    return 0;
}

static int read_axes (const struct design_options *typed,
                      struct design *design, tori_error *err)
{
    for (size_t i = 0; i < AXES; i++) {
        design->axis[i].name = names[i];
        if (typed->value[i]
            && read_axis (&design->axis[i], typed->value[i], err) < 0)
            return -1;
    }
    if (check_logs (&design->axis[AXIS_TRACE], err) < 0
        || read_pair (design, typed->pair, err) < 0)
        return -1;
    design->seeds = (size_t)typed->seeds;
    if (count_combinations (design->axis, false, &design->scenes, err) < 0
        || count_combinations (design->axis, true, &design->policies, err) < 0)
        return -1;
    if (design->scenes * design->policies > MOST_CELLS / design->seeds)
        return tori_error_set (err, TORI_INVALID, "more than %d combinations",
                               MOST_CELLS);
    return 0;
}

static struct left_out *find_reason (const struct design *design,
                                     const char *why)
{
    for (size_t i = 0; i < design->reasons; i++)
        if (!strcmp (design->reason[i].why, why))
            return &design->reason[i];
    return NULL;
}

static int leave_out (struct design *design, const struct cell *cell,
                      const char *why, tori_error *err)
{
    struct left_out *known = find_reason (design, why), *more;
    char scene[DESIGN_TEXT], policy[DESIGN_TEXT];
    design->left_out++;
    if (known) {
        known->n++;
        return 0;
    }
    more = realloc (design->reason, (design->reasons + 1) * sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    design->reason = more;
    more += design->reasons++;
    *more = (struct left_out){.n = 1};
    design_scene (design, cell->scene, scene);
    design_policy (design, cell->policy, policy);
    snprintf (more->first, sizeof more->first, "%s%s%s", scene,
              *scene && *policy ? " " : "", policy);
    snprintf (more->why, sizeof more->why, "%s", why);
    return 0;
}

/* Add all seeds of a combination, or none. */
static int add_seeds (struct design *design,
                      const struct design_options *typed, size_t scene,
                      size_t policy, tori_error *err)
{
    for (size_t seed = 0; seed < design->seeds; seed++) {
        struct cell *cell = &design->cell[design->n];
        tori_error why = {0};
        int status;
        *cell = (struct cell){.scene = scene,
                              .policy = policy,
                              .seed = (uint64_t)typed->seed + seed};
        status = make_cell (design, typed, cell, &why, err);
        if (status == 0 && seed == 0)
            status = sim_run_suits (&cell->values, &why, err);
        if (status == 0) {
            design->n++;
            continue;
        }
        cell_clear (cell);
        return status < 0 ? -1 : leave_out (design, cell, why.text, err);
    }
    return 0;
}

/* The value of an option in a config, or NULL. */
static const char *text_of (const json_t *config, const char *option)
{
    char key[32];
    size_t n = 0;
    for (; option[n] && n + 1 < sizeof key; n++)
        key[n] = option[n] == '-' ? '_' : option[n];
    key[n] = '\0';
    return json_string_value (json_object_get (config, key));
}

int design_read (const json_t *config, struct design_options *ret_typed,
                 tori_error *err)
{
    struct design_options typed = {
        .options = json_string_value (json_object_get (config, "options")),
        .pair = json_string_value (json_object_get (config, "pair")),
        .seed = json_integer_value (json_object_get (config, "seed")),
        .seeds = json_integer_value (json_object_get (config, "seeds")),
    };
    for (size_t i = 0; i < AXES; i++)
        typed.value[i] = text_of (config, names[i]);
    for (size_t i = 0; i < SHARED; i++)
        typed.shared[i] = text_of (config, shared_names[i]);
    if (typed.seeds < 1)
        return tori_error_set (err, TORI_INVALID,
                               "expected the config of a sweep");
    *ret_typed = typed;
    return 0;
}

int design_make (const struct design_options *typed, struct design *ret_design,
                 tori_error *err)
{
    struct design *design = ret_design;
    *design = (struct design){0};
    if (!typed->value[AXIS_MACHINE])
        return tori_error_set (err, TORI_INVALID,
                               "--machine KIND:SIZES,... is missing");
    if (read_axes (typed, design, err) < 0)
        return -1;
    design->cell = calloc (design->scenes * design->policies * design->seeds,
                           sizeof *design->cell);
    if (!design->cell)
        return tori_error_nomem (err);
    for (size_t scene = 0; scene < design->scenes; scene++)
        for (size_t policy = 0; policy < design->policies; policy++)
            if (add_seeds (design, typed, scene, policy, err) < 0)
                return -1;
    if (design->n == 0)
        return tori_error_set (err, TORI_INVALID, "%s", design->reason->why);
    design->resampled = design->cell[0].values.work.resample;
    return 0;
}

void design_clear (struct design *design)
{
    for (size_t i = 0; i < design->n; i++)
        cell_clear (&design->cell[i]);
    free (design->cell);
    free (design->reason);
    for (size_t i = 0; i < AXES; i++) {
        for (size_t j = 0; j < design->axis[i].n; j++)
            free (design->axis[i].value[j]);
        free (design->axis[i].value);
    }
    *design = (struct design){0};
}

/* ---- names ---- */

/* The last component of a path; other values as they are. */
static const char *short_of (size_t axis, const char *value)
{
    const char *slash = axis == AXIS_TRACE ? strrchr (value, '/') : NULL;
    return slash ? slash + 1 : value;
}

/* Whether the values of an axis need no name of the axis before them. */
static bool is_self_explaining (size_t axis)
{
    return axis == AXIS_TRACE || axis == AXIS_MODEL || axis == AXIS_MACHINE
           || axis == AXIS_SCHED || axis == AXIS_ALLOC;
}

enum part { PART_SCENE, PART_POLICY, PART_SHARED };

static bool is_in (const struct axis *axis, enum part part)
{
    if (axis->n < 2)
        return part == PART_SHARED;
    return part == (axis->policy ? PART_POLICY : PART_SCENE);
}

/* Join the values of the axes of a part. */
static void name_part (const struct design *design, size_t scene,
                       size_t policy, enum part part, char text[DESIGN_TEXT])
{
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < AXES; i++) {
        const char *value = value_at (design, scene, policy, i);
        if (!value || !is_in (&design->axis[i], part) || n >= DESIGN_TEXT)
            continue;
        n += (size_t)snprintf (
            text + n, DESIGN_TEXT - n, "%s%s%s%s", n > 0 ? " " : "",
            is_self_explaining (i) ? "" : names[i],
            is_self_explaining (i) ? "" : " ", short_of (i, value));
    }
}

void design_scene (const struct design *design, size_t scene,
                   char text[DESIGN_TEXT])
{
    name_part (design, scene, 0, PART_SCENE, text);
}

void design_policy (const struct design *design, size_t policy,
                    char text[DESIGN_TEXT])
{
    name_part (design, 0, policy, PART_POLICY, text);
}

void design_shared (const struct design *design, char text[DESIGN_TEXT])
{
    name_part (design, 0, 0, PART_SHARED, text);
}

void design_print_left_out (const struct design *design, const char *before,
                            FILE *out)
{
    for (size_t i = 0; i < design->reasons; i++) {
        const struct left_out *it = &design->reason[i];
        fprintf (out, "%sleft out: %s", before, it->first);
        if (it->n > 1)
            fprintf (out, " and %zu more", it->n - 1);
        fprintf (out, ": %s\n", it->why);
    }
}
