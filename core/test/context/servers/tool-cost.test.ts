import assert from "node:assert/strict";
import { agentTable } from "../../../src/agents/registry/agent-table.js";
import { toolCost } from "../../../src/context/servers/tool-cost.js";
import { toolsOf } from "../../../src/context/servers/direct-or-searched-tools.js";
import { defaultSettings } from "../../../src/settings/settings-table.js";
import { manyTools, quiet, server } from "./tool-search-fixture.js";

describe("the cost of tools", () => {
  it("says for each agent how its model gets them, and what that takes", async () => {
    const servers = [await toolsOf(server("many", manyTools(64)), quiet.signal)];
    const of = (id: string | undefined) =>
      toolCost(
        servers,
        agentTable.find((agent) => agent.id === id),
        defaultSettings.toolSearch,
      );
    const { bytes, tokens } = of("opencode");
    assert.deepEqual(
      {
        claude: of("claude-code").form,
        codex: [of("codex").form, of("codex").bytes <= 1_500],
        opencode: [of("opencode").form, of("opencode").shown],
        other: of(undefined),
        tokens,
      },
      {
        claude: "names",
        codex: ["index", true],
        opencode: ["search", 3],
        other: of("opencode"),
        tokens: Math.ceil(bytes / 4),
      },
    );
  });

  it("is that of every tool where there are few", async () => {
    const servers = [await toolsOf(server("few", manyTools(2), "Fillers."), quiet.signal)];
    const { form, shown, bytes } = toolCost(servers, undefined, defaultSettings.toolSearch);
    assert.deepEqual([form, shown, bytes > 150], ["all", 2, true]);
  });
});
