/* Files of points: what is read are points of as many dimensions each, and a
 * choice among a few of them is a choice. */
#include "fuzz.h"
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
        choose (&set.points);
    }
    pointset_clear (&set);
    fuzz_file_close (&file);
    return 0;
}
