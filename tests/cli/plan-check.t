A plan that holds: the example of Gupta and Srimani, section 2.4.4.

  $ printf '8 2\n4 2\n4 4\n4 4\n4 1\n2 4\n' > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs --json > plan
  $ tori plan check plan
  plan: holds: 6 jobs on torus:8x8, makespan 10.75
  $ gzip -c plan | tori plan check - --json
  {"ok":true,"plan":"contention"}

With the finish of job 3 as the paper's table has it, by a misprint.

  $ sed 's/"finish":9.5/"finish":8.5/' plan > wrong
  $ tori plan check wrong
  wrong: does not hold: job 3 ends at 8.5, but its time and its delays make that 9.5
  [3]
  $ tori plan check wrong --json
  {"ok":false,"plan":"contention","fault":"job 3 ends at 8.5, but its time and its delays make that 9.5"}
  [3]

Other plans that do not hold.

  $ sed 's/"row":1,"col":1,"offset":\[1,1\]/"row":0,"col":0,"offset":[0,0]/' plan | tori plan check -
  standard input: does not hold: job 3 starts at 2 on node 0,0, which job 2 has until 5.875
  [3]
  $ sed 's/"col":1,"offset":\[1,1\]/"col":0,"offset":[1,1]/' plan | tori plan check -
  standard input: does not hold: job 3 is at col 0, but its offset is 1
  [3]
  $ sed 's/"col":1,"offset":\[1,1\]/"col":2,"offset":[1,2]/' plan | tori plan check -
  standard input: does not hold: job 3 has offset 2 in dimension 1, where its stride is 2
  [3]
  $ sed 's/"id":5,"start":2/"id":5,"start":1/' plan | tori plan check -
  standard input: does not hold: job 5 starts at 1, before the job taken before it, at 2
  [3]
  $ sed 's/"id":6,"start":4/"id":6,"start":5/' plan | tori plan check -
  standard input: does not hold: job 2 ends at 5.875, but its time and its delays make that 5.625
  [3]
  $ sed 's/"id":5,"start":2,"finish":4/"id":5,"start":2,"finish":2.5/' plan | tori plan check -
  standard input: does not hold: job 5 runs from 2 to 2.5, but its time is 1
  [3]
  $ sed 's/"time":4,"time_exact":"4\/1","order":3/"time":3,"time_exact":"3\/1","order":3/' plan | tori plan check -
  standard input: does not hold: job 3 ends at 9.5, but its time and its delays make that 7.75
  [3]
  $ sed 's/"time":4,"time_exact":"4\/1","order":3/"time":4,"time_exact":"5\/1","order":3/' plan | tori plan check -
  standard input: does not hold: job 3: "time" is 4, but "time_exact" is 5/1
  [3]
  $ sed 's/"order":3/"order":2/' plan | tori plan check -
  standard input: does not hold: job 3 has the order 2, which another has
  [3]
  $ sed 's/"id":2/"id":3/' plan | tori plan check -
  standard input: does not hold: job 3 stands where job 2 should
  [3]
  $ sed 's/"shape":\[2,2\]/"shape":[2,3]/' plan | tori plan check -
  standard input: does not hold: job 6 has 3 nodes in dimension 1, which do not divide the machine's 8
  [3]
  $ sed 's/"makespan":10.75/"makespan":10.5/' plan | tori plan check -
  standard input: does not hold: the makespan is 10.5, but the last job ends at 10.75
  [3]
  $ sed 's/"longest":4/"longest":5/' plan | tori plan check -
  standard input: does not hold: the longest job is given as 5, but is 4
  [3]
  $ sed 's/"area":5/"area":6/' plan | tori plan check -
  standard input: does not hold: the area is given as 6, but is 5
  [3]
  $ sed 's/"contention_free":[^}]*/"contention_free":11/' plan | tori plan check -
  standard input: does not hold: the least time without contention is given as 11, but is 6
  [3]
  $ sed 's/"gap":/"gap":1/' plan | tori plan check -
  standard input: does not hold: the gap is given as 10.79166667, but is 0.7916666667
  [3]
  $ tori plan contention --machine torus:8x8 --jobs jobs --steps 5 --json > better
  $ tori plan check better
  better: holds: 6 jobs on torus:8x8, makespan 10.75
  $ sed 's/"makespan_before":[^,]*/"makespan_before":5/' better | tori plan check -
  standard input: does not hold: the makespan is 10.75, and was 5 before the search, which never makes it longer
  [3]
  $ sed 's/"finish_exact":"19\/2"/"finish_exact":"17\/2"/' plan | tori plan check -
  standard input: does not hold: job 3: "finish" is 9.5, but "finish_exact" is 17/2
  [3]
  $ sed 's/"makespan_exact":"43\/4"/"makespan_exact":"10\/1"/' plan | tori plan check -
  standard input: does not hold: plan: "makespan" is 10.75, but "makespan_exact" is 10/1
  [3]

The shortest job counts as much as the longest.

  $ printf '8 1000000000\n1 1/2\n' > short
  $ tori plan contention --machine torus:8x8 --jobs short --json > shortplan
  $ tori plan check shortplan
  shortplan: holds: 2 jobs on torus:8x8, makespan 1000000000
  $ sed 's/"time":0.5,"time_exact":"1\/2"/"time":0.25,"time_exact":"1\/4"/' shortplan | tori plan check -
  standard input: does not hold: job 2 starts at 1000000000, and without delays, which are 0, would end at 1000000000; but its time is 0.25
  [3]
  $ sed 's/torus:8x8/mesh:8x8/g' plan | tori plan check -
  standard input: does not hold: dimension 0 of the machine is not a torus, so it has no subtori
  [3]

Preemptive plans: the example of section 3.

  $ printf '8 2\n4 4\n4 3\n2 2\n2 2.5\n' > jobs
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --deadline 4 --json > plan
  $ tori plan check plan
  plan: holds: 5 jobs on torus:16x16, finish 4
  $ sed 's/"first":12/"first":11/' plan | tori plan check -
  standard input: does not hold: job 3 starts at 0 on position 11, which job 2 has until 4
  [3]
  $ sed 's/"first":12/"first":13/' plan | tori plan check -
  standard input: does not hold: job 3 runs on positions 13 to 16, but the machine has 16
  [3]
  $ sed 's/"id":5,"first":12,"size":2,"start":1,"start_exact":"1\/1"/"id":5,"first":12,"size":2,"start":0.5,"start_exact":"1\/2"/' plan | tori plan check -
  standard input: does not hold: job 5 starts at 1/2 on position 12, which job 3 has until 1
  [3]
  $ sed 's/"id":5,"first":12,"size":2,"start":1,"start_exact":"1\/1","finish":1.5,"finish_exact":"3\/2"/"id":5,"first":14,"size":2,"start":2,"start_exact":"2\/1","finish":2.5,"finish_exact":"5\/2"/' plan | tori plan check -
  standard input: does not hold: job 5 runs in two places at 2
  [3]
  $ sed 's/"time":2.5,"time_exact":"5\/2"/"time":3,"time_exact":"3\/1"/' plan | tori plan check -
  standard input: does not hold: job 5 runs for 5/2, but its time is 3
  [3]
  $ sed 's/"time":2.5/"time":3/' plan | tori plan check -
  standard input: does not hold: job 5: "time" is 3, but "time_exact" is 5/2
  [3]
  $ sed 's/"id":4,"first":4,"size":2/"id":4,"first":4,"size":1/' plan | tori plan check -
  standard input: does not hold: job 4 runs on 1 positions, but its dimension is 2
  [3]
  $ sed 's/"deadline":4,"deadline_exact":"4\/1"/"deadline":3.5,"deadline_exact":"7\/2"/' plan | tori plan check -
  standard input: does not hold: job 2 runs until 4, but the deadline is 7/2
  [3]
  $ sed 's/"preemptions":2/"preemptions":1/' plan | tori plan check -
  standard input: does not hold: 1 preemptions are given, but 7 segments of 5 jobs make 2
  [3]
  $ sed 's/"finish":4,"finish_exact":"4\/1","preemptions"/"finish":5,"finish_exact":"5\/1","preemptions"/' plan | tori plan check -
  standard input: does not hold: the plan ends at 5, but the last job ends at 4
  [3]
  $ sed 's/"least":4,"least_exact":"4\/1"/"least":3.5,"least_exact":"7\/2"/' plan | tori plan check -
  standard input: does not hold: plan: "least" is given as 7/2, but is 4
  [3]
  $ sed 's/"longest":4,"longest_exact":"4\/1"/"longest":3.5,"longest_exact":"7\/2"/' plan | tori plan check -
  standard input: does not hold: lower_bound: "longest" is given as 7/2, but is 4
  [3]
  $ sed 's/"area":3.3125,"area_exact":"53\/16"/"area":3.5,"area_exact":"7\/2"/' plan | tori plan check -
  standard input: does not hold: lower_bound: "area" is given as 7/2, but is 53/16
  [3]
  $ sed 's/"gap":0.0/"gap":0.1/' plan | tori plan check -
  standard input: does not hold: the gap is given as 0.1, but is 0
  [3]
  $ sed 's/"feasible":true/"feasible":1/' plan | tori plan check -
  tori: standard input: "feasible" is missing or not true or false
  [2]
  $ sed 's/torus:16x16/torus:16/g' plan | tori plan check -
  standard input: does not hold: the machine is a single ring, which has no link-disjoint subtori
  [3]
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --deadline 13/3 --json | sed 's/"deadline":[^,]*,"deadline_exact":"[^"]*",//' | tori plan check -
  standard input: does not hold: there is no deadline, and the plan ends at 13/3, but the least finish is 4
  [3]
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --min --json | tori plan check -
  standard input: holds: 5 jobs on torus:16x16, finish 4

A job that is stopped twice where nothing is in its way.

  $ printf '1 3\n' | tori plan preemptive --machine torus:4x4 --jobs - --min --json | sed 's/"preemptions":0,"segments":.*"gap"/"preemptions":2,"segments":[{"id":1,"first":0,"size":1,"start":0,"start_exact":"0","finish":1,"finish_exact":"1"},{"id":1,"first":0,"size":1,"start":1,"start_exact":"1","finish":2,"finish_exact":"2"},{"id":1,"first":0,"size":1,"start":2,"start_exact":"2","finish":3,"finish_exact":"3"}],"gap"/' | tori plan check -
  standard input: does not hold: 2 preemptions are not fewer than 1 jobs
  [3]
  $ tori plan preemptive --machine torus:16x16 --jobs jobs --deadline 3 --json | tori plan check -
  standard input: does not hold: no plan was feasible, so there is nothing to check
  [3]

The jobs that were planned.

  $ tori plan check plan --jobs jobs
  plan: holds: 5 jobs on torus:16x16, finish 4
  $ printf '8 2\n4 4\n4 3\n2 2\n2 2.25\n' > other
  $ tori plan check plan --jobs other
  plan: does not hold: job 5 is a different job: other:5 takes 9/4
  [3]
  $ printf '8 2\n4 4\n4 3\n1 2\n2 2.5\n' > other
  $ tori plan check plan --jobs other
  plan: does not hold: job 4 is a different job: other:4 asks for 1
  [3]
  $ printf '8 2\n' > other
  $ tori plan check plan --jobs other
  plan: does not hold: it has 5 jobs, but other has 1
  [3]
  $ tori plan check plan --jobs nowhere
  tori: nowhere: No such file or directory
  [1]
  $ printf '4x2 1\n2 1\n' > other
  $ tori plan contention --machine torus:8x8 --jobs other --json > plan
  $ tori plan check plan --jobs other
  plan: holds: 2 jobs on torus:8x8, makespan 1
  $ printf '2x4 1\n2 1\n' > other
  $ tori plan check plan --jobs other
  plan: does not hold: job 1 is a different job: other:1 asks for 2x4
  [3]

Many plans, of jobs that are drawn.

  $ draw () {
  > awk -v seed=$1 -v n=$2 'function r(k) { seed = (seed * 69069 + 1) % 4294967296; return int(seed / 65536) % k }
  > BEGIN { for (i = 0; i < n; i++) printf "%d %d/%d\n", 2 ^ r(4), 1 + r(100), 1 + r(7) }'
  > }
  > for i in 1 2 3 4 5 6 7 8 9 10; do
  > draw $i 60 > jobs
  > tori plan contention --machine torus:8x8 --jobs jobs --json | tori plan check - || exit
  > tori plan contention --machine torus:8x8x8 --jobs jobs --steps 3 --json | tori plan check - || exit
  > tori plan preemptive --machine torus:8x8 --jobs jobs --min --json | tori plan check - || exit
  > done | cut -d ' ' -f 3,4,5,6,7,8 | sort | uniq -c
       10 holds: 60 jobs on torus:8x8, finish
       10 holds: 60 jobs on torus:8x8, makespan
       10 holds: 60 jobs on torus:8x8x8, makespan
  $ awk 'BEGIN { for (i = 1; i <= 200; i++) printf "%dx%d %d.%d\n", 2 ^ (i % 4), 2 ^ (i * 7 % 5), i % 9, i % 7 + 1 }' > jobs
  $ tori plan contention --machine torus:8x16 --jobs jobs --json | tori plan check -
  standard input: holds: 200 jobs on torus:8x16, makespan 441.6183742

What is no plan.

  $ printf '{"machine":"torus:8x8",\n"plan":}\n' > broken
  $ tori plan check broken
  tori: broken:2: not JSON: unexpected token near '}'
  [2]
  $ sed 's/"id":1,/"id":7,/; s/"id":2,/"id":2,,/' plan > late
  $ tori plan check late
  tori: late:1: not JSON: string or '}' expected near ','
  [2]
  $ sed 's/}\],/},],/' plan | tori plan check -
  tori: standard input:1: not JSON: unexpected token near ']'
  [2]
  $ sed 's/^{/{"jobs":[[1,"]"],{"segments":2}],"note":"\\"jobs\\":[]",/' plan | tori plan check -
  standard input: holds: 2 jobs on torus:8x8, makespan 1
  $ printf '[1,2]\n' > other
  $ tori plan check other
  tori: other: not a plan: expected "plan" and "machine", as 'tori plan ... --json' prints them
  [2]
  $ printf '{"machine":"torus:8x8","plan":"gang"}' > other
  $ tori plan check other
  tori: other: "plan" is 'gang': expected contention or preemptive
  [2]
  $ printf '{"machine":"torus:8x8","plan":"contention","makespan":1,"jobs":[{"id":1}]}' > other
  $ tori plan check other
  tori: other: job 1: "time_exact" is missing or not a fraction "P/Q"
  [2]
  $ printf '{"machine":"torus:8x8","plan":"contention","makespan":1,"jobs":[]}' > other
  $ tori plan check other
  tori: other: no list of "jobs"
  [2]
  $ printf '{"machine":"torus:0","plan":"contention"}' > other
  $ tori plan check other
  tori: other: machine size 0: sizes are at least 1
  [2]
  $ tori plan check nowhere
  tori: nowhere: No such file or directory
  [1]
  $ tori plan check
  tori: FILE is missing; see 'tori plan check --help'
  [2]
