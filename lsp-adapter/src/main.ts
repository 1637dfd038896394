import { isAbsolute } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { LogFilter, Logger, messageOf, SymposiumError } from "@symposium-dev/core";
import { claimSocket, endOnSignals, logFileSink, Watchdog } from "@symposium-dev/core/node";
import { DocumentView } from "./documents/client-documents.js";
import { parseAdapterSettings } from "./language-servers/adapter-settings.js";
import { DocumentDiagnostics } from "./operations/document-diagnostics.js";
import { CodeActionStore } from "./operations/operation-context.js";
import { operationsOver } from "./operations/operations.js";
import { AdapterServer } from "./server.js";
import { adapterAddress } from "./sharing/adapter-address.js";
import { Workspace } from "./workspace.js";

const usage =
  "symposium-acp-agent lsp --folder FOLDER, with the settings as JSON on stdin. Sessions start it automatically.";

/**
 * V8 flags without optimizing compilers, and with a small heap for new objects. They save 14 of 80 MiB for 6 % more processor time; the
 * language servers do the work.
 */
const lightFlags = ["--no-opt", "--no-maglev", "--optimize-for-size"];

/**
 * `lsp --folder FOLDER`: the adapter process of a workspace. Reads settings from stdin and prints one line when this or another process
 * serves the workspace. Exits when the last client has disconnected.
 */
export async function runLspAdapter(words: readonly string[]): Promise<number> {
  const folder = folderIn(words);
  // Electron can lock its flags.
  if (process.versions["electron"] === undefined) for (const flag of lightFlags) setFlagsFromString(flag);
  const given = parseJson(await readInput());
  const { settings, problems } = parseAdapterSettings(given);
  const address = await adapterAddress(folder, given, process.env);
  const logger = new Logger(
    logFileSink(address.logFile, LogFilter.parse(process.env["SYMPOSIUM_LSP_LOG"] ?? "info").filter),
  );
  using watchdog = new Watchdog();
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let timer: NodeJS.Timeout | undefined;
  let workspace: Workspace | undefined;
  const board = new DocumentDiagnostics();
  using server = new AdapterServer({
    meeting: address,
    logger: logger.child("adapter"),
    open() {
      clearTimeout(timer);
      // Create the workspace for the first client only, since an adapter that finds another one running doesn't need it.
      workspace ??= new Workspace({ folder, settings, watchdog, logger });
      const view = new DocumentView(workspace.disk);
      return operationsOver({ workspace, view, diagnostics: board, codeActions: new CodeActionStore() });
    },
    onEmpty: () => (timer = setTimeout(end, settings.lingerMs)),
  });
  if (!(await claimSocket(server.net, address.socket, address.lock))) return say("ready");
  for (const problem of problems) logger.warn("setting left out", { problem });
  // Exit if no client connects, since the process that started this one may have ended.
  timer = setTimeout(end, Math.max(settings.lingerMs, 10_000));
  const whenEnded = ended.then(async () => {
    server[Symbol.dispose]();
    await workspace?.[Symbol.asyncDispose]();
  });
  using _signals = endOnSignals({
    end: () => {
      end();
      return whenEnded;
    },
    kill: () => watchdog.kill(),
  });
  say("ready");
  await whenEnded;
  return 0;
}

function folderIn(words: readonly string[]): string {
  try {
    const { values } = parseArgs({ args: [...words], options: { folder: { type: "string" } } });
    if (values.folder !== undefined && isAbsolute(values.folder)) return values.folder;
  } catch (error) {
    throw new SymposiumError("invalid-arguments", `lsp: ${messageOf(error).replace(/\.?$/, ".")}`, usage);
  }
  throw new SymposiumError("invalid-arguments", "lsp needs the absolute path of a folder.", usage);
}

/** Reads all of stdin unless it is a terminal, at which no user would know what to type. */
async function readInput(): Promise<string> {
  if (process.stdin.isTTY) return "";
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += String(chunk);
  return text;
}

function parseJson(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new SymposiumError("invalid-arguments", "lsp: the settings on stdin aren't valid JSON.", usage);
  }
}

/** Prints a line; a closed stdout isn't a failure. */
function say(line: string): number {
  process.stdout.on("error", () => undefined);
  process.stdout.write(`${line}\n`);
  return 0;
}
