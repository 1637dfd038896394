import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import nodeModules from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { machinePackages } from "../../../../src/extensions/packages/node/machine-packages.js";
import { leaveOut } from "../../../needs-cargo.js";

// Newer than the types of the Node that users need.
const { findPackageJSON } = nodeModules as { findPackageJSON?: (name: string, base: URL) => string | undefined };
const repository = join(import.meta.dirname, "../../../../../..");

interface Entry {
  readonly version?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

describe("the packages that this repository's own lock file names", function () {
  this.timeout(300_000);

  it("are found at the version that Node itself gives each importer, all of them, offline", async function () {
    if (!findPackageJSON) leaveOut(this, "Node before 22.14 does not say what it finds");
    const lock = JSON.parse(await readFile(join(repository, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, Entry>>;
    };
    const library = machinePackages({});
    const wrong: string[] = [];
    const names = new Set<string>();
    let asked = 0;
    for (const [path, entry] of Object.entries(lock.packages)) {
      const importer = join(repository, path, "package.json");
      if (entry.link === true || !existsSync(importer)) continue;
      for (const name of Object.keys({ ...entry.dependencies, ...entry.devDependencies })) {
        const manifest = nodeFinds(name, importer);
        const expected = manifest === undefined ? undefined : await versionIn(manifest);
        const { answer } = await library.find({ name: `${name}/`, cwd: repository, from: importer });
        const given = answer.kind === "installed" ? answer.version : undefined;
        asked++;
        if (expected !== undefined) names.add(name);
        if (given !== expected) wrong.push(`${path || "."} → ${name}: ${given}, Node ${expected}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(names.size >= 50 && asked > 300, `only ${asked} questions about ${names.size} packages`);
  });
});

function nodeFinds(name: string, importer: string): string | undefined {
  try {
    return findPackageJSON?.(name, pathToFileURL(importer));
  } catch {
    return undefined;
  }
}

async function versionIn(manifest: string): Promise<string | undefined> {
  return (JSON.parse(await readFile(manifest, "utf8")) as { readonly version?: string }).version;
}
