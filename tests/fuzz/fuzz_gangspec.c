/* Jobs of tori gang, as lines of a job file and as the bytes that are sent
 * between processes: what is read comes back the same through bytes, and what
 * is refused is no job. */
#include "fuzz.h"
#include "spec.h"

static void check_words (char **a, char **b)
{
    while (*a && *b)
        MUST (strcmp (*a++, *b++) == 0);
    MUST (!*a && !*b);
}

static void check_same (const struct spec *a, const struct spec *b)
{
    MUST (a->start == b->start && a->stages == b->stages);
    MUST (!a->cwd == !b->cwd && (!a->cwd || strcmp (a->cwd, b->cwd) == 0));
    MUST (!a->env == !b->env);
    if (a->env)
        check_words (a->env, b->env);
    for (size_t i = 0; i < a->stages; i++) {
        MUST (a->stage[i].count == b->stage[i].count && a->stage[i].argv[0]);
        check_words (a->stage[i].argv, b->stage[i].argv);
    }
}

/* Every process is of one stage, in order. */
static void check_ranks (const struct spec *spec)
{
    uint32_t n = 0, rank;
    MUST (spec->stages > 0 && spec->start >= 0);
    for (size_t i = 0; i < spec->stages; i++) {
        MUST (spec->stage[i].count > 0 && spec_first (spec, i) == n);
        MUST (spec_stage_of (spec, n, &rank) == i && rank == 0);
        n += spec->stage[i].count;
        MUST (spec_stage_of (spec, n - 1, &rank) == i);
        MUST (rank == spec->stage[i].count - 1);
    }
    MUST (spec_count (spec) == n);
}

static void check_spec (struct spec *spec)
{
    struct bytes bytes = {0};
    struct spec *again;
    check_ranks (spec);
    if (spec_pack (spec, &bytes, NULL) == 0) {
        MUST (spec_unpack (bytes.data, bytes.n, &again, NULL) == 0);
        check_same (spec, again);
        spec_destroy (again);
    }
    bytes_clear (&bytes);
    spec_destroy (spec);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char *text = fuzz_text (data, size);
    struct spec *spec = NULL;
    tori_error err = {0};
    if (spec_parse_line (text, &spec, &err) == 0) {
        check_spec (spec);
    } else {
        MUST (!spec && err.status == TORI_INVALID && err.text[0] != '\0');
    }
    spec = NULL;
    err = (tori_error){0};
    if (spec_unpack (text, size, &spec, &err) == 0)
        check_spec (spec);
    else
        MUST (!spec && err.status == TORI_INVALID && err.text[0] != '\0');
    free (text);
    return 0;
}
