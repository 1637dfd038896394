import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "#core/base/symposium-error.js";
import { environmentOfThisMachine } from "../../support/environment.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import { formatIdeTable } from "../ide/ide-table.js";
import {
  endMs,
  firstDefinition,
  type IdeFigures,
  type IdeSurroundings,
  questions,
  warmFigures,
} from "../ide/ide-figures.js";
import type { IdeLane } from "../ide/ide-lane.js";
import { ideLanes, pathFor, peersHint, writeProject } from "../ide/ide-lanes.js";
import { type IdeProject, ideProjects } from "../ide/ide-project.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

/** Calls of each tool for one of the bridge's. */
const callShare = 10;
const overheadMs = 2;
const toolListBytes = 4_096;

/**
 * Measures definitions, references and symbols over real language servers: through our tools, from the server alone, and through the
 * installed peers. All of them get questions about the same function.
 */
export async function measureIdeOperations(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  const rows: Row[] = [];
  const names = new Set<string>();
  for (const project of ideProjects) {
    await using root = await createRunFolder("bench-ide");
    const folder = join(root.root, "project");
    await mkdir(folder);
    await writeProject(project, folder);
    const lanes = await ideLanes(project, folder);
    const figures = await measureProject(run, project, { root: root.root, lanes }, note);
    if (!figures) continue;
    for (const { name } of figures) names.add(name);
    note(`${formatIdeTable(project.name, figures)}\n`);
    rows.push(...rowsOf(project, figures));
  }
  if (!names.has("cclsp") || !names.has("serena")) note(`ide-operations: more peers by: ${peersHint}`);
  return rows;
}

interface Stage {
  readonly root: string;
  readonly lanes: readonly IdeLane[];
}

/** Undefined where the language server does not run here. */
async function measureProject(
  { scale }: BenchRun,
  project: IdeProject,
  { root, lanes }: Stage,
  note: (text: string) => void,
): Promise<readonly IdeFigures[] | undefined> {
  let starts = 0;
  const surroundingsOf = (lane: IdeLane): IdeSurroundings => {
    const marker = join(root, "lanes", lane.name.replace(" ", "-"));
    const env = { ...environmentOfThisMachine(), ...rustHomes(), PATH: pathFor(project) };
    // Each start finds nothing of an earlier one: neither an adapter that stays a while nor what is left of one that was ended.
    const config = join(root, `c${++starts}`);
    return {
      env: { ...env, SYMPOSIUM_BENCH_LANE: marker, SYMPOSIUM_CONFIG_DIR: config },
      marker,
      serverPrograms: project.serverPrograms,
    };
  };
  const firsts = new Samples();
  const left = new Map<string, number>();
  const failed = new Map<string, string>();
  // Ignores the first of several launches, because only that one has to fetch files and fill disk caches.
  const launches = scale.launches > 1 ? scale.launches + 1 : 1;
  for (let launch = 1; launch <= launches; launch++) {
    for (const lane of lanes.filter(({ name }) => !failed.has(name))) {
      process.stderr.write(`  ${project.name}, ${lane.name}: launch ${launch} of ${launches}\n`);
      try {
        const first = await firstDefinition(lane, surroundingsOf(lane), launch === launches ? endMs : 0);
        if (first.ms === undefined) failed.set(lane.name, "it never had the definition");
        else if (launch > 1 || launches === 1) firsts.add(lane.name, first.ms);
        if (launch === launches) left.set(lane.name, first.left);
      } catch (failure) {
        failed.set(lane.name, messageOf(failure));
      }
      // Nobody answers without it.
      if (failed.has("alone")) break;
    }
    const reason = failed.get("alone");
    if (reason !== undefined) {
      note(
        `ide-operations: ${project.name} is not measured, as "${project.server.join(" ")}" does not work: ${reason}`,
      );
      return undefined;
    }
  }
  for (const [name, reason] of failed) note(`ide-operations: ${project.name}, ${name} is not measured: ${reason}`);
  const working = lanes.filter(({ name }) => !failed.has(name));
  const warm = await warmFigures(working, surroundingsOf, scale.toolCalls / callShare, ({ name }, failure) =>
    note(`ide-operations: ${project.name}, ${name} failed when it was warm: ${messageOf(failure)}`),
  );
  return warm.map((figures) => ({
    ...figures,
    first: firsts.median(figures.name),
    left: left.get(figures.name),
  }));
}

function rustHomes(): Record<string, string> {
  const names = ["RUSTUP_HOME", "CARGO_HOME", "GOCACHE", "GOPATH", "GOMODCACHE"];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** Those of ours, with the targets they have. */
function rowsOf({ name, firstDefinitionMs }: IdeProject, figures: readonly IdeFigures[]): readonly Row[] {
  const [alone, ours, at] = ["alone", "ours", "ours at"].map((one) => figures.find((each) => each.name === one));
  if (!alone || !ours || !at) return [];
  const target = firstDefinitionMs === undefined ? {} : { target: { atMost: firstDefinitionMs } };
  const half = alone.referenceBytes === undefined ? {} : { target: { atMost: alone.referenceBytes / 2 } };
  return [
    { measure: `${name}: first definition, by name`, unit: "ms", direct: alone.first, ours: ours.first, ...target },
    { measure: `${name}: first definition, by position`, unit: "ms", direct: alone.first, ours: at.first, ...target },
    ...questions.map((question): Row => {
      const [direct, all] = [alone.warm[question], at.warm[question]];
      return {
        measure: `${name}: ${question}, p50, added`,
        unit: "ms",
        direct,
        ours: direct === undefined || all === undefined ? undefined : all - direct,
        isAdded: true,
        target: { atMost: overheadMs },
      };
    }),
    {
      measure: `${name}: answer to references`,
      unit: "bytes",
      direct: alone.referenceBytes,
      ours: at.referenceBytes,
      ...half,
    },
    { measure: `${name}: list of tools`, unit: "bytes", ours: ours.toolListBytes, target: { atMost: toolListBytes } },
    { measure: `${name}: memory besides the server's`, unit: "MiB", ours: ours.memory },
    { measure: `${name}: processes left`, unit: "processes", ours: ours.left, target: { atMost: 0 } },
  ];
}
