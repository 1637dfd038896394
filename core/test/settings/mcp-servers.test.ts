import assert from "node:assert/strict";
import { parseConfig } from "../../src/settings/config.js";
import type { UserServer } from "../../src/settings/user-server.js";

/** The servers of a file and what is wrong with it, a line each. */
function read(members: Readonly<Record<string, unknown>> | string): {
  servers: readonly UserServer[];
  problems: readonly string[];
} {
  const text = typeof members === "string" ? members : JSON.stringify(members);
  const { config, problems } = parseConfig(text, []);
  return {
    servers: config.servers,
    problems: problems.map(({ severity, line, message, hint = "" }) =>
      `${severity} ${line}: ${message} ${hint}`.trimEnd(),
    ),
  };
}

const http = { type: "http", url: "https://a.example", headers: {} };
const origin = { kind: "user" } as const;

describe("mcpServers of config.jsonc", () => {
  it("has every key of a program and of an address", () => {
    const { servers, problems } = read({
      mcpServers: {
        files: {
          command: "npx",
          args: ["-y", "files-mcp", "${workspaceFolder}"],
          env: { KEY: "${secret:files}" },
          cwd: "${userHome}/files",
          envFile: "${workspaceFolder}/.env",
          tools: ["read_*"],
          excludeTools: ["read_secret"],
          agents: ["opencode"],
          on: "there",
          startTimeoutMs: 5_000,
          callTimeoutMs: 60_000,
          enabled: false,
        },
        issues: {
          type: "sse",
          url: "https://mcp.example/sse",
          headers: { Authorization: "Bearer ${input:token}" },
          oauth: { clientId: "us", clientSecret: "${secret:us}", scopes: ["read"] },
        },
      },
      inputs: [
        { id: "token", type: "promptString", description: "The token", password: true },
        { id: "unused", type: "pickString", options: ["a"], default: "a" },
      ],
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(servers, [
      {
        name: "files",
        origin,
        launch: {
          type: "stdio",
          command: "npx",
          args: ["-y", "files-mcp", "${workspaceFolder}"],
          env: { KEY: "${secret:files}" },
          cwd: "${userHome}/files",
          envFile: "${workspaceFolder}/.env",
        },
        isEnabled: false,
        tools: ["read_*"],
        excludeTools: ["read_secret"],
        agents: ["opencode"],
        on: "there",
        startTimeoutMs: 5_000,
        callTimeoutMs: 60_000,
      },
      {
        name: "issues",
        origin,
        launch: { type: "sse", url: "https://mcp.example/sse", headers: { Authorization: "Bearer ${input:token}" } },
        isEnabled: true,
        oauth: { clientId: "us", clientSecret: "${secret:us}", scopes: ["read"] },
        inputs: [{ id: "token", description: "The token", isSecret: true }],
      },
    ]);
  });

  it("says in which file a server stands", () => {
    const { config } = parseConfig(`{"mcpServers": {"a": {"command": "a"}}}`, [], {}, "/home/me/config.jsonc");
    assert.deepEqual(config.servers[0]?.origin, { kind: "user", file: "/home/me/config.jsonc" });
  });

  for (const [what, pasted, launch, problem] of [
    [
      "local",
      { type: "local", command: "a" },
      stdio("a"),
      `"local" is read as "stdio". Use "type": "stdio", or remove it.`,
    ],
    [
      "a list of words",
      { command: ["a", "-b"] },
      stdio("a", ["-b"]),
      `"mcpServers.it.command" is a list instead of text. Use the first item as "command" and the others as "args".`,
    ],
    [
      "streamable-http",
      { type: "streamable-http", url: "https://a.example" },
      http,
      `"streamable-http" is read as "http". Use "type": "http", or remove it.`,
    ],
    ["serverUrl", { serverUrl: "https://a.example" }, http, renamed("serverUrl", "url")],
    ["httpUrl", { httpUrl: "https://a.example" }, http, renamed("httpUrl", "url")],
    [
      "environment",
      { command: "a", environment: { A: "1" } },
      stdio("a", [], { A: "1" }),
      renamed("environment", "env"),
    ],
    [
      "a number in env",
      { command: "a", env: { A: 1 } },
      stdio("a", [], { A: "1" }),
      `"mcpServers.it.env.A" is read as text. Put its value in quotation marks.`,
    ],
    [
      "null in env",
      { command: "a", env: { A: null } },
      stdio("a"),
      `"mcpServers.it.env.A" is null and is skipped. Remove it.`,
    ],
    [
      "timeout",
      { command: "a", timeout: 60 },
      stdio("a"),
      `"mcpServers.it.timeout" has no effect. Its unit varies between products. Use "callTimeoutMs" or "startTimeoutMs", in milliseconds.`,
    ],
  ] as const) {
    it(`understands ${what} of other products, and says how it is written here`, () => {
      const { servers, problems } = read({ mcpServers: { it: pasted } });
      assert.deepEqual([servers.map((server) => server.launch), problems], [[launch], [`warning 1: ${problem}`]]);
    });
  }

  for (const [what, entry, problem] of [
    ["neither a command nor a url", {}, `"mcpServers.it" has no "command". A server needs a command or a url.`],
    [
      "both",
      { command: "a", url: "https://a.example" },
      `"mcpServers.it" has a "command" and a "url". Remove one of them; "command" contradicts its type.`,
    ],
    [
      "an address of another kind, which it does not show",
      { url: "unix:///run/secret-name.sock" },
      `"mcpServers.it.url" must be an address that begins with https:// or http://, got unix:.`,
    ],
    [
      "a transport that nobody here speaks",
      { type: "ws", url: "wss://a.example" },
      `"mcpServers.it.type" must be one of "stdio", "http", "sse", got "ws".`,
    ],
    [
      "a header of two lines, which it does not show",
      { url: "https://a.example", headers: { A: "b\r\nC: d" } },
      `"mcpServers.it.headers.A" must be a single line of text. Put its value in quotation marks.`,
    ],
  ] as const) {
    it(`leaves out a server with ${what}, and reads the others`, () => {
      const { servers, problems } = read({ mcpServers: { it: entry, other: { command: "a" } } });
      assert.deepEqual(
        servers.map(({ name }) => name),
        ["other"],
      );
      assert.equal(problems[0], `warning 1: ${problem}`);
    });
  }

  it("names the line of what is wrong", () => {
    const { problems } = read(
      `{\n  "mcpServers": {\n    "a": {\n      "command": "a",\n      "args": "b"\n    }\n  }\n}`,
    );
    assert.deepEqual(problems, [`warning 5: "mcpServers.a.args" must be a list, got "b".`]);
  });

  it("takes no name that a terminal would act on, and any other one as it is", () => {
    const { servers, problems } = read(
      `{"mcpServers": {"__proto__": {"command": "a"}, "constructor": {"command": "b"}, "a\\u001b[2J": {"command": "c"}, " ": {"command": "d"}}}`,
    );
    assert.deepEqual(
      servers.map(({ name }) => name),
      ["__proto__", "constructor"],
    );
    assert.deepEqual(problems, [
      `warning 1: "a\\u001b[2J" can't be used as a server name. It is skipped. A name must be a single line of at most 100 characters.`,
      `warning 1: " " can't be used as a server name. It is skipped. A name must be a single line of at most 100 characters.`,
    ]);
    assert.ok(!("command" in {}));
  });

  it("runs nothing to find the value of an input", () => {
    const { servers, problems } = read({
      mcpServers: { a: { command: "a", args: ["${input:x}"] } },
      inputs: [{ id: "x", type: "command", command: "evil" }],
    });
    assert.equal(servers[0]?.inputs, undefined);
    assert.match(problems.join("\n"), /Inputs can't run commands/);
  });

  it("reports a list in place of the object, and no servers", () => {
    assert.deepEqual(read({ mcpServers: [] }), {
      servers: [],
      problems: [`warning 1: "mcpServers" must be an object, got a list. Write { "NAME": { "command": "..." } }.`],
    });
  });
});

function stdio(command: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): object {
  return { type: "stdio", command, args, env };
}

function renamed(key: string, usual: string): string {
  return `"mcpServers.it.${key}" is read as "${usual}". Write "${usual}" instead.`;
}
