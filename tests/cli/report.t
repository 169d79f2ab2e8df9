A sweep as a page.

  $ tori sweep --machine torus:4x4x4 --jobs 200 --sched fcfs,easy --load 0.5:0.9:0.4 --seeds 2 --out d | tail -1
  8 cells in d: cells.csv, cells.jsonl
  $ tori report nowhere
  tori: nowhere/sweep.json: No such file or directory; expected a folder of 'tori sweep'
  [2]
  $ tori report d --cell 9
  tori: --cell: there are 8 cells
  [2]
  $ mkdir half; cp d/sweep.json half; head -3 d/cells.jsonl > half/done.jsonl; tori report half
  tori: half: 5 of 8 cells are missing; run the sweep again, it goes on where it was
  half/report.html
  $ tori report d && grep -c '<title>tori report' d/report.html
  d/report.html
  1
  $ tori report d --cell 3 --out x.html --json
  {"report":"x.html","replayed":{"machine":"torus:4x4x4","strict":false,"model":"lublin","jobs":200,"sched":"easy","order":"submit","alloc":"first-fit","hypercube":"buddy","noncubic":"round-up","wiring":"none","shapes":"first-match","estimates":"exact","procs_per_node":1,"load":0.5,"seed":1,"fold":"none","no_rotate":false,"wrap":false,"moves":false,"network":"none","no_distance":false}}

What the page has is what was simulated: a point for each policy and load, also
for one that was typed as a fraction, and the jobs of the replay.

  $ tori sweep --machine torus:4x4 --jobs 20 --sched fcfs,easy --load 1/2,0.75 --seeds 2 --out f > /dev/null
  $ tori report f --by size --cell 8 --out - | python3 -c '
  > import base64, gzip, json, re, sys
  > texts = re.findall(r"H4sI[A-Za-z0-9+/=]+", sys.stdin.read())
  > page = json.loads(gzip.decompress(base64.b64decode(max(texts, key=len))))
  > print(*page)
  > print([(row["load"], row["policy"], row["seeds"]) for row in page["standings"]])
  > print(page["machine"], "|", page["replay"], "|", page["jobs"].count("\n"))
  > print(sum(row["jobs_run"] for row in page["by"]))'
  about verdict standings by machine replay jobs
  [(0.5, 'fcfs', 2), (0.5, 'easy', 2), (0.75, 'fcfs', 2), (0.75, 'easy', 2)]
  torus:4x4 | load 0.75, easy, seed 2 | 21
  160
  $ tori report f --by size -j 1 --json | grep -o '"report":"[^"]*"'
  "report":"f/report.html"
  $ mkdir odd; echo '{"config":{}}' > odd/sweep.json; tori report odd
  tori: expected the config of a sweep
  [2]
  $ echo '{' > odd/sweep.json; tori report odd
  tori: odd/sweep.json: ...; expected a folder of 'tori sweep'
  [2]

tori compare has the same page, without a folder. It replays the best of the
last scene, as tori report does where nothing else is said.

  $ tori compare --machine torus:4x4x4 --jobs 200 --sched fcfs,easy --load 0.5,0.9 --seeds 2 --html page.html | head -1
  scene     policy    response, s  vs the first, %        wait, s          slowdown  utilization, %    distance
  $ tori report d --out d.html && cmp d.html page.html
  d.html
  $ tori compare --machine torus:4x4x4 --jobs 200 --seeds 1 --html - | grep -c '<title>tori report'
  1
  $ tori compare --machine torus:4x4x4 --jobs 200 --seeds 1 --html page.html --json | grep -o '"cells":.*"standings"'
  "cells":1,"left_out":0,"standings"
  $ printf '1 0 -1 100 8 -1 -1 8 100 -1 1 1 1 -1 1 -1 -1 -1\n' > log.swf
  $ tori compare --machine torus:4x4x4 --trace log.swf --html log.swf
  tori: --trace and --html are the same file, which would be overwritten
  [2]
  $ tori compare --machine torus:4x4x4 --trace log.swf --html nowhere/x.html
  tori: nowhere/x.html: No such file or directory
  [1]
