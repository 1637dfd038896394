import { asObject, parsedObject } from "../base/rpc/json.js";
import type { Command } from "../base/command.js";
import { parseComponentSpec } from "./component-spec.js";

const plainWord = /^[\w@%+=:,./-]+$/;
/** Controls, format characters and odd blanks: whoever judges a command has to see them. */
const hidden = /(?! )[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The whole command that a component comes to, with its variables, or the crate or archives that it is made of; one line
 * in which nothing is hidden. Undefined where the name says it all: what is built in, registered, or a plain crate.
 */
export function whatRuns(text: string): string | undefined {
  const component = parseComponentSpec(text);
  if (component.kind === "command") return commandText(component.command);
  if (component.kind === "symposium")
    return wordsText(["symposium-acp-agent", component.subcommand, ...component.args]);
  return component.kind === "problem" ? obtained(text) : undefined;
}

/** A value of a description as one line in which nothing is hidden. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
}

function commandText({ command, args, env, cwd }: Command): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const words = wordsText([...variables, command, ...args]);
  return cwd === undefined ? words : `${words} (in ${visibleJson(cwd)})`;
}

function wordsText(words: readonly string[]): string {
  return words.map((word) => (plainWord.test(word) ? word : visibleJson(word))).join(" ");
}

/** What only an installation makes startable. */
function obtained(text: string): string | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const value = parsedObject(text);
  if (!value) return undefined;
  const { binary, cargo } = asObject(value["distribution"]) ?? {};
  if (binary !== undefined) return visibleJson(binary);
  const isPlain = Object.keys(asObject(cargo) ?? {}).every((key) => key === "crate" || key === "version");
  return isPlain ? undefined : visibleJson(cargo);
}
