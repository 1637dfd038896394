import assert from "node:assert/strict";
import { AgentChoices } from "../../../src/features/agents/agent-choices.js";
import type { ListedAgent } from "../../../src/features/agents/catalogue.js";
import { RestrictedMode } from "../../../src/features/chat/chat-tab.js";
import { OfferedAgents } from "../../../src/features/chat/offered-agents.js";
import { parseSettings } from "../../../src/features/settings/settings-table.js";

const claude = { id: "claude-code", name: "Claude Code", isBuiltIn: true, machine: { program: "/bin/claude" } };
const kiro = { id: "kiro-cli", name: "Kiro", isBuiltIn: true, machine: { missing: "kiro" } };
const published = { id: "opencode", name: "OpenCode", isBuiltIn: false, version: "1.0.0" };

function offered(catalogue: () => Promise<readonly ListedAgent[]>, currentAgentId = "") {
  const { settings } = parseSettings((key) => (key === "currentAgentId" ? currentAgentId : undefined));
  const knownAgents = (): Promise<readonly ListedAgent[]> => Promise.resolve([claude, kiro]);
  const shown: (readonly string[])[] = [];
  const choices = new AgentChoices({ settings: () => settings, catalogue, knownAgents, trustedFolders: () => [] });
  const agents: OfferedAgents = new OfferedAgents(choices, [{ id: "mine", name: "Mine" }], () =>
    shown.push(agents.choices.map(({ id }) => id)),
  );
  return { agents, shown };
}

describe("the agents of the first page", () => {
  it("are at first those of the settings and the demonstration", () => {
    const { agents } = offered(() => Promise.resolve([]));
    assert.deepEqual(
      agents.choices.map(({ name, place }) => [name, place]),
      [
        ["Mine", "here"],
        ["Demo (no model)", "demo"],
      ],
    );
    assert.deepEqual([agents.isKnown, agents.isListed], [false, false]);
  });

  it("are those of this machine before the registry has answered", async () => {
    let answer: (agents: readonly ListedAgent[]) => void = () => undefined;
    const registry = new Promise<readonly ListedAgent[]>((resolve) => (answer = resolve));
    const { agents, shown } = offered(() => registry);
    const listing = agents.refresh();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([shown, agents.isKnown, agents.isListed], [[["claude-code", "eliza"]], true, false]);
    answer([claude, kiro, published]);
    await listing;
    assert.deepEqual(shown.at(-1), ["claude-code", "opencode", "eliza"]);
    assert.equal(agents.isListed, true);
  });

  it("leave out one that has to be got elsewhere, unless the user has chosen it", async () => {
    const { agents } = offered(() => Promise.resolve([claude, kiro]), "kiro-cli");
    await agents.refresh();
    assert.deepEqual(
      agents.choices.map(({ id, place, isCurrent }) => [id, place, isCurrent]),
      [
        ["claude-code", "here", false],
        ["kiro-cli", "elsewhere", true],
        ["eliza", "demo", false],
      ],
    );
  });

  it("are not said to be known where the command cannot be asked, and are looked for again once it can", async () => {
    const { settings } = parseSettings(() => undefined);
    let isTrusted = false;
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    const catalogue = async (): Promise<readonly ListedAgent[]> => {
      if (!isTrusted) throw new RestrictedMode();
      await asked;
      return [claude];
    };
    const choices = new AgentChoices({ settings: () => settings, catalogue, trustedFolders: () => [] });
    const seen: unknown[] = [];
    const agents: OfferedAgents = new OfferedAgents(choices, [], () =>
      seen.push([agents.isKnown, agents.problem?.slice(0, 61), agents.choices.map(({ id }) => id)]),
    );
    await agents.refresh();
    isTrusted = true;
    const looking = agents.lookAgain();
    answer();
    await looking;
    const problem = "No agent can start because this window is in Restricted Mode.";
    assert.deepEqual(
      [seen[0], seen.find((_, at) => at > 1), seen.at(-1)],
      [
        [true, problem, ["eliza"]],
        [false, problem, ["eliza"]],
        [true, undefined, ["claude-code", "eliza"]],
      ],
    );
  });

  it("are called Eliza in a tab", () => {
    assert.deepEqual(offered(() => Promise.resolve([])).agents.find(), { id: "eliza", name: "Eliza" });
  });

  it("are the agent in use in a new tab, unless the user has chosen another", () => {
    const find = (chosen: string) => offered(() => Promise.resolve([]), chosen).agents.find(undefined, "mine").id;
    assert.deepEqual([find(""), find("eliza")], ["mine", "eliza"]);
  });

  it("get the registry's icons when these have come, and are shown without them where they cannot be had", async () => {
    const { settings } = parseSettings(() => undefined);
    const choices = new AgentChoices({
      settings: () => settings,
      catalogue: () => Promise.resolve([published]),
      trustedFolders: () => [],
    });
    const picture = "data:image/svg+xml;base64,PHN2Zy8+";
    const pictured = async (pictures: () => Promise<ReadonlyMap<string, string>>): Promise<unknown> => {
      const agents = new OfferedAgents(choices, [], () => undefined, pictures);
      await agents.refresh();
      return agents.choices.map((choice) => [choice.id, choice.picture]);
    };
    assert.deepEqual(await pictured(() => Promise.resolve(new Map([["opencode", picture]]))), [
      ["opencode", picture],
      ["eliza", undefined],
    ]);
    assert.deepEqual(await pictured(() => Promise.reject(new Error("older command"))), [
      ["opencode", undefined],
      ["eliza", undefined],
    ]);
  });
});
