import type { KnownAgent } from "../known-agents.js";
import { numberIn } from "./read-choice.js";
import type { SetupProblem, SetupReason } from "./setup-agent-needs.js";
import type { SignIn } from "../../conductor/chain/sign-in.js";

const orChoose = "Fix the problem and type `retry`, or choose another agent.";

export function welcome(reason: SetupReason, agents: readonly KnownAgent[]): string {
  const opening =
    reason.kind === "absent"
      ? "Welcome to Symposium!\n\nNo configuration found. Let's set up your AI agent."
      : brokenConfig(reason.file, reason.problems);
  return `${opening}\n\n${question(agents)}`;
}

export function question(agents: readonly KnownAgent[]): string {
  const list = agents.map((agent, index) => `${index + 1}. **${agent.name}**: ${describe(agent)}`).join("\n");
  return `Which agent would you like to use?\n\n${list}\n\nType a number (1-${agents.length}) to select:`;
}

function brokenConfig(file: string, problems: readonly SetupProblem[]): string {
  const lines = problems.map(({ line, column, message, hint }) => {
    return `- \`${file}:${line}:${column}\`: ${hint === undefined ? message : `${message} ${hint}`}`;
  });
  const list = lines.length === 0 ? [`- \`${file}\``] : lines;
  return [
    `Symposium cannot use its configuration:`,
    list.join("\n"),
    "Correct the file and type `retry`, or choose an agent below: Symposium then keeps this file beside the new one " +
      "as `config.jsonc.broken-<number>`.",
  ].join("\n\n");
}

function describe({ description, origin, needs, missing }: KnownAgent): string {
  const notes: string[] = [];
  if (missing !== undefined) {
    notes.push(
      missing === "npx"
        ? "npx is not on PATH: install Node.js first"
        : `\`${missing}\` is not on PATH: install it first`,
    );
  } else if (origin === "npx") notes.push("npx downloads it on first start");
  else if (origin === "path") notes.push("found on PATH");
  if (needs !== undefined) notes.push(`needs ${needs}`);
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

export function notInList(text: string, count: number): string {
  const number = numberIn(text);
  if (number !== undefined) return `${number} isn't in the list. Choose a number from 1 to ${count}.`;
  if (text === "") return "Please answer with a number.";
  return "That isn't in the list. Choose an agent first, so that Symposium can answer.";
}

export function notASignIn(text: string, name: string, count: number): string {
  if (numberIn(text) !== undefined) return notInList(text, count);
  return `${atStart(name)} answers once you have signed in.`;
}

export function saved(path: string, agent: KnownAgent, extensions: readonly string[]): string {
  const lines = [`- agent: ${agent.name} (\`${agent.words}\`)`];
  if (extensions.length > 0) lines.push(`- extensions: ${extensions.join(", ")}`);
  return `Saved \`${path}\`:\n\n${lines.join("\n")}`;
}

export function starting(agent: KnownAgent): string {
  return agent.origin === "npx"
    ? `Starting ${agent.name}. The first start downloads it, which may take a minute.`
    : `Starting ${agent.name}.`;
}

export function nowTalking(name: string): string {
  return `You are now talking to ${name}.`;
}

export function waiting(name: string): string {
  return `Symposium is starting ${name}. Your next message goes to it.`;
}

/** Message for a session opened after the configuration was fixed or written elsewhere. */
export const configurationFound =
  "Symposium has found its configuration. Your next message goes to the configured agent.";

export function cannotStart(name: string, error: string): string {
  return `${atStart(name)} could not be started: ${error}\n\n${orChoose}`;
}

export function cannotOpen(name: string, error: string, isFree: boolean): string {
  const remedy = isFree ? orChoose : "Fix the problem and type `retry`.";
  return `${atStart(name)} did not open a session: ${error}\n\n${remedy}`;
}

/** Error text for an agent whose answer to `session/new` has no session id. */
export const noSessionId = "its answer to session/new has no session id.";

export const savedStays = "The saved configuration is unchanged until you choose another agent.";

export function agentEnded(name: string, error: string): string {
  return `${atStart(name)} is no longer running: ${error}`;
}

export const startAgain = "Type `retry` to start it again, or choose an agent.";

export function cannotSave(error: string): string {
  return `The configuration could not be saved: ${error}`;
}

/** Reports that the agent requires a sign-in. `isStill`: the agent refused again after a sign-in attempt. */
export function signInNeeded(name: string, error: string, isStill: boolean): string {
  return `${atStart(name)} ${isStill ? "still asks" : "asks"} you to sign in: ${error}`;
}

export function signInQuestion(methods: readonly SignIn[], why: string): string {
  if (methods.length === 0) {
    return (
      `${why}\n\nYou can't sign in from here. Sign in with the agent's own command in a terminal, then type \`retry\`. Type \`back\` to ` +
      "choose another agent."
    );
  }
  const list = methods.map(({ name, description }, index) => {
    return `${index + 1}. **${name}**${description === undefined ? "" : `: ${description}`}`;
  });
  return `${why}\n\nHow would you like to sign in?\n\n${list.join("\n")}\n\nType a number (1-${methods.length}), \`retry\` when you have signed in elsewhere, or \`back\` to choose another agent:`;
}

export function signInElsewhere(method: SignIn, command: string): string {
  const how =
    method.kind === "terminal"
      ? `Run this in a terminal:\n\n\`\`\`\n${command}\n\`\`\``
      : `${method.name} must be set up outside Symposium${method.description === undefined ? "." : `: ${method.description}`}`;
  return `${how}\n\nThen type \`retry\`. Type \`back\` to choose another agent.`;
}

/** Capitalizes "the" at the start of a sentence; product names stay unmodified. */
function atStart(name: string): string {
  return name.startsWith("the ") ? `T${name.slice(1)}` : name;
}
