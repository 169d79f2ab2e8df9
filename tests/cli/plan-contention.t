The example of Gupta and Srimani, section 2.4.4. (The paper's table has 8.5 for
the finish of job 3; its own last matrix leaves it 5.5 at time 4, hence 9.5.)

  $ printf '# dimension time\n8 2\n4 2\n4 4\n4 4\n4 1\n2 4\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs
  job  shape  time  offset  start  finish
    1  8x8       2  0,0         0       2
    2  4x4       2  0,0         2   5.875
    3  4x4       4  1,1         2     9.5
    4  4x4       4  0,1         2       9
    5  4x4       1  1,0         2       4
    6  2x2       4  1,0         4   10.75
  makespan     10.75
  lower bound  longest job 4, area 5, without contention 6; gap 79.2 %
  $ tori plan contention --machine torus:8x8 --jobs jobs --json
  {"makespan":10.75,"makespan_exact":"43/4","exact":true,"jobs":[{"id":1,"start":0,"finish":2,"row":0,"col":0,"offset":[0,0],"shape":[8,8],"time":2,"time_exact":"2/1","order":1,"start_exact":"0/1","finish_exact":"2/1"},{"id":2,"start":2,"finish":5.875,"row":0,"col":0,"offset":[0,0],"shape":[4,4],"time":2,"time_exact":"2/1","order":2,"start_exact":"2/1","finish_exact":"47/8"},{"id":3,"start":2,"finish":9.5,"row":1,"col":1,"offset":[1,1],"shape":[4,4],"time":4,"time_exact":"4/1","order":3,"start_exact":"2/1","finish_exact":"19/2"},{"id":4,"start":2,"finish":9,"row":0,"col":1,"offset":[0,1],"shape":[4,4],"time":4,"time_exact":"4/1","order":4,"start_exact":"2/1","finish_exact":"9/1"},{"id":5,"start":2,"finish":4,"row":1,"col":0,"offset":[1,0],"shape":[4,4],"time":1,"time_exact":"1/1","order":5,"start_exact":"2/1","finish_exact":"4/1"},{"id":6,"start":4,"finish":10.75,"row":1,"col":0,"offset":[1,0],"shape":[2,2],"time":4,"time_exact":"4/1","order":6,"start_exact":"4/1","finish_exact":"43/4"}],"lower_bound":{"longest":4,"area":5,"contention_free":6},"gap":0.791666666666667,"plan":"contention","machine":"torus:8x8"}

Jobs are told in the order of the file, whatever their size, and sizes may be
missing.

  $ printf '2 4\n8 2\n2x2 1\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs
  job  shape  time  offset  start  finish
    1  2x2       4  0,0         2       6
    2  8x8       2  0,0         0       2
    3  2x2       1  1,1         2       3
  makespan     6
  lower bound  longest job 4, area 2.3125, without contention 6; gap 0.0 %
  $ printf '2 4\n8 2\n2x2 1\n' | tori plan contention --machine torus:8x8 --jobs - --json
  {"makespan":6,"makespan_exact":"6/1","exact":true,"jobs":[{"id":1,"start":2,"finish":6,"row":0,"col":0,"offset":[0,0],"shape":[2,2],"time":4,"time_exact":"4/1","order":2,"start_exact":"2/1","finish_exact":"6/1"},{"id":2,"start":0,"finish":2,"row":0,"col":0,"offset":[0,0],"shape":[8,8],"time":2,"time_exact":"2/1","order":1,"start_exact":"0/1","finish_exact":"2/1"},{"id":3,"start":2,"finish":3,"row":1,"col":1,"offset":[1,1],"shape":[2,2],"time":1,"time_exact":"1/1","order":3,"start_exact":"2/1","finish_exact":"3/1"}],"lower_bound":{"longest":4,"area":2.3125,"contention_free":6},"gap":0.0,"plan":"contention","machine":"torus:8x8"}

Times are exact: a third is a third, and three of them are one. Job 4 may start
as soon as jobs 1, 2 and 3 have ended on the same place, one after another.

  $ printf '4 1/3\n4 1/3\n4 1/3\n1 0.1\n' > jobs
  $ tori plan contention --machine torus:4x4 --jobs jobs --json
  {"makespan":1.1,"exact":true,"jobs":[{"id":1,"start":0,"finish":0.33333333333333333,"row":0,"col":0,"offset":[0,0],"shape":[4,4],"time":0.333333333333333,"time_exact":"1/3","order":1},{"id":2,"start":0.33333333333333333,"finish":0.66666666666666667,"row":0,"col":0,"offset":[0,0],"shape":[4,4],"time":0.333333333333333,"time_exact":"1/3","order":2},{"id":3,"start":0.66666666666666667,"finish":1,"row":0,"col":0,"offset":[0,0],"shape":[4,4],"time":0.333333333333333,"time_exact":"1/3","order":3},{"id":4,"start":1,"finish":1.1,"row":0,"col":0,"offset":[0,0],"shape":[1,1],"time":0.1,"time_exact":"1/10","order":4}],"lower_bound":{"longest":0.33333333333333333,"area":1.00625,"contention_free":1.1},"gap":0.0,"plan":"contention","machine":"torus:4x4"}

Any number of dimensions, and rectangles.

  $ printf '4x2x1 2\n1x4x4 1.5\n2x2x4 3\n1 1\n' > jobs
  $ tori plan contention --machine torus:4x4x8 --jobs jobs
  job  shape  time  offset  start  finish
    1  4x2x1     2  0,1,1       0   3.875
    2  1x4x4   1.5  0,0,0       0  1.6875
    3  2x2x4     3  1,0,1       0       4
    4  1x1x1     1  2,1,3       0   1.125
  makespan     4
  lower bound  longest job 3, area 0.6953125, without contention 3; gap 33.3 %
  $ printf '2 1\n1 1\n' > jobs
  $ tori plan contention --machine torus:4 --jobs jobs --json
  {"makespan":1.5,"makespan_exact":"3/2","exact":true,"jobs":[{"id":1,"start":0,"finish":1.25,"offset":[0],"shape":[2],"time":1,"time_exact":"1/1","order":1,"start_exact":"0/1","finish_exact":"5/4"},{"id":2,"start":0,"finish":1.5,"offset":[1],"shape":[1],"time":1,"time_exact":"1/1","order":2,"start_exact":"0/1","finish_exact":"3/2"}],"lower_bound":{"longest":1,"area":0.75,"contention_free":1},"gap":0.5,"plan":"contention","machine":"torus:4"}

A job of time 0 is done at once and takes no links.

  $ printf '4 0\n4 2\n8 0\n8 1\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs --steps 100 --gantt
  job  shape  time  offset  start  finish
    1  4x4       0  -           0       0
    2  4x4       2  0,0         1       3
    3  8x8       0  -           0       0
    4  8x8       1  0,0         0       1
  makespan     3, the least with starts at events, 3 before a search of 3 steps
  lower bound  longest job 2, area 1.5, without contention 3, at events 3; gap 0.0 % among starts at events

  0,0      4----------------------2----------------------------------------------
  0,1      4----------------------...............................................
  subtori  0                                                                    3
  $ tori plan contention --machine torus:8x8 --jobs jobs --json
  {"makespan":3,"makespan_exact":"3/1","exact":true,"jobs":[{"id":1,"start":0,"finish":0,"row":0,"col":0,"offset":[0,0],"shape":[4,4],"time":0,"time_exact":"0/1","order":1,"start_exact":"0/1","finish_exact":"0/1"},{"id":2,"start":1,"finish":3,"row":0,"col":0,"offset":[0,0],"shape":[4,4],"time":2,"time_exact":"2/1","order":4,"start_exact":"1/1","finish_exact":"3/1"},{"id":3,"start":0,"finish":0,"row":0,"col":0,"offset":[0,0],"shape":[8,8],"time":0,"time_exact":"0/1","order":2,"start_exact":"0/1","finish_exact":"0/1"},{"id":4,"start":0,"finish":1,"row":0,"col":0,"offset":[0,0],"shape":[8,8],"time":1,"time_exact":"1/1","order":3,"start_exact":"0/1","finish_exact":"1/1"}],"lower_bound":{"longest":2,"area":1.5,"contention_free":3},"gap":0.0,"plan":"contention","machine":"torus:8x8"}
  $ printf '4 0\n8x2 0\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs --gantt
  job  shape  time  offset  start  finish
    1  4x4       0  -           0       0
    2  8x2       0  -           0       0
  makespan     0
  lower bound  longest job 0, area 0, without contention 0; gap 0.0 %

  0,0      ......................................................................
  subtori  0                                                                    1
  $ tori plan contention --machine torus:8x8 --jobs jobs --steps 10 --json
  {"makespan":0,"makespan_exact":"0/1","exact":true,"jobs":[{"id":1,"start":0,"finish":0,"row":0,"col":0,"offset":[0,0],"shape":[4,4],"time":0,"time_exact":"0/1","order":2,"start_exact":"0/1","finish_exact":"0/1"},{"id":2,"start":0,"finish":0,"row":0,"col":0,"offset":[0,0],"shape":[8,2],"time":0,"time_exact":"0/1","order":1,"start_exact":"0/1","finish_exact":"0/1"}],"lower_bound":{"longest":0,"area":0,"contention_free":0,"events":0.0},"gap":0.0,"steps":0,"least":true,"makespan_before":0.0,"plan":"contention","machine":"torus:8x8"}

Loads of jobs in one row: the second starts at offset 1,1, where it shares no
link with the first; from the third on there is no such place.

  $ printf '2 8\n2 8\n2 8\n2 8\n2 8\n' > jobs
  $ tori plan contention --machine torus:4x4 --jobs jobs --gantt
  job  shape  time  offset  start  finish
    1  2x2       8  0,0         0      16
    2  2x2       8  1,1         0      16
    3  2x2       8  0,1         0      16
    4  2x2       8  1,0         0      16
    5  2x2       8  0,0        16      24
  makespan     24
  lower bound  longest job 8, area 10, without contention 10; gap 140.0 %

  0,0      1---------------------------------------------5-----------------------
  0,1      3---------------------------------------------........................
  1,0      4---------------------------------------------........................
  1,1      2---------------------------------------------........................
  subtori  0                                                                   24

A shorter plan: up to 16 jobs by branch and bound over all plans that start
jobs at events. Without enough steps there is a bound; the same steps give the
same plan.

  $ printf '8 2\n4 2\n4 4\n4 4\n4 1\n2 4\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs --steps 100000
  job  shape  time  offset  start  finish
    1  8x8       2  0,0         0       2
    2  4x4       2  0,0         2     4.5
    3  4x4       4  0,1       4.5       9
    4  4x4       4  1,0       4.5    9.25
    5  4x4       1  0,1         2    3.75
    6  2x2       4  1,1         2       9
  makespan     9.25, the least with starts at events, 10.75 before a search of 584 steps
  lower bound  longest job 4, area 5, without contention 6, at events 9.25; gap 0.0 % among starts at events
  $ tori plan contention --machine torus:8x8 --jobs jobs --steps 100 > a
  $ tail -n 2 a
  makespan     9.5625, 10.75 before a search of 100 steps
  lower bound  longest job 4, area 5, without contention 6, at events 6; gap 59.4 % among starts at events
  $ tori plan contention --machine torus:8x8 --jobs jobs --improve 1000 --steps 100 | diff - a
  $ tori plan contention --machine torus:8x8 --jobs jobs --improve 1/1000000000 | grep -o 'search of .*'
  search of 1 step
  $ tori plan contention --machine torus:8x8 --jobs jobs --steps 100 --json | grep -o '"lower_bound.*"plan"'
  "lower_bound":{"longest":4,"area":5,"contention_free":6,"events":6.0},"gap":0.59375,"steps":100,"least":false,"makespan_before":10.75,"plan"

A job overlaps with others for its own delay, too.

  $ tori plan contention --machine torus:8x8 --jobs jobs --own-delay | tail -n 2
  makespan     12
  lower bound  longest job 4, area 5, without contention 6; gap 100.0 %
  $ tori plan contention --machine torus:8x8 --jobs jobs --own-delay --steps 100000 --json | grep -o '"events".*"plan"'
  "events":9.328125},"gap":0.0,"steps":463,"least":true,"makespan_before":12.0,"own_delay":true,"plan"
  $ awk '{ printf "%d %.0f\n", $1, $2 * 2 ^ 60 }' jobs > long
  $ tori plan contention --machine torus:8x8 --jobs long --own-delay --json | grep -o '"makespan_exact":"[0-9/]*"'
  "makespan_exact":"13835058055282163712/1"

More jobs: a better order; the same again for the same seed and steps.

  $ for i in 1 2 3; do printf '2 1\n2 1\n2 1\n2 1\n2 5\n1 3\n1 2\n1 4\n'; done > jobs
  $ tori plan contention --machine torus:4x4 --jobs jobs | tail -n 2
  makespan     22.60183239
  lower bound  longest job 5, area 8.4375, without contention 8.4375; gap 167.9 %
  $ tori plan contention --machine torus:4x4 --jobs jobs --steps 50 > a
  $ tail -n 2 a
  makespan     19.25, 22.60183239 before a search of 50 steps
  lower bound  longest job 5, area 8.4375, without contention 8.4375; gap 128.1 %
  $ tori plan contention --machine torus:4x4 --jobs jobs --improve 1000 --steps 50 | diff - a
  $ tori plan contention --machine torus:4x4 --jobs jobs --improve 1/1000000 --json | grep -c makespan_before
  1
  $ printf '2 1\n99999999999 1\n' | tori plan contention --machine torus:8x8 --jobs -
  tori: -:2: dimension 99999999999 is larger than any machine
  [4]
  $ printf '16 1\n' | tori plan contention --machine torus:8x8 --jobs - --json
  {"feasible":false,"reason":"never","detail":"-:1: 16 nodes in dimension 0 of the machine, which has 8"}
  [4]

Thousands of jobs after one another: at last there are more digits than are
kept, and the plan says so.

  $ awk 'BEGIN { for (i = 0; i < 6000; i++) printf "1 %d/7\n", 1 + i * i % 101 }' > long
  $ tori plan contention --machine torus:4x4 --jobs long | tail -1
  not exact    some times were too close to compare in 1,024 bits, and were taken as they look
  $ tori plan contention --machine torus:4x4 --jobs long --json | grep -o '"exact":[a-z]*'
  "exact":false

One job of one node on a cube of 24 dimensions would take gigabytes.

  $ printf '2 1\n1 1\n' | tori plan contention --machine torus:2^24 --jobs -
  tori: -:2: a job this small has 201326592 lines of places on this machine, and a plan keeps at most 16777216
  [4]

The picture as SVG.

  $ tori plan contention --machine torus:4x4 --jobs jobs --svg - | head -n 1 | cut -c 1-39
  <svg xmlns="http://www.w3.org/2000/svg"

A machine whose sides are not powers of two, with strides that are.

  $ printf '12 1\n6 2\n6 2\n3 4\n' > jobs
  $ tori plan contention --machine torus:12x12 --jobs jobs --steps 10000
  job  shape  time  offset  start  finish
    1  12x12     1  0,0         0       1
    2  6x6       2  0,0         1       3
    3  6x6       2  0,0         3       5
    4  3x3       4  1,1         1       5
  makespan     5, the least with starts at events, 7 before a search of 10 steps
  lower bound  longest job 4, area 2.25, without contention 5, at events 5; gap 0.0 % among starts at events

A search by which a job's length, with its own delay, is just what another job has
left: rounded down, each seemed to be the longer one in turn, without end.

  $ printf '8 1.3\n8 97.1\n1 71.6\n4 77.4\n2 61.7\n2 56.7\n4 4\n4 40.4\n8 32.9\n2 9\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs --own-delay --steps 400000 | grep makespan
  makespan     247.325, 391.225 before a search of 400000 steps

What cannot be planned.

  $ printf '4 1\n3 1\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs
  tori: jobs:2: 3 nodes in dimension 0: jobs take 8, 4, 2 or 1 there, so that delays end in binary and are exact
  [2]
  $ printf '4 1\n\n16 1\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs
  tori: jobs:3: 16 nodes in dimension 0 of the machine, which has 8
  [4]
  $ printf '4x16 1\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs
  tori: jobs:1: 16 nodes in dimension 1 of the machine, which has 8
  [4]
  $ printf '4x4x4 1\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs
  tori: jobs:1: a shape of 3 dimensions on a machine of 2
  [2]
  $ printf '4 1/2305843009213693951\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs
  tori: jobs:1: a denominator that is a multiple of 2^61 - 1 is beyond this arithmetic
  [2]
  $ printf '4 -1/2\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs
  tori: jobs:1: time: -1/2 is negative
  [2]
  $ printf '0 1\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs
  tori: jobs:1: dimension: '0' is neither a positive whole number nor a shape such as 4x2
  [2]
  $ printf '4 1\n4\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs
  tori: jobs:2: only '4': expected DIMENSION TIME
  [2]
  $ printf '4 1\n' > jobs
  $ tori plan contention --machine torus:6x6 --jobs jobs
  tori: jobs:1: 4 nodes in dimension 0: jobs take 6 or 3 there, so that delays end in binary and are exact
  [2]
  $ tori plan contention --machine mesh:8x8 --jobs jobs
  tori: dimension 0 of the machine is not a torus, so it has no subtori
  [4]
  $ tori plan contention --machine torus:8x8
  tori: --jobs FILE is missing; see 'tori plan contention --help'
  [2]
  $ tori plan contention --machine torus:8x8 --jobs nowhere
  tori: nowhere: No such file or directory
  [1]
  $ tori plan contention --machine torus:8x8 --jobs jobs --json --gantt
  tori: --gantt and --json exclude each other
  [2]
  $ tori plan contention --machine torus:8x8 --jobs jobs --seed 2
  tori: --seed has no effect without --steps or --improve
  [2]
