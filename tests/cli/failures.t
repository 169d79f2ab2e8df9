Nodes and links that fail, on a line of four nodes. Job 1 has nodes 0 and 1.
Node 0 fails after 30 s. It has saved 20 s of its work, and continues at once
on nodes 1 and 2 with the other 80 s; job 2 needs all four nodes.

  $ cat > two.swf <<END
  > 1 0 -1 100 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 2 0 -1  50 4 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > END
  $ cat > one.txt <<END
  > # the first node, for ten seconds
  > 30 0 down
  > 40 0 up
  > END
  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --checkpoint 20 --log -
  {"id":1,"submit":0,"start":30,"finish":110,"count":2,"shape":[2],"origin":[1],"wiring":"none","nodes":[1,2],"numerical":0,"topological":0,"starts":2,"moves":0,"waited":0,"ran":110,"killed":false,"urgent":false}
  {"id":2,"submit":0,"start":110,"finish":160,"count":4,"shape":[4],"origin":[0],"wiring":"none","nodes":[0,1,2,3],"numerical":100,"topological":0,"starts":1,"moves":0,"waited":110,"ran":50,"killed":false,"urgent":false}
  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --checkpoint 20 --json
  {"jobs":2,"rejected":0,"placeable":1.0,"utilization":0.65625,"offered":0.0,"accepted":0.0,"makespan":160.0,"response":{"mean":135.0,"p50":110.0,"p90":160.0,"p99":160.0,"max":160.0},"wait":{"mean":55.0,"p50":0.0,"p90":110.0,"p99":110.0,"max":110.0},"slowdown":{"mean":2.15,"p50":1.1,"p90":3.2,"p99":3.2,"max":3.2},"bounded_slowdown":{"mean":2.15,"p50":1.1,"p90":3.2,"p99":3.2,"max":3.2},"zero_runtime":0,"delay":{"numerical":50.0,"topological":0.0},"pairwise":5.5,"average":1.33333333333333,"internal_fragmentation":0.0,"external_fragmentation":0.0,"events":4,"goodput":0.625,"lost":20.0,"failures":1,"killed":0,"requeues":1,"repairs":0,"moves":0,"suspensions":0,"rejections":{},"links_reserved":false,"unusable":0,"submitted":2,"outlived":0,"saturated":false}
  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --checkpoint 20 | sed -n '/goodput/,/suspensions/p'
  goodput         62.50 %
  lost node-time  20 node-s
  failures        1
  jobs killed     0
  requeues        1
  repairs         0
  moves           0
  suspensions     0
  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --checkpoint 20 --json | grep -o '"failures":"one.txt".*"checkpoint":20.0,"restarts":100'
  "failures":"one.txt","on_failure":"requeue","checkpoint":20.0,"restarts":100

Ports of a pod fail, + as well as -. The job goes to the other cube, and back.

  $ printf 'submit,run_time,estimate,shape,wiring\n0,50,50,4x4,torus\n' > ring.csv
  $ printf '10 0,3,1 +1 down\n20 1,0,2 -1 down\n20 0,3,1 +1 up\n' > ports.txt
  $ tori sim --machine pod:2/4x4 --jobs-csv ring.csv --failures ports.txt --log - | cut -d, -f3,4,8-11
  "start":20,"finish":70,"origin":[0,0,0],"wiring":"torus"

Without checkpoints it begins anew. If it is killed, all of its work is lost.

  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --log - | cut -d, -f1,3,4
  {"id":1,"start":30,"finish":130
  {"id":2,"start":130,"finish":180
  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --on-failure kill --log - | grep -o '^{"id":.\|"start":[0-9]*,"finish":[0-9]*\|"killed".*'
  {"id":1
  "start":0,"finish":30
  "killed":true,"urgent":false,"reason":"a node or link under it failed"}
  {"id":2
  "start":40,"finish":90
  "killed":false,"urgent":false}
  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --on-failure kill --json
  {"jobs":1,...,"goodput":0.555555555555556,"lost":60.0,"failures":1,"killed":1,"requeues":0,...}
  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --on-failure kill --out-swf - | grep -v '^;' | cut -d' ' -f1,3,4,11
  1 0 30 0
  2 40 50 1

With repair it does not wait for a turn in the queue, but goes to a free place
nearby, which takes 5 s here. Without a place it waits again.

  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --checkpoint 20 --on-failure repair --move-cost 5 --log - | cut -d, -f1,3,4,8,11-
  {"id":1,"start":0,"finish":115,"wiring":"none","numerical":0,"topological":0,"starts":1,"moves":1,"waited":0,"ran":115,"killed":false,"urgent":false}
  {"id":2,"start":115,"finish":165,"wiring":"none",2,3],"numerical":105,"topological":0,"starts":1,"moves":0,"waited":115,"ran":50,"killed":false,"urgent":false}
  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --checkpoint 20 --on-failure repair --move-cost 5 --json
  {"jobs":2,...,"lost":30.0,"failures":1,"killed":0,"requeues":0,"repairs":1,...}
  $ printf '30 0 down\n30 3 down\n30 1 down\n40 0/4 up\n' > most.txt
  $ tori sim --machine mesh:4 --trace two.swf --failures most.txt --checkpoint 20 --on-failure repair --json
  {"jobs":2,...,"failures":3,"killed":0,"requeues":1,"repairs":0,...}

A node that does not come back: job 2, which needs it, is rejected at the end,
and if it ran before it is killed.

  $ echo '30 0 down' > for-good.txt
  $ tori sim --machine mesh:4 --trace two.swf --failures for-good.txt --json
  {"jobs":1,"rejected":1,...,"killed":0,"requeues":1,...}
  $ echo '140 0 down' > later.txt
  $ tori sim --machine mesh:4 --trace two.swf --failures later.txt --json
  {"jobs":1,"rejected":0,...,"killed":1,"requeues":1,...}

Links matter to those who reserve them, boxes are many nodes.

  $ printf '30 0-1 down\n40 0-1 up\n200 0/2 down\n' > links.txt
  $ tori sim --machine mesh:4 --trace two.swf --failures links.txt --wiring mesh --json | grep -o '"failures":[0-9].*"requeues":[0-9]'
  "failures":1,"killed":0,"requeues":1
  $ tori sim --machine mesh:4 --trace two.swf --failures links.txt --json | grep -o '"failures":[0-9].*"requeues":[0-9]'
  "failures":1,"killed":0,"requeues":0

Urgent jobs. With this seed job 3 is the one. It takes the place of job 1, which
has saved 20 of its 30 s.

  $ cat > three.swf <<END
  > 1 0 -1 100 4 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 2 5 -1  50 4 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 3 30 -1 10 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > END
  $ tori sim --machine mesh:4 --trace three.swf --urgent 0.3 --seed 2 --checkpoint 20 --log - | cut -d, -f1,3,4
  {"id":3,"start":30,"finish":40
  {"id":1,"start":40,"finish":120
  {"id":2,"start":120,"finish":170
  $ tori sim --machine mesh:4 --trace three.swf --urgent 0.3 --seed 2 --checkpoint 20 | sed -n '/goodput/,/of other/p'
  goodput         91.18 %
  lost node-time  40 node-s
  failures        0
  jobs killed     0
  requeues        1
  repairs         0
  moves           0
  suspensions     0

  urgent jobs                   1
  mean wait of urgent jobs      0.0 s
  mean response of urgent jobs  10.0 s
  other jobs                    2
  mean wait of other jobs       62.5 s
  $ tori sim --machine mesh:4 --trace three.swf --urgent 0.3 --seed 2 --preempted suspend --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":110
  {"id":3,"start":30,"finish":40
  {"id":2,"start":110,"finish":160
  $ tori sim --machine mesh:4 --trace three.swf --urgent 0.3 --seed 2 --preempted suspend --snapshot 35:suspended.json --json
  {...,"goodput":0.9...,"lost":0.0,...,"suspensions":1,...}
  $ tori sim --from suspended.json --log - | cut -d, -f1,3,4
  {"id":1,"start":40,"finish":110
  {"id":2,"start":110,"finish":160
  $ printf 'submit,run_time,estimate,nodes\n0,100,100,2\n1,50,50,4\n50,10,10,3\n' > stop.csv
  $ for sched in fcfs backfill easy conservative; do tori sim --machine mesh:4 --jobs-csv stop.csv --urgent 0.34 --seed 2 --preempted suspend --sched $sched --log - | cut -d, -f1,3,4; done | sort | uniq -c
        4 {"id":1,"start":0,"finish":110
        4 {"id":2,"start":110,"finish":160
        4 {"id":3,"start":50,"finish":60
  $ tori sim --machine mesh:4 --trace three.swf --urgent 0.3 --seed 2 --preempted kill --json
  {"jobs":2,...,"lost":120.0,"failures":0,"killed":1,"requeues":0,...}
  $ tori sim --machine mesh:4 --trace three.swf --urgent 0.3 --seed 2 --preempted never --log - | cut -d, -f1,3,4
  {"id":1,"start":0,"finish":100
  {"id":3,"start":100,"finish":110
  {"id":2,"start":110,"finish":160

By count the same happens.

  $ tori sim --machine mesh:4 --trace three.swf --alloc mm --urgent 0.3 --seed 2 --checkpoint 20 --log - | cut -d, -f1,3,4
  {"id":3,"start":30,"finish":40
  {"id":1,"start":40,"finish":120
  {"id":2,"start":120,"finish":170

Moves. Jobs 1 and 3 have nodes 0 and 2 of four in a line when job 4 needs two
neighbours; a move of 5 s makes room for it.

  $ cat > gaps.swf <<END
  > 1 0 -1 100 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 2 0 -1  10 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 3 0 -1 100 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 4 20 -1 50 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > END
  $ tori sim --machine mesh:4 --trace gaps.swf --moves --move-cost 5 --log - | cut -d, -f1,3,4,9-13
  {"id":1,"start":0,"finish":105,"nodes":[3],"numerical":0,"topological":0,"starts":1,"moves":1
  {"id":2,"start":0,"finish":10,"nodes":[1],"numerical":0,"topological":0,"starts":1,"moves":0
  {"id":3,"start":0,"finish":100,"nodes":[2],"numerical":0,"topological":0,"starts":1,"moves":0
  {"id":4,"start":20,"finish":70,"nodes":[0,1],"numerical":0,"topological":0,"starts":1
  $ tori sim --machine mesh:4 --trace gaps.swf --moves --move-cost 500 --json
  {"jobs":4,...,"delay":{"numerical":0.0,"topological":20.0},...,"goodput":0.516666666666667,"lost":0.0,...,"moves":0,...}

At random: the same seed gives the same bytes, and all schedulers meet the same
failures for as long as they run.

  $ tori sim --machine mesh:4x4 --jobs 200 --load 0.5 --mtbf 100 --checkpoint 600 --log - > a.log
  $ tori sim --machine mesh:4x4 --jobs 200 --load 0.5 --mtbf 100 --checkpoint 600 --log - > b.log
  $ tori sim --machine mesh:4x4 --jobs 200 --load 0.5 --mtbf 100 --checkpoint 600 --seed 2 --log - > c.log
  $ cmp a.log b.log && ! cmp -s a.log c.log && grep -c '"starts":[^1]' a.log
  4
  $ tori sim --machine mesh:4x4 --jobs 200 --load 0.5 --mtbf 100 --seeds 3 | grep -E 'goodput|lost|failures|requeues'
  goodput, %...
  lost node-time, node-s...
  failures...
  requeues...

It goes on from a snapshot as it would have without: nodes that are down there
come up when they would have, and the log has just those jobs that started last
after the snapshot, as they are in the log of the whole.

  $ tori sim --machine mesh:4x4 --jobs 200 --load 0.5 --mtbf 20 --checkpoint 600 --snapshot 100000:now.json --log whole.log > /dev/null
  $ tori sim --from now.json --model lublin --jobs 200 --load 0.5 --mtbf 20 --checkpoint 600 --log rest.log > /dev/null
  $ grep -c '"down"' now.json
  1
  $ cut -d, -f1-4 rest.log | sort > r; awk -F'[:,]' '$6 >= 100000' whole.log | cut -d, -f1-4 | sort | comm -3 - r | wc -l; wc -l < r
  0
  133

A job that runs in the snapshot is in the log if a failure puts it back into the
queue: with its next start and all of its run time. Job 1 has saved 20 of 30 s,
and continues at 40 with the other 80 s. Another that only runs on is not.

  $ echo '{"machine": "mesh:4", "now": 10, "running": [{"id": 1, "box": "0/3", "start": 0, "time_limit": 100, "requeue": true, "checkpoint": 20}, {"id": 2, "box": "3", "start": 0, "time_limit": 50}]}' > runs.json
  $ tori sim --from runs.json --failures one.txt --log - | cut -d, -f1-4,11-
  {"id":1,"submit":0,"start":40,"finish":120,2],"numerical":10,"topological":0,"starts":2,"moves":0,"waited":10,"ran":110,"killed":false,"urgent":false}

Jobs of a snapshot that may not start yet, because of a reservation or of their own,
start when they may.

  $ echo '{"machine": "mesh:4", "now": 100, "reservations": [{"id": "w", "box": "0/4", "from": 100, "until": 300}], "queue": [{"id": 1, "shape": "2", "time_limit": 10, "earliest": 500}, {"id": 2, "shape": "4", "time_limit": 10}]}' > not-yet.json
  $ tori sim --from not-yet.json --log - | cut -d, -f1,3,4
  {"id":2,"start":300,"finish":310
  {"id":1,"start":500,"finish":510

Bad input.

  $ cat > try <<'END'
  > printf "$1" > bad.txt; exec tori sim --machine mesh:4 --trace two.swf --failures bad.txt
  > END
  $ sh try '30 0\n'
  tori: bad.txt:1: '30 0': expected TIME, a node, box or link, and down or up
  [2]
  $ sh try 'down\n'
  tori: bad.txt:1: 'down': expected TIME, a node, box or link, and down or up
  [2]
  $ sh try '30 0 broken\n'
  tori: bad.txt:1: 'broken': expected down or up
  [2]
  $ sh try '# nothing\nsoon 0 down\n'
  tori: bad.txt:2: time: 'soon' is not a time such as 90s, 1h20m, 1:20:30 or 2-12:00:00
  [2]
  $ sh try '30 0 down\n20 1 down\n'
  tori: bad.txt:2: time 20 is before that of the line before
  [2]
  $ sh try '30 4 down\n'
  tori: bad.txt:1: ...
  [2]
  $ sh try '30 0-2 down\n'
  tori: bad.txt:1: ...
  [2]
  $ sh try '1000000000000 0 down\n'
  tori: bad.txt:1: time: longer than 1000000000000 seconds
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --failures none-such.txt
  tori: none-such.txt: No such file or directory
  [1]
  $ tori sim --machine mesh:4 --trace two.swf --failures one.txt --mtbf 5
  tori: ...
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --mttr 5
  tori: ...
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --checkpoint 5
  tori: ...
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --mtbf 1000000000
  tori: --mtbf: longer than 1000000000 hours
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --mtbf 0
  tori: --mtbf: '0' is not above 0
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --mtbf 5 --on-failure wait
  tori: --on-failure: 'wait' is not one of requeue, kill, repair
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --mtbf 5 --network fluid
  tori: --network fluid: messages of a job that is stopped would be left over, so it does not take --failures, --mtbf, --urgent, --moves or --late
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --mtbf 5 --sched gang
  tori: --failures, --mtbf, --urgent, --moves and --late: gang does not stop jobs
  [2]
  $ tori sim --from now.json --mtbf 5 --on-failure repair --move-cost 5
  tori: --from: whether jobs are moved, and what that costs, is in the file
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --move-cost 5
  tori: ...
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --urgent 2
  tori: ...
  [2]
  $ tori sim --machine mesh:4 --trace two.swf --preempted kill
  tori: ...
  [2]

Job 1 has requested 4 s and runs for 5. Jobs 2 and 4 wait for it, and jobs 3
and 5 for them: nothing changes their order.

  $ printf 'submit,run_time,estimate,shape\n0,5,4,4x4\n0,9,9,4x3\n0,9,9,3x4\n0,9,9,1x4\n4.01,1,1,4x4\n' > late.csv
  $ tori sim --machine mesh:4x4 --jobs-csv late.csv --estimates log --sched conservative --log late.log > /dev/null
  $ cut -d, -f1-4 late.log
  {"id":1,"submit":0,"start":0,"finish":5
  {"id":2,"submit":0,"start":5,"finish":14
  {"id":4,"submit":0,"start":5,"finish":14
  {"id":3,"submit":0,"start":14,"finish":23
  {"id":5,"submit":4.01,"start":23,"finish":24
  $ tori sim --machine mesh:4x4 --jobs-csv late.csv --at-limit run --sched easy --depth 3 --log - | cmp - late.log

If jobs end at their limits, job 1 runs for 4 s. The scheduler hears of each
end half a second late, or of the ends of some jobs.

  $ tori sim --machine mesh:4x4 --jobs-csv late.csv --at-limit kill --late 0.5s --sched conservative --log - | cut -d, -f1-4
  {"id":1,"submit":0,"start":0,"finish":4.5
  {"id":2,"submit":0,"start":4.5,"finish":14
  {"id":4,"submit":0,"start":4.5,"finish":14
  {"id":3,"submit":0,"start":14,"finish":23.5
  {"id":5,"submit":4.01,"start":23.5,"finish":25
  $ tori sim --machine mesh:4x4 --jobs-csv late.csv --at-limit kill --late 2s:0.5 --sched conservative | grep -e longer -e makespan
  makespan                 25 s
  jobs that ran longer than they requested: 1; they ended at their limits
  $ tori sim --machine mesh:4x4 --jobs-csv late.csv --at-limit run --estimates exact
  tori: --at-limit run: no job runs longer than its estimate unless --estimates is log
  [2]
  $ tori sim --machine mesh:4x4 --model lublin --at-limit kill
  tori: --at-limit: no job of a model runs longer than its limit
  [2]
  $ tori sim --machine mesh:4x4 --jobs-csv late.csv --late 0
  tori: --late: '0' is not a time above 0, alone or with a share of the jobs from 0 to 1
  [2]
  $ tori sim --machine mesh:4x4 --jobs-csv late.csv --late 1s:3
  tori: --late: '1s:3' is not a time above 0, alone or with a share of the jobs from 0 to 1
  [2]
  $ tori sim --machine mesh:4x4 --jobs-csv late.csv --late soon
  tori: ...
  [2]
