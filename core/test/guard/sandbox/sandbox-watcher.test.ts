import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Bubblewrap } from "../../../src/guard/node/sandbox/bubblewrap.js";
import { probeSandbox } from "../../../src/guard/node/sandbox/probe.js";
import { startProgram } from "../../../src/base/node/start-program.js";
import { Watched } from "./watched.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "watcher-test-")));
const state = await probeSandbox(folder);

/** Whether a process has not ended: one whose parent has not asked for it is a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("the process that watches sandboxes", function () {
  this.timeout(60_000);
  after(() => rmSync(folder, { recursive: true }));
  if (!state.isThere || state.kind !== "bubblewrap") {
    it("is tried: NOT HERE, since there is no bubblewrap");
    return;
  }
  const { program } = state;
  let project = "";
  beforeEach(() => {
    project = join(mkdtempSync(join(folder, "home-")), "project");
    mkdirSync(project);
    execFileSync("git", ["init", "-q", project]);
  });

  /** Starts a script in a sandbox, which has begun when this resolves. */
  async function start(script: string, { watch }: Watched): Promise<ChildProcess> {
    const home = join(project, "..");
    const subject = { id: "agent", needs: undefined, roots: [project], ownPrograms: [], home };
    const confined = new Bubblewrap({
      ...{ program, watch, subject: () => ({ ...subject, configFolder: join(home, ".symposium") }) },
    });
    const command = { command: "/bin/sh", args: ["-c", `echo ready; ${script}`], env: {}, cwd: project };
    const started = startProgram(command, { env: process.env, confined, stdio: ["pipe", "pipe", "ignore"] });
    if ("startError" in started) throw new Error(started.startError);
    await once(started.child.stdout ?? Readable.from([]), "data");
    return started.child;
  }

  it("ends a sandbox in which git is led elsewhere, however long this process does not come to it", async () => {
    await using watched = new Watched();
    const child = await start("echo elsewhere > .git/commondir; while :; do sleep 0.1; done", watched);
    const deadline = performance.now() + 20_000;
    // Nothing else of this process runs meanwhile.
    while (isRunning(child.pid ?? 0) && performance.now() < deadline);
    assert.equal(isRunning(child.pid ?? 0), false);
    await once(child, "exit");
    await watched.settled();
    assert.equal(child.signalCode, "SIGKILL");
    assert.deepEqual(watched.ended.map(({ path }) => path).slice(0, 1), [join(project, ".git/commondir")]);
  });

  it("takes the sandboxes with it where it is killed, and starts again for the next one", async () => {
    await using watched = new Watched();
    const child = await start("while :; do sleep 0.1; done", watched);
    const first = watched.watcher.pid ?? 0;
    process.kill(first, "SIGKILL");
    await once(child, "exit");
    assert.deepEqual(
      [child.signalCode, watched.ended],
      [
        "SIGKILL",
        [
          {
            reason: "The process that watches sandbox files has exited (SIGKILL). Restart the agent.",
            path: undefined,
          },
        ],
      ],
    );
    const next = await start("echo elsewhere > .git/commondir; while :; do sleep 0.1; done", watched);
    await once(next, "exit");
    assert.deepEqual([next.signalCode, watched.watcher.pid === first], ["SIGKILL", false]);
  });

  it("ends its sandboxes and itself when its owner is killed", async () => {
    const script = join(project, "../owner.mjs");
    const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
    writeFileSync(
      script,
      `import { Watched } from ${JSON.stringify(at("./watched.js"))};
import { spawn } from "node:child_process";
const watched = new Watched();
const child = spawn("/bin/sh", ["-c", "echo; exec sleep 1000"], { detached: true });
await watched.watch(new Map()).begin(child);
console.log(JSON.stringify([child.pid, watched.watcher.pid]));
setInterval(() => {}, 1000);
`,
    );
    const owner = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(owner.stdout, "data")) as [Buffer];
    const pids = JSON.parse(line.toString()) as number[];
    assert.deepEqual(pids.map(isRunning), [true, true]);
    owner.kill("SIGKILL");
    for (let tries = 0; pids.some(isRunning) && tries < 1_000; tries++) await delay(10);
    assert.deepEqual(pids.map(isRunning), [false, false]);
  });
});
