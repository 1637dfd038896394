import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Bubblewrap } from "../../../src/guard/node/sandbox/bubblewrap.js";
import { probeSandbox } from "../../../src/guard/node/sandbox/probe.js";
import { isAsExpected, selftest } from "../../../src/guard/node/sandbox/selftest.js";
import { runProgram } from "../../../src/base/runs/node/run-program.js";
import { socketFolder } from "../../../src/base/node/socket-folder.js";

const folder = mkdtempSync(join(tmpdir(), "sandbox-test-"));
const state = await probeSandbox(folder);

describe("the sandbox", function () {
  this.timeout(300_000);
  after(() => rmSync(folder, { recursive: true }));
  if (!state.isThere) {
    it(`is tried: NOT HERE, since ${state.reason}. ${state.remedy}`);
    return;
  }
  const { program } = state;

  it("is left by none of the attempts, and what programs need works", async () => {
    const rows = await selftest(state);
    assert.deepEqual(
      rows.filter((row) => !isAsExpected(row)),
      [],
    );
    assert.ok(rows.filter(({ result }) => result === "refused").length > 40, "most attempts are refused");
    assert.deepEqual(
      rows.filter(({ expected }) => expected === "works").map(({ result }) => result),
      ["works", "works", "works", "works", "works"],
    );
  });

  it("holds a tool that runs what an agent wrote, which reaches its folder and the temporary ones of its own run", async () => {
    const [home, project] = [join(folder, "tools"), join(folder, "tools", "app")];
    mkdirSync(project, { recursive: true });
    const temporary = mkdtempSync(join(tmpdir(), "symposium-tests-"));
    const subject = { id: "tools", needs: undefined, roots: [project], ownPrograms: [], sharesTemporary: true };
    const confined = new Bubblewrap({
      program,
      subject: () => ({ ...subject, configFolder: join(home, ".symposium"), home }),
    });
    // As a build script would, which cargo or a test runner starts.
    const sockets = join(socketFolder(), "planted");
    const script = `echo x > built; echo x > '${sockets}'; echo x > '${home}/outside'; echo x > '${temporary}/events'; echo x > /tmp/elsewhere; cat '${home}/secret'`;
    writeFileSync(join(home, "secret"), "hidden");
    let said = "";
    const limits = {
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      output: (text: string) => (said += text),
    };
    const command = { command: "sh", args: ["-c", script], cwd: project, env: { EVENTS: join(temporary, "events") } };
    await runProgram(command, limits, {
      ...{ watchdog: undefined, env: process.env, confined, terminationMs: 1_000, maxOutputBytes: 100_000 },
    });
    const made = [join(project, "built"), join(temporary, "events"), join(home, "outside"), "/tmp/elsewhere", sockets];
    assert.deepEqual(
      [made.map((path) => existsSync(path)), said.includes("hidden")],
      [[true, true, false, false, false], false],
    );
    rmSync(temporary, { recursive: true });
  });

  it("does not start where a link in its private folder leads elsewhere", () => {
    const [home, project] = [join(folder, "home"), join(folder, "home", "app")];
    mkdirSync(project, { recursive: true });
    const configFolder = join(home, ".symposium");
    const subject = { id: "linked", needs: undefined, roots: [project], ownPrograms: [], configFolder, home };
    const inside = join(configFolder, "guard", "home", "linked");
    mkdirSync(inside, { recursive: true });
    symlinkSync("/oldroot/tmp", join(inside, "app"));
    const plain = { file: "/bin/true", args: [], env: process.env, given: {}, cwd: project, stdio: "ignore" as const };
    const made = new Bubblewrap({ program, subject: () => subject }).confine(plain);
    assert.deepEqual(made, {
      startError: `sandbox: "${join(inside, "app")}" isn't a folder: remove it`,
    });
  });

  it("does not start for the home folder, nor for what lies above it or in ours", () => {
    const home = join(folder, "other");
    mkdirSync(join(home, ".symposium"), { recursive: true });
    const errors = ["/", home, join(home, ".symposium")].map((root) => {
      const configFolder = join(home, ".symposium");
      const subject = { id: "x", needs: undefined, roots: [root], ownPrograms: [], configFolder, home };
      const plain = { file: "/bin/true", args: [], env: process.env, given: {}, cwd: root, stdio: "ignore" as const };
      const made = new Bubblewrap({ program, subject: () => subject }).confine(plain);
      return "startError" in made && made.startError;
    });
    const whole = "contains your whole home folder, which a sandbox can't open. Open a folder of your project.";
    assert.deepEqual(errors, [
      `sandbox: "/" ${whole}`,
      `sandbox: "${home}" ${whole}`,
      `sandbox: "${join(home, ".symposium")}" is in "${join(home, ".symposium")}", which a sandbox can't open. Open a folder of your project.`,
    ]);
  });
});
