A machine of 8x8 with two jobs, three that wait and a node that is down.

  $ cat > morning <<END
  > {"machine": "torus:8x8", "now": 100, "sched": "easy", "down": ["7,7"],
  >  "running": [{"id": 1, "box": "0,0/4x8", "start": 0, "end": 500},
  >              {"id": 2, "box": "4,0/2x8", "start": 50, "end": 300}],
  >  "queue": [{"id": 3, "shape": "4x4", "estimate": 600, "submit": 60},
  >            {"id": 4, "shape": "8x8", "estimate": 60, "submit": 70},
  >            {"id": 5, "shape": "2x4", "estimate": 1000, "submit": 80},
  >            {"id": 6, "shape": "1x9", "estimate": 10, "submit": 90}]}
  > END
  $ tori forecast morning
  job  start, s  in, s  place
    3       300    200  4,0/4x4
    4     never
    5       300    200  4,4/2x4
  job 6 can never run
  $ tori forecast morning --json
  {"now":100,"rejected":[6],"jobs":[{"id":3,"start":300,"place":"4,0/4x4"},{"id":4,"start":null,"place":null},{"id":5,"start":300,"place":"4,4/2x4"}]}
  $ tori what-if morning --sched fcfs
  job 6 can never run
  job  start, s  without  change  place
    3       300      300       0  4,0/4x4
    4     never    never
    5       300      300       0  4,4/2x4
  $ tori what-if morning --up 7,7 --cancel 1
  job 6 can never run
  job  start, s  without  change  place
    3       100      300    -200  0,0/4x4
    4       700    never          0,0/8x8
    5       760      300    +460  0,0/2x4
  $ tori what-if morning --down 4,0 --add shape=2x2,estimate=60 --json
  {"now":100,"killed":[2],"rejected":[6],"jobs":[{"id":3,"start":100,"place":"4,1/4x4","without":{"start":300,"place":"4,0/4x4"}},{"id":4,"start":null,"place":null,"without":{"start":null,"place":null}},{"id":5,"start":100,"place":"4,5/4x2","without":{"start":300,"place":"4,4/2x4"}},{"id":7,"start":500,"place":"0,0/2x2","without":{"start":null,"place":null}}]}
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
  tori: --add: no estimate
  [2]
  $ tori what-if morning --add shape=2x2,estimate=60,colour=red
  tori: --add: 'colour': expected shape, count, wiring or estimate
  [2]
  $ tori what-if morning --add shape=9x9,estimate=60
  tori: --add: shape=9x9,estimate=60 can never run on this machine
  [4]
  $ tori what-if morning --down 9,9
  tori: --down: '9,9' is not a node of torus:8x8: expected coordinates up to 7,7
  [2]
  $ tori what-if morning --sched fcfs --depth 2
  tori: fcfs makes no reservations: it has no depth
  [2]

Counts have nodes.

  $ cat > counts <<END
  > {"machine": "mesh:2x2", "alloc": {"count": "mm"},
  >  "running": [{"id": 1, "nodes": ["0,0", "0,1", "1,0"], "end": 7.5}],
  >  "queue": [{"id": 2, "count": 4, "estimate": 5}]}
  > END
  $ tori forecast counts --json
  {"now":0,"rejected":[],"jobs":[{"id":2,"start":7.5,"place":null,"nodes":["0,0","0,1","1,0","1,1"]}]}
  $ gzip < counts | tori forecast -
  job  start, s  in, s  place
    2       7.5    7.5  0,0 0,1 1,0 and 1 more

What a file cannot say.

  $ printf '{"machine": "mesh:4",\n"now": }' > bad
  $ tori forecast bad
  tori: bad:2: not JSON: unexpected token near '}'
  [2]
  $ printf '{"machine": "mesh:4", "running": [{"id": 1, "box": "0/2", "end": 5}, {"id": 2, "box": "1/2", "end": 9}]}' > bad
  $ tori forecast bad
  tori: bad: running[1].box: node 1 is job 1's
  [2]
  $ tori forecast nowhere
  tori: nowhere: No such file or directory
  [1]
