import { homedir } from "node:os";
import { utf8Length } from "../base/text-bounds.js";
import type { ContextItem } from "../context/context-item.js";
import { sparkleCommands } from "../proxies/sparkle/commands.js";
import { SparkleMemory } from "../proxies/sparkle/memory.js";
import { memoryContext } from "../proxies/sparkle/memory-context.js";
import { sparkleServices } from "../proxies/sparkle/node.js";
import { parseSparkleOptions } from "../proxies/sparkle/sparkle-options.js";
import type { ProxyEntry } from "../settings/proxy-entry.js";

const origin = "sparkle";

/** What Sparkle brings into sessions in a folder: its memory and its commands. `proxies` undefined: all built-in ones are on. */
export async function memoryItems(
  cwd: string,
  proxies: readonly ProxyEntry[] | undefined,
): Promise<readonly ContextItem[]> {
  const entry = proxies?.find(({ name }) => name === origin);
  if (proxies && !entry) return [];
  const isOn = entry?.enabled ?? true;
  const options = parseSparkleOptions(entry?.options);
  const snapshot = await new SparkleMemory(sparkleServices(homedir()), cwd).snapshot(() => undefined);
  const text = options.embodiment ? memoryContext(snapshot, options) : undefined;
  const state = (reason: string): Pick<ContextItem, "isSent" | "reason"> => ({
    isSent: isOn,
    reason: isOn ? reason : "switched off",
  });
  return [
    ...(text === undefined
      ? []
      : [
          {
            kind: "memory" as const,
            title: "Sparkle",
            origin,
            bytes: utf8Length(text),
            ...state("with the first prompt of a new session"),
          },
        ]),
    ...sparkleCommands
      .filter(({ tool }) => options.tools.has(tool))
      .map(({ name, toInstruction }) => ({
        kind: "command" as const,
        title: `/${name}`,
        origin,
        bytes: utf8Length(toInstruction("")),
        ...state("when the user calls it"),
      })),
  ];
}
