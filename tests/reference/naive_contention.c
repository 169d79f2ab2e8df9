#include "naive_contention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* ---- numbers ---- */

__extension__ typedef unsigned __int128 big_pair;

struct big big_of (uint64_t whole)
{
    struct big big = {{0}};
    big_pair wide = (big_pair)whole << POINT % 64;
    big.word[POINT / 64] = (uint64_t)wide;
    big.word[POINT / 64 + 1] = (uint64_t)(wide >> 64);
    return big;
}

double big_value (struct big a, uint32_t den)
{
    double value = 0;
    for (int i = BIG_WORDS - 1; i >= 0; i--)
        value += ldexp ((double)a.word[i], 64 * i - POINT);
    return value / den;
}

static struct big add (struct big a, struct big b)
{
    big_pair carry = 0;
    for (int i = 0; i < BIG_WORDS; i++) {
        carry += (big_pair)a.word[i] + b.word[i];
        a.word[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

static int compare (struct big a, struct big b)
{
    for (int i = BIG_WORDS - 1; i >= 0; i--)
        if (a.word[i] != b.word[i])
            return a.word[i] < b.word[i] ? -1 : 1;
    return 0;
}

static struct big sub (struct big a, struct big b)
{
    uint64_t borrow = 0;
    assert_true (compare (a, b) >= 0);
    for (int i = 0; i < BIG_WORDS; i++) {
        big_pair rest =
            (big_pair)a.word[i] - b.word[i] - borrow;
        a.word[i] = (uint64_t)rest;
        borrow = (uint64_t)(rest >> 64) & 1;
    }
    return a;
}

static struct big least (struct big a, struct big b)
{
    return compare (a, b) < 0 ? a : b;
}

/* a / n, n a power of two, exactly. */
static struct big divide (struct big a, uint32_t n)
{
    for (; n > 1; n /= 2) {
        assert_int_equal (a.word[0] & 1, 0);
        for (int i = 0; i < BIG_WORDS; i++)
            a.word[i] = a.word[i] >> 1
                        | (i + 1 < BIG_WORDS ? a.word[i + 1] << 63 : 0);
    }
    return a;
}

static bool is_zero (struct big a)
{
    return compare (a, big_of (0)) == 0;
}

/* ---- CNP_Alloc ---- */

enum { MOST_SIDE = 16 };

struct entry {
    struct big tm;
    uint32_t sz;
    size_t id;
};

struct matrix {
    struct entry entry[MOST_SIDE][MOST_SIDE];
    uint32_t sigma; /* its sides, at this level */
};

/* Lines 5 to 10. */
static void expand (struct matrix *A, uint32_t sigma)
{
    while (A->sigma < sigma) {
        uint32_t s = A->sigma;
        for (uint32_t i = 0; i < s; i++)
            for (uint32_t j = 0; j < s; j++)
                A->entry[i + s][j] = A->entry[i][j + s] =
                    A->entry[i + s][j + s] = A->entry[i][j];
        A->sigma = 2 * s;
    }
}

/* Lines 12 to 14: take the least of the entries from all of them. */
static struct big advance (struct matrix *A)
{
    struct big min = A->entry[0][0].tm;
    for (uint32_t i = 0; i < A->sigma; i++)
        for (uint32_t j = 0; j < A->sigma; j++)
            min = least (min, A->entry[i][j].tm);
    for (uint32_t i = 0; i < A->sigma; i++)
        for (uint32_t j = 0; j < A->sigma; j++)
            A->entry[i][j].tm = sub (A->entry[i][j].tm, min);
    return min;
}

/* The load of a subtorus, section 2.4.2. */
static struct big load_of (const struct matrix *A, struct big t, uint32_t i,
                           uint32_t j)
{
    struct big load = big_of (0);
    for (uint32_t r = 0; r < A->sigma; r++)
        load = add (load, least (t, A->entry[r][j].tm));
    for (uint32_t c = 0; c < A->sigma; c++)
        load = add (load, least (t, A->entry[i][c].tm));
    return divide (load, A->sigma);
}

/* Lines 15 to 17. */
static struct big min_loaded (const struct matrix *A, struct big t,
                              uint32_t ret[])
{
    struct big best = big_of (0);
    bool found = false;
    for (uint32_t i = 0; i < A->sigma; i++)
        for (uint32_t j = 0; j < A->sigma; j++) {
            struct big load;
            if (!is_zero (A->entry[i][j].tm))
                continue;
            load = load_of (A, t, i, j);
            if (!found || compare (load, best) < 0) {
                best = load;
                ret[0] = i;
                ret[1] = j;
            }
            found = true;
        }
    assert_true (found);
    return best;
}

/* Lines 24 to 29 for the entry i, r, if a job other than k runs there: what
 * has ended keeps its id in the matrix, and in the paper's own example it is
 * not touched, nor is k itself. */
static void update (struct matrix *A, size_t k, struct big t, uint32_t sigma_k,
                    uint32_t i, uint32_t r, bool done[])
{
    struct entry *e = &A->entry[i][r];
    size_t id = e->id;
    struct big tm;
    if (id == k || is_zero (e->tm) || done[id])
        return;
    tm = add (e->tm, divide (least (t, e->tm), sigma_k));
    for (uint32_t x = 0; x < A->sigma; x++)
        for (uint32_t y = 0; y < A->sigma; y++)
            if (A->entry[x][y].id == id && !is_zero (A->entry[x][y].tm))
                A->entry[x][y].tm = tm;
    done[id] = true;
}

void naive_cnp_alloc (uint32_t side, const struct naive_job job[], size_t n,
                      struct naive_place ret[])
{
    struct matrix *A = make_array (1, sizeof *A);
    bool *done = make_array (n + 1, sizeof *done);
    struct big time = big_of (0);
    assert_true (side <= MOST_SIDE);
    A->sigma = 1;
    for (size_t k = 1; k <= n; k++) {
        struct big t = big_of (job[k - 1].time), load;
        uint32_t at[2] = {0, 0}, sigma = side / job[k - 1].shape.size[0];
        expand (A, sigma);
        time = add (time, advance (A));
        load = min_loaded (A, t, at);
        A->entry[at[0]][at[1]] = (struct entry){add (t, load), sigma, k};
        memset (done, 0, n + 1);
        for (uint32_t r = 0; r < sigma; r++)
            update (A, k, t, sigma, at[0], r, done);
        for (uint32_t c = 0; c < sigma; c++)
            update (A, k, t, sigma, c, at[1], done);
        ret[k - 1] = (struct naive_place){
            .offset = {at[0], at[1]}, .start = time};
        /* The finishes of the jobs now. */
        for (uint32_t i = 0; i < sigma; i++)
            for (uint32_t j = 0; j < sigma; j++)
                if (!is_zero (A->entry[i][j].tm))
                    ret[A->entry[i][j].id - 1].finish =
                        add (time, A->entry[i][j].tm);
    }
    free (done);
    free (A);
}

/* ---- the rule for two jobs ---- */

/* Which nodes a job has, and by dimension which links: the link from a node to
 * the next. */
struct extent {
    bool *node;
    bool *link;
};

static struct extent extent_of (const tori_machine *machine,
                                const tori_shape *shape,
                                const uint32_t offset[])
{
    uint32_t n = tori_machine_nodes (machine);
    struct extent extent = {
        make_array (n, sizeof (bool)),
        make_array (n * (size_t)shape->ndims, sizeof (bool))};
    for (uint32_t id = 0; id < n; id++) {
        uint32_t coords[TORI_MAX_DIMS];
        int off = 0, dim = -1;
        tori_machine_coords (machine, id, coords);
        for (int d = 0; d < shape->ndims; d++) {
            uint32_t K = tori_machine_size (machine, d) / shape->size[d];
            if (coords[d] % K != offset[d]) {
                off++;
                dim = d;
            }
        }
        extent.node[id] = off == 0;
        for (int d = 0; d < shape->ndims; d++)
            extent.link[(size_t)d * n + id] =
                tori_machine_size (machine, d) > 1
                && (off == 0 || (off == 1 && dim == d));
    }
    return extent;
}

static void extent_free (struct extent extent)
{
    free (extent.node);
    free (extent.link);
}

static bool meet (const bool a[], const bool b[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] && b[i])
            return true;
    return false;
}

struct game {
    const tori_machine *machine;
    const struct naive_job *job;
    struct naive_place *place;
    struct extent *extent;
    size_t k; /* the job that is placed */
    struct big now;
};

static bool runs (const struct game *game, size_t i)
{
    return i < game->k && compare (game->place[i].finish, game->now) > 0;
}

static bool is_free (const struct game *game, struct extent extent)
{
    for (size_t i = 0; i < game->k; i++)
        if (runs (game, i)
            && meet (extent.node, game->extent[i].node,
                     tori_machine_nodes (game->machine)))
            return false;
    return true;
}

static struct big overlap (const struct game *game, size_t i)
{
    return least (big_of (game->job[game->k].time),
                  sub (game->place[i].finish, game->now));
}

/* The contention that job i adds to a job there; or, the other way round, with
 * the strides of `shape`, that job to job i. */
static struct big added (const struct game *game, struct extent extent,
                         size_t i, const tori_shape *shape)
{
    uint32_t n = tori_machine_nodes (game->machine);
    struct big sum = big_of (0);
    for (int d = 0; runs (game, i) && d < shape->ndims; d++)
        if (meet (&extent.link[(size_t)d * n],
                  &game->extent[i].link[(size_t)d * n], n))
            sum = add (sum, divide (overlap (game, i),
                                    tori_machine_size (game->machine, d)
                                        / shape->size[d]));
    return sum;
}

/* Try every place; the load of the best, or false if none is free. */
static bool choose (struct game *game, struct big *ret_load)
{
    const tori_shape *shape = &game->job[game->k].shape;
    uint32_t limits[TORI_MAX_DIMS], offset[TORI_MAX_DIMS] = {0};
    bool found = false;
    for (int d = 0; d < shape->ndims; d++)
        limits[d] = tori_machine_size (game->machine, d) / shape->size[d];
    do {
        struct extent extent = extent_of (game->machine, shape, offset);
        struct big load = big_of (0);
        for (size_t i = 0; i < game->k; i++)
            load = add (load, added (game, extent, i, &game->job[i].shape));
        if (is_free (game, extent)
            && (!found || compare (load, *ret_load) < 0)) {
            memcpy (game->place[game->k].offset, offset, sizeof offset);
            *ret_load = load;
            found = true;
        }
        extent_free (extent);
    } while (count_up (offset, limits, shape->ndims));
    return found;
}

static void wait_for_next (struct game *game)
{
    struct big next = big_of (0);
    for (size_t i = 0; i < game->k; i++)
        if (runs (game, i)
            && (is_zero (next)
                || compare (game->place[i].finish, next) < 0))
            next = game->place[i].finish;
    game->now = next;
}

void naive_contention (const tori_machine *machine,
                       const struct naive_job job[], size_t n,
                       struct naive_place ret[])
{
    struct game game = {.machine = machine, .job = job, .place = ret};
    game.extent = make_array (n, sizeof *game.extent);
    for (; game.k < n; game.k++) {
        struct naive_place *place = &ret[game.k];
        const tori_shape *shape = &job[game.k].shape;
        struct big load = big_of (0);
        while (!choose (&game, &load))
            wait_for_next (&game);
        game.extent[game.k] = extent_of (machine, shape, place->offset);
        place->start = game.now;
        place->finish =
            add (add (game.now, big_of (job[game.k].time)), load);
        for (size_t i = 0; i < game.k; i++)
            ret[i].finish =
                add (ret[i].finish,
                     added (&game, game.extent[game.k], i, shape));
    }
    for (size_t i = 0; i < n; i++)
        extent_free (game.extent[i]);
    free (game.extent);
}
