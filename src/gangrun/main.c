/* tori-gang - what 'tori gang run' becomes under mpirun.
 *
 * MPI is a large library that takes longer to load than most answers of tori
 * take in all, so it is kept out of the command itself. */
#include <stdio.h>

#include "config.h"
#include "keeper.h"
#include "listener.h"
#include "rank.h"

int main (int argc, char **argv)
{
    struct config config;
    tori_error err;
    int status;
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
