import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { Socket } from "node:net";
import { asNodeEnvironment } from "./own-program.js";
import { windowsProgram } from "./windows-program.js";

/**
 * Its arguments are the first groups. Reads `add GROUP`, `remove GROUP` and `kill` from stdin. When stdin ends, the groups that remain lose their owner: they are
 * stopped, so that none ends before its descendants are known; then these are asked to end, and killed a second later.
 * For every POSIX shell; `ps` may be missing, then descendants in groups of their own are not found.
 */
const posixScript = `
trap '' HUP INT QUIT TERM
groups=$*
killing=
while read -r verb group; do
  case $verb in kill) killing=1; continue ;; esac
  rest=
  for g in $groups; do [ "$g" = "$group" ] || rest="$rest $g"; done
  groups=$rest
  [ "$verb" != add ] || groups="$groups $group"
done
[ -n "$groups" ] || exit 0
signal() { for g in $groups; do kill -s "$1" -- "-$g"; done; }
signal STOP
table=$(ps -A -o pid= -o ppid= -o pgid=)
known=$groups
grown=1
while [ -n "$grown" ]; do
  grown= pid= parent=
  for word in $table; do
    if [ -z "$pid" ]; then pid=$word; continue; fi
    if [ -z "$parent" ]; then parent=$word; continue; fi
    join=
    case " $known " in *" $pid "* | *" $parent "*) join=1 ;; esac
    case " $groups " in *" $word "*) join=1 ;; esac
    if [ -n "$join" ]; then
      case " $known " in *" $pid "*) ;; *) known="$known $pid" grown=1 ;; esac
      case " $groups " in *" $word "*) ;; *) groups="$groups $word" grown=1 ;; esac
    fi
    pid= parent=
  done
done
if [ -z "$killing" ]; then
  signal TERM
  signal CONT
  sleep 1
fi
signal KILL
`;

/** The same for Windows, where a process id stands for its tree. Its first argument is the program that ends one. */
const windowsScript = `
const [taskkill, ...first] = process.argv.slice(1);
const ids = new Set(first);
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [verb, id] = line.split(" ");
  if (verb === "add") ids.add(id);
  else ids.delete(id);
}).on("close", () => {
  for (const id of ids) require("node:child_process").spawnSync(taskkill, ["/pid", id, "/T", "/F"], { windowsHide: true });
});
`;

/** How often it is replaced between the starts of two groups: where it cannot run, it is not started for ever. */
const maxReplacements = 5;

/**
 * Ends the process groups of this process when it is killed without a chance to do so: a tiny process of its own
 * waits for the end of a pipe that only we hold. It starts with the first group, never keeps us alive, goes
 * with us, and is replaced at once when it is killed itself. A pid stands for its group on POSIX, and for its tree on Windows.
 */
export class Watchdog implements Disposable {
  readonly #groups = new Set<number>();
  #process: ChildProcess | undefined;
  #isDisposed = false;
  #replacements = 0;

  /** `launch` starts the process for the groups that there are, with a pipe as its stdin. */
  constructor(private readonly launch: (groups: ReadonlySet<number>) => ChildProcess = startWatching) {}

  /** Starts it, unless it runs: to be called before a group starts, so that none is ever without it. */
  start(): void {
    if (this.#process || this.#isDisposed) return;
    const child = this.launch(this.#groups);
    const replace = (): void => {
      if (this.#process !== child) return;
      this.#process = undefined;
      if (this.#groups.size > 0 && this.#replacements++ < maxReplacements) this.start();
    };
    child.on("error", replace);
    child.on("exit", replace);
    child.stdin?.on("error", replace);
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    this.#process = child;
  }

  add(pid: number): void {
    this.#replacements = 0;
    this.start();
    this.#groups.add(pid);
    this.#tell("add", pid);
  }

  /** To be called when the group is gone: its number may soon mean others. */
  remove(pid: number): void {
    if (this.#groups.delete(pid)) this.#tell("remove", pid);
  }

  /** Has every group killed without a grace as soon as this process exits, for an exit that cannot wait. */
  kill(): void {
    // Killing the groups here would hide their descendants from the watchdog, so that is only the last resort.
    if (this.#process) this.#process.stdin?.write("kill\n");
    else for (const pid of this.#groups) killNow(pid);
  }

  /** Lets it end the groups that were not removed, and itself. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#process?.stdin?.end();
  }

  #tell(verb: "add" | "remove", pid: number): void {
    this.#process?.stdin?.write(`${verb} ${pid}\n`);
  }
}

/** Detached, so that signals of the terminal pass it by; without our other streams, so that none stays open through it. */
function startWatching(groups: ReadonlySet<number>): ChildProcess {
  // As arguments, it knows them also when we are killed before we can write to it.
  const first = [...groups].map(String);
  const options: SpawnOptions = { detached: true, stdio: ["pipe", "ignore", "ignore"], windowsHide: true };
  if (process.platform === "win32") {
    const env = { ...process.env, ...asNodeEnvironment };
    return spawn(process.execPath, ["-e", windowsScript, windowsProgram("taskkill.exe"), ...first], {
      ...options,
      env,
    });
  }
  // The system's own `ps` and `sleep` before any that an agent has put into a folder of PATH.
  const env = { PATH: `/bin:/usr/bin:${process.env["PATH"] ?? ""}` };
  return spawn("/bin/sh", ["-c", posixScript, "symposium-watchdog", ...first], { ...options, env, cwd: "/" });
}

function killNow(pid: number): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}
