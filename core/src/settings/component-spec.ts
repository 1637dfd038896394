import { asObject } from "../base/rpc/json.js";
import { agentDefinition } from "./agent-definition.js";
import type { Command } from "../base/command.js";
import { componentName } from "./component-name.js";
import { commandOf } from "./distribution-command.js";
import { fault, type Fault, Place, type Problem } from "../base/problem.js";
import { JsonDocument } from "./json-document.js";
import { mcpServerCommand } from "./mcp-server-command.js";
import { describeValue } from "./shape.js";
import { parseShellWords } from "../base/shell-words.js";

/** Component as requested by the user. `name` is for messages; only proxies use `options`. */
export type Component = { readonly options?: Readonly<Record<string, unknown>> } &
  /** Name of a built-in or known component, or a program in PATH; the caller decides. */
  (
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "command"; readonly name: string; readonly command: Command }
    | {
        readonly kind: "symposium";
        readonly name: string;
        readonly subcommand: string;
        readonly args: readonly string[];
      }
  );

type ComponentSpec = Component | Fault;

const bareName = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;

/**
 * Reads the value of `--proxy` or `--agent`. Text starting with `{` is JSON: an ACP McpServer, an agent definition with a `distribution`,
 * or the `id` of a known or installed component (the last two may have `options`). A single word is a name; other text is shell words.
 * Never throws; `onWarning` receives ignored or likely wrong parts.
 */
export function parseComponentSpec(text: string, onWarning: (text: string) => void = () => undefined): ComponentSpec {
  const problems: Problem[] = [];
  const component = readComponentText(text, new Place(problems));
  for (const { severity, message } of problems) if (severity === "warning") onWarning(message);
  if (component) return component;
  const failure = problems.find(({ severity }) => severity === "error");
  return fault(failure?.message ?? "The component cannot be read.", failure?.hint);
}

/** Reads a component's text in a file; reports problems to `place`. */
export function readComponentText(text: string, place: Place): Component | null {
  if (text.trimStart().startsWith("{")) return readJson(text, place);
  const words = parseShellWords(text);
  if (words.kind === "problem") return place.report(words.message, words.hint);
  if (words.warning !== undefined) place.as("warning").report(words.warning);
  const { command, isBareWord } = words;
  if (isBareWord && bareName.test(command.command)) return { kind: "name", name: command.command };
  return { kind: "command", name: componentName(command), command };
}

/** Reads a component's JSON object; reports problems to `place`. */
export function readComponentObject(value: unknown, place: Place): Component | null {
  const object = asObject(value);
  if (!object) return place.report(`${place.label} must be text or an object, got ${describeValue(value)}.`);
  if ("distribution" in object) return readDefinition(object, place);
  if ("command" in object || "type" in object || "url" in object) {
    const server = mcpServerCommand.read(object, place);
    return server && { kind: "command", name: server.name ?? componentName(server.command), command: server.command };
  }
  const { id } = object;
  if (typeof id === "string" && bareName.test(id)) return withOptions({ kind: "name", name: id }, object, place);
  return place.report(
    `${place.label} doesn't say how to start or install a program.`,
    'Add "command" (with "args" and "env"), "id" and "distribution", or the "id" of one that is installed.',
  );
}

function readDefinition(object: Readonly<Record<string, unknown>>, place: Place): Component | null {
  const definition = agentDefinition.read(object, place);
  if (!definition) return null;
  const start = commandOf(definition.distribution);
  if (start.kind === "problem") return place.child("distribution").report(start.message, start.hint);
  return withOptions({ ...start, name: definition.name }, object, place);
}

function withOptions(component: Component, object: Readonly<Record<string, unknown>>, place: Place): Component {
  const { options } = object;
  if (options === undefined) return component;
  const read = asObject(options);
  if (read) return { ...component, options: read };
  const there = place.child("options").as("warning");
  there.report(`${there.label} must be an object, got ${describeValue(options)}.`, "It has no effect.");
  return component;
}

function readJson(text: string, place: Place): Component | null {
  const document = JsonDocument.parse(text);
  const inner: Problem[] = [];
  const component = document.isBroken ? null : readComponentObject(document.value, new Place(inner));
  for (const found of [...document.problems, ...inner.map((problem) => document.locate(problem))]) {
    const where = `line ${found.line}, column ${found.column}`;

    place.as(found.severity).report(`In the component's JSON, ${where}: ${found.message}`, found.hint);
  }
  return component;
}
