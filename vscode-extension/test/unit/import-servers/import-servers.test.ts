import assert from "node:assert/strict";
import {
  type FoundServer,
  type FoundServers,
  fullText,
  serverLine,
} from "../../../src/features/import-servers/found-servers.js";
import { ImportOffer } from "../../../src/features/import-servers/import-offer.js";
import { type ImportDialogs, ServerImport } from "../../../src/features/import-servers/import-servers.js";

const files: FoundServer = {
  name: "files",
  digest: "f1",
  entry: { command: "npx", args: ["-y", "files-mcp", "two words"], env: { TOKEN: "${secret:files-token}" } },
  places: [
    { productName: "Claude Code", path: "/home/.claude.json", name: "files" },
    { productName: "Zed", path: "/home/zed.json", name: "files" },
  ],
  scope: "user",
  secrets: [{ name: "files-token", where: "env.TOKEN" }],
  agents: ["claude-code"],
  missing: [],
  notes: [],
};
const issues: FoundServer = {
  name: "issues-vscode",
  digest: "1d",
  entry: { url: "https://issues.example/mcp", headers: { "X-Team": "a" }, enabled: false },
  places: [{ productName: "VS Code", path: "/home/mcp.json", name: "issues" }],
  scope: "project",
  secrets: [],
  differs: { from: "Claude Code's", keys: ["url"] },
  agents: [],
  missing: ["${input:team}"],
  notes: ["It doesn't run in a sandbox here."],
};

type Words = readonly string[];

/** An import over a command that finds `servers`, with a user who answers like this. */
function stage(
  servers: readonly FoundServer[],
  answers: Partial<ImportDialogs> = {},
  problems: FoundServers["problems"] = [],
) {
  const ran: Words[] = [];
  const said: string[] = [];
  const imported = new ServerImport({
    commandLine: {
      json: (words: Words, parser) => {
        ran.push(words);
        const parsed = parser.safeParse({ servers, problems });
        return parsed.success ? Promise.resolve(parsed.data) : Promise.reject(new Error("no such answer"));
      },
    },
    dialogs: {
      choose: (all) => Promise.resolve(all),
      confirms: () => Promise.resolve(true),
      movesSecrets: () => Promise.resolve(true),
      tell: (text) => void said.push(text),
      warn: (text) => void said.push(`! ${text}`),
      ...answers,
    },
    folder: () => "/project",
    editorFolder: "/editor/User",
  });
  return { imported, ran, said };
}

const find = ["mcp", "import", "--json", "--editor-folder", "/editor/User"];
const take = ({ name, digest }: FoundServer): Words => [`--server=${name}`, `--digest=${digest}`];

describe("an import of MCP servers", () => {
  it("shows what each one starts, where it is, and what has to be known of it", () => {
    assert.deepEqual(serverLine(files), {
      label: "files",
      description: "Claude Code, Zed · already in claude-code · secrets in plain text: env.TOKEN",
      detail: 'npx -y files-mcp "two words" · env TOKEN=${secret:files-token}',
    });
    assert.deepEqual(serverLine(issues), {
      label: "issues-vscode",
      description: "VS Code · off there, and therefore off here · differs from Claude Code's in url",
      detail:
        "https://issues.example/mcp · header X-Team: a · missing values: ${input:team} · It doesn't run in a sandbox here.",
    });
  });

  it("shows with its value whatever decides what runs, and no value as several", () => {
    const entry = {
      command: "node",
      env: { NODE_OPTIONS: "--require ./x.js", EMPTY: "" },
      cwd: "/elsewhere",
      envFile: "/elsewhere/.env",
      tools: ["read"],
      enabled: true,
    };
    assert.equal(
      serverLine({ ...files, entry }).detail,
      'node · env NODE_OPTIONS="--require ./x.js" · env EMPTY="" · cwd /elsewhere · envFile /elsewhere/.env · tools ["read"]',
    );
  });

  it("shows in full, before it is taken, what the list cuts off", async () => {
    const entry = { command: "run\nit", env: { FIRST: "x".repeat(200), NODE_OPTIONS: "--require ./x.js" } };
    const long: FoundServer = { ...issues, entry, missing: [], notes: [] };
    assert.equal(fullText({ ...files, entry: { command: "files-mcp" } }), undefined);
    for (const isConfirmed of [true, false]) {
      const asked: [string, number][] = [];
      const { imported, ran } = stage([long], {
        confirms: (text, count) => Promise.resolve(asked.push([text, count]) > 0 && isConfirmed),
      });
      await imported.run();
      const text = `issues-vscode\n"run\\nit"\nenv FIRST=${"x".repeat(200)}\nenv NODE_OPTIONS="--require ./x.js"`;
      assert.deepEqual([asked, ran.length], [[[text, 1]], isConfirmed ? 2 : 1]);
    }
  });

  it("shows no icons and no lines that a file brings", () => {
    const hostile = { ...files, name: "$(verified) a\nb", entry: { command: "run\u202e\n$(check)" } };
    assert.deepEqual(
      [serverLine(hostile).label, serverLine(hostile).detail.includes("$(check)")],
      ["$ (verified) a b", false],
    );
  });

  it("takes what the user ticks by the command, as it was shown, with secrets moved unless they are to stay", async () => {
    for (const [moves, more] of [
      [true, []],
      [false, ["--literal-secrets"]],
    ] as const) {
      const { imported, ran, said } = stage([files, issues], { movesSecrets: () => Promise.resolve(moves) });
      await imported.run();
      assert.deepEqual(ran, [find, [...find, ...take(files), ...take(issues), ...more]]);
      assert.match(
        said.join(),
        /Agents get files, issues-vscode from their next session\. issues-vscode still needs a value/,
      );
    }
  });

  it("asks nothing about secrets where none are chosen", async () => {
    const { imported, ran } = stage([files, issues], {
      choose: () => Promise.resolve([issues]),
      movesSecrets: () => assert.fail("there is no secret"),
    });
    await imported.run();
    assert.deepEqual(ran.at(-1), [...find, ...take(issues)]);
  });

  it("writes nothing where a list is dismissed or nothing is ticked", async () => {
    for (const answers of [
      { choose: () => Promise.resolve(undefined) },
      { choose: () => Promise.resolve([]) },
      { movesSecrets: () => Promise.resolve(undefined) },
    ]) {
      const { imported, ran, said } = stage([files], answers);
      await imported.run();
      assert.deepEqual([ran, said], [[find], []]);
    }
  });

  it("says what could not be read, and that there is nothing", async () => {
    const { imported, said } = stage([], {}, [{ path: "/home/.claude.json", problem: "It isn't valid JSON." }]);
    await imported.run();
    assert.deepEqual(said, [
      "! Not read: /home/.claude.json: It isn't valid JSON.",
      "No MCP servers from other products were found, or all of them are already in config.jsonc.",
    ]);
  });
});

describe("the offer to import MCP servers", () => {
  function offer(servers: readonly FoundServer[], isPressed = false, find?: () => Promise<FoundServers>) {
    const stored = new Map<string, unknown>();
    const done: string[] = [];
    const state = { isAllowed: true };
    const shown = new ImportOffer({
      isAllowed: () => state.isAllowed,
      memory: { get: (key) => stored.get(key), update: (key, value) => Promise.resolve(void stored.set(key, value)) },
      servers: {
        find: find ?? (() => Promise.resolve({ servers: [...servers], problems: [] })),
        run: () => Promise.resolve(void done.push("list")),
      },
      notify: (text) => Promise.resolve(done.push(text) > 0 && isPressed),
    });
    return { shown, state, done };
  }

  it("comes once, and never again when it is dismissed", async () => {
    const { shown, done } = offer([files, issues]);
    await shown.look();
    await shown.look();
    assert.deepEqual(done, [
      "An MCP server that you set up elsewhere can be used by every agent. Nothing is imported until you choose it.",
    ]);
  });

  it("counts several servers", async () => {
    const { shown, done } = offer([files, { ...files, name: "other" }]);
    await shown.look();
    assert.deepEqual(done, [
      "2 MCP servers that you set up elsewhere can be used by every agent. Nothing is imported until you choose them.",
    ]);
  });

  it("leads to the list", async () => {
    const { shown, done } = offer([files], true);
    await shown.look();
    assert.equal(done.at(-1), "list");
  });

  it("does not come for servers of a project, which somebody else wrote", async () => {
    const { shown, done } = offer([issues]);
    await shown.look();
    assert.deepEqual(done, []);
  });

  it("waits for trust, and for a look that does not fail", async () => {
    let fails = true;
    const find = (): Promise<FoundServers> =>
      fails ? Promise.reject(new Error("no command")) : Promise.resolve({ servers: [files], problems: [] });
    const { shown, state, done } = offer([], false, find);
    state.isAllowed = false;
    await shown.look();
    state.isAllowed = true;
    await assert.rejects(shown.look(), /no command/);
    assert.deepEqual(done, []);
    fails = false;
    await shown.look();
    assert.equal(done.length, 1);
  });
});
