import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { findImports } from "#core/context/servers/node/find-imports.js";
import { thisMachine } from "#core/context/servers/node/find-servers.js";
import { SecretFile } from "#core/context/servers/node/secrets/secret-file.js";
import { runToEnd } from "../../support/child.js";
import { conductorProgram } from "../../support/conductor-command.js";
import { repositoryRoot } from "../../support/repository.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import { benchPath } from "../lanes.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

/** Claude Code keeps the history of all projects beside its servers. */
const historyBytes = 8 * 1024 * 1024;
const limitMs = 30_000;

/** The servers in the files of all products, of somebody who has every one of them: in this process, and as a command. */
export async function measureServerImport(run: BenchRun): Promise<Row[]> {
  await using folder = await createRunFolder("bench");
  const [home, project, config] = ["home", "project", "config"].map((name) => join(folder.root, name)) as [
    string,
    string,
    string,
  ];
  const golden = join(repositoryRoot, "core/test/context/servers/golden");
  await Promise.all([
    cp(join(golden, "home"), home, { recursive: true }),
    cp(join(golden, "project"), project, { recursive: true }),
  ]);
  const claudeFile = join(home, ".claude.json");
  const claude = JSON.parse(await readFile(claudeFile, "utf8")) as { projects: object };
  const projects = { ...claude.projects, "/work/long": { history: [{ display: "x".repeat(historyBytes) }] } };
  await writeFile(claudeFile, JSON.stringify({ ...claude, projects }));

  const env = { PATH: benchPath, HOME: home, USERPROFILE: home, APPDATA: home, SYMPOSIUM_CONFIG_DIR: config };
  const samples = new Samples();
  for (let round = 0; round < run.scale.starts; round++) {
    const start = performance.now();
    const secrets = new SecretFile({ folder: config, keyStore: undefined });
    const { candidates } = await findImports(thisMachine(project, {}, home), [], secrets);
    samples.add("found", performance.now() - start);
    if (candidates.length < 10) throw new Error(`Only ${candidates.length} servers were found.`);
    const started = performance.now();
    const words = ["node", conductorProgram, "mcp", "import", "--json"];
    const { code, stderr } = await runToEnd({ words, env, cwd: project }, limitMs);
    samples.add("command", performance.now() - started);
    if (code !== 0) throw new Error(stderr.trim().slice(-200));
  }
  return [
    {
      measure: "MCP servers of all products found, slowest",
      unit: "ms",
      ours: samples.percentile("found", 100),
      target: { atMost: 300 },
    },
    {
      measure: "mcp import --json, from the start of its process",
      unit: "ms",
      ours: samples.median("command"),
    },
  ];
}
