import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decide } from "../../src/guard/decision.js";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { GuardFiles } from "../../src/guard/node/guard-rule-files.js";
import { guardRequest } from "../../src/guard/node/guard-request.js";

const read = (text: string) => parseGuardFile(text, { file: "guard.jsonc", isOfProject: false });

describe("a rule that allows one agent or one kind of call", () => {
  let folder = "";
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "bound-rules-"))));
  afterEach(() => rm(folder, { recursive: true }));

  it("allows calls of its kind, and nothing else that is about the same files, programs or hosts", async () => {
    const { rules } = read(
      '{ "rules": [{ "effect": "allow", "write": "/**", "kind": "edit" }, { "effect": "allow", "host": "a.example", "kind": "fetch" }] }',
    );
    const folders = { roots: [folder], home: "/home/me" };
    const of = async (kind: string, rawInput: unknown, locations: readonly string[] = []) =>
      decide(rules, await guardRequest({ kind, rawInput, locations }, folders), folders)?.effect;
    assert.equal(await of("edit", {}, [join(folder, "a")]), "allow");
    for (const kind of ["delete", "move", "other"]) assert.equal(await of(kind, {}, [join(folder, "a")]), undefined);
    assert.equal(await of("fetch", { url: "https://a.example/x" }), "allow");
    assert.equal(await of("other", { url: "https://a.example/x" }), undefined);
    // A program in a sandbox that connects is no call of any kind.
    const host = { name: "a.example", port: "443" };
    assert.equal(decide(rules, { paths: [], tools: [], host }, folders), undefined);
  });

  it("allows exactly what it says, where it says so", async () => {
    const { rules, problems } = read(
      JSON.stringify({
        rules: [
          { effect: "allow", command: "make a && make 'b c' > out", exact: true, cwd: folder },
          { effect: "allow", command: "make x", exact: true },
          { effect: "allow", write: join(folder, "a*[b].env"), exact: true },
          { effect: "allow", host: "https://a.example", exact: true },
        ],
      }),
    );
    assert.deepEqual(problems, []);
    const folders = { roots: [folder], home: "/home/me" };
    const of = async (kind: string, rawInput: unknown, locations: readonly string[] = []) =>
      decide(rules, await guardRequest({ kind, rawInput, locations }, folders), folders)?.effect;
    const line = "make a && make 'b c' > out";
    const runs = (command: unknown, more = {}) => of("execute", { command, ...more });
    assert.deepEqual(
      [await runs(line), await runs(line, { cwd: folder }), await runs("make x")],
      ["allow", "allow", "allow"],
    );
    const others = [
      runs(line, { cwd: join(folder, "src") }),
      runs(`${line} `),
      runs("make  x"),
      runs("make x && make x"),
      runs("make x", { cwd: "/" }),
      runs("make x", { env: { MAKEFLAGS: "-n" } }),
      runs("make x", { with_escalated_permissions: true }),
      runs(["make", "x"]),
      of("execute", { command: "make x" }, [join(folder, ".vscode/tasks.json")]),
      of("edit", {}, [join(folder, "a*[b].env", "c")]),
      of("edit", {}, [join(folder, "A*[B].ENV")]),
      of("edit", {}, [join(folder, "abb.env")]),
      of("read", {}, ["/elsewhere/x"]),
      of("fetch", { url: "http://a.example/x" }),
      of("fetch", { url: "https://a.example:8443/x" }),
      of("fetch", { url: "https://b.a.example/x" }),
    ];
    assert.deepEqual(
      await Promise.all(others),
      others.map(() => undefined),
    );
    assert.equal(await of("edit", {}, [join(folder, "a*[b].env")]), "allow");
    assert.equal(await of("fetch", { url: "https://a.example/x?y" }), "allow");
  });

  it("does not answer what only looks like a call of its kind", async () => {
    const { rules } = read('{ "rules": [{ "effect": "allow", "command": "ls", "kind": "execute" }] }');
    const folders = { roots: [folder], home: "/home/me" };
    const call = { kind: "execute", rawInput: { command: "ls" }, locations: [] };
    assert.equal(decide(rules, await guardRequest(call, folders), folders)?.effect, "allow");
    assert.equal(decide(rules, await guardRequest({ ...call, isQuestion: true }, folders), folders), undefined);
  });

  it("names what cannot be exact", () => {
    for (const [members, said] of [
      ['"write": "src/a", "exact": true', /"src\/a" isn't exact/],
      ['"host": "https://a.example:443", "exact": true', /isn't an exact origin/],
      ['"host": "a.example", "exact": true', /isn't an exact origin/],
      ['"mcp": "a/b", "exact": true', /doesn't apply to tools/],
      ['"command": "ls", "exact": "yes"', /"exact" must be true/],
      ['"command": "ls", "cwd": "/src"', /"cwd" is only valid in rules about exact commands/],
      ['"command": "ls", "exact": true, "cwd": "src"', /"cwd" must be an absolute path/],
      ['"command": "ls", "agent": 7', /"agent" must be a non-empty string/],
    ] as const) {
      const { rules, problems } = read(`{ "rules": [{ "effect": "allow", ${members} }] }`);
      assert.deepEqual(rules, []);
      assert.match(problems.join(), said);
    }
  });

  it("is there for sessions of its agent alone", async () => {
    await writeFile(
      join(folder, "guard.jsonc"),
      '{ "rules": [{ "effect": "allow", "command": "ls", "agent": "codex" }] }',
    );
    const files = new GuardFiles(folder, "/home/me");
    const count = async (...given: Parameters<typeof files.rulesFor>) => (await files.rulesFor(...given)).rules.length;
    assert.deepEqual(
      [
        await count(folder),
        await count(folder, (name) => name === "codex"),
        await count(folder, (name) => name === "x"),
      ],
      [0, 1, 0],
    );
  });

  it("is none that refuses or asks: an agent may call its calls what it likes", () => {
    const { rules, problems } = read('{ "rules": [{ "effect": "deny", "write": "x", "kind": "edit" }] }');
    assert.deepEqual(rules, []);
    assert.match(problems.join(), /"kind" is only valid in rules that allow/);
  });
});
