/* tori-gang - what 'tori gang run' becomes under mpirun; and what a job that
 * is an MPI program begins as (mpishare.h).
 *
 * MPI is a large library that takes longer to load than most answers of tori
 * take in all, so it is kept out of the command itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "keeper.h"
#include "listener.h"
#include "mpishare.h"
#include "rank.h"

int main (int argc, char **argv)
{
    struct config config;
    tori_error err;
    int status;
    if (argc > 1 && !strcmp (argv[1], "--share"))
        return mpishare_run (argc, argv);
    if (argc > 2 && !strcmp (argv[1], "--program"))
        return mpishare_program (argv + 2);
    if (argc > 2 && !strcmp (argv[1], "--local"))
        return mpishare_local (argv + 2);
    if (argc > 1 && argv[1][0] == '-' && getenv ("TORI_HUB"))
        return mpishare_agent (argc, argv);
    if (config_read (argv, argc, &config, &err) < 0) {
        fprintf (stderr, "tori-gang: %s\n", err.text);
        return (int)err.status;
    }
    status = keeper_run (rank_run, &config);
    /* The first rank may have been killed. */
    if (*config.listen && launched_first ())
        listener_sweep (config.listen);
    return status;
}
