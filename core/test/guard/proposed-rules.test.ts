import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { LastingAnswers } from "../../src/guard/node/lasting-answers.js";

interface Asked {
  readonly kind: string;
  readonly rawInput?: unknown;
  readonly locations?: readonly string[];
  readonly isQuestion?: boolean;
}

describe("rules that are proposed for an answer", () => {
  let folder = "";
  let answers: LastingAnswers;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "proposed-rules-")));
    await mkdir(join(folder, "src"));
    answers = new LastingAnswers(join(folder, "config"), homedir());
  });
  afterEach(() => rm(folder, { recursive: true }));

  const proposed = (asked: Asked) => answers.proposed({ rawInput: {}, locations: [], ...asked }, [folder]);
  const runs = (command: unknown, more = {}): Asked => ({ kind: "execute", rawInput: { command, ...more } });

  it("name a program and its first words, one command in one folder, files or an origin", async () => {
    const allow = { effect: "allow" } as const;
    const execute = { ...allow, subject: "command", kind: "execute" } as const;
    const env = join(folder, ".env");
    assert.deepEqual(
      [
        await proposed(runs("git diff --stat")),
        await proposed(runs(["git", "diff"])),
        await proposed(runs("make a && make b > c", { cwd: "src" })),
        await proposed({ kind: "edit", locations: ["src/a.ts", "src/b.ts"] }),
        await proposed({ kind: "move", locations: ["src/a.ts"] }),
        await proposed({ kind: "edit", locations: [".env", env] }),
        await proposed({ kind: "fetch", rawInput: { url: "https://A.example:443/x" } }),
      ],
      [
        [{ ...execute, patterns: ["git diff"] }],
        [{ ...execute, patterns: ["git diff"] }],
        [{ ...execute, patterns: ["make a && make b > c"], exact: true, cwd: join(folder, "src") }],
        [{ ...allow, subject: "write", patterns: ["/**"], kind: "edit" }],
        (["read", "write"] as const).map((subject) => ({ ...allow, subject, patterns: ["/**"], kind: "move" })),
        [{ ...allow, subject: "write", patterns: [env], exact: true, kind: "edit" }],
        [{ ...allow, subject: "host", patterns: ["https://a.example"], exact: true, kind: "fetch" }],
      ],
    );
  });

  it("are none where no rule could say only that, or where the user alone decides", async () => {
    const asked: readonly Asked[] = [
      runs("make", { env: { A: "b" } }),
      runs("make", { with_escalated_permissions: true }),
      runs("make", { cwd: "/" }),
      runs(["make", "a"]),
      runs("  "),
      { ...runs("git diff"), locations: ["/etc/hosts"] },
      { kind: "execute" },
      { kind: "edit", locations: [".env", "src/a.ts"] },
      { kind: "other", locations: ["src/a.ts"] },
      { kind: "think" },
      { kind: "switch_mode", locations: ["src/a.ts"] },
      { ...runs("git diff"), isQuestion: true },
    ];
    assert.deepEqual(
      await Promise.all(asked.map(proposed)),
      asked.map(() => []),
    );
  });

  it("allow the asked call, and no call of another kind, program, folder, file or address", async () => {
    const git = runs("git diff --stat");
    const decided = async (first: Asked, later: Asked): Promise<string | undefined> => {
      const rules = (await proposed(first)).map((rule) => ({ ...rule, place: "" }));
      return (await answers.decided(rules, { rawInput: {}, locations: [], ...later }, [folder]))?.effect;
    };
    const edit = { kind: "edit", locations: ["src/a.ts"] };
    const fetch = { kind: "fetch", rawInput: { url: "https://a.example/x" } };
    const make = runs("make a | sh");
    for (const [first, later] of [
      [git, runs("git diff --name-only")],
      [make, make],
      [edit, { ...edit, locations: ["src/b.ts"] }],
      [fetch, { kind: "fetch", rawInput: { url: "https://a.example/y" } }],
    ] as const) {
      assert.equal(await decided(first, first), "allow");
      assert.equal(await decided(first, later), "allow");
    }
    for (const [first, later] of [
      [git, runs("git diff --output=x")],
      [git, runs("git diff --stat", { env: { PAGER: "x" } })],
      [git, runs("git diff && make")],
      [git, { ...git, kind: "other" }],
      [make, runs("make a | sh", { cwd: "src" })],
      [make, runs("make a | sh ")],
      [edit, { ...edit, kind: "delete" }],
      [edit, { ...edit, locations: [".env"] }],
      [edit, { ...edit, locations: ["../x"] }],
      [edit, { ...edit, locations: ["src/a.ts", ".git/config"] }],
      [fetch, { kind: "fetch", rawInput: { url: "http://a.example/x" } }],
      [fetch, { kind: "fetch", rawInput: { url: "https://b.a.example/x" } }],
    ] as const) {
      assert.equal(await decided(first, later), undefined, JSON.stringify({ first, later }));
    }
  });
});
