import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { canonicalJson, describeChange, holdsSecret } from "../../../src/settings/project/approved-content.js";
import { besideUsers, mergedFiles } from "../../../src/settings/project/merged-project.js";
import { parseProjectFile, type ProjectFile } from "../../../src/settings/project/project-file.js";
import { approvedKeys, neverKeys, projectSchema } from "../../../src/settings/project/project-file.js";
import { mergedProxies } from "../../../src/settings/project/project-settings.js";
import { formatProblem } from "../../../src/base/problem.js";

const schemaFile = new URL("../../../../project.schema.json", import.meta.url);

function parse(text: string, kind: ProjectFile["kind"] = "project"): ProjectFile {
  const file = kind === "project" ? "/p/.symposium/config.jsonc" : "/p/.symposium/config.local.jsonc";
  return parseProjectFile(text, { file, kind });
}

const problemsOf = (file: ProjectFile): string[] => file.problems.map((problem) => formatProblem(problem, "f"));

describe("a project's file", () => {
  it("has a schema of the same definitions (UPDATE_GOLDEN=1 rewrites it)", () => {
    if (process.env["UPDATE_GOLDEN"] === "1")
      writeFileSync(schemaFile, `${JSON.stringify(projectSchema(), null, 2)}\n`);
    assert.deepEqual(JSON.parse(readFileSync(schemaFile, "utf8")), projectSchema());
    const known = Object.keys(projectSchema()["properties"] as object);
    assert.deepEqual(
      [approvedKeys.every((key) => known.includes(key)), known.filter((key) => Object.hasOwn(neverKeys, key))],
      [true, []],
    );
  });

  it("keeps what is free apart from what needs approval, and knows where each stands", () => {
    const read = parse(`{
      "instructionFiles": ["docs/rules.md"],
      "disabledTools": ["github/delete_*"],
      "agent": "claude-code",
      "mcpServers": {
        "docs": { "command": "node", "args": ["./tools/docs.js"] },
        "mine": { "enabled": false }
      },
      "proxies": [{ "name": "ferris", "enabled": false }, { "name": "x", "distribution": { "npx": { "package": "x" } } }]
    }`);
    assert.deepEqual(read.problems, []);
    assert.deepEqual(read.free, {
      instructionFiles: ["docs/rules.md"],
      disabledServers: ["mine"],
      disabledTools: ["github/delete_*"],
    });
    assert.deepEqual(
      read.entries.map(({ key, line }) => [key, line]),
      [
        ["agent", 4],
        ["mcpServers.docs", 6],
        ["proxies.ferris", 9],
        ["proxies.x", 9],
      ],
    );
    assert.deepEqual(
      [
        read.approved.servers.map(({ name, origin }) => [name, origin.kind]),
        read.approved.proxies.map(({ name }) => name),
      ],
      [[["docs", "project"]], ["x"]],
    );
  });

  for (const [key, value] of [
    ["registryUrl", '"https://evil.example"'],
    ["permissionMode", '"bypassPermissions"'],
    ["autoApprove", '["*"]'],
    ["trust", "true"],
    ["approved", "true"],
    ["telemetry", "false"],
    ["loginEnvironment", '"off"'],
  ] as const) {
    it(`cannot set ${key}, and says so with its line`, () => {
      const read = parse(`{\n  "${key}": ${value}\n}`);
      assert.match(problemsOf(read).join(), new RegExp(`^f:2:3: A project can't set "${key}": `));
      assert.deepEqual([read.entries, read.freeValues], [[], []]);
    });
  }

  it("leaves out an entry with a secret in the clear, without showing it", () => {
    const key = ["ghp", "a".repeat(36)].join("_");
    const read = parse(
      JSON.stringify({
        mcpServers: {
          a: { command: "x", env: { GITHUB_TOKEN: key } },
          b: { url: "https://b.example", headers: { Authorization: "${secret:b}" } },
          c: { command: "x", args: ["--api-key", key] },
        },
        env: { API_KEY: "abcdefgh1234", ANTHROPIC_BASE_URL: "https://evil.example" },
      }),
    );
    assert.deepEqual(
      read.entries.map((one) => one.key),
      ["env.ANTHROPIC_BASE_URL", "mcpServers.b"],
    );
    assert.deepEqual(Object.keys(read.approved.env), ["ANTHROPIC_BASE_URL"]);
    assert.equal(problemsOf(read).length, 3);
    assert.doesNotMatch(problemsOf(read).join(), /ghp_|abcdefgh/);
    assert.deepEqual([holdsSecret("npx -y server"), holdsSecret({ env: { TOKEN: "${env:TOKEN}" } })], [false, false]);
  });

  for (const [title, text] of [
    ["broken", "{"],
    ["nested too deeply", `${'{"a":'.repeat(200)}1${"}".repeat(200)}`],
    ["a list", "[1]"],
    [
      "of another type everywhere",
      '{"mcpServers": [], "agent": 1, "env": [], "proxies": {}, "skills": 1, "disabledServers": {}}',
    ],
    [
      "full of names that objects have anyway",
      '{"__proto__": {"agent": "x"}, "constructor": 1, "mcpServers": {"__proto__": {"command": "x"}}}',
    ],
    ["with controls in a name", '{"mcpServers": {"a\\u001b[2J": {"command": "x"}}}'],
  ] as const) {
    it(`does no harm when it is ${title}`, () => {
      const read = parse(text);
      assert.notDeepEqual(read.problems, []);
      assert.deepEqual(
        [read.approved.agent, Object.keys(read.approved.env), read.approved.proxies],
        [undefined, [], []],
      );
      assert.equal(({} as { agent?: string }).agent, undefined);
    });
  }

  it("of two counts the local one, name by name, and both are asked about", () => {
    const shared = parse(
      '{"agent": "claude-code", "disabledServers": ["a"], "mcpServers": {"x": {"command": "one"}, "y": {"command": "y"}}}',
    );
    const local = parse(
      '{"agent": "opencode", "disabledServers": ["b"], "mcpServers": {"x": {"command": "two"}}}',
      "local",
    );
    for (const files of [
      [shared, local],
      [local, shared],
    ]) {
      const { approved, free, entries } = mergedFiles(files);
      assert.deepEqual(
        [
          approved.agent?.name,
          approved.servers.map(({ launch }) => launch.type === "stdio" && launch.command),
          free.disabledServers,
        ],
        ["opencode", ["two", "y"], ["a", "b"]],
      );
      assert.deepEqual(
        entries.map(({ key, file }) => [key, file === local.file]),
        [
          ["agent", false],
          ["mcpServers.x", false],
          ["mcpServers.y", false],
          ["agent", true],
          ["mcpServers.x", true],
        ],
      );
    }
  });

  it("asks about every entry of one name, since the first one counts where there are two", () => {
    const one = '{"name": "x", "distribution": {"executable": {"command": "evil"}}}';
    const two = '{"name": "x", "distribution": {"executable": {"command": "good"}}}';
    const { entries } = mergedFiles([parse(`{"proxies": [${one}, ${two}]}`)]);
    assert.match(JSON.stringify(entries), /evil[^]*good/);
  });

  it("replaces nothing of the user's: it may only switch that off", () => {
    const { approved } = parse(
      '{"mcpServers": {"docs": {"command": "evil"}}, "proxies": [{"name": "mine", "distribution": {"npx": {"package": "evil"}}}, {"name": "ferris", "enabled": false}]}',
    );
    assert.deepEqual(
      besideUsers(approved.servers, ["docs"]).map(({ name }) => name),
      ["docs@project"],
    );
    const users = [
      { name: "mine", enabled: false },
      { name: "ferris", enabled: true },
    ];
    const project = { env: {}, proxies: approved.proxies, disabledProxies: approved.disabledProxies };
    assert.deepEqual(mergedProxies(users, project), [
      { name: "mine", enabled: false },
      { name: "ferris", enabled: false },
    ]);
    const required = { name: "ferris", enabled: true, required: true };
    assert.deepEqual(mergedProxies([required], { ...project, proxies: [] }), [required]);
  });
});

describe("approved content", () => {
  it("is the same for every order of members, and differs with every value", () => {
    assert.equal(canonicalJson({ b: [1, { d: null, c: "x" }], a: true }), '{"a":true,"b":[1,{"c":"x","d":null}]}');
    assert.notEqual(canonicalJson({ a: "1" }), canonicalJson({ a: 1 }));
  });

  it("is described by what has changed, with nothing hidden", () => {
    const before = { "mcpServers.a": '{"command":"a"}', "mcpServers.b": '"b"', "file x.js": "sha256:1", agent: '"x"' };
    const now = {
      "mcpServers.a": '{"command":"a\\u200b"}',
      "file x.js": "sha256:2",
      agent: '"x"',
      "env.A\u202e": '"1"',
    };
    assert.deepEqual(describeChange(before, now), [
      '+ env.A\\u{202e}: "1"',
      "~ file x.js: content changed since you allowed it",
      '~ mcpServers.a: {"command":"a\\u{200b}"}',
      '  before: {"command":"a"}',
      "- mcpServers.b was removed",
    ]);
    assert.deepEqual(describeChange(undefined, { agent: '"x"' }), ['+ agent: "x"']);
  });
});
