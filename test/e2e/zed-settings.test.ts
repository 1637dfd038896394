import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Outcome, runToEnd } from "../support/child.js";
import { conductorProgram } from "../support/conductor-command.js";
import { arrayOf, objectOf, parseObject, stringOf } from "../support/json.js";
import type { RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const limitMs = 400_000;
const settings = `// Mine\r\n{\r\n\t"vim_mode": true, // always\r\n\t"agent_servers": { "codex-acp": { "type": "registry" } },\r\n}`;

describe("Zed's settings on disk", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();

  let folder: RunFolder;
  let file: string;
  beforeEach(async () => {
    folder = scope().use(await createCommandFolder(JSON.stringify({ agent: agentText(), proxies: [] })));
    file = join(folder.home, ".config", "zed", "settings.json");
    await mkdir(dirname(file), { recursive: true });
  });

  function zed(...words: readonly string[]): Promise<Outcome> {
    const env = commandEnvironment(folder);
    return runToEnd(
      { words: [process.execPath, conductorProgram, "zed", ...words], env, cwd: folder.workspace },
      limitMs,
    );
  }

  async function agentNames(): Promise<readonly string[]> {
    const text = (await readFile(file, "utf8")).replace(/\/\/.*|,(?=\s*})/g, "");
    return Object.keys(objectOf(parseObject(text)["agent_servers"]));
  }

  it("get the configured chain, and are restored to the byte with their permissions", async () => {
    await writeFile(file, settings);
    await chmod(file, 0o640);
    const installed = await zed("install");
    assert.equal(installed.code, 0, installed.stderr);
    assert.deepEqual(await agentNames(), ["codex-acp", "Symposium"]);
    const removed = await zed("uninstall");
    assert.equal(removed.code, 0, removed.stderr);
    assert.equal(await readFile(file, "utf8"), settings);
    assert.equal((await stat(file)).mode & 0o777, 0o640);
    assert.deepEqual(await readdir(dirname(file)), ["settings.json"]);
  });

  it("are restored to the byte after several installations", async () => {
    await writeFile(file, settings);
    await zed("install");
    await zed("install", "--agent", "claude-code", "--agent", "eliza");
    assert.deepEqual(await agentNames(), ["codex-acp", "Symposium", "Symposium: Claude Code", "Symposium: Eliza"]);
    await zed("uninstall");
    assert.equal(await readFile(file, "utf8"), settings);
  });

  it("are gone again where there were none", async () => {
    const { stdout } = await zed("install");
    assert.match(stdout, /The file did not exist; `symposium-acp-agent zed uninstall` removes it\./);
    assert.doesNotMatch(stdout, /are stored/);
    assert.equal(existsSync(file), true);
    await zed("uninstall");
    assert.equal(existsSync(file), false);
  });

  it("keep what was edited after the installation", async () => {
    await writeFile(file, settings);
    await zed("install");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(`"vim_mode": true`, `"vim_mode": false`));
    await zed("uninstall");
    assert.equal(await readFile(file, "utf8"), settings.replace(`"vim_mode": true`, `"vim_mode": false`));
  });

  it("keep what was edited between two installations", async () => {
    await writeFile(file, settings);
    await zed("install");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(`"vim_mode": true`, `"vim_mode": false`));
    await zed("install", "--agent", "eliza");
    await zed("uninstall");
    assert.equal(await readFile(file, "utf8"), settings.replace(`"vim_mode": true`, `"vim_mode": false`));
  });

  it("lose only the chain that is named", async () => {
    await writeFile(file, settings);
    await zed("install", "--agent", "claude-code", "--agent", "eliza");
    await zed("uninstall", "--agent", "claude-code");
    assert.deepEqual(await agentNames(), ["codex-acp", "Symposium: Eliza"]);
    await zed("uninstall");
    assert.deepEqual(await agentNames(), ["codex-acp"]);
  });

  it("get no two agents under one name, neither at once nor one after the other", async () => {
    await writeFile(file, settings);
    const [one, other] = ["node /a/agent.js", "node /b/agent.js"];
    const both = await zed("install", "--agent", one, "--agent", other);
    assert.equal(both.code, 2);
    assert.ok(both.stderr.includes(`Two agents would have the name "Symposium: agent": ${other} and ${one}.`));
    assert.equal(await readFile(file, "utf8"), settings);
    assert.equal((await zed("install", "--agent", one)).code, 0);
    const before = await readFile(file, "utf8");
    assert.equal((await zed("install", "--agent", other)).code, 2);
    assert.equal(await readFile(file, "utf8"), before);
    const named = `{ "name": "other", "command": "node", "args": ["/b/agent.js"] }`;
    assert.equal((await zed("install", "--agent", named)).code, 0);
    assert.deepEqual(await agentNames(), ["codex-acp", "Symposium: agent", "Symposium: other"]);
  });

  it("know an agent by all of its names", async () => {
    await zed("install", "--agent", "claude");
    assert.equal((await zed("install", "--agent", "claude-code")).code, 0);
    assert.deepEqual(await agentNames(), ["Symposium: Claude Code"]);
  });

  it("lose our entries also where what was kept of them is broken", async () => {
    await writeFile(file, settings);
    await zed("install");
    const kept = join(folder.root, "config", "zed");
    const [backup] = await readdir(kept);
    await writeFile(join(kept, backup ?? ""), "{");
    const { code, stdout, stderr } = await zed("uninstall");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Removed from /);
    assert.equal(await readFile(file, "utf8"), settings);
  });

  it("may be a link into another folder, which stays", async () => {
    const elsewhere = join(folder.root, "dotfiles.json");
    await writeFile(elsewhere, settings);
    await symlink(elsewhere, file);
    await zed("install");
    assert.equal(await readlink(file), elsewhere);
    assert.match(await readFile(elsewhere, "utf8"), /"Symposium": \{/);
    await zed("uninstall");
    assert.deepEqual([await readlink(file), await readFile(elsewhere, "utf8")], [elsewhere, settings]);
  });

  it("get agents as language models, and lose them again", async () => {
    await writeFile(file, settings);
    await zed("install");
    const { code, stderr } = await zed("install", "--language-models", "--agent", "eliza", "--port", "4000");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /`symposium-acp-agent serve-openai --agent eliza --port 4000`/);
    assert.match(await readFile(file, "utf8"), /"api_url": "http:\/\/127\.0\.0\.1:4000\/v1"/);
    await zed("uninstall");
    assert.equal(await readFile(file, "utf8"), settings);
  });

  it("are described as JSON: the file, the agents, the change, and the copy of the old file", async () => {
    await writeFile(file, settings);
    const json = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> =>
      parseObject((await zed("install", ...words, "--json")).stdout);
    const planned = await json("--dry-run");
    assert.equal(await readFile(file, "utf8"), settings);
    assert.deepEqual([planned["file"], planned["names"], "backup" in planned], [file, ["Symposium"], false]);
    assert.match(String(planned["diff"]), /^\+.*"Symposium": \{/m);
    const { backup, ...installed } = await json();
    assert.deepEqual(installed, planned);
    assert.equal(parseObject(await readFile(String(backup), "utf8"))["before"], settings);
    assert.deepEqual(await json(), { file, names: ["Symposium"], diff: "" });
  });

  it("are not touched by a dry run, which shows the change", async () => {
    await writeFile(file, settings);
    const { stdout } = await zed("install", "--dry-run");
    assert.equal(await readFile(file, "utf8"), settings);
    assert.match(stdout, /^--- .*\n\+\+\+ .*\n@@ .*@@\n/);
    assert.match(stdout, /^\+.*"Symposium": \{\r$/m);
  });

  it("are not touched when they are broken; the line is named", async () => {
    await writeFile(file, `{\n  "vim_mode": true\n  "tab_size": 2\n}\n`);
    const { code, stderr } = await zed("install");
    assert.equal(code, 2);
    assert.ok(stderr.includes(`${file}:3:3: A comma is missing before this.`), stderr);
    assert.equal(await readFile(file, "utf8"), `{\n  "vim_mode": true\n  "tab_size": 2\n}\n`);
  });

  it("get no agent that cannot be started here", async () => {
    const { code, stderr } = await zed("install", "--agent", "nobody");
    assert.deepEqual([code, existsSync(file)], [2, false]);
    assert.match(stderr, /"nobody" isn't a known agent/);
  });

  it("are those of the flatpak where that is the only Zed", async () => {
    const flatpak = join(folder.home, ".var/app/dev.zed.Zed/config/zed");
    await mkdir(flatpak, { recursive: true });
    await zed("install", "--flatpak");
    assert.deepEqual([existsSync(join(flatpak, "settings.json")), existsSync(file)], [true, false]);
  });

  it("are found sound by the doctor, who starts every entry", async () => {
    await zed("install", "--agent", "eliza");
    await zed("install");
    const { code, stdout, stderr } = await zed("doctor", "--json");
    assert.equal(code, 0, stdout + stderr);
    const findings = arrayOf(JSON.parse(stdout)).map(objectOf);
    assert.deepEqual(
      findings.map(({ check, status }) => `${stringOf(check)}: ${stringOf(status)}`),
      [
        "settings: ok",
        ...["Symposium: Eliza", "Symposium"].flatMap((name) =>
          ["program", "initialize", "sign-in", "session", "end"].map((check) => `${name}, ${check}: ok`),
        ),
      ],
    );
  });

  it("may name a program below the home folder, as Zed understands it", async () => {
    const program = join(folder.home, "bin", "symposium-acp-agent");
    await mkdir(dirname(program));
    await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${conductorProgram}" "$@"\n`, { mode: 0o755 });
    const entry = { type: "custom", command: "~/bin/symposium-acp-agent", args: ["zed", "run", "--agent", "eliza"] };
    await writeFile(file, JSON.stringify({ agent_servers: { "Symposium mine": entry } }));
    const { code, stdout, stderr } = await zed("doctor");
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, new RegExp(`^ok +Symposium mine, program +${program}$`, "m"));
  });

  it("are found wanting by the doctor where a program is gone", async () => {
    await zed("install");
    await writeFile(file, (await readFile(file, "utf8")).replace(JSON.stringify(process.execPath), `"/gone/node"`));
    const { code, stdout } = await zed("doctor");
    assert.equal(code, 1);
    assert.match(stdout, /^fail {2}Symposium, program {2}\/gone\/node was not found$/m);
  });
});
