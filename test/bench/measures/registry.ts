import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { MergedCatalogues } from "#core/agents/registry/node/merged-catalogues.js";
import { CatalogueSource } from "#core/agents/registry/node/catalogue-source.js";
import { writeCachedText } from "#core/agents/registry/node/published-list.js";
import { claude } from "../../support/agents/agent-recipes.js";
import { runToEnd } from "../../support/child.js";
import { conductorProgram, throughConductor } from "../../support/conductor-command.js";
import { environmentOfThisMachine } from "../../support/environment.js";
import { arrayOf, parseObject, stringOf } from "../../support/json.js";
import { packageCache } from "../../support/packages/install-package.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import { benchPath, type Lane } from "../lanes.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

/** Number of agents in a typical registry list, most of them for every system. */
const listedAgents = 40;
const platforms = ["darwin", "linux", "windows"].flatMap((system) => [`${system}-aarch64`, `${system}-x86_64`]);
const installLimitMs = 5 * 60_000;

/** An installed agent's start against that by npx, and the registry's list from its cache. */
export async function measureRegistry(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  return [...(await measureInstalledStart(run, note)), await measureList(run)];
}

/** From the start of the processes to the answer to `initialize`, with everything downloaded before. */
async function measureInstalledStart(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  const asked = `${claude.package}@${claude.version}`;
  const installed = await installByProduct(asked);
  if (typeof installed === "string") {
    note(`${asked} cannot be installed, so its start is not measured: ${installed}`);
    return [];
  }
  const npxWords = ["npx", "--cache", join(packageCache(), "npx"), "--prefer-offline", "-y"];
  const problem = await fillNpxCache([...npxWords, "-p", asked, "-c", "node --version"]);
  if (problem !== undefined) {
    note(`npx cannot install ${asked}, so its start is not measured: ${problem}`);
    return [];
  }
  const lanes = { alone: installed, ours: throughConductor(installed), npx: [...npxWords, asked] };
  const samples = new Samples();
  const warmUps = 1;
  for (let round = -warmUps; round < run.scale.starts; round++) {
    for (const [name, lane] of Object.entries(lanes)) {
      const ms = await timeToInitialize(run, lane);
      if (round >= 0) samples.add(name, ms);
    }
  }
  const npx = samples.median("npx");
  note(`${claude.command} alone, without a conductor, answers after ${samples.median("alone")?.toFixed(1) ?? "?"} ms.`);
  return [
    {
      measure: `initialize, ${claude.command} installed, through us (direct: npx -y)`,
      unit: "ms",
      direct: npx,
      ours: samples.median("ours"),
      ...(npx !== undefined && { target: { atMost: npx / 2 } }),
    },
  ];
}

async function timeToInitialize(run: BenchRun, lane: Lane): Promise<number> {
  const start = performance.now();
  await using client = run.start(lane);
  await client.initialize();
  return performance.now() - start;
}

/** The command with which the product starts the package once it has installed it, or what it says when it cannot. */
async function installByProduct(asked: string): Promise<Lane | string> {
  const described = { id: claude.command, name: claude.command, distribution: { npx: { package: asked } } };
  const env = {
    ...environmentOfThisMachine(),
    PATH: benchPath,
    SYMPOSIUM_CONFIG_DIR: join(packageCache(), "symposium"),
  };
  const words = ["node", conductorProgram, "registry", "resolve-agent", JSON.stringify(described)];
  await using folder = await createRunFolder("bench");
  const { code, stdout, stderr } = await runToEnd({ words, env, cwd: folder.workspace }, installLimitMs);
  if (code !== 0) return stderr.trim().slice(-200);
  const { command, args } = parseObject(stdout);
  return [stringOf(command), ...arrayOf(args).map(stringOf)];
}

/** Returns what npm says when it cannot. */
async function fillNpxCache(words: Lane): Promise<string | undefined> {
  await using folder = await createRunFolder("bench");
  const env = { ...environmentOfThisMachine(), PATH: benchPath };
  const { code, stderr } = await runToEnd({ words, env, cwd: folder.workspace }, installLimitMs);
  return code === 0 ? undefined : stderr.trim().slice(-200);
}

/** The list as a process reads it that has it on disk: a registry of its own each time. */
async function measureList(run: BenchRun): Promise<Row> {
  await using folder = await createRunFolder("bench");
  const cacheFile = join(folder.root, "registry.json");
  const address = "https://registry.example/list.json";
  const text = JSON.stringify({ version: "1.0.0", agents: Array.from({ length: listedAgents }, listedAgent) });
  await writeCachedText(cacheFile, { fetchedAt: new Date(), address, text });
  const none = { agent: [], extension: [] };
  const samples = new Samples();
  for (let round = 0; round < 10 * run.scale.starts; round++) {
    const start = performance.now();
    const source = new CatalogueSource({ addresses: [address], cacheFile, freshMs: 3_600_000 });
    const { entries } = await new MergedCatalogues({ sources: [source], builtIn: none, custom: none }).list("agent");
    samples.add("list", performance.now() - start);
    if (entries.length !== listedAgents) throw new Error(`The list has ${entries.length} entries.`);
  }
  const ours = samples.percentile("list", 100);
  return {
    measure: `registry list from cache, ${listedAgents} agents, slowest`,
    unit: "ms",
    ours,
    target: { atMost: 60 },
  };
}

function listedAgent(_: unknown, index: number): object {
  const id = `agent-${index}`;
  const target = { archive: `https://downloads.example/${id}.tar.gz`, cmd: `./${id}`, args: ["acp"] };
  return {
    id,
    name: `Agent ${index}`,
    version: "1.0.0",
    description: "An agent that is listed with all that belongs to one",
    repository: `https://code.example/${id}`,
    license: "MIT",
    distribution: {
      npx: { package: `${id}@1.0.0`, args: ["--acp"] },
      binary: Object.fromEntries(platforms.map((platform) => [platform, target])),
    },
  };
}
