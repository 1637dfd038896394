import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Bubblewrap } from "../../../src/guard/node/sandbox/bubblewrap.js";
import { probeSandbox } from "../../../src/guard/node/sandbox/probe.js";
import { startProgram } from "../../../src/base/node/start-program.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "git-commands-test-")));
const state = await probeSandbox(folder);

describe("git in a sandbox", function () {
  this.timeout(60_000);
  after(() => rmSync(folder, { recursive: true }));
  if (!state.isThere) {
    it(`is tried: NOT HERE, since ${state.reason}. ${state.remedy}`);
    return;
  }
  const { program } = state;
  let home = "";
  beforeEach(() => (home = mkdtempSync(join(folder, "home-"))));

  /** Returns the output of a script of `sh` in a sandbox that is open for `root`. */
  async function said(root: string, script: string, opened: readonly string[] = []): Promise<string> {
    const subject = { id: "agent", needs: undefined, roots: [root], ownPrograms: [], home, opened };
    const confined = new Bubblewrap({
      program,
      subject: () => ({ ...subject, configFolder: join(home, ".symposium") }),
    });
    const started = startProgram(
      { command: "/bin/sh", args: ["-c", `{ ${script}; } 2>&1`], env: {}, cwd: root },
      { env: process.env, confined, stdio: ["pipe", "pipe", "pipe"] },
    );
    if ("startError" in started) throw new Error(started.startError);
    const [out] = await Promise.all([text(started.child.stdout ?? Readable.from([])), once(started.child, "exit")]);
    return out.trim();
  }

  it("writes the configuration that a rule opens, and no other", async () => {
    const project = join(home, "project");
    for (const tree of [project, join(project, "other")]) execFileSync("git", ["init", "-q", tree]);
    const read = "git config remote.o.url; git -C other config remote.o.url";
    const script = `git remote add o x; git -C other remote add o x; ${read}`;
    assert.match(await said(project, script), /could not (?:lock|write) config file/);
    const shown = await said(project, script, [join(project, ".git/config")]);
    assert.match(shown, /^error: could not [^\n]+\n(?:fatal[^\n]+\n)?x$/);
  });

  it("has a place of its own for work trees beside each project", async () => {
    const [first, second] = [join(home, "src/first"), join(home, "src/second")];
    const author = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    for (const project of [first, second]) {
      execFileSync("git", ["init", "-q", project]);
      execFileSync("git", [...author, "commit", "-q", "--allow-empty", "-m", "Begin"], { cwd: project });
    }
    const script = "git worktree add -q ../wt && ls ..";
    assert.deepEqual([await said(first, script), await said(second, script)], ["first\nwt", "second\nwt"]);
    assert.equal(await said(first, "git -C ../wt rev-parse --abbrev-ref HEAD"), "wt");
  });
});
