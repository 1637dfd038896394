import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Bubblewrap } from "../../../src/guard/node/sandbox/bubblewrap.js";
import { probeSandbox } from "../../../src/guard/node/sandbox/probe.js";
import { askProgram } from "../../../src/base/node/ask-program.js";
import { opencodeSandbox } from "../../../src/agents/registry/sandbox-needs.js";

const home = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-test-")));
const state = await probeSandbox(home);

describe("OpenCode's own folder in a sandbox", function () {
  this.timeout(60_000);
  after(() => rmSync(home, { recursive: true }));

  it("has programs that it cannot change, and repositories that no OpenCode outside asks git about", async function () {
    if (!state.isThere) this.skip();
    const project = join(home, "project");
    const own = join(home, ".local/share/opencode");
    const files = ["bin/rg", "snapshot/one/two/config", "repos/host/a/b/.git/config"].map((name) => join(own, name));
    for (const path of [join(project, "a"), ...files]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "as it was\n");
    }
    const made = join(own, "snapshot/one/three");
    const writes = files.map((file) => `mkdir -p '${dirname(file)}'; echo x > '${file}'`).join("; ");
    const script = `${writes}; mv '${own}/bin' '${own}/other'; mkdir -p '${made}' && echo x > '${made}/config' && echo own; echo x > '${own}/new'`;
    const needs = { ...opencodeSandbox, state: [{ folder: ".local/share", name: "opencode" }] };
    const configFolder = join(home, ".symposium");
    const subject = { id: "agent", needs, roots: [project], ownPrograms: [], configFolder, home };
    const confined = new Bubblewrap({ program: state.program, subject: () => subject });
    const { stdout } = await askProgram(["/bin/sh", "-c", script], { confined, cwd: project, env: process.env });
    assert.equal(stdout, "own\n");
    assert.deepEqual(
      [...files.map((file) => readFileSync(file, "utf8")), existsSync(made), existsSync(join(own, "new"))],
      ["as it was\n", "as it was\n", "as it was\n", false, true],
    );
  });
});
