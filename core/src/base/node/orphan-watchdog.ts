import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { Socket } from "node:net";
import { asNodeEnvironment } from "./own-program.js";
import { windowsProgram } from "./windows-program.js";

/**
 * Watchdog script for POSIX shells. Arguments are the initial groups; stdin takes `add GROUP`, `remove GROUP` and `kill`. When stdin ends,
 * stops the remaining groups to find all descendants, terminates them, and kills those that are left a second later. Without `ps`, misses
 * descendants in other groups.
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
alive() { for g in $groups; do ! kill -s 0 -- "-$g" || return 0; done; return 1; }
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
  for tenth in 1 2 3 4 5 6 7 8 9 10; do
    alive || exit 0
    sleep 0.1 || { sleep 1; break; }
  done
fi
signal KILL
`;

/** Watchdog script for Windows, where a pid represents its tree. The first argument is the program that kills a tree. */
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

/** Maximum number of times that the watchdog is replaced between the starts of two groups, in case it can't run at all. */
const maxReplacements = 5;

/**
 * Kills this process's process groups if it dies without cleanup. A small separate process waits for the end of a pipe from this process;
 * it starts with the first group, doesn't prevent exit, and is replaced if killed. A pid represents its group on POSIX and its tree on
 * Windows.
 */
export class Watchdog implements Disposable {
  readonly #groups = new Set<number>();
  #process: ChildProcess | undefined;
  #isDisposed = false;
  #replacements = 0;

  constructor(private readonly launch: (groups: ReadonlySet<number>) => ChildProcess = startWatching) {}

  /** Starts the watchdog process unless it runs. Call before starting a group, so that no group is ever unwatched. */
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

  /** Removes a group that has ended. Call promptly, since its number may be reused. */
  remove(pid: number): void {
    if (this.#groups.delete(pid)) this.#tell("remove", pid);
  }

  /** Kills every group without grace when this process exits, for exits that can't wait. */
  kill(): void {
    // Kill the groups here only as a last resort, because that would hide their descendants from the watchdog.
    if (this.#process) this.#process.stdin?.write("kill\n");
    else for (const pid of this.#groups) killNow(pid);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#process?.stdin?.end();
  }

  #tell(verb: "add" | "remove", pid: number): void {
    this.#process?.stdin?.write(`${verb} ${pid}\n`);
  }
}

/**
 * Starts the watchdog process. It is detached, so that terminal signals don't reach it, and inherits no streams, so that it doesn't leave
 * them open.
 */
function startWatching(groups: ReadonlySet<number>): ChildProcess {
  // Pass the groups as arguments, so that the watchdog knows them even if this process dies before writing.
  const first = [...groups].map(String);
  const options: SpawnOptions = { detached: true, stdio: ["pipe", "ignore", "ignore"], windowsHide: true };
  if (process.platform === "win32") {
    const env = { ...process.env, ...asNodeEnvironment };
    return spawn(process.execPath, ["-e", windowsScript, windowsProgram("taskkill.exe"), ...first], {
      ...options,
      env,
    });
  }
  // Prefers the system's `ps` and `sleep` to programs that an agent may have put on PATH.
  const env = { PATH: `/bin:/usr/bin:${process.env["PATH"] ?? ""}` };
  return spawn("/bin/sh", ["-c", posixScript, "symposium-watchdog", ...first], { ...options, env, cwd: "/" });
}

function killNow(pid: number): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}
