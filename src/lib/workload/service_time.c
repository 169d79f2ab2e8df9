/* The distributions that M. Kang, C. Yu, H. Y. Youn, B. Lee and M. Kim name in
 * "Isomorphic Strategy for Processor Allocation in k-Ary n-Cube Systems", 2003,
 * section 5.1. The paper gives no parameters.
 *
 *   hyperexponential  two branches with balanced means: each brings half of
 *                     the work. Mean and squared coefficient of variation
 *                     determine such a pair.
 *   uniform-log       the logarithm is uniform, over four decades: from a
 *                     second to three hours. Its CV^2 is 3.6. */
#include "service_time.h"

#include <math.h>
#include <string.h>

#include "detmath.h"
#include "number.h"

static const double DECADES = 1e4; /* the longest time over the shortest */
static const double MOST_CV2 = 1e6;

static double draw_exponential (const struct service_time *service,
                                struct rng *rng)
{
    return rng_exponential (rng, 1);
}

static double draw_hyperexponential (const struct service_time *service,
                                     struct rng *rng)
{
    double share = service->share;
    if (rng_uniform (rng) >= share)
        share = 1 - share;
    return rng_exponential (rng, 0.5 / share);
}

static double draw_uniform_log (const struct service_time *service,
                                struct rng *rng)
{
    double width = det_log (DECADES);
    return det_exp (rng_uniform (rng) * width) * width / (DECADES - 1);
}

static int parse_cv2 (const char *text, struct service_time *ret_service,
                      tori_error *err)
{
    struct fraction cv2;
    double is;
    if (fraction_parse (text, "CV2 of a service time", &cv2, err) < 0)
        return -1;
    is = fraction_value (cv2);
    if (is < 1 || is > MOST_CV2)
        return tori_error_set (err, TORI_INVALID,
                               "CV2 of a service time: expected 1 to %g, "
                               "found %.60s",
                               MOST_CV2, text);
    *ret_service
        = (struct service_time){draw_hyperexponential,
                                (1 + sqrt ((is - 1) / (is + 1))) / 2};
    return 0;
}

int service_time_parse (const char *text, struct service_time *ret_service,
                        tori_error *err)
{
    static const char hyper[] = "hyperexponential:";
    if (!text || !strcmp (text, "exponential"))
        *ret_service = (struct service_time){.draw = draw_exponential};
    else if (!strcmp (text, "uniform-log"))
        *ret_service = (struct service_time){.draw = draw_uniform_log};
    else if (!strncmp (text, hyper, sizeof hyper - 1))
        return parse_cv2 (text + sizeof hyper - 1, ret_service, err);
    else
        return tori_error_set (err, TORI_INVALID,
                               "service time '%.60s': expected exponential, "
                               "hyperexponential:CV2 or uniform-log",
                               text);
    return 0;
}
