import { redacted } from "../../base/secrets/mask-credentials.js";
import { asObject, parsedObject, textOf } from "../../base/rpc/json.js";

export const handOffStart = "symposium://handoff/";

/** Reference to the conversation that another one continues: its id, and the last turn to include. */
export interface StoredContinued {
  readonly conversation: string;
  readonly turn: number;
}

/** First line of a session's file. Unknown members come from later versions. */
export interface SessionHeader {
  readonly version: 1;
  /** The editor's session id. */
  readonly session: string;
  readonly cwd: string;
  readonly client?: string;
  /** Name of the agent that opened the session. */
  readonly agent?: string;
  /** Git branch when the file was created. */
  readonly branch?: string;
  /** Conversation that the session continues. Turn numbers continue from that conversation. */
  readonly continues?: StoredContinued;
  /** Start of the session, in milliseconds since 1970 like all times in the file. */
  readonly started: number;
}

/** Summary of a session for lists. It is repeated at the end of each turn, so that reading the end of a file suffices. */
export interface SessionSummary {
  readonly title: string;
  readonly agent: string;
  readonly turns: number;
  /** Tokens as counted by agents; 0 if not reported. */
  readonly tokens: number;
}

export interface TouchedFile {
  readonly path: string;
  /** Hexadecimal; undefined if the file is missing or too large to read. */
  readonly sha256?: string;
}

/** Returns whether masking removed a part of `path`, so that the file can't be found by its path. */
export function isHiddenPath(path: string): boolean {
  return path.includes(redacted);
}

export type StoredRecord =
  | { readonly kind: "header"; readonly header: SessionHeader }
  /** Parameters of a `session/update` as sent to the editor; `byUser`: a client's message into a running turn. */
  | {
      readonly kind: "update";
      readonly at: number;
      readonly params: Readonly<Record<string, unknown>>;
      readonly byUser?: true;
    }
  /** Update of a sub-agent's session. */
  | { readonly kind: "child"; readonly at: number; readonly params: Readonly<Record<string, unknown>> }
  /** Prompt with its content blocks. Turn numbers start at 1. */
  | { readonly kind: "prompt"; readonly at: number; readonly turn: number; readonly prompt: readonly unknown[] }
  | { readonly kind: "permission"; readonly at: number; readonly permission: unknown; readonly answer: unknown }
  /** Joined text of the message chunks since the last such line, for searches. */
  | { readonly kind: "said"; readonly at: number; readonly said: string }
  /** `end` is the prompt's result or error. */
  | {
      readonly kind: "end";
      readonly at: number;
      readonly turn: number;
      readonly end: unknown;
      readonly summary: SessionSummary;
    }
  /** State of the files that a turn used, checked after the turn's end. */
  | { readonly kind: "files"; readonly at: number; readonly turn: number; readonly files: readonly TouchedFile[] }
  /** From here on, the session continues another conversation, and turn numbers continue from that conversation. */
  | { readonly kind: "continues"; readonly at: number; readonly continues: StoredContinued }
  /** Marks a place where data is missing because the disk failed or was too slow. */
  | { readonly kind: "gap"; readonly at: number };

/** Parses a line; undefined if incomplete or from a later version. */
export function parseRecord(line: string): StoredRecord | undefined {
  const value = parsedObject(line);
  if (!value) return undefined;
  if (value["version"] === 1) return headerOf(value);
  const { at, turn } = value;
  if (typeof at !== "number") return undefined;
  const update = asObject(value["update"]);
  if (update) return { kind: "update", at, params: update, ...(value["byUser"] === true && { byUser: true }) };
  const child = asObject(value["child"]);
  if (child) return { kind: "child", at, params: child };
  if (typeof turn === "number" && Array.isArray(value["prompt"])) {
    return { kind: "prompt", at, turn, prompt: value["prompt"] as readonly unknown[] };
  }
  if (typeof turn === "number" && "end" in value) return endOf(value, at, turn);
  if (typeof turn === "number" && Array.isArray(value["files"])) {
    return { kind: "files", at, turn, files: filesOf(value["files"]) };
  }
  if ("permission" in value)
    return { kind: "permission", at, permission: value["permission"], answer: value["answer"] };
  if (typeof value["said"] === "string") return { kind: "said", at, said: value["said"] };
  const continues = continuedOf(value["continues"]);
  if (continues) return { kind: "continues", at, continues };
  return value["gap"] === true ? { kind: "gap", at } : undefined;
}

function continuedOf(value: unknown): StoredContinued | undefined {
  const { conversation, turn } = asObject(value) ?? {};
  return typeof conversation === "string" && typeof turn === "number" ? { conversation, turn } : undefined;
}

function headerOf(value: Readonly<Record<string, unknown>>): StoredRecord | undefined {
  const { session, cwd, client, agent, branch, started } = value;
  const continues = continuedOf(value["continues"]);
  if (typeof session !== "string" || typeof cwd !== "string" || typeof started !== "number") return undefined;
  const header: SessionHeader = {
    version: 1,
    session,
    cwd,
    ...(typeof client === "string" && { client }),
    ...(typeof agent === "string" && { agent }),
    ...(typeof branch === "string" && { branch }),
    ...(continues && { continues }),
    started,
  };
  return { kind: "header", header };
}

function endOf(value: Readonly<Record<string, unknown>>, at: number, turn: number): StoredRecord {
  const { title, agent, turns, tokens } = asObject(value["summary"]) ?? {};
  return {
    kind: "end",
    at,
    turn,
    end: value["end"],
    summary: {
      title: textOf(title),
      agent: textOf(agent),
      turns: typeof turns === "number" ? turns : turn,
      tokens: typeof tokens === "number" ? tokens : 0,
    },
  };
}

function filesOf(values: readonly unknown[]): readonly TouchedFile[] {
  return values.flatMap((file) => {
    const { path, sha256 } = asObject(file) ?? {};
    if (typeof path !== "string") return [];
    return [{ path, ...(typeof sha256 === "string" && { sha256 }) }];
  });
}

/** Joins the texts of content blocks and the addresses of links. */
export function textOfBlocks(blocks: readonly unknown[]): string {
  const texts = blocks.map((value) => {
    const { type, text, uri, resource } = asObject(value) ?? {};
    if (typeof text === "string") return text;
    if (typeof uri === "string") return uri;
    const embedded = asObject(resource);
    if (typeof embedded?.["uri"] === "string") return embedded["uri"];
    return typeof type === "string" ? `[${type}]` : "";
  });
  return texts.filter((text) => text !== "").join("\n");
}

/** Returns whether a content block is Symposium's document for continuing a conversation. */
export function isHandOff(block: unknown): boolean {
  const uri = asObject(asObject(block)?.["resource"])?.["uri"];
  return typeof uri === "string" && uri.startsWith(handOffStart);
}
