#include "swf.h"

#define FIELD(label, real, used, member) \
    {label, real, used, offsetof (tori_swf_record, member)}
#define REAL(label, used, member) FIELD (label, true, used, member)
#define WHOLE(label, used, member) FIELD (label, false, used, member)
const struct swf_field swf_fields[SWF_FIELDS] = {
    WHOLE ("job number", true, job),
    REAL ("submit time", true, submit),
    REAL ("wait time", false, wait),
    REAL ("run time", true, runtime),
    WHOLE ("allocated processors", true, procs),
    REAL ("CPU time", false, cpu_time),
    REAL ("used memory", false, memory),
    WHOLE ("requested processors", true, asked_procs),
    REAL ("requested time", true, asked_time),
    REAL ("requested memory", false, asked_memory),
    WHOLE ("status", false, status),
    WHOLE ("user", false, user),
    WHOLE ("group", false, group),
    WHOLE ("application", false, app),
    WHOLE ("queue", false, queue),
    WHOLE ("partition", false, partition),
    WHOLE ("preceding job", false, after_job),
    REAL ("think time", false, think_time),
};
