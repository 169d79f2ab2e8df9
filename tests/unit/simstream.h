/* simstream.h - a random stream as a workload of the simulator. */
#ifndef TORI_TESTS_SIMSTREAM_H
#define TORI_TESTS_SIMSTREAM_H

#include <tori/workload.h>

#include "play.h"

/* A tick of the stream is a second. */
void workload_of (const struct stream *stream, tori_workload *work);

#endif
