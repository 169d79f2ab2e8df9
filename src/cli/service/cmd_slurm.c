/* tori slurm - jobs for a Slurm whose nodes tori chooses. The request goes
 * into the job's comment; all other options go to Slurm's own commands. */
#include <errno.h>
#include <unistd.h>

#include <tori/alloc.h>
#include <tori/machine.h>

#include "commands.h"
#include "duration.h"
#include "names.h"
#include "number.h"

struct values {
    const char *shape, *machine;
    int wiring, instead;
    struct strings words;
};

#define AT(member) offsetof (struct values, member)

/* Read ",count=32", or nothing. */
static int check_count (const char *text, const char *shape, uint64_t nodes,
                        tori_error *err)
{
    static const char word[] = ",count=";
    uint64_t count = nodes;
    const char *end = text + sizeof word - 1;
    if (*text
        && (strncmp (text, word, sizeof word - 1) != 0
            || !number_scan (&end, UINT32_MAX, &count) || *end))
        return tori_error_set (err, TORI_INVALID,
                               "expected SHAPE@TIME[,count=N]");
    return count == nodes
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "%.80s has %llu nodes, but count is %llu",
                                 shape, (unsigned long long)nodes,
                                 (unsigned long long)count);
}

/* Read "4x4x2" or "4x4x2@10m", with ",count=32" after that or without. */
static int parse_shape (const char *text, tori_shape *ret_shape,
                        tori_error *err)
{
    char part[TORI_TEXT_MAX], time[64], end[40] = "";
    int64_t patience = 1;
    int n = sscanf (text, "%255[^@]@%63[^,]%39s", part, time, end);
    if (!strchr (text, '@'))
        return tori_shape_parse (text, ret_shape, err);
    if (n < 2 || tori_shape_parse (part, ret_shape, err) < 0
        || limit_parse (time, &patience, err) < 0)
        return n < 2 ? tori_error_set (err, TORI_INVALID,
                                       "expected SHAPE@TIME[,count=N]")
                     : -1;
    if (patience <= 0)
        return tori_error_set (err, TORI_INVALID, "expected a time above 0");
    return check_count (end, part, tori_shape_volume (ret_shape), err);
}

static int check_shape (const char *text, void *to, tori_error *err)
{
    tori_shape shape;
    return parse_shape (text, &shape, err);
}

#define WIRING                                                               \
    {"wiring", OPTION_CHOICE, AT (wiring), "WIRING", .choices = wiring_names, \
     .with = "shape", .help = "how the box is wired"}

static const char *or_names (size_t i)
{
    return i == 0 ? "boxes" : NULL;
}

#define OR                                                                   \
    {"or", OPTION_CHOICE, AT (instead), "RULE", .choices = or_names,         \
     .with = "shape",                                                        \
     .help = "if the box has no place, take any other box of as many nodes"}

static const struct option job_options[] = {
    {"shape", OPTION_STRING, AT (shape), "SHAPE", .parse = check_shape,
     .help = "a box of nodes, such as 4x4x2; or, for a job that takes any 32 "
             "nodes after it has waited for ten minutes, 4x4x2@10m,count=32; "
             "if not given, the number of nodes counts"},
    WIRING,
    OR,
    {"words", OPTION_STRINGS, AT (words), "WORD", .operand = true,
     .help = "options, script or program, and arguments, as the command of "
             "Slurm takes them"},
    {.name = NULL},
};

static const struct option comment_options[] = {
    {"shape", OPTION_STRING, AT (shape), "SHAPE", .parse = check_shape,
     .required = true,
     .help = "a box of nodes, such as 4x4x2; or 4x4x2@10m,count=32, as for "
             "'tori slurm sbatch'"},
    WIRING,
    OR,
    {"machine", OPTION_STRING, AT (machine), "KIND:SIZES",
     .help = "the machine of the cluster, as in tori.conf: a box that it can "
             "never hold is refused; if not given, sbatch checks that"},
    {.name = NULL},
};

/* ---- the comment ---- */

enum { COMMENT_MAX = TORI_TEXT_MAX + 64 };

static int check_or (const struct values *v, tori_error *err)
{
    return v->instead < 0 || !v->shape || !strchr (v->shape, '@')
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "--or boxes, and a shape with a time, after "
                                 "which the job takes any nodes: expected one "
                                 "of the two");
}

static void write_comment (const struct values *v, char text[COMMENT_MAX])
{
    bool wired = v->wiring >= 0;
    snprintf (text, COMMENT_MAX, "tori:shape=%.900s%s%s%s", v->shape,
              v->instead >= 0 ? ",or=boxes" : "", wired ? ",wiring=" : "",
              wired ? wiring_names ((size_t)v->wiring) : "");
}

/* Whether the machine could hold the box if it were idle. */
static int check_machine (const struct values *v, tori_error *err)
{
    tori_request request = {0};
    tori_machine *machine = NULL;
    tori_alloc *alloc = NULL;
    const char *why = NULL;
    int status = tori_machine_parse (v->machine, &machine, err);
    if (v->wiring >= 0)
        request.wiring = (tori_wiring)v->wiring;
    if (status == 0)
        status = parse_shape (v->shape, &request.shape, err);
    if (status == 0)
        status = tori_alloc_create (machine, TORI_ALLOC ("first-fit"), &alloc,
                                    err);
    if (status == 0)
        why = tori_alloc_impossible (alloc, &request);
    if (why)
        status = tori_error_set (err, TORI_NEVER,
                                 "the machine, %.80s, can never hold %.80s: "
                                 "%s",
                                 v->machine, v->shape, why);
    tori_alloc_destroy (alloc);
    tori_machine_destroy (machine);
    return status;
}

static int run_comment (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    char text[COMMENT_MAX];
    if (check_or (v, err) < 0
        || (v->machine && check_machine (v, err) < 0))
        return -1;
    write_comment (values, text);
    fprintf (out, "%s\n", text);
    return 0;
}

/* ---- Slurm's commands ---- */

/* Our options come first, so that the user's options about nodes override
 * them. */
struct front {
    char comment[COMMENT_MAX + 16];
    char nodes[32];
};

static size_t write_front (const struct values *v, struct front *front,
                           const char *argv[])
{
    char text[COMMENT_MAX];
    tori_shape shape;
    if (!v->shape || parse_shape (v->shape, &shape, NULL) < 0)
        return 0;
    write_comment (v, text);
    snprintf (front->comment, sizeof front->comment, "--comment=%s", text);
    snprintf (front->nodes, sizeof front->nodes, "--nodes=%llu",
              (unsigned long long)tori_shape_volume (&shape));
    argv[0] = front->comment;
    argv[1] = front->nodes;
    return 2;
}

/* Slurm accepts abbreviated options. */
static bool is_comment (const char *word)
{
    static const char option[] = "--comment";
    enum { LEAST = sizeof "--com" - 1 };
    size_t n = strcspn (word, "=");
    return n >= LEAST && n < sizeof option && !strncmp (word, option, n);
}

/* Find the word with the user's own comment, the last if there are several.
 * Only Slurm knows which options take the next word as their value: after an
 * option that may take one, the program may have begun. */
static int find_comment (const struct strings *words, size_t *ret_at,
                         tori_error *err)
{
    bool valued = false, vague = false;
    *ret_at = words->n;
    for (size_t i = 0; i < words->n; i++) {
        const char *word = words->item[i];
        if (!strcmp (word, "--") || (*word != '-' && !valued))
            return 0;
        vague |= *word != '-';
        valued = *word == '-' && !strchr (word, '=');
        if (!is_comment (word))
            continue;
        if (vague)
            return tori_error_set (err, TORI_INVALID,
                                   "is %.20s for Slurm? Then let it come "
                                   "first; otherwise write -- before the "
                                   "program",
                                   word);
        i += valued;
        *ret_at = i;
        valued = false;
    }
    return 0;
}

/* The user's comment follows the shape, as it does when the plugin adds the
 * shape. */
static int join_comment (const struct values *v, const char *word,
                         char **ret_word, tori_error *err)
{
    const char *equals = is_comment (word) ? strchr (word, '=') : NULL;
    const char *said = equals ? equals + 1 : word;
    char text[COMMENT_MAX];
    if (!strncmp (said, "tori:", 5))
        return tori_error_set (err, TORI_INVALID,
                               "--shape and --comment=tori: both say what "
                               "the job asks for");
    write_comment (v, text);
    return asprintf (ret_word, "%.*s%s %s", (int)(said - word), word, text,
                     said)
                   < 0
               ? tori_error_nomem (err)
               : 0;
}

static int execute_program (const char *program, const struct values *v,
                            size_t at, const char *comment, tori_error *err)
{
    const char **argv = calloc (v->words.n + 4, sizeof *argv);
    void *words = argv; /* execvp changes none of them */
    struct front front;
    size_t n = 0;
    if (!argv)
        return tori_error_nomem (err);
    argv[n++] = program;
    n += write_front (v, &front, argv + n);
    for (size_t i = 0; i < v->words.n; i++)
        argv[n++] = i == at && comment ? comment : v->words.item[i];
    execvp (program, words);
    free (words);
    return tori_error_set (err, TORI_FAILED, "%s: %s", program,
                           errno == ENOENT ? "there is no such program; is "
                                             "Slurm installed?"
                                           : strerror (errno));
}

static int run_program (const char *program, const struct values *v,
                        tori_error *err)
{
    size_t at = 0;
    char *comment = NULL;
    int status;
    if (check_or (v, err) < 0
        || (v->shape && find_comment (&v->words, &at, err) < 0))
        return -1;
    if (v->shape && at < v->words.n
        && join_comment (v, v->words.item[at], &comment, err) < 0)
        return -1;
    status = execute_program (program, v, at, comment, err);
    free (comment);
    return status;
}

static int run_sbatch (const void *values, FILE *out, tori_error *err)
{
    return run_program ("sbatch", values, err);
}

static int run_srun (const void *values, FILE *out, tori_error *err)
{
    return run_program ("srun", values, err);
}

static int run_salloc (const void *values, FILE *out, tori_error *err)
{
    return run_program ("salloc", values, err);
}

/* ---- the tables ---- */

#define NOTES(program)                                                      \
    "All words from the first that is not an option below on are for "      \
    program ". The text of a --comment among them comes after the shape. "  \
    "The exit status is that of " program "."

#define SLURM_COMMAND(program, what, example)                        \
    static const struct command command_slurm_##program = {          \
        .name = #program,                                            \
        .summary = what,                                             \
        .notes = NOTES (#program),                                   \
        .options = job_options,                                      \
        .size = sizeof (struct values),                              \
        .verbatim = true,                                            \
        .passes = true,                                              \
        .examples = "tori slurm " #program " --shape 4x4x2 " example, \
        .run = run_##program,                                        \
    }

SLURM_COMMAND (sbatch, "Submit a batch script to Slurm, with a shape",
               "--wiring torus --time=1:00:00 job.sh");
SLURM_COMMAND (srun, "Run a program under Slurm, with a shape",
               "./program argument");
SLURM_COMMAND (salloc, "Get nodes from Slurm, with a shape",
               "--time=1:00:00");

static const struct command command_slurm_comment = {
    .name = "comment",
    .summary = "Print the comment that asks for a shape, for #SBATCH lines",
    .options = comment_options,
    .size = sizeof (struct values),
    .examples = "tori slurm comment --shape 4x4x2 --wiring torus",
    .run = run_comment,
};

/* In the order of the help. */
static const struct command *const commands[] = {
    &command_slurm_sbatch,
    &command_slurm_srun,
    &command_slurm_salloc,
    &command_slurm_comment,
    &command_slurm_topology,
    NULL,
};

const struct command command_slurm = {
    .name = "slurm",
    .summary = "Submit jobs to a Slurm cluster whose nodes tori chooses",
    .notes = "A job says in its comment which shape it asks for, as in "
             "--comment=tori:shape=4x4x2,wiring=torus; these commands write "
             "that, and the number of nodes. 'tori slurm topology' is for "
             "administrators of the cluster.",
    .commands = commands,
    .examples = "tori slurm sbatch --shape 4x4x2 --wiring torus job.sh",
};
