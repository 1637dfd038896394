import assert from "node:assert/strict";
import { type Catalogue, formatEntryProblem, parseCatalogue } from "../../../src/agents/registry/catalogue.js";
import { publishedList } from "./published-list.js";

function parse(value: unknown): Catalogue {
  const catalogue = parseCatalogue(value);
  assert.ok(!("kind" in catalogue), "message" in catalogue ? catalogue.message : "");
  return catalogue;
}

function withEntries(...agents: unknown[]): { ids: string[]; problems: string[] } {
  const { agents: read, problems } = parse({ version: "1.0.0", agents });
  return { ids: read.map(({ id }) => id), problems: problems.map(formatEntryProblem) };
}

const npx = { npx: { package: "x@1.0.0" } };

describe("parseCatalogue", () => {
  it("reads the whole published list without a problem", () => {
    const { agents, extensions, problems } = parse(publishedList());
    assert.deepEqual([agents.length, extensions.length, problems], [39, 0, []]);
  });

  it("keeps what people want to know of an entry, and only names its preview", () => {
    const { agents } = parse(publishedList());
    assert.deepEqual(
      agents.find(({ id }) => id === "antigravity"),
      {
        id: "antigravity",
        name: "ANTIGRAVITY",
        version: "1.0.0",
        description: "The agent antigravity",
        distribution: { npx: { package: "antigravity-acp@1.0.0" } },
        origin: "registry",
        repository: "https://code.example/antigravity",
        icon: "https://icons.example/antigravity.svg",
        license: "MIT",
        authors: ["antigravity authors"],
        previewVersion: "1.1.0-beta.2",
      },
    );
  });

  it("reads a list with a date and extensions, or of extensions alone", () => {
    const extension = { id: "e", distribution: npx };
    const whole = parse({ date: "2026-01-07", agents: [{ id: "a", distribution: npx }], extensions: [extension] });
    assert.deepEqual([whole.agents.length, whole.extensions.length, whole.problems], [1, 1, []]);
    assert.deepEqual(parse({ extensions: [extension] }).extensions, [
      { id: "e", name: "e", distribution: npx, origin: "registry" },
    ]);
  });

  for (const value of [null, [], "x", 1, {}, { agents: {} }, { error: "not found" }]) {
    it(`says that ${JSON.stringify(value)} is no registry`, () => {
      const catalogue = parseCatalogue(value);
      assert.ok("kind" in catalogue);
      assert.match(
        catalogue.message,
        /^(?:A registry must be an object with "agents", got |The registry has neither an "agents" nor an "extensions" list)/,
      );
    });
  }

  it("loses no entry to a bad one, and says which it was and why", () => {
    assert.deepEqual(
      withEntries(
        { id: "first", distribution: npx },
        null,
        { name: "Without id", distribution: npx },
        { id: "../escape", distribution: npx },
        { id: "none" },
        { id: "empty", distribution: {} },
        { id: "future", distribution: { docker: { image: "x" } } },
        { id: "half", distribution: { npx: { shell: true, args: ["--acp"] } } },
        { id: "first", distribution: npx },
        { id: "last", distribution: npx },
      ),
      {
        ids: ["first", "last"],
        problems: [
          'registry: the agent "#2" is left out: The value must be an object, got null.',
          'registry: the agent "#3" is left out: The id must be a valid folder name, got nothing.',
          'registry: the agent "../escape" is left out: The id must be a valid folder name, got "../escape".',
          'registry: the agent "none" is left out: The distribution must be an object, got nothing.',
          'registry: the agent "empty" is left out: It has no supported way to start. Use one of: local, executable, symposium, npx, pipx, uvx, cargo, binary.',

          'registry: the agent "future" is left out: "distribution.docker" is unknown and has no effect.',
          'registry: the agent "half" is left out: "distribution.npx.package" is missing.',
          'registry: the agent "first" is left out: It is listed twice; the first entry is used.',
        ],
      },
    );
  });

  it("loses no kind and no platform of an entry to a bad one", () => {
    const archive = { archive: "https://a.example/x.zip", cmd: "./x" };
    const { agents, problems } = parse({
      agents: [
        {
          id: "x",
          name: 7,
          distribution: {
            npx: { package: 1 },
            uvx: null,
            docker: {},
            cargo: { crate: "x" },
            binary: { "linux-x86_64": archive, "darwin-aarch64": { cmd: "./x" } },
          },
        },
      ],
    });
    assert.deepEqual(
      agents.map(({ name, distribution }) => [name, distribution]),
      [["x", { cargo: { crate: "x" }, binary: { "linux-x86_64": archive } }]],
    );
    assert.deepEqual(
      problems.map(({ severity, message }) => `${severity}: ${message}`),
      [
        'warning: "distribution.npx.package" must be non-empty text, got 1.',
        'warning: "distribution.docker" is unknown and has no effect.',
        'warning: "distribution.binary.darwin-aarch64.archive" is missing.',
      ],
    );
  });

  it("drops variables that could hijack the program, in packages and archives, and never shows their value", () => {
    const env = { PATH: "/secret", AGENT_MODE: "acp", Node_Options: "--require /secret" };
    const { agents, problems } = parse({
      agents: [
        {
          id: "x",
          distribution: {
            npx: { package: "x", env },
            binary: {
              "linux-x86_64": { archive: "https://a.example/x.zip", cmd: "x", env: { LD_PRELOAD: "/secret" } },
            },
          },
        },
      ],
    });
    const [agent] = agents;
    assert.deepEqual(
      [agent?.distribution.npx?.env, agent?.distribution.binary?.["linux-x86_64"]?.env],
      [{ AGENT_MODE: "acp" }, {}],
    );
    assert.deepEqual(
      problems.map(({ message }) => /"(\w+)"/.exec(message)?.[1]),
      ["PATH", "Node_Options", "LD_PRELOAD"],
    );
    assert.ok(!JSON.stringify(problems).includes("secret"));
  });

  it("makes published texts single lines that no terminal obeys, and drops addresses that are none", () => {
    const { agents } = parse({
      agents: [
        {
          id: "x",
          name: "\u001b[31mRed\u001b[0m\r\n\u202eX",
          description: "a\tb\n".repeat(1000),
          icon: "javascript:alert(1)",
          website: "http://a.example",
          distribution: npx,
        },
      ],
    });
    const [agent] = agents;
    assert.deepEqual([agent?.name, agent?.description?.length], ["[31mRed [0m X", 500]);
    assert.deepEqual([agent?.icon, agent?.website], [undefined, undefined]);
  });

  it("is not misled by names that objects inherit", () => {
    const text = '{"agents":[{"id":"constructor","distribution":{"__proto__":{"npx":{}},"npx":{"package":"x"}}}]}';
    const { agents } = parse(JSON.parse(text));
    assert.deepEqual(
      agents.map(({ id, distribution }) => [id, { ...distribution }]),
      [["constructor", { npx: { package: "x" } }]],
    );
  });
});
