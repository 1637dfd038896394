import { createHash } from "node:crypto";
import { pathOfFileUri } from "@symposium-dev/core";
import type { AbilitySession } from "../../acp/client-ability.js";
import { type CheckedPath, checkPath } from "./checked-path.js";
import type { PermissionRequest } from "./permission-request.js";
import { type RequestedCommand, requestedCommand } from "./requested-command.js";
import { simpleCommand } from "./simple-command.js";
import { visibleText } from "./visible-text.js";

/** What rules look at: the facts of a request, found out once. */
export interface PermissionSubject {
  readonly agentId: string;
  readonly sessionId: string;
  readonly toolKind: string;
  readonly title: string;
  readonly command?: CommandSubject;
  /** Every path that the request names, besides those in a command. */
  readonly paths: readonly CheckedPath[];
  /** Scheme and host of the address it wants to fetch. */
  readonly origin?: string;
  /** Stands for the whole input: two requests with equal prints ask for the same. */
  readonly print: string;
  /** Only the user may answer, whatever rules say. */
  readonly isUserOnly: boolean;
}

export interface CommandSubject {
  readonly text: string;
  readonly cwd: CheckedPath;
  /** Undefined when a shell would do more than start one program. */
  readonly words: readonly string[] | undefined;
  /** By word: it adds nothing dangerous to what stands before it. */
  readonly isTame: readonly boolean[];
}

const pathNames =
  /^(?:(?:abs|absolute|file|dir|folder|target|source|dest|destination|old|new|parent)?_?-?(?:path|file|dir|directory|filename|filepath|uri))$/i;
/** Nothing in it means anything to a shell, a make file or a template, even after quotes are gone. */
const tameWord = /^[\p{L}\p{N}_@+=:,./^ %-]*$/u;
const optionsThatRun =
  /^(?:-c|-e|-O.*|-exec|-toolexec|--?(?:config|config-env|eval|exec|ext-diff|import|loader|node-options|open-files-in-pager|pre|receive-pack|require|script-shell|shell|toolexec|upload-pack)(?:=.*)?)$/;

/** Finds out what `request` would touch. Paths are followed to where they lead. */
export async function subjectOf(
  request: PermissionRequest,
  session: Pick<AbilitySession, "agent" | "roots" | "sessionId">,
): Promise<PermissionSubject> {
  const command = requestedCommand(request.rawInput);
  const [folder = "/"] = session.roots;
  const names = new Set(pathsOf(request));
  const origin = originOf(request.rawInput);
  return {
    agentId: session.agent.id,
    sessionId: session.sessionId,
    toolKind: request.toolKind,
    title: request.title,
    paths: await Promise.all([...names].map((path) => checkPath(path, folder, session.roots))),
    print: printOf([request.toolKind, request.title, request.rawInput ?? null, [...names]]),
    // Leaving a plan, or a question that only looks like a tool call, is for the user.
    isUserOnly: request.toolKind === "switch_mode" || request.toolCallId.startsWith("elicitation-"),
    ...(command ? { command: await commandSubject(command, folder, session.roots) } : {}),
    ...(origin === undefined ? {} : { origin }),
  };
}

async function commandSubject(
  command: RequestedCommand,
  folder: string,
  roots: readonly string[],
): Promise<CommandSubject> {
  const cwd = await checkPath(command.cwd ?? folder, folder, roots);
  const isPlain = visibleText(command.text, "").warnings.length === 0;
  const words = isPlain ? (command.words ?? simpleCommand(command.text)) : undefined;
  const isTame = await Promise.all((words ?? []).map((word) => isTameWord(word, cwd, roots)));
  return { text: command.text, cwd, words, isTame };
}

async function isTameWord(word: string, cwd: CheckedPath, roots: readonly string[]): Promise<boolean> {
  if (!tameWord.test(word) || optionsThatRun.test(word)) return false;
  const pieces = [word.replace(/^-[A-Za-z]/, ""), ...word.split(/[=:,@ ]/)].filter((piece) => piece !== "");
  const checked = await Promise.all(pieces.map((piece) => checkPath(piece, cwd.real, roots)));
  return checked.every(({ isInside, isSensitive }) => isInside && !isSensitive);
}

function pathsOf(request: PermissionRequest): string[] {
  const diffs = request.content.flatMap((content) => (content.type === "diff" ? [content.path] : []));
  return [...request.locations.map(({ path }) => path), ...diffs, ...inputPaths(request.rawInput)];
}

/** Paths in the input by the names of its members, since not every agent sends `locations`. */
function inputPaths(rawInput: unknown): string[] {
  if (typeof rawInput !== "object" || rawInput === null) return [];
  return Object.entries(rawInput).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== "string" || value === "" || !pathNames.test(name)) return [];
    return [pathOfFileUri(value) ?? value];
  });
}

function originOf(rawInput: unknown): string | undefined {
  if (typeof rawInput !== "object" || rawInput === null || !("url" in rawInput)) return undefined;
  if (typeof rawInput.url !== "string" || !URL.canParse(rawInput.url)) return undefined;
  const { protocol, origin } = new URL(rawInput.url);
  return protocol === "https:" || protocol === "http:" ? origin : undefined;
}

function printOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
