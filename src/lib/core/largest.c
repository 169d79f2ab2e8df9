/* largest.c - the largest free box.
 *
 * A range of coordinates in every dimension but the last two leaves a plane:
 * a node of it is free if it is free everywhere in the range. The planes of
 * longer ranges follow from those of shorter ones, one step a node. The
 * largest rectangle of a plane is found row by row: each column has a height,
 * that of the free nodes that end in this row, and a stack of columns with
 * growing heights gives each rectangle that cannot be larger when a lower
 * column ends it. A machine of 64x64x64 thus takes 2,080 planes of 4,096
 * nodes.
 *
 * A plane with too few free nodes for a larger box is passed over. */
#include <tori/state.h>

#include <stdlib.h>
#include <string.h>

/* A second or two. */
static const uint64_t STEPS = UINT64_C (1) << 30;

/* A dimension as it is searched. */
struct searched_dim {
    uint32_t size;
    uint32_t places; /* coordinates to go through: up to 2 * size - 1 if boxes
                        may go round */
    uint32_t most;   /* the longest side */
};

struct open_rectangle {
    uint32_t start; /* how far left a box of this height reaches */
    uint32_t height;
};

struct box_search {
    const tori_machine *machine;
    int ndims;
    struct searched_dim dim[TORI_MAX_DIMS + 1]; /* two at least */
    uint8_t *planes[TORI_MAX_DIMS + 1]; /* free nodes of the dimensions from
                                           this one on */
    uint8_t *memory;
    uint32_t *height; /* of each column of a plane */
    struct open_rectangle *stack;
    tori_box at;    /* ranges of the dimensions before */
    uint64_t front; /* product of their sides */
    uint64_t steps; /* that are left */
    bool spent;     /* more were needed */
    tori_box best;
    uint64_t volume; /* of the best; 0 at first */
};

/* ---- boxes ---- */

static int compare_boxes (const struct box_search *it, const tori_box *a,
                          const tori_box *b)
{
    for (int d = 0; d < it->ndims; d++)
        if (a->shape.size[d] != b->shape.size[d])
            return a->shape.size[d] < b->shape.size[d] ? -1 : 1;
    for (int d = 0; d < it->ndims; d++)
        if (a->origin[d] != b->origin[d])
            return a->origin[d] < b->origin[d] ? -1 : 1;
    return 0;
}

/* A range that goes all the way round begins at 0. */
static void set_range (struct box_search *it, int d, uint32_t origin,
                       uint32_t side)
{
    uint32_t size = it->dim[d].size;
    it->at.origin[d] = side == size ? 0 : origin % size;
    it->at.shape.size[d] = side;
}

/* A rectangle whose last row and last column are given. */
static void offer_rectangle (struct box_search *it, int rows, uint32_t row,
                             uint32_t height, uint32_t end, uint32_t width)
{
    uint64_t volume = it->front * height * width;
    if (volume < it->volume)
        return;
    set_range (it, rows, row + 1 - height, height);
    set_range (it, rows + 1, end - width, width);
    if (volume == it->volume && compare_boxes (it, &it->at, &it->best) >= 0)
        return;
    it->best = it->at;
    it->volume = volume;
}

/* ---- planes ---- */

/* Make the heights of a row from those of the row before. */
static void grow_heights (struct box_search *it, const uint8_t *row,
                          uint32_t n, uint32_t most)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t height = it->height[i] + 1;
        it->height[i] = row[i] ? height < most ? height : most : 0;
    }
}

/* Offer each rectangle that ends in this row. */
static void scan_row (struct box_search *it, int rows, uint32_t row)
{
    const struct searched_dim *across = &it->dim[rows + 1];
    size_t n = 0;
    for (uint32_t i = 0; i <= across->places; i++) {
        uint32_t height =
            i < across->places ? it->height[i % across->size] : 0;
        uint32_t start = i;
        while (n > 0 && it->stack[n - 1].height >= height) {
            const struct open_rectangle *top = &it->stack[--n];
            uint32_t width = i - top->start;
            start = top->start;
            if (width > across->most)
                width = across->most;
            if (top->height > height)
                offer_rectangle (it, rows, row, top->height, i, width);
        }
        if (height > 0)
            it->stack[n++] = (struct open_rectangle){start, height};
    }
}

/* The largest rectangle of the last two dimensions. */
static void search_plane (struct box_search *it, int rows,
                          const uint8_t *plane)
{
    const struct searched_dim *down = &it->dim[rows];
    uint32_t n = it->dim[rows + 1].size;
    memset (it->height, 0, n * sizeof *it->height);
    for (uint32_t row = 0; row < down->places; row++) {
        const uint8_t *line = plane + (size_t)(row % down->size) * n;
        grow_heights (it, line, n, down->most);
        scan_row (it, rows, row);
    }
}

/* ---- ranges ---- */

static bool take_steps (struct box_search *it, uint64_t n)
{
    it->spent = it->spent || it->steps < n;
    if (!it->spent)
        it->steps -= n;
    return !it->spent;
}

static uint64_t keep_common (uint8_t *plane, const uint8_t *next, size_t n)
{
    uint64_t left = 0;
    for (size_t i = 0; i < n; i++)
        left += plane[i] &= next[i];
    return left;
}

static void search_ranges (struct box_search *it, int d);

/* Ranges that begin at `origin`, until too little is free in them. */
static void search_from (struct box_search *it, int d, uint32_t origin)
{
    const struct searched_dim *dim = &it->dim[d];
    size_t n = 1;
    uint32_t most = dim->places - origin;
    uint64_t front = it->front;
    for (int i = d + 1; i < it->ndims; i++)
        n *= it->dim[i].size;
    memset (it->planes[d + 1], 1, n);
    if (most > dim->most)
        most = dim->most;
    for (uint32_t side = 1; side <= most && take_steps (it, n); side++) {
        const uint8_t *next =
            it->planes[d] + (origin + side - 1) % dim->size * n;
        uint64_t left = keep_common (it->planes[d + 1], next, n);
        if (left * front * most < it->volume || left == 0)
            break;
        it->front = front * side;
        set_range (it, d, origin, side);
        if (left * it->front >= it->volume)
            search_ranges (it, d + 1);
    }
    it->front = front;
}

static void search_ranges (struct box_search *it, int d)
{
    if (d >= it->ndims - 2) {
        if (take_steps (it,
                        (uint64_t)it->dim[d].places * it->dim[d + 1].places))
            search_plane (it, d, it->planes[d]);
        return;
    }
    for (uint32_t origin = 0; origin < it->dim[d].size && !it->spent; origin++)
        search_from (it, d, origin);
}

/* ---- the whole ---- */

/* A single dimension gets one of size 1 before it. */
static void lay_out (struct box_search *it, bool wrap)
{
    int ndims = tori_machine_ndims (it->machine), extra = ndims < 2;
    int apart = tori_machine_apart (it->machine);
    it->ndims = ndims + extra;
    it->dim[0] = (struct searched_dim){1, 1, 1};
    for (int d = 0; d < ndims; d++) {
        uint32_t size = tori_machine_size (it->machine, d);
        bool round = wrap && tori_machine_wraps (it->machine, d);
        it->dim[d + extra] = (struct searched_dim){
            .size = size,
            .places = round && d >= apart ? 2 * size - 1 : size,
            .most = d < apart ? 1 : size,
        };
    }
}

static int prepare (struct box_search *it, const tori_state *state,
                    tori_error *err)
{
    const struct searched_dim *across = &it->dim[it->ndims - 1];
    size_t n = tori_machine_nodes (it->machine), bytes = 0, plane = n;
    for (int d = 0; d < it->ndims - 1; d++) {
        bytes += plane;
        plane /= it->dim[d].size;
    }
    it->memory = malloc (bytes);
    it->height = malloc (across->size * sizeof *it->height);
    it->stack = malloc (across->places * sizeof *it->stack);
    if (!it->memory || !it->height || !it->stack)
        return tori_error_nomem (err);
    plane = n;
    it->planes[0] = it->memory;
    for (int d = 0; d < it->ndims - 2; d++) {
        it->planes[d + 1] = it->planes[d] + plane;
        plane /= it->dim[d].size;
    }
    for (uint32_t i = 0; i < n; i++)
        it->memory[i] = tori_state_is_free (state, i);
    return 0;
}

static void clear (struct box_search *it)
{
    free (it->memory);
    free (it->height);
    free (it->stack);
}

/* The best box without the dimension that was added. */
static void read_best (const struct box_search *it, tori_box *ret_box)
{
    int ndims = tori_machine_ndims (it->machine), extra = it->ndims - ndims;
    *ret_box = (tori_box){.shape.ndims = ndims};
    for (int d = 0; d < ndims; d++) {
        ret_box->origin[d] = it->best.origin[d + extra];
        ret_box->shape.size[d] = it->best.shape.size[d + extra];
    }
}

int tori_state_largest_box (const tori_state *state, bool wrap,
                            tori_box *ret_box, tori_error *err)
{
    struct box_search it = {
        .machine = tori_state_machine (state), .front = 1, .steps = STEPS};
    lay_out (&it, wrap);
    if (prepare (&it, state, err) < 0) {
        clear (&it);
        return -1;
    }
    search_ranges (&it, 0);
    clear (&it);
    if (it.spent || it.volume == 0)
        return 0;
    read_best (&it, ret_box);
    return 1;
}
