import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const modules = new URL("../../src/", import.meta.url);
const script = `
  const { toAgent } = await import(process.env.MODULES + "app/components.js");
  const { readAgentText } = await import(process.env.MODULES + "agents/node/find-agent.js");
  const projects = { asStartedHere: (agent) => agent };
  await toAgent(readAgentText(process.argv[1]), { projects, settings: { commandOutput: "full" } });`;

describe("an agent that npx downloads", function () {
  this.timeout(60_000);
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-npx-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function noticeOf(agent: string): Promise<string> {
    const env = { PATH: "", SYMPOSIUM_CONFIG_DIR: folder, npm_config_cache: folder, MODULES: modules.href };
    const words = ["--input-type=module", "-e", script, "--", agent];
    return (await promisify(execFile)(process.execPath, words, { env })).stderr;
  }

  it("is said with its size before it starts, and not where npx has it", async () => {
    const notice =
      "gemini-cli is not installed. npx downloads @google/gemini-cli, about 22 MB with dependencies, unless npm has already cached it.\n";
    assert.deepEqual([await noticeOf("gemini"), await noticeOf("npx -y @google/gemini-cli --acp")], [notice, notice]);
    await mkdir(join(folder, "_npx", "0123"), { recursive: true });
    const manifest = JSON.stringify({ dependencies: { "@google/gemini-cli": "^1.0.0" } });
    await writeFile(join(folder, "_npx", "0123", "package.json"), manifest);
    assert.deepEqual([await noticeOf("gemini-cli"), await noticeOf("npx -y other")], ["", ""]);
  });
});
