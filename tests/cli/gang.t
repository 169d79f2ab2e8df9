Table 1 of Hori et al., "Time Space Sharing Scheduling and Architectural
Support", 1995, to the letter.

  $ tori gang table --levels 3 --queues 0:2,1:2,2:1,3:1,4:2,5:3,6:2 --slots 12
  slot  PE0    PE1    PE2    PE3
     0  Q0(0)  Q0(0)  Q0(0)  Q0(0)
     1  Q0(1)  Q0(1)  Q0(1)  Q0(1)
     2  Q1(0)  Q1(0)  Q2(0)  Q2(0)
     3  Q1(1)  Q1(1)  Q5(0)  Q6(0)
     4  Q3(0)  Q4(0)  Q5(1)  Q6(1)
     5  Q3(0)  Q4(1)  Q5(2)  Q6(0)
     6  Q0(0)  Q0(0)  Q0(0)  Q0(0)
     7  Q0(1)  Q0(1)  Q0(1)  Q0(1)
     8  Q1(0)  Q1(0)  Q2(0)  Q2(0)
     9  Q1(1)  Q1(1)  Q5(0)  Q6(1)
    10  Q3(0)  Q4(0)  Q5(1)  Q6(0)
    11  Q3(0)  Q4(1)  Q5(2)  Q6(1)
  $ tori gang table --levels 3 --queues 0:2,1:2,2:1,3:1,4:2,5:3,6:2 --slots 12 --json
  {"slots":[["Q0(0)","Q0(0)","Q0(0)","Q0(0)"],["Q0(1)","Q0(1)","Q0(1)","Q0(1)"],["Q1(0)","Q1(0)","Q2(0)","Q2(0)"],["Q1(1)","Q1(1)","Q5(0)","Q6(0)"],["Q3(0)","Q4(0)","Q5(1)","Q6(1)"],["Q3(0)","Q4(1)","Q5(2)","Q6(0)"],["Q0(0)","Q0(0)","Q0(0)","Q0(0)"],["Q0(1)","Q0(1)","Q0(1)","Q0(1)"],["Q1(0)","Q1(0)","Q2(0)","Q2(0)"],["Q1(1)","Q1(1)","Q5(0)","Q6(1)"],["Q3(0)","Q4(0)","Q5(1)","Q6(0)"],["Q3(0)","Q4(1)","Q5(2)","Q6(1)"]],"period":6}

One period if it is not said how many slots; an empty branch idles.

  $ tori gang table --levels 3 --queues 1:1,3:2
  slot  PE0    PE1    PE2  PE3
     0  Q1(0)  Q1(0)  -    -
     1  Q3(0)  -      -    -
     2  Q3(1)  -      -    -
  $ tori gang table --levels 3 --queues 1:1,3:2 --slots 2 --json
  {"slots":[["Q1(0)","Q1(0)",null,null],["Q3(0)",null,null,null]],"period":3}
  $ tori gang table --levels 2 --queues 0:0
  nothing to run: all queues are empty
  $ tori gang table --levels 2 --queues 0:0 --slots 2
  slot  PE0  PE1
     0  -    -
     1  -    -
  $ tori gang table --levels 2 --queues 0:0 --json
  {"slots":[],"period":0}
  $ tori gang table --levels 2 --queues 0:0 --slots 1 --json
  {"slots":[[null,null]],"period":0}
  $ tori gang table --levels 1 --queues 0:2 --slots 3
  slot  PE0
     0  Q0(0)
     1  Q0(1)
     2  Q0(0)

The tree of a machine: the longest side is halved; a square is quartered.

  $ tori gang table --machine mesh:2x4 --queues 0:1,2:1,4:2
  slot  PE0    PE1    PE2    PE3    PE4    PE5    PE6    PE7
     0  Q0(0)  Q0(0)  Q0(0)  Q0(0)  Q0(0)  Q0(0)  Q0(0)  Q0(0)
     1  -      -      Q2(0)  Q2(0)  Q4(0)  Q4(0)  Q2(0)  Q2(0)
     2  -      -      Q2(0)  Q2(0)  Q4(1)  Q4(1)  Q2(0)  Q2(0)
  $ tori gang table --machine torus:2x2 --degree 4 --queues 0:1,4:1
  slot  PE0    PE1    PE2    PE3
     0  Q0(0)  Q0(0)  Q0(0)  Q0(0)
     1  -      -      -      Q4(0)
  $ tori gang table --machine mesh:3 --queues 1:1,2:1,3:1,4:1
  slot  PE0    PE1    PE2
     0  Q1(0)  Q1(0)  Q2(0)
     1  Q3(0)  Q4(0)  Q2(0)

What is wrong is said.

  $ tori gang
  tori: gang: no command given; see 'tori gang --help'
  [2]
  $ tori gang table --queues 0:1
  tori: one of --levels and --machine is needed
  [2]
  $ tori gang table --levels 3
  tori: --queues NODE:LENGTH,... is missing; see 'tori gang table --help'
  [2]
  $ tori gang table --levels 3 --machine mesh:4 --queues 0:1
  tori: --levels and --machine exclude each other
  [2]
  $ tori gang table --levels 3 --queues 7:1
  tori: --queues: there is no node 7: the tree has nodes 0 to 6
  [2]
  $ tori gang table --levels 3 --queues 0:1,
  tori: --queues: '0:1,' is not NODE:LENGTH,... with lengths up to 1000000
  [2]
  $ tori gang table --levels 3 --queues 0:1,3:2,0:2
  tori: --queues: node 0 is named twice
  [2]
  $ tori gang table --levels 3 --queues 0=1
  tori: --queues: '0=1' is not NODE:LENGTH,... with lengths up to 1000000
  [2]
  $ tori gang table --levels 3 --queues 0:1 --degree 1
  tori: --degree: '1' is not a whole number from 2 to 1024
  [2]
  $ tori gang table --levels 17 --queues 0:1 --degree 1024
  tori: a table is for at most 65536 processors
  [2]
  $ tori gang table --levels 9 --queues 0:1
  tori: 256 processors are too many for a table, which has at most 64; --json takes up to 65536
  [2]
  $ tori gang table --levels 17 --queues 0:1 --slots 1000 --json
  tori: 1000 slots of 65536 processors are more than the 10000000 cells that a table may have; --slots N shows fewer
  [2]
  $ tori gang table --levels 9 --queues 0:1 --slots 0
  tori: --slots: '0' is not a whole number from 1 to 1000000
  [2]
  $ tori gang tabel
  tori: unknown command 'tabel'; did you mean 'table'? see 'tori gang --help'
  [2]

Four jobs by hand. Job 1 starts at once in the left half; job 2, on all four,
gets slot 1; then the halves share two slots of three: job 3 is alone in the
right half and has both, jobs 1 and 4 one each.

  $ cat > four.swf <<END
  > ; MaxProcs: 4
  > 1 0 -1 10 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 2 0 -1 10 4 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 3 1 -1  5 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 4 2 -1 20 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > END
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --log -
  {"id":1,"submit":0,"start":0,"finish":27,"count":2,"shape":[2],"origin":[0],"wiring":"none","nodes":[0,1],"numerical":0,"topological":0}
  {"id":2,"submit":0,"start":1,"finish":29,"count":4,"shape":[4],"origin":[0],"wiring":"none","nodes":[0,1,2,3],"numerical":0,"topological":0}
  {"id":3,"submit":1,"start":2,"finish":9,"count":2,"shape":[2],"origin":[2],"wiring":"none","nodes":[2,3],"numerical":0,"topological":0}
  {"id":4,"submit":2,"start":3,"finish":40,"count":2,"shape":[2],"origin":[0],"wiring":"none","nodes":[0,1],"numerical":0,"topological":0}
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --json
  {"jobs":4,"rejected":0,"placeable":1.0,"utilization":0.6875,"offered":13.75,"accepted":13.75,"makespan":40.0,"response":{"mean":25.5,"p50":27.0,"p90":38.0,"p99":38.0,"max":38.0},"wait":{"mean":0.75,"p50":1.0,"p90":1.0,"p99":1.0,"max":1.0},"slowdown":{"mean":2.275,"p50":1.9,"p90":2.9,"p99":2.9,"max":2.9},"bounded_slowdown":{"mean":2.125,"p50":1.9,"p90":2.9,"p99":2.9,"max":2.9},"zero_runtime":0,"delay":{"numerical":0.0,"topological":0.0},"pairwise":3.25,"average":1.16666666666667,"internal_fragmentation":0.0,"external_fragmentation":0.0,"events":53,"rejections":{},"links_reserved":false,"unusable":0,"submitted":4,"outlived":0,"saturated":false,"log_procs":4}
  $ tori sim --machine mesh:4 --trace four.swf --sched gang
  four.swf on mesh:4: gang, slots of 1 s, switches of 0 s, degree 2, lightest branch, shapes count

  jobs run                 4
  jobs rejected            0
  jobs that can be placed  100.00 %
  utilization              68.75 %
  offered load             1375.00 %
  makespan                 40 s
  delay for lack of nodes  0.0 s
  delay for lack of a box  0.0 s
  distance                 1.17 hops
  internal fragmentation   0.00 %
  external fragmentation   0.00 %
  events                   53

                     mean    p50    p90    p99    max
  response, s       25.50  27.00  38.00  38.00  38.00
  wait, s            0.75   1.00   1.00   1.00   1.00
  slowdown           2.27   1.90   2.90   2.90   2.90
  bounded slowdown   2.12   1.90   2.90   2.90   2.90

  the log is of a machine of 4 processors

  utilization over 40s, from ▁ (0 %) to █ (100 %):
  ▂▃▅███████████▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▆▆▆▄▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --slot 5/2 --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":22.5
  {"id":3,"start":1,"finish":8.5
  {"id":2,"start":2.5,"finish":27.5
  {"id":4,"start":7.5,"finish":40
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --switch-cost 0.5 --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":57
  {"id":2,"start":1,"finish":59
  {"id":3,"start":2,"finish":12
  {"id":4,"start":3,"finish":70
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --hop 0.01 --log - | cut -d, -f1,3,4
  {"id":2,"start":0,"finish":27
  {"id":1,"start":1.01,"finish":29.11
  {"id":3,"start":1.03,"finish":9.06
  {"id":4,"start":4,"finish":40.21

Jobs larger than the machine are rejected; shapes find partitions, too.

  $ tori sim --machine mesh:3 --trace four.swf --sched gang --json | grep -o '"jobs":[0-9]*,"rejected":[0-9]*'
  "jobs":3,"rejected":1
  $ tori sim --machine mesh:2x2 --trace four.swf --sched gang --shapes compact --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":27
  {"id":2,"start":1,"finish":29
  {"id":3,"start":2,"finish":9
  {"id":4,"start":3,"finish":40

The tree reserves no links and needs the whole machine.

  $ tori sim --machine mesh:4 --trace four.swf --sched gang --shapes compact --wiring mesh
  tori: --wiring: gang reserves no links
  [2]
  $ echo 1 > down; tori sim --machine mesh:4 --trace four.swf --sched gang --down down
  tori: gang needs the machine as a whole, and nodes of it are down
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --network fluid
  tori: --network: gang has no model of a network that jobs share
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --slot 2
  tori: --slot, --switch-cost, --switch-model, --clock, --buffer, --hop, --degree and --branch are for --sched gang
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --switch-cost 1
  tori: a switch of 1000000 ticks and 2 hops of 0 down the tree do not fit a slot of 1000000
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --slot 1000000
  tori: --slot: longer than 1000000 seconds
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --slot 2 --switch-model drain
  tori: --slot, --switch-cost, --switch-model, --clock, --buffer, --hop, --degree and --branch are for --sched gang
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --clock 1000
  tori: --clock and --buffer are for --switch-model drain
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --switch-model flush
  tori: --switch-model: 'flush' is not one of none, drain
  [2]

What has no meaning where time is shared is not taken silently.

  $ tori sim --machine mesh:4 --trace four.swf --sched gang --alloc row-ff
  tori: --alloc: gang uses no allocator
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --alloc first-fit
  tori: --alloc: gang uses no allocator
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --epsilon 1/2
  tori: --epsilon, --steps, --hypercube, --noncubic, --spacing and --slices are for allocators, and gang uses none
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --order submit
  tori: --order: gang has no queue that jobs wait in
  [2]
  $ tori sim --machine torus:4 --trace four.swf --sched gang --wrap
  tori: --wrap: partitions of gang do not wrap around
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --no-rotate
  tori: --no-rotate is for boxes, and these jobs are counts
  [2]
  $ echo '0-1 n' > links; tori sim --machine mesh:4 --trace four.swf --sched gang --down-links links
  tori: gang needs the machine as a whole, and links of it are down
  [2]

A drain: the jobs on two processors lose a tenth of a second where it takes 97
cycles at 970 a second, that on four 186 cycles.

  $ tori sim --machine mesh:2x2 --trace four.swf --sched gang --switch-model drain --clock 970 --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":32.2
  {"id":2,"start":1,"finish":36.492789
  {"id":3,"start":2,"finish":9.3
  {"id":4,"start":3,"finish":44.992789
  $ tori sim --machine mesh:2x2 --trace four.swf --sched gang --switch-model drain --clock 970 | head -1
  four.swf on mesh:2x2: gang, slots of 1 s, switches of 0 s and a drain, degree 2, lightest branch, shapes count
  $ tori sim --machine mesh:2x2 --trace four.swf --sched gang --switch-model drain --clock 97
  tori: a switch of 1917526 ticks and 2 hops of 0 down the tree do not fit a slot of 1000000
  [2]
  $ printf '; MaxProcs: 1\n1 0 -1 10 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n' > one.swf; tori sim --machine mesh:1 --trace one.swf --sched gang | grep processor
  the log is of a machine of 1 processor
  $ tori decide --machine mesh:4 --trace four.swf --allocs row-ff,row-bf --sched gang
  tori: --sched: 'gang' is not one of fcfs, backfill, easy, conservative
  [2]

Time sharing beside batch queues, on the same jobs.

  $ tori gang sim --machine mesh:8 --load 0.9 --jobs 2000
  offered: 90.00 % of the processors in partitions, 90.00 % asked for
  1600 of 2000 jobs measured, over 8537 s

  scheduler  utilization     held  response     p99    wait  slowdown     p99  fairness
  gang           88.32 %  88.32 %      84.8   500.2     5.4      7.83    18.7     0.984
  fcfs           70.38 %  70.38 %    1265.3  2493.3  1254.7    312.47  2115.6     0.999
  easy           88.01 %  88.01 %      79.7   248.0    69.1     15.28   139.5     0.739

  slowdown by size, up to:
  size  jobs  gang    fcfs   easy
     1   409  6.93  305.17   6.95
     2   426  6.99  305.56  10.26
     4   383  8.12  318.61  14.10
     8   382  9.43  321.83  30.99

  17100 turns, 15246 switches
  messages per second: 0.95 at the root, 0.95 at the busiest node, 0
  $ tori gang sim --machine mesh:8 --load 0.9 --jobs 2000 --sched gang --json
  {"load":0.9,"arrivals":2000,"window":{"begin":1305.972222,"end":9843.055555},"schedulers":[{"name":"gang","held":0.883165390380523,"jobs":1600,"rejected":0,"placeable":1.0,"utilization":0.883165390380523,"offered":0.900000000035141,"accepted":0.900000000035141,"makespan":11089.0,"response":{"mean":84.824394463125,"p50":47.207294,"p90":199.067482,"p99":500.218137,"max":766.63926},"wait":{"mean":5.40042351124999,"p50":4.193437,"p90":12.759855,"p99":18.363703,"max":24.653505},"slowdown":{"mean":7.8278668010322,"p50":7.01338271428571,"p90":14.5432865,"p99":18.6576455,"max":21.0340805},"bounded_slowdown":{"mean":5.41373023496798,"p50":4.0003609,"p90":12.453411,"p99":17.1524861428571,"max":20.2262930833333},"zero_runtime":0,"delay":{"numerical":0.0,"topological":0.0},"pairwise":null,"average":null,"internal_fragmentation":0.0,"external_fragmentation":0.0,"events":25593,"classes":[{"size":1,"jobs":409,"response":81.7012801833741,"wait":4.39304746943766,"slowdown":6.93166197237871},{"size":2,"jobs":426,"response":73.2713491267606,"wait":4.19188409859154,"slowdown":6.99208485716194},{"size":4,"jobs":383,"response":87.1811086083551,"wait":5.61299724281984,"slowdown":8.11627913079944},{"size":8,"jobs":382,"response":98.6891314685864,"wait":7.6136142225131,"slowdown":9.43029863534417}],"spread":1.36046718275098,"fairness":0.983529248571864,"turns":17100,"switches":15246,"switch_cost":{"least":0.0,"most":0.0},"messages":{"total":40209,"root":8097,"busiest":8097,"busiest_node":0,"root_per_second":0.948450388050113,"busiest_per_second":0.948450388050113}}]}
  $ for b in lightest lowest round-robin; do
  >   tori gang sim --machine mesh:4x4 --jobs 2000 --branch $b --sizes small --sched gang --json | grep -o '"utilization":0\.[0-9][0-9]'
  > done
  "utilization":0.86
  "utilization":0.86
  "utilization":0.84
  $ for s in powers small uniform single; do
  >   tori gang sim --machine mesh:4x4 --load 0.5 --jobs 2000 --sizes $s --switch-cost 0.01 --hop 0.0001 --sched gang --json | grep -o '"offered":0\.[0-9]'
  > done
  "offered":0.5
  "offered":0.5
  "offered":0.4
  "offered":0.5
  $ tori gang sim --machine mesh:8 --load 0.9 --jobs 2000 --slot 0.1 --switch-model drain --sched gang | tail -2
  18324 turns, 16396 switches of 1 us on the smallest partitions to 6 us on the whole machine
  messages per second: 9.31 at the root, 9.31 at the busiest node, 0
  $ for b in 4 16 64; do
  >   tori gang sim --machine mesh:2^6 --jobs 200 --slot 0.1 --switch-model drain --buffer $b --clock 1000000 --sched gang --json | grep -o '"switch_cost":{[^}]*}'
  > done
  "switch_cost":{"least":8e-6,"most":0.000182}
  "switch_cost":{"least":8e-6,"most":0.000542}
  "switch_cost":{"least":8e-6,"most":0.001982}

Short slots are short times: as many digits as it takes.

  $ tori gang sim --machine mesh:8 --load 0.9 --jobs 2000 --slot 0.001 --sched gang | head -5
  offered: 90.00 % of the processors in partitions, 90.00 % asked for
  1600 of 2000 jobs measured, over 8.537 s

  scheduler  utilization     held  response     p99    wait  slowdown   p99  fairness
  gang           88.32 %  88.32 %    0.0848  0.5002  0.0054      7.83  18.7     0.984
  $ tori gang sim --machine mesh:8 --load 0.9 --jobs 2000 --slot 1/3 --sched gang | head -5
  offered: 90.00 % of the processors in partitions, 90.00 % asked for
  1600 of 2000 jobs measured, over 2845.7 s

  scheduler  utilization     held  response     p99  wait  slowdown   p99  fairness
  gang           88.32 %  88.32 %     28.27  166.74  1.80      7.83  18.7     0.984

The load is a number up to 2; of partitions that jobs hold, of which they may
ask for less.

  $ tori gang sim --machine mesh:8 --sizes uniform --jobs 5000 --load 0.9 --sched gang | head -5
  offered: 90.00 % of the processors in partitions, 75.60 % asked for
  4000 of 5000 jobs measured, over 31066 s

  scheduler  utilization     held  response    p99  wait  slowdown   p99  fairness
  gang           75.62 %  90.00 %     128.9  830.8   9.5     12.13  41.1     0.986
  $ tori gang sim --machine mesh:8 --sizes uniform --jobs 500 --load 1.5 --sched gang | head -6
  offered: 150.00 % of the processors in partitions, 126.09 % asked for
  400 of 500 jobs measured, over 1862 s
  there is no steady state at this load: the results grow with the number of jobs

  scheduler  utilization     held  response     p99  wait  slowdown    p99  fairness
  gang           84.06 %  99.89 %     680.2  2351.4  50.1     66.11  109.5     0.993
  $ tori gang sim --machine mesh:8 --jobs 1 --sched gang
  tori: too few jobs to measure: 1
  [2]
  $ tori gang sim --machine mesh:8 --jobs 1 --sched gang --json
  tori: too few jobs to measure: 1
  [2]
  $ tori gang sim --machine mesh:8 --jobs 2 --sched gang | head -2
  offered: 90.00 % of the processors in partitions, 90.00 % asked for
  2 of 2 jobs measured, over 41 s
  $ tori gang sim --machine mesh:8 --load 90
  tori: --load: 90 is a load of 9000 %, and the most is 2; 90 % is 0.9
  [2]
  $ tori gang sim --machine mesh:8 --load 90%
  tori: --load: '90%' is not a number such as 2.5 or 5/2
  [2]
  $ tori gang sim --machine mesh:8 --warm-up 0.5
  tori: --warm-up: 0.5 is not below 1/2
  [2]
  $ tori gang sim --machine mesh:8 --sched fair
  tori: --sched: 'fair' is not one of fcfs, backfill, easy, conservative, gang
  [2]
  $ tori gang sim --machine mesh:8 --load 0
  tori: --load: '0' is not above 0
  [2]
  $ tori gang sim --machine mesh:8 --sched gang --sched fcfs --sched gang
  tori: --sched: gang is given twice
  [2]
