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
  slot  PE0  PE1
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
  tori: one of --levels and --machine is needed
  [2]
  $ tori gang table --levels 3 --queues 7:1
  tori: --queues: there is no node 7: the tree has nodes 0 to 6
  [2]
  $ tori gang table --levels 3 --queues 0:1,
  tori: --queues: '0:1,' is not NODE:LENGTH,... with lengths up to 1000000
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
  tori: 256 processors are too many for a table: at most 64 without --json
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
  {"jobs":4,"rejected":0,"utilization":0.6875,"offered":13.75,"makespan":40.0,"response":{"mean":25.5,"p50":27.0,"p90":38.0,"p99":38.0,"max":38.0},"wait":{"mean":0.75,"p50":1.0,"p90":1.0,"p99":1.0,"max":1.0},"slowdown":{"mean":2.275,"p50":1.9,"p90":2.9,"p99":2.9,"max":2.9},"bounded_slowdown":{"mean":2.125,"p50":1.9,"p90":2.9,"p99":2.9,"max":2.9},"delay":{"numerical":0.0,"topological":0.0},"pairwise":3.25,"average":1.16666666666667,"internal_fragmentation":0.0,"external_fragmentation":0.0,"events":53,"rejections":{},"unusable":0,"log_procs":4}
  $ tori sim --machine mesh:4 --trace four.swf --sched gang
  four.swf on mesh:4: gang, slots of 1 s, switches of 0 s, degree 2, lightest branch, shapes count

  jobs           4 run, 0 rejected
  utilization    68.75 % of an offered load of 1375.00 %
  makespan       40 s
  delay          0.0 s for want of nodes, 0.0 s for want of a box
  distance       1.17 hops between two nodes of a job
  fragmentation  0.00 % internal, 0.00 % external
  events         53

                    mean   p50   p90   p99   max
  response, s       25.5  27.0  38.0  38.0  38.0
  wait, s            0.8   1.0   1.0   1.0   1.0
  slowdown          2.27  1.90  2.90  2.90  2.90
  bounded slowdown  2.12  1.90  2.90  2.90  2.90

  the log is of a machine of 4 processors
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
  tori: gang knows of no network that jobs share
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --slot 2
  tori: --slot, --switch-cost, --hop, --degree and --branch are for --sched gang
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --switch-cost 1
  tori: a switch and the way of a message down the tree take less than a slot
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --slot 1000000
  tori: --slot: longer than 1000000 seconds
  [2]
  $ tori decide --machine mesh:4 --trace four.swf --allocs row-ff,row-bf --sched gang
  tori: gang asks no allocator where jobs go
  [2]

Time sharing beside batch queues, on the same jobs.

  $ tori gang sim --machine mesh:8 --load 0.9 --jobs 2000
  scheduler  utilization  response     p99    wait  slowdown     p99  fairness
  gang           88.65 %      90.2   539.3     5.8      8.38    24.9     0.982
  fcfs           71.30 %    1387.0  2869.2  1376.4    338.02  2273.0     0.999
  easy           88.37 %      87.4   293.9    76.8     16.65   141.3     0.785

  slowdown by size, up to:
  size  jobs  gang    fcfs   easy
     1   506  7.26  351.81   8.91
     2   511  7.31  317.98  10.02
     4   496  9.18  343.65  17.33
     8   487  9.87  338.96  30.96

  21558 turns, 19354 switches; messages a second: the root 0.90, the busiest node, 0, 0.90
  $ tori gang sim --machine mesh:8 --load 0.9 --jobs 2000 --sched gang --json
  {"load":0.9,"schedulers":[{"name":"gang","jobs":2000,"rejected":0,"utilization":0.886547835972798,"offered":0.900000000027348,"makespan":11136.03192,"response":{"mean":90.1666865134999,"p50":53.113754,"p90":219.518107,"p99":539.288966,"max":836.13963},"wait":{"mean":5.82677757099999,"p50":4.398368,"p90":13.347916,"p99":24.630558,"max":28.199975},"slowdown":{"mean":8.38398068791234,"p50":7.341827,"p90":16.060366,"p99":24.8501083125,"max":27.558524},"bounded_slowdown":{"mean":5.83985299970778,"p50":4.3849249,"p90":12.4104195384615,"p99":23.51892025,"max":26.0028363636364},"delay":{"numerical":0.0,"topological":0.0},"pairwise":0.0,"average":0.0,"internal_fragmentation":0.0,"external_fragmentation":0.0,"events":25558,"classes":[{"size":1,"jobs":506,"response":80.3525638478261,"wait":4.30035258102767,"slowdown":7.26000199225681},{"size":2,"jobs":511,"response":75.4006911702544,"wait":4.4239376888454,"slowdown":7.31252797797663},{"size":4,"jobs":496,"response":99.2227541814516,"wait":6.59870167540323,"slowdown":9.1797019101189},{"size":8,"jobs":487,"response":106.633955765914,"wait":8.09853910882957,"slowdown":9.86563947346551}],"spread":1.35890313583767,"fairness":0.981797994621094,"turns":21558,"switches":19354,"messages":{"total":49445,"root":10048,"busiest":10048,"busiest_node":0,"root_per_second":0.902296264251369,"busiest_per_second":0.902296264251369}}]}
  $ for b in lightest lowest round-robin; do
  >   tori gang sim --machine mesh:4x4 --jobs 2000 --branch $b --sizes small --sched gang --json | grep -o '"utilization":0\.[0-9][0-9]'
  > done
  "utilization":0.86
  "utilization":0.86
  "utilization":0.82
  $ for s in powers small uniform single; do
  >   tori gang sim --machine mesh:4x4 --load 0.5 --jobs 2000 --sizes $s --switch-cost 0.01 --hop 0.0001 --sched gang --json | grep -o '"offered":0\.[0-9]'
  > done
  "offered":0.5
  "offered":0.5
  "offered":0.3
  "offered":0.5
  $ tori gang sim --machine mesh:8 --sched fair
  tori: --sched: 'fair' is not one of fcfs, backfill, easy, conservative, gang
  [2]
  $ tori gang sim --machine mesh:8 --load 0
  tori: --load: '0' is not above 0
  [2]
