/* logtext.h - workloads from logs that a test has as text. */
#ifndef TORI_TESTS_LOGTEXT_H
#define TORI_TESTS_LOGTEXT_H

#include <string.h>

#include <tori/workload.h>

/* The log is called "log" in messages. */
static inline int load_text (const char *text, const tori_machine *machine,
                             const tori_workload_options *options,
                             tori_workload *ret_workload, tori_error *err)
{
    tori_swf_reader *reader;
    int status;
    if (tori_swf_open_memory (text, strlen (text), "log", &reader, err) < 0)
        return -1;
    status = tori_workload_from_swf (reader, machine, options, ret_workload,
                                     err);
    tori_swf_close (reader);
    return status;
}

#endif
