import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { conductorProgram } from "../../support/conductor-command.js";
import { RawClient } from "../../support/raw-client.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import { benchPath } from "../lanes.js";
import { goProject, npmProject, type PackageProject, pythonProject } from "../package-projects.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const targets = { warmMs: 5, firstMs: 300 };

/** Measures `package_sources` over stdio for npm, Python and Go packages: the time, and whether the version is right. */
export async function measurePackageSources(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  await using folder = await createRunFolder("bench");
  const projects = [
    await npmProject(),
    await pythonProject(join(folder.workspace, "python")),
    await goProject(join(folder.workspace, "go")),
  ];
  const rows: Row[] = [];
  for (const project of projects) rows.push(...(await measureProject(project, run.scale.launches, note)));
  return rows;
}

async function measureProject(
  { ecosystem, folder: cwd, from, env, answers, count }: PackageProject,
  launches: number,
  note: (text: string) => void,
): Promise<Row[]> {
  const samples = new Samples();
  const wrong = new Set<string>();
  for (let launch = 0; launch < launches; launch++) {
    await using folder = await createRunFolder("bench");
    const words = ["node", conductorProgram, "mcp", "sources"];
    await using client = new RawClient({ words, env: { ...folder.env, PATH: benchPath, ...env }, cwd });
    const clientInfo = { name: "bench" };
    await client.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    for (const round of ["first", "second", "third"]) {
      for (const [index, [name, answer]] of [...answers].entries()) {
        const call = { name: "package_sources", arguments: { name, from } };
        const start = performance.now();
        const { value } = await client.request("tools/call", call);
        const ms = performance.now() - start;
        if (round !== "first") samples.add("warm", ms);
        else if (index === 0) samples.add("first", ms);
        if (!JSON.stringify(value).includes(`"${answer}`)) wrong.add(name);
      }
    }
  }
  const lost = [...wrong].map((one) => `; not ${one}`).join("");
  note(`sources, ${ecosystem}: the right version of ${answers.size - wrong.size} of ${answers.size} packages${lost}`);
  const tool = `package_sources of ${ecosystem}`;
  const warm = `${tool}, warm, ${answers.size} of ${count} packages`;
  const row = (measure: string, ours: number | undefined): Row => ({ measure, unit: "ms", ours });
  return [
    { ...row(`${warm}, p50`, samples.median("warm")), target: { atMost: targets.warmMs } },
    row(`${warm}, p99`, samples.percentile("warm", 99)),
    { ...row(`${tool}, first of a session`, samples.median("first")), target: { atMost: targets.firstMs } },
  ];
}
