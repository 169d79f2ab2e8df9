/* Files of points: what is read are points of as many dimensions each, their
 * coordinates can be printed, and a choice among a few of them is a choice. */
#include "fuzz.h"
#include <string.h>

#include "pointset.h"

enum { MOST = 32 };

static void choose (const tori_points *points)
{
    size_t count = (points->n + 1) / 2, chosen[MOST];
    uint64_t sum, is;
    if (points->n > MOST
        || tori_points_choose (TORI_ALLOC ("gen-alg"), points, count, chosen,
                               &sum, NULL)
               < 0)
        return;
    MUST (tori_points_pairwise (points, chosen, count, &is, NULL) == 0);
    MUST (is == sum);
    for (size_t i = 0; i < count; i++) {
        MUST (chosen[i] < points->n);
        MUST (i == 0 || chosen[i] > chosen[i - 1]);
    }
}

static void print_coords (const struct pointset *set)
{
    size_t n = set->points.n * (size_t)set->points.ndims;
    char text[POINTSET_TEXT];
    for (size_t i = 0; i < n; i++) {
        int64_t value = set->coords[i];
        uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
        pointset_format (size, value < 0, set->places, text);
        MUST (strspn (text, "-.0123456789") == strlen (text));
        MUST (strchr (text, '.') == NULL || text[strlen (text) - 1] != '0');
    }
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file (data, size);
    struct pointset set;
    tori_error err = {0};
    if (pointset_read (file.path, &set, &err) < 0) {
        fuzz_refused (&file, &err);
    } else {
        MUST (set.points.n > 0);
        MUST (set.points.ndims > 0 && set.points.ndims <= TORI_MAX_DIMS);
        print_coords (&set);
        choose (&set.points);
    }
    pointset_clear (&set);
    fuzz_file_close (&file);
    return 0;
}
