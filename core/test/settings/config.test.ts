import assert from "node:assert/strict";
import fc from "fast-check";
import { parseConfig } from "../../src/settings/config.js";
import { formatProblem } from "../../src/base/problem.js";
import { defaultSettings } from "../../src/settings/settings-table.js";

const builtIn = ["sparkle", "ferris", "cargo"];
const allBuiltIn = builtIn.map((name) => ({ name, enabled: true }));

function problemsOf(text: string): string[] {
  return parseConfig(text, builtIn).problems.map((problem) => `${problem.severity} ${formatProblem(problem, "c")}`);
}

describe("parseConfig", () => {
  it("reads the file of the documentation", () => {
    const text = `{
      // Downstream agent command (parsed as shell words)
      "agent": "npx -y @zed-industries/claude-code-acp",

      "proxies": [
        { "name": "sparkle", "enabled": true },
        { "name": "ferris", "enabled": false },
        { "name": "cargo", "enabled": true },
      ],
    }`;
    assert.deepEqual(parseConfig(text, builtIn), {
      config: {
        agent: {
          kind: "command",
          name: "claude-code-acp",
          command: { command: "npx", args: ["-y", "@zed-industries/claude-code-acp"], env: {} },
        },
        proxies: [
          { name: "sparkle", enabled: true },
          { name: "ferris", enabled: false },
          { name: "cargo", enabled: true },
        ],
        servers: [],
        hooks: {},
        settings: defaultSettings,
      },
      problems: [],
    });
  });

  for (const text of ["", "{}", "// nothing yet\n", `{ "$schema": "./config.schema.json", "_note": 1 }`]) {
    it(`reads ${JSON.stringify(text)} as all defaults and no agent`, () => {
      const config = { proxies: allBuiltIn, servers: [], hooks: {}, settings: defaultSettings };
      assert.deepEqual(parseConfig(text, builtIn), { config, problems: [] });
    });
  }

  it("tells no proxies from unmentioned ones", () => {
    assert.deepEqual(parseConfig(`{"proxies": []}`, builtIn).config.proxies, []);
  });

  it("accepts a name, a definition and an McpServer for the agent", () => {
    const agents = [
      `"gemini"`,
      `{"id": "g", "distribution": {"symposium": {"subcommand": "eliza"}}}`,
      `{"command": "/bin/agent"}`,
    ].map((agent) => parseConfig(`{"agent": ${agent}}`, builtIn).config.agent);
    assert.deepEqual(agents, [
      { kind: "name", name: "gemini" },
      { kind: "symposium", name: "g", subcommand: "eliza", args: [] },
      { kind: "command", name: "agent", command: { command: "/bin/agent", args: [], env: {} } },
    ]);
  });

  it("keeps the distribution and the options of a proxy, in order", () => {
    const mine = { name: "mine", enabled: true, distribution: { npx: { package: "m" } }, options: { a: [1], b: null } };
    const text = JSON.stringify({ proxies: [mine, { name: "cargo", options: {} }] });
    const { config, problems } = parseConfig(text, builtIn);
    assert.deepEqual([config.proxies, problems], [[mine, { name: "cargo", enabled: true, options: {} }], []]);
  });

  it("freezes everything", () => {
    const parsed = parseConfig(`{"proxies": [{"name": "cargo", "options": {"a": [{}]}}], "x": 1}`, builtIn);
    const isFrozen = (value: unknown): boolean =>
      typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    assert.equal(isFrozen(parsed), true);
  });

  it("keeps the default and names the key, the value and the unit when a setting is wrong", () => {
    const text = `{\n  "startupTimeoutMs": "fast",\n  "stallTimeoutMs": 5,\n  "maxMessageBytes": 1e99 }`;
    assert.deepEqual(parseConfig(text, builtIn).config.settings, { ...defaultSettings, stallTimeoutMs: 5 });
    assert.deepEqual(problemsOf(text), [
      'warning c:2:3: "startupTimeoutMs" must be a whole number of milliseconds from 1 to 2147483647, got "fast". The default, 120000, is used.',
      'warning c:4:3: "maxMessageBytes" must be a whole number of bytes from 1 to 524288000, got 1e+99. The default, 268435456, is used.',
    ]);
  });

  it("keeps no conversation while what is said about them cannot be read", () => {
    for (const value of [`{"keep": "no"}`, `{"keep": true, "days": 0}`, `false`, `null`]) {
      const { config, problems } = parseConfig(`{"conversations": ${value}}`, builtIn);
      assert.deepEqual([config.settings.conversations.keep, problems.length], [false, 2], value);
    }
    const { conversations } = parseConfig(`{"conversations": {"days": 7}}`, builtIn).config.settings;
    assert.deepEqual(conversations, { keep: true, days: 7, megabytes: 2048 });
  });

  it("takes a proxy that is opt-in only where it is listed", () => {
    const [absent, listed] = ["{}", '{"proxies": [{"name": "careful"}]}'].map((text) =>
      parseConfig(text, ["cargo"], { optIn: ["careful"] }),
    );
    assert.deepEqual(
      [absent?.config.proxies, listed?.config.proxies, listed?.problems],
      [[{ name: "cargo", enabled: true }], [{ name: "careful", enabled: true }], []],
    );
  });

  it("takes a proxy that is installed by its id, also where it says how it was obtained", () => {
    const distribution = { cargo: { crate: "theirs" } };
    const proxies = [{ name: "theirs", options: { a: 1 } }, { name: "built", distribution }, { name: "gone" }];
    const isInstalled = (name: string): boolean => name !== "gone";
    const { config, problems } = parseConfig(JSON.stringify({ proxies }), builtIn, { isInstalled });
    assert.deepEqual(
      [config.proxies, problems.map(({ path }) => path)],
      [
        [
          { name: "theirs", enabled: true, options: { a: 1 } },
          { name: "built", enabled: true, distribution },
        ],
        [["proxies", 2, "name"]],
      ],
    );
  });

  for (const [text, ...expected] of [
    ["{", "error c:1:2: A closing } is missing before this."],
    ["[]", `error c:1:1: The configuration must be an object, got a list. Write { "agent": "..." } instead.`],
    [`{"agent": 5}`, 'error c:1:2: "agent" must be text or an object, got 5.'],
    [
      `{"agent": "  "}`,
      'error c:1:2: The command "  " names no program (character 3). Write the program and its arguments, such as "npx -y some-agent".',
    ],
    [
      `{\n\t"agent": "a 'b"}`,
      "error c:2:2: Unfinished single quote at character 3 of the command: 'b Add the closing single quote.",
    ],
    [
      `{"agent": {"id": "a", "distribution": {"npx": {"pkg": "a"}}}}`,
      'error c:1:40: "agent.distribution.npx.package" is missing.',
      'warning c:1:48: "agent.distribution.npx.pkg" is unknown and has no effect. Known here: package, args, env, cmd.',
    ],
    [
      `{"proxy": []}`,
      'warning c:1:2: "proxy" is unknown and has no effect. Known here: $schema, agent, hooks, proxies, mcpServers, inputs, startupTimeoutMs, maxMessageBytes, stallTimeoutMs, registryUrl, registryFallbackUrl, extensionRegistryUrl, recommendationsUrl, loginEnvironment, toolSearch, commandOutput, guard, host, hostIdleMinutes, on, sharedServers, context, conversations, telemetry.',
    ],
    [
      `{"conversations": {"keep": "no"}}`,
      `warning c:1:2: No conversations are stored while "conversations" can't be read.`,
      'warning c:1:20: "conversations.keep" must be true or false, got "no".',
    ],
    [`{"proxies": {}}`, 'warning c:1:2: "proxies" must be a list, got an object. The built-in proxies are used.'],
    [
      `{"proxies": [{"name": "feris"}]}`,
      'warning c:1:15: The proxy "feris" is neither built in nor installed, so it is skipped. Built-in proxies: sparkle, ferris, cargo. To use another one, run `symposium-acp-agent registry install --extension feris` or add its "distribution".',
    ],
    [`{"proxies": ["cargo"]}`, 'warning c:1:14: "proxies[0]" must be an object, got "cargo".'],
    [
      `{"proxies": [{"name": "cargo", "enabled": "yes"}]}`,
      'warning c:1:32: "proxies[0].enabled" must be true or false, got "yes".',
    ],
    [
      `{"proxies": [{"name": "cargo"}, {"name": "cargo"}]}`,
      'warning c:1:33: The proxy "cargo" is listed again (proxies[1]). The first counts.',
    ],
    [
      `{"proxies": [{"name": "x", "distribution": {"cargo": {"crate": "x"}}}]}`,
      'warning c:1:28: The proxy "x" is skipped. The crate "x" must be installed first; adding it to the configuration doesn\'t install it. Run `symposium-acp-agent registry install --extension x` to install this distribution.',
    ],
    [
      `{"proxies": [{"name": "cargo", "distribution": {"binary": {}}}]}`,
      `warning c:1:32: The proxy "cargo" is skipped. A "binary" distribution must be installed first; adding it to the configuration doesn't install it. Choose a name that no built-in proxy has.`,
    ],
    [
      `{"agent": "a",\n"agent": "b"}`,
      'warning c:2:1: "agent" appears twice; the last one is used. Remove one of them.',
    ],
  ] as const) {
    it(`says what is wrong in ${text}`, () => {
      assert.deepEqual(problemsOf(text), expected);
    });
  }

  it("keeps the other proxies when one cannot be used", () => {
    const text = `{"proxies": [{"name": "cargo"}, 5, {"name": "nope"}, {"name": "sparkle", "enabled": false}]}`;
    assert.deepEqual(parseConfig(text, builtIn).config.proxies, [
      { name: "cargo", enabled: true },
      { name: "sparkle", enabled: false },
    ]);
  });

  it("never throws, and always has settings and a list of proxies", () => {
    const key = fc.constantFrom("agent", "proxies", "startupTimeoutMs", "$schema", "__proto__", "x");
    const entry = fc.dictionary(fc.constantFrom("name", "enabled", "distribution", "options"), fc.jsonValue());
    const likely = fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.array(entry), fc.string()));
    const texts = fc.oneof(
      fc.string(),
      likely.map((value) => JSON.stringify(value)),
      fc.tuple(likely, fc.nat(200)).map(([value, length]) => JSON.stringify(value).slice(0, length)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const { config, problems } = parseConfig(text, builtIn);
        assert.equal(typeof config.settings.stallTimeoutMs, "number");
        assert.ok(Array.isArray(config.proxies));
        assert.ok(problems.every(({ line, column }) => line >= 1 && column >= 1));
      }),
      { numRuns: 500 },
    );
  }).timeout(20_000);
});
