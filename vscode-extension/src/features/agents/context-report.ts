import * as l10n from "@vscode/l10n";
import * as z from "zod/mini";

const item = z.object({
  kind: z.string(),
  title: z.string(),
  origin: z.string(),
  bytes: z.number(),
  tokens: z.number(),
  isSent: z.boolean(),
  reason: z.string(),
  tools: z.optional(z.array(z.string())),
  offTools: z.optional(z.array(z.string())),
  switch: z.optional(z.object({ name: z.string(), isOff: z.boolean() })),
  needsApproval: z.optional(z.boolean()),
});

/** Output of `symposium-acp-agent context --json`. */
export const contextReport = z.object({
  items: z.array(item),
  tools: z.object({ count: z.number(), bytes: z.number(), tokens: z.number() }),
  bytes: z.number(),
  tokens: z.number(),
});

export type ContextReport = z.infer<typeof contextReport>;

interface ContextLine {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  /** Source file; undefined if the item doesn't come from a file. */
  readonly file: string | undefined;
  /** Name for `context off` and `context on`; undefined if the item can't be switched. */
  readonly switch: { readonly name: string; readonly isOff: boolean } | undefined;
  readonly isServer: boolean;
  /** True if the item is inactive until the user allows the project's configuration. */
  readonly needsApproval: boolean;
}

export function contextLines(
  report: ContextReport,
): readonly (readonly [heading: string, lines: readonly ContextLine[]])[] {
  const kinds = [...new Set(report.items.map(({ kind }) => kind))];
  return kinds.map((kind) => [headings[kind] ?? kind, report.items.filter((one) => one.kind === kind).map(lineOf)]);
}

export interface ContextOfTab {
  readonly state: { readonly agentId: string; readonly agentName: string };
  readonly record: { readonly folder?: string | undefined };
  /** Folders of the tab's conversation; undefined before the first prompt in this window. */
  readonly conversation: { readonly roots: readonly string[] } | undefined;
}

/**
 * Returns the agent and folder to report on. A tab's session stays in the folder it was started in, even if another folder comes first now.
 */
export function contextOf(
  tab: ContextOfTab | undefined,
  current: { readonly id: string; readonly name: string },
  folder: string,
): { readonly agentId: string; readonly agentName: string; readonly folder: string } {
  if (!tab) return { agentId: current.id, agentName: current.name, folder };
  const { state, record, conversation } = tab;
  const { agentId, agentName } = state;
  return { agentId, agentName, folder: conversation?.roots[0] ?? record.folder ?? folder };
}

export function contextSum({ bytes, tokens, tools }: ContextReport): string {
  const count = toolCount(tools.count);
  return `${sizeOf(bytes, tokens)}${tools.count === 0 ? "" : l10n.t(", including {0} from MCP servers", count)}`;
}

const headings: Readonly<Record<string, string>> = {
  rule: l10n.t("Rules"),
  skill: l10n.t("Skills"),
  command: l10n.t("Slash commands"),
  memory: l10n.t("Memory"),
  extension: l10n.t("Tools of extensions"),
  server: l10n.t("MCP servers"),
};

function lineOf(given: z.infer<typeof item>): ContextLine {
  const { kind, title, origin, bytes, tokens, isSent, reason, tools = [], offTools = [], switch: own } = given;
  const count = tools.length === 0 ? "" : `${toolCount(tools.length)}, `;
  const off = offTools.length === 0 ? "" : ` ${l10n.t("(off: {0})", offTools.join(", "))}`;
  const state = own?.isOff === true ? l10n.t("Off") : isSent ? l10n.t("Sent") : l10n.t("Not sent");
  return {
    label: `$(${isSent ? "check" : "circle-slash"}) ${title.replaceAll("$(", "$ (")}`,
    description: `${count}${sizeOf(bytes, tokens)}`,
    detail: `${own?.isOff === true ? l10n.t("{0}: use the button to turn it on again", state) : `${state}: ${reason}`}${off}`,
    file: /^(?:\/|[A-Za-z]:[\\/])/.test(origin) ? origin : undefined,
    switch: own,
    isServer: kind === "server",
    needsApproval: given.needsApproval === true,
  };
}

function toolCount(count: number): string {
  return count === 1 ? l10n.t("1 tool") : l10n.t("{0} tools", count);
}

function sizeOf(bytes: number, tokens: number): string {
  const size = bytes < 1_000 ? l10n.t("{0} bytes", bytes) : l10n.t("{0} kB", (bytes / 1_000).toFixed(1));
  return l10n.t("{0}, about {1} tokens", size, tokens);
}
