The example of Gupta and Srimani, section 3: a 16-torus, a deadline of 4. The
deadline is also the least one, and a hair less is too little.

  $ printf '# dimension time\n8 2\n4 4\n4 3\n2 2\n2 2.5\n' > jobs
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --deadline 4
  job  dimension  time  positions  start  finish
    1          8     2  0-7            0       2
    2          4     4  8-11           0       4
    3          4     3  12-15          0       1
    3          4     3  0-3            2       4
    4          2     2  4-5            2       4
    5          2   2.5  12-13          1     1.5
    5          2   2.5  6-7            2       4
  finish       4, deadline 4
  preemptions  2 of at most 4
  lower bound  longest job 4, area 3.3125; least finish 4, gap 0.0 %
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --deadline 4 --json
  {"feasible":true,"finish":4,"finish_exact":"4/1","preemptions":2,"segments":[{"id":1,"first":0,"size":8,"start":0,"start_exact":"0/1","finish":2,"finish_exact":"2/1"},{"id":2,"first":8,"size":4,"start":0,"start_exact":"0/1","finish":4,"finish_exact":"4/1"},{"id":3,"first":12,"size":4,"start":0,"start_exact":"0/1","finish":1,"finish_exact":"1/1"},{"id":3,"first":0,"size":4,"start":2,"start_exact":"2/1","finish":4,"finish_exact":"4/1"},{"id":4,"first":4,"size":2,"start":2,"start_exact":"2/1","finish":4,"finish_exact":"4/1"},{"id":5,"first":12,"size":2,"start":1,"start_exact":"1/1","finish":1.5,"finish_exact":"3/2"},{"id":5,"first":6,"size":2,"start":2,"start_exact":"2/1","finish":4,"finish_exact":"4/1"}],"gap":0.0,"plan":"preemptive","machine":"torus:16x16","deadline":4,"deadline_exact":"4/1","least":4,"least_exact":"4/1","lower_bound":{"longest":4,"longest_exact":"4/1","area":3.3125,"area_exact":"53/16"},"jobs":[{"id":1,"dimension":8,"time":2,"time_exact":"2/1"},{"id":2,"dimension":4,"time":4,"time_exact":"4/1"},{"id":3,"dimension":4,"time":3,"time_exact":"3/1"},{"id":4,"dimension":2,"time":2,"time_exact":"2/1"},{"id":5,"dimension":2,"time":2.5,"time_exact":"5/2"}]}
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --min
  job  dimension  time  positions  start  finish
    1          8     2  0-7            0       2
    2          4     4  8-11           0       4
    3          4     3  12-15          0       1
    3          4     3  0-3            2       4
    4          2     2  4-5            2       4
    5          2   2.5  12-13          1     1.5
    5          2   2.5  6-7            2       4
  finish       4, the least there is
  preemptions  2 of at most 4
  lower bound  longest job 4, area 3.3125; least finish 4, gap 0.0 %
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --deadline 3.999999999999999999999
  jobs:3: job 2 finds no place before the deadline 3999999999999999999999/1000000000000000000000; the least deadline for all jobs is 4
  [3]
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --deadline 7/2 --json
  {"feasible":false,"failed":2,"plan":"preemptive","machine":"torus:16x16","deadline":3.5,"deadline_exact":"7/2","least":4,"least_exact":"4/1","lower_bound":{"longest":4,"longest_exact":"4/1","area":3.3125,"area_exact":"53/16"},"jobs":[{"id":1,"dimension":8,"time":2,"time_exact":"2/1"},{"id":2,"dimension":4,"time":4,"time_exact":"4/1"},{"id":3,"dimension":4,"time":3,"time_exact":"3/1"},{"id":4,"dimension":2,"time":2,"time_exact":"2/1"},{"id":5,"dimension":2,"time":2.5,"time_exact":"5/2"}]}
  [3]

With more time than is needed the plan takes it: only the deadline counts.

  $ tori plan preemptive --machine torus:16x16 --jobs jobs --deadline 13/3
  job  dimension  time  positions  start  finish
    1          8     2  0-7            0       2
    2          4     4  8-11           0     5/3
    2          4     4  0-3            2    13/3
    3          4     3  12-15          0     1/3
    3          4     3  8-11         5/3    13/3
    4          2     2  4-5            2       4
    5          2   2.5  12-13        1/3     0.5
    5          2   2.5  6-7            2    13/3
  finish       13/3, deadline 13/3
  preemptions  3 of at most 4
  lower bound  longest job 4, area 3.3125; least finish 4, gap 8.3 %

The least finish time is more than the longest job and the area ask for: a job
on the whole machine shuts out all others. A third is a third.

  $ printf '1 3\n4 1\n' > jobs
  $ tori plan preemptive --machine torus:4x4 --jobs jobs --min
  job  dimension  time  positions  start  finish
    1          1     3  0              1       4
    2          4     1  0-3            0       1
  finish       4, the least there is
  preemptions  0 of at most 1
  lower bound  longest job 3, area 1.75; least finish 4, gap 0.0 %
  $ printf '2 1/3\n2 1\n2 1\n' | gzip > thirds.gz
  $ tori plan preemptive --machine torus:4x4x4 --jobs thirds.gz --min
  job  dimension  time  positions  start  finish
    1          2   1/3  0-1            0     1/3
    2          2     1  2-3            0     1/6
    2          2     1  0-1          1/3     7/6
    3          2     1  2-3          1/6     7/6
  finish       7/6, the least along the diagonal
  preemptions  1 of at most 2
  lower bound  longest job 1, area 7/6; least finish 7/6, gap 0.0 %
  $ printf '2x2 1\n2 1\n2 1\n1 1\n' | tori plan preemptive --machine torus:5x5 --jobs - --min --json
  {"feasible":true,"finish":1.5,"finish_exact":"3/2","preemptions":1,"segments":[{"id":1,"first":0,"size":2,"start":0,"start_exact":"0/1","finish":1,"finish_exact":"1/1"},{"id":2,"first":2,"size":2,"start":0,"start_exact":"0/1","finish":0.5,"finish_exact":"1/2"},{"id":2,"first":0,"size":2,"start":1,"start_exact":"1/1","finish":1.5,"finish_exact":"3/2"},{"id":3,"first":2,"size":2,"start":0.5,"start_exact":"1/2","finish":1.5,"finish_exact":"3/2"},{"id":4,"first":4,"size":1,"start":0,"start_exact":"0/1","finish":1,"finish_exact":"1/1"}],"gap":0.0,"plan":"preemptive","machine":"torus:5x5","least":1.5,"least_exact":"3/2","lower_bound":{"longest":1,"longest_exact":"1/1","area":1.5,"area_exact":"3/2"},"jobs":[{"id":1,"dimension":2,"time":1,"time_exact":"1/1"},{"id":2,"dimension":2,"time":1,"time_exact":"1/1"},{"id":3,"dimension":2,"time":1,"time_exact":"1/1"},{"id":4,"dimension":1,"time":1,"time_exact":"1/1"}]}

On three dimensions there are more link-disjoint subtori than those along the
diagonal, and the answer says what it is the least of.

  $ printf '2 1\n2 1\n2 1\n2 1\n' > jobs
  $ tori plan preemptive --machine torus:4x4x4 --jobs jobs --min | grep finish
  job  dimension  time  positions  start  finish
  finish       2, the least along the diagonal
  lower bound  longest job 1, area 2; least finish 2, gap 0.0 %
  $ tori plan contention --machine torus:4x4x4 --jobs jobs | grep makespan
  makespan     1
  $ tori plan preemptive --machine torus:4x4x4 --jobs jobs --deadline 1
  jobs:3: job 3 finds no place before the deadline 1; the least deadline for all jobs along the diagonal is 2
  [3]

Dimensions need not divide each other. Three jobs of dimension 2 run together
for 2/3, then one after the other beside the job of dimension 3.

  $ printf '3 1\n2 1\n2 1\n2 1\n' > jobs
  $ tori plan preemptive --machine torus:6x6 --jobs jobs --min
  job  dimension  time  positions  start  finish
    1          3     1  0-2          2/3     5/3
    2          2     1  4-5            0     2/3
    2          2     1  3-4          2/3       1
    3          2     1  2-3            0     2/3
    3          2     1  3-4            1     4/3
    4          2     1  0-1            0     2/3
    4          2     1  3-4          4/3     5/3
  finish       5/3, the least there is
  preemptions  3, stages 2
  lower bound  longest job 1, area 1.5; least finish 5/3, gap 0.0 %
  $ tori plan preemptive --machine torus:6x6 --jobs jobs --min --json
  {"feasible":true,"finish":1.66666666666667,"finish_exact":"5/3","preemptions":3,"stages":2,"segments":[{"id":1,"first":0,"size":3,"start":0.666666666666667,"start_exact":"2/3","finish":1.66666666666667,"finish_exact":"5/3"},{"id":2,"first":4,"size":2,"start":0,"start_exact":"0/1","finish":0.666666666666667,"finish_exact":"2/3"},{"id":2,"first":3,"size":2,"start":0.666666666666667,"start_exact":"2/3","finish":1,"finish_exact":"1/1"},{"id":3,"first":2,"size":2,"start":0,"start_exact":"0/1","finish":0.666666666666667,"finish_exact":"2/3"},{"id":3,"first":3,"size":2,"start":1,"start_exact":"1/1","finish":1.33333333333333,"finish_exact":"4/3"},{"id":4,"first":0,"size":2,"start":0,"start_exact":"0/1","finish":0.666666666666667,"finish_exact":"2/3"},{"id":4,"first":3,"size":2,"start":1.33333333333333,"start_exact":"4/3","finish":1.66666666666667,"finish_exact":"5/3"}],"gap":0.0,"plan":"preemptive","machine":"torus:6x6","least":1.66666666666667,"least_exact":"5/3","lower_bound":{"longest":1,"longest_exact":"1/1","area":1.5,"area_exact":"3/2"},"jobs":[{"id":1,"dimension":3,"time":1,"time_exact":"1/1"},{"id":2,"dimension":2,"time":1,"time_exact":"1/1"},{"id":3,"dimension":2,"time":1,"time_exact":"1/1"},{"id":4,"dimension":2,"time":1,"time_exact":"1/1"}]}
  $ tori plan preemptive --machine torus:6x6 --jobs jobs --deadline 1.6
  jobs:4: job 4 finds no place before the deadline 1.6; the least deadline for all jobs is 5/3
  [3]
  $ tori plan preemptive --machine torus:6x6 --jobs jobs --deadline 2 | tail -3
  finish       5/3, deadline 2
  preemptions  3, stages 2
  lower bound  longest job 1, area 1.5; least finish 5/3, gap 0.0 %
  $ printf '12 1/2\n7 2\n5 1.5\n5 3\n4 1\n3 1\n3 2\n2 4\n' > jobs
  $ tori plan preemptive --machine torus:12x12 --jobs jobs --min --gantt
  job  dimension  time  positions  start  finish
    1         12   0.5  0-11       4.875   5.375
    2          7     2  0-6        2.875   4.875
    3          5   1.5  5-9        1.375   2.875
    4          5     3  0-4         0.75   2.875
    4          5     3  7-11           4   4.875
    5          4     1  0-3            0    0.75
    5          4     1  5-8        1.125   1.375
    6          3     1  7-9            0    0.75
    6          3     1  5-7         0.75       1
    7          3     2  4-6            0    0.75
    7          3     2  5-7            1   1.125
    7          3     2  7-9        2.875       4
    8          2     4  10-11          0    0.75
    8          2     4  8-9         0.75   1.125
    8          2     4  9-10       1.125   1.375
    8          2     4  10-11      1.375       4
  finish       5.375, the least there is
  preemptions  8, stages 7
  lower bound  longest job 4, area 127/24; least finish 5.375, gap 0.0 %

  0-3        5--------4--------------------------2------------------------1------
  4          7--------4--------------------------2------------------------1------
  5-6        7--------6--7-5--3------------------2------------------------1------
  7          6--------6--7-5--3------------------7-------------4----------1------
  8          6--------8----5--3------------------7-------------4----------1------
  9          6--------8----8--3------------------7-------------4----------1------
  10         8--------.....8--8--------------------------------4----------1------
  11         8--------........8--------------------------------4----------1------
  positions  0                                                              5.375

A job of time 0 is done at once.

  $ printf '3 0\n2 1\n2 1\n2 1\n' > jobs
  $ tori plan preemptive --machine torus:6x6 --jobs jobs --min
  job  dimension  time  positions  start  finish
    1          3     0  -              0       0
    2          2     1  0-1            0       1
    3          2     1  2-3            0       1
    4          2     1  4-5            0       1
  finish       1, the least there is
  preemptions  0 of at most 3
  lower bound  longest job 1, area 1; least finish 1, gap 0.0 %
  $ printf '3 0\n2 0\n' > jobs
  $ tori plan preemptive --machine torus:6x6 --jobs jobs --min
  job  dimension  time  positions  start  finish
    1          3     0  -              0       0
    2          2     0  -              0       0
  finish       0, the least there is
  preemptions  0 of at most 1
  lower bound  longest job 0, area 0; least finish 0, gap 0.0 %
  $ tori plan preemptive --machine torus:6x6 --jobs jobs --deadline 1 --json
  {"feasible":true,"finish":0,"finish_exact":"0/1","preemptions":0,"segments":[],"gap":0.0,"plan":"preemptive","machine":"torus:6x6","deadline":1,"deadline_exact":"1/1","least":0,"least_exact":"0/1","lower_bound":{"longest":0,"longest_exact":"0/1","area":0,"area_exact":"0/1"},"jobs":[{"id":1,"dimension":3,"time":0,"time_exact":"0/1"},{"id":2,"dimension":2,"time":0,"time_exact":"0/1"}]}
  $ tori plan preemptive --machine torus:6x6 --jobs jobs --min --gantt | tail -2
  0-5        ....................................................................
  positions  0                                                                  1
  $ tori plan preemptive --machine torus:6x6 --jobs jobs --min --svg - | grep -c '<title>'
  0
  [1]

Pictures.

  $ printf '8 2\n4 4\n4 3\n2 2\n2 2.5\n' > jobs
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --min --gantt | tail -8

  0-3        1---------------------------------3---------------------------------
  4-5        1---------------------------------4---------------------------------
  6-7        1---------------------------------5---------------------------------
  8-11       2-------------------------------------------------------------------
  12-13      3----------------5-------...........................................
  14-15      3----------------...................................................
  positions  0                                                                  4
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --min --svg plan.svg | tail -1
  lower bound  longest job 4, area 3.3125; least finish 4, gap 0.0 %
  $ grep -c '<title>' plan.svg
  7
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --min --svg - | grep '<title>'
  <rect x="79.00" y="44.00" width="420.00" height="160.00" fill="#a6cee3" stroke="#404040" stroke-width="0.6"><title>job 1, 0-7, 0 to 2</title></rect>
  <rect x="79.00" y="204.00" width="840.00" height="80.00" fill="#fdbf6f" stroke="#404040" stroke-width="0.6"><title>job 2, 8-11, 0 to 4</title></rect>
  <rect x="79.00" y="284.00" width="210.00" height="80.00" fill="#b2df8a" stroke="#404040" stroke-width="0.6"><title>job 3, 12-15, 0 to 1</title></rect>
  <rect x="499.00" y="44.00" width="420.00" height="80.00" fill="#b2df8a" stroke="#404040" stroke-width="0.6"><title>job 3, 0-3, 2 to 4</title></rect>
  <rect x="499.00" y="124.00" width="420.00" height="40.00" fill="#cab2d6" stroke="#404040" stroke-width="0.6"><title>job 4, 4-5, 2 to 4</title></rect>
  <rect x="289.00" y="284.00" width="105.00" height="40.00" fill="#fb9a99" stroke="#404040" stroke-width="0.6"><title>job 5, 12-13, 1 to 1.5</title></rect>
  <rect x="499.00" y="164.00" width="420.00" height="40.00" fill="#fb9a99" stroke="#404040" stroke-width="0.6"><title>job 5, 6-7, 2 to 4</title></rect>

A long plan is cut for people.

  $ for i in $(seq 1001); do echo 1 1; done > many
  $ tori plan preemptive --machine torus:16x16 --jobs many --min | tail -5
  985          1     1  15         45.5625  46.5625
  ... 16 more rows; --json prints all
  finish       62.5625, the least there is
  preemptions  15 of at most 1000
  lower bound  longest job 1, area 62.5625; least finish 62.5625, gap 0.0 %

So are long pictures.

  $ for i in $(seq 400); do echo 1 1; done > many
  $ tori plan preemptive --machine torus:400x400 --jobs many --min --gantt | tail -3
  199        200-----------------------------------------------------------------
  positions  0                                                                  1
  ... 200 more lines of positions are not drawn
  $ printf '1 1/1000\n1 1\n' | tori plan preemptive --machine torus:4x4 --jobs - --min --gantt | tail -5
  0          #...................................................................
  1          2-------------------------------------------------------------------
  2-3        ....................................................................
  positions  0                                                                  1
  #          jobs too short for their number
  $ awk 'BEGIN { for (i = 0; i < 20010; i++) print "1 1" }' > many
  $ tori plan preemptive --machine torus:10x10 --jobs many --min --svg plan.svg > out
  $ grep -c '<title>' plan.svg
  20000
  $ grep -o 'only the first.*drawn' plan.svg
  only the first 20000 of 20010 bars are drawn

What a plan cannot be made of: larger than the machine, and no subtori at all.

  $ printf '8 1\n32 1\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:2: dimension 32 is larger than the machine, whose shortest side is 16
  [4]
  $ printf '8 1\n' | tori plan preemptive --machine torus:16x4 --jobs - --min
  tori: -:1: dimension 8 is larger than the machine, whose shortest side is 4
  [4]
  $ tori plan preemptive --machine mesh:16x16 --jobs jobs --min
  tori: dimension 0 of the machine is not a torus, so it has no subtori
  [4]
  $ tori plan preemptive --machine mesh:16x16 --jobs jobs --min --json
  {"feasible":false,"reason":"never","detail":"dimension 0 of the machine is not a torus, so it has no subtori"}
  [4]
  $ tori plan preemptive --machine torus:16 --jobs jobs --min
  tori: a single ring has no link-disjoint subtori: the machine needs 2 dimensions or more
  [4]

Bad jobs.

  $ printf '4 1\n4 -1/2\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:2: time: -1/2 is negative
  [2]
  $ printf '4 x\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:1: time: 'x' is not a number such as 2.5 or 5/2
  [2]
  $ printf '4 1234567890123456789012345678901234567890\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:1: time: '1234567890123456789012345678901234567890' does not fit an exact number of 128 bits
  [2]
  $ printf '4 1/0\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:1: time: '1/0' is not a number such as 2.5 or 5/2
  [2]
  $ printf '4 .\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:1: time: '.' is not a number such as 2.5 or 5/2
  [2]
  $ printf '99999999999 1\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:1: dimension 99999999999 is larger than any machine
  [4]
  $ printf '4\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:1: only '4': expected DIMENSION TIME
  [2]
  $ printf '4 1 1\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:1: unexpected '1': expected DIMENSION TIME
  [2]
  $ printf '0 1\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:1: dimension: '0' is neither a positive whole number nor a shape such as 4x2
  [2]
  $ printf '4x2 1\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:1: shape 4x2: expected one number, the side of a subtorus with equal sides
  [2]
  $ printf '4x 1\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:1: bad shape '4x': expected sides from 1 to 2^32 - 1, such as 4x4x2
  [2]
  $ printf '# nothing\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -: no job; expected one per line: DIMENSION TIME
  [2]
  $ printf '1 1/1000000000000000003\n1 1/1000000000000000009\n1 1/1000000000000000031\n' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:3: the times are too long and have too large a common denominator for exact numbers of 128 bits
  [2]
  $ seq 1 100 | awk '{ print "1 1/" $1 }' | tori plan preemptive --machine torus:16x16 --jobs - --min
  tori: -:89: the times are too long and have too large a common denominator for exact numbers of 128 bits
  [2]
  $ tori plan preemptive --machine torus:16x16 --jobs nowhere --min
  tori: nowhere: No such file or directory
  [1]

Bad usage.

  $ tori plan preemptive --machine torus:16x16 --jobs jobs
  tori: one of --deadline and --min is missing
  [2]
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --min --deadline 4
  tori: --deadline and --min exclude each other
  [2]
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --deadline 0
  tori: --deadline: 0 is not positive
  [2]
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --deadline soon
  tori: --deadline: 'soon' is not a number such as 2.5 or 5/2
  [2]
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --min --json --gantt
  tori: --gantt and --json exclude each other
  [2]
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --min --json --svg -
  tori: only one of --svg and --json can go to standard output
  [2]
  $ tori plan preemptive --machine torus:16x16 --min
  tori: --jobs FILE is missing; see 'tori plan preemptive --help'
  [2]
  $ tori plan
  tori: plan: no command given; see 'tori plan --help'
  [2]
  $ tori plan preemtive
  tori: unknown command 'preemtive'; did you mean 'preemptive'? see 'tori plan --help'
  [2]
