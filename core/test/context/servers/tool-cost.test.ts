import assert from "node:assert/strict";
import { toolCosts } from "../../../src/context/servers/tool-cost.js";
import { toolsOf } from "../../../src/context/servers/direct-or-searched-tools.js";
import { defaultSettings } from "../../../src/settings/settings-table.js";
import { manyTools, quiet, server } from "./tool-search-fixture.js";

describe("the cost of tools", () => {
  it("says for each agent how its model gets them, and what that takes", async () => {
    const servers = [await toolsOf(server("many", manyTools(64)), quiet.signal)];
    const costs = toolCosts(servers, defaultSettings.toolSearch);
    const of = (id: string | undefined) => costs.find(({ agent }) => agent?.id === id)?.cost;
    const { bytes = 0, tokens = 0 } = of("opencode") ?? {};
    assert.deepEqual(
      {
        claude: of("claude-code")?.form,
        codex: [of("codex")?.form, (of("codex")?.bytes ?? 0) <= 1_500],
        opencode: [of("opencode")?.form, of("opencode")?.shown],
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
    const [other] = toolCosts(servers, defaultSettings.toolSearch).filter(({ agent }) => agent === undefined);
    assert.deepEqual([other?.cost.form, other?.cost.shown, (other?.cost.bytes ?? 0) > 150], ["all", 2, true]);
  });
});
