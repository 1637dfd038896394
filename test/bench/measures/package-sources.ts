import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { conductorProgram } from "../../support/conductor-command.js";
import { objectOf, parseObject, stringOf } from "../../support/json.js";
import { RawClient } from "../../support/raw-client.js";
import { repositoryRoot } from "../../support/repository.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import { benchPath } from "../lanes.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const mostPackages = 60;
const targets = { warmMs: 5, firstMs: 300 };

/** `package_sources` for packages of this repository, over stdio: how long, and whether the version is the installed one. */
export async function measurePackageSources(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  const lock = objectOf(parseObject(await readFile(join(repositoryRoot, "package-lock.json"), "utf8"))["packages"]);
  const names = Object.keys(lock).flatMap((key) => /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(key)?.[1] ?? []);
  const versions = new Map<string, string>();
  for (const name of names) {
    if (versions.size === mostPackages) break;
    const manifest = await readFile(join(repositoryRoot, "node_modules", name, "package.json"), "utf8").catch(
      () => "{}",
    );
    const { name: own, version } = parseObject(manifest);
    if (own === name) versions.set(name, stringOf(version));
  }
  const samples = new Samples();
  const wrong = new Set<string>();
  for (let launch = 0; launch < run.scale.launches; launch++) {
    await using folder = await createRunFolder("bench");
    const words = ["node", conductorProgram, "mcp", "sources"];
    await using client = new RawClient({ words, env: { ...folder.env, PATH: benchPath }, cwd: repositoryRoot });
    const clientInfo = { name: "bench" };
    await client.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    for (const round of ["first", "second", "third"]) {
      for (const [index, [name, version]] of [...versions].entries()) {
        const call = { name: "package_sources", arguments: { name: `${name}/`, from: "package.json" } };
        const start = performance.now();
        const { value } = await client.request("tools/call", call);
        const ms = performance.now() - start;
        if (round !== "first") samples.add("warm", ms);
        else if (index === 0) samples.add("first", ms);
        if (!JSON.stringify(value).includes(`"${name} ${version} (npm)`)) wrong.add(name);
      }
    }
  }
  const lost = [...wrong].map((one) => `; not ${one}`).join("");
  note(`sources: the installed version of ${versions.size - wrong.size} of ${versions.size} packages${lost}`);
  const warm = `package_sources, warm, ${versions.size} of ${names.length} packages`;
  const row = (measure: string, ours: number | undefined): Row => ({ measure, unit: "ms", ours });
  return [
    { ...row(`${warm}, p50`, samples.median("warm")), target: { atMost: targets.warmMs } },
    row(`${warm}, p99`, samples.percentile("warm", 99)),
    { ...row("package_sources, first of a session", samples.median("first")), target: { atMost: targets.firstMs } },
  ];
}
