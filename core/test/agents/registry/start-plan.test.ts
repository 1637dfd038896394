import assert from "node:assert/strict";
import { parseCatalogue } from "../../../src/agents/registry/catalogue.js";
import { platformOf, planOf } from "../../../src/agents/registry/start-plan.js";
import type { RegistryEntry } from "../../../src/agents/registry/registry-entry.js";
import type { Distribution } from "../../../src/settings/distribution.js";
import { allPlatforms, publishedList } from "./published-list.js";

const linux = platformOf("linux", "x64");

function entry(distribution: Distribution, others: Partial<RegistryEntry> = {}): RegistryEntry {
  return { id: "x", name: "X", version: "1.0.0", distribution, origin: "registry", ...others };
}

function published(id: string): RegistryEntry {
  const catalogue = parseCatalogue(publishedList());
  assert.ok(!("kind" in catalogue));
  const found = catalogue.agents.find((one) => one.id === id);
  assert.ok(found, id);
  return found;
}

/** Summarizes a plan for comparison. */
function outcome(plan: ReturnType<typeof planOf>): unknown {
  if (plan.kind === "problem") return plan.message;
  if (plan.kind === "command") return [plan.command.command, ...plan.command.args];
  if (plan.kind === "symposium") return [plan.kind, plan.subcommand, ...plan.args];
  const { kind } = plan.plan;
  if (kind === "archive") return [kind, plan.plan.url, plan.plan.program];
  return [kind, kind === "cargo" ? plan.plan.crate : plan.plan.package, plan.plan.program];
}

describe("planOf", () => {
  it("takes the first way of the specification's order that an entry has", () => {
    const ways = [
      ["executable", { command: "here", args: ["a"] }, ["here", "a"]],
      ["symposium", { subcommand: "eliza" }, ["symposium", "eliza"]],
      ["npx", { package: "n" }, ["npm", "n", undefined]],
      ["pipx", { package: "p" }, ["pip", "p", undefined]],
      ["uvx", { package: "u" }, ["pip", "u", undefined]],
      ["cargo", { crate: "c" }, ["cargo", "c", undefined]],
      [
        "binary",
        { "linux-x86_64": { archive: "https://a.example/b.zip", cmd: "b" } },
        ["archive", "https://a.example/b.zip", "b"],
      ],
    ] as const;
    const found = ways.map((_, first) => {
      const distribution = Object.fromEntries(ways.slice(first).map(([kind, value]) => [kind, value]));
      return outcome(planOf(entry(distribution), linux));
    });
    assert.deepEqual(
      found,
      ways.map(([, , expected]) => expected),
    );
  });

  it("plans each kind of package with its arguments, environment and program", () => {
    assert.deepEqual(
      [
        planOf(published("sigit"), linux),
        planOf(published("fast-agent"), linux),
        planOf(published("minion-code"), linux),
        planOf(published("crow-cli"), linux),
        planOf(entry({ pipx: { package: "tool[all]", args: ["-v"] } }), linux),
        planOf(entry({ cargo: { crate: "c", version: "0.1.0", binary: "b", env: { A: "1" } } }), linux),
      ].map((plan) => (plan.kind === "install" ? plan.plan : plan)),
      [
        { kind: "npm", id: "sigit", args: ["acp"], env: {}, package: "sigit@1.2.0", program: "sigit-acp" },
        {
          kind: "pip",
          id: "fast-agent",
          args: ["-x"],
          env: { FAST_AGENT_MODEL: "sonnet" },
          package: "fast-agent-acp==0.6.0",
          prefersUv: true,
        },
        { kind: "pip", id: "minion-code", args: ["acp"], env: {}, package: "minion-code==0.1.44", prefersUv: true },
        { kind: "pip", id: "crow-cli", args: [], env: {}, package: "crow-cli", program: "crow-acp", prefersUv: true },
        { kind: "pip", id: "x", args: ["-v"], env: {}, package: "tool[all]", prefersUv: false },
        { kind: "cargo", id: "x", args: [], env: { A: "1" }, crate: "c", version: "0.1.0", program: "b" },
      ],
    );
  });

  it("plans an archive with its address, program, version and checksum in lower case", () => {
    assert.deepEqual(planOf(published("goose"), platformOf("win32", "x64")), {
      kind: "install",
      plan: {
        kind: "archive",
        id: "goose",
        version: "1.30.0",
        url: "https://downloads.example/goose/goose.zip",
        program: ".\\goose-package\\goose.exe",
        args: ["acp"],
        env: {},
        sha256: "0123456789abcdef".repeat(4),
      },
    });
  });

  it("finds each platform's own build, or says which there are", () => {
    const machines = [
      ["darwin", "arm64"],
      ["darwin", "x64"],
      ["linux", "arm64"],
      ["linux", "x64"],
      ["win32", "arm64"],
      ["win32", "x64"],
    ] as const;
    const keys = machines.map(([system, architecture]) => platformOf(system, architecture).key);
    assert.deepEqual(keys, allPlatforms);
    const has = "Available: darwin-aarch64, darwin-x86_64, linux-x86_64.";
    assert.deepEqual(
      machines.map(([system, architecture]) => outcome(planOf(published("vtcode"), platformOf(system, architecture)))),
      [
        ["archive", "https://downloads.example/vtcode/darwin-aarch64.tar.gz", "./vtcode"],
        ["archive", "https://downloads.example/vtcode/darwin-x86_64.tar.gz", "./vtcode"],
        `vtcode has no build for linux-aarch64. ${has}`,
        ["archive", "https://downloads.example/vtcode/linux-x86_64.tar.gz", "./vtcode"],
        `vtcode has no build for windows-aarch64. ${has}`,
        `vtcode has no build for windows-x86_64. ${has}`,
      ],
    );
  });

  it("tells musl from glibc: each runs only what is built for it", () => {
    const build = (name: string) => ({ archive: `https://a.example/${name}.tgz`, cmd: "x" });
    const both = entry({ binary: { "linux-x86_64": build("glibc"), "linux-x86_64-musl": build("musl") } });
    const musl = platformOf("linux", "x64", true);
    assert.deepEqual(
      [outcome(planOf(both, linux)), outcome(planOf(both, musl))],
      [
        ["archive", "https://a.example/glibc.tgz", "x"],
        ["archive", "https://a.example/musl.tgz", "x"],
      ],
    );
    assert.deepEqual(planOf(entry({ binary: { "linux-x86_64": build("glibc") } }), musl), {
      kind: "problem",
      message: "x has no build for linux-x86_64-musl. Available: linux-x86_64.",
      hint: "Its linux-x86_64 build needs glibc, and this system has musl.",
    });
    assert.equal(
      outcome(planOf(entry({ binary: { "linux-x86_64-musl": build("musl") } }), linux)),
      "x has no build for linux-x86_64. Available: linux-x86_64-musl.",
    );
    assert.equal(
      outcome(planOf(entry({ binary: { "linux-x86_64": build("a") } }), platformOf("freebsd", "riscv64"))),
      "x has no build for freebsd-riscv64. Available: linux-x86_64.",
    );
  });

  it("resolves or refuses with a reason every published entry on every platform", () => {
    const catalogue = parseCatalogue(publishedList());
    assert.ok(!("kind" in catalogue));
    assert.equal(catalogue.agents.length, 39);
    const refused = allPlatforms.flatMap((key) =>
      catalogue.agents.flatMap((agent) => {
        const plan = planOf(agent, { key });
        return plan.kind === "problem" ? [`${agent.id} ${key}`] : [];
      }),
    );
    assert.deepEqual(refused, [
      "vtcode linux-aarch64",
      "goose windows-aarch64",
      "vtcode windows-aarch64",
      "code-assistant windows-aarch64",
      "kimi windows-aarch64",
      "amp-acp windows-aarch64",
      "grok-build windows-aarch64",
      "vtcode windows-x86_64",
    ]);
  });

  const archive = { archive: "https://a.example/x.zip", cmd: "./x" };
  const refusals: readonly (readonly [string, Distribution, Partial<RegistryEntry>?])[] = [
    ["an archive over plain http", { binary: { "linux-x86_64": { ...archive, archive: "http://a.example/x.zip" } } }],
    ["an archive of this machine's files", { binary: { "linux-x86_64": { ...archive, archive: "file:///x.zip" } } }],
    ["an installer", { binary: { "linux-x86_64": { ...archive, archive: "https://a.example/x.AppImage?v=1" } } }],
    ["a program outside of its archive", { binary: { "linux-x86_64": { ...archive, cmd: "./a/../../x" } } }],
    ["a program with a backslash that leads out", { binary: { "linux-x86_64": { ...archive, cmd: "..\\x.exe" } } }],
    ["an absolute program", { binary: { "linux-x86_64": { ...archive, cmd: "/bin/sh" } } }],
    ["a program of another drive", { binary: { "linux-x86_64": { ...archive, cmd: "C:\\x.exe" } } }],
    ["a folder as program", { binary: { "linux-x86_64": { ...archive, cmd: "./x/" } } }],
    ["the system's interpreter", { binary: { "linux-x86_64": { ...archive, cmd: "node" } } }],
    ["a checksum of another kind", { binary: { "linux-x86_64": { ...archive, sha256: "abc" } } }],
    ["a version that leads out of its folder", { binary: { "linux-x86_64": archive } }, { version: "../1" }],
    ["an id that is a path", { npx: { package: "x" } }, { id: "../x" }],
    ["an id that is a device on Windows", { npx: { package: "x" } }, { id: "con.x" }],
    ["a package that is an option", { npx: { package: "--registry=https://a.example" } }],
    ["a package behind an address", { npx: { package: "https://a.example/x.tgz" } }],
    ["a package of a folder", { npx: { package: "../x" } }],
    ["a Python package behind an address", { uvx: { package: "x @ https://a.example/x.whl" } }],
    ["a Python package that is an option", { pipx: { package: "--index-url=https://a.example" } }],
    ["a program that is a path", { npx: { package: "x", cmd: "../x" } }],
    ["a crate that is an option", { cargo: { crate: "--git" } }],
    ["a crate's version that is an option", { cargo: { crate: "x", version: "--git" } }],
    ["a crate's program that is a path", { cargo: { crate: "x", binary: "a/b" } }],
  ];
  for (const [what, distribution, others] of refusals) {
    it(`refuses ${what}`, () => {
      const plan = planOf(entry(distribution, others), linux);
      assert.equal(plan.kind, "problem");
      assert.match(plan.message, /cannot be installed: ./);
    });
  }

  it("leaves what only a package runner understands to the runner, for users alone", () => {
    const distribution = { npx: { package: "github:someone/agent", args: ["--acp"] } };
    assert.deepEqual(outcome(planOf(entry(distribution, { origin: "custom" }), linux)), [
      "npx",
      "-y",
      "github:someone/agent",
      "--acp",
    ]);
  });
});
