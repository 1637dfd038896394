import { join } from "node:path";
import type { Confinement } from "../base/node/confinement.js";
import type { Watchdog } from "../base/node/orphan-watchdog.js";
import type { ChainHooks } from "../guard/hooks/node/session-hooks.js";
import type { Projects } from "../guard/node/guarded-projects.js";
import type { ConfigState } from "../settings/node/config-file.js";
import { sessionEnding } from "../sessions/conversations/node/session-index.js";
import { type RecordedConversations, sessionsFolder } from "./recorded-conversations.js";

interface HooksParts {
  readonly state: ConfigState;
  readonly projects: Projects;
  readonly conversations: RecordedConversations;
  readonly watchdog: Watchdog;
  readonly confined: Confinement | undefined;
}

/** Returns a function that makes a chain's proxies for hooks; undefined if neither config.jsonc nor this folder's project has hooks. */
export async function configuredHooks(parts: HooksParts): Promise<(() => ChainHooks) | undefined> {
  const { state, projects, conversations, watchdog, confined } = parts;
  const user = state.state === "ok" ? state.config.hooks : {};
  if (Object.keys(user).length === 0 && !(await projects.haveHooks(process.cwd()))) return undefined;
  const { chainHooks } = await import("../guard/hooks/node/session-hooks.js");
  return chainHooks({
    user,
    projectFiles: () => projects.files(),
    confined,
    watchdog,
    transcriptOf: async (sessionId, cwd) => {
      try {
        if (!(await conversations.store.keeps())) return undefined;
        const stored = (await conversations.store.list()).find((one) => one.session === sessionId && one.cwd === cwd);
        return stored && join(sessionsFolder(), `${stored.id}${sessionEnding}`);
      } catch {
        return undefined;
      }
    },
  });
}
