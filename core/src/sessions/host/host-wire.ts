import { isStrings, numberOf, parsedObject, stringMembersOf, textOf } from "../../base/rpc/json.js";
import type { ClientStart } from "./host.js";

/** First character of each line from the host that isn't an ACP message; the character never occurs in JSON. */
export const ownLine = "\0";

/** First line that a client sends on a connection. */
export type Hello =
  | ({ readonly kind: "client"; readonly token: string } & ClientStart)
  | { readonly kind: "status" | "stop"; readonly token: string }
  | { readonly kind: "stop-session"; readonly token: string; readonly sessionId: string; readonly cwd: string };

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
  const { kind, token, words, cwd, env, sessionId } = parsedObject(line) ?? {};
  if (typeof token !== "string") return undefined;
  if (kind === "status" || kind === "stop") return { kind, token };
  if (kind === "stop-session" && typeof sessionId === "string" && typeof cwd === "string") {
    return { kind, token, sessionId, cwd };
  }
  if (kind !== "client" || !isStrings(words) || typeof cwd !== "string") return undefined;
  const name = words[0] === "zed" ? words.slice(0, 2).join(" ") : words[0];
  return hosted.has(name) ? { kind, token, words, cwd, env: stringMembersOf(env) } : undefined;
}

/** Parses a line from the host, without {@link ownLine}. */
export function readHostLine(text: string): HostLine | undefined {
  const { kind, text: shown, code, reason } = parsedObject(text) ?? {};
  if (kind === "ready") return { kind };
  if (kind === "print") return { kind, text: textOf(shown) };
  return kind === "exit" ? { kind, code: numberOf(code) ?? 1, reason: textOf(reason) } : undefined;
}
