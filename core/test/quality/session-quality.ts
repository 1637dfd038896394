import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Logger } from "../../src/base/logger.js";
import type { Proxy } from "../../src/conductor/chain/proxy.js";
import type { McpServer } from "../../src/base/mcp/mcp-server.js";
import { Watchdog } from "../../src/base/node/orphan-watchdog.js";
import { sourcesServices } from "../../src/extensions/sources/node.js";
import { sourcesProxy } from "../../src/extensions/sources/sources-proxy.js";
import { testServices } from "../../src/extensions/test-tools/node.js";
import { testsProxy } from "../../src/extensions/test-tools/tests-proxy.js";
import { Json } from "../../src/base/rpc/json.js";
import { nobody } from "../../src/base/rpc/peer.js";
import { trusting } from "../../testing/scripted-client.js";
import { type RunnerCase, runnerCases } from "./runner-recordings.js";
import { type SessionStep, sessionSteps } from "./session-steps.js";
import { tableOf } from "./text-table.js";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
/** Limits of agents' file tools: lines of a file and search matches shown at once. */
const mostLines = 2_000;
const mostFound = 50;
/** Bytes that a model is sent, or sends, for a step. */
interface StepBytes {
  /** By its shell, and by reading files. */
  readonly shell: number;
  /** The same, where the agent has the variables that make runners write less. */
  readonly short: number;
  readonly ours: number;
}

/** Prints how many bytes a scripted session takes with our tools and without; the exit code is 1 where they save none. */
async function main(): Promise<void> {
  using watchdog = new Watchdog();
  const trust = trusting();
  const tests = serverOf(testsProxy({}, testServices({ watchdog }), trust, "1"));
  const sources = serverOf(sourcesProxy({}, sourcesServices({ watchdog, trust }), "1"));
  const tools = (await bytesOfTools(tests)) + (await bytesOfTools(sources));
  const rows: { readonly cells: readonly string[]; readonly bytes: StepBytes }[] = [];
  const add = (step: string, what: string, bytes: StepBytes): void => {
    rows.push({ bytes, cells: [step, what, `${bytes.shell}`, `${bytes.short}`, `${bytes.ours}`] });
  };
  add("tools", "names, schemas and instructions of both extensions, once", { shell: 0, short: 0, ours: tools });
  const cases = runnerCases();
  for (const step of sessionSteps) add(step.kind, whatOf(step), await bytesOf(step, cases, sources));
  const sum = (key: keyof StepBytes): number => rows.reduce((total, { bytes }) => total + bytes[key], 0);
  const [shell, short, ours] = [sum("shell"), sum("short"), sum("ours")];
  const header = ["step", "what", "shell", "shell, short", "ours"];
  process.stdout.write(
    `${tableOf([header, ...rows.map(({ cells }) => cells), ["all", "", `${shell}`, `${short}`, `${ours}`]])}\n`,
  );
  process.stdout.write(
    `Saved: ${shell - ours} of ${shell} bytes (${Math.round((1 - ours / shell) * 100)} %); by the environment alone ${shell - short}.\n` +
      `Of a look-up, the shell's bytes are its package.json, a search for the symbol (${mostFound} lines) and the file that declares it (${mostLines} lines).\n`,
  );
  process.exitCode = ours < shell ? 0 : 1;
}

function whatOf(step: SessionStep): string {
  if (step.kind === "edit") return step.why;
  const words = step.kind === "run" ? step.runs.map((run) => run.join(" ")).join(", ") : `${step.name} ${step.symbol}`;
  return `${step.why}: ${words}`;
}

async function bytesOf(step: SessionStep, cases: readonly RunnerCase[], sources: McpServer): Promise<StepBytes> {
  switch (step.kind) {
    case "edit":
      return { shell: step.text.length, short: step.text.length, ours: step.text.length };
    case "run": {
      const runs = step.runs.map(([runner, name]) => {
        const found = cases.find(({ recording }) => recording.runner === runner && recording.name === name);
        if (!found) throw new Error(`No run of ${runner} is recorded that is called "${name}".`);
        return found;
      });
      const sum = (textOf: (one: RunnerCase) => string): number =>
        runs.reduce((total, one) => total + Buffer.byteLength(textOf(one)), 0);
      return {
        shell: sum(({ shell }) => shell),
        short: sum(({ agent, shell }) => agent ?? shell),
        ours: sum(({ ours }) => ours),
      };
    }
    case "look-up": {
      const shell = Buffer.byteLength(lookedUp(step.name, step.symbol));
      const from = "core/src/index.ts";
      const answers = [
        await call(sources, "package_sources", { name: step.name, from }),
        await call(sources, "package_item", { name: step.name, symbol: step.symbol, from }),
      ];
      return { shell, short: shell, ours: Buffer.byteLength(answers.join("")) };
    }
  }
}

/** Returns the text that a model reads through a shell: the manifest, lines with the symbol, and the file that declares it. */
function lookedUp(name: string, symbol: string): string {
  const folder = join(repository, "node_modules", name);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".d.ts"))
    .sort();
  const lines = files.map((file) => [file, readFileSync(join(folder, file), "utf8").split("\n")] as const);
  const isWord = new RegExp(`\\b${symbol}\\b`);
  const found = lines.flatMap(([file, all]) =>
    all.flatMap((line, index) => (isWord.test(line) ? [`${file}:${index + 1}:${line}`] : [])),
  );
  const isDeclared = new RegExp(`\\b(?:function|class|const|interface|type)\\s+${symbol}\\b`);
  const [, declaring = []] = lines.find(([, all]) => all.some((line) => isDeclared.test(line))) ?? [];
  if (declaring.length === 0) throw new Error(`No declaration of ${name} says what ${symbol} is.`);
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  return [manifest, ...found.slice(0, mostFound), ...declaring.slice(0, mostLines)].join("\n");
}

function serverOf(proxy: Proxy): McpServer {
  const handlers = proxy.connect({ client: nobody, successor: nobody, logger: Logger.silent });
  const session = { sessionId: undefined, cwd: repository, signal: new AbortController().signal };
  const [server] = handlers.mcpServers?.(session) ?? [];
  if (!server) throw new Error(`${repository} has no project.`);
  return server;
}

const context = { signal: new AbortController().signal, notify: () => undefined };

async function bytesOfTools(server: McpServer): Promise<number> {
  const { instructions = "" } = await server.describe(context.signal);
  const list = await server.call("tools/list", undefined, context);
  return Buffer.byteLength(instructions) + Buffer.byteLength(list.json.text);
}

async function call(server: McpServer, tool: string, args: object): Promise<string> {
  const { json } = await server.call("tools/call", Json.of({ name: tool, arguments: args }), context);
  const { content, isError } = json.value as { content?: readonly { readonly text: string }[]; isError?: boolean };
  const text = content?.[0]?.text ?? json.text;
  if (isError === true) throw new Error(`${tool} ${JSON.stringify(args)}: ${text}`);
  return text;
}

await main();
