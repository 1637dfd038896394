import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { removeRule, saveLevel, saveRule, saveRules } from "../../src/guard/node/guard-edit.js";
import { parseComponentSpec } from "../../src/settings/component-spec.js";
import { ProtectionLevels } from "../../src/guard/node/protection-levels.js";

const read = (text: string, isOfProject = false): ReturnType<typeof parseGuardFile> =>
  parseGuardFile(text, { file: "guard.jsonc", isOfProject });

function agent(text: string): Parameters<ProtectionLevels["of"]>[0] {
  const spec = parseComponentSpec(text);
  return spec.kind === "problem" ? assert.fail(spec.message) : spec;
}

describe("how a guard.jsonc has agents held", () => {
  it("goes by the agent's own name, then by the agent that its command starts, then by the star", () => {
    const levels = new ProtectionLevels(
      "rules",
      read('{ "agents": { "mine": "off", "codex": "sandbox", "*": "sandbox", "claude-code": "rules" } }').levels,
    );
    const mine = JSON.stringify({ name: "mine", command: "codex-acp", args: [], env: [] });
    const other = JSON.stringify({ name: "other", command: "/opt/bin/claude-agent-acp", args: [], env: [] });
    assert.deepEqual(
      [mine, "codex", other, "opencode"].map((text) => levels.of(agent(text))),
      ["off", "sandbox", "rules", "sandbox"],
    );
    assert.equal(levels.entryOf(agent("opencode"))?.place, "guard.jsonc:1");
    assert.equal(new ProtectionLevels("sandbox").of(agent("codex")), "sandbox");
  });

  it("is the same by each name of an agent, before its program is known and after", () => {
    const component = (name: string, text: string): Parameters<ProtectionLevels["of"]>[0] => {
      const words = agent(text);
      return words.kind === "command" ? { ...words, kind: "process", name } : assert.fail(text);
    };
    for (const [name, ...agents] of [
      ["gemini", agent("gemini"), agent("gemini-cli"), component("gemini-cli", "npx -y @google/gemini-cli --acp")],
      ["gemini-cli", agent("gemini"), component("gemini", "gemini --acp")],
      ["claude-code", agent("claude-agent-acp"), agent("claude-acp"), component("mine", "/opt/claude-agent-acp x")],
      ["claude-agent-acp", agent("claude-code"), agent("claude-acp")],
    ] as const) {
      const levels = new ProtectionLevels("rules", read(`{ "agents": { "${name}": "sandbox" } }`).levels);
      for (const one of agents) assert.equal(levels.of(one), "sandbox", `${name}: ${JSON.stringify(one)}`);
      assert.equal(levels.of(agent("opencode")), "rules");
    }
  });

  it("is not guessed where it cannot be read: such an agent does not start", () => {
    const misspelt = read('{ "agents": { "codex": "sandbxo" } }');
    assert.match(misspelt.problems.join(), /"codex" is "sandbxo"\. Use "rules", "sandbox" or "off"/);
    const levels = new ProtectionLevels("rules", misspelt.levels);
    assert.throws(() => levels.of(agent("codex")), /guard\.jsonc:1: the protection level of codex can't be read/);
    assert.equal(levels.of(agent("opencode")), "rules");
    for (const text of [
      '{ "agents": { "codex": "sandbox" }, "rules": [',
      '{ "agents": { "codex": "sandbox" }, "rules": {} }',
    ]) {
      const broken = new ProtectionLevels("rules", read(text).levels);
      assert.throws(() => broken.of(agent("opencode")), /can't be read/, text);
    }
    // A file that speaks of no sandbox takes nothing away when it breaks.
    assert.equal(new ProtectionLevels("rules", read('{ "rules": [').levels).of(agent("codex")), "rules");
  });

  it("is told to be meant otherwise where a name is misspelt, and nothing else follows from that", () => {
    const names = ["cladue-code", "codx", "opencodee", "gemini-cil", "Codex", "claude", "codex-2", "mine", "*"];
    const agents = Object.fromEntries(names.map((name) => [name, "sandbox"]));
    const { levels, notes, problems } = read(JSON.stringify({ agents, rules: [{ effect: "allow", command: "ls" }] }));
    assert.deepEqual(
      notes.map((note) => /"([^"]+)" isn't a known agent.*Did you mean "([^"]+)"/.exec(note)?.slice(1)),
      [
        ["cladue-code", "claude-code"],
        ["codx", "codex"],
        ["opencodee", "opencode"],
        ["gemini-cil", "gemini-cli"],
        ["Codex", "codex"],
        ["claude", "claude-code"],
      ],
    );
    assert.deepEqual([problems, levels.length], [[], names.length]);
  });

  it("is told to be meant otherwise where a rule is for an agent whose name is misspelt", () => {
    const rule = { effect: "allow", command: "ls" };
    const rules = ["codx", "codex", "mine"].map((agent) => ({ ...rule, agent }));
    const found = read(JSON.stringify({ rules: [rule, ...rules] }));
    assert.deepEqual(
      found.notes.map((note) =>
        /:\d+:\d+: .*"([^"]+)" isn't a known agent.*Did you mean "([^"]+)"/.exec(note)?.slice(1),
      ),
      [["codx", "codex"]],
    );
    assert.deepEqual([found.problems, found.rules.length], [[], 4]);
  });

  it("is none of a repository's business", () => {
    const { levels, problems } = read('{ "agents": { "codex": "off" } }', true);
    assert.deepEqual(levels, []);
    assert.match(problems.join(), /A repository can't set the protection levels of agents/);
  });
});

describe("what is written into a guard.jsonc", () => {
  let config = "";
  beforeEach(async () => (config = await mkdtemp(join(tmpdir(), "guard-edit-"))));
  afterEach(() => rm(config, { recursive: true }));
  const file = (): string => join(config, "guard.jsonc");
  const text = (): Promise<string> => readFile(file(), "utf8");
  const own = '{\n  // Mine.\n  "rules": [\n    { "effect": "deny", "command": "git push" },\n  ],\n}\n';

  it("switches the level of an agent and takes it back, with all else as it stood", async () => {
    await writeFile(file(), own);
    await saveLevel(config, "codex", "sandbox");
    assert.equal(read(await text()).levels[0]?.level, "sandbox");
    assert.match(await text(), /\/\/ Mine\.\n {2}"rules": \[\n {4}\{ "effect": "deny"/);
    await saveLevel(config, "codex", "rules");
    assert.deepEqual(
      read(await text()).levels.map(({ agent: id, level }) => `${id} ${level ?? ""}`),
      ["codex rules"],
    );
    await saveLevel(config, "codex", undefined);
    assert.deepEqual(read(await text()), read(own));
  });

  it("holds no rule that could not be read again", async () => {
    await writeFile(file(), own);
    const rule = { effect: "allow", subject: "host" } as const;
    await assert.rejects(saveRule(config, { ...rule, patterns: ["https://x.example/"] }), /The host "https/);
    await assert.rejects(saveRule(config, { ...rule, patterns: ["x.example"], in: "src" }), /"in" is "src"/);
    assert.equal(await text(), own);
    // An invalid rule in the file doesn't prevent saving a valid one.
    await writeFile(file(), '{ "rules": [{ "effect": "never" }] }');
    await saveRule(config, { ...rule, patterns: ["x.example"], reason: "Docs." });
    assert.match(await text(), /"host": "x\.example", "reason": "Docs\."/);
  });

  it("is taken out again, and nothing besides", async () => {
    await writeFile(file(), own.replace("  ],", "    // Theirs.\n  ],"));
    const before = await text();
    const rule = { effect: "allow", subject: "command", patterns: ["make a"], exact: true, agent: "codex" } as const;
    await saveRule(config, rule);
    await saveRule(config, { ...rule, agent: "another", reason: "So." });
    await removeRule(config, rule);
    assert.deepEqual(
      read(await text()).rules.map(({ effect, agent: id }) => `${effect} ${id ?? ""}`.trim()),
      ["deny", "allow another"],
    );
    await assert.rejects(removeRule(config, rule), /has no such rule: \{"effect":"allow","command":"make a"/);
    await removeRule(config, { ...rule, agent: "another" });
    assert.deepEqual(read(await text()), read(before));
    for (const comment of ["// Mine.", "// Theirs."]) assert.ok((await text()).includes(comment));
  });

  it("are rules that hold then, each once, or nothing", async () => {
    await writeFile(file(), own);
    const rules = [
      {
        effect: "allow",
        subject: "command",
        patterns: ["make a b"],
        exact: true,
        cwd: "/src",
        agent: "codex",
        kind: "execute",
      },
      { effect: "allow", subject: "write", patterns: ["/**"], in: "/src" },
    ] as const;
    await Promise.all([saveRules(config, rules), saveRules(config, rules.slice(1))]);
    const [mine, ...others] = read(await text()).rules;
    assert.equal(mine?.effect, "deny");
    assert.deepEqual(
      others.map((rule) => ({ ...rule, place: "" })).toSorted(bySubject),
      rules.map((rule) => ({ ...rule, place: "" })),
    );
    assert.match(await text(), /\/\/ Mine\./);
    const faulty = '{ "rules": [{ "effect": "never" }] } // mine';
    await writeFile(file(), faulty);
    await assert.rejects(saveRules(config, rules), /A guard file with an error allows nothing: .*"effect" is "never"/);
    assert.equal(await text(), faulty);
    await writeFile(file(), own);
    await chmod(file(), 0o444);
    await assert.rejects(saveRules(config, rules), /is read-only/);
    assert.equal(await text(), own);
  });
});

function bySubject(a: { readonly subject: string }, b: { readonly subject: string }): number {
  return a.subject < b.subject ? -1 : 1;
}
