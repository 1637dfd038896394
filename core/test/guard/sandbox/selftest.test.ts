import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Bubblewrap } from "../../../src/guard/node/sandbox/bubblewrap.js";
import { probeSandbox } from "../../../src/guard/node/sandbox/probe.js";
import { isAsExpected, selftest } from "../../../src/guard/node/sandbox/selftest.js";

const folder = mkdtempSync(join(tmpdir(), "sandbox-test-"));
const state = probeSandbox(folder);

describe("the sandbox", function () {
  this.timeout(120_000);
  after(() => rmSync(folder, { recursive: true }));
  if (!state.isThere) {
    it(`is tried: NOT HERE, since ${state.reason}. ${state.remedy}`);
    return;
  }
  const { program } = state;

  it("is left by none of the attempts, and what programs need works", async () => {
    const rows = await selftest(program);
    assert.deepEqual(
      rows.filter((row) => !isAsExpected(row)),
      [],
    );
    assert.ok(rows.filter(({ result }) => result === "refused").length > 40, "most attempts are refused");
    assert.deepEqual(
      rows.filter(({ expected }) => expected === "works").map(({ result }) => result),
      ["works", "works", "works", "works"],
    );
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
      startError: `sandbox: "${join(inside, "app")}" is in the way of a folder: remove it`,
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
    const whole = "holds your whole home folder, which a sandbox cannot open. Open a folder of your project.";
    assert.deepEqual(errors, [
      `sandbox: "/" ${whole}`,
      `sandbox: "${home}" ${whole}`,
      `sandbox: "${join(home, ".symposium")}" lies in "${join(home, ".symposium")}", which no sandbox opens. Open a folder of your project.`,
    ]);
  });
});
