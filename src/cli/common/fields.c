/* The fields of JSON answers that their commands write by hand. Fields that
 * sheets describe are documented where they are measured (result.h). */
#include "fields.h"

#include "fieldrows.h"
#include "result.h"
#include "comparison_row.h"
#include "traffic_result.h"

/* ---- placing ---- */

static const struct field subcube_fields[] = {
    FIELD ("origin", "where it begins"),
    FIELD ("shape", "its sides"),
};
SHEET (subcube);

static const struct field dilation_fields[] = {
    MEASURE ("max", "hops", "the most"),
    MEASURE ("average", "hops", "the mean"),
};
SHEET (dilation);

static const struct field hit_fields[] = {
    FIELD ("partition", "which one, counted from 0, in the order of the file"),
    FIELD ("box", "its box"),
    FIELD ("wiring", "its wiring"),
    LIST ("nodes", "nodes of it that are down"),
    LIST_OF ("links", link, "links of it that are down"),
};
SHEET (hit);

static const struct field piece_fields[] = {
    FIELD ("origin", "its first node"),
    FIELD ("shape", "its sides, with 1 for those that count cubes"),
    FIELD ("at", "where it begins in the box of the job"),
};
SHEET (piece);

static const struct field cross_fields[] = {
    FIELD ("dim", "the dimension of the two ports"),
    FIELD ("from", "the node whose + port it joins"),
    FIELD ("to", "with the - port of this node"),
};
SHEET (cross);

static const struct field slice_fields[] = {
    FIELD ("name", "its name"),
    FIELD ("type", "the accelerator: tpu7x"),
    FIELD ("topology", "its sides, ascending"),
    LIST ("partitions", "the names of its cubes, row by row of the topology"),
    FIELD ("labels", "what its nodes will be labelled with, by which a job "
                     "selects them"),
};
SHEET (slice);

static const struct field placed_segment_fields[] = {
    FIELD ("shape", "its sides, as rotated or folded"),
    LIST ("boxes", "its box; on a pod, those that are joined"),
    FIELD ("folded",
           "with --fold: whether it has other sides than the shape"),
    FIELD ("box_wiring", "with --fold: how it is wired"),
};
SHEET (placed_segment);

static const struct field place_fields[] = {
    FIELD ("placed", "whether there is a place"),
    LIST ("nodes",
          "the nodes in the order of their ids, or the points in the order "
          "of their file"),
    LIST ("indexes", "of points: which they are, from 0 on"),
    MEASURE ("pairwise", "hops", "sum of the distances over unordered pairs"),
    MEASURE ("average", "hops", "that sum over the number of pairs"),
    FIELD ("origin", "of a box: its first node"),
    FIELD ("shape", "of a box: its sides, as rotated"),
    LIST_OF ("links", link, "with --wiring: the links that it reserves"),
    LIST ("boxes", "of several segments or pieces: their boxes"),
    LIST_OF ("segments", placed_segment,
             "of several segments: each of them; pieces, ranks and map have "
             "them in this order"),
    LIST ("ranks", "with --ranks: the nodes in the order of ranks"),
    OBJECT ("slice", slice, "with --slice-file: the Slice that was written"),
    LIST_OF ("pieces", piece, "on a pod: the boxes that are joined"),
    LIST_OF ("cross_connects", cross,
             "on a pod, with --wiring: which ports the switches join"),
    FIELD ("asked", "nodes that were asked for, if more are taken"),
    OBJECT ("subcube", subcube,
            "of isomorphic: the subcube that the shape was put into"),
    OBJECT ("dilation", dilation,
            "of isomorphic: how far apart logical neighbours are"),
    FIELD ("folded",
           "with --fold: whether the box has other sides than the shape"),
    FIELD ("box_wiring",
           "with --fold: how the box is wired, its name or for each dimension "
           "m or t"),
    LIST ("map",
          "of isomorphic, and with --fold: the node of each logical node, "
          "row-major in the shape"),
    LIST_OF ("hit", hit,
             "running partitions under which a node or link has failed"),
    FIELD ("down_links_ignored",
           "true if links are down, and ignored because none are reserved"),
    FIELD ("reason",
           "if it is not placed: numerical (not enough free nodes), "
           "topological (fragmented: enough nodes are free, but no box of "
           "this shape), wiring (its links are taken), never, gave-up"),
    FIELD ("detail", "the same in words"),
    FIELD ("steps", "of a search that gave up: steps taken"),
    FIELD ("limit", "steps allowed"),
    MEASURE ("best", "hops", "the least sum found"),
    LIST ("best_nodes", "its nodes"),
    LIST ("best_indexes", "its points, from 0 on"),
    MEASURE ("at_least", "hops", "a proved lower bound of every sum"),
};
ANSWER (place);

static const struct field partition_fields[] = {
    FIELD ("box", "its box"),
    FIELD ("wiring", "its wiring"),
    LIST_OF ("links", link, "the links that it takes"),
    LIST_OF ("pieces", piece, "on a pod: the boxes that are joined"),
    LIST_OF ("cross_connects", cross,
             "on a pod: which ports the switches join"),
};
SHEET (partition);

static const struct field conflict_fields[] = {
    FIELD ("partition", "which one, counted from 0, in the order of the file"),
    FIELD ("with",
           "the partition that has the link; null if the link is down"),
    FIELD ("dim", "the dimension of the link"),
    FIELD ("line", "the other coordinates of its line"),
    FIELD ("detail", "the same in words"),
};
SHEET (conflict);

static const struct field never_fields[] = {
    FIELD ("partition", "which one, counted from 0, in the order of the file"),
    FIELD ("detail", "why not"),
};
SHEET (never);

static const struct field ring_fields[] = {
    LIST ("nodes", "the nodes"),
    LIST_OF ("links", link, "the links that would wire them"),
};
SHEET (ring);

static const struct field wire_fields[] = {
    FIELD ("ok", "whether all partitions can be wired"),
    LIST_OF ("partitions", partition, "what each partition takes"),
    FIELD ("used", "links that are taken"),
    FIELD ("total", "links of the machine"),
    LIST_OF ("rings", ring,
             "with --rings: the sets of free nodes that free links can wire "
             "as a ring"),
    OBJECT ("conflict", conflict, "the first conflict"),
    LIST_OF ("conflicts", conflict, "all conflicts"),
    OBJECT ("never", never,
            "the first partition that can never be wired this way on this "
            "machine"),
    LIST_OF ("nevers", never, "all such partitions"),
};
ANSWER (wire);

/* ---- simulating ---- */

static const struct field rejection_fields[] = {
    FIELD ("*", "for this reason"),
};
SHEET (rejection);

static const struct field fluid_fields[] = {
    FIELD ("pattern", "who sends to whom"),
    BESIDE (network),
};
SHEET (fluid);

static const struct field seed_fields[] = {
    FIELD ("seed", "the seed"),
    BESIDE (result),
    BESIDE (losses),
    BESIDE (levels),
    OBJECT ("network", network, "with --network fluid"),
};
SHEET (seed);

static const struct field sim_fields[] = {
    BESIDE (result),
    BESIDE (losses),
    BESIDE (levels),
    OBJECT ("network", fluid, "with --network fluid"),
    OBJECT ("rejections", rejection, "how many jobs were rejected"),
    FIELD ("links_reserved",
           "whether jobs reserve links; if not, kinds of machines hardly "
           "differ"),
    FIELD ("down_links_ignored",
           "true if links are down, and ignored because none are reserved"),
    FIELD ("outlived",
           "jobs of the log that ran longer than requested: see --estimates"),
    FIELD ("unusable",
           "records without a size or a run time, which were left out"),
    FIELD ("log_procs", "processors of the log's machine, if the log says"),
    MEASURE ("seconds", "s", "with --timing: how long the replay took"),
    FIELD ("seeds",
           "with --seeds: how many; each measure is then an object of mean "
           "and half_interval, half of the 95 % interval"),
    LIST_OF ("runs", seed, "with --seeds: the result of each"),
    FIELD ("reason", "gave-up, if a search did"),
    FIELD ("job", "the job that it gave up on"),
    FIELD ("nodes", "how many nodes that asks for"),
    FIELD ("detail", "why it gave up"),
};
ANSWER (sim);

static const struct field decision_fields[] = {
    MEASURE ("*", "hops",
             "the mean pairwise sum of what this one would choose there"),
};
SHEET (decision);

static const struct field situation_fields[] = {
    OBJECT ("*", decision, "jobs are placed by this allocator"),
};
SHEET (situation);

static const struct field common_fields[] = {
    OBJECT ("jobs", situation,
            "for each allocator that places the jobs, how many they are"),
    OBJECT ("situation", situation, "the same sums over these jobs"),
};
SHEET (common);

static const struct field decide_fields[] = {
    OBJECT ("situation", situation,
            "for each allocator that places the jobs, what each would choose"),
    FIELD ("jobs", "jobs that ran"),
    FIELD ("rejected", "jobs that can never run here"),
    OBJECT ("left_out", situation,
            "how often a search gave up, in each situation"),
    OBJECT ("ended", situation,
            "situations that ended early because the allocator that places "
            "gave up"),
    OBJECT ("common", common, "the jobs on which no search gave up"),
};
ANSWER (decide);

static const struct field replayed_fields[] = {
    FIELD ("*", "as 'tori sim' has it"),
};
SHEET (replayed);

static const struct field report_fields[] = {
    FIELD ("report", "the file that was written"),
    OBJECT ("replayed", replayed,
            "the config of the simulation that it replays"),
};
ANSWER (report);

/* ---- planning ---- */

static const struct field contention_job_fields[] = {
    FIELD ("id", "the job, from 1 on, in the order of the file"),
    FIELD ("start", "when it starts"),
    FIELD ("start_exact", "the same in full"),
    FIELD ("finish", "when it ends"),
    FIELD ("finish_exact", "the same in full"),
    FIELD ("row", "the first coordinate of its offset"),
    FIELD ("col", "the second one"),
    FIELD ("offset", "where its subtorus begins"),
    FIELD ("shape", "its sides"),
    FIELD ("time", "how long it takes alone"),
    FIELD ("time_exact", "the same in full"),
    FIELD ("order", "its place in the order in which jobs were placed"),
};
SHEET (contention_job);

static const struct field contention_bound_fields[] = {
    FIELD ("longest", "the longest job"),
    FIELD ("area", "all work over all nodes"),
    FIELD ("contention_free", "the least makespan if jobs did not delay "
                              "each other"),
    FIELD ("events", "with --steps or --improve, up to 16 jobs: what no plan "
                     "that starts jobs at events can beat"),
};
SHEET (contention_bound);

static const struct field contention_fields[] = {
    FIELD ("makespan", "when the last job ends"),
    FIELD ("makespan_exact", "the same in full"),
    FIELD ("exact", "whether numbers are exact"),
    LIST_OF ("jobs", contention_job, "the plan, in the order of the file"),
    OBJECT ("lower_bound", contention_bound, "what no plan can beat"),
    FIELD ("gap", "makespan over the highest bound, less 1"),
    FIELD ("steps", "with --steps or --improve: steps that were made"),
    FIELD ("least", "with these: whether no plan that starts jobs at events "
                    "is shorter"),
    FIELD ("makespan_before", "with these: the makespan of the first plan"),
    FIELD ("own_delay", "with --own-delay: true"),
    FIELD ("plan", "contention"),
    FIELD ("machine", "the machine"),
    FIELD ("feasible", "false if there can never be a plan"),
    FIELD ("reason", "never"),
    FIELD ("detail", "why"),
};
ANSWER (contention);

static const struct field segment_fields[] = {
    FIELD ("id", "the job, from 1 on, in the order of the file"),
    FIELD ("first", "its first position along the diagonal"),
    FIELD ("size", "its dimension"),
    FIELD ("start", "when it starts"),
    FIELD ("start_exact", "the same in full, as a fraction"),
    FIELD ("finish", "when it ends"),
    FIELD ("finish_exact", "the same in full, as a fraction"),
};
SHEET (segment);

static const struct field preemptive_bound_fields[] = {
    FIELD ("longest", "the longest job"),
    FIELD ("longest_exact", "the same in full, as a fraction"),
    FIELD ("area", "all work over all positions"),
    FIELD ("area_exact", "the same in full, as a fraction"),
};
SHEET (preemptive_bound);

static const struct field preemptive_job_fields[] = {
    FIELD ("id", "the job, from 1 on"),
    FIELD ("dimension", "its dimension"),
    FIELD ("time", "how long it takes"),
    FIELD ("time_exact", "the same in full, as a fraction"),
};
SHEET (preemptive_job);

static const struct field preemptive_fields[] = {
    FIELD ("feasible", "whether there is a plan by the deadline"),
    FIELD ("finish", "when the last job ends"),
    FIELD ("finish_exact", "the same in full, as a fraction"),
    FIELD ("preemptions", "how often a job is stopped"),
    FIELD ("stages", "how often the dimensions that run change, with the first "
                     "time; only if some dimension does not divide the next"),
    LIST_OF ("segments", segment, "the plan"),
    FIELD ("gap", "finish over the least finish, less 1"),
    FIELD ("failed", "the job that cannot be done by the deadline"),
    FIELD ("plan", "preemptive"),
    FIELD ("machine", "the machine"),
    FIELD ("deadline", "the deadline"),
    FIELD ("deadline_exact", "the same in full, as a fraction"),
    FIELD ("least", "the least possible finish time"),
    FIELD ("least_exact", "the same in full, as a fraction"),
    OBJECT ("lower_bound", preemptive_bound, "what no plan can beat"),
    LIST_OF ("jobs", preemptive_job, "the jobs"),
    FIELD ("reason", "never, if there can never be a plan"),
    FIELD ("detail", "why"),
};
ANSWER (preemptive);

/* ---- messages ---- */

static const struct field net_job_fields[] = {
    FIELD ("box", "its nodes"),
    FIELD ("nodes", "how many there are"),
    FIELD ("silent", "how many of them send nothing"),
    FIELD ("closed", "whether its messages stay inside its box"),
    BESIDE (outcome),
};
SHEET (net_job);

static const struct field busiest_fields[] = {
    FIELD ("from", "the node that it leaves"),
    FIELD ("to", "the node that it enters"),
    FIELD ("dim", "the dimension along which it lies"),
};
SHEET (busiest);

static const struct field load_fields[] = {
    FIELD ("links", "how many links there are"),
    FIELD ("mean", "the fraction of time that a link is busy, on average"),
    FIELD ("max", "the same of the busiest link"),
    OBJECT ("busiest", busiest, "that link"),
};
SHEET (load);

static const struct field net_link_fields[] = {
    BESIDE (busiest),
    FIELD ("step", "1 or -1: the way it goes"),
    FIELD ("flits", "flits that it carried"),
    FIELD ("load", "the fraction of the time that it is busy"),
};
SHEET (net_link);

static const struct field disturb_fields[] = {
    FIELD ("*", "the two boxes, and the links that both may use"),
};
SHEET (disturb);

static const struct field net_fields[] = {
    FIELD ("machine", "the machine"),
    FIELD ("pattern", "who sends to whom"),
    FIELD ("switching", "wormhole or cut-through"),
    FIELD ("routing", "how messages find their way"),
    FIELD ("vcs", "virtual channels of a link"),
    FIELD ("buffer", "flits that a channel holds"),
    FIELD ("width", "flits per cycle that a link carries"),
    FIELD ("flits", "the length of a message"),
    FIELD ("rate", "flits per node and cycle, if sent at random times"),
    LIST_OF ("jobs", net_job, "the messages of each box"),
    LIST_OF ("disturb", disturb, "which boxes share links"),
    OBJECT ("load", load, "how busy the links are"),
    LIST_OF ("links", net_link, "with --links: every link"),
    FIELD ("measured", "cycles that were measured"),
    FIELD ("cycles", "cycles in all"),
    FIELD ("flit_hops", "flits over links, in all"),
};
ANSWER (net);

/* ---- sharing time ---- */

static const struct field gang_table_fields[] = {
    LIST ("slots",
          "for each slot the name of what runs on each processor, null where "
          "it is idle"),
    FIELD ("period", "slots after which the table repeats"),
};
ANSWER (gang_table);

static const struct field window_fields[] = {
    MEASURE ("begin", "s", "when measuring begins"),
    MEASURE ("end", "s", "when it ends"),
};
SHEET (window);

static const struct field size_class_fields[] = {
    FIELD ("size", "jobs of up to this many nodes"),
    FIELD ("jobs", "how many there are"),
    MEASURE ("response", "s", "mean response"),
    MEASURE ("wait", "s", "mean wait"),
    FIELD ("slowdown", "mean slowdown"),
};
SHEET (size_class);

static const struct field switch_cost_fields[] = {
    MEASURE ("least", "s", "the least"),
    MEASURE ("most", "s", "the most"),
};
SHEET (switch_cost);

static const struct field tree_messages_fields[] = {
    FIELD ("total", "of all nodes of the tree"),
    FIELD ("root", "of the root"),
    FIELD ("busiest", "of the busiest node"),
    FIELD ("busiest_node", "which one that is"),
    FIELD ("root_per_second", "of the root, per second"),
    FIELD ("busiest_per_second", "of the busiest node, per second"),
};
SHEET (tree_messages);

static const struct field gang_sched_fields[] = {
    FIELD ("name", "the scheduler"),
    FIELD ("held", "node-time that jobs held, of all"),
    BESIDE (result),
    LIST_OF ("classes", size_class, "jobs by their size"),
    FIELD ("spread", "the largest mean slowdown of a class over the smallest"),
    FIELD ("fairness", "Jain's index of the slowdowns, from 0 to 1"),
    FIELD ("turns", "turns of all jobs"),
    FIELD ("switches", "turns in which the process changed"),
    OBJECT ("switch_cost", switch_cost, "what a switch costs"),
    OBJECT ("messages", tree_messages, "messages in the queue tree"),
};
SHEET (gang_sched);

static const struct field gang_sim_fields[] = {
    FIELD ("load", "the offered load"),
    FIELD ("arrivals", "jobs that arrived"),
    OBJECT ("window", window, "the part that is measured"),
    LIST_OF ("schedulers", gang_sched, "what each did"),
};
ANSWER (gang_sim);

static const struct field gang_job_fields[] = {
    FIELD ("*", "what is known of a job"),
};
SHEET (gang_job);

static const struct field gang_status_fields[] = {
    FIELD ("freeze", "how processes are stopped: cgroup, signal, or both if "
                     "not all hosts do the same"),
    FIELD ("*", "what is known of the run, as in its manual page"),
    LIST_OF ("jobs", gang_job, "the jobs"),
};
ANSWER (gang_status);

/* ---- lists ---- */

static const struct field listed_fields[] = {
    FIELD ("name", "the name"),
    LIST ("takes", "of an allocator: what it can be asked for"),
    FIELD ("summary", "what it is"),
};
SHEET (listed);

static const struct field list_fields[] = {
    LIST_OF ("*", listed, "a list of this name"),
};
ANSWER (list);
