import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { JsonDocument } from "../../../src/settings/json-document.js";
import type { AgentServer } from "../../../src/agents/zed/agent-server.js";
import { withAgentServers, withoutAgentServers } from "../../../src/agents/zed/installed-agents.js";

/** Users' settings, and the results of an installation into them. Set UPDATE_GOLDEN=1 to rewrite the results. */
const folder = new URL("../../../../test/agents/zed/golden/", import.meta.url);
const names = readdirSync(folder)
  .filter((name) => /^[\w-]+\.jsonc$/.test(name))
  .map((name) => name.replace(".jsonc", ""));

const command = { command: "/usr/bin/node", args: ["/opt/kit/symposium-acp-agent.mjs"], env: {} };
const server: AgentServer = { name: "Symposium", command };
const entry = { type: "custom", ...command };
const file = "settings.json";

describe("Zed's settings", () => {
  for (const name of names.filter((each) => !each.startsWith("broken-"))) {
    const before = read(`${name}.jsonc`);
    const after = withAgentServers(before, [server], file);

    it(`get the agent and keep everything else: ${name}`, () => {
      expectGolden(`${name}.installed`, after);
      const { agent_servers: servers, ...others } = valuesOf(after);
      const { agent_servers: old, ...othersBefore } = valuesOf(before);
      const { Symposium: mine, ...rest } = objectOf(servers);
      const { Symposium: mineBefore, ...restBefore } = objectOf(old);
      const kept = objectOf(mineBefore);
      const env = objectOf(kept["env"]);
      assert.deepEqual([others, rest], [othersBefore, restBefore]);
      assert.deepEqual(mine, { ...kept, ...entry, env });
    });

    it(`do not change when it is installed again: ${name}`, () => {
      assert.equal(withAgentServers(after, [server], file), after);
    });

    it(`mean the same as before once it is taken out again: ${name}`, () => {
      const { agent_servers: servers, ...others } = valuesOf(withoutAgentServers(after, file));
      const { agent_servers: old, ...othersBefore } = valuesOf(before);
      const { Symposium: _mine, ...rest } = objectOf(old);
      assert.deepEqual([others, objectOf(servers)], [othersBefore, rest]);
    });
  }

  for (const name of names.filter((each) => each.startsWith("broken-"))) {
    it(`are refused with the line and a remedy: ${name}`, () => {
      const before = read(`${name}.jsonc`);
      assert.throws(
        () => withAgentServers(before, [server], file),
        (failure) => {
          assert.ok(failure instanceof SymposiumError);
          expectGolden(`${name}.refusal`, `${failure.message}\n${failure.hint ?? ""}\n`);
          return true;
        },
      );
    });
  }
});

function read(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}

function expectGolden(name: string, text: string): void {
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(new URL(name, folder), text);
  assert.equal(text, read(name));
}

function valuesOf(text: string): Readonly<Record<string, unknown>> {
  const document = JsonDocument.parse(text);
  assert.deepEqual(document.problems, []);
  return objectOf(document.value);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
