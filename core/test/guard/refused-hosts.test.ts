import assert from "node:assert/strict";
import type { GuardRecord } from "../../src/guard/guard-record.js";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { refusedHosts } from "../../src/guard/refused-hosts.js";

let second = 0;
function record(subject: string, answer: GuardRecord["answer"], rule: string, agent = "codex"): GuardRecord {
  second++;
  return { time: `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`, agent, session: "s", subject, rule, answer };
}

const { rules } = parseGuardFile(
  '{ "rules": [{ "effect": "allow", "host": "*.opened.example" }, { "effect": "deny", "host": "ruled.example" }] }',
  { file: "guard.jsonc", isOfProject: false },
);

describe("the list of refused hosts", () => {
  it("has each host once, the newest first, without those that are allowed by now", () => {
    const records = [
      record("host twice.example:443", "deny", "refused by the user"),
      record("command curl", "deny", "guard.jsonc:3"),
      record("host later.example:443", "deny", "nobody was there to ask"),
      record("host later.example:443", "allow", "allowed by the user"),
      record("host api.opened.example:443", "deny", "refused by the user"),
      record("host ruled.example:80", "deny", "guard.jsonc:1"),
      record("host 10.0.0.1:80", "deny", "a private address"),
      record("host twice.example:443", "deny", "refused by the user", "claude"),
    ];
    assert.deepEqual(
      refusedHosts(records, rules).map(({ host, agents, count, canOpen }) => ({ host, agents, count, canOpen })),
      [
        { host: "twice.example:443", agents: ["codex", "claude"], count: 2, canOpen: true },
        { host: "10.0.0.1:80", agents: ["codex"], count: 1, canOpen: false },
        { host: "ruled.example:80", agents: ["codex"], count: 1, canOpen: false },
      ],
    );
  });
});
