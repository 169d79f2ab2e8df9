Latency against load, on curves much shorter than those of doc/experiments/network.md, too
short for their saturation to mean anything. The number of threads does not matter.

  $ tori paper latency --limit 40 -j 3 --out figures > text; sed -n 1,10p text
  where        published value       printed  ours       verdict
  all figures  latency against load  curves   24 curves  cannot be compared: its networks are larger, and others

  Messages of 8 flits, buffers of 8, wormhole switching, one flit per cycle and link;
  loads in flits per node and cycle; 20 cycles of warm-up, then 40 measured.

  Saturation: the highest load at which latency does not grow with time
  machine      pattern    network                      saturation  most accepted  bound of dimension order
  mesh:8x8     random     dimension order, 2 channels...0.492
  mesh:8x8     random     dimension order, 4 channels...0.492
  $ tori paper latency --limit 40 -j 1 --out again | cmp - text
  $ cmp figures/points.csv again/points.csv; cmp figures/saturation.csv again/saturation.csv

No network takes more than a flit a node a cycle, nor, of random traffic, which
crosses the middle everywhere alike, more than fits the fullest links. (Of a
transpose, those who do not need these links go on.)

  $ cat > check.py <<'END'
  > import csv
  > rows = list (csv.DictReader (open ("figures/saturation.csv")))
  > for row in rows:
  >     bound = float (row["bound"]) if row["pattern"] == "random" else 1
  >     if not 0 < float (row["most"]) <= bound:
  >         print (row)
  > points = list (csv.DictReader (open ("figures/points.csv")))
  > print (len (rows), all (float (p["accepted"]) <= 1 for p in points))
  > END
  $ python3 check.py
  24 True
  $ ls figures
  mesh-2-random.pdf
  mesh-2-random.svg
  mesh-2-transpose.pdf
  mesh-2-transpose.svg
  mesh-3-random.pdf
  mesh-3-random.svg
  mesh-3-transpose.pdf
  mesh-3-transpose.svg
  points.csv
  saturation.csv
  torus-2-random.pdf
  torus-2-random.svg
  torus-2-transpose.pdf
  torus-2-transpose.svg
  torus-3-random.pdf
  torus-3-random.svg
  torus-3-transpose.pdf
  torus-3-transpose.svg
  verdicts.csv
  $ head -2 figures/points.csv
  machine,pattern,network,rate,offered,accepted,latency,p50,p99,saturated,shown
  mesh:8x8,random,"dimension order, 2 channels",0.050000,...,0,...
  $ grep -c , figures/saturation.csv
  25
  $ tori paper latency --limit 20 --json | bare | grep -o '"flits".*' | cut -c 1-250
  "flits":8,"cycles":20,"curves":[{"machine":"mesh:8x8","pattern":"random","network":"dimension order, 2 channels","saturation":...,"most":...,"bound":0.4921875},...
