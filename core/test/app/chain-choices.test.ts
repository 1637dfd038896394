import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChainChoices } from "../../src/app/chain-choices.js";
import { readConfig } from "../../src/settings/node/config-file.js";

const builtIn = ["sparkle", "ferris", "cargo", "ide-operations", "tests", "sources"];

describe("ChainChoices", () => {
  let folder = "";

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-choices-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const file = (): string => join(folder, "config.jsonc");
  const content = (): Promise<string> => readFile(file(), "utf8");

  async function choicesOf(text: string): Promise<ChainChoices> {
    await writeFile(file(), text);
    const state = await readConfig(file(), builtIn, { optIn: ["editor-edits"] });
    if (state.state !== "ok" || !state.config.agent) throw new Error(`not sound: ${text}`);
    return ChainChoices.of(state, state.config.agent);
  }

  it("knows the configured agent again, however it is written", async () => {
    for (const [agent, id] of [
      ["gemini-cli", "gemini-cli"],
      ["gemini", "gemini-cli"],
      ["npx -y @google/gemini-cli --acp", "gemini-cli"],
      ["elizacp", "eliza"],
      ["kiro-cli-chat acp", "kiro-cli"],
      ["my-agent --acp", "my-agent"],
    ] as const) {
      const { choice } = await choicesOf(JSON.stringify({ agent }));
      assert.equal(choice.agent, id, agent);
    }
  });

  it("offers the configured proxies in their order, then the others of the product, which are off", async () => {
    const proxies = [
      { name: "cargo", enabled: false },
      { name: "ferris", enabled: true },
    ];
    const { offer, choice } = await choicesOf(JSON.stringify({ agent: "eliza", proxies }));
    assert.deepEqual(
      [offer.proxies.map(({ id }) => id), [...choice.proxies]],
      [["cargo", "ferris", "sparkle", "ide-operations", "tests", "sources", "editor-edits"], ["ferris"]],
    );
  });

  it("offers an agent of the user's own first, and writes it back as it was", async () => {
    const agent = { command: "node", args: ["mine.js"], env: { MODE: "acp" } };
    const text = `{\n  // mine\n  "agent": ${JSON.stringify(agent)}\n}\n`;
    const choices = await choicesOf(text);
    assert.deepEqual(choices.offer.agents[0], {
      id: "mine",
      name: "mine",
      description: "the agent of your configuration",
    });
    await choices.save({ kind: "agent", id: "eliza" });
    assert.equal(await content(), '{\n  // mine\n  "agent": "eliza"\n}\n');
    await choices.save({ kind: "agent", id: "mine" });
    assert.deepEqual(JSON.parse((await content()).replace("// mine", "")), { agent });
  });

  it("keeps a copy of the file only where an agent would be lost", async () => {
    const copies = async (): Promise<number> => (await readdir(folder)).length - 1;
    await (await choicesOf('{ "agent": "gemini-cli" }')).save({ kind: "agent", id: "eliza" });
    assert.equal(await copies(), 0);
    await (await choicesOf('{ "agent": "my-agent --acp" }')).save({ kind: "agent", id: "eliza" });
    assert.equal(await copies(), 1);
  });

  it("changes what the user chose in the file as it is now, and nothing else", async () => {
    const choices = await choicesOf('{ "agent": "eliza", "proxies": [{ "name": "cargo" }] }');
    await writeFile(file(), '{ "agent": "gemini-cli", "proxies": [{ "name": "ferris" }], }');
    await choices.save({ kind: "proxy", id: "editor-edits", isOn: true });
    assert.equal(
      await content(),
      '{ "agent": "gemini-cli", "proxies": [{ "name": "ferris" }, { "name": "editor-edits", "enabled": true }], }',
    );
  });

  it("refuses to write into a file that is broken or gone, and says which", async () => {
    const choices = await choicesOf('{ "agent": "eliza" }');
    await writeFile(file(), "{ oops");
    const name = file();
    const isSaid = (said: RegExp) => (error: Error) => error.message.startsWith(name) && said.test(error.message);
    await assert.rejects(choices.save({ kind: "agent", id: "gemini-cli" }), isSaid(/cannot be changed: .*:1:3/));
    await rm(file());
    await assert.rejects(choices.save({ kind: "agent", id: "gemini-cli" }), isSaid(/the file is gone/));
  });

  it("switches the proxies before an agent that is given, also where there is no file", async () => {
    const choices = await ChainChoices.ofAgent("my-agent --acp", [{ name: "cargo", enabled: true }], file());
    assert.deepEqual(
      [choices.offer.agents.map(({ id }) => id), choices.choice],
      [["my-agent"], { agent: "my-agent", proxies: new Set(["cargo"]) }],
    );
    await choices.save({ kind: "proxy", id: "cargo", isOn: false });
    const state = await readConfig(file(), builtIn);
    const off = state.state === "ok" && state.config.proxies.filter(({ enabled }) => !enabled).map(({ name }) => name);
    assert.deepEqual(off, ["cargo"]);
  });

  it("says how to sign in to an agent, without its environment", async () => {
    const choices = await choicesOf('{ "agent": "TOKEN=secret my-agent --acp" }');
    assert.equal(choices.signInLine(choices.choice), "symposium-acp-agent sign-in --agent 'my-agent --acp'");
  });
});
