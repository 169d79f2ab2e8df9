/* api_shadow.c - a shadow and who it follows. */
#include "api.h"

bool get_shadow (struct asking *a)
{
    enum { USUAL = 100 };
    if (!service_lags (a->torid->service))
        refuse_with (a, 404, "no-shadow",
                     "this torid runs jobs; torid --shadow compares");
    else
        reply (a, 200,
               service_differences (a->torid->service,
                                    query_number (a, "after", 0),
                                    query_number (a, "limit", USUAL)));
    return true;
}
