import { applyEdits } from "jsonc-parser";
import type { Edit, Node } from "jsonc-parser";
import { SymposiumError } from "../base/symposium-error.js";
import type { AgentDefinition } from "./agent-definition.js";
import { JsonDocument } from "./json-document.js";
import { indentStepOf, insertLast, lineBreakOf, withEmptyRoot } from "./json-insertion.js";

export type AgentValue = string | AgentDefinition | Readonly<Record<string, unknown>>;

/** Returns the text of a new config.jsonc with `agent` and all of `proxyNames` enabled. */
export function newConfigText(agent: AgentValue, proxyNames: readonly string[]): string {
  return [
    "{",
    "  // The agent: a command line, the name of a known agent, or an object that says how to start it.",
    `  "agent": ${json(agent, "  ", "  ", "\n")},`,
    "",
    "  // The proxies between editor and agent; the first is nearest to the editor.",
    `  "proxies": ${proxyList(proxyNames, () => true, "  ", "  ", "\n")}`,
    "}",
    "",
  ].join("\n");
}

/** Replaces the agent in `text`, preserving comments and layout. Throws `invalid-config` if the text has syntax errors. */
export function withAgent(text: string, agent: AgentValue): string {
  return edit(text, (document, root) => {
    const step = indentStepOf(document.text);
    return setMember(document, root, "agent", (indent) => json(agent, indent, step, lineBreakOf(document.text)));
  });
}

/**
 * Enables or disables a proxy in `text`; a proxy that isn't listed is added at the end. If `proxies` is missing, adds it with
 * `builtInProxies`. Preserves the rest, like {@link withAgent}.
 */
export function withProxy(
  text: string,
  name: string,
  change: { readonly enabled: boolean },
  builtInProxies: readonly string[],
): string {
  return edit(text, (document, root) => {
    const proxies = document.nodeAt(["proxies"]);
    if (!proxies) {
      const names = builtInProxies.includes(name) ? builtInProxies : [...builtInProxies, name];
      const isEnabled = (each: string) => (each === name ? change.enabled : true);
      const step = indentStepOf(document.text);
      const lineBreak = lineBreakOf(document.text);
      return setMember(document, root, "proxies", (indent) => proxyList(names, isEnabled, indent, step, lineBreak));
    }
    if (proxies.type !== "array") throw notEditable('"proxies" is not a list.');
    const entry = proxies.children?.find((_, index) => document.nodeAt(["proxies", index, "name"])?.value === name);
    if (!entry) return insertLast(document.text, proxies, () => proxyText(name, change.enabled));
    return setMember(document, entry, "enabled", () => JSON.stringify(change.enabled));
  });
}

/**
 * Appends an item to the list `key` of `file`, creating the list if needed. Preserves the rest, like {@link withAgent}; errors name the
 * file.
 */
export function withItem(text: string, key: string, item: Readonly<Record<string, unknown>>, file: string): string {
  const edits = (document: JsonDocument, root: Node): readonly Edit[] => {
    const members = Object.entries(item).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
    const list = document.nodeAt([key]);
    const line = `{ ${members.join(", ")} }`;
    if (list && list.type !== "array") throw notEditable(`"${key}" is not a list.`, file);
    if (list) return insertLast(document.text, list, () => line);
    const [step, lineBreak] = [indentStepOf(document.text), lineBreakOf(document.text)];
    return setMember(document, root, key, (indent) => `[${lineBreak}${indent}${step}${line}${lineBreak}${indent}]`);
  };
  return edit(text, edits, file);
}

function edit(
  text: string,
  edits: (document: JsonDocument, root: Node) => readonly Edit[],
  file = "The configuration",
): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  let document = JsonDocument.parse(text);
  const [broken] = document.problems.filter(({ severity }) => severity === "error");
  if (broken) throw notEditable(`Line ${broken.line}, column ${broken.column}: ${broken.message}`, file);
  if (!document.root) document = JsonDocument.parse(withEmptyRoot(text.slice(mark.length)));
  else if (mark !== "") document = JsonDocument.parse(text.slice(1));
  const { root } = document;
  if (root?.type !== "object") throw notEditable("It is not an object.", file);
  return mark + applyEdits(document.text, [...edits(document, root)]);
}

function setMember(
  document: JsonDocument,
  object: Node,
  key: string,
  value: (indent: string) => string,
): readonly Edit[] {
  const property = object.children?.findLast((child) => child.children?.[0]?.value === key);
  const old = property?.children?.[1];
  if (!property || !old) {
    return insertLast(document.text, object, (indent) => `${JSON.stringify(key)}: ${value(indent)}`);
  }
  const lineStart = document.text.lastIndexOf("\n", property.offset - 1) + 1;
  const indent = /^[ \t]*/.exec(document.text.slice(lineStart))?.[0] ?? "";
  return [{ offset: old.offset, length: old.length, content: value(indent) }];
}

function proxyList(
  names: readonly string[],
  isEnabled: (name: string) => boolean,
  indent: string,
  step: string,
  lineBreak: string,
): string {
  if (names.length === 0) return "[]";
  const items = names.map((name) => `${lineBreak}${indent}${step}${proxyText(name, isEnabled(name))}`);
  return `[${items.join(",")}${lineBreak}${indent}]`;
}

function proxyText(name: string, enabled: boolean): string {
  return `{ "name": ${JSON.stringify(name)}, "enabled": ${enabled} }`;
}

function json(value: AgentValue, indent: string, step: string, lineBreak: string): string {
  return JSON.stringify(value, null, step).replaceAll("\n", `${lineBreak}${indent}`);
}

function notEditable(reason: string, file = "The configuration"): SymposiumError {
  return new SymposiumError(
    "invalid-config",
    `${file} can't be edited. ${reason}`,
    "Fix the file by hand, or delete it to start over.",
  );
}
