/* measured_part.h - the jobs of a run that are measured: all but those of a
 * warm-up and a cool-down. */
#ifndef TORI_CLI_MEASURED_PART_H
#define TORI_CLI_MEASURED_PART_H

#include <tori/sim.h>

/* As typed; NULL if not given. */
struct measured_part {
    const char *warm_up, *cool_down;
};

/* Check a value of either: "7d", "10%" or "500jobs". For `parse` of struct
 * option. */
int measured_part_parse (const char *text, void *to, tori_error *err);

/* The window that this part is. It ends with the last submission if there is
 * no cool-down. TORI_INVALID if nothing remains. */
int measured_part_window (const struct measured_part *part,
                          const tori_workload *workload,
                          tori_sim_window *ret_window, tori_error *err);

/* How many jobs are submitted in the window. */
size_t measured_part_jobs (const tori_sim_window *window,
                           const tori_workload *workload);

/* Whether a job is. */
static inline bool measured_part_has (const tori_sim_window *window,
                                      const tori_work *work)
{
    return work->submit >= window->begin && work->submit < window->end;
}

#endif
