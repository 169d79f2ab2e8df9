#include "swf.h"

#define REAL(label, member) {label, true, offsetof (tori_swf_record, member)}
#define WHOLE(label, member) {label, false, offsetof (tori_swf_record, member)}
const struct swf_field swf_fields[SWF_FIELDS] = {
    WHOLE ("job number", job),
    REAL ("submit time", submit),
    REAL ("wait time", wait),
    REAL ("run time", runtime),
    WHOLE ("allocated processors", procs),
    REAL ("CPU time", cpu_time),
    REAL ("used memory", memory),
    WHOLE ("requested processors", asked_procs),
    REAL ("requested time", asked_time),
    REAL ("requested memory", asked_memory),
    WHOLE ("status", status),
    WHOLE ("user", user),
    WHOLE ("group", group),
    WHOLE ("application", app),
    WHOLE ("queue", queue),
    WHOLE ("partition", partition),
    WHOLE ("preceding job", after_job),
    REAL ("think time", think_time),
};
