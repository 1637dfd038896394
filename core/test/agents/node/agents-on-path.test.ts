import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { foundAgents } from "../../../src/agents/node/agents-on-path.js";
import { systemLookup } from "../../../src/base/node/resolve-command.js";

describe("foundAgents", () => {
  let folder = "";

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "found-agents-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function install(name: string): Promise<void> {
    const file = join(folder, process.platform === "win32" ? `${name}.cmd` : name);
    // A program that would leave a trace if it were run.
    await writeFile(file, `#!/bin/sh\ntouch "${join(folder, "was-run")}"\n`);
    await chmod(file, 0o755);
  }

  it("offers the agents whose programs are on PATH", async () => {
    await install("opencode");
    await install("gemini");
    const agents = foundAgents(systemLookup({ PATH: folder }, folder));
    assert.deepEqual(
      agents.filter(({ origin, missing }) => origin === "path" && missing === undefined).map(({ words }) => words),
      ["gemini --acp", "opencode acp"],
    );
  });

  it("runs nothing", async () => {
    await install("opencode");
    await install("npx");
    foundAgents(systemLookup({ PATH: folder }, folder));
    await assert.rejects(rm(join(folder, "was-run")), { code: "ENOENT" });
  });

  it("leaves out what PATH does not have", () => {
    const agents = foundAgents({ platform: "linux", path: "/bin", cwd: "/", isProgram: () => false });
    assert.equal(
      agents.some(({ id }) => id === "opencode"),
      false,
    );
  });
});
