/* service_time.h - how the service times of a model of boxes are distributed.
 * All have the mean 1. */
#ifndef TORI_WORKLOAD_SERVICE_TIME_H
#define TORI_WORKLOAD_SERVICE_TIME_H

#include <tori/error.h>

#include "random.h"

struct service_time {
    double (*draw) (const struct service_time *service, struct rng *rng);
    double share; /* of the shorter branch of a hyperexponential */
};

/* Read "exponential", "hyperexponential:CV2" or "uniform-log"; NULL is the
 * first. TORI_INVALID for anything else. */
int service_time_parse (const char *text, struct service_time *ret_service,
                        tori_error *err);

#endif
