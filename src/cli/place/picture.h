/* picture.h - who is where on a machine: a letter for each node.
 *
 *     picture_create (machine, &picture, err);
 *     picture_state (&picture, state);           ('.', '#', 'x', '-')
 *     picture_place (&picture, place, 17);       (job 17 is there)
 *     picture_letter (&picture, NULL, err);
 *     map_draw (machine, picture.text, colour, out);
 *
 * No two jobs that run together have the same letter. If there are more jobs
 * than letters, no two that touch do, if possible.
 */
#ifndef TORI_CLI_PICTURE_H
#define TORI_CLI_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/alloc.h>

/* A job and its letter. */
struct lettered {
    uint64_t job;
    unsigned letter; /* which; see letters */
};

struct letters {
    struct lettered *item; /* by job */
    size_t n;
};

#define PICTURE_NOBODY UINT64_MAX

struct picture {
    const tori_machine *machine;
    uint64_t *owner; /* of each node: a job, or PICTURE_NOBODY */
    char *text;      /* of each node */
    uint32_t *scratch;
    struct letters letters;
};

/* All nodes are free. In any case picture_clear releases what there is. */
int picture_create (const tori_machine *machine, struct picture *ret_picture,
                    tori_error *err);
void picture_clear (struct picture *picture);

/* Mark nodes by their state, without a job: '.' free, '#' busy, 'x' down, '-'
 * drained. */
void picture_state (struct picture *picture, const tori_state *state);

/* Mark those of these nodes that are free as reserved: '='. */
void picture_reserve (struct picture *picture, const tori_placement *place);

/* Give a job these nodes, except those that are down. */
void picture_place (struct picture *picture, const tori_placement *place,
                    uint64_t job);

/* Give letters to the jobs, and to their nodes. Jobs keep the letter that they
 * have in `before`, which may be NULL or the letters of this picture. */
int picture_letter (struct picture *picture, const struct letters *before,
                    tori_error *err);

/* The letter of a job, or a blank. */
char letters_of (const struct letters *letters, uint64_t job);

/* Print a letter in the colour of its job. Letters of nodes without a job have
 * fixed colours. */
void letter_put (char letter, bool colour, FILE *out);

#endif
