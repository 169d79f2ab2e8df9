A machine of 8x8 with two jobs, three that wait and a node that is down.

  $ cat > morning <<END
  > {"machine": "torus:8x8", "now": 100, "sched": "easy", "down": ["7,7"],
  >  "running": [{"id": 1, "box": "0,0/4x8", "start": 0, "end": 500},
  >              {"id": 2, "box": "4,0/2x8", "start": 50, "end": 300}],
  >  "queue": [{"id": 3, "shape": "4x4", "time_limit": 600, "submit": 60},
  >            {"id": 4, "shape": "8x8", "time_limit": 60, "submit": 70},
  >            {"id": 5, "shape": "2x4", "time_limit": 1000, "submit": 80},
  >            {"id": 6, "shape": "1x9", "time_limit": 10, "submit": 90}]}
  > END
  $ tori map morning
  aaaaaaaa
  aaaaaaaa
  aaaaaaaa
  aaaaaaaa
  bbbbbbbb
  bbbbbbbb
  ........
  .......x

  dimension 0 downwards, 1 to the right
  a  job 1, 0,0/4x8
  b  job 2, 4,0/2x8
  15 of 64 nodes are free
  $ tori map torus.json
  tori: torus.json: No such file or directory
  [1]
  $ tori why morning 3 999 --json
  {"now":100,"jobs":[{"id":3,"reason":"numerical","text":"not enough free nodes: it asks for a box of 4x4 with 16 nodes; only 15 are free","free":15,"largest":"6,0/2x7","place":"4,0/4x4","missing":8,"blockers":[{"job":2,"nodes":8}],"links":[],"down":[],"start":300,"start_place":"4,0/4x4","helps":[{"change":"count","to":"2x7","place":"6,0/2x7"},{"change":"job","job":2,"place":"4,0/4x4"}]}]}
  tori: morning: no job 999 waits
  [2]
  $ tori forecast morning 4 3
  job  start, s     in  place
    3       300  3m20s  4,0/4x4
    4     never
  $ tori forecast morning 6 1 3
  job  start, s     in  place
    3       300  3m20s  4,0/4x4
  job 6 can never run
  tori: morning: no job 1 waits
  [2]
  $ tori forecast morning
  job  start, s     in  place
    3       300  3m20s  4,0/4x4
    5       300  3m20s  4,4/2x4
    4     never
  not a promise for 1 job without a planned start: jobs that come later may delay it
  job 6 can never run
  $ tori forecast morning --json
  {"now":100,"rejected":[6],"jobs":[{"id":3,"start":300,"place":"4,0/4x4"},{"id":4,"start":null,"place":null},{"id":5,"start":300,"place":"4,4/2x4","unsure":["unplanned"]}]}
  $ tori what-if morning --sched fcfs
  job 6 can never run
  job  start, s  without  change  place
    3       300      300       0  4,0/4x4
    4     never    never
    5       300      300       0  4,4/2x4
  $ tori what-if morning --up 7,7 --cancel 1
  job 6 can never run
  job  start, s  without  change  place
    3       100      300  -3m20s  0,0/4x4
    4       700    never          0,0/8x8
    5       760      300  +7m40s  0,0/2x4
  $ tori what-if morning --down 4,0 --add shape=2x2,time=60 --json
  {"now":100,"killed":[2],"requeued":[],"rejected":[6],"jobs":[{"id":3,"start":100,"place":"4,1/4x4","without":{"start":300,"place":"4,0/4x4"}},{"id":4,"start":null,"place":null,"without":{"start":null,"place":null}},{"id":5,"start":100,"place":"4,5/4x2","without":{"start":300,"place":"4,4/2x4"}},{"id":7,"start":500,"place":"0,0/2x2","without":{"start":null,"place":null}}]}
  $ tori what-if morning --alloc mm
  job 3 can never run
  job 4 can never run
  job 5 can never run
  job 6 can never run
  job  start, s  without  change  place
  $ tori what-if morning --cancel 9
  tori: --cancel: there is no job 9
  [2]
  $ tori what-if morning --add shape=2x2
  tori: --add: no time limit
  [2]
  $ tori what-if morning --add shape=2x2,time=60,colour=red
  tori: --add: 'colour': expected one of shape, count, wiring, or, only, time, priority, tier, user, queue
  [2]
  $ tori what-if morning --add shape=9x9,time=60
  tori: --add: shape=9x9,time=60 can never run on this machine
  [4]
  $ tori what-if morning --down 9,9
  tori: --down: '9,9' is not a node of torus:8x8: expected coordinates up to 7,7
  [2]
  $ tori what-if morning --sched fcfs --depth 2
  tori: fcfs plans no starts: it has no depth
  [2]
  $ cat > four <<END
  > {"machine": "torus:2x2x2x5",
  >  "running": [{"id": 1, "box": "0,0,0,0/2x1x2x3", "end": 9}]}
  > END
  $ tori map four
  0,0    0,1    1,0    1,1
  aaa..  .....  aaa..  .....
  aaa..  .....  aaa..  .....

  dimensions 0,1 above each plane, 2 downwards, 3 to the right
  a  job 1, 0,0,0,0/2x1x2x3
  28 of 40 nodes are free

What else can be changed.

  $ tori what-if morning --priority 5=1
  job 6 can never run
  job  start, s  without  change  place
    5       100      300  -3m20s  6,0/2x4
    3       500      300  +3m20s  0,0/4x4
    4     never    never
  $ tori what-if morning --hold 3 --drain 6,0/2x1
  job 6 can never run
  job  start, s  without  change  place
    3     never      300
    4     never    never
    5       100      300  -3m20s  6,1/2x4
  $ sed 's/"time_limit": 600,/"time_limit": 600, "hold": "user",/' morning > asleep
  $ tori what-if asleep --release 3
  job 6 can never run
  job  start, s  without  change  place
    3       300    never          4,0/4x4
    4     never    never
    5       300      100  +3m20s  4,4/2x4
  $ tori what-if morning --time 5=3m --time 2=1m40s
  job 6 can never run
  job  start, s  without  change  place
    3       150      300  -2m30s  4,0/4x4
    4     never    never
    5       150      300  -2m30s  4,4/2x4
  $ tori what-if morning --reservation box=4,0/4x8,from=+3m,until=1:00:00,jobs=3,5
  job 6 can never run
  job  start, s  without  change  place
    3       300      300       0  4,0/4x4
    4     never    never
    5       300      300       0  4,4/2x4
  $ tori what-if morning --reservation box=4,0/4x8,from=+3m,until=1h --add shape=2x2,time=1h,priority=7
  job 6 can never run
  job  start, s  without  change  place
    7       500              new  0,0/2x2
    3       500      300  +3m20s  0,2/4x4
    4     never    never
    5       500      300  +3m20s  0,6/4x2
  $ for change in '--priority 5' '--priority 5=x' '--priority 1=3' \
  >   '--hold 77' '--hold 1' '--time 5=1x' '--drain 8,8' '--reservation from=1' \
  >   '--reservation box=0,0,from=+1h,until=+1h' '--reservation box=0,0,colour=red' \
  >   '--reservation box=0,0,jobs=1,x'; do
  >   tori what-if morning $change
  > done
  tori: --priority: '5': expected ID=VALUE
  tori: --priority: priority: 'x' is not a whole number from -9223372036854775808 to 9223372036854775807
  tori: --priority: job 1 runs already
  tori: --hold: there is no job 77
  tori: --hold: job 1 runs already
  tori: --time: '1x' is not a time such as 90s, 1h20m, 1:20:30 or 2-12:00:00
  tori: --drain: '8,8' is not a node of torus:8x8: expected coordinates up to 7,7
  tori: --reservation: a box or a count is missing
  tori: --reservation: reservation what-if 1 ends before it begins
  tori: --reservation: 'colour': expected box, count, from, until or jobs, each once
  tori: --reservation: 'x': expected ids of jobs
  [2]

Counts have nodes.

  $ cat > counts <<END
  > {"machine": "mesh:2x2", "alloc": {"count": "mm"},
  >  "running": [{"id": 1, "nodes": ["0,0", "0,1", "1,0"], "end": 7.5}],
  >  "queue": [{"id": 2, "count": 4, "time_limit": 5}]}
  > END
  $ tori forecast counts --json
  {"now":0,"rejected":[],"jobs":[{"id":2,"start":7.5,"place":null,"nodes":["0,0","0,1","1,0","1,1"]}]}
  $ gzip < counts | tori forecast -
  job  start, s    in  place
    2       7.5  7.5s  0,0 0,1 1,0 and 1 more

They can have reservations: then planned starts are places.

  $ tori what-if counts --reservation box=0,0/1x2,from=10,until=20
  job  start, s  without  change  place
    2        20      7.5  +12.5s  0,0 0,1 1,0 and 1 more

Where shapes and counts wait, another allocator replaces that of its own kind.

  $ cat > both <<END
  > {"machine": "mesh:4x4", "alloc": {"shape": "first-fit", "count": "row-ff"},
  >  "running": [{"id": 1, "box": "1,0", "end": 50}],
  >  "queue": [{"id": 2, "shape": "2x2", "time_limit": 10},
  >            {"id": 3, "count": 4, "time_limit": 10}]}
  > END
  $ for alloc in row-ff mm best-fit mc; do
  >   tori what-if both --alloc $alloc
  > done
  job  start, s  without  change  place
    2         0        0       0  0,1/2x2
    3         0        0       0  1,3 2,0 2,1 and 1 more
  job  start, s  without  change  place
    2         0        0       0  0,1/2x2
    3         0        0       0  2,0 2,1 3,0 and 1 more
  job  start, s  without  change  place
    2         0        0       0  2,0/2x2
    3         0        0       0  0,0 0,1 0,2 and 1 more
  job  start, s  without  change  place
    2         0        0       0  0,1 0,2 1,1 and 1 more
    3         0        0       0  0,3 1,3 2,2 and 1 more

What a file cannot say.

  $ printf '{"machine": "mesh:4",\n"now": }' > bad
  $ tori forecast bad
  tori: bad:2: not JSON: unexpected token near '}'
  [2]
  $ printf '{"machine": "mesh:4", "running": [{"id": 1, "box": "0/2", "end": 5}, {"id": 2, "box": "1/2", "end": 9}]}' > bad
  $ tori forecast bad
  tori: bad: running[1].box: node 1 is job 1's
  [2]
  $ while read rest; do
  >   printf '{"machine": "mesh:4", "now": 5, %s}' "$rest" | tori forecast -
  > done <<END
  > "sched": "magic"
  > "queue": [{"id": 1, "count": 1, "time_limit": 1, "hold": "boss"}]
  > "queue": [{"id": 1, "count": 1, "time_limit": 1, "submit": 6}]
  > "running": [{"id": 1, "box": "0", "end": 9, "submit": 6}]
  > "running": [{"id": 1, "shape": "3", "box": "0/2", "end": 9}]
  > "running": [{"id": 1, "count": 2, "nodes": ["3"], "end": 9}]
  > "running": [{"id": 1, "shape": "2", "count": 1, "nodes": ["3"], "end": 9}]
  > END
  tori: -: sched: unknown scheduler 'magic': expected fcfs, backfill, easy or conservative
  tori: -: queue[0].hold: unknown hold 'boss': expected none, user, operator, dependency, array or share
  tori: -: queue[0].submit: in the future
  tori: -: running[0].submit: in the future
  tori: -: running[0].shape: more nodes than its place has
  tori: -: running[0].count: more nodes than its place has
  job  start, s  in  place
  $ tori forecast nowhere
  tori: nowhere: No such file or directory
  [1]

Why they wait: one after another, then one by its id.

  $ tori why morning
  job 3: not enough free nodes: it asks for a box of 4x4 with 16 nodes; only 15 are free
    nearest place: 4,0/4x4 lacks 8 nodes; in the way: job 2 (8 nodes)
    expected to start at 300 s, in 3m20s, on 4,0/4x4
    would start now at 6,0/2x7 with 14 nodes instead of 16, as a box of 2x7
    would start now at 4,0/4x4 if job 2 ended
  job 4: it asks for more nodes than are in service
    nearest place: 0,0/8x8 lacks 49 nodes; in the way: job 1 (32 nodes), job 2 (16 nodes); out of service: 7,7
    not expected to start as things are
  job 5: it would delay the planned start of job 3
    expected to start at 300 s, in 3m20s, on 4,4/2x4
    would start now at 6,4/2x3 with 6 nodes instead of 8, as a box of 2x3
    would start now at 6,0/2x4 with a time limit of 3m20s
    would start now at 4,4/2x4 if job 2 ended
  job 6: it can never run on this machine: the shape does not fit the machine's sides
  $ tori why morning 3 --json
  {"now":100,"jobs":[{"id":3,"reason":"numerical","text":"not enough free nodes: it asks for a box of 4x4 with 16 nodes; only 15 are free","free":15,"largest":"6,0/2x7","place":"4,0/4x4","missing":8,"blockers":[{"job":2,"nodes":8}],"links":[],"down":[],"start":300,"start_place":"4,0/4x4","helps":[{"change":"count","to":"2x7","place":"6,0/2x7"},{"change":"job","job":2,"place":"4,0/4x4"}]}]}
  $ tori why morning 6 4
  job 4: it asks for more nodes than are in service
    nearest place: 0,0/8x8 lacks 49 nodes; in the way: job 1 (32 nodes), job 2 (16 nodes); out of service: 7,7
    not expected to start as things are
  job 6: it can never run on this machine: the shape does not fit the machine's sides
  $ tori why morning 1
  tori: morning: no job 1 waits
  [2]
  $ tori why morning --json x
  tori: id: 'x' is not a whole number from 0 to 9223372036854775807
  [2]
  $ tori why counts --json
  {"now":0,"jobs":[{"id":2,"reason":"numerical","text":"not enough free nodes: it asks for 4 nodes; only 1 is free","free":1,"largest":"1,1/1x1","start":7.5,"start_nodes":["0,0","0,1","1,0","1,1"],"helps":[{"change":"job","job":1}]}]}
  $ printf '{"machine": "mesh:4x4", "now": 600, "running": [{"id": 1, "box": "0,0/4x1", "end": 3600}, {"id": 2, "box": "0,2/4x1", "end": 3600}], "queue": [{"id": 3, "shape": "2x2", "time_limit": 60, "submit": 300, "patience": "10m", "alternatives": [{"count": 4}]}]}' > patient
  $ tori why patient
  job 3: fragmented: 8 nodes are free, but no box of 2x2; the largest free box is 4x1
    nearest place: 0,0/2x2 lacks 2 nodes; in the way: job 1 (2 nodes)
    waits for that until 900 s, in 5m, then also takes 4 nodes
    expected to start at 900 s, in 5m, on 0,1 1,1 2,1 and 1 more
    would start now at 0,1/4x1 as a box of 1x4
    would start now at 0,1/3x1 with 3 nodes instead of 4, as a box of 1x3
    would start now at 0,0/2x2 if job 1 moved to 0,3/4x1
    would start now at 0,0/2x2 if job 1 ended
  $ tori why patient --json | grep -o '"patient_until".*"later":[^]]*]'
  "patient_until":900,"later":["4 nodes"]
  $ sed 's/"now": 600/"now": 900/' patient | tori forecast -
  job  start, s   in  place
    3       900  now  0,1 1,1 2,1 and 1 more
  $ printf '{"machine": "torus:4x4", "running": [{"id": 1, "box": "0,0/2x4", "wiring": "torus", "end": 50}], "queue": [{"id": 2, "shape": "2x2", "wiring": "torus", "time_limit": 10}]}' > rings
  $ tori why rings
  job 2: its links are taken: a box of 2x2 is free, but cannot be wired as a torus
    nearest place: 2,0/2x2 lacks only links; in the way: job 1 (links)
    expected to start at 50 s, in 50s, on 0,0/2x2
    would start now at 2,0/2x2 without wiring
    would start now at 2,0/1x4 as a box of 1x4
    would start now at 2,0/1x3 with 3 nodes instead of 4, as a box of 1x3
    would start now at 0,0/2x2 if job 1 ended
  $ tori why rings --json
  {"now":0,"jobs":[{"id":2,"reason":"wiring","text":"its links are taken: a box of 2x2 is free, but cannot be wired as a torus","free":8,"largest":"2,0/2x4","place":"2,0/2x2","missing":0,"blockers":[{"job":1,"nodes":0}],"links":[{"dim":0,"line":[0],"a":0,"b":1,"kind":"n"},{"dim":0,"line":[0],"a":1,"b":2,"kind":"n"},{"dim":0,"line":[0],"a":2,"b":3,"kind":"n"},{"dim":0,"line":[0],"a":0,"b":3,"kind":"w"},{"dim":0,"line":[1],"a":0,"b":1,"kind":"n"},{"dim":0,"line":[1],"a":1,"b":2,"kind":"n"},{"dim":0,"line":[1],"a":2,"b":3,"kind":"n"},{"dim":0,"line":[1],"a":0,"b":3,"kind":"w"}],"down":[],"start":50,"start_place":"0,0/2x2","helps":[{"change":"wiring","to":"none","place":"2,0/2x2"},{"change":"shape","to":"1x4","place":"2,0/1x4"},{"change":"count","to":"1x3","place":"2,0/1x3"},{"change":"job","job":1,"place":"0,0/2x2"}]}]}

A simulation is cut in two: what starts after the cut starts when and where it
would have.

  $ same='--wiring torus --model lublin --jobs 300 --load 1.1 --seed 3'
  > for sched in fcfs easy conservative; do
  >   tori sim --machine torus:4x4x4 --sched $sched $same --snapshot 60000:at.json.gz --log full > out
  >   tori sim --from at.json.gz $same --log rest > out
  >   tail -n $(wc -l < rest) full | sed 's/"numerical".*//' > want
  >   sed 's/"numerical".*//' rest | cmp want - && wc -l < rest
  > done
  245
  182
  182

Jobs of one's own are a log as well: those that come later are in it, and the run
times of all.

  $ printf 'submit,run_time,estimate,shape,wiring\n0,10,50,4x4,mesh\n2,7,9,4x2,mesh\n30,5,6,4x4,mesh\n' > own.csv
  $ tori sim --machine mesh:4x4 --jobs-csv own.csv --snapshot 5:at.json --log - | cut -d, -f1-4
  {"id":1,"submit":0,"start":0,"finish":10
  {"id":2,"submit":2,"start":10,"finish":17
  {"id":3,"submit":30,"start":30,"finish":35
  $ tori sim --from at.json --jobs-csv own.csv --log - | cut -d, -f1-4
  {"id":2,"submit":2,"start":10,"finish":17
  {"id":3,"submit":30,"start":30,"finish":35

A reservation lets in the jobs that it names, by the ids of the snapshot, and those
that come later by the ids of the log. A snapshot of the simulation has the same ids.

  $ printf '{"machine":"mesh:4","now":0,"sched":"easy","queue":[{"id":1,"shape":"4","time_limit":30,"submit":0},{"id":2,"shape":"3","time_limit":20,"submit":0}],"reservations":[{"id":"w","box":"0/4","from":10,"until":100,"jobs":[1]}]}' > admits
  $ tori forecast admits
  job  start, s     in  place
    1         0    now  0/4
    2       100  1m40s  0/3
  $ tori sim --from admits --log - --snapshot 40:at.json | cut -d, -f1-4
  {"id":1,"submit":0,"start":0,"finish":30
  {"id":2,"submit":0,"start":100,"finish":120
  $ grep -o '"jobs": .*' at.json
  "jobs": [1]}],
  "jobs": [1]}]}
  $ printf 'submit,run_time,estimate,shape\n1,1,1,1\n1,1,1,1\n2,20,20,4\n3,20,20,4\n' > again.csv
  $ sed 's/"id":1/"id":8/; s/"id":2/"id":9/; s/\[1\]/[8,4,77]/' admits > named
  $ tori sim --from named --jobs-csv again.csv --log - | cut -d, -f1-4
  {"id":8,"submit":0,"start":0,"finish":30
  {"id":4,"submit":3,"start":30,"finish":50
  {"id":9,"submit":0,"start":100,"finish":120
  {"id":1,"submit":1,"start":100,"finish":101
  {"id":2,"submit":1,"start":101,"finish":102
  {"id":3,"submit":2,"start":120,"finish":140

What is down is so before the first job comes.

  $ sed 's/^30.*/30,5,6,2x2,mesh/; 2,3d' own.csv > later.csv && echo 0,1 > one
  $ tori sim --machine mesh:4x4 --jobs-csv later.csv --down one --snapshot 20:at.json > out && grep down at.json
   "down": ["0,1"],

So it is where boxes are wired around links that are down: a snapshot has
their links.

  $ printf '1,0,1-3,0,1 s\n2,2,2-2,3,2\n0,1,0-0,1,1\n0,1,0-0,1,1 s\n3,0,3-3,2,3\n' > down
  > same='--wiring torus --model lublin --jobs 300 --load 1.1 --seed 3'
  > for sched in fcfs easy conservative; do
  >   tori sim --machine multitorus:4x4x4 --down-links down --sched $sched $same --snapshot 60000:at.json --log full > out
  >   tori sim --from at.json $same --log rest > out
  >   tail -n $(wc -l < rest) full | sed 's/"numerical".*//' > want
  >   sed 's/"numerical".*//' rest | cmp want - && wc -l < rest
  >   grep -c '"links"' at.json
  > done
  229
  1
  183
  1
  180
  5
  $ cat > bad <<END
  > {"machine": "multitorus:4x4", "running": [
  >  {"id": 1, "box": "0,0/1x4", "wiring": "torus", "end": 9, "links": ["1,0-1,1"]}]}
  > END
  $ tori map bad
  tori: bad: running[0].links: link 0-1 n at node 1,0 is in no line of the box
  [2]
  $ sed 's/1,0-1,1/0,0-0,1", "0,0-0,1/' bad | tori map -
  tori: -: running[0].links: link 0-1 n at node 0,0 is there twice
  [2]
  $ sed 's/multitorus:4x4/torus:4x4/; s/1,0-1,1/0,0-0,1/' bad | tori map -
  tori: -: running[0].links: link 0-1 n at node 0,0 is in a dimension that has no others
  [2]
  $ sed 's/"box": "[^"]*"/"nodes": ["0,0"]/' bad | tori map -
  tori: -: running[0].links: there is no box
  [2]
  $ tori why at.json.gz --json | grep -c '"helps"'
  1
  $ tori sim --from morning | head -5
  morning on torus:8x8: easy, submit order, first-fit, shapes first-match, wiring none, estimates exact

  jobs run                 2
  jobs rejected            2
  jobs that can be placed  66.67 %
  $ tori sim --machine mesh:4 --snapshot 5
  tori: --snapshot: '5': expected TIME:FILE
  [2]
  $ tori sim --machine mesh:4 --snapshot -5:y
  tori: --snapshot: '-5' is before time 0
  [2]
  $ tori sim --machine mesh:4 --snapshot 9000000000000000000:y
  tori: --snapshot: '9000000000000000000' is too long
  [2]
  $ tori sim --machine mesh:4 --snapshot 2000000000000:y
  tori: --snapshot: longer than 1000000000000 seconds
  [2]
  $ echo '{"machine": "mesh:4", "now": 7.5}' | tori sim --from - --snapshot 7:y
  tori: --snapshot: its time is before that of --from, 7.5 s
  [2]
  $ tori sim --machine mesh:4 --snapshot x:y
  tori: --snapshot: 'x' is not a time such as 90s, 1h20m, 1:20:30 or 2-12:00:00
  [2]
  $ tori sim --from morning --out-swf - | grep -v '^;' | cut -d' ' -f12-16 | sort -u
  -1 -1 -1 -1 -1
  $ tori sim --from morning --machine mesh:4
  tori: --from: the machine is in the file
  [2]
  $ tori sim --from morning --seeds 3
  tori: --seeds: --log, --out-swf, --snapshot, --from and --timing are for one simulation
  [2]
  $ tori sim --from morning --down morning
  tori: --from: what is down is in the file
  [2]
  $ tori sim --jobs 5
  tori: --machine KIND:SIZES is missing; see 'tori sim --help'
  [2]

A promise whose time has passed, as after a standstill, is not when a job starts.

  $ cat > stale <<END
  > {"machine": "mesh:4", "now": 200, "running": [{"id": 1, "box": "0/2", "end": 300}],
  >  "queue": [{"id": 2, "shape": "4", "time_limit": 9, "promise": {"start": 100, "box": "0/4"}},
  >   {"id": 3, "shape": "2", "time_limit": 150}]}
  > END
  $ tori why stale
  job 2: not enough free nodes: it asks for a box of 4 with 4 nodes; only 2 are free
    nearest place: 0/4 lacks 2 nodes; in the way: job 1 (2 nodes)
    expected to start at 300 s, in 1m40s, on 0/4
    would start now at 2/2 with 2 nodes instead of 4, as a box of 2
    would start now at 0/4 if job 1 ended
  job 3: it would delay the planned start of job 2
    expected to start at 309 s, in 1m49s, on 0/2
    would start now at 2/2 with a time limit of 1m40s

A reservation is a reason, and a shorter time limit helps. Who holds a job is said.
  $ printf '{"machine": "torus:4x4x4", "now": 1000, "reservations": [{"id": "w", "box": "0,0,0/4x4x4", "from": 2000, "until": 4000}],' > noon
  $ printf '"queue": [{"id": 1, "shape": "2x2x2", "time_limit": 1001}, {"id": 2, "shape": "2x2x2", "time_limit": 10, "hold": "operator"}]}' >> noon
  $ tori why noon
  job 1: it would run into reservation w
    expected to start at 4000 s, in 50m, on 0,0,0/2x2x2
    would start now with a time limit of 16m40s
  job 2: it is held by an operator
    not expected to start as things are

A fixed box keeps its sides in the order of the request, also where another shape or
fewer nodes would help. Fewer nodes than half of them are no help.

  $ cat > fixed.json <<END
  > {"machine": "mesh:4x4", "now": 0, "running": [{"id": 1, "box": "0,0/4x3", "start": 0, "end": 50}],
  >  "queue": [{"id": 2, "shape": "1x3", "fixed": true, "time_limit": 9},
  >   {"id": 3, "shape": "2x4", "fixed": true, "time_limit": 9},
  >   {"id": 4, "shape": "3x3", "time_limit": 9}, {"id": 5, "count": 8, "time_limit": 9},
  >   {"id": 6, "count": 9, "time_limit": 9}]}
  > END
  $ tori why fixed.json | grep -E '^job|instead|as a box' | cut -d: -f1
  job 2
    would start now at 0,3/3x1 as a box of 3x1
    would start now at 0,3/2x1 with 2 nodes instead of 3, as a box of 2x1
  job 3
    would start now at 0,3/4x1 with 4 nodes instead of 8, as a box of 4x1
  job 4
  job 5
    would start now with 4 nodes instead of 8
  job 6
  $ tori why fixed.json 2 --json | grep -o '"helps.*'
  "helps":[{"change":"shape","to":"3x1","place":"0,3/3x1"},{"change":"count","to":"2x1","place":"0,3/2x1"},{"change":"moves","to":"job 1 to 1,0/3x4","place":"0,0/1x3","moves":[{"job":1,"from":"0,0/4x3","to":"1,0/3x4","nodes":12}],"nodes":12},{"change":"job","job":1,"place":"0,0/1x3"}]}]}

A limit of nodes that was lowered below the size of a job never lets it start.

  $ cat > lowered.json <<END
  > {"machine": "mesh:8", "now": 0, "user_limits": {"nodes": 4},
  >  "queues": [{"name": "day", "user_nodes": 3}, {"name": "all", "nodes": 1}],
  >  "queue": [{"id": 1, "count": 6, "time_limit": 9, "user": "anna"},
  >   {"id": 2, "count": 4, "time_limit": 9, "user": "anna", "hold": "share"},
  >   {"id": 3, "shape": "4", "time_limit": 9, "user": "ben", "queue": "day", "hold": "share"},
  >   {"id": 4, "count": 1, "alternatives": [{"shape": "2"}], "time_limit": 9, "queue": "all"},
  >   {"id": 5, "count": 5, "time_limit": 9, "user": "ben", "after": ["any:2"], "hold": "dependency"},
  >   {"id": 6, "count": 5, "time_limit": 9, "user": "ben", "hold": "user"}]}
  > END
  $ tori forecast lowered.json
  job  start, s   in  place             if
    2         0  now  0 1 2 and 1 more  other jobs end at their time limits
    1     never
    3     never
    4     never
    5     never
    6     never
  $ tori why lowered.json
  job 1: it can never start: it has more nodes than the user's limit of 4 nodes
  job 2: it starts now
  job 3: it can never start: it has more nodes than queue day's limit of 3 nodes for each user
  job 4: it can never start: it has more nodes than queue all's limit of 1 node
  job 5: it can never start: it has more nodes than the user's limit of 4 nodes
  job 6: it is held by its owner
    not expected to start as things are

What other jobs, an array or a limit hold will start, and shares a line.

  $ printf '{"machine": "torus:4x4", "now": 0, "queue": [{"id": 1, "count": 2, "time_limit": 9, "hold": "array"}, {"id": 2, "count": 2, "time_limit": 9, "hold": "array"}, {"id": 3, "count": 2, "time_limit": 9, "hold": "user"}, {"id": 4, "count": 2, "time_limit": 9, "hold": "share"}]}' > holds
  $ tori why holds 2 3
  job 2: it waits for other jobs of its array
    will start after that; when is open
  job 3: it is held by its owner
    not expected to start as things are
  $ tori forecast holds
  job  start, s  in  place
  1-2      open
    3     never
    4      open
  $ tori what-if holds --cancel 1 --cancel 2
  job  start, s  without  change  place
    3     never    never
    4      open     open

That others start beside it is not why a job waits.

  $ printf '{"machine": "mesh:4", "reservations": [{"id": "w", "box": "0/4", "from": 100, "until": 200}],' > beside
  $ printf '"queue": [{"id": 1, "shape": "4", "time_limit": 150}, {"id": 2, "shape": "2", "time_limit": 50}]}' >> beside
  $ tori why beside
  job 1: it would run into reservation w
    expected to start at 200 s, in 3m20s, on 0/4
  job 2: it starts now

When a job may start at the earliest is said, and so is the number of nodes
that is wanted of a box.

  $ printf '{"machine": "mesh:4x4", "now": 3600, "running": [{"id": 1, "box": "0,0/2x4", "end": 4000}], "queue": [{"id": 2, "shape": "2x2", "time_limit": 60, "earliest": "+1h30m"},' > early
  $ printf '{"id": 3, "shape": "3x4", "count": 11, "time_limit": 60}]}' >> early
  $ tori why early
  job 2: it may not start before 9000 s, in 1h30m
    expected to start at 9000 s, in 1h30m, on 0,0/2x2
  job 3: not enough free nodes: it asks for a box of 3x4 with 11 nodes; only 8 are free
    nearest place: 1,0/3x4 lacks 4 nodes; in the way: job 1 (4 nodes)
    expected to start at 4000 s, in 6m40s, on 0,0/3x4
    would start now at 2,0/2x4 with 8 nodes instead of 11, as a box of 2x4
    would start now at 0,0/3x4 if job 1 ended

A job that has outlived its estimate ends any moment.

  $ printf '{"machine": "mesh:4", "now": 1000, "running": [{"id": 1, "box": "0/3", "start": 0, "end": 900}],' > late
  $ printf '"queue": [{"id": 2, "shape": "2", "time_limit": 4800}, {"id": 3, "shape": "4", "time_limit": 60}]}' >> late
  $ tori forecast late
  job  start, s     in  place
    2      1000   soon  0/2
    3      5800  1h20m  0/4
  not a promise for 1 job without a planned start: jobs that come later may delay it
  $ tori why late
  job 2: not enough free nodes: it asks for a box of 2 with 2 nodes; only 1 is free
    nearest place: 2/2 lacks 1 node; in the way: job 1 (1 node)
    expected to start as soon as a job ends that has outlived its time limit
    would start now at 3/1 with 1 node instead of 2, as a box of 1
    would start now at 0/2 if job 1 ended
  job 3: not enough free nodes: it asks for a box of 4 with 4 nodes; only 1 is free
    nearest place: 0/4 lacks 3 nodes; in the way: job 1 (3 nodes)
    expected to start at 5800 s, in 1h20m, on 0/4

Moves of running jobs help, and are those of tori defrag.

  $ printf '{"machine": "mesh:4x4", "running": [{"id": 1, "box": "1,1/2x1", "end": 50}, {"id": 2, "nodes": ["2,2", "3,3"], "end": 9}],' > holes
  $ printf '"queue": [{"id": 3, "shape": "2x3", "time_limit": 10}]}' >> holes
  $ tori why holes
  job 3: fragmented: 12 nodes are free, but no box of 2x3; the largest free box is 1x4
    nearest place: 0,0/2x3 lacks 1 node; in the way: job 1 (1 node)
    expected to start at 9 s, in 9s, on 0,2/3x2
    would start now at 0,2/2x2 with 4 nodes instead of 6, as a box of 2x2
    would start now at 0,0/3x2 if job 1 moved to 0,2/1x2
    would start now at 0,0/2x3 if job 1 ended
  $ tori why holes --json
  {"now":0,"jobs":[{"id":3,"reason":"topological","text":"fragmented: 12 nodes are free, but no box of 2x3; the largest free box is 1x4","free":12,"largest":"0,0/1x4","place":"0,0/2x3","missing":1,"blockers":[{"job":1,"nodes":1}],"links":[],"down":[],"start":9,"start_place":"0,2/3x2","helps":[{"change":"count","to":"2x2","place":"0,2/2x2"},{"change":"moves","to":"job 1 to 0,2/1x2","place":"0,0/3x2","moves":[{"job":1,"from":"1,1/2x1","to":"0,2/1x2","nodes":2}],"nodes":2},{"change":"job","job":1,"place":"0,0/2x3"}]}]}

Also for a job that has a planned start: its own planned place is in nobody's way.

  $ printf '{"machine":"torus:2x5","now":5,"sched":"easy","running":[{"id":1,"box":"0,1/1x2","start":0,"end":100},{"id":2,"box":"1,1/1x2","start":0,"end":110},{"id":3,"box":"1,4/1x1","start":0,"end":120}],' > planned
  $ printf '"queue":[{"id":50,"shape":"2x2","time_limit":30,"submit":0}]}' >> planned
  $ tori why planned | grep moved
    would start now at 0,3/2x2 if job 3 moved to 0,0/1x1
  $ tori defrag planned --for 50 | tail -n 1
  nodes moved: 1, and no fewer will do

Of all running jobs, the one is named whose end would do, though it is not at the place
that lacks least.

  $ printf '{"machine":"multitorus:8x8","sched":"easy","running":[{"id":1,"box":"5,4/3x4","end":9},{"id":2,"box":"0,3/1x3","end":9},{"id":3,"box":"3,0/4x2","end":9},{"id":4,"box":"7,0/1x1","end":9}],' > ends
  $ printf '"queue":[{"id":5,"shape":"6x7","time_limit":30}]}' >> ends
  $ tori why ends | grep ended
    would start now at 1,2/7x6 if job 1 ended
  $ tori what-if ends --cancel 1
  job  start, s  without  change  place
    5         0        9     -9s  1,2/7x6

A member that means nothing is told of, unless it is a remark.

  $ printf '{"machine": "mesh:4", "colour": "red", "_note": "a test", "alloc": {"shap": "first-fit"},' > odd
  $ printf '"queue": [{"id": 1, "shape": "2", "time_limit": 9, "priorty": 7, "box": "0/2", "promise": {"start": 0, "box": "0/2", "at": 3}}]}' >> odd
  $ tori forecast odd
  tori: odd: alloc.shap: unknown member, ignored
  tori: odd: queue[0].promise.at: unknown member, ignored
  tori: odd: queue[0].priorty: unknown member, ignored
  tori: odd: queue[0].box: unknown member, ignored
  tori: odd: colour: unknown member, ignored
  job  start, s   in  place
    1         0  now  0/2
  $ sed 's/"priorty"/"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f"/' odd > odder
  $ tori forecast odder 2>&1 > rows | tail -n 2
  tori: odder: queue[0].f: unknown member, ignored
  tori: odder: and 2 more

  $ printf '{"machine": "mesh:4", "\\u001b[2J": 1}' | tori forecast -
  tori: -: ?[2J: unknown member, ignored
  job  start, s  in  place

Times may be written as people do.

  $ printf '{"machine": "mesh:4", "now": "9:00", "running": [{"id": 1, "box": "0/3", "start": "-30m", "end": "+1h30m"}],' > clock
  $ printf '"queue": [{"id": 2, "shape": "2", "time_limit": "1h", "submit": "8:59:30", "earliest": "+2h"}]}' >> clock
  $ tori forecast clock
  job  start, s  in  place
    2     39600  2h  0/2
  not a promise for 1 job without a planned start: jobs that come later may delay it
  $ for time in '"9:60"' '"+x"' '"-10h"' -1 '""'; do
  >   sed "s/\"-30m\"/$time/" clock | tori forecast -
  > done
  tori: -: running[0].start: '9:60' is not a time such as 90s, 1h20m, 1:20:30 or 2-12:00:00
  tori: -: running[0].start: 'x' is not a time such as 90s, 1h20m, 1:20:30 or 2-12:00:00
  tori: -: running[0].start: '-10h' is before time 0
  tori: -: running[0].start: expected seconds, 0 or more, or a text such as "1h20m"
  tori: -: running[0].start: '' is not a time such as 90s, 1h20m, 1:20:30 or 2-12:00:00
  [2]
  $ sed 's/"now": "9:00", //' clock | tori forecast -
  tori: -: running[0].start: '-30m' counts from now, and the file has no now
  [2]

Names of the version before are read, and written beside those of today. Two
that differ are refused.

  $ echo '{"machine": "mesh:8", "windows": [{"id": "w", "box": "0/8", "from": 5, "until": 50}], "queue": [{"id": 1, "shape": "2", "estimate": 9}]}' > old
  $ tori forecast old > told
  $ sed 's/"windows"/"reservations"/' old | tori forecast - | cmp told -
  $ cat told
  job  start, s   in  place
    1        50  50s  0/2
  $ tori sim --from old --snapshot 0:now > all
  $ grep -A1 -e windows -e reservations now
   "reservations": [
    {"id": "w", "box": "0/8", "from": 5, "until": 50}],
   "windows": [
    {"id": "w", "box": "0/8", "from": 5, "until": 50}]}
  $ tori forecast now | cmp told -
  $ sed '/windows/,$s/: 50}/: 60}/' now | tori forecast -
  tori: -: reservations: differs from windows, which is its old name
  [2]
  $ sed 's/"estimate"/"time_limit"/' old | tori forecast - | cmp told -
  $ sed 's/"estimate": 9/&, "time_limit": 8/' old | tori forecast -
  tori: -: queue[0].time_limit: differs from estimate, which is its old name
  [2]
  $ sed 's/"estimate": 9/&, "level": 2, "tier": 1/' old | tori forecast -
  tori: -: queue[0].tier: differs from level, which is its old name
  [2]
  $ sed 's/"estimate": 9/&, "level": 2/' old | tori sim --from - --snapshot 0:now > all
  $ grep -o '"tier.*promise' now
  "tier": 2, "level": 2, "turn": 1, "submit": 0, "time_limit": 9, "estimate": 9, "promise
  $ tori forecast now | grep -v promise | cmp told -
  $ tori why old --json | grep -o '"reservation":"w","window":"w"'
  "reservation":"w","window":"w"
  $ tori what-if old --window box=0/8,from=50,until=60 --estimate 1=4s --add shape=1,estimate=3,level=1 > all
  $ tori what-if old --reservation box=0/8,from=50,until=60 --time 1=4s --add shape=1,time=3,tier=1 | cmp all -
  $ tori what-if old --add shape=1,time=3,estimate=4
  tori: --add: time: given twice
  [2]
  $ tori what-if --help | grep -cE -e '--(window|estimate)'
  0
  [1]

The help names every member that a snapshot may have.

  $ tori help files | sed -n '/^Snapshots/,/^  {/p' > help
  > for member in machine now sched order depth work places alloc epsilon \
  >   steps hypercube noncubic down drained down_links running queue reservations \
  >   tori_snapshot id shape count wiring fixed wrap box boxes nodes links start end \
  >   time_limit submit priority earliest hold requeue checkpoint done tier \
  >   preempted suspended saved turn movable promise \
  >   from until jobs; do
  >   grep -qw $member help || echo "$member is not there"
  > done

An urgent job takes the place of one that loses the least work.

  $ cat > urgent.json <<END
  > {"machine": "mesh:8", "now": 100,
  >  "running": [{"id": 1, "box": "0/4", "start": 0, "end": 500, "checkpoint": 60},
  >              {"id": 2, "box": "4/4", "start": 50, "end": 500}],
  >  "queue": [{"id": 3, "shape": "8", "time_limit": 10, "submit": 100}]}
  > END
  $ tori what-if urgent.json --add shape=4,time=50,tier=1
  job  start, s  without  change  place
    3       590      500  +1m30s  0/8
    4       100              new  0/4
  when job 4 starts, job 1 is requeued

A suspended job continues where it was, and has saved no more than it has done.

  $ cat > asleep.json <<END
  > {"machine": "mesh:8", "now": 100,
  >  "running": [{"id": 1, "box": "0/4", "start": 0, "end": 500}],
  >  "queue": [{"id": 3, "shape": "2", "time_limit": 40, "done": 30,
  >             "suspended": {"box": "2/2", "saved": 20}}]}
  > END
  $ tori forecast asleep.json
  job  start, s     in  place
    3       500  6m40s  2/2
  $ sed s/20}/31}/ asleep.json > greedy.json
  $ tori forecast greedy.json
  tori: greedy.json: queue[0].suspended.saved: more than it has done
  [2]

A job whose rings may be folded keeps that, and its wiring.

  $ cat > folded.json <<'END'
  > {"machine": "torus:4x4x2", "running": [
  >   {"id": 1, "shape": "8x2", "wiring": "torus", "fold": "rings",
  >    "box": "0,0,0/4x4x1", "box_wiring": "tmm", "start": 0, "end": 60}],
  >  "queue": [{"id": 2, "shape": "16", "wiring": "torus", "fold": "rings", "time_limit": 60}]}
  > END
  $ tori forecast folded.json
  job  start, s   in  place
    2         0  now  0,0,1/4x4x1
  $ sed 's/tmm/mmm/' folded.json | tori forecast -
  job  start, s   in  place
    2         0  now  0,0,1/4x4x1
  $ sed 's/"fold": "rings", "time_limit"/"fold": "twice", "time_limit"/' folded.json | tori forecast -
  tori: -: queue[0].fold: unknown fold 'twice': expected none or rings
  [2]
  $ sed 's/"fold": "rings", "time_limit"/"time_limit"/' folded.json | tori forecast -
  tori: -: queue[0].shape: 1 dimensions on a machine of 3
  [2]
  $ tori sim --machine torus:8x8 --model lublin --jobs 60 --load 2 --wiring torus --fold rings --snapshot 40000:s.json > out
  $ grep -c '"fold": *"rings"' s.json
  3
  $ tori sim --from s.json | head -1
  s.json on torus:8x8: easy, submit order, first-fit, shapes first-match, wiring none, estimates exact
  $ cat > full.json <<'END'
  > {"machine": "torus:4x4x4", "running": [
  >   {"id": 1, "shape": "8x2", "wiring": "torus", "fold": "rings",
  >    "box": "0,0,0/4x4x1", "box_wiring": "tmm", "start": 0, "end": 60},
  >   {"id": 3, "count": 3, "nodes": ["1,1,2", "2,2,3", "3,0,3"], "start": 0, "end": 100}],
  >  "queue": [{"id": 2, "shape": "32", "wiring": "torus", "fold": "rings", "time_limit": 60},
  >            {"id": 4, "shape": "16x2", "wiring": "torus", "fold": "rings", "time_limit": 60}]}
  > END
  $ tori why full.json
  job 2: fragmented: 45 nodes are free, but no box of 32; the largest free box is 2x4x2
    expected to start at 60 s, in 1m, on 0,0,0/4x4x2
    would start now at 2,0,1/2x4x2 with 16 nodes instead of 32, as a box of 2x2x4
    would start now at 0,0,2/4x4x2 if job 3 moved to 0,0,1 0,1,1 0,3,1
    would start now at 0,0,0/4x4x2 if job 1 ended
  job 4: fragmented: 45 nodes are free, but no box of 2x16; the largest free box is 2x4x2
    expected to start at 100 s, in 1m40s, on 0,0,2/4x4x2
    would start now at 2,0,1/2x4x2 with 16 nodes instead of 32, as a box of 2x2x4
  $ tori defrag full.json --for 2
  job  nodes  from               to                 stopped  does again
    3      3  1,1,2 2,2,3 3,0,3  0,0,1 0,1,1 0,3,1       0s          0s
  then it fits at 0,0,2/4x4x2
  job 2 then starts now instead of at 60 s, in 1m
  nodes moved: 3, and no fewer will do

What is expected to happen is the same for all: a job that may start only later goes before
another that has a reservation under easy.

  $ cat > later.json <<'END'
  > {"machine": "mesh:4", "now": 5, "sched": "easy",
  >  "running": [{"id": 9, "box": "0/2", "end": 20}],
  >  "queue": [{"id": 1, "shape": "4", "time_limit": 30, "earliest": 10},
  >            {"id": 2, "shape": "4", "time_limit": 5}]}
  > END
  $ tori why later.json | grep expected
    expected to start at 20 s, in 15s, on 0/4
    expected to start at 50 s, in 45s, on 0/4
  $ tori forecast later.json
  job  start, s   in  place
    1        20  15s  0/4
    2        50  45s  0/4
  not a promise for 1 job without a planned start: jobs that come later may delay it
  $ tori sim --from later.json --log - | sed 's/,"finish.*//'
  {"id":1,"submit":5,"start":20
  {"id":2,"submit":5,"start":50

What is said to help does. As 3x3 job 9 would start, and give way to job 6 at once.

  $ cat > levels.json <<'END'
  > {"machine": "mesh:4x4", "now": 4, "sched": "easy", "running": [
  >   {"id": 1, "shape": "1x3", "box": "0,3/3x1", "end": 14},
  >   {"id": 7, "shape": "1x4", "box": "3,0/1x4", "end": 32}],
  >  "queue": [{"id": 9, "shape": "3x4", "priority": 2, "time_limit": 48},
  >            {"id": 6, "shape": "1x3", "tier": 1, "time_limit": 45}]}
  > END
  $ tori why levels.json
  job 9: not enough free nodes: it asks for a box of 3x4 with 12 nodes; only 10 are free
    nearest place: 0,0/3x4 lacks 3 nodes; in the way: job 1 (3 nodes)
    expected to start at 14 s, in 10s, on 0,0/3x4
    would start now at 0,0/2x3 with 6 nodes instead of 12, as a box of 2x3
  job 6: it starts now
    then job 7 is requeued
  $ sed 's/3x4/3x3/' levels.json | tori forecast -
  job  start, s   in  place
    6         4  now  0,0/1x3
    9        32  28s  1,0/3x3
  not a promise: jobs of a higher priority that come later, or get one, go before others

Job 1 would start, but gives way to job 2 at once. Nobody holds a reservation.

  $ cat > gone.json <<'END'
  > {"machine": "mesh:4", "now": 0, "sched": "fcfs",
  >  "queue": [{"id": 1, "shape": "3", "time_limit": 10, "priority": 3},
  >            {"id": 2, "shape": "2", "time_limit": 10, "tier": 2}]}
  > END
  $ tori why gone.json
  job 1: not enough free nodes: it asks for a box of 3 with 3 nodes; only 2 are free
    nearest place: 1/3 lacks 1 node; in the way: job 2 (1 node)
    expected to start at 10 s, in 10s, on 0/3
    would start now at 2/2 with 2 nodes instead of 3, as a box of 2
  job 2: it starts now

A suspended job waits for one place.

  $ tori why asleep.json
  job 3: it was suspended and continues only at 2/2, which is not free
    nearest place: 2/2 lacks 2 nodes; in the way: job 1 (2 nodes)
    expected to start at 500 s, in 6m40s, on 2/2
    would start now at 2/2 if job 1 ended

Jobs without a length end when they start, and some are too long for any answer.

  $ cat > none.json <<'END'
  > {"machine": "mesh:4", "sched": "easy",
  >  "queue": [{"id": 1, "shape": "4", "time_limit": 0}, {"id": 2, "shape": "4", "time_limit": 0},
  >            {"id": 3, "shape": "4", "time_limit": 0}]}
  > END
  $ tori forecast none.json --json | grep -o '"start":[^,]*'
  "start":0
  "start":0
  "start":0
  $ tori sim --from none.json --log - | grep -o '"start":[^,]*'
  "start":0
  "start":0
  "start":0
  $ sed 's/: 0}/: 1000000000000000000}/' none.json > endless.json
  $ tori forecast endless.json
  tori: job 1: a time limit of more than 4611686018427 seconds
  [2]
  $ tori why endless.json
  tori: job 1: a time limit of more than 4611686018427 seconds
  [2]
  $ tori sim --from endless.json
  tori: job 1: the times of the jobs up to this one add up to more than 4611686018427 seconds
  [2]

A simulation goes on with suspended jobs, and tells what became of jobs that gave way.

  $ tori sim --from asleep.json --log -
  {"id":3,"submit":100,"start":500,"finish":510,"count":2,"shape":[2],"origin":[2],"wiring":"none","nodes":[2,3],"numerical":0,"topological":0,"starts":1,"moves":0,"waited":400,"ran":40,"killed":false,"urgent":false}
  $ tori sim --from asleep.json | grep -E 'jobs run|goodput|lost|killed'
  jobs run                 1
  goodput         0.49 %
  lost node-time  0 node-s
  jobs killed     0
  $ cat > gives-way.json <<'END'
  > {"machine": "mesh:4", "now": 0, "sched": "fcfs",
  >  "running": [{"id": 1, "box": "0/2", "start": 0, "end": 5}],
  >  "queue": [{"id": 2, "shape": "2", "time_limit": 30},
  >            {"id": 3, "shape": "3", "tier": 1, "time_limit": 5, "earliest": 10},
  >            {"id": 4, "shape": "2", "time_limit": 9, "preempted": "kill"}]}
  > END
  $ tori sim --from gives-way.json --log - | sed 's/"count.*"topological":[0-9]*,//'
  {"id":4,"submit":0,"start":5,"finish":10,"starts":1,"moves":0,"waited":5,"ran":5,"killed":true,"urgent":false,"reason":"an urgent job needed its place"}
  {"id":3,"submit":0,"start":10,"finish":15,"starts":1,"moves":0,"waited":10,"ran":5,"killed":false,"urgent":true}
  {"id":2,"submit":0,"start":15,"finish":45,"starts":2,"moves":0,"waited":5,"ran":40,"killed":false,"urgent":false}

A job that runs in the snapshot counts once it has given way. What it did before does not.

  $ cat > stopped.json <<'END'
  > {"machine": "mesh:4", "now": 10, "sched": "easy",
  >  "running": [{"id": 1, "shape": "2", "box": "0/2", "start": 5, "end": 30, "preempted": "suspend"}],
  >  "queue": [{"id": 3, "shape": "4", "time_limit": 7, "tier": 1}]}
  > END
  $ tori sim --from stopped.json --log - | sed 's/"count.*"topological":[0-9]*,//'
  {"id":3,"submit":10,"start":10,"finish":17,"starts":1,"moves":0,"waited":0,"ran":7,"killed":false,"urgent":true}
  {"id":1,"submit":5,"start":17,"finish":37,"starts":1,"moves":0,"waited":7,"ran":25,"killed":false,"urgent":false}
  $ tori sim --from stopped.json | grep -E 'jobs run|makespan|goodput|lost|suspensions'
  jobs run                 2
  makespan                 32 s
  goodput         53.12 %
  lost node-time  0 node-s
  suspensions     1
  $ sed 's/"suspend"/"requeue", "checkpoint": 2/' stopped.json | tori sim --from - --log - | sed -n 's/"count.*"topological":[0-9]*,//; 2p'
  {"id":1,"submit":5,"start":17,"finish":38,"starts":2,"moves":0,"waited":7,"ran":26,"killed":false,"urgent":false}
  $ sed 's/"suspend"/"requeue", "checkpoint": 2/' stopped.json | tori sim --from - | grep -E 'goodput|lost|requeues'
  goodput         53.03 %
  lost node-time  0 node-s
  requeues        1
  $ sed 's/"suspend"/"kill"/' stopped.json | tori sim --from - | grep -E 'jobs (run|killed)'
  jobs run                 1
  jobs killed     1

A job that is added has a number of its own: not that of a job that a reservation is for, nor one
that a job has had.

  $ cat > closed.json <<'END'
  > {"machine": "mesh:4", "now": 0, "next_id": 30,
  >  "queue": [{"id": 1, "shape": "4", "time_limit": 10}],
  >  "reservations": [{"id": "repair", "box": "0/4", "from": 5, "until": 50, "jobs": [2]}]}
  > END
  $ tori what-if closed.json --add shape=4,time=20 | tail -1
   30        60              new  0/4
  $ sed 's/"next_id": 30,//' closed.json | tori what-if - --add shape=4,time=20 | tail -1
    3        60              new  0/4

Held jobs have expected starts, with their condition: job 3 waits for job 1,
job 4 for the limit of its user, and job 6 for its array. Job 7 waits for one
that somebody holds.

  $ cat > rules.json <<END
  > {"machine": "mesh:8", "now": 0, "user_limits": {"running": 1},
  >  "queues": [{"name": "batch"}, {"name": "urgent", "priority": 5, "tier": 1}],
  >  "users": [{"name": "ben", "penalty": 3}],
  >  "running": [{"id": 1, "box": "0/2", "start": 0, "end": 20, "user": "anna", "queue": "batch"},
  >              {"id": 2, "box": "2/2", "start": 0, "end": 50, "user": "ben", "queue": "batch"}],
  >  "queue": [{"id": 3, "shape": "2", "time_limit": 5, "hold": "dependency", "after": ["ok:1"], "user": "cleo"},
  >            {"id": 4, "shape": "2", "time_limit": 5, "hold": "share", "user": "anna", "queue": "batch"},
  >            {"id": 5, "shape": "4", "time_limit": 9, "array": 5, "array_limit": 1},
  >            {"id": 6, "shape": "4", "time_limit": 9, "array": 5, "array_limit": 1, "array_waits": true, "hold": "array"},
  >            {"id": 7, "shape": "1", "time_limit": 1, "hold": "dependency", "after": ["any:8"]},
  >            {"id": 8, "shape": "1", "time_limit": 1, "hold": "user"}]}
  > END
  $ tori forecast rules.json
  job  start, s   in  place  if
    5         0  now  4/4
    6         9   9s  4/4    job 5 ends at its time limit
    3        20  20s  0/2    job 1 ends well at its time limit
    4        20  20s  4/2    job 1 ends at its time limit
    7      open
    8     never
  not a promise: fair share changes the order of the queue while jobs run
  not a promise for 3 jobs without a planned start: jobs that come later may delay them
  $ sed 's/"now": 0/&, "sched": "backfill", "order": "smallest"/' rules.json | tori forecast - | grep promise
  not a promise: fair share changes the order of the queue while jobs run
  not a promise: jobs that come later may go before others, by the order of the queue
  not a promise: nothing is planned, so jobs that come later may delay others
  $ sed '/"users"/d; s/"now": 0/&, "usage_weight": 1000/' rules.json | tori forecast - | grep promise
  not a promise: fair share changes the order of the queue while jobs run
  not a promise for 3 jobs without a planned start: jobs that come later may delay them
  $ sed '/"users"/d; s/"now": 0/&, "usage_weight": 1000/' rules.json | tori forecast - 7 8 | grep promise
  [1]
  $ sed '/"users"/d' rules.json | tori forecast - | grep promise
  not a promise: jobs of a higher priority that come later, or get one, go before others
  not a promise for 3 jobs without a planned start: jobs that come later may delay them

A job may be planned for later than it is forecast: what is in between is not its own.

  $ echo '{"machine": "mesh:4", "sched": "conservative", "running": [{"id": 1, "box": "0/4", "start": 0, "end": 10}], "queue": [{"id": 2, "shape": "4", "time_limit": 10, "promise": {"start": 30, "box": "0/4"}}]}' | tori forecast -
  job  start, s   in  place
    2        10  10s  0/4
  not a promise for 1 job without a planned start: jobs that come later may delay it
  $ tori forecast rules.json --json
  {"now":0,"rejected":[],"unsure":["fair-share"],"jobs":[{"id":3,"start":20,"place":"0/2","condition":"job 1 ends well at its time limit","unsure":["unplanned"]},{"id":4,"start":20,"place":"4/2","condition":"job 1 ends at its time limit","unsure":["unplanned"]},{"id":5,"start":0,"place":"4/4"},{"id":6,"start":9,"place":"4/4","condition":"job 5 ends at its time limit","unsure":["unplanned"]},{"id":7,"start":null,"place":null},{"id":8,"start":null,"place":null}]}
  $ tori why rules.json 3 6 7
  job 3: it waits for other jobs to end
    expected to start at 20 s, in 20s, on 0/2, if job 1 ends well at its time limit
  job 6: it waits for other jobs of its array
    expected to start at 9 s, in 9s, on 4/4, if job 5 ends at its time limit
  job 7: it waits for other jobs to end
    will start after that; when is open
  $ tori what-if rules.json --cancel 1
  job  start, s  without  change  place
    3     never       20
    4         0       20    -20s  0/2
    5         0        0       0  4/4
    6         9        9       0  4/4
    7      open     open
    8     never    never
  $ tori what-if rules.json --add shape=1,time=5,user=ben,queue=batch --add shape=8,time=5,queue=urgent,user=dora
  job  start, s  without  change  place
   10         0              new  0/8
    3        25       20     +5s  0/2
    4        25       20     +5s  4/2
    5         5        0     +5s  4/4
    6        14        9     +5s  4/4
    7      open     open
    8     never    never
    9        55              new  0/1
  when job 10 starts, job 1 is requeued and job 2 is requeued
  $ tori what-if rules.json --add shape=1,time=5,queue=long
  tori: --add: there is no queue 'long'
  [2]

A job whose dependency cannot be met any more never starts, nor does one that needs it. A
job that waits for the end of either, however that is, may start.

  $ cat > broken.json <<END
  > {"machine": "mesh:8", "now": 0,
  >  "running": [{"id": 1, "box": "0/2", "start": 0, "end": 20}],
  >  "queue": [{"id": 3, "shape": "2", "time_limit": 5, "hold": "dependency", "after": ["ok:1"]},
  >            {"id": 4, "shape": "2", "time_limit": 5, "hold": "dependency", "after": ["ok:3"]},
  >            {"id": 5, "shape": "2", "time_limit": 5, "hold": "dependency", "after": ["any:4"]}]}
  > END
  $ tori what-if broken.json --cancel 1
  job  start, s  without  change  place
    3     never       20
    4     never       25
    5         0       30    -30s  0/2

So it is when the job before it gives way to another and is killed.

  $ sed 's/"end": 20/&, "preempted": "kill"/; s/\["any:4"\]}/&, {"id": 6, "shape": "8", "tier": 1, "time_limit": 5, "earliest": 10}/' broken.json | tori forecast - | grep -o '^ *[0-9-]\+ *[0-9a-z]\+'
    6        10
    5        15
  3-4      open

The jobs of a queue start while it is open; after the last time that is known, the week
before it repeats. A queue has limits for each of its users.

  $ cat > hours.json <<END
  > {"machine": "mesh:8", "now": 0,
  >  "queues": [{"name": "night", "open": [{"from": 30, "until": 90}]},
  >             {"name": "day", "user_running": 1, "user_nodes": 4}],
  >  "running": [{"id": 1, "box": "0/2", "start": 0, "end": 20, "user": "anna", "queue": "day"}],
  >  "queue": [{"id": 2, "shape": "2", "time_limit": 70, "user": "anna", "queue": "night"},
  >            {"id": 3, "shape": "2", "time_limit": 5, "user": "anna", "queue": "day"},
  >            {"id": 4, "shape": "2", "time_limit": 5, "user": "ben", "queue": "day"},
  >            {"id": 5, "shape": "8", "time_limit": 5, "user": "ben", "queue": "night"}]}
  > END
  $ tori forecast hours.json
  job  start, s   in  place  if
    4         0  now  2/2
    3        20  20s  0/2    job 1 ends at its time limit
    2        30  30s  0/2
    5    604830   7d  0/8
  not a promise for 2 jobs without a planned start: jobs that come later may delay them
  $ tori what-if hours.json --add shape=1,time=5,queue=night,user=anna --add shape=1,time=5,queue=day,user=ben | tail -2
    6        30              new  2/1
    7         5              new  2/1
  $ sed 's/"until": 90/"until": 20/' hours.json | tori forecast -
  tori: -: queues[0].open.until: expected times in ascending order
  [2]

A change means what 'tori change' means by it: the queue adds to a priority, and
fair share takes from it, also when a held job is released. Job 2 of anna goes
by 10 - 8 = 2, and job 3 by 5. With --priority 2=4 it goes by 6, and released job
4 goes by 10 - 8.

  $ cat > shares.json <<END
  > {"machine": "mesh:4", "now": 0,
  >  "running": [{"id": 1, "shape": "4", "box": "0/4", "start": 0, "time_limit": 9}],
  >  "queue": [{"id": 2, "shape": "4", "time_limit": 10, "user": "anna", "queue": "short", "priority": 2},
  >   {"id": 3, "shape": "4", "time_limit": 10, "user": "ben", "queue": "batch", "priority": 5},
  >   {"id": 4, "shape": "4", "time_limit": 10, "user": "anna", "queue": "short", "priority": 10, "hold": "user"}],
  >  "users": [{"name": "anna", "penalty": 8}],
  >  "queues": [{"name": "short", "priority": 10}, {"name": "batch"}]}
  > END
  $ tori what-if shares.json --priority 2=4
  job  start, s  without  change  place
    4     never    never
    2         9       19    -10s  0/4
    3        19        9    +10s  0/4
  $ tori what-if shares.json --priority 2=2
  job  start, s  without  change  place
    4     never    never
    3         9        9       0  0/4
    2        19       19       0  0/4
  $ tori what-if shares.json --before 2=3
  job  start, s  without  change  place
    4     never    never
    2         9       19    -10s  0/4
    3        19        9    +10s  0/4
  $ tori what-if shares.json --release 4
  job  start, s  without  change  place
    3         9        9       0  0/4
    2        19       19       0  0/4
    4        29    never          0/4
  $ tori what-if shares.json --before 4=3 --release 4
  job  start, s  without  change  place
    4         9    never          0/4
    3        19        9    +10s  0/4
    2        29       19    +10s  0/4
  $ tori what-if shares.json --before 2=2
  tori: --before: job 2 cannot go before itself
  [2]
  $ tori what-if shares.json --before 2=1
  tori: --before: job 1 runs already
  [2]
  $ tori what-if shares.json --before 2
  tori: --before: '2': expected ID=VALUE
  [2]

A node that goes down kills one job, and another job starts again.

  $ cat > fails.json <<END
  > {"machine": "mesh:6", "now": 5,
  >  "running": [{"id": 1, "shape": "2", "box": "0/2", "start": 0, "time_limit": 9},
  >   {"id": 2, "shape": "2", "box": "2/2", "start": 0, "time_limit": 9, "requeue": true}]}
  > END
  $ tori what-if fails.json --down 1 --down 3
  job 1 is killed
  job 2 is stopped and requeued
  job  start, s  without  change  place
    2         5            again  4/2
  $ tori what-if fails.json --down 1 --down 3 --json
  {"now":5,"killed":[1],"requeued":[2],"rejected":[],"jobs":[{"id":2,"start":5,"place":"4/2","without":{"start":null,"place":null}}]}

All jobs that give way are named.

  $ cat > pushes.json <<END
  > {"machine": "mesh:8", "now": 5, "places": true,
  >  "running": [{"id": 1, "shape": "1", "box": "0", "start": 0, "time_limit": 90, "preempted": "kill"},
  >   {"id": 2, "shape": "1", "box": "1", "start": 0, "time_limit": 90},
  >   {"id": 3, "shape": "1", "box": "2", "start": 0, "time_limit": 90, "preempted": "suspend"},
  >   {"id": 4, "shape": "1", "box": "3", "start": 0, "time_limit": 90},
  >   {"id": 5, "shape": "1", "box": "4", "start": 0, "time_limit": 90},
  >   {"id": 6, "shape": "1", "box": "5", "start": 0, "time_limit": 90},
  >   {"id": 7, "shape": "1", "box": "6", "start": 0, "time_limit": 90}],
  >  "queue": [{"id": 8, "shape": "8", "time_limit": 10, "tier": 1}]}
  > END
  $ tori forecast pushes.json
  job  start, s   in  place
    8         5  now  0/8
  when job 8 starts, job 1 is killed, job 2 is requeued, job 3 is suspended, job
    4 is requeued, job 5 is requeued, job 6 is requeued and job 7 is requeued
  $ tori why pushes.json
  job 8: it starts now
    then job 1 is killed, job 2 is requeued, job 3 is suspended, job 4 is
      requeued, job 5 is requeued, job 6 is requeued and job 7 is requeued
  $ tori what-if pushes.json --time 8=5s | tail -3
    8         5        5       0  0/8
  when job 8 starts, job 1 is killed, job 2 is requeued, job 3 is suspended, job
    4 is requeued, job 5 is requeued, job 6 is requeued and job 7 is requeued
  $ tori forecast pushes.json --json | grep -o '"pushes".*'
  "pushes":[{"job":1,"how":"killed"},{"job":2,"how":"requeued"},{"job":3,"how":"suspended"},{"job":4,"how":"requeued"},{"job":5,"how":"requeued"},{"job":6,"how":"requeued"},{"job":7,"how":"requeued"}]}]}

A job that moves begins again, or continues from its last checkpoint. It does not
move to where a reservation begins before it would then end.

  $ cat > restarts.json <<END
  > {"machine": "mesh:8", "now": 90, "restarts": true, "move": 2,
  >  "running": [{"id": 1, "shape": "2", "box": "3/2", "start": 0, "time_limit": 100}],
  >  "queue": [{"id": 2, "shape": "6", "time_limit": 10}],
  >  "reservations": [{"id": "a", "box": "0/2", "from": 150, "until": 160},
  >   {"id": "b", "box": "6/2", "from": 150, "until": 160}]}
  > END
  $ tori why restarts.json
  job 2: fragmented: 6 nodes are free, but no box of 6; the largest free box is 3
    nearest place: 0/6 lacks 2 nodes; in the way: job 1 (2 nodes)
    expected to start at 100 s, in 10s, on 0/6
    would start now with 3 nodes instead of 6, as a box of 3
    would start now at 0/6 if job 1 ended
  $ sed 's/"time_limit": 100/"time_limit": 100, "checkpoint": 30/' restarts.json | tori why -
  job 2: fragmented: 6 nodes are free, but no box of 6; the largest free box is 3
    nearest place: 0/6 lacks 2 nodes; in the way: job 1 (2 nodes)
    expected to start at 100 s, in 10s, on 0/6
    would start now with 3 nodes instead of 6, as a box of 3
    would start now at 0/6 if job 1 moved to 6/2
    would start now at 0/6 if job 1 ended
