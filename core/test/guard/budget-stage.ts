import assert from "node:assert/strict";
import { budgetProxy } from "../../src/guard/budget-proxy.js";
import type { UsedUpBudget } from "../../src/guard/budget-use.js";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { Notification } from "../../src/base/rpc/message.js";
import type { Answer } from "../../testing/recording-peer.js";
import type { ScriptedClientOptions } from "../../testing/scripted-client.js";
import { noUsage, type UsageFigures } from "../../src/sessions/usage/usage-row.js";
import { onStage, PlayedAgent, type Stage } from "../conductor/chain/chain-fixture.js";

type Members = Readonly<Record<string, unknown>>;

/** Answers a prompt as the played agent. `isStopped` returns whether the turn was cancelled. Undefined leaves the prompt unanswered. */
export type Turn = (say: (update: Members, session?: string) => void, isStopped: () => boolean) => Members | undefined;

interface BudgetStage {
  readonly stage: Stage;
  readonly agent: PlayedAgent;
  /** The texts of prompts that the agent got. */
  readonly prompts: readonly string[];
  readonly prompt: (text?: string) => Promise<Members>;
  /** Questions and notices that Symposium showed the user, in order. */
  readonly shown: () => readonly string[];
}

interface BudgetStageOptions {
  readonly client?: ScriptedClientOptions;
  readonly before?: Partial<UsageFigures>;
  /** In milliseconds since 1970. */
  readonly now?: () => number;
  readonly onUsedUp?: (budget: UsedUpBudget) => void;
  /** More of the agent's. */
  readonly answers?: Readonly<Record<string, Answer>>;
}

export const noon = new Date(2026, 0, 31, 12).getTime();
export const done = { stopReason: "end_turn" };
export const cancelled = { stopReason: "cancelled" };

export const call = (id: number, more: Members = {}): Members => ({
  sessionUpdate: "tool_call",
  toolCallId: `c${id}`,
  title: "x",
  ...more,
});

/** Plays a session `s` whose folder has these budgets. */
export async function withBudgets(
  budgets: object,
  turn: Turn,
  body: (stage: BudgetStage) => Promise<void>,
  {
    client = { permits: "allow_once" },
    before = {},
    now = () => noon,
    answers = {},
    onUsedUp,
  }: BudgetStageOptions = {},
): Promise<void> {
  const { budgets: read, problems } = parseGuardFile(JSON.stringify({ budgets }), { file: "g", isOfProject: true });
  assert.deepEqual(problems, []);
  const counted = { ...noUsage, ...before };
  const proxy = budgetProxy({
    budgetsFor: () => Promise.resolve(read),
    countedBefore: () => Promise.resolve({ day: counted, workspace: counted }),
    now,
    ...(onUsedUp && { onUsedUp }),
  });
  const prompts: string[] = [];
  const agent: PlayedAgent = new PlayedAgent({
    "session/prompt": ({ params }) => {
      const start = agent.peer.received.length;
      prompts.push((params?.object?.["prompt"] as [{ text: string }])[0].text);
      return turn(
        (update, sessionId = "s") => agent.client.notify(Notification.of("session/update", { sessionId, update })),
        () => agent.peer.received.slice(start).some(({ method }) => method === "session/cancel"),
      );
    },
    ...answers,
  });
  await onStage({ agent, client, conductor: { lastProxies: [proxy] } }, async (stage) => {
    await stage.session();
    await body({
      stage,
      agent,
      prompts,
      prompt: (text = "do it") =>
        stage.result("session/prompt", { sessionId: "s", prompt: [{ type: "text", text }] }) as Promise<Members>,
      shown: () =>
        stage.client.received.flatMap(({ method, params }) => {
          const { toolCall, update } = (params?.object ?? {}) as { toolCall?: Members; update?: Members };
          if (method === "session/request_permission") return [`asked: ${String(toolCall?.["title"])}`];
          return update?.["sessionUpdate"] === "tool_call" && String(update["toolCallId"]).startsWith("symposium")
            ? [String(update["title"])]
            : [];
        }),
    });
  });
}

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
