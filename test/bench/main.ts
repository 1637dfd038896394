import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { messageOf } from "#core/base/symposium-error.js";
import { createRunFolder } from "../support/run-folder.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { BenchRun } from "./bench-run.js";
import { findLanes } from "./lanes.js";
import { describeMachine, thisMachine } from "./machine.js";
import { measureBridge } from "./measures/bridge.js";
import { measureChatView } from "./measures/chat-view.js";
import { measureChatOutput } from "./measures/chat-output.js";
import { measureConversations } from "./measures/conversations.js";
import { measureFerris } from "./measures/ferris.js";
import { measureHost } from "./measures/host.js";
import { measureIdeOperations } from "./measures/ide-operations.js";
import { measureLanguageModel } from "./measures/language-model.js";
import { measureMemory } from "./measures/memory.js";
import { measurePackageSources } from "./measures/package-sources.js";
import { measureRegistry } from "./measures/registry.js";
import { measureRelease } from "./measures/release.js";
import { measureUserServers } from "./measures/user-servers.js";
import { measureReview } from "./measures/review.js";
import { measureSandboxNetwork } from "./measures/sandbox-network.js";
import { measureSandboxStart } from "./measures/sandbox-start.js";
import { measureServerCall } from "./measures/server-call.js";
import { measureServerImport } from "./measures/server-import.js";
import { measureSessionStart } from "./measures/session-start.js";
import { measureShutdown } from "./measures/shutdown.js";
import { measureSnapshots } from "./measures/snapshots.js";
import { measureStartUp } from "./measures/start-up.js";
import { measureStreaming } from "./measures/streaming.js";
import { measureTelemetry } from "./measures/telemetry.js";
import { measureTurns } from "./measures/turns.js";
import { measureZed } from "./measures/zed.js";
import { isMet, type Row } from "./row.js";
import { fullScale, quickScale } from "./scale.js";
import { formatTable } from "./table.js";

type Measure = (run: BenchRun, note: (text: string) => void) => Promise<Row[]>;

const measures: Readonly<Record<string, Measure>> = {
  "start-up": measureStartUp,
  "session-start": measureSessionStart,
  turns: measureTurns,
  streaming: measureStreaming,
  host: measureHost,
  memory: measureMemory,
  shutdown: measureShutdown,
  bridge: measureBridge,
  registry: measureRegistry,
  ferris: measureFerris,
  sources: measurePackageSources,
  zed: measureZed,
  release: measureRelease,
  "language-model": measureLanguageModel,
  "ide-operations": measureIdeOperations,
  "chat-view": measureChatView,
  "server-import": measureServerImport,
  "server-call": measureServerCall,
  "user-servers": measureUserServers,
  "chat-output": measureChatOutput,
  conversations: measureConversations,
  telemetry: measureTelemetry,
  "sandbox-start": measureSandboxStart,
  "sandbox-network": measureSandboxNetwork,
  snapshots: measureSnapshots,
  review: measureReview,
};

const usage = `npm run bench -- [--quick] [--only NAME]... [--json FILE] [--node PROGRAM]
  --quick         about a minute; figures say less
  --only NAME     ${Object.keys(measures).join(", ")}
  --json FILE     writes the figures there too
  --node PROGRAM  the Node to measure with, instead of the one the repository pins
`;

/** Measures and prints the table. The exit code tells whether it could, never how fast it was. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean" },
      only: { type: "string", multiple: true },
      json: { type: "string" },
      help: { type: "boolean" },
    },
  });
  const unknown = values.only?.filter((name) => !Object.hasOwn(measures, name)) ?? [];
  if (values.help === true || unknown.length > 0) {
    if (unknown.length > 0) process.stderr.write(`There is no measure "${unknown.join('", "')}".\n`);
    process.stderr.write(usage);
    return values.help === true ? 0 : 2;
  }
  const chosen = values.only ?? Object.keys(measures);
  const before = thisMachine();
  const lanes = await findLanes();
  const rows: Row[] = [];
  const notes: string[] = [];
  let isWhole = true;
  const folder = await createRunFolder("bench");
  try {
    const run = new BenchRun(lanes, values.quick === true ? quickScale : fullScale, folder);
    for (const [name, measure] of Object.entries(measures)) {
      if (!chosen.includes(name)) continue;
      process.stderr.write(`${name} ...\n`);
      try {
        rows.push(...(await measure(run, (text) => notes.push(text))));
      } catch (failure) {
        isWhole = false;
        notes.push(`${name} was not measured: ${messageOf(failure)}`);
      }
    }
  } finally {
    await endSurvivors(folder.root);
    await folder[Symbol.asyncDispose]();
  }
  const machine = thisMachine();
  const lines = [
    formatTable(rows),
    "",
    ...notes,
    `direct: the agent and the client of the bench alone. added: on top of it; its ratio is that of the whole.`,
    `Rust conductor: ${lanes.rustVersion ?? "not on PATH (agent-client-protocol-conductor)"}`,
    `Machine: ${describeMachine(machine)} (${before.load[0]?.toFixed(2) ?? "?"} before)`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (values.json !== undefined) {
    const figures = rows.map((row) => ({ ...row, isMet: isMet(row) }));
    const report = { rows: figures, notes, rust: lanes.rustVersion, machine, loadBefore: before.load };
    await writeFile(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
  }
  return isWhole ? 0 : 1;
}

/** Kills processes that a conductor left running, so that none outlives the bench. Ours leaves none; others may. */
async function endSurvivors(marker: string): Promise<void> {
  for (const [pid, commandLine] of await survivingProcesses(marker)) {
    process.stderr.write(`ended a process that was left behind: ${commandLine}\n`);
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

// An exit of ours, unlike a signal, ends the children.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
process.exitCode = await main();
