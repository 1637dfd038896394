import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FoundFile } from "../../../src/context/servers/formats/read-servers.js";
import { findJetBrainsFlags, findServers } from "../../../src/context/servers/node/find-servers.js";
import { products } from "../../../src/context/servers/formats/server-files.js";

const golden = fileURLToPath(new URL("../../../../test/context/servers/golden", import.meta.url));
const home = `${golden}/home`;
const project = `${golden}/project`;
const plugins = [
  { name: "kit", folder: `${home}/.agents/plugins/kit`, readBy: [] },
  { name: "acme-tools", folder: `${home}/.claude/plugins/cache/acme/acme-tools/1.0.0`, readBy: ["claude-code"] },
];
const machine = { platform: "linux", home, env: {}, folders: [project], plugins } as const;

/** Returns the found files without machine-specific parts. */
function described(files: readonly FoundFile[]): unknown {
  return JSON.parse(
    JSON.stringify(files.map(({ path, kind, servers, problems }) => ({ path, kind, servers, problems }))).replaceAll(
      golden,
      "",
    ),
  );
}

describe("the formats of other products", function () {
  if (process.platform === "win32") return;
  let found: readonly FoundFile[];
  before(async () => {
    found = await findServers(machine);
  });

  for (const product of Object.keys(products)) {
    // They are VS Code's own, elsewhere.
    if (["vscode-insiders", "vscodium"].includes(product)) continue;
    it(`are read from the files of ${product} (UPDATE_GOLDEN=1 rewrites what is expected)`, () => {
      const file = `${golden}/expected/${product}.json`;
      const actual = described(found.filter((one) => one.product === product));
      if (process.env["UPDATE_GOLDEN"] === "1") {
        mkdirSync(`${golden}/expected`, { recursive: true });
        writeFileSync(file, `${JSON.stringify(actual, null, 2)}\n`);
      }
      assert.deepEqual(actual, JSON.parse(readFileSync(file, "utf8")));
    });
  }

  it("have of JetBrains which of its servers agents get", async () => {
    assert.deepEqual(await findJetBrainsFlags(machine), [
      { givesOwn: false, givesIde: true },
      { agent: "Symposium", givesOwn: true, givesIde: true },
    ]);
  });
});
