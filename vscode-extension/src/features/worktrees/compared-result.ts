import type { Item, TabState } from "../../../protocol/index.js";

export interface ComparedFile {
  readonly path: string;
  readonly added?: number;
  readonly removed?: number;
}

export interface ComparedResult {
  readonly tabId: string;
  readonly agentName: string;
  readonly name: string;
  readonly state: "working" | "waiting" | "done" | "stopped" | "failed" | "gone";
  readonly files: readonly ComparedFile[] | string;
  /** Results of the last test runs, one per runner, such as `vitest 5.1.1: 2 passed`. */
  readonly tests: readonly string[];
  readonly durationMs?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Cost reported by the agent, such as `USD 0.12`. */
  readonly cost?: string;
}

export function comparedResult(
  tab: { readonly tabId: string; readonly name: string; readonly isThere: boolean },
  state: TabState,
  items: readonly Item[],
  files: ComparedResult["files"],
): ComparedResult {
  const ends = items.filter((item) => item.kind === "turn-end");
  const sum = (key: "durationMs" | "inputTokens" | "outputTokens"): Partial<Record<typeof key, number>> => {
    const known = ends.flatMap((end) => end[key] ?? []);
    return known.length === 0 ? {} : { [key]: known.reduce((total, one) => total + one, 0) };
  };
  const { cost } = state.usage ?? {};
  return {
    tabId: tab.tabId,
    agentName: state.agentName,
    name: tab.name,
    state: tab.isThere ? stateOf(state, ends.at(-1)?.stopReason) : "gone",
    files,
    tests: testVerdicts(items),
    ...sum("durationMs"),
    ...sum("inputTokens"),
    ...sum("outputTokens"),
    ...(cost && { cost: `${cost.currency} ${cost.amount.toFixed(2)}` }),
  };
}

function stateOf({ phase, waiting, queue }: TabState, stopReason: string | undefined): ComparedResult["state"] {
  if (waiting > 0) return "waiting";
  if (phase === "failed" || stopReason === "error" || stopReason === "interrupted") return "failed";
  // If a tab is ready but has queued prompts, a cancel or a closed window has paused the queue.
  if (phase === "ready" && queue.length > 0) return "waiting";
  if (phase !== "ready" || stopReason === undefined) return "working";
  return stopReason === "end_turn" ? "done" : "stopped";
}

/** Matches the end of the first line of `run_tests` output: the runner, then the counts or the reason for their absence. */
const verdict = /([\w@][\w@./ -]{0,60}): ((?:\d+ (?:passed|failed|skipped|todo|flaky)|no test ran|exit \d)[^\n"\\[]*)/g;

function testVerdicts(items: readonly Item[]): readonly string[] {
  const last = new Map<string, string>();
  for (const item of items) {
    if (item.kind !== "tool" || item.status !== "completed" || !item.title.includes("run_tests")) continue;
    const texts = item.content.map((one) => (one.type === "content" ? one.block["text"] : undefined));
    const said = [item.output, ...texts].filter((text) => typeof text === "string").join("\n");
    for (const [, runner = "", counts = ""] of said.matchAll(verdict)) last.set(runner, `${runner}: ${counts.trim()}`);
  }
  return [...last.values()];
}
