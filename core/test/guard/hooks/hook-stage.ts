import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsedObject } from "../../../src/base/rpc/json.js";
import { Notification } from "../../../src/base/rpc/message.js";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import type { Proxy } from "../../../src/conductor/chain/proxy.js";
import { HookedSessions } from "../../../src/guard/hooks/hooked-session.js";
import { openingHooks } from "../../../src/guard/hooks/node/session-hooks.js";
import { toolHooks } from "../../../src/guard/hooks/tool-hooks.js";
import { turnHooks } from "../../../src/guard/hooks/turn-hooks.js";
import { readHooks } from "../../../src/settings/hooks.js";
import { Place } from "../../../src/base/problem.js";
import { onStage, PlayedAgent, type Stage, type StageOptions } from "../../conductor/chain/chain-fixture.js";
import type { Answer } from "../../../testing/recording-peer.js";

const permissionOptions = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

interface HookPlay {
  readonly stage: Stage;
  readonly agent: PlayedAgent;
  /** The session's folder. */
  readonly folder: string;
  readonly prompt: (text?: string) => Promise<unknown>;
  /** The texts of the prompts that the agent got, block by block. */
  readonly prompts: () => readonly (readonly string[])[];
  /** Asks for permission as the agent does, and returns the chosen option. */
  readonly permission: (toolCall: object) => Promise<unknown>;
  readonly update: (update: object) => void;
  /** The notices that the user saw. */
  readonly notices: () => readonly string[];
  /** The inputs that the script {@link logging} got. */
  readonly logged: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

interface PlayOptions {
  readonly agentName?: string;
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly client?: NonNullable<StageOptions["client"]>;
  /** A member between the two proxies, where the rules are. */
  readonly between?: Proxy;
  readonly questionMs?: number;
  readonly idleMs?: number;
  /** Scripts by name; in the folder `hooks` of the session's folder. */
  readonly scripts?: Readonly<Record<string, string>>;
}

/** A hook that writes its input to a file, one line for each event. */
export const logging = { type: "command", command: 'cat >> "$CLAUDE_PROJECT_DIR/log.jsonl"' };

/** Plays a chain with these hooks: of config.jsonc, as it is written there. */
export async function withHooks(
  hooks: object,
  options: PlayOptions,
  body: (play: HookPlay) => Promise<void>,
): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hooks-")));
  await mkdir(join(folder, "hooks"));
  for (const [name, script] of Object.entries(options.scripts ?? {})) {
    await writeFile(join(folder, "hooks", name), script);
    await chmod(join(folder, "hooks", name), 0o755);
  }
  using watchdog = new Watchdog();
  const open = openingHooks({
    user: readHooks(hooks, new Place([])),
    projectFiles: () => Promise.resolve({ inspect: () => Promise.resolve(undefined) }),
    confined: undefined,
    watchdog,
    transcriptOf: () => Promise.resolve(undefined),
  });
  const sessions = new HookedSessions();
  const { between, questionMs = 60_000, idleMs = 60_000 } = options;
  const lastProxies = [
    turnHooks(sessions, { open, questionMs, idleMs }),
    ...(between ? [between] : []),
    toolHooks(sessions),
  ];
  const agent = new PlayedAgent({
    initialize: { protocolVersion: 1, agentInfo: { name: options.agentName ?? "played", version: "1" } },
    "session/prompt": { stopReason: "end_turn" },
    ...options.answers,
  });
  try {
    await onStage(
      { agent, conductor: { lastProxies }, ...(options.client && { client: options.client }) },
      async (stage) => {
        await stage.initialize();
        await stage.result("session/new", { cwd: folder, mcpServers: [] });
        await body(playOf(stage, agent, folder));
      },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

function playOf(stage: Stage, agent: PlayedAgent, folder: string): HookPlay {
  return {
    stage,
    agent,
    folder,
    prompt: (text = "Go.") => stage.prompt("s", text),
    prompts: () =>
      agent.peer.received
        .filter(({ method }) => method === "session/prompt")
        .map(({ params }) => (params?.object?.["prompt"] as { text: string }[]).map(({ text }) => text)),
    permission: async (toolCall) => {
      const params = { sessionId: "s", toolCall, options: permissionOptions };
      const { outcome } = (await agent.ask("session/request_permission", params)).json.object ?? {};
      const { optionId, outcome: kind } = outcome as { optionId?: string; outcome: string };
      return optionId ?? kind;
    },
    update: (update) => agent.client.notify(Notification.of("session/update", { sessionId: "s", update })),
    notices: () =>
      stage.client.received.flatMap(({ method, params }) => {
        const { toolCallId, title } = (params?.object?.["update"] ?? {}) as { toolCallId?: string; title?: string };
        return method === "session/update" && toolCallId?.startsWith("symposium-") && title ? [title] : [];
      }),
    logged: async () => {
      const text = await readFile(join(folder, "log.jsonl"), "utf8").catch(() => "");
      return text.split("\n").flatMap((line): Readonly<Record<string, unknown>>[] => {
        const event = parsedObject(line);
        return event ? [event] : [];
      });
    },
  };
}

export const bash = (command: string, toolCallId = "c"): object => ({
  toolCallId,
  title: "Run it",
  kind: "execute",
  rawInput: { command },
});
