import type { AgentClient } from "../../../conductor/client/agent-client.js";
import type { UncheckedAuthMethod } from "../../../conductor/client/initialized-agent.js";
import { asObject, isStrings, textOf, stringOf } from "../../../base/rpc/json.js";
import type { LineInput } from "./line-input.js";
import { safeLine } from "./safe-text.js";
import type { Transcript } from "./transcript.js";
import { shellWord } from "../../../base/shell-word.js";

interface AuthenticationOptions {
  readonly client: Pick<AgentClient, "authenticate">;
  readonly title: string;
  readonly methods: readonly UncheckedAuthMethod[];
  readonly transcript: Transcript;
  readonly input: LineInput | undefined;
  /** Agent's command, shown with the arguments of a terminal sign-in. Absent if unknown. */
  readonly agentCommand: string | undefined;
}

/** Asks the user for a sign-in method and runs it. Resolves with false if the user chose no method; rejects with the agent's refusal. */
export async function authenticate(options: AuthenticationOptions): Promise<boolean> {
  const { client, title, methods, transcript, input } = options;
  transcript.warn(`${safeLine(title)} needs you to sign in.`);
  for (const line of methods.map((method, index) => methodLine(method, index, options))) transcript.warn(line);
  if (methods.length === 0) transcript.warn("It offers no sign-in method. See its documentation.");
  if (input === undefined || methods.length === 0) return false;
  const method = await choose(methods, input, transcript);
  if (method === undefined) return false;
  const command = signInCommand(method, options);
  if (command === undefined) {
    await client.authenticate(textOf(method.id));
    return true;
  }
  transcript.warn(`Run in another terminal: ${command}`);
  return (await input.ask("Press Enter when you have signed in. ")) !== undefined;
}

async function choose(
  methods: readonly UncheckedAuthMethod[],
  input: LineInput,
  transcript: Transcript,
): Promise<UncheckedAuthMethod | undefined> {
  for (;;) {
    const line = await input.ask(transcript.style.bold(`sign in with [1-${methods.length}] `));
    if (line === undefined) return undefined;
    const method = /^\s*\d+\s*$/.test(line) ? methods[Number(line) - 1] : undefined;
    if (method) return method;
    transcript.remark(`"${line.trim()}" isn't a number in the list`);
  }
}

function methodLine(method: UncheckedAuthMethod, index: number, options: AuthenticationOptions): string {
  const name = stringOf(method.name) ?? textOf(method.id);
  const description = stringOf(method.description);
  const command = signInCommand(method, options);
  const parts = [name, description, command === undefined ? undefined : `run: ${command}`];
  return `  ${index + 1}. ${safeLine(parts.filter((part) => part !== undefined).join(" - "))}`;
}

function signInCommand(method: UncheckedAuthMethod, { agentCommand }: AuthenticationOptions): string | undefined {
  if (method.type !== "terminal") return undefined;
  const env = Object.entries(asObject(method.env) ?? {}).map(([name, value]) => `${name}=${shellWord(String(value))}`);
  const args = (isStrings(method.args) ? method.args : []).map(shellWord);
  return safeLine([...env, agentCommand ?? "<the agent's command>", ...args].join(" "));
}
