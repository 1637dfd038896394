import { go, single } from "fuzzysort";
import type { Attachment, Command, ContextResult } from "../../../protocol/index.js";

/** One line of the menu above the composer. `matches` are the indices of the letters of `label` that were typed. */
export interface Suggestion {
  readonly id: string;
  readonly label: string;
  readonly icon: string;
  readonly detail: string;
  readonly group: string;
  readonly matches: ReadonlySet<number>;
  /** What choosing it does: attaches something, or writes a command. */
  readonly choice: { readonly attachment: Attachment } | { readonly command: Command };
}

const groupOf: Readonly<Record<Attachment["type"], string>> = {
  selection: "Editor",
  problems: "Editor",
  terminal: "Editor",
  "git-diff": "Editor",
  text: "Editor",
  image: "Images",
  file: "Files",
  folder: "Folders",
  symbol: "Symbols",
};

/** Lines of the `@` menu: the extension's order, brought together by category in the order they first occur. */
export function toContextSuggestions(results: readonly ContextResult[], query: string): Suggestion[] {
  const groups = new Map<string, Suggestion[]>();
  for (const [index, { attachment, icon, detail }] of results.entries()) {
    const group = groupOf[attachment.type];
    const line: Suggestion = {
      id: `context-${index}`,
      label: attachment.label,
      icon,
      detail: detail ?? "",
      group,
      matches: matchesOf(query, attachment.label),
      choice: { attachment },
    };
    groups.set(group, [...(groups.get(group) ?? []), line]);
  }
  return [...groups.values()].flat();
}

/** Lines of the `/` menu: every command for an empty query, else those whose name or description fits, the best first. */
export function toCommandSuggestions(commands: readonly Command[], query: string): Suggestion[] {
  return filterCommands(commands, query).map((command) => ({
    id: `command-${command.name}`,
    label: `/${command.name}`,
    icon: "terminal",
    detail: command.description,
    group: "",
    matches: new Set([...matchesOf(query, command.name)].map((index) => index + 1)),
    choice: { command },
  }));
}

function filterCommands(commands: readonly Command[], query: string): readonly Command[] {
  if (query === "") return commands;
  const byName = go(query, commands, { key: "name", limit: 50, threshold: 0.2 }).map(({ obj }) => obj);
  const wanted = query.toLowerCase();
  const byDescription =
    query.length < 3
      ? []
      : commands.filter((one) => !byName.includes(one) && one.description.toLowerCase().includes(wanted));
  return [...byName, ...byDescription];
}

function matchesOf(query: string, label: string): ReadonlySet<number> {
  return new Set(query === "" ? [] : single(query, label)?.indexes);
}
