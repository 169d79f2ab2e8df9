/* jobrows.h - what a job asks for: the one table of its members.
 *
 * A row of it is
 *
 *     JOB_SHOWN (name, TYPE, place, member, flags, snapshot, about)
 *
 * The name is that in JSON. The type says how it is read, written and
 * described (jobmembers.h). The place is SPEC, a member of tori_job_spec, or
 * OWN, one of struct job_ask that has the name of the row. `snapshot` is its
 * name in a snapshot, or NULL. JOB_HIDDEN is a row that is not shown, and
 * JOB_FOREIGN one that only an executor gives. Below a row may stand
 *
 *     JOB_WISH (name, TYPE, about)      it may be part of an alternative
 *     JOB_CHANGE (name, TYPE, about)    it may be changed later
 *
 * Whoever includes this file defines the rows that it makes something of. */
#ifndef JOB_MEMBER
#define JOB_MEMBER(...)
#endif
#ifndef JOB_SHOWN
#define JOB_SHOWN JOB_MEMBER
#endif
#ifndef JOB_HIDDEN
#define JOB_HIDDEN JOB_MEMBER
#endif
#ifndef JOB_FOREIGN
#define JOB_FOREIGN JOB_MEMBER
#endif
#ifndef JOB_WISH
#define JOB_WISH(...)
#endif
#ifndef JOB_CHANGE
#define JOB_CHANGE(...)
#endif

JOB_FOREIGN (alias, TEXT, OWN, alias, 0, NULL,
             "its name in the queue that it comes from, such as slurm:19 or "
             "slurm:20_3")
JOB_SHOWN (name, TEXT, OWN, name, 0, NULL, "a name for people")

JOB_SHOWN (shape, SHAPE, SPEC, request.shape, JOB_PASSED, "shape",
           "the shape that it asks for")
JOB_WISH (shape, SHAPE, "a shape")
JOB_CHANGE (shape, SHAPE, "the box that it asks for instead, while it waits")

JOB_SHOWN (count, COUNT, SPEC, request.count, 0, "count", "or how many nodes")
JOB_WISH (count, COUNT, "or how many nodes")
JOB_CHANGE (count, COUNT, "or the number of nodes")

JOB_SHOWN (fixed, FLAG, SPEC, request.fixed, 0, "fixed",
           "whether its shape may not be rotated")
JOB_WISH (fixed, FLAG, "whether the shape may not be rotated")

JOB_SHOWN (wrap, FLAG, SPEC, request.wrap, 0, "wrap",
           "whether its box may wrap around")
JOB_WISH (wrap, FLAG, "whether the box may wrap around")

JOB_SHOWN (wiring, WIRING, SPEC, request.wiring, 0, "wiring",
           "how its box is to be wired")
JOB_WISH (wiring, WIRING, "how the box is to be wired")
JOB_CHANGE (wiring, WIRING,
            "with one of these or alone: how the box is wired")

JOB_SHOWN (fold, FOLD, SPEC, request.flags, 0, "fold",
           "rings: it may get a box with other sides, in which its neighbours "
           "are still neighbours and its rings are closed")
JOB_WISH (fold, FOLD, "rings: the box may have other sides")

JOB_SHOWN (alternatives, REQUESTS, SPEC, alternatives, 0, "alternatives",
           "what it takes instead")
JOB_SHOWN (only, NODES, SPEC, only, 0, "only",
           "the nodes and boxes that it may use, if not all")
JOB_SHOWN (queue, TEXT, OWN, queue, 0, NULL, "its queue")

JOB_SHOWN (estimate, TIME, SPEC, estimate, 0, "estimate",
           "how long it may run")
JOB_CHANGE (estimate, TIME, "how long it may run")

JOB_SHOWN (begin, MOMENT, SPEC, earliest, 0, "earliest",
           "it does not start before this time, since 1970")

JOB_SHOWN (priority, WHOLE, SPEC, priority, 0, "priority",
           "a higher one goes first")
JOB_CHANGE (priority, WHOLE, "a higher one goes first")

JOB_SHOWN (level, LEVEL, SPEC, level, 0, "level",
           "it may preempt running jobs of a lower one")
JOB_SHOWN (preempted, PREEMPTED, SPEC, preempted, 0, "preempted",
           "what happens to it if another job preempts it")
JOB_SHOWN (checkpoint, TIME, SPEC, checkpoint, 0, "checkpoint",
           "how often it saves its work")
JOB_SHOWN (movable, MOVABLE, SPEC, flags, 0, "movable",
           "whether it may be moved while it runs")

JOB_SHOWN (command, WORDS, OWN, command, JOB_PASSED, NULL,
           "the program and its arguments")
JOB_SHOWN (directory, TEXT, OWN, directory, JOB_PASSED, NULL, "where it runs")
JOB_SHOWN (input, TEXT, OWN, input, JOB_PASSED | JOB_FILE, NULL,
           "what it reads")
JOB_SHOWN (output, TEXT, OWN, output, JOB_PASSED | JOB_FILE, NULL,
           "where its output goes")
JOB_SHOWN (error, TEXT, OWN, error, JOB_PASSED | JOB_FILE, NULL,
           "where its errors go")

JOB_SHOWN (after, AFTERS, OWN, after, 0, NULL, "the jobs that it depends on")
JOB_SHOWN (array, RANGE, OWN, array, 0, NULL, "the array that it is one of")
JOB_SHOWN (on_failure, FAILURE, SPEC, flags, 0, NULL,
           "what happens to it if a node fails")

JOB_HIDDEN (environment, VARIABLES, OWN, environment, JOB_PASSED, NULL,
            "variables, beside those of the executor")
JOB_HIDDEN (script, TEXT, OWN, script, JOB_PASSED, NULL,
            "a program to run, instead of a file")

JOB_HIDDEN (hold, FLAG, OWN, hold, 0, NULL,
            "whether it waits until it is released")
JOB_CHANGE (hold, FLAG, "whether it waits until it is released")

JOB_HIDDEN (warn, TIME, OWN, warn, JOB_PASSED | JOB_LATE, NULL,
            "how long before its end it is sent a signal")
JOB_HIDDEN (warning, WHOLE, OWN, warning, JOB_PASSED | JOB_LATE, NULL,
            "the number of that; 10, SIGUSR1, if not given")
JOB_HIDDEN (runtime, TIME, OWN, runtime, JOB_PASSED | JOB_LATE, NULL,
            "how long it runs in a rehearsal")

#undef JOB_MEMBER
#undef JOB_SHOWN
#undef JOB_HIDDEN
#undef JOB_FOREIGN
#undef JOB_WISH
#undef JOB_CHANGE
