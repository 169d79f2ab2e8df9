/* The fields of JSON answers that their commands write by hand. What is made of
 * sheets is described where it is measured (result.h). */
#include "fields.h"

#include "result.h"

#define SHEET(name)                                                           \
    static const struct sheet name##_sheet                                    \
        = {#name, SHEET_FIELDS (name##_fields)}
#define ANSWER(name)                                                          \
    const struct sheet answer_##name = {#name, SHEET_FIELDS (name##_fields)}

/* ---- placing ---- */

static const struct field link_fields[] = {
    {"dim", FIELD_WRITTEN,
     .about = "the dimension along which it lies"},
    {"line", FIELD_WRITTEN,
     .about = "the other coordinates of its line, in order"},
    {"a", FIELD_WRITTEN,
     .about = "its smaller coordinate in that dimension"},
    {"b", FIELD_WRITTEN,
     .about = "its larger one"},
    {"kind", FIELD_WRITTEN,
     .about = "n between neighbours, w wrap link of a torus, s of the "
              "folded ring of a multi-torus"},
};
SHEET (link);

static const struct field subcube_fields[] = {
    {"origin", FIELD_WRITTEN,
     .about = "where it begins"},
    {"shape", FIELD_WRITTEN,
     .about = "its sides"},
};
SHEET (subcube);

static const struct field dilation_fields[] = {
    {"max", FIELD_WRITTEN,
     .about = "the most",
     .unit = "hops"},
    {"average", FIELD_WRITTEN,
     .about = "the mean",
     .unit = "hops"},
};
SHEET (dilation);

static const struct field hit_fields[] = {
    {"partition", FIELD_WRITTEN,
     .about = "which one, from 0 on, in the order of the file"},
    {"box", FIELD_WRITTEN,
     .about = "its box"},
    {"wiring", FIELD_WRITTEN,
     .about = "its wiring"},
    {"nodes", FIELD_LIST,
     .about = "nodes of it that are down"},
    {"links", FIELD_LIST,
     .about = "links of it that are down",
     .group = &link_sheet},
};
SHEET (hit);

static const struct field place_fields[] = {
    {"placed", FIELD_WRITTEN,
     .about = "whether there is a place"},
    {"nodes", FIELD_LIST,
     .about = "the nodes in the order of their ids, or the points in the "
              "order of their file"},
    {"indexes", FIELD_LIST,
     .about = "of points: which they are, from 0 on"},
    {"pairwise", FIELD_WRITTEN,
     .about = "sum of the distances over unordered pairs",
     .unit = "hops"},
    {"average", FIELD_WRITTEN,
     .about = "that sum over the number of pairs",
     .unit = "hops"},
    {"origin", FIELD_WRITTEN,
     .about = "of a box: its first node"},
    {"shape", FIELD_WRITTEN,
     .about = "of a box: its sides, as rotated"},
    {"links", FIELD_LIST,
     .about = "with --wiring: the links that it reserves",
     .group = &link_sheet},
    {"held", FIELD_WRITTEN,
     .about = "nodes that are taken, if more than were asked for"},
    {"subcube", FIELD_WRITTEN,
     .about = "of isomorphic: the subcube that the shape was put into",
     .group = &subcube_sheet},
    {"dilation", FIELD_WRITTEN,
     .about = "of isomorphic: how far logical neighbours are apart",
     .group = &dilation_sheet},
    {"map", FIELD_LIST,
     .about = "of isomorphic: the node of each logical node, row-major in "
              "the shape"},
    {"hit", FIELD_LIST,
     .about = "running partitions under which a node or link has failed",
     .group = &hit_sheet},
    {"reason", FIELD_WRITTEN,
     .about = "if it is not placed: numerical (too few nodes), topological "
              "(no such box), wiring (a box, but not its links), never, "
              "gave-up"},
    {"detail", FIELD_WRITTEN,
     .about = "the same in words"},
    {"steps", FIELD_WRITTEN,
     .about = "of a search that gave up: steps taken"},
    {"limit", FIELD_WRITTEN,
     .about = "steps allowed"},
    {"estimate", FIELD_WRITTEN,
     .about = "ways to cut that there are, about"},
    {"best", FIELD_WRITTEN,
     .about = "the least sum found",
     .unit = "hops"},
    {"best_nodes", FIELD_LIST,
     .about = "its nodes"},
    {"best_indexes", FIELD_LIST,
     .about = "its points, from 0 on"},
    {"at_least", FIELD_WRITTEN,
     .about = "what every sum is proved to be at least",
     .unit = "hops"},
};
ANSWER (place);

static const struct field partition_fields[] = {
    {"box", FIELD_WRITTEN,
     .about = "its box"},
    {"wiring", FIELD_WRITTEN,
     .about = "its wiring"},
    {"links", FIELD_LIST,
     .about = "the links that it takes",
     .group = &link_sheet},
};
SHEET (partition);

static const struct field conflict_fields[] = {
    {"partition", FIELD_WRITTEN,
     .about = "which one, from 0 on, in the order of the file"},
    {"with", FIELD_WRITTEN,
     .about = "the partition that has the link; null if the link is down"},
    {"dim", FIELD_WRITTEN,
     .about = "the dimension of the link"},
    {"line", FIELD_WRITTEN,
     .about = "the other coordinates of its line"},
    {"detail", FIELD_WRITTEN,
     .about = "the same in words"},
};
SHEET (conflict);

static const struct field wire_fields[] = {
    {"ok", FIELD_WRITTEN,
     .about = "whether all partitions can be wired"},
    {"partitions", FIELD_LIST,
     .about = "what each takes",
     .group = &partition_sheet},
    {"used", FIELD_WRITTEN,
     .about = "links that are taken"},
    {"total", FIELD_WRITTEN,
     .about = "links of the machine"},
    {"conflict", FIELD_WRITTEN,
     .about = "the first conflict",
     .group = &conflict_sheet},
    {"conflicts", FIELD_LIST,
     .about = "all conflicts",
     .group = &conflict_sheet},
    {"never", FIELD_WRITTEN,
     .about = "the first partition that can never be wired so on this "
              "machine",
     .group = &conflict_sheet},
    {"nevers", FIELD_LIST,
     .about = "all of those",
     .group = &conflict_sheet},
};
ANSWER (wire);

/* ---- simulating ---- */

static const struct field rejection_fields[] = {
    {"*", FIELD_WRITTEN,
     .about = "for this reason"},
};
SHEET (rejection);

static const struct field fluid_fields[] = {
    {"pattern", FIELD_WRITTEN,
     .about = "who sends to whom"},
    {.kind = FIELD_BESIDE, .group = &network_sheet},
};
SHEET (fluid);

static const struct field seed_fields[] = {
    {"seed", FIELD_WRITTEN,
     .about = "the seed"},
    {.kind = FIELD_BESIDE, .group = &result_sheet},
    {"network", FIELD_WRITTEN,
     .about = "with --network fluid",
     .group = &network_sheet},
};
SHEET (seed);

static const struct field sim_fields[] = {
    {.kind = FIELD_BESIDE, .group = &result_sheet},
    {"network", FIELD_WRITTEN,
     .about = "with --network fluid",
     .group = &fluid_sheet},
    {"rejections", FIELD_WRITTEN,
     .about = "how many jobs were rejected",
     .group = &rejection_sheet},
    {"links_reserved", FIELD_WRITTEN,
     .about = "whether jobs reserve links; if not, kinds of machines are "
              "hardly told apart"},
    {"outlived", FIELD_WRITTEN,
     .about = "jobs of the log that ran longer than they had asked for: see "
              "--estimates"},
    {"unusable", FIELD_WRITTEN,
     .about = "records without a size or a run time, which were left out"},
    {"log_procs", FIELD_WRITTEN,
     .about = "processors of the log's machine, if the log says"},
    {"seconds", FIELD_WRITTEN,
     .about = "with --timing: how long the replay took",
     .unit = "s"},
    {"seeds", FIELD_WRITTEN,
     .about = "with --seeds: how many; each measure is then an object of "
              "mean and half_interval, half of the 95 % interval"},
    {"runs", FIELD_LIST,
     .about = "with --seeds: what each gave",
     .group = &seed_sheet},
    {"reason", FIELD_WRITTEN,
     .about = "gave-up, if a search did"},
    {"job", FIELD_WRITTEN,
     .about = "the job that it gave up on"},
    {"nodes", FIELD_WRITTEN,
     .about = "how many nodes that asks for"},
    {"detail", FIELD_WRITTEN,
     .about = "why it gave up"},
};
ANSWER (sim);

static const struct field decision_fields[] = {
    {"*", FIELD_WRITTEN,
     .about = "the mean pairwise sum of what this one would choose there",
     .unit = "hops"},
};
SHEET (decision);

static const struct field situation_fields[] = {
    {"*", FIELD_WRITTEN,
     .about = "jobs are placed by this allocator",
     .group = &decision_sheet},
};
SHEET (situation);

static const struct field common_fields[] = {
    {"jobs", FIELD_WRITTEN,
     .about = "for each allocator that places the jobs, how many they are",
     .group = &situation_sheet},
    {"situation", FIELD_WRITTEN,
     .about = "the same sums over these jobs",
     .group = &situation_sheet},
};
SHEET (common);

static const struct field decide_fields[] = {
    {"situation", FIELD_WRITTEN,
     .about = "for each allocator that places the jobs, what each would "
              "choose",
     .group = &situation_sheet},
    {"jobs", FIELD_WRITTEN,
     .about = "jobs that ran"},
    {"rejected", FIELD_WRITTEN,
     .about = "jobs that can never run here"},
    {"left_out", FIELD_WRITTEN,
     .about = "how often a search gave up, in each situation",
     .group = &situation_sheet},
    {"ended", FIELD_WRITTEN,
     .about = "situations that ended early, since who places gave up",
     .group = &situation_sheet},
    {"common", FIELD_WRITTEN,
     .about = "the jobs on which no search gave up",
     .group = &common_sheet},
};
ANSWER (decide);

static const struct field scenario_fields[] = {
    {"machine", FIELD_WRITTEN,
     .about = "the machine"},
    {"torus_fraction", FIELD_WRITTEN,
     .about = "the part of the jobs that ask for a torus"},
    {"sched", FIELD_WRITTEN,
     .about = "the scheduler"},
    {"offered", FIELD_WRITTEN,
     .about = "the offered load"},
    {"utilization", FIELD_WRITTEN,
     .about = "the utilization"},
    {"wait", FIELD_WRITTEN,
     .about = "the mean wait",
     .unit = "s"},
};
SHEET (scenario);

static const struct field demo_fields[] = {
    {"results", FIELD_LIST,
     .about = "for each machine and scheduler",
     .group = &scenario_sheet},
};
ANSWER (demo);

/* ---- planning ---- */

static const struct field contention_job_fields[] = {
    {"id", FIELD_WRITTEN,
     .about = "the job, from 1 on, in the order of the file"},
    {"start", FIELD_WRITTEN,
     .about = "when it starts"},
    {"start_exact", FIELD_WRITTEN,
     .about = "the same in full"},
    {"finish", FIELD_WRITTEN,
     .about = "when it ends"},
    {"finish_exact", FIELD_WRITTEN,
     .about = "the same in full"},
    {"row", FIELD_WRITTEN,
     .about = "the first coordinate of its offset"},
    {"col", FIELD_WRITTEN,
     .about = "the second one"},
    {"offset", FIELD_WRITTEN,
     .about = "where its subtorus begins"},
    {"shape", FIELD_WRITTEN,
     .about = "its sides"},
    {"time", FIELD_WRITTEN,
     .about = "how long it takes alone"},
    {"time_exact", FIELD_WRITTEN,
     .about = "the same in full"},
    {"order", FIELD_WRITTEN,
     .about = "its place in the order in which jobs were placed"},
};
SHEET (contention_job);

static const struct field contention_bound_fields[] = {
    {"longest", FIELD_WRITTEN,
     .about = "the longest job"},
    {"area", FIELD_WRITTEN,
     .about = "all work over all nodes"},
    {"contention_free", FIELD_WRITTEN,
     .about = "the least makespan if nobody delayed anybody"},
};
SHEET (contention_bound);

static const struct field contention_fields[] = {
    {"makespan", FIELD_WRITTEN,
     .about = "when the last job ends"},
    {"makespan_exact", FIELD_WRITTEN,
     .about = "the same in full"},
    {"exact", FIELD_WRITTEN,
     .about = "whether numbers are exact"},
    {"jobs", FIELD_LIST,
     .about = "the plan, in the order of the file",
     .group = &contention_job_sheet},
    {"lower_bound", FIELD_WRITTEN,
     .about = "what no plan can beat",
     .group = &contention_bound_sheet},
    {"gap", FIELD_WRITTEN,
     .about = "makespan over the bound, less 1"},
    {"steps", FIELD_WRITTEN,
     .about = "with --steps or --improve: orders that were tried"},
    {"makespan_before", FIELD_WRITTEN,
     .about = "with these: the makespan of the first order"},
    {"plan", FIELD_WRITTEN,
     .about = "contention"},
    {"machine", FIELD_WRITTEN,
     .about = "the machine"},
    {"feasible", FIELD_WRITTEN,
     .about = "false if there can never be a plan"},
    {"reason", FIELD_WRITTEN,
     .about = "never"},
    {"detail", FIELD_WRITTEN,
     .about = "why"},
};
ANSWER (contention);

static const struct field segment_fields[] = {
    {"id", FIELD_WRITTEN,
     .about = "the job, from 1 on, in the order of the file"},
    {"first", FIELD_WRITTEN,
     .about = "its first position along the diagonal"},
    {"size", FIELD_WRITTEN,
     .about = "its dimension"},
    {"start", FIELD_WRITTEN,
     .about = "when it starts"},
    {"start_exact", FIELD_WRITTEN,
     .about = "the same in full, as a fraction"},
    {"finish", FIELD_WRITTEN,
     .about = "when it ends"},
    {"finish_exact", FIELD_WRITTEN,
     .about = "the same in full, as a fraction"},
};
SHEET (segment);

static const struct field preemptive_bound_fields[] = {
    {"longest", FIELD_WRITTEN,
     .about = "the longest job"},
    {"longest_exact", FIELD_WRITTEN,
     .about = "the same in full, as a fraction"},
    {"area", FIELD_WRITTEN,
     .about = "all work over all positions"},
    {"area_exact", FIELD_WRITTEN,
     .about = "the same in full, as a fraction"},
};
SHEET (preemptive_bound);

static const struct field preemptive_job_fields[] = {
    {"id", FIELD_WRITTEN,
     .about = "the job, from 1 on"},
    {"dimension", FIELD_WRITTEN,
     .about = "its dimension"},
    {"time", FIELD_WRITTEN,
     .about = "how long it takes"},
    {"time_exact", FIELD_WRITTEN,
     .about = "the same in full, as a fraction"},
};
SHEET (preemptive_job);

static const struct field preemptive_fields[] = {
    {"feasible", FIELD_WRITTEN,
     .about = "whether there is a plan by the deadline"},
    {"finish", FIELD_WRITTEN,
     .about = "when the last job ends"},
    {"finish_exact", FIELD_WRITTEN,
     .about = "the same in full, as a fraction"},
    {"preemptions", FIELD_WRITTEN,
     .about = "how often a job is stopped"},
    {"segments", FIELD_LIST,
     .about = "the plan",
     .group = &segment_sheet},
    {"gap", FIELD_WRITTEN,
     .about = "finish over the least finish, less 1"},
    {"failed", FIELD_WRITTEN,
     .about = "the job that cannot be done by the deadline"},
    {"plan", FIELD_WRITTEN,
     .about = "preemptive"},
    {"machine", FIELD_WRITTEN,
     .about = "the machine"},
    {"deadline", FIELD_WRITTEN,
     .about = "the deadline"},
    {"deadline_exact", FIELD_WRITTEN,
     .about = "the same in full, as a fraction"},
    {"least", FIELD_WRITTEN,
     .about = "the least finish time that there is"},
    {"least_exact", FIELD_WRITTEN,
     .about = "the same in full, as a fraction"},
    {"lower_bound", FIELD_WRITTEN,
     .about = "what no plan can beat",
     .group = &preemptive_bound_sheet},
    {"jobs", FIELD_LIST,
     .about = "the jobs",
     .group = &preemptive_job_sheet},
    {"reason", FIELD_WRITTEN,
     .about = "never, if there can never be a plan"},
    {"detail", FIELD_WRITTEN,
     .about = "why"},
};
ANSWER (preemptive);

static const struct field plan_check_fields[] = {
    {"ok", FIELD_WRITTEN,
     .about = "whether the plan holds"},
    {"plan", FIELD_WRITTEN,
     .about = "contention or preemptive"},
    {"machine", FIELD_WRITTEN,
     .about = "the machine"},
    {"jobs", FIELD_WRITTEN,
     .about = "how many jobs it has"},
    {"makespan", FIELD_WRITTEN,
     .about = "when the last job ends"},
    {"finish", FIELD_WRITTEN,
     .about = "when the last job ends"},
    {"detail", FIELD_WRITTEN,
     .about = "what is wrong with it"},
    {"unchecked", FIELD_LIST,
     .about = "bounds that are taken as they are"},
};
ANSWER (plan_check);

/* ---- messages ---- */

static const struct field latency_fields[] = {
    {"mean", FIELD_WRITTEN,
     .about = "the mean",
     .unit = "cycles"},
    {"p50", FIELD_WRITTEN,
     .about = "the median, by nearest rank",
     .unit = "cycles"},
    {"p90", FIELD_WRITTEN,
     .about = "the 90th percentile",
     .unit = "cycles"},
    {"p99", FIELD_WRITTEN,
     .about = "the 99th percentile",
     .unit = "cycles"},
    {"max", FIELD_WRITTEN,
     .about = "the largest",
     .unit = "cycles"},
};
SHEET (latency);

static const struct field net_job_fields[] = {
    {"box", FIELD_WRITTEN,
     .about = "its nodes"},
    {"nodes", FIELD_WRITTEN,
     .about = "how many there are"},
    {"silent", FIELD_WRITTEN,
     .about = "how many of them send nothing"},
    {"closed", FIELD_WRITTEN,
     .about = "whether its messages stay inside its box"},
    {"messages", FIELD_WRITTEN,
     .about = "messages measured"},
    {"flits", FIELD_WRITTEN,
     .about = "their flits"},
    {"latency", FIELD_WRITTEN,
     .about = "from being sent to delivery",
     .group = &latency_sheet},
    {"waited", FIELD_WRITTEN,
     .about = "the part of that at the source, in the mean",
     .unit = "cycles"},
    {"blocked", FIELD_WRITTEN,
     .about = "time on the way beyond what a message would need alone, in "
              "the mean",
     .unit = "cycles"},
    {"hops", FIELD_WRITTEN,
     .about = "links that a message takes, in the mean"},
    {"offered", FIELD_WRITTEN,
     .about = "flits per node and cycle that it would send"},
    {"accepted", FIELD_WRITTEN,
     .about = "flits per node and cycle that arrived"},
    {"finish", FIELD_WRITTEN,
     .about = "the cycle after its last delivery"},
    {"saturated", FIELD_WRITTEN,
     .about = "whether it offers more than the network takes"},
    {"unfinished", FIELD_WRITTEN,
     .about = "whether it was cut short by the limit"},
};
SHEET (net_job);

static const struct field busiest_fields[] = {
    {"from", FIELD_WRITTEN,
     .about = "the node that it leaves"},
    {"to", FIELD_WRITTEN,
     .about = "the node that it enters"},
    {"dim", FIELD_WRITTEN,
     .about = "the dimension along which it lies"},
};
SHEET (busiest);

static const struct field load_fields[] = {
    {"links", FIELD_WRITTEN,
     .about = "how many links there are"},
    {"mean", FIELD_WRITTEN,
     .about = "the part of the time that a link is busy, in the mean"},
    {"max", FIELD_WRITTEN,
     .about = "the same of the busiest link"},
    {"busiest", FIELD_WRITTEN,
     .about = "that link",
     .group = &busiest_sheet},
};
SHEET (load);

static const struct field net_link_fields[] = {
    {.kind = FIELD_BESIDE, .group = &busiest_sheet},
    {"step", FIELD_WRITTEN,
     .about = "1 or -1: the way it goes"},
    {"flits", FIELD_WRITTEN,
     .about = "flits that it carried"},
    {"load", FIELD_WRITTEN,
     .about = "the part of the time that it is busy"},
};
SHEET (net_link);

static const struct field disturb_fields[] = {
    {"*", FIELD_WRITTEN,
     .about = "the two boxes, and the links that both may use"},
};
SHEET (disturb);

static const struct field net_fields[] = {
    {"machine", FIELD_WRITTEN,
     .about = "the machine"},
    {"pattern", FIELD_WRITTEN,
     .about = "who sends to whom"},
    {"switching", FIELD_WRITTEN,
     .about = "wormhole or cut-through"},
    {"routing", FIELD_WRITTEN,
     .about = "how messages find their way"},
    {"vcs", FIELD_WRITTEN,
     .about = "virtual channels of a link"},
    {"buffer", FIELD_WRITTEN,
     .about = "flits that a channel holds"},
    {"width", FIELD_WRITTEN,
     .about = "flits per cycle that a link carries"},
    {"flits", FIELD_WRITTEN,
     .about = "the length of a message"},
    {"rate", FIELD_WRITTEN,
     .about = "flits per node and cycle, if they are sent by chance"},
    {"jobs", FIELD_LIST,
     .about = "what the messages of each box met with",
     .group = &net_job_sheet},
    {"disturb", FIELD_LIST,
     .about = "which boxes share links",
     .group = &disturb_sheet},
    {"load", FIELD_WRITTEN,
     .about = "how busy the links are",
     .group = &load_sheet},
    {"links", FIELD_LIST,
     .about = "with --links: every link",
     .group = &net_link_sheet},
    {"measured", FIELD_WRITTEN,
     .about = "cycles that were measured"},
    {"cycles", FIELD_WRITTEN,
     .about = "cycles in all"},
    {"flit_hops", FIELD_WRITTEN,
     .about = "flits over links, all told"},
};
ANSWER (net);

static const struct field switch_fields[] = {
    {"from", FIELD_WRITTEN,
     .about = "the process that stops"},
    {"to", FIELD_WRITTEN,
     .about = "the one that goes on"},
    {"signal", FIELD_WRITTEN,
     .about = "the cycle in which it is told"},
    {"cycles", FIELD_WRITTEN,
     .about = "cycles until the network is empty"},
    {"bound", FIELD_WRITTEN,
     .about = "what that is proved to be at most"},
    {"interrupts", FIELD_WRITTEN,
     .about = "interrupts that it takes"},
    {"words", FIELD_WRITTEN,
     .about = "words saved"},
    {"words_used", FIELD_WRITTEN,
     .about = "words of them in use"},
    {"save_cycles", FIELD_WRITTEN,
     .about = "cycles that saving takes"},
    {"messages", FIELD_WRITTEN,
     .about = "messages in the network"},
    {"packets", FIELD_WRITTEN,
     .about = "packets in the network"},
    {"flits", FIELD_WRITTEN,
     .about = "flits in the network"},
    {"waiting", FIELD_WRITTEN,
     .about = "messages that wait at their source"},
    {"sends", FIELD_WRITTEN,
     .about = "messages that are being sent"},
};
SHEET (switch);

static const struct field process_fields[] = {
    {"sent", FIELD_WRITTEN,
     .about = "messages that it sent"},
    {"delivered", FIELD_WRITTEN,
     .about = "messages that arrived"},
    {"reordered", FIELD_WRITTEN,
     .about = "messages that arrived out of order"},
    {"digest", FIELD_WRITTEN,
     .about = "a checksum of their contents"},
    {"kept", FIELD_WRITTEN,
     .about = "whether all arrived as they were sent"},
    {"terminated", FIELD_WRITTEN,
     .about = "whether it ran to its end"},
};
SHEET (process);

static const struct field net_drain_fields[] = {
    {"machine", FIELD_WRITTEN,
     .about = "the machine"},
    {"box", FIELD_WRITTEN,
     .about = "the partition"},
    {"method", FIELD_WRITTEN,
     .about = "how the network is emptied"},
    {"switching", FIELD_WRITTEN,
     .about = "wormhole or cut-through"},
    {"vcs", FIELD_WRITTEN,
     .about = "virtual channels of a link"},
    {"buffer", FIELD_WRITTEN,
     .about = "flits that a channel holds"},
    {"width", FIELD_WRITTEN,
     .about = "flits per cycle that a link carries"},
    {"packet", FIELD_WRITTEN,
     .about = "flits of a packet"},
    {"flits", FIELD_WRITTEN,
     .about = "the length of a message"},
    {"load", FIELD_WRITTEN,
     .about = "flits per node and cycle"},
    {"switches", FIELD_LIST,
     .about = "each switch of processes",
     .group = &switch_sheet},
    {"processes", FIELD_LIST,
     .about = "the processes",
     .group = &process_sheet},
    {"order_kept", FIELD_WRITTEN,
     .about = "whether every message arrived, in order"},
    {"cycles", FIELD_WRITTEN,
     .about = "cycles in all"},
};
ANSWER (net_drain);

/* ---- sharing time ---- */

static const struct field gang_table_fields[] = {
    {"slots", FIELD_LIST,
     .about = "for each slot the name of what runs on each processor, null "
              "where it is idle"},
    {"period", FIELD_WRITTEN,
     .about = "slots after which it all comes again"},
};
ANSWER (gang_table);

static const struct field window_fields[] = {
    {"begin", FIELD_WRITTEN,
     .about = "when measuring begins",
     .unit = "s"},
    {"end", FIELD_WRITTEN,
     .about = "when it ends",
     .unit = "s"},
};
SHEET (window);

static const struct field size_class_fields[] = {
    {"size", FIELD_WRITTEN,
     .about = "jobs of up to this many nodes"},
    {"jobs", FIELD_WRITTEN,
     .about = "how many there are"},
    {"response", FIELD_WRITTEN,
     .about = "mean response",
     .unit = "s"},
    {"wait", FIELD_WRITTEN,
     .about = "mean wait",
     .unit = "s"},
    {"slowdown", FIELD_WRITTEN,
     .about = "mean slowdown"},
};
SHEET (size_class);

static const struct field switch_cost_fields[] = {
    {"least", FIELD_WRITTEN,
     .about = "the least",
     .unit = "s"},
    {"most", FIELD_WRITTEN,
     .about = "the most",
     .unit = "s"},
};
SHEET (switch_cost);

static const struct field tree_messages_fields[] = {
    {"total", FIELD_WRITTEN,
     .about = "of all nodes of the tree"},
    {"root", FIELD_WRITTEN,
     .about = "of the root"},
    {"busiest", FIELD_WRITTEN,
     .about = "of the busiest node"},
    {"busiest_node", FIELD_WRITTEN,
     .about = "which one that is"},
    {"per_second", FIELD_WRITTEN,
     .about = "in all, per second"},
    {"root_per_second", FIELD_WRITTEN,
     .about = "of the root, per second"},
    {"busiest_per_second", FIELD_WRITTEN,
     .about = "of the busiest node, per second"},
};
SHEET (tree_messages);

static const struct field gang_sched_fields[] = {
    {"name", FIELD_WRITTEN,
     .about = "the scheduler"},
    {"held", FIELD_WRITTEN,
     .about = "node-time that jobs held, of all"},
    {.kind = FIELD_BESIDE, .group = &result_sheet},
    {"classes", FIELD_LIST,
     .about = "jobs by their size",
     .group = &size_class_sheet},
    {"spread", FIELD_WRITTEN,
     .about = "the largest mean slowdown of a class over the least"},
    {"fairness", FIELD_WRITTEN,
     .about = "Jain's index of the slowdowns, from 0 to 1"},
    {"turns", FIELD_WRITTEN,
     .about = "turns of all jobs"},
    {"switches", FIELD_WRITTEN,
     .about = "turns that were not the last one going on"},
    {"switch_cost", FIELD_WRITTEN,
     .about = "what a switch costs",
     .group = &switch_cost_sheet},
    {"messages", FIELD_WRITTEN,
     .about = "messages in the queue tree",
     .group = &tree_messages_sheet},
};
SHEET (gang_sched);

static const struct field gang_sim_fields[] = {
    {"load", FIELD_WRITTEN,
     .about = "the offered load"},
    {"arrivals", FIELD_WRITTEN,
     .about = "jobs that came"},
    {"window", FIELD_WRITTEN,
     .about = "the part that is measured",
     .group = &window_sheet},
    {"schedulers", FIELD_LIST,
     .about = "what each did",
     .group = &gang_sched_sheet},
};
ANSWER (gang_sim);

static const struct field gang_job_fields[] = {
    {"*", FIELD_WRITTEN,
     .about = "what is known of a job"},
};
SHEET (gang_job);

static const struct field gang_status_fields[] = {
    {"*", FIELD_WRITTEN,
     .about = "what is known of the run, as in its manual page"},
    {"jobs", FIELD_LIST,
     .about = "the jobs",
     .group = &gang_job_sheet},
};
ANSWER (gang_status);

/* ---- lists ---- */

static const struct field listed_fields[] = {
    {"name", FIELD_WRITTEN,
     .about = "the name"},
    {"takes", FIELD_LIST,
     .about = "of an allocator: what it can be asked for"},
    {"summary", FIELD_WRITTEN,
     .about = "what it is"},
};
SHEET (listed);

static const struct field list_fields[] = {
    {"*", FIELD_LIST,
     .about = "a list of this name",
     .group = &listed_sheet},
};
ANSWER (list);

static const struct field paper_entry_fields[] = {
    {"name", FIELD_WRITTEN,
     .about = "what to type"},
    {"what", FIELD_WRITTEN,
     .about = "what it shows"},
    {"citation", FIELD_WRITTEN,
     .about = "the paper"},
};
SHEET (paper_entry);

static const struct field paper_fields[] = {
    {"papers", FIELD_LIST,
     .about = "of tori paper list: what there is",
     .group = &paper_entry_sheet},
};
ANSWER (paper);
