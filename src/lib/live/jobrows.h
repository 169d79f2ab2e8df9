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
 *     JOB_OPTION (name, TYPE, ...)      it is an option of 'tori submit': a
 *                                       struct option (options.h)
 *     JOB_BATCH_OPTION (name, TYPE, ...)  the same, but 'tori run' has none
 *     JOB_LABEL (name, TYPE, line, label)
 *                                       the label of its line of 'tori show',
 *                                       and where that line stands; without
 *                                       one it is shown by its name, at the
 *                                       end
 *     JOB_OLD (name, old, type)         its name in the version before, which
 *                                       is read and written as well
 *
 * A file that includes this one defines the rows that it uses. */
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
#ifndef JOB_OPTION
#define JOB_OPTION(...)
#endif
#ifndef JOB_LABEL
#define JOB_LABEL(...)
#endif
#ifndef JOB_BATCH_OPTION
#define JOB_BATCH_OPTION JOB_OPTION
#endif
#ifndef JOB_OLD
#define JOB_OLD(...)
#endif

JOB_FOREIGN (alias, TEXT, OWN, alias, 0, NULL,
             "its name in the queue that it comes from, such as slurm:19 or "
             "slurm:20_3")
JOB_LABEL (alias, TEXT, 20, "known as")

JOB_SHOWN (name, TEXT, OWN, name, 0, NULL, "a name for people")
JOB_CHANGE (name, TEXT, "a name for people")
JOB_OPTION (name, TEXT, "name", "NAME",
            .help = "a name for people; if not given, that of the program")
JOB_LABEL (name, TEXT, 10, "name")

JOB_SHOWN (shape, SHAPE, SPEC, request.shape, JOB_PASSED, "shape",
           "the shape that it asks for")
JOB_WISH (shape, SHAPE, "a shape")
JOB_CHANGE (shape, SHAPE, "the box that it asks for instead, while it waits")
JOB_OPTION (shape, SHAPE, "shape", "SHAPE",
            .help = "a box of nodes, such as 4x4x2; 4x4x2@10m,count=32 is short "
                    "for --shape 4x4x2 --or 32 --patience 10m")

JOB_SHOWN (count, COUNT, SPEC, request.count, 0, "count", "or how many nodes")
JOB_WISH (count, COUNT, "or how many nodes")
JOB_CHANGE (count, COUNT, "or the number of nodes")
JOB_OPTION (count, COUNT, "count", "N", .min = 1, .max = TORI_MAX_NODES,
            .without = "shape",
            .help = "this many nodes, anywhere, instead of a shape")

JOB_SHOWN (fixed, FLAG, SPEC, request.fixed, 0, "fixed",
           "whether its shape may not be rotated")
JOB_WISH (fixed, FLAG, "whether the shape may not be rotated")
JOB_OPTION (fixed, FLAG, "no-rotate", .with = "shape or",
            .help = "the shape may not be rotated")

JOB_SHOWN (wrap, FLAG, SPEC, request.wrap, 0, "wrap",
           "whether its box may wrap around")
JOB_WISH (wrap, FLAG, "whether the box may wrap around")
JOB_OPTION (wrap, FLAG, "wrap", .with = "shape or",
            .help = "the box may wrap around")

JOB_SHOWN (wiring, WIRING, SPEC, request.wiring, 0, "wiring",
           "how its box is to be wired")
JOB_WISH (wiring, WIRING, "how the box is to be wired")
JOB_CHANGE (wiring, WIRING,
            "with one of these or alone: how the box is wired")
JOB_OPTION (wiring, WIRING, "wiring", "WIRING", .with = "shape or",
            .help = "how the box is wired: none, mesh, torus, or twisted on a "
                    "pod")

JOB_SHOWN (fold, FOLD, SPEC, request.flags, 0, "fold",
           "rings: it may get a box with other sides, in which its neighbours "
           "are still neighbours and its rings are closed")
JOB_WISH (fold, FOLD, "rings: the box may have other sides")
JOB_OPTION (fold, FOLD, "fold", "FOLD", .with = "shape or",
            .help = "none; or rings: the job may get a box with other sides, "
                    "in which its neighbours are still neighbours and its "
                    "rings are closed")

JOB_SHOWN (alternatives, REQUESTS, SPEC, alternatives, 0, "alternatives",
           "what it takes instead")
JOB_OPTION (alternatives, REQUESTS, "or", "SHAPE|N",
            .help = "another shape or number of nodes that the job accepts, "
                    "if it starts sooner that way; the first that fits is "
                    "taken")

JOB_SHOWN (patience, TIME, SPEC, patience, 0, "patience",
           "how long it waits for what it asks for first, counted from its "
           "submission, or from begin if that is later; then it takes the "
           "alternatives, too")
JOB_OPTION (patience, TIME, "patience", "DURATION", .with = "or",
            .help = "how long the job waits for the first of these, counted "
                    "from its submission, or from --begin if that is later; "
                    "then it takes the others, too; if not given, at once")
JOB_LABEL (patience, TIME, 45, "patience")

JOB_SHOWN (only, NODES, SPEC, only, 0, "only",
           "the nodes and boxes that it may use, if not all")
JOB_OPTION (only, NODES, "only", "NODE|BOX", .asks = "nodes",
            .help = "use only these nodes")
JOB_LABEL (only, NODES, 150, "only on")

JOB_SHOWN (queue, TEXT, OWN, queue, 0, NULL, "its queue")
JOB_CHANGE (queue, TEXT, "the queue that it waits in, with the tier and the "
                         "preemption rule of that")
JOB_OPTION (queue, TEXT, "queue", "QUEUE", .help = "the queue")
JOB_LABEL (queue, TEXT, 40, "queue")

JOB_SHOWN (time_limit, LIMIT, SPEC, estimate, 0, "time_limit",
           "how long it may run")
JOB_CHANGE (time_limit, LIMIT, "how long it may run")
JOB_OPTION (time_limit, LIMIT, "time", "DURATION",
            .help = "how long it may run: 90s, 30m, 1h30m, 2d, HH:MM:SS or "
                    "D-HH:MM:SS")
JOB_LABEL (time_limit, LIMIT, 50, "time limit")
JOB_OLD (time_limit, estimate, "number|string")

JOB_SHOWN (begin, MOMENT, SPEC, earliest, 0, "earliest",
           "it does not start before this time, since 1970")
JOB_CHANGE (begin, MOMENT, "it does not start before this time, since 1970")
JOB_OPTION (begin, MOMENT, "begin", "WHEN",
            .help = "do not start before: +1h20m, 18:00, 'Mon 18:00' or "
                    "'2026-11-16 18:00'")
JOB_LABEL (begin, MOMENT, 100, "not before")

JOB_SHOWN (priority, WHOLE, SPEC, priority, 0, "priority",
           "a higher one goes first")
JOB_CHANGE (priority, WHOLE, "a higher one goes first")
JOB_OPTION (priority, WHOLE, "priority", "N", .min = INT32_MIN,
            .max = INT32_MAX, .fallback = "0",
            .help = "a higher one goes first")

JOB_SHOWN (tier, TIER, SPEC, level, 0, "tier",
           "its preemption tier: it may preempt running jobs of a lower one")
JOB_OPTION (tier, TIER, "tier", "N", .max = UINT32_MAX, .fallback = "0",
            .old = "level",
            .help = "the job may preempt running jobs of a lower preemption "
                    "tier")
JOB_OLD (tier, level, "integer")

JOB_SHOWN (preempted, PREEMPTED, SPEC, preempted, 0, "preempted",
           "what happens to it if another job preempts it")
JOB_OPTION (preempted, PREEMPTED, "preempted", "WHAT",
            .choices = job_preempted_name,
            .help = "what happens to it if another job preempts it")

JOB_SHOWN (checkpoint, TIME, SPEC, checkpoint, 0, "checkpoint",
           "how often it saves its work")
JOB_OPTION (checkpoint, TIME, "checkpoint", "DURATION",
            .help = "how often it saves its work")
JOB_LABEL (checkpoint, TIME, 220, "checkpoints")

JOB_SHOWN (movable, MOVABLE, SPEC, flags, 0, "movable",
           "whether it may be moved while it runs")
JOB_OPTION (movable, MOVABLE, "immovable",
            .help = "it may not be moved while it runs")

JOB_SHOWN (command, WORDS, OWN, command, JOB_PASSED, NULL,
           "the program and its arguments, at most 4096 words")
JOB_LABEL (command, WORDS, 160, "command")

JOB_SHOWN (directory, TEXT, OWN, directory, JOB_PASSED, NULL, "where it runs")
JOB_OPTION (directory, TEXT, "directory", "DIR",
            .help = "where it runs; if not given, here")
JOB_LABEL (directory, TEXT, 170, "directory")

JOB_SHOWN (input, TEXT, OWN, input, JOB_PASSED | JOB_FILE, NULL,
           "what it reads")
JOB_BATCH_OPTION (input, TEXT, "input", "PATH",
                  .help = "what it reads; if not given, nothing")
JOB_LABEL (input, TEXT, 180, "input")

JOB_SHOWN (output, TEXT, OWN, output, JOB_PASSED | JOB_FILE, NULL,
           "where its output goes")
JOB_BATCH_OPTION (output, TEXT, "output", "PATH",
                  .help = "where its output goes, appended to what is there; %j "
                          "stands for the job's number, %A for that of its array, "
                          "%a for its index; 'none': nowhere; if not given, to "
                          "tori-%j.out in its directory, or tori-%A_%a.out for an "
                          "array")
JOB_LABEL (output, TEXT, 190, "output")

JOB_SHOWN (error, TEXT, OWN, error, JOB_PASSED | JOB_FILE, NULL,
           "where its errors go")
JOB_BATCH_OPTION (error, TEXT, "error", "PATH",
                  .help = "where its errors go; if not given, to its output")
JOB_LABEL (error, TEXT, 200, "errors")

JOB_SHOWN (after, AFTERS, OWN, after, 0, NULL, "the jobs that it depends on")
JOB_CHANGE (after, AFTERS, "the jobs that it depends on; an empty list: none")
JOB_OPTION (after, AFTERS, "after", "HOW:ID",
            .help = "start after another job has ended: ok:ID if it must have "
                    "ended well, failed:ID or any:ID")
JOB_LABEL (after, AFTERS, 140, "after")

JOB_SHOWN (array, RANGE, OWN, array, 0, NULL, "the array that it is one of")
JOB_BATCH_OPTION (array, RANGE, "array", "A-B[%N]",
                  .help = "one job for each number from A to B, at most N of them "
                          "at once; TORI_ARRAY_INDEX tells a job its number")

JOB_SHOWN (on_failure, FAILURE, SPEC, flags, 0, NULL,
           "what happens to it if a node fails")
JOB_OPTION (on_failure, FAILURE, "on-failure", "WHAT",
            .choices = job_failure_name,
            .help = "what happens to it if a node fails: it runs again "
                    "(requeue, the default), ends (kill), or continues "
                    "elsewhere if it can (repair)")
JOB_LABEL (on_failure, FAILURE, 210, "on failure")

JOB_SHOWN (warn, TIME, OWN, warn, JOB_PASSED | JOB_LATE, NULL,
           "how long before its end it is sent a signal")
JOB_OPTION (warn, TIME, "warn", "DURATION",
            .help = "send it SIGUSR1 this long before its time is over")
JOB_LABEL (warn, TIME, 60, "warned")

JOB_SHOWN (warning, WHOLE, OWN, warning, JOB_PASSED | JOB_LATE, NULL,
           "the number of that; 10, SIGUSR1, if not given")
JOB_LABEL (warning, WHOLE, 70, "by signal")

JOB_SHOWN (runtime, TIME, OWN, runtime, JOB_PASSED | JOB_LATE, NULL,
           "how long it runs in a rehearsal")
JOB_LABEL (runtime, TIME, 80, "rehearsed")

JOB_HIDDEN (environment, VARIABLES, OWN, environment, JOB_PASSED, NULL,
            "variables, beside those of the executor; at most 4096")
JOB_OPTION (environment, VARIABLES, "env", "NAME=VALUE",
            .help = "a variable for it")

JOB_HIDDEN (script, TEXT, OWN, script, JOB_PASSED, NULL,
            "a program to run, instead of a file")

JOB_HIDDEN (hold, FLAG, OWN, hold, 0, NULL,
            "whether it waits until it is released")
JOB_CHANGE (hold, FLAG, "whether it waits until it is released")
JOB_OPTION (hold, FLAG, "hold", .help = "hold it until 'tori release'")

#undef JOB_MEMBER
#undef JOB_SHOWN
#undef JOB_HIDDEN
#undef JOB_FOREIGN
#undef JOB_WISH
#undef JOB_CHANGE
#undef JOB_OPTION
#undef JOB_LABEL
#undef JOB_BATCH_OPTION
#undef JOB_OLD
