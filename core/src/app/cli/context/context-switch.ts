import { stringsOf } from "../../../base/rpc/json.js";
import { resolve } from "node:path";
import { invalidArguments, type SymposiumError } from "../../../base/symposium-error.js";
import { matchesStars } from "../../../base/star-pattern.js";
import { serverPrefix } from "../../../settings/context-exclusions.js";
import { settingAt, withItem, withoutItems, withoutSetting, withSetting } from "../../../settings/settings-edit.js";
import { type ContextReport, namesOf, type ReportedItem } from "./context-report.js";
import { editUserServers } from "../../../context/servers/node/servers-in-config.js";

interface Switched {
  readonly item: ReportedItem;
  readonly tool?: string;
}

type Edit = (text: string, file: string) => string;

const excludePath = ["context", "exclude"] as const;

/**
 * Switches an item off or on in the user's config.jsonc, starting with the next session: a server by `enabled`, a server's tool by
 * `excludeTools`, anything else by `context.exclude`. Returns a sentence for display. Rejects with `invalid-arguments` if no item has this
 * name or another setting disables it.
 */
export async function switchContext(report: ContextReport, name: string, isOn: boolean): Promise<string> {
  const switched = found(report, name);
  const edit = isOn ? switchingOn(switched, report.folder) : switchingOff(switched);
  const changes: boolean[] = [];
  const file = await editUserServers((text, configFile) => {
    const changed = edit(text, configFile);
    changes.push(changed !== text);
    return changed;
  });
  const what = switched.tool === undefined ? switched.item.title : `${switched.item.title}/${switched.tool}`;
  if (changes.includes(true)) return `${what} is ${isOn ? "on" : "off"} from the next session (${file}).`;
  if (isOn && isOffElsewhere(switched)) throw keptOff(switched, what);
  return `${what} is ${isOn ? "on" : "off"} already.`;
}

/**
 * Switches every current item that matches `pattern` by name, switch name or `KIND:NAME`; `*` matches any characters. Items that appear
 * later aren't affected.
 */
export async function switchMatching(report: ContextReport, pattern: string, isOn: boolean): Promise<string> {
  const names = report.items.flatMap((item) => matchingNames(item, pattern, isOn));
  for (const name of names) await switchContext(report, name, isOn);
  const state = isOn ? "on" : "off";
  if (names.length > 0) return `${names.length} switched ${state} from the next session: ${names.join(", ")}.`;
  throw invalidArguments(
    `context: nothing in ${resolve(report.folder)} that is ${isOn ? "off" : "on"} matches "${pattern}".`,
    "A pattern matches the names that `symposium-acp-agent context` shows, or skill:NAME, mcp:SERVER or mcp:SERVER/TOOL.",
  );
}

/** Returns the switches that match a pattern and need a change: the item's own switch, or otherwise its tools' switches. */
function matchingNames(item: ReportedItem, pattern: string, isOn: boolean): readonly string[] {
  const { kind, title, origin, switch: own } = item;
  const prefix = kind === "server" ? serverPrefix : `${kind}:`;
  const isMeant = (names: readonly string[]): boolean => names.some((name) => matchesStars(pattern, name));
  if (own && isMeant([title, origin, own.name, `${prefix}${title}`])) return own.isOff === isOn ? [own.name] : [];
  const tools = (kind === "server" ? (isOn ? item.offTools : item.tools) : undefined) ?? [];
  return tools.map((tool) => `${serverPrefix}${title}/${tool}`).filter((name) => isMeant([name]));
}

function found({ items, folder }: ContextReport, name: string): Switched {
  const servers = items.filter(({ kind }) => kind === "server");
  const text = name.startsWith(serverPrefix) ? name.slice(serverPrefix.length) : name;
  const tools = servers.flatMap((item): Switched[] => {
    const tool = text.startsWith(`${item.title}/`) ? text.slice(item.title.length + 1) : "";
    return item.tools?.includes(tool) === true || item.offTools?.includes(tool) === true ? [{ item, tool }] : [];
  });
  const isMeant = (item: ReportedItem): boolean =>
    item.kind === "server" ? item.title === text : item.title === name || namesOf(item, [name], folder).length > 0;
  const whole = items.filter(isMeant);
  // Among equal names, prefers items that can be switched.
  const named = whole.filter((item) => item.switch !== undefined);
  const all = [...(named.length > 0 ? named : whole).map((item): Switched => ({ item })), ...tools];
  const [first, ...others] = all;
  if (!first) {
    throw invalidArguments(
      `context: there is no "${name}" in ${resolve(folder)}.`,
      "Use the name that `symposium-acp-agent context` shows, or mcp:SERVER/TOOL for a tool.",
    );
  }
  if (others.length > 0) {
    const names = all.map(({ item: { switch: own, origin } }) => own?.name ?? origin).join(", ");
    throw invalidArguments(`context: more than one item matches "${name}".`, `Use one of: ${names}.`);
  }
  return first;
}

function switchingOff({ item, tool }: Switched): Edit {
  const isOwn = item.from === "user";
  if (tool !== undefined) {
    if (item.offTools?.includes(tool) === true) return (text) => text;
    if (isOwn) return inOwnEntry(item, (text, file) => withItem(text, [...entryOf(item), "excludeTools"], tool, file));
    return (text, file) => withItem(text, excludePath, `${serverPrefix}${item.title}/${tool}`, file);
  }
  const own = item.switch;
  if (own === undefined) {
    throw invalidArguments(
      `context: ${item.title} can't be switched off: ${item.reason}.`,
      "You can switch off only what Symposium sends to the agent.",
    );
  }
  if (own.isOff) return (text) => text;
  if (item.kind === "server" && isOwn) {
    return inOwnEntry(item, (text, file) => withSetting(text, [...entryOf(item), "enabled"], false, file));
  }
  return (text, file) => withItem(text, excludePath, own.name, file);
}

/**
 * Limits an edit to an existing server entry. The entry may have been deleted since the report, and creating it again would not define a
 * server.
 */
function inOwnEntry(item: ReportedItem, edit: Edit): Edit {
  return (text, file) => {
    if (settingAt(text, entryOf(item), file) !== undefined) return edit(text, file);
    throw invalidArguments(
      `context: ${item.title} is no longer in ${file}.`,
      "Nothing was changed. Run `symposium-acp-agent context` to see the current list.",
    );
  };
}

function entryOf({ title }: ReportedItem): readonly ["mcpServers", string] {
  return ["mcpServers", title];
}

function switchingOn({ item, tool }: Switched, folder: string): Edit {
  const entry = entryOf(item);
  return (text, file) => {
    const isOwn = item.from === "user" && settingAt(text, entry, file) !== undefined;
    if (tool !== undefined) {
      const rest = withoutItems(text, excludePath, (one) => one === `${serverPrefix}${item.title}/${tool}`, file);
      return isOwn ? withoutItems(rest, [...entry, "excludeTools"], (one) => one === tool, file) : rest;
    }
    if (item.kind !== "server") {
      const names = namesOf(item, textsAt(text, file), folder);
      return withoutItems(text, excludePath, (one) => names.some((name) => name === one), file);
    }
    const rest = withoutItems(text, excludePath, (one) => one === `${serverPrefix}${item.title}`, file);
    if (!isOwn) return rest;
    const isFalse = settingAt(rest, [...entry, "enabled"], file) === false;
    const enabled = isFalse ? withoutSetting(rest, [...entry, "enabled"], file) : rest;
    const isDisabled = settingAt(enabled, [...entry, "disabled"], file) === true;
    return isDisabled ? withoutSetting(enabled, [...entry, "disabled"], file) : enabled;
  };
}

function textsAt(text: string, file: string): readonly string[] {
  const exclude = settingAt(text, excludePath, file);
  return stringsOf(exclude);
}

function isOffElsewhere({ item, tool }: Switched): boolean {
  return tool === undefined ? !item.isSent : item.offTools?.includes(tool) === true;
}

function keptOff({ item, tool }: Switched, what: string): SymposiumError {
  const reason =
    tool === undefined
      ? item.reason
      : 'it is switched off by the project, or by a pattern in "tools" or "excludeTools" of its entry';
  const hint = `Check ${item.origin} and "context" in config.jsonc.`;
  return invalidArguments(`context: ${what} can't be switched on: ${reason}.`, hint);
}
