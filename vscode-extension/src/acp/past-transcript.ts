import { handOff, type Members, type PastConversation } from "@symposium-dev/core";
import type { Item, ItemOf, Transcript } from "../../protocol/index.js";

type PastTurn = PastConversation["turns"][number];
type PastCall = PastTurn["calls"][number];

/**
 * Returns a content block that describes a transcript to an agent that has no session for the conversation. `agent` is the name of the
 * agent that gave the answers.
 */
export function transcriptHandOff(
  { items, state }: Transcript,
  id: string,
  cwd: string,
  agent = state.agentName,
): readonly Members[] {
  const header = { version: 1, session: id, cwd, agent, started: startOf(items) } as const;
  const plan = items.findLast((item) => item.kind === "plan");
  const past: PastConversation = {
    header,
    agent,
    title: state.title,
    plan: plan?.entries ?? [],
    turns: turnsOf(items),
  };
  return past.turns.length === 0 ? [] : handOff(past, { id, hasLookUp: false }).map((block) => ({ ...block }));
}

function startOf(items: readonly Item[]): number {
  return items.find((item) => item.kind === "user")?.sentAt ?? 0;
}

function turnsOf(items: readonly Item[]): readonly PastTurn[] {
  const starts = items.flatMap((item, at) => (item.kind === "user" && item.isSteered !== true ? [at] : []));
  return starts.map((at, index) => turnOf(items.slice(at, starts[index + 1]), index + 1));
}

function turnOf(items: readonly Item[], number: number): PastTurn {
  const said: string[] = [];
  const user: string[] = [];
  const repeated: string[] = [];
  const calls: PastCall[] = [];
  const permissions: PastTurn["permissions"][number][] = [];
  let failure: string | undefined;
  for (const item of items) {
    // Only prompts that this client sent have a time; prompts without a time were replayed by the agent.
    if (item.kind === "user") (item.sentAt === undefined ? repeated : user).push(item.text);
    else if (item.kind === "text") said.push(item.text.trim());
    else if (item.kind === "tool") calls.push(callOf(item, `t${number}c${calls.length + 1}`));
    else if (item.kind === "permission" && item.answer) permissions.push(permissionOf(item, item.answer));
    else if (item.kind === "turn-end" && item.stopReason !== "end_turn") failure = item.stopReason;
  }
  const turn = { number, at: startOf(items), user: user.join("\n"), said, calls, permissions, files: [] };
  return {
    ...turn,
    ...(repeated.length > 0 && { repeated: repeated.join("\n") }),
    ...(failure !== undefined && { failure }),
  };
}

function callOf(item: ItemOf<"tool">, ref: string): PastCall {
  const changes = item.content.flatMap((part) =>
    part.type === "diff"
      ? [
          {
            path: part.path,
            kind: part.isNewFile ? ("created" as const) : ("changed" as const),
            added: part.added,
            removed: part.removed,
          },
        ]
      : [],
  );
  const changed = new Set(changes.map(({ path }) => path));
  const command = item.toolKind === "execute" ? item.input : undefined;
  const exitCode = item.exit?.code ?? undefined;
  return {
    ref,
    title: item.title,
    kind: item.toolKind,
    status: item.status,
    ...(command !== undefined && { command }),
    ...(exitCode !== undefined && { exitCode }),
    changes,
    paths: item.locations.map(({ path }) => path).filter((path) => !changed.has(path)),
    output: (item.output ?? "").slice(-1_000),
  };
}

function permissionOf(
  { command, title, options }: ItemOf<"permission">,
  { optionId }: NonNullable<ItemOf<"permission">["answer"]>,
): PastTurn["permissions"][number] {
  const { kind, name } = options.find((option) => option.optionId === optionId) ?? {};
  // The answer's label is for the user and may be translated.
  return {
    asked: command ?? title,
    answer: name ?? optionId ?? "Cancelled",
    isRejected: kind === undefined || kind.startsWith("reject"),
  };
}
