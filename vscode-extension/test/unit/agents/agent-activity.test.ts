import assert from "node:assert/strict";
import type { TabState } from "../../../protocol/index.js";
import { type ActiveTab, activityOf, type AroundTabs } from "../../../src/features/agents/agent-activity.js";
import { AgentChoices } from "../../../src/features/agents/agent-choices.js";
import { OfferedAgents } from "../../../src/features/chat/offered-agents.js";
import { parseSettings } from "../../../src/features/settings/settings-table.js";

type Phase = TabState["phase"];

const tab = (tabId: string, agentName: string, phase: Phase, waiting = 0): ActiveTab => ({
  tabId,
  state: { agentName, phase, waiting },
});

describe("the status bar", () => {
  const said = (tabs: readonly ActiveTab[], selectedTab = tabs[0], around: Partial<AroundTabs> = {}): string[] => {
    const { icon, who, does, tabId } = activityOf(
      { tabs, selectedTab },
      { chosen: undefined, isTrusted: true, ...around },
    );
    return [icon, `${who} ${does}`, ...(tabId === undefined ? [] : [tabId])];
  };

  it("names the agent that a first tab would have where the user has chosen one, and nobody else", () => {
    const chosenBy = (currentAgentId: string): string | undefined => {
      const { settings } = parseSettings((key) => (key === "currentAgentId" ? currentAgentId : undefined));
      const catalogue = (): Promise<readonly []> => Promise.resolve([]);
      const choices = new AgentChoices({ settings: () => settings, catalogue, trustedFolders: () => [] });
      return new OfferedAgents(choices, [{ id: "mine", name: "Mine" }], () => undefined).chosenName;
    };
    assert.deepEqual(
      ["", "mine", "eliza"].map((id) => said([], undefined, { chosen: chosenBy(id) })),
      [
        ["$(comment-discussion)", "Symposium has no agent selected"],
        ["$(comment-discussion)", "Mine is ready"],
        ["$(comment-discussion)", "Eliza is ready"],
      ],
    );
  });

  it("calls nobody ready in Restricted Mode", () => {
    const restored = tab("t", "OpenCode", "ready");
    assert.deepEqual(
      [said([], undefined, { isTrusted: false }), said([restored], restored, { isTrusted: false })],
      [
        ["$(workspace-untrusted)", "Symposium doesn't start agents in Restricted Mode"],
        ["$(workspace-untrusted)", "OpenCode isn't started in Restricted Mode"],
      ],
    );
  });

  it("spins while a turn runs or is being stopped, and no longer", () => {
    const phases: readonly Phase[] = ["starting", "ready", "running", "stopping", "ready", "restoring", "failed"];
    assert.deepEqual(
      phases.map((phase) => said([tab("t", "OpenCode", phase)])),
      [
        ["$(loading~spin)", "OpenCode is starting"],
        ["$(comment-discussion)", "OpenCode is ready"],
        ["$(loading~spin)", "OpenCode is working"],
        ["$(loading~spin)", "OpenCode is working"],
        ["$(comment-discussion)", "OpenCode is ready"],
        ["$(loading~spin)", "OpenCode is starting"],
        ["$(warning)", "OpenCode is not running"],
      ],
    );
  });

  it("says whose turn it is where another tab is shown, and leads to a tab that waits", () => {
    const shown = tab("t1", "Eliza", "ready");
    assert.deepEqual(
      [
        said([shown, tab("t2", "OpenCode", "running")]),
        said([shown, tab("t2", "OpenCode", "running"), tab("t3", "Claude Code", "running", 1)]),
        said([shown, tab("t2", "OpenCode", "running"), tab("t3", "Claude Code", "running")]),
      ],
      [
        ["$(loading~spin)", "OpenCode is working", "t2"],
        ["$(bell-dot)", "Claude Code waits for your answer", "t3"],
        ["$(loading~spin)", "2 agents are working", "t2"],
      ],
    );
  });

  it("stays with the tab that is shown where that waits too", () => {
    const [one, two] = [tab("t1", "OpenCode", "running", 1), tab("t2", "Claude Code", "running", 2)];
    assert.deepEqual(said([one, two], two), ["$(bell-dot)", "2 agents wait for your answers"]);
  });
});
