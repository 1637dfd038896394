import type { AgentSession, Answer } from "./agent-session.js";
import type { LineInput } from "./line-input.js";
import { type Members, objectMember, textMember, textsMember } from "./members.js";
import { safeLine } from "./safe-text.js";
import type { Transcript } from "./transcript.js";
import { shellWord } from "../../settings/shell-words.js";

export interface AuthenticationOptions {
  readonly session: AgentSession;
  readonly transcript: Transcript;
  /** Absent where nobody can be asked. */
  readonly input: LineInput | undefined;
  /** The command that starts the agent, to show with the arguments of a login; absent when it is not known. */
  readonly agentCommand: string | undefined;
}

/**
 * Lets the user choose a way to log in and takes it. The value is what `authenticate` answered, an empty result after
 * a login in another terminal, or undefined when nobody chose.
 */
export async function authenticate(options: AuthenticationOptions): Promise<Answer | undefined> {
  const { session, transcript, input } = options;
  const methods = session.authMethods;
  transcript.warn(`${safeLine(session.title)} asks you to log in.`);
  for (const line of methods.map((method, index) => methodLine(method, index, options))) transcript.warn(line);
  if (methods.length === 0) transcript.warn("It names no way to do so: see its documentation.");
  if (input === undefined || methods.length === 0) return undefined;
  const method = await choose(methods, input, transcript);
  if (method === undefined) return undefined;
  const command = loginCommand(method, options);
  if (command === undefined) return session.authenticate(textMember(method, "id") ?? "");
  transcript.warn(`Run in another terminal: ${command}`);
  return (await input.ask("Press Enter when you have logged in. ")) === undefined ? undefined : { result: {} };
}

async function choose(
  methods: readonly Members[],
  input: LineInput,
  transcript: Transcript,
): Promise<Members | undefined> {
  for (;;) {
    const line = await input.ask(transcript.style.bold(`log in with [1-${methods.length}] `));
    if (line === undefined) return undefined;
    const method = /^\s*\d+\s*$/.test(line) ? methods[Number(line) - 1] : undefined;
    if (method) return method;
    transcript.remark(`"${line.trim()}" is no number of the list`);
  }
}

function methodLine(method: Members, index: number, options: AuthenticationOptions): string {
  const name = textMember(method, "name") ?? textMember(method, "id") ?? "";
  const description = textMember(method, "description");
  const command = loginCommand(method, options);
  const parts = [name, description, command === undefined ? undefined : `run: ${command}`];
  return `  ${index + 1}. ${safeLine(parts.filter((part) => part !== undefined).join(" - "))}`;
}

/** The command of a login that happens in a terminal: the agent's own, with other arguments. */
function loginCommand(method: Members, { agentCommand }: AuthenticationOptions): string | undefined {
  if (method["type"] !== "terminal") return undefined;
  const env = Object.entries(objectMember(method, "env") ?? {}).map(
    ([name, value]) => `${name}=${shellWord(String(value))}`,
  );
  const args = (textsMember(method, "args") ?? []).map(shellWord);
  return safeLine([...env, agentCommand ?? "<the agent's command>", ...args].join(" "));
}
