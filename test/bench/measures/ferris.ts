import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { runToEnd } from "../../support/child.js";
import { conductorProgram } from "../../support/conductor-command.js";
import { type JsonObject, objectOf, parseObject, stringOf } from "../../support/json.js";
import { type Answer, RawClient } from "../../support/raw-client.js";
import { repositoryRoot } from "../../support/repository.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import { benchPath } from "../lanes.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const setUp = join(repositoryRoot, "test", "fixtures", "ferris", "fifty", "set-up.mjs");
const setUpLimitMs = 110_000;
const targetMs = 50;

interface Question {
  readonly name: string;
  readonly version: string;
  readonly arguments: JsonObject;
}

/**
 * `crate_sources` for each of fifty locked crates, over stdio and offline: how long, and whether the version is the locked one. The folder
 * is trusted, because otherwise cargo can't read the project's own registries, and runs in vain for each of their crates.
 */
export async function measureFerris(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  await using folder = await createRunFolder("bench");
  const env = { ...machineEnvironment(), PATH: benchPath };
  const made = await runToEnd({ words: ["node", setUp, folder.root], env, cwd: folder.root }, setUpLimitMs);
  const { cargoHome, problem } = parseObject(made.stdout);
  if (cargoHome === undefined) {
    note(`ferris: not measured, as the crates cannot be had: ${stringOf(problem) || made.stderr.trim()}`);
    return [];
  }
  const questions = questionsFor(await readFile(join(folder.workspace, "Cargo.lock"), "utf8"));
  const samples = new Samples();
  await using client = new RawClient({
    words: ["node", conductorProgram, "mcp", "ferris", "--trusted-folder", folder.workspace],
    env: {
      ...folder.env,
      PATH: benchPath,
      CARGO_HOME: stringOf(cargoHome),
      RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? join(homedir(), ".rustup"),
      CARGO_NET_OFFLINE: "true",
    },
    cwd: folder.workspace,
  });
  await client.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench" },
  });
  const wrong = new Set<string>();
  for (let round = 0; round <= run.scale.launches; round++) {
    for (const [index, question] of questions.entries()) {
      const start = performance.now();
      const answer = await client.request("tools/call", { name: "crate_sources", arguments: question.arguments });
      const isCold = round === 0 && index === 0;
      samples.add(isCold ? "cold" : "warm", performance.now() - start);
      if (!(await isLockedVersion(answer, question))) wrong.add(`${question.name} ${question.version}`);
    }
  }
  const right = questions.length - wrong.size;
  note(
    `ferris: the locked version of ${right} of ${questions.length} crates${[...wrong].map((one) => `; not ${one}`).join("")}`,
  );
  const row = (measure: string, ours: number | undefined): Row => ({ measure, unit: "ms", ours });
  const warm = `crate_sources, warm, ${questions.length} crates`;
  return [
    { ...row(`${warm}, p50`, samples.median("warm")), target: { atMost: targetMs } },
    { ...row(`${warm}, p99`, samples.percentile("warm", 99)), target: { atMost: targetMs } },
    row("crate_sources, first of a session (one run of cargo)", samples.median("cold")),
  ];
}

/** One for each package that `Cargo.lock` names besides `app`; with a version where the name alone would not do. */
function questionsFor(lock: string): Question[] {
  const field = (part: string, key: string): string => new RegExp(`^${key} = "(.*)"$`, "m").exec(part)?.[1] ?? "";
  const all = lock
    .split("[[package]]")
    .slice(1)
    .map((part) => ({ name: field(part, "name"), version: field(part, "version") }))
    .filter(({ name }) => name !== "app");
  return all.map(({ name, version }) => {
    const isAlone = all.filter((one) => one.name === name).length === 1;
    const series = version.split(".", 2).join(".");
    return { name, version, arguments: { crate_name: name, ...(!isAlone && { version: series }) } };
  });
}

/** Whether the answer names the version, and its folder holds the sources of it. */
async function isLockedVersion(answer: Answer, { name, version }: Question): Promise<boolean> {
  const { crate_name, version: given, path } = objectOf(objectOf(answer.value)["structuredContent"]);
  const manifest = await readFile(join(stringOf(path), "Cargo.toml"), "utf8").catch(() => "");
  return crate_name === name && given === version && manifest.includes(`\nversion = "${version}"\n`);
}

function machineEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
