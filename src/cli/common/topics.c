#include "topics.h"

#include <string.h>

static const struct topic_part machine_parts[] = {
    {"Machines",
     "A machine is KIND:SIZES. KIND is mesh, torus or multitorus. SIZES are "
     "the lengths of its sides, 8x8x8, or 8^3 for a k-ary n-cube. A size may "
     "carry a kind of its own: m for mesh, t for torus, u for multi-torus. A "
     "hypercube is mesh:2^10.\n"
     "A mesh dimension is a line of nodes, and a torus dimension is a ring. A "
     "torus dimension of size 2 has two links between its nodes. A "
     "multi-torus dimension has the links of a line and a folded ring beside "
     "it, and any interval of it can be wired as a ring of its own. Two "
     "nodes inside the line close through the switch to the right. On "
     "multitorus-left (l after a size) they close through the one to the "
     "left, and on multitorus-facing (f) through the one towards the middle "
     "of the line.\n"
     "Lines of up to 16 nodes may have further links, in all two for each "
     "node: torus:8+2-7+3-6x4x4. A line of links:8+0-2+1-2 (k after a size) "
     "has only those that are given. Any links that are free may then wire a "
     "box, the same in all of its lines.",
     "mesh:16x16\ntorus:8x8x8\nmultitorus:8^3\ntorus:16x16x8m"},
    {"Pods",
     "A pod is pod:CUBES/SIDES: cubes with these sides, whose faces end in "
     "optical switches. A cube is a mesh. Switches join any + face with any - "
     "face, also of the same cube, node by node at equal positions. Cubes are "
     "counted, or named by coordinates as in pod:4x4x4/4x4x4. Two pods are "
     "2*pod:64/4x4x4. A node is its cube and its coordinates there. A shape "
     "has a side for each side of a cube, and its place is a slice: pieces in "
     "cubes of one pod, joined by switches. A box may leave out the side of 1 "
     "for the cube, and the first node: 5/4x4x4 is cube 5.",
     "pod:64/4x4x4\n5,3,1,2\n5,0,0,2/4x4x2\n5/4x4x4"},
    {"Nodes",
     "A node is its coordinates, one number per dimension, from 0 on. Its id "
     "counts row by row, with the last dimension fastest: on mesh:4x5, node "
     "1,2 is id 7. Wherever two answers are equally good, the one with the "
     "smaller id is taken.",
     "1,2,3"},
    {"Shapes and boxes",
     "A shape is the lengths of the sides of a box. It may be rotated unless "
     "--no-rotate is given. A box is its origin and its shape. It wraps "
     "around only where the dimension does, and only with --wrap.",
     "4x4x2\n1,2,3/4x4x2"},
    {"Links",
     "A link is written as the two nodes that it joins. A letter tells links "
     "apart that join the same two nodes: n for a link between neighbours, w "
     "for the wrap link of a torus, s for a link of the folded ring of a "
     "multi-torus, x, y and z for links that were given. A port of a switch is the node that it serves, with the "
     "sign and number of a dimension.",
     "0,0,1-0,0,2\n0,0,0-0,0,7 w\n5,3,1,2 +1"},
    {"Numbers",
     "Numbers in input are decimals or fractions. They are taken exactly.",
     "2.5\n5/2"},
};

static const struct topic_part file_parts[] = {
    {"Nodes",
     "Options --busy and --down name such a file. Each line has one node or "
     "one box.",
     "# two nodes and a plane\n0,1,2\n0,1,3\n4,0,0/1x8x8"},
    {"Links",
     "Option --down-links names such a file. Each line has one link, with "
     "its kind where two links join the same nodes.",
     "0,0,1-0,0,2\n0,0,0-0,0,7 w"},
    {"Partitions",
     "Option --partitions names such a file. Each line has one box and its "
     "wiring: none, mesh, torus or twisted. A slice of a pod has several boxes, in "
     "row-major order, and after them how many there are along each "
     "dimension.",
     "0,0,0/4x4x4 torus\n4,0,0/4x4x2 mesh\n"
     "0/4x4x4 5/4x4x4 2x1x1 torus"},
    {"Points",
     "Option --points names such a file. Each line has one point: up to 32 "
     "numbers, with commas or blanks between them. Decimals are taken "
     "exactly. Points may occur more than once.",
     "3,-1,4\n1.5 2.25 0"},
    {"Jobs of a plan",
     "Option --jobs of 'tori plan' names such a file. Each line has one job: "
     "its dimension, or for 'tori plan contention' its shape, and its time.",
     "4 2.5\n4x2 5/2"},
    {"Jobs of a gang",
     "Option --jobs of 'tori gang run' names such a file. Each line has one "
     "job: the number of processes, when it arrives, in seconds after the "
     "start, options as of 'tori gang submit', the program and its arguments. "
     "Words are split as a shell splits them. A bar that stands by itself "
     "pipes one program into the next.",
     "-n 4 ./simulate input.dat\n-n 2 -t 1.5 -- ./check -v\n"
     "-n 4 ./produce | -n 2 ./consume"},
    {"Messages",
     "Option --messages of 'tori net' names such a file. Each line has one "
     "message: its source, its destination, its length in flits and, if it is "
     "not sent at once, its cycle.",
     "0,0 3,3 8\n0,1 2,2 16 100"},
    {"Job logs",
     "Option --trace names a log in the Standard Workload Format of the "
     "Parallel Workloads Archive: one job per line, 18 numbers each, and "
     "remarks that begin with a semicolon. Option --out-swf writes the same "
     "format. Or --trace names a table.",
     NULL},
    {"Tables of jobs",
     "A log whose first line names columns is a table, one job per line. "
     "Columns come in any order. They are separated by bars, as 'sacct "
     "--parsable2' prints them, or by commas, semicolons or tabs, and then "
     "may be quoted (RFC 4180). In names, case, blanks, dashes and "
     "underscores do not matter. Columns with other names are ignored; in a "
     "CSV file, only without --strict. Lines that begin with # are remarks.\n"
     "Submission: submit, submit_time, submission_time, submitted, arrival, "
     "arrival_time, eligible. Run time: elapsed_raw, elapsed, run_time, "
     "duration, execution_time; or from start (start_time, starting_time) to "
     "end (end_time, finish, finish_time). Size in nodes: nnodes, "
     "alloc_nodes, req_nodes, nodes, count, requested_number_of_resources; in "
     "processors, for --procs-per-node: ncpus, alloc_cpus, req_cpus, procs, "
     "processors, cpus, cores; or shape, such as 4x4x2. These three are "
     "needed. All others may be missing. A job with a shape keeps it unless "
     "--shapes is count. If a file has columns for shapes and for counts, a "
     "job without a shape asks for any nodes (--shapes as-given); but a "
     "pipe is read only once, and needs that option.\n"
     "Estimate: timelimit, estimate, requested_time, asked_time, walltime; in "
     "minutes: timelimit_raw. Number: job_id_raw, job_id, id, job, "
     "job_number; if there is none, lines are counted. Wiring: wiring, which "
     "is none, mesh, torus or twisted. Owner: user, user_name, uid, user_id; "
     "group, group_name, gid, group_id, account. Program: executable, "
     "application, app, job_name, name, profile. Queue: queue, qos, "
     "partition. Partition: partition.\n"
     "Of several columns for the same thing, the first in these lists that "
     "has a value counts. A cell is empty, in any case of its letters, if it "
     "has no text or is -1, Unknown, None, N/A, UNLIMITED, Partition_Limit, "
     "INVALID, NaN or null. With --strict, NaN and null are not empty, and "
     "refused where a number or a time belongs. In column wiring, only a "
     "cell without text is empty. Times are seconds or dates such as 2026-03-01T09:30:00; dates "
     "without a zone are taken as they are, and time 0 is the first "
     "submission. Durations are seconds, or as 'tori help times' has them, such "
     "as 1h30m, 12:00:00 and 1-12:00:00. Owners, queues and programs that are not all numbers "
     "are numbered from 1 on, and --out-swf says in its header what the "
     "numbers stand for.\n"
     "If there is a JobID or JobIDRaw as Slurm writes it, steps such as "
     "17.batch are skipped. Tasks of an array, such as 17_3, and components "
     "of a heterogeneous job, such as 17+1, are jobs; they have a number of "
     "their own only if there is a JobIDRaw. Jobs that never started, or have "
     "not ended, are left out and counted.",
     "submit,run_time,estimate,shape,wiring,user\n"
     "0,3600,2:00:00,4x4x2,torus,alice\n"
     "90.5,60,,8x1x1,none,\"Smith, J.\"\n"
     "\n"
     "sacct -aX -P -S 2026-03-01 -o JobIDRaw,User,Group,Partition,QOS,\\\n"
     "  Submit,Start,End,ElapsedRaw,TimelimitRaw,NNodes,NCPUS,State > "
     "march.txt"},
    {"Snapshots",
     "'tori why', 'tori forecast', 'tori what-if', 'tori defrag', 'tori map' "
     "and option --from of 'tori sim' read a scheduler from such a file, as "
     "JSON; option --snapshot of 'tori sim' writes one. Only the machine is "
     "needed. A running job needs a place and an end or a time_limit, a "
     "waiting one a shape or a count and a time_limit. A place is a box, a "
     "list of nodes, or boxes, a list of boxes that are each wired by "
     "themselves. In a list, a node is a text such as \"0,1,2\", or [0,1,2]. "
     "Times are seconds, or texts such as \"1h20m\", \"9:00:00\" "
     "and, from now on, \"+1h\"; see 'tori help times'. A higher priority goes first, then the "
     "order.\n"
     "Members of the file: machine; now; sched, order and depth, as the "
     "options of 'tori sim'; work (about how often one run may ask the "
     "allocator; 0: no limit); alloc, with its members shape and count, an "
     "allocator for each, and epsilon, steps, hypercube, noncubic, spacing "
     "and slices, which tune these; places (true: planned starts of counts are "
     "places); moves (true: running jobs are moved to make room); move (the "
     "time that a job loses when it is moved); down, drained and down_links; "
     "running, queue and reservations; tori_snapshot, the version.\n"
     "Members of a job: id; shape, count, wiring, fold (rings: its box may "
     "have other sides, as with 'tori place --fold'), fixed (its shape may "
     "not be rotated) and wrap (its box may wrap around); alternatives (what "
     "it takes instead, in order of preference: a list of objects with a "
     "shape or a count, wiring, fold, fixed and wrap); patience (how long "
     "after submit, or after earliest if that is later, it takes none of "
     "these yet); only (a list of the "
     "nodes and boxes that it may use, if not all); box, boxes or nodes, "
     "start and end, if it runs; box_wiring (how its box is wired, if not as "
     "wiring says); links (a list, as in down_links: all that it has in the "
     "dimensions where its box is wired around links of a multi-torus that "
     "were down); time_limit; submit; priority; earliest (it does not start "
     "before); hold (user, operator, dependency, array or share); requeue (it "
     "is requeued when a node fails under it); repair (it goes to another "
     "place then, if there is one); checkpoint (the time between two "
     "checkpoints of its work); done (how much of its time limit was saved "
     "before); lost (how much later than its time limit it ends, because it "
     "was moved); tier (it may preempt running jobs of a lower one); preempted "
     "(what happens to it when another preempts it: requeue, suspend, kill or "
     "never); suspended (where it was stopped and continues: box, boxes or "
     "nodes, and saved, how much of done its last checkpoint has); turn (a "
     "lower one goes first in a tie); movable (false: it may not be moved); "
     "promise (its planned start: start, and box, boxes or "
     "nodes).\n"
     "Members of a reservation: id; box, boxes or nodes, or a count, for which any "
     "nodes are chosen; from and until; jobs, the ids of those that may run "
     "there.\n"
     "The names of the version before, windows, estimate and level, are read, "
     "and written as well. Members with other names are ignored, with a line on standard error, "
     "unless they begin with an underscore.",
     "{\"machine\": \"torus:8x8x8\", \"now\": 7200, \"sched\": \"easy\",\n"
     " \"down\": [\"0,1,2\"], \"drained\": [\"3,3,3/1x1x2\"],\n"
     " \"running\": [{\"id\": 17, \"shape\": \"4x4x2\", \"wiring\": \"torus\","
     "\n   \"box\": \"0,0,0/4x4x2\", \"start\": 100, \"end\": 9000}],\n"
     " \"queue\": [{\"id\": 20, \"shape\": \"8x8x4\", \"time_limit\": 3600,\n"
     "   \"submit\": 120}]}"},
    {"Failures",
     "Option --failures of 'tori sim' names such a file. Each line has one "
     "change: its time, in seconds or as 2h30m, the node, box or link, and down or up. A "
     "port of a pod is a link, such as 5,3,0,0 +1. Lines are in the order of "
     "time.",
     "3600 0,1,2 down\n7200 0,1,2 up\n9000 0,0,0-0,0,7 w down\n"
     "86400 4,0,0/1x8x8 down"},
    {"Schedules",
     "Option --log of 'tori sim' writes one JSON object per job, in the order "
     "in which they start. Times are seconds, nodes are ids in ascending "
     "order, and shape and origin are there only for a box. With "
     "--failures, --mtbf, --urgent or --moves, start and place are those of "
     "a job's last run, starts is how often it was started, moves how often "
     "it went elsewhere while it ran, waited and ran are how long it waited "
     "and ran in all, killed tells whether it ended before its work was "
     "done, and urgent whether it was urgent.",
     "{\"id\":1,\"submit\":0,\"start\":0,\"finish\":60,\"count\":4,"
     "\"shape\":[2,2],\n \"origin\":[0,0],\"wiring\":\"none\","
     "\"nodes\":[0,1,8,9]}"},
};

static const struct topic_part time_parts[] = {
    {"Durations",
     "A duration is numbers with units: d for days, h for hours, m for "
     "minutes, s for seconds, ms and us, the longest first; a number may have "
     "decimals. Or it is hours, minutes and seconds, HH:MM:SS, or days before "
     "them as Slurm writes them: D-HH, D-HH:MM or D-HH:MM:SS.\n"
     "A plain number is seconds, and hours where the option says HOURS. In "
     "JSON a number is seconds. Two forms mean different things to different "
     "programs, and are refused with both meanings: 1:30, which is 1h30m or, "
     "for Slurm, 1m30s; and a plain number as the time limit of a job (--time, "
     "or time_limit as a text), which Slurm takes for minutes.",
     "90s\n30m\n1h30m\n1.5h\n2d\n1:30:00\n2-12:00:00"},
    {"Points in time",
     "In a running service a point in time is a time of day, the next one; a "
     "day of the week and a time; a date and a time; or a duration from now "
     "on, with a plus sign. In a snapshot and in a simulation, time counts "
     "from 0: 7200, 2h and 2:00 are the same point, and +1h or -5m count from "
     "the present.",
     "18:00\nMon 18:00\n2026-11-16 18:00\n+1h20m"},
};

#define PARTS(array) .part = array, .parts = sizeof array / sizeof *array

static const struct topic topics[] = {
    {"machines", "How machines, nodes, shapes and links are written",
     "These forms are the same on every command line, in every file and in "
     "every answer.",
     PARTS (machine_parts)},
    {"times", "How durations and points in time are written",
     "These forms are the same on every command line, in every file, in "
     "snapshots and in HTTP requests.",
     PARTS (time_parts)},
    {"files", "The formats of the files that tori reads and writes",
     "A file named - is standard input or standard output. A name that ends "
     "in .gz is a compressed file. In text files, # starts a comment and "
     "empty lines are ignored. Output files appear complete or not at all, "
     "and no command writes to a file that it reads.",
     PARTS (file_parts)},
    {"json", "What every field of a JSON answer means",
     "With --json a command prints one JSON object. Its first members are the "
     "same everywhere: tori is the version, command is the command, and "
     "config is all that was chosen or defaulted, by the names of the "
     "options. A dot leads into an object, and [] into the elements of an "
     "array.",
     .write = answers_write},
};

const struct topic *topic_list (size_t i)
{
    return i < sizeof topics / sizeof *topics ? &topics[i] : NULL;
}

const struct topic *topic_find (const char *name)
{
    for (size_t i = 0; topic_list (i); i++)
        if (strcmp (topic_list (i)->name, name) == 0)
            return topic_list (i);
    return NULL;
}

void topic_page (struct page *page, const struct topic *topic)
{
    char name[64];
    snprintf (name, sizeof name, "tori %s", topic->name);
    page_begin (page, name, 5, topic->summary);
    page_about (page, topic->summary, topic->text);
    for (size_t i = 0; i < topic->parts; i++) {
        const struct topic_part *part = &topic->part[i];
        page_heading (page, part->heading);
        page_text (page, part->text);
        if (part->lines)
            page_lines (page, part->lines);
    }
    if (topic->write)
        topic->write (page);
    page_see_also (page, &(struct page_ref){"tori", 1}, 1);
}
