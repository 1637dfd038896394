import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { ScriptedAgentOptions } from "@symposium-dev/core/testing";
import type { BranchPoint } from "../../../protocol/index.js";
import { transcriptHandOff } from "../../../src/acp/past-transcript.js";
import { type SeenRequest, startInProcess } from "./agent-in-process.js";
import { AgentFixture, type TabFixture } from "./conversation-fixture.js";

const cwd = process.cwd();
const message = { id: "m2", text: "second answer\n", occurrence: 1 };
const point: BranchPoint = { sessionId: "session-1", isWhole: false, message, options: [] };

/** Returns the requests that an agent gets in a tab that continues another tab's conversation. */
async function asked(
  options: ScriptedAgentOptions,
  branch: BranchPoint,
  prompts = 1,
  refuses?: (request: SeenRequest) => boolean,
): Promise<SeenRequest[]> {
  const seen: SeenRequest[] = [];
  await using agents = new AgentFixture({ startProcess: startInProcess(options, seen, undefined, refuses) });
  const first = agents.tab({ tabId: "first" });
  await first.ask("echo first answer");
  seen.length = 0;
  const tab: TabFixture = agents.tab({
    tabId: "second",
    branch,
    handOff: (folder) => transcriptHandOff(first.transcript.transcript, "first", folder, branch.from?.agentName),
  });
  for (let count = 0; count < prompts; count++) await tab.ask("echo go on");
  return seen;
}

const methods = (seen: readonly SeenRequest[]) => seen.map(({ method }) => method);

describe("a tab that goes on with another one's conversation", () => {
  it("forks the session at the agent's message, by its id and by its text", async () => {
    const seen = await asked({ name: "claude-agent-acp" }, point);
    const hash = createHash("sha256").update(message.text).digest("hex");
    const fork = { version: 1, messageId: "m2", messageFingerprint: `sha256:${hash}`, messageOccurrence: 1 };
    assert.deepEqual(seen[0], {
      method: "session/fork",
      params: { sessionId: "session-1", cwd, mcpServers: [], _meta: { jetbrains: { air: { fork } } } },
    });
    assert.deepEqual(methods(seen), ["session/fork", "session/prompt"]);
    assert.deepEqual(seen[1]?.params?.["prompt"], [{ type: "text", text: "echo go on" }]);
  });

  it("forks all of it where nothing was cut off, with any agent that forks", async () => {
    const seen = await asked({}, { ...point, isWhole: true });
    assert.deepEqual(seen[0], { method: "session/fork", params: { sessionId: "session-1", cwd, mcpServers: [] } });
  });

  it("is told what was said where its agent would fork too much, forks nothing, or has no such session", async () => {
    const cases: [ScriptedAgentOptions, BranchPoint][] = [
      [{}, point],
      [{ capabilities: { sessionCapabilities: {} } }, { ...point, isWhole: true }],
      [{ name: "claude-agent-acp" }, { isWhole: true, options: [] }],
    ];
    for (const [options, branch] of cases) {
      const seen = await asked(options, branch, 2);
      assert.deepEqual(methods(seen), ["session/new", "session/prompt", "session/prompt"]);
      const [told, later] = seen.slice(1).map(({ params }) => JSON.stringify(params?.["prompt"]));
      assert.match(told ?? "", /symposium:\/\/handoff\/first.*echo first answer.*"echo go on"/s);
      assert.doesNotMatch(later ?? "", /handoff/);
    }
  });

  it("goes on with another agent's by what is kept of it, and is told it from the transcript where nothing is", async () => {
    const from = { agentName: "Old one", kept: "session-9" };
    const another: BranchPoint = { isWhole: true, from, options: [] };
    const [opened, prompt] = await asked({}, another);
    const _meta = { symposium: { continues: { conversation: "session-9" } } };
    assert.deepEqual(opened, { method: "session/new", params: { cwd, mcpServers: [], _meta } });
    assert.deepEqual(prompt?.params?.["prompt"], [{ type: "text", text: "echo go on" }]);
    const refused = await asked({}, another, 2, ({ params }) => params?.["_meta"] !== undefined);
    assert.deepEqual(methods(refused), ["session/new", "session/new", "session/prompt", "session/prompt"]);
    const apart = await asked({}, { ...another, from: { agentName: "Old one" } });
    assert.deepEqual(methods(apart), ["session/new", "session/prompt"]);
    for (const seen of [refused.slice(2), apart.slice(1)])
      assert.match(
        JSON.stringify(seen[0]?.params?.["prompt"]),
        /handoff\/first.*Old one.*echo first answer.*"echo go on"/s,
      );
    assert.doesNotMatch(JSON.stringify(refused[3]?.params?.["prompt"]), /handoff/);
  });

  it("is told it later where the window was closed, or the turn stopped, before its agent had been told", async () => {
    const seen: SeenRequest[] = [];
    const capabilities = { sessionCapabilities: { resume: {} } };
    await using agents = new AgentFixture({ startProcess: startInProcess({ capabilities }, seen) });
    const first = agents.tab({ tabId: "first" });
    await first.ask("echo first answer");
    seen.length = 0;
    const known: boolean[] = [];
    let read: () => void = () => undefined;
    const tab = agents.tab({
      tabId: "second",
      sessionId: "session-1",
      branch: point,
      handOff: (folder) => transcriptHandOff(first.transcript.transcript, "first", folder),
      toBlocks: () => new Promise((resolve) => (read = () => resolve([]))),
      hooks: {
        sessionChanged: (_id, _isKept, knowsAll) => known.push(knowsAll),
        told: () => known.push(true),
        titled: () => undefined,
        turnEnded: () => undefined,
      },
    });
    const file = { type: "file", uri: "file:///a.txt", label: "a.txt" } as const;
    tab.conversation.prompt({ messageId: "stopped", text: "echo stopped", attachments: [file] }, "send");
    await tab.until(() => tab.phase === "running");
    tab.conversation.cancel();
    read();
    await tab.until(() => tab.all("turn-end").length === 1);
    assert.deepEqual([methods(seen), known], [["session/resume"], []]);
    await tab.ask("echo go on");
    assert.match(JSON.stringify(seen[1]?.params?.["prompt"]), /symposium:\/\/handoff\/first.*"echo go on"/s);
    assert.deepEqual(known, [true]);
  });

  it("remembers over the end of a window that its agent has not been told yet", async () => {
    const known: boolean[] = [];
    await using agents = new AgentFixture({ startProcess: startInProcess({}) });
    const tab = agents.tab({
      branch: point,
      handOff: () => [{ type: "text", text: "echo what was said" }],
      hooks: {
        sessionChanged: (_id, _isKept, knowsAll) => known.push(knowsAll),
        told: () => known.push(true),
        titled: () => undefined,
        turnEnded: () => undefined,
      },
    });
    await tab.ask("echo go on");
    assert.deepEqual(known, [false, true]);
  });

  it("has the mode and the options that were chosen there", async () => {
    const options = [
      { id: "model", value: "small" },
      { id: "nobody knows it", value: "x" },
    ];
    const all = await asked({}, { ...point, isWhole: true, options: [] });
    assert.deepEqual(methods(all), ["session/fork", "session/prompt"]);
    const seen = await asked({}, { ...point, isWhole: true, options: [...options, { id: "model", value: "large" }] });
    assert.deepEqual(
      seen.filter(({ method }) => method === "session/set_config_option").map(({ params }) => params?.["value"]),
      ["large"],
    );
  });
});
