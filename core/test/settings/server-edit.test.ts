import assert from "node:assert/strict";
import { parseConfig } from "../../src/settings/config.js";
import { serverJson, withoutServer, withServer } from "../../src/settings/server-edit.js";
import type { UserServer } from "../../src/settings/user-server.js";

const origin = { kind: "user" } as const;
const files: UserServer = {
  name: "files",
  origin,
  isEnabled: true,
  launch: { type: "stdio", command: "files", args: ["${input:root}"], env: {} },
  inputs: [{ id: "root", description: "Where?", isSecret: false }],
};

describe("withServer", () => {
  it("adds a server and its input, and keeps comments and layout", () => {
    const text = `{\r\n\t"agent": "a", // mine\r\n\t"mcpServers": {\r\n\t\t"b": { "command": "b" } // keep\r\n\t}\r\n}\r\n`;
    assert.equal(
      withServer(text, files, "config.jsonc"),
      [
        "{",
        '\t"agent": "a", // mine',
        '\t"mcpServers": {',
        '\t\t"b": { "command": "b" }, // keep',
        '\t\t"files": {',
        '\t\t\t"command": "files",',
        '\t\t\t"args": [',
        '\t\t\t\t"${input:root}"',
        "\t\t\t]",
        "\t\t}",
        "\t},",
        '\t"inputs": [',
        "\t\t{",
        '\t\t\t"id": "root",',
        '\t\t\t"type": "promptString",',
        '\t\t\t"description": "Where?"',
        "\t\t}",
        "\t]",
        "}",
        "",
      ].join("\r\n"),
    );
  });

  it("describes an input once", () => {
    const once = withServer("{}", files, "config.jsonc");
    assert.equal(withServer(once, files, "config.jsonc"), once);
    const both = withServer(once, { ...files, inputs: [{ id: "key", isSecret: true }] }, "config.jsonc");
    assert.deepEqual((JSON.parse(both) as { inputs: unknown }).inputs, [
      { id: "root", type: "promptString", description: "Where?" },
      { id: "key", type: "promptString", password: true },
    ]);
  });

  it("takes names that objects have by themselves", () => {
    const text = withServer("{}", { ...files, name: "__proto__" }, "config.jsonc");
    assert.deepEqual(
      parseConfig(text, []).config.servers.map(({ name }) => name),
      ["__proto__"],
    );
  });

  it("names the line of a broken file", () => {
    assert.throws(() => withServer(`{\n"agent": }`, files, "config.jsonc"), /config\.jsonc:2:10: Expected a value/);
  });
});

describe("withoutServer", () => {
  it("removes a server, and the object once it is empty", () => {
    const text = `{\n  // mine\n  "agent": "a",\n  "mcpServers": {\n    "files": { "command": "files" }\n  }\n}\n`;
    assert.equal(withoutServer(text, "files", "config.jsonc"), `{\n  // mine\n  "agent": "a"\n}\n`);
  });
});

describe("serverJson", () => {
  it("is read as the server it was made of", () => {
    const servers: readonly UserServer[] = [
      files,
      {
        name: "all",
        origin,
        launch: { type: "stdio", command: "a", args: [], env: { A: "1" }, cwd: "/c", envFile: "/e" },
        isEnabled: false,
        tools: ["a"],
        excludeTools: ["b"],
        agents: ["codex"],
        on: "there",
        startTimeoutMs: 1,
        callTimeoutMs: 2,
      },
      {
        name: "web",
        origin,
        launch: { type: "sse", url: "https://a.example", headers: { A: "b" } },
        isEnabled: true,
        oauth: { clientId: "c" },
        inputs: [{ id: "pick", isSecret: true, default: "a", options: ["a", "b"] }],
      },
    ];
    const text = servers.reduce((edited, server) => withServer(edited, server, "config.jsonc"), "");
    const { config, problems } = parseConfig(text, []);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      config.servers.map(({ inputs: _, ...server }) => server),
      servers.map(({ inputs: _, ...server }) => server),
    );
    assert.deepEqual(serverJson(servers[0] ?? files), { command: "files", args: ["${input:root}"] });
  });
});
