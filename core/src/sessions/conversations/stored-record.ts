import { redacted } from "../../base/credential-forms.js";
import { asObject, parsedObject, textOf } from "../../base/rpc/json.js";

/** The addresses of documents by which agents go on with a conversation begin so. */
export const handOffStart = "symposium://handoff/";

/** A conversation, by its id, after whose turn another one goes on. */
export interface StoredContinued {
  readonly conversation: string;
  readonly turn: number;
}

/** The first line of a session's file. Unknown members are from a later version. */
export interface SessionHeader {
  readonly version: 1;
  /** What the editor calls the session. */
  readonly session: string;
  readonly cwd: string;
  /** The name by which the client has introduced itself. */
  readonly client?: string;
  /** The name of the agent that it began with. */
  readonly agent?: string;
  /** Of git, when the file was begun. */
  readonly branch?: string;
  /** What it goes on with from its beginning: its own turns count on from there. */
  readonly continues?: StoredContinued;
  /** Milliseconds since 1970, as all times here. */
  readonly started: number;
}

/** What a list says of a session; each turn's end repeats it, so that the end of a file is enough to know. */
export interface SessionSummary {
  readonly title: string;
  readonly agent: string;
  readonly turns: number;
  /** As agents count them; 0 where they do not. */
  readonly tokens: number;
}

/** A file that a tool call of a turn named, as it was after its end. */
export interface TouchedFile {
  readonly path: string;
  /** Hexadecimal; undefined where there is no such file, or one that is too large to be read. */
  readonly sha256?: string;
}

/** Whether a part of `path` was hidden when the conversation was kept, so that nobody can find the file by it. */
export function isHiddenPath(path: string): boolean {
  return path.includes(redacted);
}

/** One line of a session's file. */
export type StoredRecord =
  | { readonly kind: "header"; readonly header: SessionHeader }
  /** The parameters of a `session/update`, as they were sent to the editor; `byUser`: the client said it into the turn. */
  | {
      readonly kind: "update";
      readonly at: number;
      readonly params: Readonly<Record<string, unknown>>;
      readonly byUser?: true;
    }
  /** The same of a sub-agent's session. */
  | { readonly kind: "child"; readonly at: number; readonly params: Readonly<Record<string, unknown>> }
  /** `prompt` are content blocks. Turns count from 1. */
  | { readonly kind: "prompt"; readonly at: number; readonly turn: number; readonly prompt: readonly unknown[] }
  /** What was asked with `session/request_permission`, and its answer: the result, or the error. */
  | { readonly kind: "permission"; readonly at: number; readonly permission: unknown; readonly answer: unknown }
  /** What the message chunks since the last such line come to, for searches. */
  | { readonly kind: "said"; readonly at: number; readonly said: string }
  /** `end` is the result of the prompt, or its error. */
  | {
      readonly kind: "end";
      readonly at: number;
      readonly turn: number;
      readonly end: unknown;
      readonly summary: SessionSummary;
    }
  /** What has become of the files of a turn, when they had been looked at after its end. */
  | { readonly kind: "files"; readonly at: number; readonly turn: number; readonly files: readonly TouchedFile[] }
  /** From here on it goes on with that, and its turns count on from there. */
  | { readonly kind: "continues"; readonly at: number; readonly continues: StoredContinued }
  /** Something is missing here, since the disk did not take it, or not as fast as it came. */
  | { readonly kind: "gap"; readonly at: number };

/** Reads a line; undefined for one that was not finished, or is of a later version. */
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

/** The text of content blocks that have one, with the addresses of those that are links. */
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

/** Whether a content block is not the user's: it tells an agent what it goes on with. */
export function isHandOff(block: unknown): boolean {
  const uri = asObject(asObject(block)?.["resource"])?.["uri"];
  return typeof uri === "string" && uri.startsWith(handOffStart);
}
