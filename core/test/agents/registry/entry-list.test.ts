import assert from "node:assert/strict";
import { builtInAgents, canonicalAgentId } from "../../../src/agents/registry/built-in-agents.js";
import { builtInExtensions } from "../../../src/agents/registry/built-in-extensions.js";
import {
  mergeEntries,
  settledEntry,
  type EntryOrigin,
  type RegistryEntry,
} from "../../../src/agents/registry/registry-entry.js";

function entry(id: string, origin: EntryOrigin, subcommand?: string): RegistryEntry {
  const distribution = subcommand === undefined ? { npx: { package: id } } : { symposium: { subcommand } };
  return { id, name: id, distribution, origin };
}

describe("mergeEntries", () => {
  const sources = {
    custom: [entry("mine", "custom"), entry("gemini-cli", "custom")],
    builtIn: [entry("codex", "built-in"), entry("gemini-cli", "built-in"), entry("eliza", "built-in", "eliza")],
    published: [entry("b", "registry"), entry("a", "registry"), entry("codex", "registry"), entry("eliza", "registry")],
  };

  it("prefers the user's entry to the published one and that to the built-in one, but for parts of the product", () => {
    assert.deepEqual(
      mergeEntries(sources).map(({ id, origin }) => `${id} ${origin}`),
      ["mine custom", "gemini-cli custom", "codex registry", "eliza built-in", "a registry", "b registry"],
    );
  });

  it("keeps a program that is on PATH, also without a list", () => {
    const builtIn = [{ ...entry("codex", "built-in"), isOnPath: true } as const];
    const { custom, published } = sources;
    const merged = mergeEntries({ custom, builtIn, published }).find(({ id }) => id === "codex");
    assert.deepEqual([merged?.origin, settledEntry({ custom, builtIn }, "codex")?.origin], ["built-in", "built-in"]);
  });

  it("has the same order for the same entries", () => {
    const published = sources.published.toReversed();
    assert.deepEqual(mergeEntries({ ...sources, published }), mergeEntries(sources));
  });

  it("knows without a list what no list can change", () => {
    const ids = ["mine", "eliza", "codex", "a"];
    assert.deepEqual(
      ids.map((id) => settledEntry(sources, id)?.origin),
      ["custom", "built-in", undefined, undefined],
    );
  });
});

describe("builtInAgents", () => {
  it("are the well-known agents, installed from their package, and the embedded one", () => {
    assert.deepEqual(
      builtInAgents(() => false).map(({ id, distribution }) => [id, distribution]),
      [
        ["claude-code", { npx: { package: "@agentclientprotocol/claude-agent-acp", args: [] } }],
        ["gemini-cli", { npx: { package: "@google/gemini-cli", args: ["--acp"] } }],
        ["codex", { npx: { package: "@agentclientprotocol/codex-acp", args: [] } }],
        ["kiro-cli", { executable: { command: "kiro-cli-chat", args: ["acp"] } }],
        ["eliza", { symposium: { subcommand: "eliza" } }],
      ],
    );
  });

  it("start what is on PATH, and add the agents that are found there", () => {
    assert.deepEqual(
      builtInAgents((program) => program === "gemini" || program === "opencode").map(({ id, distribution }) =>
        distribution.executable ? `${id}: ${distribution.executable.command}` : id,
      ),
      ["claude-code", "gemini-cli: gemini", "codex", "kiro-cli: kiro-cli-chat", "opencode: opencode", "eliza"],
    );
  });

  it("are also known by the names of the specification and of the registry", () => {
    const others = ["zed-claude-code", "elizacp", "claude-acp", "gemini", "codex-acp", "github-copilot-cli", "cursor"];
    assert.deepEqual([...others, "kiro-cli", "toString"].map(canonicalAgentId), [
      ...["claude-code", "eliza", "claude-code", "gemini-cli", "codex", "github-copilot", "cursor-agent"],
      ...["kiro-cli", "toString"],
    ]);
  });
});

describe("builtInExtensions", () => {
  it("are this product with one proxy each", () => {
    assert.deepEqual(builtInExtensions([{ name: "ferris", description: "Crate sources" }]), [
      {
        id: "ferris",
        name: "Ferris",
        description: "Crate sources",
        distribution: { symposium: { subcommand: "run-with", args: ["--proxy", "ferris"] } },
        origin: "built-in",
      },
    ]);
  });

  it("have names for people", () => {
    const named = builtInExtensions(["ide-operations", "editor-edits"].map((name) => ({ name, description: "" })));
    assert.deepEqual(
      named.map(({ name }) => name),
      ["IDE operations", "Editor edits"],
    );
  });
});
