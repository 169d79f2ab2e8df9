Jobs as sacct prints them: steps are skipped, jobs that never started or have
not ended are counted, and names are numbered. It does not matter how columns
are ordered, or whether the file is compressed.

  $ cat > sacct.txt <<'END'
  > JobID|JobName|User|Group|Partition|Submit|Eligible|Start|End|Elapsed|Timelimit|NNodes|NCPUS|State
  > 101|relax "all"|alice|phys|batch|2026-03-01T09:30:00|2026-03-01T09:30:00|2026-03-01T09:30:10|2026-03-01T10:30:10|01:00:00|02:00:00|2|16|COMPLETED
  > 101.batch|batch||||2026-03-01T09:30:10|2026-03-01T09:30:10|2026-03-01T09:30:10|2026-03-01T10:30:10|01:00:00||1|8|COMPLETED
  > 101.0|prog||||2026-03-01T09:30:10|2026-03-01T09:30:10|2026-03-01T09:30:10|2026-03-01T10:30:10|01:00:00||2|16|COMPLETED
  > 102_3|sweep|bob|chem|night|2026-03-01T09:30:05|Unknown|2026-03-01T09:40:00|2026-03-02T10:40:00|1-01:00:00|UNLIMITED|4|32|TIMEOUT
  > 102_[4-9%2]|sweep|bob|chem|night|2026-03-01T09:30:05|Unknown|Unknown|Unknown|00:00:00|UNLIMITED|4|32|PENDING
  > 103+0|pair|carol|phys|batch|2026-03-01T09:31:00|2026-03-01T09:31:00|2026-03-01T09:41:00|2026-03-01T09:42:30|00:01:30|Partition_Limit|1|8|CANCELLED by 0
  > 104|gone|carol|phys|batch|2026-03-01T09:31:00|2026-03-01T09:31:00|2026-03-01T09:41:00|2026-03-01T09:41:00|00:00:00|01:00:00|1|8|CANCELLED by 1000
  > 105|now|alice|phys|batch|2026-03-01T09:32:00|2026-03-01T09:32:00|2026-03-01T09:50:00|Unknown|00:10:00|01:00:00|1|8|RUNNING
  > END
  $ tori sim --machine mesh:4 --trace sacct.txt --out-swf - | tee sacct.swf
  ; Version: 2.2
  ; Computer: mesh:4
  ; Note: sacct.txt on mesh:4: easy, submit order, first-fit, shapes first-match, wiring none, estimates raised
  ; MaxJobs: 3
  ; MaxRecords: 3
  ; MaxNodes: 4
  ; MaxProcs: 4
  ; User: 1 alice
  ; User: 2 bob
  ; User: 3 carol
  ; Group: 1 phys
  ; Group: 2 chem
  ; Queue: 1 batch
  ; Queue: 2 night
  ; Partition: 1 batch
  ; Partition: 2 night
  ; UnixStartTime: 1772357400
  101 0 0 3600 2 -1 -1 2 7200 -1 1 1 1 1 1 1 -1 -1
  102 5 3595 90000 4 -1 -1 4 90000 -1 1 2 2 2 2 2 -1 -1
  103 60 0 90 1 -1 -1 1 90 -1 1 3 1 3 1 1 -1 -1
  $ tori sim --machine mesh:4 --trace sacct.txt | grep 'left out'
  records without a size or a run time, left out: 3
  $ awk -F'|' -v OFS='|' '{ for (i = 14; i > 1; i--) printf "%s|", $i; print $1 }' sacct.txt | gzip > turned.gz
  $ tori sim --machine mesh:4 --trace turned.gz --out-swf - | grep -v '^; Note' > turned.swf; grep -v '^; Note' sacct.swf | cmp - turned.swf

What was written is read alike, also as CSV with the columns of Batsim.

  $ tori sim --machine mesh:4 --trace sacct.swf --json | bare > swf.json
  $ tori sim --machine mesh:4 --trace sacct.txt --log jobs.csv --log-format csv --json | bare > first.json
  $ tori sim --machine mesh:4 --trace jobs.csv --json | bare > csv.json
  $ for f in first swf csv; do sed 's/,"rejections".*//' $f.json | cksum; done | uniq | wc -l
  1

Shapes and wirings are those of the table; without, those of the options.

  $ cat > jobs.csv <<'END'
  > submit,run time,estimate,shape,count,wiring,user,queue,id
  > 0,1m,120,2x2x1,,torus,"Smith, ""Jo""",a,7
  > 1,30,,4x4x4,,mesh,"two
  > lines",b,8
  > 2.5,60,0:02:00,,2,none,x,a,9
  > 3,10,10,9x9x9,,none,x,a,10
  > 4,10,10,2x2x2,,,x,a,11
  > END
  $ tori sim --machine torus:4x4x4 --trace jobs.csv --log - | sed 's/,"nodes.*//'
  {"id":10,"submit":3,"count":729,"shape":[9,9,9],"fate":"rejected","reason":"larger than the machine"}
  {"id":7,"submit":0,"start":0,"finish":60,"count":4,"shape":[1,2,2],"origin":[0,0,0],"wiring":"torus"
  {"id":11,"submit":4,"start":4,"finish":14,"count":8,"shape":[2,2,2],"origin":[0,0,2],"wiring":"none"
  {"id":8,"submit":1,"start":60,"finish":90,"count":64,"shape":[4,4,4],"origin":[0,0,0],"wiring":"mesh"
  {"id":9,"submit":2.5,"start":90,"finish":150,"count":2,"wiring":"none"
  $ tori sim --machine torus:4x4x4 --trace jobs.csv | grep -E 'rejected:|links'
  1 rejected: larger than the machine
  $ tori sim --machine torus:4x4x4 --trace jobs.csv --json | grep -o '"links_reserved":[a-z]*'
  "links_reserved":true
  $ tori sim --machine torus:4x4x4 --trace jobs.csv --alloc mm | grep -E 'rejected:|links'
  no links are reserved: a mesh, a torus and a multi-torus schedule alike
  1 rejected: larger than the machine

A table that has shapes and counts is replayed as it is written: the log of a
run, replayed, is the same log. The table that --log writes is such a table.

  $ cat > both.csv <<'END'
  > submit,run_time,estimate,shape,count
  > 0,10,10,1x4,
  > 1,10,10,,4
  > 2,10,10,,5
  > 3,10,10,2x2,
  > END
  $ tori sim --machine mesh:4x4 --jobs-csv both.csv | head -1
  both.csv on mesh:4x4: easy, submit order, first-fit+mm, shapes as-given, wiring none, estimates raised
  $ tori sim --machine mesh:4x4 --jobs-csv both.csv --log both.log --log-format table > /dev/null
  $ cut -d, -f1,5,6 both.log
  job,nodes,shape
  1,4,1x4
  2,4,
  3,5,
  4,4,2x2
  $ tori sim --machine mesh:4x4 --jobs-csv both.log --log - --log-format table | cmp - both.log
  $ tori sim --machine mesh:4x4 --jobs-csv both.csv --alloc mc --log - --log-format table | cut -d, -f5,6
  nodes,shape
  4,1x4
  4,
  5,
  4,2x2
  $ cat both.csv | tori sim --machine mesh:4x4 --jobs-csv - --shapes as-given --log - --log-format table | cmp - both.log
  $ tori sim --machine mesh:4x4 --jobs-csv both.csv --shapes as-given --alloc mm
  tori: --shapes as-given: allocator mm takes no shape
  [2]

With gang, too. What loses its shape is told.

  $ tori sim --machine mesh:4x4 --jobs-csv both.csv --sched gang --log - | sed 's/,"wiring.*//'
  {"id":1,"submit":0,"start":0,"finish":17,"count":4,"shape":[2,4],"origin":[0,0]
  {"id":2,"submit":1,"start":1,"finish":20,"count":4,"shape":[2,2],"origin":[2,0]
  {"id":3,"submit":2,"start":2,"finish":21,"count":5,"shape":[2,4],"origin":[2,0]
  {"id":4,"submit":3,"start":3,"finish":20,"count":4,"shape":[2,2],"origin":[0,0]
  $ tori sim --machine mesh:4x4 --jobs-csv both.csv --sched gang | head -1
  both.csv on mesh:4x4: gang, slots of 1 s, switches of 0 s, degree 2, lightest branch, shapes as-given
  $ tori sim --machine mesh:4x4 --jobs-csv both.csv --shapes none | grep 'a shape'
  2 of 4 jobs have a shape in the log, and ask for a number of nodes; --shapes as-given keeps the shapes
  $ tori sim --machine mesh:4x4 --jobs-csv both.csv --alloc mm --json | grep -o '"unshaped":[0-9]*'
  "unshaped":2

What is wrong is said with its line.

  $ tori sim --machine torus:4x4 --trace jobs.csv
  tori: jobs.csv:2: shape: expected a shape of 2 dimensions, as the machine has, found '2x2x1'
  [2]
  $ tori sim --machine torus:4x4x4 --trace jobs.csv --scale 2
  tori: jobs.csv:2: shape: expected a number of nodes, as sizes are scaled, found '2x2x1'
  [2]
  $ sed 's/^2.5/soon/' jobs.csv | tori sim --machine torus:4x4x4 --trace -
  tori: -:5: submit: expected seconds or a date such as 2026-03-01T09:30:00, found 'soon'
  [2]
  $ sed 's/shape/shpae/' jobs.csv | tori sim --machine torus:4x4x4 --trace - | grep 'left out'
  records without a size or a run time, left out: 4
  $ sed 's/shape/shpae/' jobs.csv | tori sim --machine torus:4x4x4 --trace - --strict
  tori: -:1: unknown column 'shpae'; see 'tori help files'
  [2]
  $ sed 1d sacct.txt | tori sim --machine mesh:4 --trace -
  tori: -:1: expected a record of the Standard Workload Format or names of columns with | or , between them
  [2]
  $ sed 's/|Elapsed|/|Slept|/; s/|End|/|Last|/' sacct.txt | tori sim --machine mesh:4 --trace -
  tori: -:1: no column for the run time: expected 'runtime', or 'start' and 'end'; see 'tori help files'
  [2]
  $ sed 's/sweep/a|b/' sacct.txt | tori sim --machine mesh:4 --trace -
  tori: -:5: expected 14 fields, found 15 (a | in a name is not quoted)
  [2]
  $ echo nonsense | tori sim --machine mesh:4 --trace -
  tori: -:1: expected a record of the Standard Workload Format or names of columns with | or , between them
  [2]

A cell that is nan or null is empty, but not for a strict reader; a name may be
either. A compressed log without a byte is none.

  $ printf 'submit,run_time,nodes,user\n0,10,1,a\n1,nan,1,b\n2,10,null,c\n' > lost.csv
  $ tori sim --machine mesh:4 --trace lost.csv | grep 'left out'
  records without a size or a run time, left out: 2
  $ tori sim --machine mesh:4 --trace lost.csv --strict
  tori: lost.csv:3: run_time: 'nan' is not a time such as 90s, 1h20m, 1:20:30 or 2-12:00:00
  [2]
  $ sed 's/1,nan/1,5/' lost.csv | tori sim --machine mesh:4 --trace - --strict
  tori: -:4: nodes: expected a whole number, found 'null'
  [2]
  $ sed '3,$d; s/,a$/,Null/' lost.csv | tori sim --machine mesh:4 --trace - --strict --out-swf - | grep User
  ; User: 1 Null
  $ : > none.swf.gz; tori sim --machine mesh:4 --trace none.swf.gz
  tori: none.swf.gz: expected gzip data, found an empty file
  [2]

--jobs-csv is another name of --trace; a shape or a count, each with its wiring.

  $ tori sim --machine torus:4x4x4 --trace jobs.csv --log a --json | bare | sed 's/"trace"/"x"/' > 1; tori sim --machine torus:4x4x4 --jobs-csv jobs.csv --log b --json | bare | sed 's/"jobs-csv"/"x"/' | cmp - 1 && cmp a b
  $ tori sim --machine torus:4x4x4 --jobs-csv jobs.csv --model lublin
  tori: --jobs-csv cannot be used with --model
  [2]
  $ tori sim --machine torus:4x4x4 --jobs-csv jobs.csv --trace jobs.csv
  tori: --jobs-csv cannot be used with --trace
  [2]
  $ tori sim --machine torus:4x4x4 --jobs-csv jobs.csv | grep 'can be placed'
  jobs that can be placed  80.00 %

The model of RFold: the same seed gives the same bytes. Run times may come from
a file.

  $ for i in 1 2; do tori sim --machine pod:64/4x4x4 --model rfold --jobs 100 --load 0.17 --wiring mesh --log $i --json > $i.json; done; cmp 1 2 && cmp 1.json 2.json
  $ tori sim --machine torus:16^3 --model rfold --jobs 300 --sched fcfs --wrap | grep -E 'jobs r|can be|response'
  jobs run                 27
  jobs rejected            273
  jobs that can be placed  9.00 %
  response, s       5947.63  2102.12  23571.20  29664.65  29664.65
  $ printf '#id,duration\n1,60\n2,3600\n' > spans.csv
  $ tori sim --machine torus:16^3 --model rfold --jobs 300 --durations spans.csv --log - | grep -o '"start.*count' | awk -F'[:,]' '{ print $4 - $2 }' | sort -n | uniq
  60
  3600
  $ echo x > bad.csv; tori sim --machine torus:16^3 --model rfold --durations bad.csv
  tori: bad.csv:1: run time: 'x' is not a time such as 90s, 1h20m, 1:20:30 or 2-12:00:00
  [2]
  $ echo 0 > bad.csv; tori sim --machine torus:16^3 --model rfold --durations bad.csv
  tori: bad.csv: expected at least one run time above 0
  [2]
  $ tori sim --machine torus:16^3 --model lublin --durations spans.csv
  tori: model lublin: it draws run times itself, and takes none of a file
  [2]
  $ tori sim --machine torus:16^3 --durations spans.csv
  tori: model lublin: it draws run times itself, and takes none of a file
  [2]
  $ tori sim --machine torus:4x4x4 --jobs-csv jobs.csv --durations spans.csv
  tori: --durations is for a model; a log has run times
  [2]
  $ tori sim --machine torus:4x4x4 --jobs-csv jobs.csv --service uniform-log
  tori: --service is for a model; a log has run times
  [2]
  $ tori sim --machine torus:16x16 --model rfold
  tori: model rfold: its shapes are for machines of three dimensions and 64 to 131072 nodes
  [2]
