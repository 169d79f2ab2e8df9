Files that a command line names are looked at before any work.

  $ for i in 1 2 3; do echo "$i 0 0 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1"; done > log.swf
  $ cp log.swf before.swf; ln log.swf hard.swf; ln -s log.swf soft.swf; mkdir sub

What is read is not written, however it is called, and stays as it was.

  $ tori sim --machine mesh:4 --trace log.swf --snapshot 10:log.swf
  tori: --trace and --snapshot are the same file, which would be overwritten
  [2]
  $ tori sim --machine mesh:4 --trace log.swf --out-swf log.swf
  tori: --trace and --out-swf are the same file, which would be overwritten
  [2]
  $ tori sim --machine mesh:4 --trace log.swf --log sub/../log.swf
  tori: --trace and --log are the same file, which would be overwritten
  [2]
  $ tori sim --machine mesh:4 --trace log.swf --log hard.swf
  tori: --trace and --log are the same file, which would be overwritten
  [2]
  $ tori sim --machine mesh:4 --trace soft.swf --log log.swf
  tori: --trace and --log are the same file, which would be overwritten
  [2]
  $ tori sim --machine mesh:4 --trace - --log log.swf < log.swf
  tori: --trace and --log are the same file, which would be overwritten
  [2]
  $ tori sim --machine mesh:4 --trace log.swf --log - >> log.swf
  tori: --trace and --log are the same file, which would be overwritten
  [2]
  $ tori sim --machine mesh:4 --trace log.swf >> log.swf
  tori: --trace and standard output are the same file, which would be overwritten
  [2]
  $ tori sim --machine mesh:4 --trace - < log.swf >> log.swf
  tori: --trace and standard output are the same file, which would be overwritten
  [2]
  $ cmp log.swf before.swf

Nor do two outputs go to one file, one that is yet to be made included.

  $ tori sim --machine mesh:4 --trace log.swf --log out --out-swf sub/../out
  tori: --log and --out-swf are the same file
  [2]
  $ touch out; tori sim --machine mesh:4 --trace log.swf --log out --out-swf ./out
  tori: --log and --out-swf are the same file
  [2]
  $ tori sim --machine mesh:4 --trace log.swf --log out > out
  tori: --log and standard output are the same file
  [2]
  $ tori sim --machine mesh:4 --trace log.swf --log - --out-swf -
  tori: --log and --out-swf both name standard output
  [2]
  $ tori place --machine mesh:4 --count 1 --busy - --down - < /dev/null
  tori: --busy and --down both name standard input
  [2]

What goes together does: files of one name in two folders, devices, a file
that is read twice, and a file of standard output.

  $ rm out; tori sim --machine mesh:4 --trace log.swf --log out --out-swf sub/out > /dev/null; ls out sub
  out
  
  sub:
  out
  $ tori sim --machine mesh:4 --trace log.swf --log /dev/null --out-swf /dev/null > /dev/null
  $ echo 0 > nodes; tori place --machine mesh:4 --count 4 --busy nodes --down nodes | head -1
  does not fit now: 4 nodes asked for, 3 free
  $ tori sim --machine mesh:4 --trace log.swf --log - > out; wc -l < out
  3

A paper has folders of both.

  $ cp log.swf sub/table1.csv; tori paper table1 --traces sub/../sub/table1.csv --out sub
  tori: --traces: sub/../sub/table1.csv is in the folder of --out, and could be overwritten
  [2]
  $ tori paper table1 --traces log.swf >> log.swf
  tori: --traces and standard output are the same file, which would be overwritten
  [2]

Every option of every command that names a file takes part: with what is
required beside it, each refuses the file that standard output appends to.

  $ cat > each.py <<'END'
  > import re, subprocess as s
  > given = {"KIND:SIZES": "mesh:4", "FILE": "other", "DIR": "d", "NODE:LENGTH,...": "0:1"}
  > def page(path): return s.run(["tori", "help", *path], capture_output=True, text=True).stdout
  > def walk(path):
  >     text = page(path)
  >     needs = re.findall(r" --(\S+) (\S+)(?= --| \[|$)", text.split("\n")[0].replace("tori", "", 1))
  >     words = ["FILE"] if re.search(r"^  (FILE|DIR)  ", text, re.M) else []
  >     for name, value in re.findall(r"^  (?:-., )?--(\S+) (FILE\S*|JOBS)\b", text, re.M):
  >         line = ["tori", *path] + words
  >         for other, kind in needs:
  >             line += [] if other == name else ["--" + other, given[kind]]
  >         with open("x", "a") as out:
  >             got = s.run(line + ["--" + name, "x"], stdout=out, stderr=s.PIPE, text=True).stderr
  >         seen.append("standard output are the same" in got)
  >         if not seen[-1]:
  >             print(*path, "--" + name, got)
  >     for name in re.findall(r"^  (\S+)", (text.split("\nCommands:\n") + [""])[1].split("\nOptions:")[0], re.M):
  >         walk(path + [name])
  > seen = []
  > walk([])
  > print(len(seen) > 25, all(seen))
  > END
  $ touch x; python3 each.py; wc -c < x
  True True
  0

What cannot be written is said before anything is read or computed. To look
changes nothing, and wakes up no reader of a pipe.

  $ for i in 1 2 3 4; do echo "4 $i"; done > jobs
  $ tori plan contention --machine torus:8x8 --jobs jobs --svg nowhere/plan.svg
  tori: nowhere/plan.svg: No such file or directory
  [1]
  $ tori plan preemptive --machine torus:8x8 --jobs jobs --min --gantt --svg sub
  tori: sub: Is a directory
  [1]
  $ tori net --machine mesh:2x2 --heat nowhere/heat.svg
  tori: nowhere/heat.svg: No such file or directory
  [1]
  $ tori sim --machine mesh:4 --trace no-such-log --log nowhere/log
  tori: nowhere/log: No such file or directory
  [1]
  $ echo old > kept; tori sim --machine mesh:4 --trace no-such-log --log kept --out-swf new
  tori: no-such-log: No such file or directory
  [1]
  $ cat kept; ls new
  old
  ls: cannot access 'new': No such file or directory
  [2]
  $ mkfifo pipe; cat pipe > piped & tori sim --machine mesh:4 --trace log.swf --log pipe > /dev/null; wait; wc -l < piped
  3
