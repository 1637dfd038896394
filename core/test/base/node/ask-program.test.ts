import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askProgram } from "../../../src/base/node/ask-program.js";
import { askGit } from "../../../src/base/node/safe-git.js";

describe("a program that is asked something", () => {
  before(function () {
    // The programs of these tests are those of POSIX.
    if (process.platform === "win32") this.skip();
  });

  it("gets no variable that makes a program load code, and runs in a folder of the system", async () => {
    const planted = ["NODE_OPTIONS", "PYTHONPATH", "BASH_ENV", "LD_PRELOAD", "RUBYOPT", "PERL5OPT", "GIT_SSH_COMMAND"];
    const before = process.env;
    process.env = { ...before, ...Object.fromEntries(planted.map((name) => [name, ""])) };
    try {
      const { code, stdout } = await askProgram(["/bin/sh", "-c", "pwd; env"]);
      const [folder, ...variables] = stdout.trim().split("\n");
      assert.deepEqual({ code, folder }, { code: 0, folder: "/" });
      const names = variables.map((line) => line.replace(/=.*/, ""));
      assert.deepEqual(
        names.filter((name) => planted.includes(name)),
        [],
      );
    } finally {
      process.env = before;
    }
  });

  it("answers with both outputs, its code, and its complaint as the fault", async () => {
    assert.deepEqual(await askProgram(["/bin/sh", "-c", "cat; echo wrong >&2; exit 3"], { input: "given" }), {
      code: 3,
      stdout: "given",
      stderr: "wrong\n",
      fault: "wrong",
    });
    assert.deepEqual(await askProgram(["/no/such"]), { stdout: "", stderr: "", fault: "spawn /no/such ENOENT" });
  });

  it("answers although a process that it left behind keeps its output open", async () => {
    const left = await askProgram(["/bin/sh", "-c", "sleep 1000 & echo $!; echo No. >&2; exit 2"], {
      timeoutMs: Infinity,
    });
    try {
      assert.deepEqual([left.code, left.stderr], [2, "No.\n"]);
    } finally {
      process.kill(Number(left.stdout), "SIGKILL");
    }
  });

  it("is killed with what it has started when it takes too long, writes too much or is cancelled", async () => {
    const endless = ["/bin/sh", "-c", "sleep 1000 & echo started; wait"];
    const late = await askProgram(endless, { timeoutMs: 300 });
    assert.equal(late.fault, "it did not finish within 0.3 s");
    const long = await askProgram(["/bin/sh", "-c", "while :; do echo 0123456789; done"], { maxBytes: 10_000 });
    assert.equal(long.fault, "it wrote more than 10000 bytes");
    const abort = new AbortController();
    const cancelled = askProgram(endless, { signal: abort.signal });
    abort.abort();
    assert.equal((await cancelled).fault, "it was cancelled");
    assert.equal((await askProgram(endless, { signal: abort.signal })).fault, "it was cancelled");
  });

  it("is a git without the variables of another repository, of hooks and of programs", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "ask-git-")));
    try {
      execFileSync("git", ["init", "--quiet"], { cwd: folder });
      await writeFile(join(folder, "run"), `#!/bin/sh\n: >'${folder}/ran'\n`, { mode: 0o755 });
      const planted = { GIT_DIR: "/nowhere", GIT_EXTERNAL_DIFF: join(folder, "run"), GIT_PAGER: join(folder, "run") };
      const env = { ...process.env, ...planted };
      await writeFile(join(folder, "a"), "1");
      const answer = await askGit(folder, ["status", "--porcelain"], { env });
      assert.deepEqual({ code: answer?.code, stdout: answer?.stdout }, { code: 0, stdout: "?? a\n?? run\n" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
