import assert from "node:assert/strict";
import { AgentChoices, agentPlace, agentState, versionOrSize } from "../../../src/features/agents/agent-choices.js";
import type { ListedAgent } from "../../../src/features/agents/catalogue.js";
import { parseSettings } from "../../../src/features/settings/settings-table.js";

const listed: readonly ListedAgent[] = [
  { id: "claude-code", name: "Claude Code", description: "Anthropic's", isBuiltIn: true },
  { id: "opencode", name: "OpenCode", version: "1.2.3", isBuiltIn: false },
];

function choices(
  values: Readonly<Record<string, unknown>>,
  catalogue: () => Promise<readonly ListedAgent[]> = () => Promise.resolve(listed),
): AgentChoices {
  const { settings } = parseSettings((key) => values[key]);
  return new AgentChoices({ settings: () => settings, catalogue, trustedFolders: () => ["/project", "/other"] });
}

describe("the agents that can be chosen", () => {
  it("are the user's own, then the command's, each id once, and Eliza", async () => {
    const offers = await choices({
      agents: { mine: { command: "mine" }, opencode: { command: "my-opencode" } },
    }).list();
    assert.deepEqual(
      offers.map(({ id, source }) => [id, source]),
      [
        ["mine", "custom"],
        ["opencode", "custom"],
        ["claude-code", "built-in"],
        ["eliza", "built-in"],
      ],
    );
  });

  it("stand in the order of use: those of this machine, those one click away, those from elsewhere, the demonstration", async () => {
    const machine = {
      "claude-code": { downloadMegabytes: 80, signIn: "ANTHROPIC_API_KEY is set" },
      kiro: { missing: "kiro-cli-chat" },
      codex: { installed: "1.0.0" },
      goose: { program: "/usr/bin/goose" },
    };
    const names = ["eliza", "claude-code", "kiro", "codex", "registered", "goose"];
    const catalogue = names.map((id) => ({
      id,
      name: id,
      isBuiltIn: id !== "registered",
      ...(id in machine && { machine: machine[id as keyof typeof machine] }),
    }));
    const all = choices({ agents: { mine: { command: "mine" } } }, () => Promise.resolve(catalogue));
    const offers = await all.list();
    assert.deepEqual(
      offers.map((offer) => [offer.id, agentPlace(offer)]),
      [
        ["mine", "here"],
        ["codex", "here"],
        ["goose", "here"],
        ["claude-code", "install"],
        ["registered", "install"],
        ["kiro", "elsewhere"],
        ["eliza", "demo"],
      ],
    );
  });

  it("say their version or their size, and whether the user seems to be signed in or what they need", () => {
    const offer = {
      id: "x",
      name: "X",
      description: "An agent",
      version: "9.0.0",
      spec: "x",
      source: "registry",
    } as const;
    const said = [
      { ...offer, machine: { installed: "1.0.0", signIn: "X_KEY is set", needs: "an account" } },
      { ...offer, machine: { program: "/bin/x", programVersion: "2.0.0", installed: "1.0.0", needs: "an account" } },
      { ...offer, machine: { program: "/bin/x" } },
      { ...offer, machine: { downloadMegabytes: 80 } },
      offer,
      { ...offer, machine: { missing: "x-cli" } },
      { ...offer, id: "eliza" },
    ].map((one) => [versionOrSize(one), agentState(one)]);
    assert.deepEqual(said, [
      ["1.0.0", "Seems signed in: X_KEY is set"],
      ["2.0.0", "Needs an account"],
      ["", "An agent"],
      ["about 80 MB", "An agent"],
      ["9.0.0", "An agent"],
      ["", `The program "x-cli" isn't on PATH. Get it from its publisher.`],
      ["", "Eliza answers immediately, without a model or an account."],
    ]);
  });

  it("are the user's own and Eliza when the command cannot be asked", async () => {
    const failing = choices({ agents: { mine: { command: "mine" } } }, () => Promise.reject(new Error("no command")));
    assert.deepEqual(
      (await failing.list()).map(({ id }) => id),
      ["mine", "eliza"],
    );
  });

  it("start with the enabled extensions in their order, and with the logging of the settings", async () => {
    const configured = choices({
      extensions: [{ id: "cargo" }, { id: "ferris", _enabled: false }, { id: "sparkle" }],
      agentLogLevel: "debug",
      traceDir: "/traces",
      agentSpawnArgs: ["--more"],
      startupTimeout: 300,
    });
    assert.deepEqual(await configured.configurationFor("opencode", "/project"), {
      agentId: "opencode",
      agentName: "OpenCode",
      agent: "opencode",
      proxies: ["cargo", "sparkle"],
      folder: "/project",
      environment: {},
      extraArgs: [
        ...["--trusted-folder", "/other", "--trusted-folder", "/project"],
        ...["--log", "debug", "--trace-dir", "/traces", "--more"],
      ],
      startupSeconds: 300,
    });
  });

  it("are vouched for in the folders of the workspace, and in what goes with them", async () => {
    const { extraArgs } = await choices({}).configurationFor("opencode", "/worktree", ["/worktree", "/project"]);
    const folders = ["/other", "/project", "/worktree"];
    assert.deepEqual(
      extraArgs.slice(0, 2 * folders.length),
      folders.flatMap((folder) => ["--trusted-folder", folder]),
    );
  });

  it("are Eliza until the user has chosen", async () => {
    assert.equal(choices({}).currentId, undefined);
    assert.equal((await choices({}).configurationFor(undefined, "/p")).agentId, "eliza");
  });

  it("keep what older versions called an agent", async () => {
    const old = choices({ currentAgentId: "zed-claude-code" });
    assert.equal((await old.configurationFor(undefined, "/p")).agentId, "claude-code");
    const own = choices({ currentAgentId: "elizacp", agents: { elizacp: { command: "elizacp" } } });
    assert.equal((await own.configurationFor(undefined, "/p")).agentId, "elizacp");
  });

  it("start by their id what has to be installed first", async () => {
    const distribution = { cargo: { crate: "elizacp" } };
    const [offer] = await choices({ agents: [{ id: "mine", distribution }] }).list();
    assert.deepEqual([offer?.spec, JSON.parse(offer?.toInstall ?? "null")], ["mine", { id: "mine", distribution }]);
  });

  it("start with the options of each extension, which what was installed gets beside its id", async () => {
    const options = { depth: 2 };
    const extensions = [
      { id: "cargo", _source: "built-in", options },
      { id: "theirs", _source: "registry", options },
      { id: "mine", _source: "custom", distribution: { cargo: { crate: "mine" } }, options },
      { id: "sparkle", _source: "built-in" },
    ];
    const { proxies } = await choices({ extensions }).configurationFor(undefined, "/p");
    assert.deepEqual(
      proxies.map((proxy): unknown => (proxy.startsWith("{") ? JSON.parse(proxy) : proxy)),
      [{ id: "cargo", options }, { id: "theirs", options }, { id: "mine", options }, "sparkle"],
    );
  });

  it("refuse an unknown id, by name and with the remedy", async () => {
    await assert.rejects(choices({}).configurationFor("nobody", "/p"), {
      code: "unknown-agent",
      message: 'There is no agent called "nobody".',
    });
  });
});
