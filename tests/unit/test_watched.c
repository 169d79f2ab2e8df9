/* The events that the service sends to clients that watch. */
#include "office.h"

#define JOB "{'shape':'2x2','estimate':9,'command':['x']"

/* Nothing else depends on whether anybody watches; and an end is told always,
 * since it is kept. */
TEST (nobody_watches)
{
    static const size_t begun[] = {0, 5};
    for (int watched = 0; watched < 2; watched++) {
        struct office office;
        open_office (&office, "torus:4x2", NULL);
        service_watch (office.service, watched);
        tell_at (&office, 0, "{'in':'submit', 'user':'ann', 'jobs':["
                 JOB "}," JOB "}," JOB ",'hold':true}]}");
        /* Three are submitted, and two of them start. */
        assert_int_equal (json_array_size (office.events), begun[watched]);
        assert_int_equal (json_array_size (office.records), 4);
        tell (&office, 200,
              json_of ("{'in':'cancel', 'user':'ann', 'id':3}"));
        assert_int_equal (json_array_size (office.events), 1);
        close_office (&office);
    }
}
