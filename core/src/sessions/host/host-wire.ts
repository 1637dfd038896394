import { isStrings, numberOf, parsedObject, stringMembersOf, textOf } from "../../base/rpc/json.js";
import type { ClientStart } from "./host.js";

/** The first character of a line of the host that is no message of ACP. JSON never has it. */
export const ownLine = "\0";

/** The first line of whoever connects. */
export type Hello =
  | ({ readonly kind: "client"; readonly token: string } & ClientStart)
  | { readonly kind: "status" | "stop"; readonly token: string };

/** A line of the host to a client, after {@link ownLine}. */
export type HostLine =
  | { readonly kind: "ready" }
  /** A line for the user. */
  | { readonly kind: "print"; readonly text: string }
  /** The connection ends, and the client's process with it. */
  | { readonly kind: "exit"; readonly code: number; readonly reason: string };

/** Subcommands whose chains the host keeps. */
const hosted: ReadonlySet<string | undefined> = new Set(["run", "run-with", "zed run"]);

/** Reads the first line of whoever connects; undefined if the line is none. */
export function readHello(line: string): Hello | undefined {
  const { kind, token, words, cwd, env } = parsedObject(line) ?? {};
  if (typeof token !== "string") return undefined;
  if (kind === "status" || kind === "stop") return { kind, token };
  if (kind !== "client" || !isStrings(words) || typeof cwd !== "string") return undefined;
  const name = words[0] === "zed" ? words.slice(0, 2).join(" ") : words[0];
  return hosted.has(name) ? { kind, token, words, cwd, env: stringMembersOf(env) } : undefined;
}

/** Reads a line of the host, without {@link ownLine}. */
export function readHostLine(text: string): HostLine | undefined {
  const { kind, text: shown, code, reason } = parsedObject(text) ?? {};
  if (kind === "ready") return { kind };
  if (kind === "print") return { kind, text: textOf(shown) };
  return kind === "exit" ? { kind, code: numberOf(code) ?? 1, reason: textOf(reason) } : undefined;
}
