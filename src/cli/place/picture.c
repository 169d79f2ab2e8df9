#include "picture.h"

#include <stdlib.h>
#include <string.h>

/* Without x, which is a node that is down, and without O, which is what was
 * just placed, and 0, which looks like it. */
static const char alphabet[]
    = "abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNPQRSTUVWXYZ123456789";
enum { LETTERS = sizeof alphabet - 1, NO_LETTER = LETTERS };

/* ---- nodes ---- */

static void clear_owners (struct picture *picture)
{
    uint32_t n = tori_machine_nodes (picture->machine);
    for (uint32_t i = 0; i < n; i++)
        picture->owner[i] = PICTURE_NOBODY;
}

int picture_create (const tori_machine *machine, struct picture *ret_picture,
                    tori_error *err)
{
    uint32_t n = tori_machine_nodes (machine);
    struct picture *picture = ret_picture;
    *picture = (struct picture){
        .machine = machine,
        .owner = malloc (n * sizeof *picture->owner),
        .text = malloc (n),
        .scratch = malloc (n * sizeof *picture->scratch),
    };
    if (!picture->owner || !picture->text || !picture->scratch)
        return tori_error_nomem (err);
    memset (picture->text, '.', n);
    clear_owners (picture);
    return 0;
}

void picture_clear (struct picture *picture)
{
    free (picture->owner);
    free (picture->text);
    free (picture->scratch);
    free (picture->letters.item);
    *picture = (struct picture){0};
}

void picture_state (struct picture *picture, const tori_state *state)
{
    static const char of[] = {
        [TORI_NODE_FREE] = '.',
        [TORI_NODE_BUSY] = '#',
        [TORI_NODE_DOWN] = 'x',
        [TORI_NODE_DRAINED] = '-',
    };
    uint32_t n = tori_machine_nodes (picture->machine);
    for (uint32_t i = 0; i < n; i++)
        picture->text[i] = of[tori_state_node (state, i)];
    clear_owners (picture);
}

void picture_reserve (struct picture *picture, const tori_placement *place)
{
    tori_placement_nodes (place, picture->machine, picture->scratch);
    for (uint32_t i = 0; i < place->count; i++)
        if (picture->text[picture->scratch[i]] == '.')
            picture->text[picture->scratch[i]] = '=';
}

void picture_place (struct picture *picture, const tori_placement *place,
                    uint64_t job)
{
    tori_placement_nodes (place, picture->machine, picture->scratch);
    for (uint32_t i = 0; i < place->count; i++)
        if (picture->text[picture->scratch[i]] != 'x')
            picture->owner[picture->scratch[i]] = job;
}

/* ---- letters ---- */

static int compare_jobs (const void *a, const void *b)
{
    const struct lettered *x = a, *y = b;
    return (x->job > y->job) - (x->job < y->job);
}

static struct lettered *find_lettered (const struct letters *letters,
                                       uint64_t job)
{
    const struct lettered key = {.job = job};
    return letters->n ? bsearch (&key, letters->item, letters->n, sizeof key,
                                 compare_jobs)
                      : NULL;
}

/* Whether this node begins a run of nodes of one job. */
static bool is_first_node (const struct picture *picture, uint32_t node)
{
    uint64_t job = picture->owner[node];
    return job != PICTURE_NOBODY
           && (node == 0 || picture->owner[node - 1] != job);
}

/* List the jobs in the picture, each once, without letters. */
static int list_jobs (const struct picture *picture,
                      struct letters *ret_letters, tori_error *err)
{
    uint32_t n = tori_machine_nodes (picture->machine);
    struct letters all = {0};
    size_t runs = 0;
    for (uint32_t i = 0; i < n; i++)
        runs += is_first_node (picture, i);
    all.item = malloc ((runs + 1) * sizeof *all.item);
    if (!all.item)
        return tori_error_nomem (err);
    runs = 0;
    for (uint32_t i = 0; i < n; i++)
        if (is_first_node (picture, i))
            all.item[runs++]
                = (struct lettered){picture->owner[i], NO_LETTER};
    qsort (all.item, runs, sizeof *all.item, compare_jobs);
    for (size_t i = 0; i < runs; i++)
        if (all.n == 0 || all.item[all.n - 1].job != all.item[i].job)
            all.item[all.n++] = all.item[i];
    *ret_letters = all;
    return 0;
}

/* The nodes of each job as a chain: its first node, and for each node the next
 * one. The number of nodes marks the end. */
struct chains {
    uint32_t *first, *next;
};

static int link_nodes (const struct picture *picture,
                       const struct letters *letters,
                       struct chains *ret_chains, tori_error *err)
{
    uint32_t n = tori_machine_nodes (picture->machine);
    *ret_chains = (struct chains){
        .first = malloc ((letters->n + 1) * sizeof *ret_chains->first),
        .next = picture->scratch,
    };
    if (!ret_chains->first)
        return tori_error_nomem (err);
    for (size_t i = 0; i < letters->n; i++)
        ret_chains->first[i] = n;
    for (uint32_t node = n; node-- > 0;)
        if (picture->owner[node] != PICTURE_NOBODY) {
            size_t i = (size_t)(find_lettered (letters, picture->owner[node])
                                - letters->item);
            ret_chains->next[node] = ret_chains->first[i];
            ret_chains->first[i] = node;
        }
    return 0;
}

static uint64_t letter_at (const struct picture *picture,
                           const struct letters *letters, uint32_t node)
{
    const struct lettered *job =
        picture->owner[node] == PICTURE_NOBODY
            ? NULL
            : find_lettered (letters, picture->owner[node]);
    return job && job->letter != NO_LETTER ? (uint64_t)1 << job->letter : 0;
}

/* The letters around a node. A mesh is treated as if it wrapped: that is
 * simple, and rarely costs a letter. */
static uint64_t letters_around (const struct picture *picture,
                                const struct letters *letters, uint32_t node)
{
    const tori_machine *machine = picture->machine;
    uint64_t around = 0;
    uint32_t weight = 1;
    for (int d = tori_machine_ndims (machine) - 1; d >= 0; d--) {
        uint32_t side = tori_machine_size (machine, d);
        uint32_t at = node / weight % side, base = node - at * weight;
        uint32_t up = (at + 1) % side, down = (at + side - 1) % side;
        around |= letter_at (picture, letters, base + up * weight);
        around |= letter_at (picture, letters, base + down * weight);
        weight *= side;
    }
    return around;
}

/* The letter of the job's number: a for 1. */
static unsigned favourite_letter (uint64_t job)
{
    return (unsigned)((job % LETTERS + LETTERS - 1) % LETTERS);
}

/* The first letter that is not taken, starting at the favourite. */
static unsigned choose_letter (uint64_t job, uint64_t taken)
{
    for (unsigned i = 0; i < LETTERS; i++) {
        unsigned letter = (favourite_letter (job) + i) % LETTERS;
        if (!(taken >> letter & 1))
            return letter;
    }
    return NO_LETTER;
}

/* Give a letter that no other job has. */
static void give_unused (struct letters *letters)
{
    uint64_t taken = 0;
    for (size_t i = 0; i < letters->n; i++)
        if (letters->item[i].letter != NO_LETTER)
            taken |= (uint64_t)1 << letters->item[i].letter;
    for (size_t i = 0; i < letters->n; i++) {
        struct lettered *job = &letters->item[i];
        if (job->letter == NO_LETTER)
            job->letter = choose_letter (job->job, taken);
        if (job->letter != NO_LETTER)
            taken |= (uint64_t)1 << job->letter;
    }
}

/* Give a letter that no neighbour has, if there is one. */
static int give_others (const struct picture *picture, struct letters *letters,
                        tori_error *err)
{
    uint32_t end = tori_machine_nodes (picture->machine);
    struct chains chains;
    if (link_nodes (picture, letters, &chains, err) < 0)
        return -1;
    for (size_t i = 0; i < letters->n; i++) {
        struct lettered *job = &letters->item[i];
        uint64_t around = 0;
        if (job->letter != NO_LETTER)
            continue;
        for (uint32_t k = chains.first[i]; k < end; k = chains.next[k])
            around |= letters_around (picture, letters, k);
        job->letter = choose_letter (job->job, around);
        if (job->letter == NO_LETTER)
            job->letter = favourite_letter (job->job);
    }
    free (chains.first);
    return 0;
}

int picture_letter (struct picture *picture, const struct letters *before,
                    tori_error *err)
{
    uint32_t n = tori_machine_nodes (picture->machine);
    struct letters letters;
    if (list_jobs (picture, &letters, err) < 0)
        return -1;
    for (size_t i = 0; before && i < letters.n; i++) {
        const struct lettered *old =
            find_lettered (before, letters.item[i].job);
        letters.item[i].letter = old ? old->letter : NO_LETTER;
    }
    give_unused (&letters);
    if (letters.n > LETTERS && give_others (picture, &letters, err) < 0) {
        free (letters.item);
        return -1;
    }
    free (picture->letters.item);
    picture->letters = letters;
    for (uint32_t i = 0; i < n; i++)
        if (picture->owner[i] != PICTURE_NOBODY)
            picture->text[i] = letters_of (&letters, picture->owner[i]);
    return 0;
}

char letters_of (const struct letters *letters, uint64_t job)
{
    const struct lettered *found = find_lettered (letters, job);
    return found ? alphabet[found->letter] : ' ';
}

void letter_put (char letter, bool colour, FILE *out)
{
    enum { COLOURS = 12, DARK = 6, RED = 31, BRIGHT = 85 };
    const char *at = letter ? strchr (alphabet, letter) : NULL;
    int i = at ? (int)(at - alphabet) % COLOURS : 0;
    int style = at                ? (i < DARK ? RED : BRIGHT) + i
                : letter == 'x'   ? 7
                : letter == '-'   ? 2
                : letter == '='   ? 2
                : letter == 'O'   ? 1
                                  : 0;
    if (colour && style)
        fprintf (out, "\033[%dm%c\033[m", style, letter);
    else
        fputc (letter, out);
}
