import { asObject } from "../rpc/json.js";
import { Json } from "../rpc/json.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../rpc/json-edit.js";
import { Outcome } from "../rpc/message.js";
import type { Command } from "./component-process.js";

/** A sign-in that an agent offers in a terminal: its own command with other arguments (ACP v1, `authMethods`). */
export interface TerminalSignIn {
  readonly id: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The terminal sign-ins in the answer to `initialize`. */
export function terminalSignIns(initialized: unknown): TerminalSignIn[] {
  const methods = asObject(initialized)?.["authMethods"];
  if (!Array.isArray(methods)) return [];
  return methods.flatMap((method: unknown) => {
    const { type, id, name, args, env } = asObject(method) ?? {};
    if (type !== "terminal" || typeof id !== "string") return [];
    const words = Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
    const values = Object.entries(asObject(env) ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    return [{ id, name: typeof name === "string" ? name : id, args: words, env: Object.fromEntries(values) }];
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
