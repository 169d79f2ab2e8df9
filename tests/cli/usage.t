The command as a whole: help, versions, names that are not known.

  $ tori --version
  tori 0.1.0
  $ tori --help
  Usage: tori [OPTION]... COMMAND...

  Place and schedule jobs on mesh, torus and multi-torus machines.

  'tori help COMMAND' explains a command, 'tori help machines' how machines and
  nodes are written, 'tori help times' how times are, 'tori help files' the
  formats of files, and 'tori help json' the fields of JSON answers.

  Commands:
   Place and explain
    place       Find a place for one request on a machine
    wire        Show which links partitions take, or why they cannot have them
    twist       Compare a slice as a torus and as a twisted torus
    map         Draw a machine and the jobs on it
    why         Explain why jobs wait, and what would start them now
    forecast    Tell when and where every waiting job will start
    what-if     Show what a change does to every waiting job
    defrag      Tell which running jobs to move so that another fits

   Simulate and compare
    sim         Replay a workload through a scheduler and measure it
    compare     Compare schedulers and allocators on the same jobs
    sweep       Simulate every combination of machines, policies and loads
    report      Write a sweep as one HTML page, with a replay in 3-D
    decide      Compare the decisions of allocators in the same situations

   Use a running service
    submit      Submit a job to a running torid
    run         Run a job of a running torid here, and wait for its end
    queue       List the jobs of a running torid
    history     List jobs of a running torid that have ended, use, or changes
    show        Show one job of a running torid in full
    top         Watch a running torid: its machine and its jobs
    wait        Wait until jobs of a running torid have ended
    logs        Show what a job of a running torid has written
    change      Change what jobs of a running torid ask for
    cancel      End jobs of a running torid, or take them out of its queue
    hold        Hold jobs of a running torid until they are released
    release     Release jobs that are held, or let suspended ones continue
    suspend     Stop running jobs of a running torid until they are released
    requeue     End running jobs of a running torid, and let them wait again
    slurm       Submit jobs to a Slurm cluster whose nodes tori chooses

   Administer it
    nodes       List nodes of a running torid that are down or drained
    drain       Keep new jobs off nodes of a running torid
    resume      Let jobs start on drained nodes again
    reserve     Keep nodes of a running torid free for a time
    queues      List the queues of a running torid: rules, limits and jobs
    users       List what users of a running torid have and have used
    shadow      Compare a torid --shadow with the scheduler that it follows

   Laboratory
    plan        Plan jobs that are all known in advance
    net         Send messages through the network, flit by flit
    gang        Share a machine in time and space: the queue tree
    paper       Reproduce published tables and figures, beside the printed values

   Find your way
    list        List allocators, schedulers and all other names
    help        Show help on a command or a topic
    completion  Print a completion script for a shell

  Options:
    --version               print the version
    -h, --help              print this help

  Exit status:
    0  done
    1  failure: a file cannot be read or written, or out of memory
    2  bad usage or bad input
    3  not now: it does not fit, or misses the deadline
    4  never on this machine

  Examples:
    tori place --machine torus:8x8x8 --shape 4x4x2
    tori sim --machine multitorus:8x8x8 --wiring torus
  $ tori -h | head -1
  Usage: tori [OPTION]... COMMAND...
  $ tori help | head -1
  Usage: tori [OPTION]... COMMAND...

Help on a command, three ways.

  $ tori list --help
  Usage: tori list [OPTION]... [WHAT]

  List allocators, schedulers and all other names.

  The column takes tells what an allocator can be asked for: a box of a shape, a
  count of nodes, or points without a machine. Among points, row, snake and
  hilbert walk the bounding box, whatever its size. exact may give up, and so may
  mm and mm+inc among many points in many dimensions. In 'tori place' ptas goes
  on until it has an answer. Elsewhere, and with --steps, it refuses what would
  take too long, and more than 16384 points that are not on a line.

  Operands:
    WHAT                    which list; all if not given: allocators, schedulers,
                            orders, models, shapes, wirings, machines, patterns,
                            branches, folds

  Options:
    --json                  print JSON
    -h, --help              print this help

  Exit status:
    0  done
    1  failure: a file cannot be read or written, or out of memory
    2  bad usage or bad input

  Examples:
    tori list allocators
    tori list --json
  $ tori list --help > page; tori help list | cmp - page && tori list -h --json | cmp - page
  $ tori help place | grep -A5 '^Exit status'
  Exit status:
    0  placed
    1  failure: a file cannot be read or written, or out of memory
    2  bad usage, bad input, or a search that gave up
    3  does not fit now
    4  never fits on this machine
  $ tori help files | grep -A5 '^Partitions'
  Partitions:
  Option --partitions names such a file. Each line has one box and its wiring:
  none, mesh, torus or twisted. A slice of a pod has several boxes, in row-major
  order, and after them how many there are along each dimension.

    0,0,0/4x4x4 torus
  $ tori help --man place | head -3
  .Dd November 15, 2026
  .Dt TORI-PLACE 1
  .Os
  $ tori help help place
  tori: 'tori help' has no command 'place'
  [2]

No terminal, no bold, and no lines wider than a page.

  $ for c in place wire sim paper list help completion; do tori help $c; done | grep -c "$(printf '\033')"
  0
  [1]
  $ for c in place wire sim paper list help completion; do tori help $c | sed '/^Examples/,/^$/d'; done | awk 'length > 79'

Words that are not known, with what may have been meant.

  $ tori
  tori: no command given; see 'tori --help'
  [2]
  $ tori plcae
  tori: unknown command 'plcae'; did you mean 'place'? see 'tori --help'
  [2]
  $ tori xyzzy
  tori: unknown command 'xyzzy'; see 'tori --help'
  [2]
  $ tori --frobnicate
  tori: unknown option '--frobnicate'; see 'tori --help'
  [2]
  $ tori -x
  tori: unknown option '-x'; see 'tori --help'
  [2]
  $ tori place --machne torus:8x8
  tori: unknown option '--machne'; did you mean '--machine'? see 'tori place --help'
  [2]
  $ tori place --machine torus:8x8 --jsno
  tori: unknown option '--jsno'; did you mean '--json'? see 'tori place --help'
  [2]
  $ tori place --quux=3
  tori: unknown option '--quux'; see 'tori place --help'
  [2]
  $ tori place -q
  tori: unknown option '-q'; see 'tori place --help'
  [2]
  $ tori place there
  tori: unexpected 'there'; see 'tori place --help'
  [2]
  $ tori list --foo
  tori: unknown option '--foo'; see 'tori list --help'
  [2]
  $ tori list alocators
  tori: WHAT: 'alocators' (did you mean 'allocators'?) is not one of allocators, schedulers, orders, models, shapes, wirings, machines, patterns, branches, folds
  [2]
  $ tori help plcae
  tori: unknown command 'plcae'; did you mean 'place'? see 'tori --help'
  [2]
  $ tori help place here
  tori: 'tori place' has no command 'here'
  [2]
  $ tori completion
  tori: SHELL is missing; see 'tori completion --help'
  [2]
  $ tori completion csh
  tori: SHELL: 'csh' (did you mean 'zsh'?) is not one of bash, zsh, fish, jobs, all-jobs, nodes
  [2]
  $ tori place --a-name-that-is-far-too-long-to-be-an-option-of-any-command-whatever-it-does-for-you
  tori: unknown option '--a-name-that-is-far-too-long-to-be-an-option-of-any-command-w'; see 'tori place --help'
  [2]

Values that are missing, or too many, or not for this option.

  $ tori place
  tori: --machine KIND:SIZES is missing; see 'tori place --help'
  [2]
  $ tori place --machine
  tori: option '--machine' needs a value: KIND:SIZES
  [2]
  $ tori place --json=yes --machine mesh:2x2
  tori: option '--json' takes no value
  [2]
  $ tori place --machine=mesh:2x2 --count=x
  tori: --count: 'x' is not a whole number from 1 to 9223372036854775807
  [2]
  $ tori place --machine mesh:2x2 --count 9223372036854775808
  tori: --count: '9223372036854775808' is not a whole number from 1 to 9223372036854775807
  [2]
  $ tori place --machine mesh:2x2 --count -1
  tori: --count: '-1' is not a whole number from 1 to 9223372036854775807
  [2]
  $ tori place --machine mesh:2x2 --count ''
  tori: --count: '' is not a whole number from 1 to 9223372036854775807
  [2]
  $ tori place --machine mesh:2x2 --count 1 --wiring star
  tori: --wiring: 'star' is not one of none, mesh, torus, twisted
  [2]
  $ tori place --machine mesh:2x2 --count 1 --alloc none-such
  tori: --alloc: 'none-such' is not one of first-fit, best-fit...
  [2]
  $ tori place --machine mesh:2x2 --count 1 --alloc frist-fit
  tori: --alloc: 'frist-fit' (did you mean 'first-fit'?) is not one of first-fit, best-fit...
  [2]
  $ tori place --machine mesh:2x2 --count 1 -- --json
  tori: unexpected '--json'; see 'tori place --help'
  [2]
  $ tori sim --machine mesh:2x2 --torus-fraction 3/2
  tori: --torus-fraction: '3/2' is above 1
  [2]
  $ tori sim --machine mesh:2x2 --load 0
  tori: --load: '0' is not above 0
  [2]
  $ tori sim --machine mesh:2x2 --load -1/2
  tori: --load: '-1/2' is not above 0
  [2]
  $ tori sim --machine mesh:2x2 --load 1/0
  tori: --load: '1/0' is not a number such as 2.5 or 5/2
  [2]
  $ tori sim --machine mesh:2x2 --load 0.5x
  tori: --load: '0.5x' is not a number such as 2.5 or 5/2
  [2]

An error is one line, whatever was typed.

  $ tori place --machine "$(printf 'torus\n:8\033[1m')" | wc -l
  tori: unknown machine 'torus?:8?[1m': expected mesh:, torus: or multitorus: and sizes such as 8x8x8 or 8^3, or pod:64/4x4x4
  0
  $ tori place --machine "$(printf 'torus\n:8\033[1m')"
  tori: unknown machine 'torus?:8?[1m': expected mesh:, torus: or multitorus: and sizes such as 8x8x8 or 8^3, or pod:64/4x4x4
  [2]

An option with one value is given once, by name or by letter; a flag or a list
may be repeated.

  $ tori place --machine torus:8x8 --machine mesh:2 --count 1
  tori: option '--machine' is given twice
  [2]
  $ tori place --machine mesh:2 --count=2 --json --count=2
  tori: option '--count' is given twice
  [2]
  $ tori sim --machine mesh:2 --seeds 2 -j 1 --workers 2
  tori: option '--workers' is given twice
  [2]
  $ tori place --machine mesh:2 --count 2 --json --json
  {"placed":true,"nodes":[[0],[1]],"pairwise":1,"average":1.0}
  $ tori net --machine mesh:4x4 --box 0,0/2x4 --box 2,0/2x4 --json | grep -o '"box":"[^"]*"' | sort -u
  "box":"0,0/2x4"
  "box":"2,0/2x4"

On a terminal headings are bold, unless NO_COLOR says no.

  $ cat > term.py <<'END'
  > import os, pty, sys
  > os.environ.update(a.split("=") for a in sys.argv[1].split(","))
  > pty.spawn(sys.argv[2:], lambda fd: os.read(fd, 9999).replace(b"\r", b"").replace(b"\033", b"ESC"))
  > END
  $ python3 term.py TERM=xterm,NO_COLOR= tori list orders | head -1
  ESC[1mordersESC[m
  $ python3 term.py TERM=xterm,NO_COLOR=1 tori list orders | head -1
  orders
  $ python3 term.py TERM=dumb,NO_COLOR= tori list orders | head -1
  orders
  $ python3 term.py TERM=xterm,NO_COLOR= tori list --help | grep ESC
  ESC[1mOperands:ESC[m
  ESC[1mOptions:ESC[m
  ESC[1mExit status:ESC[m
  ESC[1mExamples:ESC[m

Completion is written from the same tables.

  $ tori completion bash > completion
  $ cat > complete.sh <<'END'
  > . ./completion
  > for line in "$@"; do
  >   COMP_WORDS=(tori $line); COMPREPLY=()
  >   case $line in *" "|"") COMP_WORDS+=("") ;; esac
  >   COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  >   _tori; echo $line: ${COMPREPLY[@]}
  > done
  > END
  $ bash complete.sh p 'place --w' 'place --wiring ' 'place --wiring = t' 'list s' 'place --busy ' 'help wi' 'completion '
  p: place plan paper
  place --w: --wiring --wrap
  place --wiring : none mesh torus twisted
  place --wiring = t: torus twisted
  list s: schedulers shapes
  place --busy :
  help wi: wire
  completion : bash zsh fish jobs all-jobs nodes --help

Every JSON answer begins with what was asked: all that was chosen or defaulted.

  $ tori place --machine mesh:4x4 --shape 2x2 --json
  {"tori":"0.1.0","command":"place","config":{"machine":"mesh:4x4","shape":"2x2","alloc":"first-fit","hypercube":"buddy","noncubic":"round-up","wiring":"none","fold":"none","no_rotate":false,"wrap":false},"placed":true,"nodes":[[0,0],[0,1],[1,0],[1,1]],"pairwise":8,"average":1.33333333333333,"origin":[0,0],"shape":[2,2]}
  $ tori sim --machine mesh:4x4 --jobs 5 --load 1/2 --alloc mm --json | cut -d} -f1
  {"tori":"0.1.0","command":"sim","config":{"machine":"mesh:4x4","strict":false,"model":"lublin","jobs":5,"sched":"easy","order":"submit","alloc":"mm","hypercube":"buddy","noncubic":"round-up","wiring":"none","shapes":"count","estimates":"exact","procs_per_node":1,"load":0.5,"seed":1,"fold":"none","no_rotate":false,"wrap":false,"moves":false,"network":"none","no_distance":false
  $ tori list wirings --json
  {"tori":"0.1.0","command":"list","config":{"what":"wirings"},"wirings":[{"name":"none","summary":"no links are reserved"},{"name":"mesh","summary":"the links between neighbours in the box"},{"name":"torus","summary":"a ring in every line of the box"},{"name":"twisted","summary":"on a pod: a torus with sides of K and 2K, whose wraps are shifted"}]}

What help says of an option is true of the command.
  $ tori drain --help | grep -c -e --up
  0
  [1]
  $ tori resume --help | grep -c -e --down
  0
  [1]
