import { asObject } from "../../base/rpc/json.js";
import { agentDefinition } from "../../settings/agent-definition.js";
import type { Command } from "../../base/command.js";
import { componentName } from "../../settings/component-name.js";
import { fault, type Fault, Place, type Problem } from "../../base/problem.js";
import { JsonDocument } from "../../settings/json-document.js";
import { mcpServerCommand } from "../../settings/mcp-server-command.js";
import { readPublishedEntry } from "./published-entry.js";
import type { RegistryEntry } from "./registry-entry.js";

export type EntryRequest =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "entry"; readonly entry: RegistryEntry }
  /** Complete command in the format of an ACP McpServer. */
  | { readonly kind: "command"; readonly name: string; readonly command: Command };

/** Parses an id, a URL, or JSON: an entry with a `distribution`, or an ACP McpServer. */
export function readEntryText(given: string): EntryRequest | Fault {
  const text = given.trim();
  if (text === "") return fault("The text is empty.", "Give an id from `registry list`, an address or JSON.");
  if (/^https?:/i.test(text)) return { kind: "address", address: text };
  if (!text.startsWith("{")) return { kind: "id", id: text };
  const problems: Problem[] = [];
  const document = JsonDocument.parse(text);
  const request = readObject(asObject(document.value) ?? {}, new Place(problems));
  return document.isBroken ? faultOf(document.problems) : (request ?? faultOf(problems));
}

/** Parses a published `extension.json`; comments are allowed. */
export function readPublishedText(text: string): RegistryEntry | Fault {
  const document = JsonDocument.parse(text);
  if (document.isBroken) return faultOf(document.problems);
  const problems: Problem[] = [];
  return readPublishedEntry(document.value, new Place(problems)) ?? faultOf(problems);
}

function readObject(object: Readonly<Record<string, unknown>>, place: Place): EntryRequest | null {
  if ("distribution" in object) {
    const isPublished = object["_source"] === "registry";
    const entry = isPublished ? readPublishedEntry(object, place) : readCustomEntry(object, place);
    return entry && { kind: "entry", entry };
  }
  if ("command" in object) {
    const server = mcpServerCommand.read(object, place);
    return server && { kind: "command", name: server.name ?? componentName(server.command), command: server.command };
  }
  return place.report(
    "The JSON names neither a program to start nor a way to install one.",
    'Add "id" and "distribution", or "command" (with "args" and "env").',
  );
}

function readCustomEntry(object: Readonly<Record<string, unknown>>, place: Place): RegistryEntry | null {
  const definition = agentDefinition.read(object, place);
  return definition && { ...definition, origin: "custom" };
}

function faultOf(problems: readonly Problem[]): Fault {
  const { message, hint } = problems.find(({ severity }) => severity === "error") ?? { message: "It cannot be read." };
  return fault(message, hint);
}

/** Default file name of an extension's description if the URL doesn't name a file. */
const descriptionFile = "extension.json";

const githubPage =
  /^https:\/\/(?:www\.)?github\.com\/([\w.-]+)\/([\w.-]+?)(?:\.git)?(?:\/(blob|raw|tree)\/([^?#]+))?\/?$/i;

/**
 * Converts a GitHub URL of a file, folder or repository to the URL of the raw file or of its `extension.json`. Returns other URLs
 * unmodified.
 */
export function extensionAddress(address: string): string {
  const [withoutFragment = ""] = address.trim().split("#");
  const [page = ""] = withoutFragment.split("?");
  const [, owner, repository, kind, rest] = githubPage.exec(page) ?? [];
  if (owner === undefined || repository === undefined) return withoutFragment;
  const base = `https://raw.githubusercontent.com/${owner}/${repository}`;
  const path = rest?.replace(/\/+$/, "");
  if (kind === undefined || path === undefined || path === "") return `${base}/HEAD/${descriptionFile}`;
  return kind.toLowerCase() === "tree" ? `${base}/${path}/${descriptionFile}` : `${base}/${path}`;
}
