import assert from "node:assert/strict";
import type { FoundFile } from "../../../src/context/servers/formats/read-servers.js";
import { importCandidates } from "../../../src/context/servers/import-candidates.js";
import type { ServerLaunch, UserServer } from "../../../src/settings/user-server.js";

interface Given {
  readonly name: string;
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly tools?: readonly string[];
  readonly isEnabled?: boolean;
}

function server({ name, command = name, env = {}, tools, isEnabled = true }: Given): UserServer {
  const launch: ServerLaunch = { type: "stdio", command, args: [], env };
  return { name, launch, isEnabled, origin: { kind: "user" }, ...(tools && { tools }) };
}

function file(product: FoundFile["product"], servers: readonly Given[], more: Partial<FoundFile> = {}): FoundFile {
  return {
    product,
    productName: product,
    path: `/${product}`,
    kind: "user",
    readBy: [],
    servers: servers.map((given) => ({
      server: server(given),
      notes: [],
      ...(given.folder !== undefined && { folder: given.folder }),
    })),
    problems: [],
    ...more,
  };
}

const candidatesOf = (files: readonly FoundFile[], existing: readonly UserServer[] = []) =>
  importCandidates(files, { servers: existing, secrets: [] }, () => []);

describe("importCandidates", () => {
  it("are one for all places that start a server in the same way, under whatever names", () => {
    const files = [
      file("cursor", [{ name: "a", isEnabled: false }], { readBy: [{ agent: "cursor-agent", needsTrust: false }] }),
      file("codex", [{ name: "b", command: "a", tools: ["x"] }], { readBy: [{ agent: "codex", needsTrust: false }] }),
    ];
    assert.deepEqual(
      candidatesOf(files).map((one) => [
        one.server.name,
        one.server.isEnabled,
        one.places.map(({ product, name }) => `${product}:${name}`),
        one.agents,
        one.notes,
      ]),
      [
        [
          "a",
          true,
          ["cursor:a", "codex:b"],
          ["cursor-agent", "codex"],
          ["In codex, agents get different tools from this server."],
        ],
      ],
    );
  });

  it("have another name where one of their name differs, and say in what", () => {
    const files = [
      file("cursor", [{ name: "a", env: { ONE: "1" } }]),
      file("codex", [{ name: "a", env: { TWO: "2" } }]),
      file("zed", [{ name: "taken", command: "other" }]),
    ];
    assert.deepEqual(
      candidatesOf(files, [server({ name: "taken" })]).map((one) => [one.server.name, one.differs]),
      [
        ["a", undefined],
        ["a-codex", { from: "cursor's", keys: ["env.ONE", "env.TWO"] }],
        ["taken-zed", { from: "config.jsonc", keys: ["command"] }],
      ],
    );
  });

  it("are known once they are in config.jsonc, with their secrets moved or not", () => {
    const files = [
      file("cursor", [
        { name: "a", env: { API_TOKEN: "s3cret-value" } },
        { name: "b", env: { API_TOKEN: "s3cret-value" } },
      ]),
    ];
    const existing = [
      server({ name: "a", env: { API_TOKEN: "${secret:whatever}" } }),
      server({ name: "c", command: "b", env: { API_TOKEN: "s3cret-value" } }),
    ];
    assert.deepEqual(
      candidatesOf(files, existing).map(({ isKnown }) => isKnown),
      [true, true],
    );
  });

  it("are as wide as the widest place that has them", () => {
    const project = { kind: "project", readBy: [{ agent: "gemini-cli", needsTrust: true }] } as const;
    const files = [
      file("gemini-cli", [{ name: "a" }, { name: "b" }, { name: "c" }], project),
      file("claude-code", [
        { name: "b", folder: "/work" },
        { name: "c", folder: "/work" },
      ]),
      file("cursor", [{ name: "c" }]),
    ];
    assert.deepEqual(
      candidatesOf(files).map(({ server: { name }, scope, agents }) => [name, scope, agents]),
      [
        ["a", "project", []],
        ["b", "folder", []],
        ["c", "user", []],
      ],
    );
  });
});
