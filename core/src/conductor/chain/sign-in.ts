import { arrayOf, elementsOf, memberOf, withMember } from "../../base/rpc/json-edit.js";
import { asObject, Json, stringsOf, stringMembersOf } from "../../base/rpc/json.js";
import { Outcome } from "../../base/rpc/message.js";
import { formatShellWords } from "../../base/shell-words.js";
import type { Command } from "../../base/command.js";

/** A sign-in that an agent offers in a terminal: its own command with other arguments (ACP v1, `authMethods`). */
export type TerminalSignIn = Pick<SignIn, "id" | "name" | "args" | "env">;

/** The terminal sign-ins in the answer to `initialize`. */
export function terminalSignIns(initialized: unknown): TerminalSignIn[] {
  const methods = asObject(initialized)?.["authMethods"];
  if (!Array.isArray(methods)) return [];
  return methods.flatMap((method: unknown) => {
    const { type, id, name, args, env } = asObject(method) ?? {};
    if (type !== "terminal" || typeof id !== "string") return [];
    return [{ id, name: typeof name === "string" ? name : id, args: stringsOf(args), env: stringMembersOf(env) }];
  });
}

/** Programs that start another one, and how many words of their arguments, options aside, name it. */
const launchers: Readonly<Record<string, number>> = {
  npx: 1,
  bunx: 1,
  uvx: 1,
  pipx: 2,
  node: 1,
  bun: 1,
  python: 1,
  python3: 1,
  deno: 2,
};

/** Options of the launchers whose value is the next word. */
const valueOptions: ReadonlySet<string> = new Set(["--package", "-p", "--from", "--spec", "--with", "--python"]);

/**
 * The command of a terminal sign-in: the agent's, with the method's arguments in place of its own. What a
 * launcher such as npx needs to find the agent stays.
 */
export function signInCommand(agent: Command, method: TerminalSignIn): Command {
  const program = agent.command.replace(/^.*[\\/]/, "").replace(/\.(exe|cmd)$/i, "");
  let wanted = launchers[program] ?? 0;
  const kept: string[] = [];
  for (const [index, word] of agent.args.entries()) {
    if (wanted === 0) break;
    kept.push(word);
    if (!word.startsWith("-") && !valueOptions.has(agent.args[index - 1] ?? "")) wanted--;
  }
  return { ...agent, args: [...kept, ...method.args], env: { ...agent.env, ...method.env } };
}

/**
 * Editors run a terminal sign-in as *their* agent command with the method's arguments. Their agent is us, so
 * each method gets arguments that lead back to it: `argsFor(id)`. Everything else stays as the agent said it.
 */
export function withOwnSignIn(outcome: Outcome, argsFor: (id: string) => readonly string[]): Outcome {
  if (outcome.isError) return outcome;
  const methods = elementsOf(memberOf(outcome.json, "authMethods") ?? Json.null);
  if (!methods?.some(isTerminal)) return outcome;
  const rewritten = methods.map((method) => {
    const id = method.object?.["id"];
    if (!isTerminal(method) || typeof id !== "string") return method;
    return withMember(withMember(method, ["args"], Json.of(argsFor(id))), ["env"], Json.of({}));
  });
  return Outcome.result(withMember(outcome.json, ["authMethods"], arrayOf(rewritten)));
}

/**
 * Gives each terminal sign-in a whole command too, as `_meta["terminal-auth"]`: that of `self` with the method's
 * arguments. Zed 1.8 knows only that form, and editors differ in what the arguments of the other one replace. A form
 * that the agent has given itself stays.
 */
export function withTerminalAuth(outcome: Outcome, self: Command): Outcome {
  if (outcome.isError) return outcome;
  const methods = elementsOf(memberOf(outcome.json, "authMethods") ?? Json.null);
  if (!methods?.some(isTerminal)) return outcome;
  const signIns = terminalSignIns({ authMethods: methods.map(({ value }) => value) });
  const completed = methods.map((method) => {
    const signIn = signIns.find(({ id }) => isTerminal(method) && id === method.object?.["id"]);
    if (!signIn || asObject(method.object?.["_meta"])?.[terminalAuthKey] !== undefined) return method;
    const { name: label, args, env } = signIn;
    const command = { label, command: self.command, args: [...self.args, ...args], env: { ...self.env, ...env } };
    return withMember(method, ["_meta", terminalAuthKey], Json.of(command));
  });
  return Outcome.result(withMember(outcome.json, ["authMethods"], arrayOf(completed)));
}

const terminalAuthKey = "terminal-auth";

function isTerminal(method: Json): boolean {
  return method.object?.["type"] === "terminal";
}

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
  const terminal = asObject(asObject(method["_meta"])?.[terminalAuthKey]);
  const program = terminal?.["command"];
  if (terminal && typeof program === "string") {
    const args = stringsOf(terminal["args"]);
    const env = stringMembersOf(terminal["env"]);
    const commandLine = formatShellWords({ command: program, args, env }) ?? program;
    return { ...shared, kind: "terminal", args, env, commandLine };
  }
  const kind = type === undefined || type === "agent" ? "agent" : type === "terminal" ? "terminal" : "outside";
  return { ...shared, kind, args: stringsOf(method["args"]), env: stringMembersOf(method["env"]) };
}
