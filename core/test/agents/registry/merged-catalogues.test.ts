import assert from "node:assert/strict";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { MergedCatalogues } from "../../../src/agents/registry/node/merged-catalogues.js";
import type { LoadedCatalogue } from "../../../src/agents/registry/node/catalogue-source.js";
import { builtInAgents } from "../../../src/agents/registry/built-in-agents.js";
import { builtInExtensions } from "../../../src/agents/registry/built-in-extensions.js";
import { parseCatalogue } from "../../../src/agents/registry/catalogue.js";
import type { EntryKind, RegistryEntry } from "../../../src/agents/registry/registry-entry.js";
import { RegistryServer } from "./registry-server.js";

class Source {
  loads = 0;

  constructor(
    private readonly value: unknown,
    private readonly warnings: readonly string[] = [],
  ) {}

  load(): Promise<LoadedCatalogue> {
    this.loads++;
    const catalogue = parseCatalogue(this.value);
    assert.ok(!("kind" in catalogue));
    return Promise.resolve({ catalogue, from: "network", warnings: this.warnings });
  }
}

const npx = { npx: { package: "x" } };

function registryOf(source: Source, extensions = new Source({ extensions: [] })): MergedCatalogues {
  return new MergedCatalogues({
    sources: [source, extensions],
    builtIn: {
      agent: builtInAgents(() => false),
      extension: builtInExtensions([{ name: "ferris", description: "Crate sources" }]),
    },
    custom: { agent: [{ id: "mine", name: "Mine", distribution: npx, origin: "custom" }], extension: [] },
  });
}

async function found(registry: MergedCatalogues, kind: EntryKind, text: string): Promise<RegistryEntry | string> {
  try {
    const result = await registry.find(kind, text);
    return result.kind === "entry" ? result.entry : result.command.command;
  } catch (error) {
    assert.ok(error instanceof SymposiumError);
    return `${error.code}: ${error.text}`;
  }
}

/** The code and text of the error that the request ends with. */
async function failure(registry: MergedCatalogues, kind: EntryKind, text: string): Promise<string> {
  const result = await found(registry, kind, text);
  return typeof result === "string" ? result : `found ${result.id}`;
}

describe("MergedCatalogues", () => {
  it("lists agents and extensions of all sources, with the warnings about their own kind", async () => {
    const registry = registryOf(
      new Source(
        { agents: [{ id: "a", distribution: npx }, { id: "b" }], extensions: [{ id: "e", distribution: npx }] },
        ["registry: using the list from 3 days ago."],
      ),
      new Source({ extensions: [{ id: "e", name: "Another", distribution: npx }, { id: "f", distribution: npx }, {}] }),
    );
    const [agents, extensions] = [await registry.list("agent"), await registry.list("extension")];
    assert.deepEqual(
      [agents, extensions].map(({ entries, warnings }) => [entries.map(({ name }) => name).join(), warnings]),
      [
        [
          "Mine,Claude Code,Gemini CLI,Codex,Kiro CLI,Eliza,a",
          [
            "registry: using the list from 3 days ago.",
            'registry: the agent "b" is left out: The distribution must be an object, got nothing.',
          ],
        ],
        [
          "Ferris,e,f",
          [
            "registry: using the list from 3 days ago.",
            'registry: the extension "#3" is left out: The id must be a valid folder name, got nothing.',
          ],
        ],
      ],
    );
  });

  it("finds entries by id and by the specification's names, and asks no list for what no list can change", async () => {
    const source = new Source({ agents: [{ id: "codex", name: "Published Codex", distribution: npx }] });
    const registry = registryOf(source);
    const names: unknown[] = [];
    for (const id of ["mine", "eliza", "elizacp"]) {
      const entry = await found(registry, "agent", id);
      names.push(typeof entry === "string" ? entry : entry.name);
    }
    assert.deepEqual([names, source.loads], [["Mine", "Eliza", "Eliza"], 0]);
    const codex = await found(registry, "agent", "codex");
    const claude = await found(registry, "agent", "zed-claude-code");
    assert.deepEqual(
      [codex, claude].map((entry) => (typeof entry === "string" ? entry : `${entry.name} ${entry.origin}`)),
      ["Published Codex registry", "Claude Code built-in"],
    );
  });

  it("has each agent once, under its built-in id, as the list describes it", async () => {
    const published = (id: string, version: string): object => ({ id, version, distribution: npx });
    const agents = [published("gemini", "1"), published("codex-acp", "2"), published("codex", "3")];
    const registry = registryOf(new Source({ agents }));
    const { entries } = await registry.list("agent");
    assert.deepEqual(
      entries.map(({ id, version }) => (version === undefined ? id : `${id} ${version}`)),
      ["mine", "claude-code", "gemini-cli 1", "codex 3", "kiro-cli", "eliza"],
    );
    for (const [name, version] of [
      ["gemini", "1"],
      ["gemini-cli", "1"],
      ["codex-acp", "3"],
    ] as const) {
      const entry = await found(registry, "agent", name);
      assert.equal(typeof entry === "string" ? entry : entry.version, version);
    }
  });

  it("names what is unknown and what is known, and says why a list may lack it", async () => {
    const registry = registryOf(new Source({ agents: [] }, ["registry: offline."]));
    const warnings: string[] = [];
    await assert.rejects(
      registry.find("agent", "nobody", (line) => warnings.push(line)),
      {
        code: "unknown-agent",
        message: 'There is no agent "nobody".',
        hint: "Known: mine, claude-code, gemini-cli, codex, kiro-cli, eliza.",
      },
    );
    assert.deepEqual(warnings, ["registry: offline."]);
    assert.equal(
      await found(registry, "extension", "nobody"),
      'unknown-proxy: There is no extension "nobody". Known: ferris.',
    );
  });

  it("takes JSON as it is", async () => {
    const registry = registryOf(new Source({ agents: [] }));
    assert.equal(await found(registry, "agent", `{"command":"program"}`), "program");
    assert.match(await failure(registry, "agent", `{"id":"x"`), /^invalid-component: The agent cannot be resolved\. /);
  });

  it("reads an extension's description behind an address", async () => {
    await using server = await RegistryServer.open();
    const registry = registryOf(new Source({ agents: [] }));
    server.serve("/extension.json", { id: "e", distribution: { npx: { package: "e", env: { PATH: "/x" } } } });
    server.serve("/page", "<html>");
    assert.deepEqual(await found(registry, "extension", server.address("/extension.json")), {
      id: "e",
      name: "e",
      distribution: { npx: { package: "e", env: {} } },
      origin: "registry",
    });
    assert.match(
      await failure(registry, "extension", server.address("/page")),
      /^invalid-component: .*\/page does not describe an extension: This isn't valid JSON/,
    );
    assert.match(await failure(registry, "extension", server.address("/none")), /\/none answered 404 Not Found/);
    assert.match(
      await failure(registry, "extension", "http://a.example/extension.json"),
      /wasn't fetched because it isn't an https address/,
    );
  });
});
