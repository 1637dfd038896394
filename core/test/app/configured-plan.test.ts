import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../src/app/cli/main.js", import.meta.url));
const agentMain = fileURLToPath(new URL("../../testing/node/agent-main.js", import.meta.url));

describe("run, in a project", function () {
  this.timeout(120_000);

  let folder: string;
  let project: string;
  let mark: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "run-project-")));
    [project, mark] = [join(folder, "project"), join(folder, "mark")];
    for (const name of [".symposium", ".git", "member"]) await mkdir(join(project, name), { recursive: true });
    await mkdir(join(folder, "config"));
    await writeFile(join(folder, "config", "config.jsonc"), '{ "agent": "eliza", "proxies": [] }');
    // The agent that the project names writes down what it got, and is the scripted one.
    const script = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, process.env.API_ADDRESS ?? "none"); import(${JSON.stringify(agentMain)});`;
    await writeFile(join(project, "agent.cjs"), script);
    const agent = { name: "own", command: process.execPath, args: ["./agent.cjs"], env: [] };
    const env = { API_ADDRESS: "https://api.example" };
    await writeFile(join(project, ".symposium", "config.jsonc"), JSON.stringify({ agent, env }));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const env = (): NodeJS.ProcessEnv => ({ ...process.env, SYMPOSIUM_CONFIG_DIR: join(folder, "config"), HOME: folder });

  /** The name of the agent that answers `initialize`. */
  async function agentName(cwd = project): Promise<unknown> {
    const child = spawn(process.execPath, [program, "run"], { cwd, env: env(), stdio: ["pipe", "pipe", "ignore"] });
    const params = { protocolVersion: 1, clientCapabilities: {} };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    let output = "";
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      output += chunk as string;
      if (output.includes("\n")) child.stdin.end();
    }
    const answer = JSON.parse(output.split("\n", 1)[0] ?? "") as { result: { agentInfo: { name: string } } };
    return answer.result.agentInfo.name;
  }

  async function trust(): Promise<void> {
    const child = spawn(process.execPath, [program, "trust", project], { env: env(), stdio: "ignore" });
    await new Promise((resolve) => child.once("close", resolve));
  }

  const marked = (): Promise<string | undefined> => readFile(mark, "utf8").catch(() => undefined);

  it("starts nothing of the project before its content is allowed, nor after it has changed", async () => {
    const users = await agentName();
    assert.equal(await marked(), undefined);
    await trust();
    assert.notEqual(await agentName(), users);
    assert.equal(await marked(), "https://api.example");
    await rm(mark);
    await writeFile(join(project, "agent.cjs"), `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "evil");`);
    assert.equal(await agentName(), users);
    assert.equal(await marked(), undefined);
  });

  it("starts no command of the project in another folder of it, where its paths lead elsewhere", async () => {
    await trust();
    await writeFile(
      join(project, "member", "agent.cjs"),
      `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "evil");`,
    );
    await agentName(join(project, "member"));
    assert.equal(await marked(), undefined);
  });
});
