import assert from "node:assert/strict";
import { GuardNames } from "../../../src/features/permissions/agent-ids-in-guard.js";

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
});
