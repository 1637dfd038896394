import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./run-command.js";

describe("trust", () => {
  let folder: string;
  let project: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "trust-command-")));
    project = join(folder, "project");
    await mkdir(join(project, "member"), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function run(...words: readonly string[]): Promise<readonly [unknown, string]> {
    const env = { ...process.env, SYMPOSIUM_CONFIG_DIR: join(folder, "config") };
    const { code, stdout, stderr } = await runCommand({ name: "trust", words, env, cwd: project });
    return [code, stdout + stderr];
  }

  it("adds, lists and removes folders", async () => {
    assert.deepEqual(await run("--list"), [0, "No folder is trusted.\n"]);
    assert.deepEqual(await run("."), [0, `${project} is trusted, including everything in it.\n`]);
    assert.deepEqual(await run("--list"), [0, `${project}\n`]);
    assert.deepEqual(await run("--remove", project), [0, `${project} is not trusted.\n`]);
    assert.deepEqual(await run("--list"), [0, "No folder is trusted.\n"]);
  });

  it("answers with JSON", async () => {
    const json = async (...words: readonly string[]): Promise<unknown> =>
      JSON.parse((await run(...words, "--json"))[1]);
    assert.deepEqual(await json("."), { trusted: project, starts: [], allowed: [] });
    assert.deepEqual(await json("--list"), { folders: [project], refused: [], projects: [], components: [] });
    assert.deepEqual(await json("--remove", "."), { removed: project });
  });

  it("tells editors what a project asks for, and allows that alone, where it is still the same", async () => {
    await mkdir(join(project, ".git"));
    await mkdir(join(project, ".symposium"));
    const file = join(project, ".symposium", "config.jsonc");
    const write = (command: string): Promise<void> =>
      writeFile(file, JSON.stringify({ mcpServers: { docs: { command } } }));
    const question = async (): Promise<Readonly<Record<string, unknown>>> =>
      JSON.parse((await run(".", "--question"))[1]) as Readonly<Record<string, unknown>>;
    assert.deepEqual(await question(), { state: "approved", warnings: [] });
    await write("docs-server");
    const { state, digest, text } = await question();
    assert.equal(state, "unasked");
    assert.match(String(text), /\+ mcpServers\.docs: \{"command":"docs-server"\}/);
    await write("evil-server");
    const [code, said] = await run(".", "--allow", String(digest));
    assert.equal(code, 2);
    assert.match(said, /has changed since it was shown\. Nothing was allowed/);
    assert.equal((await question())["state"], "unasked");
    await write("docs-server");
    assert.deepEqual(await run(".", "--allow", String(digest)), [0, `${file}: allowed from the next session.\n`]);
    assert.equal((await question())["state"], "approved");
    assert.match((await run("--list"))[1], /^No folder is trusted\.\nAllowed from the configuration in /);
  });

  it("removes a folder that is gone", async () => {
    const gone = join(project, "gone");
    await mkdir(gone);
    await run(gone);
    await rm(gone, { recursive: true });
    assert.deepEqual(await run("--remove", gone), [0, `${gone} is not trusted.\n`]);
    assert.deepEqual(await run("--list"), [0, "No folder is trusted.\n"]);
  });

  it("says which folder it is that trusts another one", async () => {
    await run(".");
    const member = join(project, "member");
    assert.deepEqual(await run("--remove", "member"), [
      2,
      `${member} is trusted because ${project} is. Run \`symposium-acp-agent trust --remove ${project}\`, then trust only the subfolders that you need.\n`,
    ]);
  });

  it("shows and allows what the project's own configuration asks for, and what agents start there", async () => {
    await mkdir(join(project, ".git"));
    await mkdir(join(project, ".symposium"));
    const file = join(project, ".symposium", "config.jsonc");
    const write = (command: string): Promise<void> =>
      writeFile(file, JSON.stringify({ mcpServers: { docs: { command } }, registryUrl: "https://evil.example" }));
    await write("docs-server");
    await writeFile(join(project, ".mcp.json"), '{"mcpServers": {"x": {"command": "evil\\u202e"}}}');
    const trusted = `${project} is trusted, including everything in it.`;
    const [, first] = await run(".");
    assert.deepEqual(
      first.split("\n").filter((line) => !line.includes("registryUrl")),
      [
        trusted,
        "Claude Code automatically starts this in the folder:",
        `- ${project}/.mcp.json: mcpServers.x {"command":"evil\\u{202e}"}`,
        `Allowed from ${file}:`,
        "+ all files of the project, for mcpServers.docs: the current content",
        '+ mcpServers.docs: {"command":"docs-server"}',
        "",
      ],
    );
    assert.match(first, /config\.jsonc:1:\d+: A project can't set "registryUrl"/);
    await write("another");
    const [, second] = await run(".");
    assert.match(second, /~ mcpServers\.docs: \{"command":"another"\}\n {2}before: \{"command":"docs-server"\}\n/);
    assert.match((await run("."))[1], /already allowed and unchanged\.\n/);
    assert.deepEqual(await run("--list"), [
      0,
      `${project}\nAllowed from the configuration in ${project}: all files of the project, for mcpServers.docs, mcpServers.docs\n`,
    ]);
    await run("--remove", ".");
    assert.deepEqual(await run("--list"), [0, "No folder is trusted.\n"]);
  });

  it("says what it takes", async () => {
    const usage = "symposium-acp-agent trust DIR, trust --remove DIR, or trust --list.\n";
    assert.deepEqual(await run(), [2, `trust takes one folder. ${usage}`]);
    assert.deepEqual(await run("nowhere"), [2, `trust: there is no folder nowhere. ${usage}`]);
  });
});
