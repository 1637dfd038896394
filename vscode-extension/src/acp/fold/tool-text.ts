import { boundedJson } from "../tool-content.js";
import { objectOf, objectsOf, stringOf, type WireObject } from "../wire.js";

/** The command in a tool's raw input, where it has one: as text, or as words joined the way a shell reads them. */
export function commandLineOf(rawInput: unknown): string | undefined {
  const command = objectOf(rawInput)?.["command"] ?? objectOf(rawInput)?.["cmd"];
  if (typeof command === "string") return command;
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return undefined;
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

/** Everything a tool call has put out: its texts, else its raw output as JSON. */
export function fullOutputOf(raw: WireObject): string {
  const texts = objectsOf(raw["content"]).flatMap((part) => stringOf(objectOf(part["content"])?.["text"]) ?? []);
  return texts.length > 0 ? texts.join("\n") : boundedJson(raw["rawOutput"], Infinity);
}
