import { Outcome, type Request } from "../src/base/rpc/message.js";
import { RpcError, rpcErrorCodes } from "../src/base/rpc/rpc-error.js";
import { FolderTrust } from "../src/settings/trust/folder-trust.js";
import { arrayMember, stringMember } from "./members.js";
import { type Answer, RecordingPeer } from "./recording-peer.js";

/** Capabilities of the client that {@link scriptedClient} makes. */
export const scriptedClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
} as const;

export interface ScriptedClientOptions {
  /** Which permission option is chosen, by kind. */
  readonly permits?: "allow_once" | "allow_always" | "reject_once" | "reject_always" | "cancelled";
  /** Files that can be read, by path; writes go here too. */
  readonly files?: Map<string, string>;
  /** Added to, and stronger than, the answers a client has by itself. */
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** A client that answers everything an agent may ask: files in memory, a terminal that prints `done` and exits with 0. */
export function scriptedClient(options: ScriptedClientOptions = {}): RecordingPeer {
  const files = options.files ?? new Map<string, string>();
  return new RecordingPeer({
    "session/request_permission": (request) => permissionOutcome(request, options.permits ?? "allow_once"),
    "fs/read_text_file": (request) => readFile(request, files),
    "fs/write_text_file": (request) => writeFile(request, files),
    "terminal/create": { terminalId: "terminal-1" },
    "terminal/output": { output: "done\n", truncated: false, exitStatus: { exitCode: 0, signal: null } },
    "terminal/wait_for_exit": { exitCode: 0, signal: null },
    "terminal/kill": {},
    "terminal/release": {},
    "elicitation/create": { action: "accept", content: { answer: "yes" } },
    ...options.answers,
  });
}

/** Returns a `session/request_permission` result that selects the first option of a kind; cancelled if there is none. */
function permissionOutcome(request: Request, kind: string): unknown {
  const chosen = arrayMember(request.params, "options").find((option) => stringMember(option, "kind") === kind);
  const optionId = chosen && stringMember(chosen, "optionId");
  return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
}

function readFile(request: Request, files: ReadonlyMap<string, string>): unknown {
  const path = stringMember(request.params, "path") ?? "";
  const content = files.get(path);
  if (content !== undefined) return { content };
  return Outcome.error(new RpcError(rpcErrorCodes.notFound, `Resource not found: ${path}`, { path }));
}

function writeFile(request: Request, files: Map<string, string>): unknown {
  files.set(stringMember(request.params, "path") ?? "", stringMember(request.params, "content") ?? "");
  return {};
}

/** Trusts every folder: for tests of what runs in one. */
export function trusting(): FolderTrust {
  return new FolderTrust({
    realPath: (folder) => Promise.resolve(folder),
    has: () => Promise.resolve(true),
    add: () => Promise.resolve(),
    isRefused: () => Promise.resolve(false),
    refuse: () => Promise.resolve(),
  });
}
