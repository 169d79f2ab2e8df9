Four jobs on a line of four nodes, small enough to follow by hand: job, submit,
wait, runtime, processors, and what the format has besides.

  $ cat > four.swf <<END
  > ; MaxProcs: 4
  > 1 0 -1 10 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 2 0 -1 10 4 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 3 1 -1  5 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 4 2 -1 20 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > END

EASY lets job 3 by, which ends before job 2 could start, and holds back job 4,
which would not; first come, first served lets nobody by; aggressive
backfilling lets both by.

  $ tori sim --machine mesh:4 --trace four.swf --sched easy --log -
  {"id":1,"submit":0,"start":0,"finish":10,"count":2,"shape":[2],"origin":[0],"wiring":"none","nodes":[0,1],"numerical":0,"topological":0}
  {"id":3,"submit":1,"start":1,"finish":6,"count":2,"shape":[2],"origin":[2],"wiring":"none","nodes":[2,3],"numerical":0,"topological":0}
  {"id":2,"submit":0,"start":10,"finish":20,"count":4,"shape":[4],"origin":[0],"wiring":"none","nodes":[0,1,2,3],"numerical":10,"topological":0}
  {"id":4,"submit":2,"start":20,"finish":40,"count":2,"shape":[2],"origin":[0],"wiring":"none","nodes":[0,1],"numerical":18,"topological":0}
  $ tori sim --machine mesh:4 --trace four.swf --sched fcfs --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":10
  {"id":2,"start":10,"finish":20
  {"id":3,"start":20,"finish":25
  {"id":4,"start":20,"finish":40
  $ tori sim --machine mesh:4 --trace four.swf --sched backfill --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":10
  {"id":3,"start":1,"finish":6
  {"id":4,"start":6,"finish":26
  {"id":2,"start":26,"finish":36
  $ tori sim --machine mesh:4 --trace four.swf --sched conservative --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":10
  {"id":3,"start":1,"finish":6
  {"id":2,"start":10,"finish":20
  {"id":4,"start":20,"finish":40

What it measures: 110 s of node-time, of four nodes in 40 s, submitted in 2 s;
waits of 0, 10, 0 and 18 s.

  $ tori sim --machine mesh:4 --trace four.swf --json
  {"jobs":4,"rejected":0,"placeable":1.0,"utilization":0.6875,"offered":13.75,"accepted":13.75,"makespan":40.0,"response":{"mean":18.25,"p50":10.0,"p90":38.0,"p99":38.0,"max":38.0},"wait":{"mean":7.0,"p50":0.0,"p90":18.0,"p99":18.0,"max":18.0},"slowdown":{"mean":1.475,"p50":1.0,"p90":2.0,"p99":2.0,"max":2.0},"bounded_slowdown":{"mean":1.475,"p50":1.0,"p90":2.0,"p99":2.0,"max":2.0},"zero_runtime":0,"delay":{"numerical":7.0,"topological":0.0},"pairwise":3.25,"average":1.16666666666667,"internal_fragmentation":0.0,"external_fragmentation":0.0,"events":8,"rejections":{},"links_reserved":false,"unusable":0,"submitted":4,"outlived":0,"saturated":false,"log_procs":4}
  $ tori sim --machine mesh:4 --trace four.swf
  four.swf on mesh:4: easy, submit order, first-fit, shapes first-match, wiring none, estimates raised

  jobs run                 4
  jobs rejected            0
  jobs that can be placed  100.00 %
  utilization              68.75 %
  offered load             1375.00 %
  makespan                 40 s
  delay for lack of nodes  7.0 s
  delay for lack of a box  0.0 s
  distance                 1.17 hops
  internal fragmentation   0.00 %
  external fragmentation   0.00 %
  events                   8

                     mean    p50    p90    p99    max
  response, s       18.25  10.00  38.00  38.00  38.00
  wait, s            7.00   0.00  18.00  18.00  18.00
  slowdown           1.48   1.00   2.00   2.00   2.00
  bounded slowdown   1.48   1.00   2.00   2.00   2.00

  no links are reserved: a mesh, a torus and a multi-torus schedule alike

  the log is of a machine of 4 processors

  utilization over 40s, from ▁ (0 %) to █ (100 %):
  ▅▇███████▅▅▅▅▅▅███████████████▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅

The last line is the utilization over time: in blocks or, where the locale is
not of UTF-8, in digits.

  $ LC_ALL=C tori sim --machine mesh:4 --trace four.swf | tail -n 2
  utilization over 40s, from 0 (0 %) to 9 (100 %):
  579999999555555999999999999999555555555555555555555555555555
  $ LC_ALL= LC_CTYPE=en_GB.utf8 LANG=C tori sim --machine mesh:4 --trace four.swf --timing | tail -n 2
  utilization over 40s, from ▁ (0 %) to █ (100 %):
  ▅▇███████▅▅▅▅▅▅███████████████▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅
  $ LC_ALL= LANG= tori sim --machine mesh:4 --trace four.swf | tail -n 1
  579999999555555999999999999999555555555555555555555555555555
  $ tori sim --machine mesh:4 --jobs 50 --seeds 2 | grep -c 'utilization'
  1
  $ tori sim --machine mesh:4 --trace four.swf --alloc row-ff --json
  {"jobs":4,"rejected":0,"placeable":1.0,"utilization":0.6875,"offered":13.75,"accepted":13.75,"makespan":40.0,"response":{"mean":18.25,"p50":10.0,"p90":38.0,"p99":38.0,"max":38.0},"wait":{"mean":7.0,"p50":0.0,"p90":18.0,"p99":18.0,"max":18.0},"slowdown":{"mean":1.475,"p50":1.0,"p90":2.0,"p99":2.0,"max":2.0},"bounded_slowdown":{"mean":1.475,"p50":1.0,"p90":2.0,"p99":2.0,"max":2.0},"zero_runtime":0,"delay":{"numerical":7.0,"topological":0.0},"pairwise":3.25,"average":1.16666666666667,"internal_fragmentation":0.0,"external_fragmentation":0.0,"events":8,"rejections":{},"links_reserved":false,"unusable":0,"submitted":4,"outlived":0,"saturated":false,"log_procs":4}
  $ gzip -k four.swf; tori sim --machine mesh:4 --trace four.swf.gz --json | bare > gz; tori sim --machine mesh:4 --trace - --json < four.swf | bare | cmp - gz

A job that runs for 0 s has no slowdown, but a bounded one: here 100 s of waiting
over 10 s.

  $ printf '%s\n' '1 0 -1 100 4 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1' '2 0 -1 0 4 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1' > zero.swf
  $ tori sim --machine mesh:4 --trace zero.swf | grep -A9 '^slowdown'
  slowdown            1.00    1.00    1.00    1.00    1.00
  bounded slowdown    5.50    1.00   10.00   10.00   10.00

  jobs that ran for 0 s: 1; they count as 10 s in bounded slowdown, in slowdown not at all

  no links are reserved: a mesh, a torus and a multi-torus schedule alike

  utilization over 1m40s, from ▁ (0 %) to █ (100 %):
  ████████████████████████████████████████████████████████████
  $ tori sim --machine mesh:4 --trace zero.swf --json | grep -o '"slow.*"zero_runtime":[0-9]*'
  "slowdown":{"mean":1.0,"p50":1.0,"p90":1.0,"p99":1.0,"max":1.0},"bounded_slowdown":{"mean":5.5,"p50":1.0,"p90":10.0,"p99":10.0,"max":10.0},"zero_runtime":1

Without the distance of its nodes a replay is the same but for that.

  $ tori sim --machine mesh:4 --trace four.swf --no-distance --json | grep -o '"topological":.*"internal'
  "topological":0.0},"pairwise":null,"average":null,"internal
  $ tori sim --machine mesh:4 --trace four.swf --no-distance --json | sed 's/"no_distance":true/"no_distance":false/; s/null,"average":null/3.25,"average":1.16666666666667/' > same; tori sim --machine mesh:4 --trace four.swf --json | cmp - same
  $ tori sim --machine mesh:4 --trace four.swf > with; tori sim --machine mesh:4 --trace four.swf --no-distance | diff with -
  11d10
  < distance                 1.17 hops
  [1]
  $ tori sim --machine mesh:4 --jobs 50 --seeds 2 --no-distance | grep -c -e distance -e nan
  0
  [1]
  $ tori sim --machine mesh:4 --jobs 50 --seeds 2 --no-distance --json | grep -o '"average":{[^}]*}'
  "average":{"mean":null,"half_interval":null}

Estimates: job 1 runs longer than it requested, job 2 for less. Of job 3, which
may start if it ends before job 2 is to, the log says nothing.

  $ cat > times.swf <<END
  > 1 0 -1 10 2 -1 -1 -1  4 -1 1 1 1 -1 -1 -1 -1 -1
  > 2 0 -1 10 4 -1 -1 -1 30 -1 1 1 1 -1 -1 -1 -1 -1
  > 3 1 -1  5 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > END
  $ tori sim --machine mesh:4 --trace times.swf --out-swf - | grep -v '^; [VCM]'
  ; Note: times.swf on mesh:4: easy, submit order, first-fit, shapes first-match, wiring none, estimates raised
  1 0 0 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1
  2 0 10 10 4 -1 -1 4 30 -1 1 1 1 -1 -1 -1 -1 -1
  3 1 0 5 2 -1 -1 2 5 -1 1 1 1 -1 -1 -1 -1 -1
  $ tori sim --machine mesh:4 --trace times.swf --estimates log --out-swf - | grep -v '^; [VCM]'
  ; Note: times.swf on mesh:4: easy, submit order, first-fit, shapes first-match, wiring none, estimates log
  1 0 0 10 2 -1 -1 2 4 -1 1 1 1 -1 -1 -1 -1 -1
  2 0 10 10 4 -1 -1 4 30 -1 1 1 1 -1 -1 -1 -1 -1
  3 1 19 5 2 -1 -1 2 5 -1 1 1 1 -1 -1 -1 -1 -1
  $ tori sim --machine mesh:4 --trace times.swf --estimates exact --out-swf - | grep -v '^;' | cut -d' ' -f1,3,9
  1 0 10
  2 10 10
  3 0 5
  $ for e in raised log exact; do tori sim --machine mesh:4 --trace times.swf --estimates $e | grep 'ran longer'; done
  jobs that ran longer than they requested: 1; their estimates were raised
  jobs that ran longer than they requested: 1; they exceeded their estimates
  jobs that ran longer than they requested: 1
  $ tori sim --machine mesh:4 --trace times.swf --json | grep -o '"estimates":[^,]*\|"outlived":[^},]*'
  "estimates":"raised"
  "outlived":1
  $ tori sim --machine mesh:4 --jobs 5 --json | grep -o '"estimates":[^,]*\|"outlived":[^},]*'
  "estimates":"exact"
  "outlived":0
  $ tori sim --machine mesh:4 --trace times.swf --sched gang --estimates log
  tori: --estimates: gang does not ask how long jobs run
  [2]
  $ tori sim --machine mesh:4 --trace times.swf --estimates none
  tori: --estimates: 'none' is not one of raised, log, exact
  [2]

The order of the queue.

  $ tori sim --machine mesh:4 --trace four.swf --sched fcfs --order shortest --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":10
  {"id":3,"start":1,"finish":6
  {"id":2,"start":10,"finish":20
  {"id":4,"start":20,"finish":40
  $ tori sim --machine mesh:4 --trace four.swf --sched fcfs --order largest --log - | cut -d, -f1,3,4
  {"id":2,"start":0,"finish":10
  {"id":1,"start":10,"finish":20
  {"id":3,"start":10,"finish":15
  {"id":4,"start":15,"finish":35

How many hold a reservation is a number, too: easy and conservative are names
for one and for all.
  $ for d in easy 'easy --depth 1' 'conservative --depth 1'; do tori sim --machine mesh:4 --model lublin --jobs 300 --load 0.9 --seed 3 --sched $d --json | bare | md5sum; done | uniq | wc -l
  1
  $ for d in conservative 'conservative --depth 300' 'easy --depth 300'; do tori sim --machine mesh:4 --model lublin --jobs 300 --load 0.9 --seed 3 --sched $d --json | bare | md5sum; done | uniq | wc -l
  1
  $ for d in 1 4 16; do tori sim --machine mesh:4 --model lublin --jobs 300 --load 0.9 --seed 3 --sched easy --depth $d --json | bare | md5sum; done | uniq | wc -l
  3
  $ tori sim --machine mesh:4 --trace four.swf --sched fcfs --depth 2
  tori: fcfs plans no starts: it has no depth
  [2]
  $ tori sim --machine mesh:4 --trace four.swf --sched gang --depth 2
  tori: --depth: gang plans no starts
  [2]

The schedule as a log, which can be replayed.

  $ tori sim --machine mesh:4 --trace four.swf --out-swf out.swf > /dev/null; cat out.swf
  ; Version: 2.2
  ; Computer: mesh:4
  ; Note: four.swf on mesh:4: easy, submit order, first-fit, shapes first-match, wiring none, estimates raised
  ; MaxJobs: 4
  ; MaxRecords: 4
  ; MaxNodes: 4
  ; MaxProcs: 4
  1 0 0 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1
  2 0 10 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1
  3 1 0 5 2 -1 -1 2 5 -1 1 1 1 -1 -1 -1 -1 -1
  4 2 18 20 2 -1 -1 2 20 -1 1 1 1 -1 -1 -1 -1 -1
  $ tori sim --machine mesh:4 --trace four.swf --out-swf - --limit 2
  ; Version: 2.2
  ; Computer: mesh:4
  ; Note: four.swf on mesh:4: easy, submit order, first-fit, shapes first-match, wiring none, estimates raised
  ; MaxJobs: 2
  ; MaxRecords: 2
  ; MaxNodes: 4
  ; MaxProcs: 4
  1 0 0 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1
  2 0 10 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1
  $ tori sim --machine mesh:4 --trace four.swf --out-swf out.swf.gz > /dev/null; gzip -dc out.swf.gz | cmp - out.swf
  $ tori sim --machine mesh:4 --trace out.swf --json | bare | cmp - gz

User, group, application, queue and partition of every job stay as they are, of
rejected ones too; a model has none. What their numbers stand for stays, too.

  $ awk 'BEGIN { for (i = 1; i <= 40; i++) print i, 40 - i, -1, i, 1 + i % 5, -1, -1, -1, -1, -1, 1, i % 7 - 1, i % 3, i % 11 - 1, i % 4 - 1, i % 6 - 1, -1, -1 }' > owned.swf
  $ tori sim --machine mesh:4 --trace owned.swf --out-swf - | grep -v '^;' | sort -n | cut -d' ' -f1,12-16 > kept
  $ cut -d' ' -f1,12-16 owned.swf | cmp - kept; wc -l < kept
  40
  $ tori sim --machine mesh:4 --jobs 3 --out-swf - | grep -v '^;' | cut -d' ' -f1,12-16
  1 -1 -1 -1 -1 -1
  2 -1 -1 -1 -1 -1
  3 -1 -1 -1 -1 -1
  $ (printf '; Queues: two of them\n; Queue:  1 batch  \n; queue: 2 night\n; Queue: they differ\n; Partition: 0 all\n'; cat owned.swf) > named.swf
  $ tori sim --machine mesh:4 --trace named.swf --out-swf - | grep '^; [QP]'
  ; Queue: 1 batch
  ; Queue: 2 night
  ; Partition: 0 all

Trace options: sizes, processors of a node, load, the first few.

  $ tori sim --machine mesh:8 --trace four.swf --scale 3/2 --log - | cut -d, -f5,6
  "count":3,"shape":[3]
  "count":3,"shape":[3]
  "count":6,"shape":[6]
  "count":3,"shape":[3]
  $ tori sim --machine mesh:8 --trace four.swf --procs-per-node 3 --log - | cut -d, -f5,6
  "count":1,"shape":[1]
  "count":2,"shape":[2]
  "count":1,"shape":[1]
  "count":1,"shape":[1]
  $ tori sim --machine mesh:4 --trace four.swf --load 1/2 --log - | cut -d, -f1,2
  {"id":1,"submit":0
  {"id":2,"submit":0
  {"id":3,"submit":27.5
  {"id":4,"submit":55
  $ tori sim --machine mesh:4 --trace four.swf --load 0.5 --json | grep -o '"offered":[^,]*'
  "offered":0.5
  $ tori sim --machine mesh:4 --trace four.swf --limit 1 --json | bare | cut -d, -f1-2
  {"jobs":1,"rejected":0

Shapes of five nodes.

  $ echo '1 0 -1 10 5 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1' > five.swf
  $ for s in first-match fat compact; do tori sim --machine mesh:8x8 --trace five.swf --shapes $s --log - | grep -o '"shape":[^]]*'; done
  "shape":[1,5
  "shape":[2,3
  "shape":[1,5
  $ tori sim --machine mesh:4x4 --trace five.swf --shapes count --alloc row-ff --log -
  {"id":1,"submit":0,"start":0,"finish":10,"count":5,"wiring":"none","nodes":[0,1,2,3,4],"numerical":0,"topological":0}
  $ tori sim --machine mesh:4x4 --trace five.swf --shapes none --alloc row-ff | head -1
  five.swf on mesh:4x4: easy, submit order, row-ff, shapes count, wiring none, estimates raised

Jobs that can never run are rejected, and the others are not held up.

  $ tori sim --machine mesh:3 --trace four.swf --json | bare | cut -d, -f1-2
  {"jobs":3,"rejected":1
  $ tori sim --machine mesh:3 --trace four.swf --out-swf - | grep -v '^;'
  1 0 0 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1
  2 0 -1 -1 -1 -1 -1 4 10 -1 5 1 1 -1 -1 -1 -1 -1
  3 1 9 5 2 -1 -1 2 5 -1 1 1 1 -1 -1 -1 -1 -1
  4 2 13 20 2 -1 -1 2 20 -1 1 1 1 -1 -1 -1 -1 -1
  $ tori sim --machine mesh:3 --trace four.swf --wiring torus --json | bare | cut -d, -f1-2
  tori: four.swf: none of 4 jobs ran
  {"jobs":0,"rejected":4
  $ printf '1\n' > down
  $ tori sim --machine mesh:4 --trace four.swf --limit 1 --down down --log - | grep -o '"nodes".*'
  "nodes":[2,3],"numerical":0,"topological":0}

Job 2 does not fit beside a node that is down, job 4 not beside the second: the
others do not wait for them, and they are rejected at the end.

  $ for s in fcfs easy conservative; do tori sim --machine mesh:4 --trace four.swf --sched $s --down down --log - | cut -d, -f1,3,4; done
  {"id":1,"start":0,"finish":10
  {"id":3,"start":10,"finish":15
  {"id":4,"start":15,"finish":35
  {"id":2,"count":4,"shape":[4]
  {"id":1,"start":0,"finish":10
  {"id":3,"start":10,"finish":15
  {"id":4,"start":15,"finish":35
  {"id":2,"count":4,"shape":[4]
  {"id":1,"start":0,"finish":10
  {"id":3,"start":10,"finish":15
  {"id":4,"start":15,"finish":35
  {"id":2,"count":4,"shape":[4]
  $ tori sim --machine mesh:4 --trace four.swf --down down | grep rejected:
  1 rejected: asks for more nodes than are in service
  $ printf '1\n3\n' > two; tori sim --machine mesh:4 --trace four.swf --down two --json | grep -o '"rejections":{[^}]*}'
  tori: four.swf: none of 4 jobs ran
  "rejections":{"does not fit beside the nodes that are out of service":3,"asks for more nodes than are in service":1}
  $ printf '0-1\n1-2\n2-3\n' > all; tori sim --machine mesh:4 --trace four.swf --wiring mesh --down-links all --json | grep -o '"rejections":{[^}]*}'
  tori: four.swf: none of 4 jobs ran
  "rejections":{"does not fit beside the links that are out of service":4}

Torus jobs, some or all of them.

  $ tori sim --machine multitorus:4 --trace four.swf --wiring torus --log - | cut -d, -f1,8
  {"id":1,"wiring":"torus"
  {"id":3,"wiring":"torus"
  {"id":2,"wiring":"torus"
  {"id":4,"wiring":"torus"
  $ tori sim --machine multitorus:4 --trace four.swf --wiring torus --torus-fraction 0 --log - | grep -o '"wiring":[^,]*' | uniq
  "wiring":"mesh"
  $ tori sim --machine multitorus:4x4 --jobs 1000 --wiring torus --torus-fraction 1/4 --log - | grep -c torus
  267

A link that is down.

  $ printf '0-1\n' > links
  $ tori sim --machine torus:4 --trace four.swf --limit 1 --wiring mesh --down-links links --log - | grep -o '"nodes".*'
  "nodes":[1,2],"numerical":0,"topological":0}

A model: the same seed gives the same bytes, another seed others.

  $ tori sim --machine torus:4x4x4 --jobs 200 --seed 7 --log a --json > 1; tori sim --machine torus:4x4x4 --model lublin --jobs 200 --seed 7 --log b --json | cmp - 1 && cmp a b
  $ tori sim --machine torus:4x4x4 --jobs 200 --seed 8 --json | cmp -s - 1
  [1]
  $ cat 1
  {"jobs":200,"rejected":0,"placeable":1.0,"utilization":0.272642103455216,"offered":0.294551945667845,"accepted":0.294551945667845,"makespan":531118.817121,"response":{"mean":13184.021699775,"p50":5267.571071,"p90":40909.59416,"p99":69256.212771,"max":89405.157695},"wait":{"mean":8887.667905225,"p50":0.0,"p90":31782.20503,"p99":62232.708951,"max":64497.543657},"slowdown":{"mean":325.663753191424,"p50":1.0,"p90":944.884944121835,"p99":7003.8199200669,"max":7543.13522710612},"bounded_slowdown":{"mean":238.873275938954,"p50":1.0,"p90":749.3899871,"p99":3178.9242214,"max":4491.3992022},"zero_runtime":0,"delay":{"numerical":8222.98993983,"topological":664.677965395},"pairwise":213.875,"average":1.51433622452925,"internal_fragmentation":0.0379263220213293,"external_fragmentation":0.0814067117551279,"events":400,"rejections":{},"links_reserved":false,"unusable":0,"submitted":200,"outlived":0,"saturated":false}

Without --wiring no links are reserved, and a mesh, a torus and a multi-torus
are scheduled alike: that is said, unless boxes wrap or nodes are asked who
their neighbours are.

  $ for k in mesh torus multitorus; do tori sim --machine $k:4x4 --jobs 200 --load 0.7 --log -; done | sort | uniq -c | awk '{ n++; same += $1 == 3 } END { print n, same }'
  200 200
  $ tori sim --machine torus:4x4 --jobs 200 --json | grep -o '"links_reserved":[a-z]*'
  "links_reserved":false
  $ tori sim --machine torus:4x4 --jobs 200 --wiring torus --json | grep -o '"links_reserved":[a-z]*'
  "links_reserved":true
  $ for o in '' '--alloc mm' --wrap '--alloc best-fit' '--wiring mesh' '--seeds 2'; do tori sim --machine torus:4x4 --jobs 20 $o | grep links; done
  no links are reserved: a mesh, a torus and a multi-torus schedule alike
  no links are reserved: a mesh, a torus and a multi-torus schedule alike
  no links are reserved
  no links are reserved
  no links are reserved: a mesh, a torus and a multi-torus schedule alike

The multi-torus with all torus jobs equals the torus with all mesh jobs, job for
job, when partitions may not wrap.

  $ for s in fcfs backfill easy conservative; do
  >   tori sim --machine multitorus:8x8x8 --wiring torus --jobs 500 --load 0.9 --sched $s --log - | sed 's/"wiring":"torus",//' > multi
  >   tori sim --machine torus:8x8x8 --wiring mesh --jobs 500 --load 0.9 --sched $s --log - | sed 's/"wiring":"mesh",//' | cmp - multi && wc -l < multi
  > done
  500
  500
  500
  500

Nothing runs in a log without runnable records.

  $ printf '; MaxProcs: 4\n' > empty.swf; tori sim --machine mesh:4 --trace empty.swf --json
  tori: empty.swf: none of 0 jobs ran
  {"jobs":0,"rejected":0,"placeable":0.0,"utilization":0.0,"offered":0.0,"accepted":0.0,"makespan":0.0,"response":{"mean":0.0,"p50":0.0,"p90":0.0,"p99":0.0,"max":0.0},"wait":{"mean":0.0,"p50":0.0,"p90":0.0,"p99":0.0,"max":0.0},"slowdown":{"mean":0.0,"p50":0.0,"p90":0.0,"p99":0.0,"max":0.0},"bounded_slowdown":{"mean":0.0,"p50":0.0,"p90":0.0,"p99":0.0,"max":0.0},"zero_runtime":0,"delay":{"numerical":0.0,"topological":0.0},"pairwise":0.0,"average":0.0,"internal_fragmentation":0.0,"external_fragmentation":0.0,"events":0,"rejections":{},"links_reserved":false,"unusable":0,"submitted":0,"outlived":0,"saturated":false,"log_procs":4}

Timing, and progress, which shows only on a terminal.

  $ tori sim --machine mesh:4 --trace four.swf --timing --json | grep -o '"seconds":[0-9]' | cut -c-10
  "seconds":
  $ tori sim --machine mesh:4x4 --jobs 30000 --json 2>&1 >/dev/null | wc -c
  0

The header of a log says what machine it is of and when it began.

  $ (echo '; MaxProcs: 6 (8 in all)'; echo '; UnixStartTime: 1000'; cat four.swf) > head.swf
  $ tori sim --machine mesh:4 --trace head.swf --json | grep -o '"log_procs":6'
  "log_procs":6
  $ tori sim --machine mesh:4 --trace head.swf | grep processors
  the log is of a machine of 6 processors
  $ tori sim --machine mesh:4 --trace head.swf --out-swf - | grep UnixStartTime
  ; UnixStartTime: 1000

Models of boxes, and the rules of isomorphic.

  $ tori sim --machine torus:4^3 --model cubic --jobs 300 --load 0.5 --sched fcfs --alloc isomorphic | head -n 1
  cubic on torus:4x4x4: fcfs, submit order, isomorphic, shapes first-match, wiring none, estimates exact
  $ for h in buddy gray free-list adaptive; do for n in round-up decompose; do
  >   tori sim --machine torus:8^3 --model noncubic --jobs 300 --load 0.5 --sched fcfs --alloc isomorphic --hypercube $h --noncubic $n --json
  > done; done | bare | grep -o '^{"jobs":300,"rejected":0,' | wc -l
  8
  $ tori sim --machine torus:4^3 --model noncubic --jobs 9 --alloc isomorphic --hypercube gray --seed 3 --json > a; tori sim --machine torus:4^3 --model noncubic --jobs 9 --alloc isomorphic --hypercube gray --seed 3 --json | cmp - a
  $ tori sim --machine torus:4^3 --model cubic --scale 2
  tori: model cubic: its sizes are those of the machine and cannot be scaled
  [2]
  $ tori sim --machine torus:4^3 --model cubic --hypercube gray
  tori: --hypercube: first-fit has no use for it
  [2]
  $ tori place --machine torus:4^3 --shape 3x3x1 --noncubic decompose --alloc etc
  tori: --noncubic: etc has no use for it
  [2]

Jobs that can never run are counted by the reason.

  $ tori sim --machine mesh:2x2 --wiring torus --jobs 20 --json | grep -o '"rejections":{[^}]*}'
  "rejections":{"a mesh dimension cannot be wired as a torus":13}
  $ tori sim --machine mesh:2x2 --wiring torus --jobs 20 | grep rejected:
  13 rejected: a mesh dimension cannot be wired as a torus

A network: jobs end when their messages are through. Four nodes in a row that
send all to all share a link in one phase of three; two have nothing to share.

  $ tori sim --machine mesh:4 --trace four.swf --sched fcfs --network fluid --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":10
  {"id":2,"start":10,"finish":23.333333
  {"id":3,"start":23.333333,"finish":28.333333
  {"id":4,"start":23.333333,"finish":43.333333
  $ tori sim --machine mesh:4 --trace four.swf --network fluid --pattern ring --json | bare > ring; tori sim --machine mesh:4 --trace four.swf --json | bare | cut -c-200 > plain; cut -c-200 ring | cmp - plain; grep -o '"network.*' ring
  "network":{"pattern":"ring","messages":10,"stretch":{"mean":1.0,"p50":1.0,"p90":1.0,"p99":1.0,"max":1.0}},"rejections":{},"links_reserved":false,"unusable":0,"submitted":4,"outlived":0,"saturated":false,"log_procs":4}
  $ tori sim --machine mesh:4 --trace four.swf --network fluid --pattern nbody --rounds 2 | tail -11 | head -8
  slowdown           1.60   1.00   2.33   2.33   2.33
  bounded slowdown   1.60   1.00   2.33   2.33   2.33

  48 messages; jobs ran 1.083 times as long as in the log on average, 1.333 at most

  no links are reserved

  the log is of a machine of 4 processors
  $ tori sim --machine mesh:4 --trace four.swf --network fluid --pattern nbody --inject 1/2 | grep messages
  four.swf on mesh:4: easy, submit order, first-fit, shapes first-match, wiring none, estimates raised, messages nbody
  24 messages; jobs ran 1.000 times as long as in the log on average, 1.000 at most

Several seeds: each measure as a mean and half of its interval over the seeds,
whose runs are those of the seeds alone; threads change nothing.

  $ tori sim --machine mesh:4x4 --jobs 200 --load 0.7 --seed 3 --seeds 3 -j 2
  lublin on mesh:4x4: easy, submit order, first-fit, shapes first-match, wiring none, estimates exact
  3 seeds from 3 on: means and 95 % intervals over the seeds

                                 mean        ±    least      most
  jobs run                        200        0      200       200
  jobs rejected                     0        0        0         0
  jobs that can be placed, %   100.00     0.00   100.00    100.00
  utilization, %                50.90    24.98    43.32     62.31
  offered load, %               70.00     0.00    70.00     70.00
  makespan, s                  243593   290445   124058    357709
  mean response, s            8841.11  4542.27  7634.07  10944.88
  mean wait, s                5037.91  5167.46  3258.98   7325.13
  mean slowdown                141.21    94.46   116.53    185.00
  mean bounded slowdown        115.47    68.86    96.54    147.29
  delay for lack of nodes, s   4942.3   5458.6   2990.7    7322.4
  delay for lack of a box, s     95.6    371.7      2.8     268.2
  distance, hops                 1.16     0.02     1.15      1.16
  internal fragmentation, %      0.58     1.89     0.13      1.46
  external fragmentation, %      0.71     1.60     0.06      1.35
  events                          400        0      400       400

  no links are reserved: a mesh, a torus and a multi-torus schedule alike
  $ tori sim --machine mesh:4x4 --jobs 200 --load 0.7 --seed 3 --seeds 3 -j 1 --json | bare > all
  $ tori sim --machine mesh:4x4 --jobs 200 --load 0.7 --seed 3 --seeds 3 -j 3 --json | bare | cmp - all
  $ for s in 3 4 5; do tori sim --machine mesh:4x4 --jobs 200 --load 0.7 --seed $s --json | bare > one$s; done; python3 -c '
  > import json, math
  > all = json.load(open("all"))
  > ones = [json.load(open(f"one{s}")) for s in (3, 4, 5)]
  > for run, one, seed in zip(all["runs"], ones, (3, 4, 5)):
  >     assert run.pop("seed") == seed and all["seeds"] == 3
  >     assert run == {key: one[key] for key in run}
  > def check(path, is_):
  >     if "half_interval" not in is_:
  >         return sum(check(path + [k], v) for k, v in is_.items())
  >     x = ones
  >     for key in path:
  >         x = [one[key] for one in x]
  >     mean = sum(x) / 3
  >     half = 4.302652729911275 * math.sqrt(sum((v - mean) ** 2 for v in x) / 2 / 3)
  >     assert math.isclose(is_["mean"], mean, rel_tol=1e-9), path
  >     assert math.isclose(is_["half_interval"], half, rel_tol=1e-6, abs_tol=1e-9), path
  >     return 1
  > print(sum(check([k], v) for k, v in all.items() if k not in ("seeds", "runs", "links_reserved")), "measures")'
  35 measures
  $ tori sim --machine mesh:4 --trace four.swf --network fluid --pattern random --seeds 2 --json | grep -o '"stretch":{"mean":{"mean":[0-9.]*'
  "stretch":{"mean":{"mean":1.0

Logs whose names end in .gz are packed, the same bytes each time.

  $ tori sim --machine mesh:4 --trace four.swf --log plain --out-swf plain.swf > /dev/null
  $ tori sim --machine mesh:4 --trace four.swf --log log.gz --out-swf log.swf.gz > /dev/null
  $ zcat log.gz | cmp - plain && zcat log.swf.gz | cmp - plain.swf && head -c 10 log.gz | od -An -tx1
   1f 8b 08 00 00 00 00 00 00 ff
  $ tori sim --machine mesh:4 --trace four.swf --log again.gz > /dev/null; cmp log.gz again.gz

Links that are down: ignored where none are reserved, which is said, and refused
where messages would cross them.

  $ echo 0,0-0,1 > dead; tori sim --machine mesh:4x4 --jobs 20 --down-links dead | grep ignored
  links that are down are ignored: no links are reserved
  $ tori sim --machine mesh:4x4 --jobs 20 --alloc mm --down-links dead --json | grep -o '"down_links[^,]*'
  "down_links":"dead"
  "down_links_ignored":true
  $ tori sim --machine mesh:4x4 --jobs 20 --wiring mesh --down-links dead --json | grep -c down_links_ignored
  0
  [1]
  $ tori sim --machine mesh:4x4 --jobs 20 --network fluid --down-links dead
  tori: --network fluid: messages would cross links that are down, so it does not take --down-links
  [2]
  $ echo 1,1 > broken; tori sim --machine mesh:4x4 --jobs 20 --network fluid --down broken | grep pass
  nodes that are down still pass messages on

The log for other programs: a table with Batsim's columns, and trace events.

  $ tori sim --machine mesh:4 --trace four.swf --log - --log-format csv
  job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata
  1,"four.swf",-1,0.000000,2,10.000000,1,COMPLETED_SUCCESSFULLY,0.000000,10.000000,10.000000,0.000000,10.000000,1.000000,0-1,,user=1 numerical=0 topological=0
  3,"four.swf",-1,1.000000,2,5.000000,1,COMPLETED_SUCCESSFULLY,1.000000,5.000000,6.000000,0.000000,5.000000,1.000000,2-3,,user=1 numerical=0 topological=0
  2,"four.swf",-1,0.000000,4,10.000000,1,COMPLETED_SUCCESSFULLY,10.000000,10.000000,20.000000,10.000000,20.000000,2.000000,0-3,,user=1 numerical=10 topological=0
  4,"four.swf",-1,2.000000,2,20.000000,1,COMPLETED_SUCCESSFULLY,20.000000,20.000000,40.000000,18.000000,38.000000,1.900000,0-1,,user=1 numerical=18 topological=0
  $ tori sim --machine mesh:4 --trace four.swf --log - --log-format events
  {"displayTimeUnit":"ms","traceEvents":[
  {"name":"job 1","ph":"X","ts":0,"dur":10000000,"pid":1,"tid":1,"args":{"nodes":2,"submit":0,"wait":0,"user":1}},
  {"name":"job 3","ph":"X","ts":1000000,"dur":5000000,"pid":1,"tid":2,"args":{"nodes":2,"submit":1,"wait":0,"user":1}},
  {"name":"job 2","ph":"X","ts":10000000,"dur":10000000,"pid":1,"tid":1,"args":{"nodes":4,"submit":0,"wait":10,"user":1}},
  {"name":"job 4","ph":"X","ts":20000000,"dur":20000000,"pid":1,"tid":1,"args":{"nodes":2,"submit":2,"wait":18,"user":1}}
  ]}
  $ tori sim --machine mesh:4 --trace four.swf --log - --log-format events | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["traceEvents"]))'
  4
  $ tori sim --machine mesh:4 --trace four.swf --log-format csv
  tori: --log-format has no effect without --log
  [2]

Rings that may be folded: on a mesh that is the only way to have a ring.

  $ printf '1 0 -1 10 8 -1 -1 8 10 -1 1 1 -1 -1 -1 -1 -1 -1\n2 0 -1 10 9 -1 -1 9 10 -1 1 1 -1 -1 -1 -1 -1 -1\n' > rings.swf
  $ tori sim --machine mesh:9x9 --trace rings.swf --wiring torus --fold rings --log -
  {"id":2,"submit":0,"count":9,"shape":[1,9],"fate":"rejected","reason":"no box of the machine carries the shape, folded or not"}
  {"id":1,"submit":0,"start":0,"finish":10,"count":8,"shape":[2,4],"origin":[0,0],"wiring":"mesh","nodes":[0,1,2,3,9,10,11,12],"numerical":0,"topological":0}
  $ tori sim --machine torus:8x8 --trace rings.swf --wiring torus --fold rings --log -
  {"id":1,"submit":0,"start":0,"finish":10,"count":8,"shape":[1,8],"origin":[0,0],"wiring":"torus","nodes":[0,1,2,3,4,5,6,7],"numerical":0,"topological":0}
  {"id":2,"submit":0,"start":0,"finish":10,"count":9,"shape":[3,3],"origin":[1,0],"wiring":"torus","nodes":[8,9,10,16,17,18,24,25,26],"numerical":0,"topological":0}

A queue that grows over the run is found, and one at half of the load is not.

  $ tori sim --machine mesh:8x8 --jobs 300 --sched fcfs --load 1.2 | grep saturated
  saturated: the queue grew over the run or was never short again, so waits tell how long the run is
  $ tori sim --machine mesh:8x8 --jobs 300 --sched fcfs --load 1.2 --json | grep -o '"saturated":[a-z]*'
  "saturated":true
  $ tori sim --machine mesh:8x8 --jobs 300 --load 0.5 --json | grep -o '"saturated":[a-z]*'
  "saturated":false
