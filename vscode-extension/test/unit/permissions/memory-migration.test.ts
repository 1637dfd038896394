import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { LastingAnswers } from "@symposium-dev/core/node";
import { GuardNames } from "../../../src/features/permissions/guard-names.js";
import { MemoryMigration } from "../../../src/features/permissions/memory-migration.js";
import { commandPrint } from "../../../src/features/permissions/permission-subject.js";
import { MemoryStorage } from "./permission-fixture.js";

const key = "symposium.permissionRules";
const plain = (text: string, cwd: string) => ({
  type: "exact-command",
  text,
  cwd,
  variables: {},
  print: commandPrint({ text, variables: {}, special: {} }, cwd),
});

describe("answers that earlier versions kept in the editor", () => {
  const config = join(tmpdir(), `memory-migration-${randomUUID()}`);
  const file = join(config, "guard.jsonc");
  let workspace: MemoryStorage;
  let global: MemoryStorage;
  let moved: (readonly [number, number])[];
  let failed: string[];
  let named: string[];
  let migration: MemoryMigration;

  beforeEach(() => {
    [workspace, global, moved, failed, named] = [new MemoryStorage(), new MemoryStorage(), [], [], []];
    const answers = new LastingAnswers(config, homedir());
    migration = new MemoryMigration({
      workspace,
      global,
      folders: () => ["/work/app", "/work/lib"],
      nameOf: (id) => {
        named.push(id);
        return Promise.resolve(id === "unknown" ? undefined : `guarded-${id}`);
      },
      save: (rules) => answers.save(rules),
      moved: (...counts) => moved.push(counts),
      failed: (reason) => failed.push(reason),
    });
  });
  afterEach(() => rm(config, { recursive: true, force: true }));

  const old = (subject: unknown, more = {}) => ({
    ...{
      id: randomUUID(),
      agentId: "codex",
      agentName: "Codex",
      toolKind: "execute",
      effect: "allow",
      scope: "always",
    },
    ...{ subject, createdAt: 0, ...more },
  });
  const rules = async (): Promise<unknown> => (JSON.parse(await readFile(file, "utf8")) as { rules: unknown }).rules;

  it("become rules for their agent, their kind of call and their workspace", async () => {
    await global.update(key, [
      old({ type: "command-prefix", words: ["npm", "test"] }),
      old(plain("make a && make b", "/work/app")),
      old({ type: "path", path: "/etc/h*sts" }, { toolKind: "move" }),
      old({ type: "origin", origin: "https://a.example" }, { toolKind: "fetch" }),
    ]);
    await workspace.update(key, [old({ type: "workspace" }, { toolKind: "edit", scope: "workspace" })]);
    await migration.run();
    const by = { kind: "execute", agent: "guarded-codex" };
    const edits = { ...by, kind: "edit" };
    assert.deepEqual(await rules(), [
      { effect: "allow", command: "npm test", ...by },
      { effect: "allow", command: "make a && make b", exact: true, cwd: "/work/app", ...by },
      { effect: "allow", read: "/etc/h*sts", exact: true, ...by, kind: "move" },
      { effect: "allow", write: "/etc/h*sts", exact: true, ...by, kind: "move" },
      { effect: "allow", host: "https://a.example", exact: true, ...by, kind: "fetch" },
      { effect: "allow", write: "/**", ...edits, in: "/work/app" },
      { effect: "allow", write: "/**", ...edits, in: "/work/lib" },
    ]);
    assert.deepEqual([moved, failed, workspace.get(key), global.get(key)], [[[5, 0]], [], undefined, undefined]);
  });

  it("ask what guard.jsonc calls an agent once, however many they are", async () => {
    const words = ["status", "log", "show"].map((word) => ({ type: "command-prefix", words: ["git", word] }));
    await global.update(key, [...words.map((one) => old(one)), old(words[0], { agentId: "other" })]);
    await migration.run();
    assert.deepEqual(named, ["codex", "other"]);
  });

  it("stay listed once where two windows start at the same time", async () => {
    await global.update(key, [old({ type: "command", text: "ls" })]);
    const kept = global.get(key);
    await migration.run();
    await global.update(key, kept);
    await migration.run();
    assert.deepEqual([migration.unmoved.length, global.get(key)], [1, undefined]);
  });

  it("are asked about again, and stay listed until they are deleted, where no rule can say them", async () => {
    await global.update(key, [
      old({ type: "command-prefix", words: ["git", "push"] }, { effect: "reject" }),
      old({ ...plain("make", "/work/app"), variables: { CI: "1" } }),
      old({ ...plain("make", "/work/app"), print: "of special leave" }),
      old({ type: "command-prefix", words: ["git", "diff", "*"] }),
      old({ type: "command-prefix", words: ["npm", "install"] }),
      old({ type: "command", text: "ls" }),
      old({ type: "folder", path: "/work/app/src" }, { toolKind: "edit" }),
      old({ type: "same", print: "x", title: "Look it up" }),
      old({ type: "command-prefix", words: ["git", "log"] }, { agentId: "unknown" }),
      7,
    ]);
    await migration.run();
    await assert.rejects(readFile(file), { code: "ENOENT" });
    assert.deepEqual([moved, global.get(key)], [[[0, 10]], undefined]);
    const labels = (): readonly string[] => migration.unmoved.map(({ label }) => label);
    assert.equal(labels().at(-3), "Allow: do exactly this again: Look it up");
    assert.equal(labels().at(-1), "An answer that cannot be read");
    assert.equal(labels()[0]?.startsWith("Reject: run git push …"), true);
    for (const one of migration.unmoved.toReversed()) await one.remove();
    assert.deepEqual(labels(), []);
  });

  it("stay where they are while guard.jsonc has a fault or may not be read, and are moved once, not twice", async () => {
    await global.update(key, [old({ type: "command-prefix", words: ["git", "log"] })]);
    await mkdir(config);
    await writeFile(file, '{ "rules": [{ "effect": "never" }] } // mine');
    await migration.run();
    assert.match(failed.join(), /Nothing is allowed by a file with a fault/);
    assert.deepEqual([moved.length, (global.get(key) as unknown[]).length], [0, 1]);
    assert.equal(await readFile(file, "utf8"), '{ "rules": [{ "effect": "never" }] } // mine');
    await writeFile(file, '{ "rules": [] }');
    const kept = global.get(key);
    await migration.run();
    // A window that ended before it deleted what it had moved.
    await global.update(key, kept);
    await migration.run();
    assert.deepEqual(await rules(), [{ effect: "allow", command: "git log", kind: "execute", agent: "guarded-codex" }]);
    assert.equal(global.get(key), undefined);
  });
});

describe("what guard.jsonc calls an agent", () => {
  const agents = [
    { id: "codex", spec: "codex", source: "built-in" as const },
    { id: "claude-code", spec: "claude-code", source: "built-in" as const },
    { id: "mine", spec: "npx codex-acp --full", source: "custom" as const },
    { id: "other", spec: "other --acp", source: "custom" as const },
  ];
  const byName: Readonly<Record<string, readonly string[]>> = {
    codex: ["codex", "codex-acp"],
    "claude-code": ["claude-code"],
    "npx codex-acp --full": ["codex-acp", "codex"],
    "other --acp": ["other"],
  };
  const asked: (readonly string[])[] = [];
  const names = new GuardNames({
    commandLine: {
      json: (words, parser) => {
        const specs = words.slice(words.indexOf("--") + 1);
        asked.push(specs);
        const found = specs.map((agent) => ({ agent, id: byName[agent]?.[0], names: byName[agent] }));
        const parsed = parser.safeParse({ agents: found });
        return parsed.success ? Promise.resolve(parsed.data) : Promise.reject(new Error("It cannot be parsed."));
      },
    },
    agents: () => Promise.resolve(agents),
    failed: () => undefined,
  });

  it("is its id there, which is asked for once", async () => {
    assert.deepEqual(
      [await names.of("mine"), await names.of("mine"), await names.of("none")],
      ["codex-acp", "codex-acp", undefined],
    );
    assert.deepEqual(asked, [["npx codex-acp --full"]]);
  });

  it("is not known where the command does not answer in time, which ends the command", async () => {
    const failures: unknown[] = [];
    const slow = new GuardNames({
      commandLine: {
        json: (_words, _parser, options) =>
          new Promise((_resolve, reject) => {
            const signal = options?.signal;
            if (!signal) reject(new Error("It would never end."));
            signal?.addEventListener("abort", () => reject(signal.reason as Error));
          }),
      },
      agents: () => Promise.resolve(agents),
      failed: (reason) => failures.push(reason),
      limitMs: 1,
    });
    assert.equal(await slow.of("mine"), undefined);
    assert.deepEqual(
      failures.map((reason) => reason instanceof Error && reason.name),
      ["TimeoutError"],
    );
  });

  it("is none for what is moved where another agent of the window goes by the same", async () => {
    const found = await Promise.all(agents.map(({ id }) => names.ofNoOther(id)));
    assert.deepEqual(found, [undefined, "claude-code", undefined, "other"]);
  });
});
