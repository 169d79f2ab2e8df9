Durations are written in one way everywhere.

  $ echo '1 0 -1 7200 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1' > one.swf
  $ for time in 3600 60m 1h 1:00:00 0-01 0-01:00 0-01:00:00; do
  >   tori sim --machine mesh:4 --trace one.swf --urgent 1 --checkpoint $time --json | grep -o '"checkpoint":[0-9.]*'
  > done | uniq -c | tr -s ' '
   7 "checkpoint":3600.0
  $ for time in 36 36h 1d12h 1-12 1-12:00:00; do
  >   tori sim --machine mesh:4 --trace one.swf --mtbf $time --json | grep -o '"mtbf":[0-9.]*'
  > done | uniq -c | tr -s ' '
   5 "mtbf":36.0
  $ tori sim --machine mesh:4 --trace one.swf --snapshot 1h:then.json > /dev/null; grep -o '"now": [0-9]*' then.json
  "now": 3600
  $ for time in 2:00 2:00:00 0-02 7200; do
  >   tori sim --machine mesh:4 --trace one.swf --snapshot $time:at.json > /dev/null; grep -o '"now": [0-9]*' at.json
  > done | uniq -c | tr -s ' '
   4 "now": 7200
  $ tori sim --machine mesh:4 --trace one.swf --snapshot 1:00:one.swf
  tori: --trace and --snapshot are the same file, which would be overwritten
  [2]
  $ printf '30m 0 down\n1h30m 0 up\n' > down.txt
  $ tori sim --machine mesh:4 --trace one.swf --failures down.txt --log - | grep -o '"start":[0-9]*,"finish":[0-9]*'
  "start":1800,"finish":9000

A form with two meanings is refused with both.

  $ tori sim --machine mesh:4 --trace one.swf --urgent 1 --checkpoint 1:30
  tori: --checkpoint: '1:30' has two meanings, hours and minutes or, as in Slurm, minutes and seconds: write 1h30m or 1m30s
  [2]
  $ tori sim --machine mesh:4 --trace one.swf --warm-up 1:30
  tori: --warm-up: '1:30' has two meanings, hours and minutes or, as in Slurm, minutes and seconds: write 1h30m or 1m30s
  [2]
  $ tori submit --count 1 --time 90 true
  tori: --time: '90' has two meanings, seconds or, as in Slurm, minutes: write 1m30s or 1h30m
  [2]
  $ tori submit --count 1 --time 1:30 true
  tori: --time: '1:30' has two meanings, hours and minutes or, as in Slurm, minutes and seconds: write 1h30m or 1m30s
  [2]
  $ printf '{"machine": "mesh:4", "queue": [{"id": 1, "count": 1, "time_limit": "1:30"}]}' | tori forecast -
  tori: -: queue[0].time_limit: '1:30' has two meanings, hours and minutes or, as in Slurm, minutes and seconds: write 1h30m or 1m30s
  [2]
  $ printf '{"machine": "mesh:4", "queue": [{"id": 1, "count": 1, "time_limit": "60"}]}' | tori forecast -
  tori: -: queue[0].time_limit: '60' has two meanings, seconds or, as in Slurm, minutes: write 1m or 1h
  [2]
  $ tori history --since 18:00
  tori: '18:00' has two meanings, a time of day or so long ago: write a date and a time, or a duration such as 12h
  [2]

In a snapshot a plain number is seconds, and a time of day one hour of the first day.

  $ printf '{"machine": "mesh:4", "now": "2:00", "queue": [{"id": 1, "count": 1, "time_limit": 90, "earliest": "2:30"}]}' | tori forecast -
  job  start, s   in  place
    1      9000  30m  0
  not a promise for 1 job without a planned start: jobs that come later may delay it
  $ tori what-if then.json --add count=1,estimate=3600 --add count=1,time=1-00:00 | tail -2
    2      3600              new  2
    3      3600              new  3

An old name of an option is taken, and shown nowhere.

  $ tori net --machine torus:4x4 --box 0,0/4x4 --rate 0.1 --cycles 100 --warm-up 50 --json > new
  $ tori net --machine torus:4x4 --box 0,0/4x4 --rate 0.1 --cycles 100 --warmup 50 --json | cmp - new
  $ tori help net | grep -c -e --warmup
  0
  [1]
