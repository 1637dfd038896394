import { messageOf } from "../../base/symposium-error.js";
import type { Logger } from "../../base/logger.js";
import type { ContextSource, SlashCommand } from "../../context/contribution.js";
import { callsMetaMoment, metaMomentInstruction, sparkleCommands } from "./commands.js";
import { memoryContext } from "./memory-context.js";
import { SparkleMemory } from "./memory.js";
import type { SparkleServices } from "./services.js";
import type { SparkleOptions } from "./sparkle-options.js";

/** Maximum time that a prompt waits for a slow disk. */
const patienceMs = 1_000;

interface SparkleContextOptions {
  readonly options: SparkleOptions;
  readonly services: SparkleServices;
  readonly logger: Logger;
}

/** Adds memories to the first prompt of new sessions, and offers Sparkle's slash commands. */
export function sparkleContext({ options, services, logger }: SparkleContextOptions): ContextSource {
  const { tools, embodiment } = options;
  const commands = sparkleCommands.filter(({ tool }) => tools.has(tool)).map(toSlashCommand);
  return {
    name: "sparkle",
    open({ cwd, isNew }) {
      const memory = new SparkleMemory(services, cwd);
      return Promise.resolve({
        ...(embodiment && isNew && { firstPrompt: [{ title: "Sparkle", read: () => remembered(memory) }] }),
        ...(commands.length > 0 && { commands: { current: () => commands } }),
        ...(tools.has("save_insight") && {
          remark: (texts: readonly string[]) => (texts.some(callsMetaMoment) ? metaMomentInstruction : undefined),
        }),
      });
    },
  };

  /** Returns the memory context. Never rejects. */
  async function remembered(memory: SparkleMemory): Promise<string | undefined> {
    const onFault = (fault: unknown): void =>
      logger.warn("couldn't read what is remembered", { message: messageOf(fault) });
    try {
      return memoryContext(await inTime(memory.snapshot(onFault)), options);
    } catch (fault) {
      onFault(fault);
      return undefined;
    }
  }
}

function toSlashCommand({ name, description, hint, toInstruction }: (typeof sparkleCommands)[number]): SlashCommand {
  return {
    name,
    description,
    hint,
    expand: (words) => Promise.resolve([{ type: "text", text: toInstruction(words) }]),
  };
}

function inTime<T>(attempt: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it took too long")), patienceMs);
    timer.unref?.();
    void attempt.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
