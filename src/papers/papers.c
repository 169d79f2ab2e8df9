/* All entries. */
#include "paper.h"

static const struct paper *const papers[] = {
    &paper_multitoroidal,
    &paper_clusters,
    &paper_manhattan_median,
    &paper_table1,
    &paper_flow,
    &paper_isomorphic,
    &paper_latency,
    &paper_queue_tree,
    &paper_preemption,
    &paper_dilation,
    &paper_contention,
    &paper_rfold,
    &paper_lines,
    &paper_subcubes,
    &paper_partitions,
    &paper_preemptive,
    &paper_slices,
};

const struct paper *paper_list (size_t i)
{
    return i < sizeof papers / sizeof *papers ? papers[i] : NULL;
}
