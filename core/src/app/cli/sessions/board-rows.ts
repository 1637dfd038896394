import stringWidth from "fast-string-width";
import { displayNameOf } from "../../../agents/registry/built-in-agents.js";
import { byteCount } from "../../../agents/registry/download-size.js";
import { shortId } from "../../../sessions/conversations/node/named-session.js";
import type { Style } from "../style.js";
import { safeLine } from "../terminal-chat/safe-text.js";
import type { ListedConversation } from "./live-and-stored.js";

/** Conversation states in the board's order; the last, empty state is for conversations that aren't live. */
const states = ["waiting", "working", "failed", "idle", ""];
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Minimum terminal width, in columns, for showing token counts and worktrees. */
const columnsForTokens = 64;
const longestAgent = 14;
/** Columns for the mark of the selected line. */
const margin = 2;
const tokenCount = new Intl.NumberFormat("en", { notation: "compact" });

/** Line of the board; folders and headings have no conversation. */
export interface BoardRow {
  readonly text: string;
  readonly conversation?: ListedConversation;
}

interface BoardLook {
  /** Maximum line width in columns. Longer lines are cut; Infinity prints whole titles. */
  readonly columns: number;
  /** Whether to show the ids that other subcommands take. */
  readonly hasIds: boolean;
  readonly style: Style;
  /** Current time, in milliseconds since 1970. */
  readonly now: number;
  /** The user's home folder, shown as `~`. */
  readonly homeFolder: string;
}

/**
 * Returns the board's lines: conversations grouped by folder, first waiting and working conversations, then other live ones, then the
 * newest.
 */
export function boardRows(conversations: readonly ListedConversation[], look: BoardLook): readonly BoardRow[] {
  const { columns, style, homeFolder } = look;
  const rank = (one: ListedConversation): number => states.indexOf(stateOf(one));
  const sorted = [...conversations].sort((one, other) => rank(one) - rank(other) || other.updated - one.updated);
  const table = sorted.map((conversation) => ({ conversation, cells: cellsOf(conversation, look) }));
  const widths = headings.map((heading, at) => {
    const longest = Math.max(0, ...table.map(({ cells }) => stringWidth(cells[at] ?? "")));
    return longest === 0 ? 0 : Math.max(longest, heading.length);
  });
  const lineOf = (cells: readonly string[]): string => {
    const padded = cells.flatMap((cell, at) => {
      const width = widths[at] ?? 0;
      const space = " ".repeat(Math.max(0, width - stringWidth(cell)));
      return width === 0 ? [] : [at === cells.length - 1 ? cell : cell + space];
    });
    return clipped(padded.join("  "), columns - margin);
  };
  const rows: BoardRow[] = table.length === 0 ? [] : [{ text: style.dim(`  ${lineOf(headings)}`) }];
  for (const folder of new Set(sorted.map(({ cwd }) => cwd))) {
    rows.push({ text: style.bold(clippedStart(shortFolder(folder, homeFolder), columns)) });
    for (const { conversation, cells } of table) {
      if (conversation.cwd !== folder) continue;
      rows.push({ text: painted(lineOf(cells), stateOf(conversation), style), conversation });
    }
  }
  return rows;
}

/** Returns a summary such as `1 waiting, 2 working, 40 others`. */
export function boardSummary(conversations: readonly ListedConversation[]): string {
  const counts = ["waiting", "working"].map(
    (state) => [conversations.filter((one) => stateOf(one) === state).length, state] as const,
  );
  const others = conversations.length - counts.reduce((sum, [count]) => sum + count, 0);
  const parts = [...counts, [others, others === 1 ? "other" : "others"] as const];
  return parts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(", ");
}

const headings = ["state", "id", "agent", "age", "tokens", "worktree", "title"];

function cellsOf(
  { title, updated, stored, live, worktree }: ListedConversation,
  { columns, hasIds, now }: BoardLook,
): readonly string[] {
  const { agent = live?.agent ?? "", tokens = 0 } = stored ?? {};
  const id = stored ? shortId(stored.id) : (live?.sessionId ?? "");
  return [
    live?.state ?? "",
    hasIds ? safeLine(id) : "",
    clipped(safeLine(displayNameOf(agent)), longestAgent),
    ageOf(now - updated),
    columns < columnsForTokens || tokens === 0 ? "" : tokenCount.format(tokens),
    columns < columnsForTokens || !worktree
      ? ""
      : `${clipped(safeLine(worktree.name), longestAgent)} ${byteCount(worktree.bytes)}`,
    title === "" ? "(no title)" : safeLine(title),
  ];
}

export function stateOf({ live }: ListedConversation): string {
  return live?.state ?? "";
}

function ageOf(ms: number): string {
  if (ms < minuteMs) return "now";
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)}m`;
  return ms < dayMs ? `${Math.floor(ms / hourMs)}h` : `${Math.floor(ms / dayMs)}d`;
}

function painted(line: string, state: string, style: Style): string {
  if (state === "") return line;
  const rest = line.slice(state.length);
  if (state === "waiting") return style.yellow(state) + rest;
  if (state === "failed") return style.red(state) + rest;
  return (state === "working" ? style.green(state) : state) + rest;
}

function shortFolder(folder: string, homeFolder: string): string {
  const isInHome = folder === homeFolder || /^[/\\]/.test(folder.slice(homeFolder.length));
  return safeLine(isInHome && folder.startsWith(homeFolder) ? `~${folder.slice(homeFolder.length)}` : folder);
}

/** Cuts text to `columns`, and marks the cut. */
export function clipped(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let kept = "";
  for (const character of text) {
    if (stringWidth(kept + character) >= columns) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Cuts the beginning of a text, since the end of a path is more informative. */
function clippedStart(text: string, columns: number): string {
  let rest = text;
  while (rest !== "" && stringWidth(rest) >= columns) rest = rest.slice(1);
  return stringWidth(text) <= columns ? text : `…${rest}`;
}
