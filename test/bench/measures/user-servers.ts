import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { repositoryRoot } from "../../support/repository.js";
import { createRunFolder, type RunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const serverProgram = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");
const serverCount = 10;

/**
 * How much later the first prompt of a session is answered that has ten MCP servers of the user's: from the start of the
 * process, with the lists of last time.
 */
export async function measureUserServers(run: BenchRun): Promise<Row[]> {
  const samples = new Samples();
  await using none = await configured(0);
  await using ten = await configured(serverCount);
  const lane = run.lanes.ours();
  // The first start of each finds no lists.
  for (let round = -1; round < run.scale.starts; round++) {
    for (const [name, folder] of [
      ["direct", none],
      ["ours", ten],
    ] as const) {
      const start = performance.now();
      await using session = await run.open(lane, { SYMPOSIUM_CONFIG_DIR: folder.root });
      await session.prompt("stream 1 10", 1);
      if (round >= 0) samples.add(name, performance.now() - start);
    }
  }
  return [
    {
      measure: `first prompt answered, ${serverCount} MCP servers of the user's (direct: none), added`,
      unit: "ms",
      isAdded: true,
      direct: samples.median("direct"),
      ours: samples.difference("ours", "direct"),
      target: { atMost: 50 },
    },
  ];
}

async function configured(count: number): Promise<RunFolder> {
  const folder = await createRunFolder("bench");
  const server = { command: process.execPath, args: [serverProgram] };
  const names = Array.from({ length: count }, (_, index) => `clock${index}`);
  const mcpServers = Object.fromEntries(names.map((name) => [name, server] as const));
  await writeFile(join(folder.root, "config.jsonc"), JSON.stringify({ mcpServers }));
  return folder;
}
