A machine of 8x8 with four jobs, one of them on scattered nodes.

  $ cat > morning <<END
  > {"machine": "torus:8x8", "now": 100,
  >  "running": [{"id": 1, "box": "0,2/4x2", "wiring": "mesh", "end": 900},
  >              {"id": 2, "box": "5,0/2x2", "wiring": "mesh", "end": 800},
  >              {"id": 3, "box": "4,5/1x2", "end": 700},
  >              {"id": 4, "nodes": ["2,6", "3,6", "7,3"], "end": 600}],
  >  "queue": [{"id": 5, "shape": "4x8", "wiring": "mesh", "time_limit": 60},
  >            {"id": 6, "shape": "8x8", "time_limit": 60},
  >            {"id": 7, "count": 40, "time_limit": 60},
  >            {"id": 8, "shape": "9x1", "time_limit": 60},
  >            {"id": 9, "shape": "2x2", "time_limit": 60}]}
  > END
  $ tori defrag morning --for 5
  job  nodes  from         to           stopped  does again
    3      2  4,5/1x2      0,0/1x2           0s          0s
    4      3  2,6 3,6 7,3  1,0 1,1 2,0       0s          0s
  then it fits at 0,4/8x4
  job 5 then starts now instead of at 700 s, in 10m
  nodes moved: 5, and no fewer will do
  $ tori defrag morning --for 5 --json
  {"possible":true,"place":"0,4/8x4","moves":[{"job":3,"from":"4,5/1x2","to":"0,0/1x2","nodes":2,"stopped":0,"redone":0},{"job":4,"from":null,"from_nodes":["2,6","3,6","7,3"],"to":null,"to_nodes":["1,0","1,1","2,0"],"nodes":3,"stopped":0,"redone":0}],"nodes_moved":5,"least":true,"bound":5,"start_before":700,"start_after":100}
  $ tori defrag morning --for 9
  no moves are needed: it fits at 0,0/2x2
  $ tori defrag morning --for 9 --json
  {"possible":true,"place":"0,0/2x2","moves":[],"nodes_moved":0,"least":true,"bound":0}
  $ tori defrag morning --for 7
  no moves are needed: it fits at 0,0 0,1 0,4 and 37 more
  $ tori defrag morning --for 6
  no moves help
  [3]
  $ tori defrag morning --for 6 --json
  {"possible":false,"place":null,"moves":[],"nodes_moved":0,"least":true,"bound":0}
  [3]
  $ tori defrag morning --for 8
  tori: the shape does not fit the machine's sides
  [4]
  $ tori defrag morning --shape 4x8 --keep 3,4
  no moves help
  [3]
  $ tori defrag morning --shape 4x8 --keep 1 --moves 1
  no moves help
  [3]
  $ tori defrag morning --shape 5x5 --steps 1
  no moves were found, but not all were tried
  [3]

Jobs 1 and 3 change places. One after another they cannot: each waits for the
other, unless job 2 may move, too.

  $ cat > swap <<END
  > {"machine": "mesh:2x5", "down": ["1,0/1x2", "1,3/1x2"],
  >  "running": [{"id": 1, "box": "0,1/1x2", "end": 9},
  >              {"id": 2, "box": "0,0/1x1", "end": 9, "movable": false},
  >              {"id": 3, "box": "0,3/1x1", "end": 9}],
  >  "queue": [{"id": 4, "shape": "2x1", "time_limit": 5, "fixed": true}]}
  > END
  $ tori defrag swap --for 4
  job  nodes  from     to       stopped  does again
    1      2  0,1/1x2  0,3/1x2       0s          0s
    3      1  0,3/1x1  0,1/1x1       0s          0s
  then it fits at 0,2/2x1
  job 4 then starts now instead of at 9 s, in 9s
  nodes moved: 3, and no fewer will do
  $ tori defrag swap --for 4 --live
  no moves help
  [3]
  $ sed s/false/true/ swap | tori defrag - --for 4 --live
  job  nodes  from     to       stopped  does again
    2      1  0,0/1x1  0,4/1x1       0s          0s
    1      2  0,1/1x2  0,0/1x2       0s          0s
  then it fits at 0,2/2x1
  job 4 then starts now instead of at 9 s, in 9s
  nodes moved: 3, and no fewer will do

No job goes where a reservation begins before it ends. Job 1 ends after the reservation
begins, job 2 before.

  $ cat > windows <<END
  > {"machine": "mesh:6", "now": 0,
  >  "running": [{"id": 1, "box": "2/1", "end": 50}],
  >  "queue": [{"id": 2, "shape": "4", "time_limit": 10},
  >            {"id": 3, "shape": "4", "time_limit": 45}],
  >  "reservations": [{"id": "a", "box": "4/1", "from": 40, "until": 90}]}
  > END
  $ tori defrag windows --for 2
  job  nodes  from  to   stopped  does again
    1      1  2/1   5/1       0s          0s
  then it fits at 0/4
  job 2 then starts now instead of at 50 s, in 50s
  nodes moved: 1, and no fewer will do
  $ tori defrag windows --for 3
  job  nodes  from  to   stopped  does again
    1      1  2/1   5/1       0s          0s
  then it fits at 0/4
  job 3 then starts at 10 s, in 10s instead of at 60 s, in 1m
  nodes moved: 1, and no fewer will do
  $ sed s,4/1,4/2, windows | tori defrag - --for 2
  job  nodes  from  to   stopped  does again
    1      1  2/1   0/1       0s          0s
  then it fits at 1/4
  job 2 then starts now instead of at 50 s, in 50s
  nodes moved: 1, and no fewer will do
  $ sed s,4/1,4/2, windows | tori defrag - --for 2 --json
  {"possible":true,"place":"1/4","moves":[{"job":1,"from":"2/1","to":"0/1","nodes":1,"stopped":0,"redone":0}],"nodes_moved":1,"least":true,"bound":1,"start_before":50,"start_after":0}
  $ sed -e s,4/1,4/2, -e s/40/60/ windows | tori defrag - --for 2
  job  nodes  from  to   stopped  does again
    1      1  2/1   4/1       0s          0s
  then it fits at 0/4
  job 2 then starts now instead of at 50 s, in 50s
  nodes moved: 1, and no fewer will do

A torus takes whole rings, so a job may be in the way by its links alone. Turned
to another dimension it is not.

  $ cat > rings <<END
  > {"machine": "torus:4x4",
  >  "running": [{"id": 1, "box": "0,2/1x2", "wiring": "mesh", "end": 9}]}
  > END
  $ tori defrag rings --shape 4x2 --wiring torus --no-rotate
  job  nodes  from     to       stopped  does again
    1      2  0,2/1x2  0,0/2x1       0s          0s
  then it fits at 0,2/4x2
  nodes moved: 2, and no fewer will do
  $ tori defrag rings --shape 4x2 --wiring torus --no-rotate --keep 1
  no moves help
  [3]
  $ sed s/mesh/none/ rings | tori defrag - --shape 4x2 --wiring torus --no-rotate
  no moves are needed: it fits at 0,0/4x2

A job goes to nodes that it may use, whether it runs or waits.

  $ cat > only <<END
  > {"machine": "mesh:4", "running": [{"id": 1, "box": "1/1", "only": ["0/2"], "end": 50}],
  >  "queue": [{"id": 2, "shape": "3", "time_limit": 10}]}
  > END
  $ tori defrag only --for 2
  job  nodes  from  to   stopped  does again
    1      1  1/1   0/1       0s          0s
  then it fits at 1/3
  job 2 then starts now instead of at 50 s, in 50s
  nodes moved: 1, and no fewer will do
  $ sed 's/"3"/"2", "only": ["0\/3"]/; s/, "only": \["0.2"\]//' only | tori defrag - --for 2
  job  nodes  from  to   stopped  does again
    1      1  1/1   2/1       0s          0s
  then it fits at 0/2
  job 2 then starts now instead of at 50 s, in 50s
  nodes moved: 1, and no fewer will do

What is wrong.

  $ tori defrag morning
  tori: no job and no shape: --for or --shape is needed
  [2]
  $ tori defrag morning --for 5 --shape 2x2
  tori: --for cannot be used with --shape
  [2]
  $ tori defrag morning --for 5 --wiring mesh
  tori: --wiring has no effect without --shape
  [2]
  $ tori defrag morning --for 2
  tori: --for: job 2 runs already
  [2]
  $ tori defrag morning --for 12
  tori: --for: there is no job 12
  [2]
  $ tori defrag morning --for x
  tori: --for: 'x' is not a whole number from 0 to 9223372036854775807
  [2]
  $ tori defrag morning --shape 2x2 --keep 1,9
  tori: --keep: no job 9 runs
  [2]
  $ tori defrag morning --shape 2x2x2
  tori: the shape has another number of dimensions than the machine
  [4]
  $ tori defrag morning --shape 2x2 --moves 0
  tori: --moves: '0' is not a whole number from 1 to 9223372036854775807
  [2]

A move has a cost: the job is stopped, and does again what its last checkpoint
does not have. What it gains is shown beside it; others may go first.

  $ cat > restarts <<END
  > {"machine": "mesh:8", "now": 90, "restarts": true, "move": 2,
  >  "running": [{"id": 1, "shape": "2", "box": "3/2", "start": 0, "time_limit": 100, "checkpoint": 40}],
  >  "queue": [{"id": 2, "shape": "6", "time_limit": 10}]}
  > END
  $ tori defrag restarts --for 2
  job  nodes  from  to   stopped  does again
    1      2  3/2   6/2       2s         10s
  then it fits at 0/6
  job 2 then starts now instead of at 100 s, in 10s
  nodes moved: 2, and no fewer will do
  $ tori defrag restarts --for 2 --json
  {"possible":true,"place":"0/6","moves":[{"job":1,"from":"3/2","to":"6/2","nodes":2,"stopped":2,"redone":10}],"nodes_moved":2,"least":true,"bound":2,"start_before":100,"start_after":90}
  $ sed 's/"queue": ./&{"id": 3, "shape": "8", "time_limit": 5},/; s/, "checkpoint": 40//' restarts | tori defrag - --for 2
  job  nodes  from  to   stopped  does again
    1      2  3/2   6/2       2s       1m30s
  then it fits at 0/6
  job 2 then starts now instead of at 105 s, in 15s
  nodes moved: 2, and no fewer will do

Many lists of nodes, few free nodes, and a reservation that the lists avoid. The search ends
after so many steps or seconds, with the best answer so far.

  $ awk 'BEGIN { for (j = 0; j < 8; j++) box[j] = 2 * (j % 4) "," 4 * int(j / 4) "," (j % 3) * 4 + 2
  >  printf "{\"machine\": \"torus:8x8x16\", \"now\": 0, \"running\": ["
  >  for (j = 0; j < 8; j++) { printf "{\"id\": %d, \"end\": %d, \"box\": \"%s/2x3x4\"},", j + 1, 1100 + j, box[j]
  >    split(box[j], o, ","); for (x = 0; x < 2; x++) for (y = 0; y < 3; y++) for (z = 0; z < 4; z++) busy[o[1] + x "," o[2] + y "," o[3] + z] = 1 }
  >  for (x = 0; x < 8; x++) for (y = 0; y < 8; y++) for (z = 0; z < 16; z++) { at = x "," y "," z; if (!(at in busy) && (x + 3 * y + 5 * z) % 9) node[n++] = at }
  >  n = 690
  >  for (j = 0; j < 19; j++) { printf "%s{\"id\": %d, \"end\": %d, \"nodes\": [", (j ? "," : ""), j + 9, 1200 + j
  >    for (i = j; i < n; i += 19) printf "%s\"%s\"", (i > j ? "," : ""), node[i]; printf "]}" }
  >  printf "], \"queue\": [{\"id\": 50, \"shape\": \"4x4x8\", \"time_limit\": 600}], \"reservations\": [{\"id\": \"w\", \"box\": \"0,0,0/8x8x1\", \"from\": 900, \"until\": 5000}]}" }' > lists
  $ tori defrag lists --for 50 --steps 20000
  no moves were found, but not all were tried
  [3]
  $ tori defrag lists --for 50 --seconds 1 | grep -c 'no fewer will do\|not all '
  1
  $ tori defrag lists --for 50 --seconds 0
  tori: --seconds: '0' is not a whole number from 1 to 2147483647
  [2]
