import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { throughConductor } from "../../support/conductor-command.js";
import { RawClient } from "../../support/raw-client.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import { agentProgram, benchPath } from "../lanes.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const maxAddedMs = 30;

/** Workspaces without and with work for the two extensions. */
const workspaces: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a folder without projects": { "notes.md": "# Notes\n" },
  "a monorepo": {
    "package.json": `{ "private": true, "workspaces": ["web"] }`,
    "web/package.json": `{ "devDependencies": { "vitest": "^4" }, "scripts": { "test": "vitest run" } }`,
    "node_modules/vitest/package.json": `{ "version": "4.1.12", "bin": "vitest.mjs" }`,
    "api/pyproject.toml": `[project]\nname = "api"\ndependencies = ["pytest"]\n`,
  },
};

/** Measures the time that `tests` and `sources` add from the process start to the answer to `session/new`. */
export async function measureSessionStart({ scale }: BenchRun): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, files] of Object.entries(workspaces)) {
    await using folder = await createRunFolder("bench");
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder.workspace, path)), { recursive: true });
      await writeFile(join(folder.workspace, path), text);
    }
    const others = ["sparkle", "ferris", "cargo", "ide-operations"];
    const lanes = { without: others, with: [...others, "tests", "sources"] };
    const samples = new Samples();
    const warmUps = 2;
    for (let round = -warmUps; round < scale.starts; round++) {
      for (const [lane, proxies] of Object.entries(lanes)) {
        const words = throughConductor(["node", agentProgram], proxies);
        const start = performance.now();
        const env = { ...folder.env, PATH: benchPath };
        await using client = new RawClient({ words, env, cwd: folder.workspace });
        await client.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
        await client.request("session/new", { cwd: folder.workspace, mcpServers: [] });
        if (round >= 0) samples.add(lane, performance.now() - start);
      }
    }
    rows.push({
      measure: `first session in ${name}, tests and sources, added`,
      unit: "ms",
      isAdded: true,
      direct: samples.median("without"),
      ours: samples.difference("with", "without"),
      target: { atMost: maxAddedMs },
    });
  }
  return rows;
}
