import assert from "node:assert/strict";
import { Logger } from "@symposium-dev/core";
import type { ScriptedAgentOptions } from "@symposium-dev/core/testing";
import type { AbilitySession } from "../../../src/acp/client-abilities.js";
import { SessionObservers } from "../../../src/acp/session-observers.js";
import { type SeenRequest, startInProcess } from "./agent-in-process.js";
import { AgentFixture, type TabFixture } from "./conversation-fixture.js";

/** Asks in a tab that had a session of an agent with these capabilities. */
async function askInOldTab(
  capabilities: ScriptedAgentOptions["capabilities"] & object,
): Promise<[TabFixture, string[]]> {
  const seen: SeenRequest[] = [];
  await using agents = new AgentFixture({ startProcess: startInProcess({ capabilities }, seen) });
  const tab = agents.tab({ sessionId: "session-old" });
  tab.transcript.publish({ op: "put", item: { kind: "user", id: "old", text: "Earlier", attachments: [] } });
  await tab.ask("echo now");
  return [tab, seen.map(({ method }) => method).filter((method) => method.startsWith("session/"))];
}

/** Returns the texts of the tab's messages and notices. */
function shown(tab: TabFixture): string[] {
  return tab.items.flatMap((item) => {
    if (item.kind === "text" || item.kind === "user") return item.text;
    return item.kind === "notice" ? `${item.title} (${item.text ?? ""})` : [];
  });
}

describe("a session that was there before", () => {
  it("is resumed where the agent can, without what was said before", async () => {
    const [tab, methods] = await askInOldTab({ loadSession: true, sessionCapabilities: { resume: {} } });
    assert.deepEqual(
      [methods, shown(tab)],
      [
        ["session/resume", "session/prompt"],
        ["Earlier", "echo now", "now\n"],
      ],
    );
  });

  it("is loaded where the agent can do only that, and its replay is not shown a second time", async () => {
    const [tab, methods] = await askInOldTab({ loadSession: true, sessionCapabilities: {} });
    assert.deepEqual(
      [methods, shown(tab)],
      [
        ["session/load", "session/prompt"],
        ["Earlier", "echo now", "now\n"],
      ],
    );
  });

  it("is replaced by a new one where the agent can do neither, which is said below our own transcript", async () => {
    const [tab, methods] = await askInOldTab({ loadSession: false, sessionCapabilities: {} });
    assert.deepEqual(
      [methods, shown(tab)],
      [
        ["session/new", "session/prompt"],
        [
          "Earlier",
          "Scripted does not remember the conversation above (It can't resume earlier sessions. The transcript is still here; a new session was started.)",
          "echo now",
          "now\n",
        ],
      ],
    );
    assert.deepEqual(tab.sessions, ["session-1"]);
  });

  it("is shown from the agent's replay where we have no transcript of it", async () => {
    await using agents = new AgentFixture({
      startProcess: startInProcess({ capabilities: { loadSession: true, sessionCapabilities: {} } }),
    });
    const tab = agents.tab({ sessionId: "session-old" });
    await tab.conversation.start();
    assert.deepEqual(shown(tab), ["An earlier question", "An earlier answer\n"]);
  });
});

describe("a workspace of several folders with an agent that takes one only", () => {
  const capabilities = { sessionCapabilities: {} };

  it("lets the user choose the folder", async () => {
    const seen: SeenRequest[] = [];
    await using agents = new AgentFixture({ startProcess: startInProcess({ capabilities }, seen) });
    const offered: (readonly string[])[] = [];
    const reviewed: (readonly string[])[] = [];
    const observer = { turnStarted: ({ folders }: AbilitySession) => void reviewed.push(folders) };
    const tab = agents.tab({
      folders: ["/project", "/library"],
      chooseFolder: (folders) => {
        offered.push(folders);
        return Promise.resolve("/library");
      },
      observers: new SessionObservers([observer], Logger.silent),
    });
    await tab.ask("echo hello");
    const { params } = seen.find(({ method }) => method === "session/new") ?? {};
    assert.deepEqual([offered, params], [[["/project", "/library"]], { cwd: "/library", mcpServers: [] }]);
    assert.deepEqual(tab.conversation.roots, ["/library"]);
    assert.deepEqual(reviewed, [["/library", "/project"]], "its commands can change all of them");
  });

  it("works in the first folder when the user chooses none", async () => {
    await using agents = new AgentFixture({ startProcess: startInProcess({ capabilities }) });
    const tab = agents.tab({ folders: ["/project", "/library"] });
    await tab.ask("echo hello");
    assert.deepEqual(tab.conversation.roots, ["/project"]);
  });
});
