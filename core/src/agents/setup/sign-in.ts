import { asObject, type Json } from "../../rpc/json.js";
import { formatShellWords } from "../../settings/shell-words.js";

/** A way to sign in that an agent offers: one of the `authMethods` of its answer to `initialize`. */
export interface SignIn {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** `agent`: `authenticate` does it. `terminal`: the user runs a command. `outside`: the user knows how. */
  readonly kind: "agent" | "terminal" | "outside";
  /** Of a terminal method: they replace the arguments that the agent is started with. */
  readonly args: readonly string[];
  /** Of a terminal method: added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Of a terminal method that names a program of its own (`_meta["terminal-auth"]`): the whole command line. */
  readonly commandLine?: string;
}

/** Reads `authMethods` where they stand in `json`; what has no id is left out. */
export function parseSignIns(json: Json): readonly SignIn[] {
  const methods = json.object?.["authMethods"];
  if (!Array.isArray(methods)) return [];
  return methods.flatMap((value: unknown) => parseSignIn(asObject(value)) ?? []);
}

function parseSignIn(method: Readonly<Record<string, unknown>> | undefined): SignIn | undefined {
  const id = method?.["id"];
  if (method === undefined || typeof id !== "string") return undefined;
  const { name, description, type } = method;
  const shared = {
    id,
    name: typeof name === "string" && name !== "" ? name : id,
    ...(typeof description === "string" && description !== "" ? { description } : {}),
  };
  const terminal = asObject(asObject(method["_meta"])?.["terminal-auth"]);
  const program = terminal?.["command"];
  if (terminal && typeof program === "string") {
    const args = strings(terminal["args"]);
    const env = variables(terminal["env"]);
    const commandLine = formatShellWords({ command: program, args, env }) ?? program;
    return { ...shared, kind: "terminal", args, env, commandLine };
  }
  const kind = type === undefined || type === "agent" ? "agent" : type === "terminal" ? "terminal" : "outside";
  return { ...shared, kind, args: strings(method["args"]), env: variables(method["env"]) };
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function variables(value: unknown): Record<string, string> {
  const entries = Object.entries(asObject(value) ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
