import { asObject, parsedObject } from "../base/rpc/json.js";
import type { Command } from "../base/command.js";
import { parseComponentSpec } from "./component-spec.js";

const plainWord = /^[\w@%+=:,./-]+$/;
/** Control and format characters and unusual blanks, which a person approving a command must see. */
const hidden = /(?! )[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns a component's full command with variables, or its crate or archives, on one line without hidden characters. Undefined if the name
 * is sufficient: built in, registered, or a plain crate.
 */
export function whatRuns(text: string): string | undefined {
  const component = parseComponentSpec(text);
  if (component.kind === "command") return commandText(component.command);
  if (component.kind === "symposium")
    return wordsText(["symposium-acp-agent", component.subcommand, ...component.args]);
  return component.kind === "problem" ? obtained(text) : undefined;
}

/** Formats a value as JSON on one line, in which hidden characters are made visible. */
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

/** Describes a component that must be installed first; undefined for other components. */
function obtained(text: string): string | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const value = parsedObject(text);
  if (!value) return undefined;
  const { binary, cargo } = asObject(value["distribution"]) ?? {};
  if (binary !== undefined) return visibleJson(binary);
  const isPlain = Object.keys(asObject(cargo) ?? {}).every((key) => key === "crate" || key === "version");
  return isPlain ? undefined : visibleJson(cargo);
}
