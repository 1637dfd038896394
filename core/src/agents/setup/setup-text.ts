import type { KnownAgent } from "../known-agents.js";
import { numberIn } from "./read-choice.js";
import type { SetupProblem, SetupReason } from "./setup-agent-needs.js";
import type { SignIn } from "../../conductor/chain/sign-in.js";

/** What the setup agent says, as Markdown. */

const orChoose = "Correct that and type `retry`, or choose another agent.";

/** Says what is the matter, and asks for an agent. */
export function welcome(reason: SetupReason, agents: readonly KnownAgent[]): string {
  const opening =
    reason.kind === "absent"
      ? "Welcome to Symposium!\n\nNo configuration found. Let's set up your AI agent."
      : brokenConfig(reason.file, reason.problems);
  return `${opening}\n\n${question(agents)}`;
}

/** The numbered list, and how to answer it. */
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
  } else if (origin === "npx") notes.push("npx downloads it at its first start");
  else if (origin === "path") notes.push("found on PATH");
  if (needs !== undefined) notes.push(`needs ${needs}`);
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

/** Why `text` is no answer to a list of `count` items. */
export function notInList(text: string, count: number): string {
  const number = numberIn(text);
  if (number !== undefined) return `There is no number ${number} in the list, which goes from 1 to ${count}.`;
  if (text === "") return "Please answer with a number.";
  return "That is not in the list. Symposium cannot answer anything else until an agent is chosen.";
}

/** Why `text` is no answer to the sign-in question of the agent called `name`. */
export function notASignIn(text: string, name: string, count: number): string {
  if (numberIn(text) !== undefined) return notInList(text, count);
  return `${atStart(name)} answers once you have signed in.`;
}

/** The configuration was written to `path`. */
export function saved(path: string, agent: KnownAgent, extensions: readonly string[]): string {
  const lines = [`- agent: ${agent.name} (\`${agent.words}\`)`];
  if (extensions.length > 0) lines.push(`- extensions: ${extensions.join(", ")}`);
  return `Saved \`${path}\`:\n\n${lines.join("\n")}`;
}

/** The agent is being started, which may take a while when it has to be downloaded. */
export function starting(agent: KnownAgent): string {
  return agent.origin === "npx"
    ? `Starting ${agent.name}. The first start downloads it, which may take a minute.`
    : `Starting ${agent.name}.`;
}

/** The session is with the agent now. */
export function nowTalking(name: string): string {
  return `You are now talking to ${name}.`;
}

/** In a session that is opened while the agent called `name` starts. */
export function waiting(name: string): string {
  return `Symposium is starting ${name}. Your next message goes to it.`;
}

/** In a session that is opened after the configuration has been repaired or written elsewhere. */
export const configurationFound =
  "Symposium has found its configuration. Your next message goes to the configured agent.";

/** The agent called `name` did not get as far as a session. `error` is its own text. */
export function cannotStart(name: string, error: string): string {
  return `${atStart(name)} could not be started: ${error}\n\n${orChoose}`;
}

/** The agent refused the session; `error` is its own text. `isFree` says whether another one can be chosen. */
export function cannotOpen(name: string, error: string, isFree: boolean): string {
  const remedy = isFree ? orChoose : "Correct that and type `retry`.";
  return `${atStart(name)} did not open a session: ${error}\n\n${remedy}`;
}

/** In place of an error, where the agent's answer cannot be used. */
export const noSessionId = "its answer to session/new names no session.";

/** The user goes back from the agent that was saved. */
export const savedStays = "The saved configuration stays as it is until you choose another agent.";

/** The agent was there and is gone. */
export function agentEnded(name: string, error: string): string {
  return `${atStart(name)} is no longer running: ${error}`;
}

/** What to do after {@link agentEnded}. */
export const startAgain = "Type `retry` to start it again, or choose an agent.";

/** The configuration could not be written. */
export function cannotSave(error: string): string {
  return `The configuration could not be saved: ${error}`;
}

/** The agent called `name` refused the session with `error`; `isStill` after an attempt to sign in. */
export function signInNeeded(name: string, error: string, isStill: boolean): string {
  return `${atStart(name)} ${isStill ? "still asks" : "asks"} you to sign in: ${error}`;
}

/** Asks how to sign in. */
export function signInQuestion(methods: readonly SignIn[], why: string): string {
  if (methods.length === 0) {
    return `${why}\n\nIt offers no way to do so from here: sign in with its own command in a terminal, then type \`retry\`. Type \`back\` to choose another agent.`;
  }
  const list = methods.map(({ name, description }, index) => {
    return `${index + 1}. **${name}**${description === undefined ? "" : `: ${description}`}`;
  });
  return `${why}\n\nHow would you like to sign in?\n\n${list.join("\n")}\n\nType a number (1-${methods.length}), \`retry\` when you have signed in elsewhere, or \`back\` to choose another agent:`;
}

/** How to sign in where this program cannot do it. */
export function signInElsewhere(method: SignIn, command: string): string {
  const how =
    method.kind === "terminal"
      ? `Run this in a terminal:\n\n\`\`\`\n${command}\n\`\`\``
      : `${method.name} has to be set up outside${method.description === undefined ? "." : `: ${method.description}`}`;
  return `${how}\n\nThen type \`retry\`. Type \`back\` to choose another agent.`;
}

/** A name as a sentence begins with it: only the one that is no name of its own changes. */
function atStart(name: string): string {
  return name.startsWith("the ") ? `T${name.slice(1)}` : name;
}
