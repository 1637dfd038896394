import assert from "node:assert/strict";
import type { TabState } from "../../../protocol/index.js";
import { type ActiveTab, activityOf } from "../../../src/features/agents/agent-activity.js";

type Phase = TabState["phase"];

const tab = (tabId: string, agentName: string, phase: Phase, waiting = 0): ActiveTab => ({
  tabId,
  state: { agentName, phase, waiting },
});

describe("the status bar", () => {
  const said = (tabs: readonly ActiveTab[], selected = tabs[0]): string[] => {
    const { icon, who, does, tabId } = activityOf(tabs, selected, "Eliza");
    return [icon, `${who} ${does}`, ...(tabId === undefined ? [] : [tabId])];
  };

  it("names the agent of the first tab while there is none", () => {
    assert.deepEqual(said([]), ["$(comment-discussion)", "Eliza is ready"]);
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
