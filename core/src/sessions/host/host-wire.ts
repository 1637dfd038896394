import {
  asObject,
  isStrings,
  type Members,
  numberOf,
  parsedObject,
  stringMembersOf,
  stringOf,
  textOf,
} from "../../base/rpc/json.js";
import type { ClientStart, SessionStop } from "./host.js";

/** First character of each line from the host that isn't an ACP message; the character never occurs in JSON. */
export const ownLine = "\0";

/** First line that a client sends on a connection. */
export type Hello =
  | ({ readonly kind: "client"; readonly token: string } & ClientStart)
  | { readonly kind: "status" | "stop"; readonly token: string }
  | ({ readonly kind: "stop-session"; readonly token: string } & SessionStop);

/**
 * First line that a client on another machine sends to the bridge there, which adds the host's token and its own environment. `folder` is
 * that machine's folder for the client's sessions; relative paths start at the bridge's folder.
 */
export type BridgeRequest =
  | { readonly kind: "client"; readonly words: readonly string[]; readonly folder?: string }
  | BridgeQuestion;

/** Question to another machine's host, which answers with its status. */
export type BridgeQuestion = { readonly kind: "status" } | ({ readonly kind: "stop-session" } & SessionStop);

/** First line from a bridge to its client, after {@link ownLine}. */
export interface BridgeLine {
  readonly kind: "bridge";
  readonly version: string;
  /** Set if a client copied the bridge's program there, so that a client may also replace it. */
  readonly isCopy?: boolean;
}

/** Line from the host to a client, after {@link ownLine}. */
export type HostLine =
  | { readonly kind: "ready" }
  | { readonly kind: "print"; readonly text: string }
  /** Tells the client's process to close the connection and exit. */
  | { readonly kind: "exit"; readonly code: number; readonly reason: string };

/** Subcommands whose chains run in the host. */
const hosted: ReadonlySet<string | undefined> = new Set(["run", "run-with", "zed run"]);

/** Parses the first line of a connection; undefined if invalid. */
export function readHello(line: string): Hello | undefined {
  const given = parsedObject(line) ?? {};
  const { kind, token, words, cwd, env, remote } = given;
  if (typeof token !== "string") return undefined;
  if (kind === "status" || kind === "stop") return { kind, token };
  const stop = sessionStopIn(given);
  if (stop) return { ...stop, token };
  if (kind !== "client" || !isStrings(words) || typeof cwd !== "string") return undefined;
  const name = words[0] === "zed" ? words.slice(0, 2).join(" ") : words[0];
  if (!hosted.has(name)) return undefined;
  const start = { kind, token, words, cwd, env: stringMembersOf(env) } as const;
  const away = asObject(remote);
  return away ? { ...start, remote: withFolder(away["folder"]) } : start;
}

/** Parses the first line from a client to a bridge; undefined if invalid. */
export function readBridgeRequest(line: string): BridgeRequest | undefined {
  const given = parsedObject(line) ?? {};
  const { kind, words, folder } = given;
  if (kind === "status") return { kind };
  return kind === "client" && isStrings(words) ? { kind, words, ...withFolder(folder) } : sessionStopIn(given);
}

function sessionStopIn({ kind, sessionId, cwd, ends }: Members): ({ kind: "stop-session" } & SessionStop) | undefined {
  if (kind !== "stop-session" || typeof sessionId !== "string" || typeof cwd !== "string") return undefined;
  return { kind, sessionId, cwd, ...(ends === true && { ends }) };
}

function withFolder(value: unknown): { readonly folder?: string } {
  const folder = stringOf(value);
  return folder === undefined ? {} : { folder };
}

/** Parses a line from the host, without {@link ownLine}. */
export function readHostLine(text: string): HostLine | undefined {
  const { kind, text: shown, code, reason } = parsedObject(text) ?? {};
  if (kind === "ready") return { kind };
  if (kind === "print") return { kind, text: textOf(shown) };
  return kind === "exit" ? { kind, code: numberOf(code) ?? 1, reason: textOf(reason) } : undefined;
}

/**
 * Parses a bridge's first line; undefined for all other lines, such as a login message. Ignores text before {@link ownLine}, which a login
 * script may print without a line end.
 */
export function readBridgeLine(line: string): BridgeLine | undefined {
  const start = line.lastIndexOf(ownLine);
  if (start === -1) return undefined;
  const { kind, version, isCopy } = parsedObject(line.slice(start + ownLine.length)) ?? {};
  return kind === "bridge"
    ? { kind, version: textOf(version).replaceAll(/[^\w.+-]/g, "?"), isCopy: isCopy === true }
    : undefined;
}
