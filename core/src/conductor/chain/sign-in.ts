import { arrayOf, elementsOf, memberOf, withMember } from "../../base/rpc/json-edit.js";
import { asObject, Json, stringsOf, stringMembersOf } from "../../base/rpc/json.js";
import { Outcome } from "../../base/rpc/message.js";
import { formatShellWords } from "../../base/shell-words.js";
import type { Command } from "../../base/command.js";

/** Terminal sign-in offered by an agent, which runs the agent's command with other arguments (ACP v1, `authMethods`). */
export type TerminalSignIn = Pick<SignIn, "id" | "name" | "args" | "env">;

export function terminalSignIns(initialized: unknown): TerminalSignIn[] {
  const methods = asObject(initialized)?.["authMethods"];
  if (!Array.isArray(methods)) return [];
  return methods.flatMap((method: unknown) => {
    const { type, id, name, args, env } = asObject(method) ?? {};
    if (type !== "terminal" || typeof id !== "string") return [];
    return [{ id, name: typeof name === "string" ? name : id, args: stringsOf(args), env: stringMembersOf(env) }];
  });
}

/** Programs that start another program, each with the number of non-option arguments that name the other program. */
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

/** Launcher options whose value is the next word. */
const valueOptions: ReadonlySet<string> = new Set(["--package", "-p", "--from", "--spec", "--with", "--python"]);

/**
 * Builds a terminal sign-in's command: the agent's command with the method's arguments. Preserves the arguments that tell a launcher such
 * as npx which program to start.
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
 * Rewrites an agent's terminal sign-ins for editors, which run Symposium instead of the agent's command, with the method's arguments.
 * `argsFor(id)` returns the arguments with which Symposium runs the method. All other members stay unmodified.
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
 * Adds a complete command to each terminal sign-in as `_meta["terminal-auth"]`: `self` with the method's arguments. Zed 1.8 supports only
 * this form, and editors differ in which arguments the other form replaces. A form provided by the agent stays.
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

export interface SignIn {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Kind of sign-in. `agent`: uses `authenticate`. `terminal`: the user runs a command. `outside`: the user signs in elsewhere. */
  readonly kind: "agent" | "terminal" | "outside";
  /** For `terminal` sign-ins: arguments that replace the agent's arguments. */
  readonly args: readonly string[];
  /** For `terminal` sign-ins: variables added to the agent's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** For `terminal` sign-ins with their own program (`_meta["terminal-auth"]`): the complete command line. */
  readonly commandLine?: string;
}

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
