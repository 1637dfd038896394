import type { McpServer } from "../../mcp/mcp-server.js";
import { type Prompt, ToolServer } from "../../mcp/tool-server.js";
import { metaMomentInstruction, sparkleCommands } from "./commands.js";
import { memoryContext } from "./memory-context.js";
import type { SparkleMemory } from "./memory.js";
import type { SparkleOptions } from "./sparkle-options.js";
import { sparkleTools } from "./sparkle-tools.js";

/** The MCP server `sparkle` over one session's memory, with the tools that the options name. */
export function sparkleServer(memory: SparkleMemory, options: SparkleOptions, version: string): McpServer {
  return new ToolServer({
    name: "sparkle",
    version,
    instructions:
      "Remembers how the user likes to work and where the work in a workspace stands. Keep things when the user agrees; never keep secrets.",
    tools: sparkleTools(memory).filter(({ name }) => options.tools.has(name)),
    prompts: sparklePrompts(memory, options),
  });
}

function sparklePrompts(memory: SparkleMemory, options: SparkleOptions): readonly Prompt[] {
  const commands = sparkleCommands.filter(({ tool }) => options.tools.has(tool));
  return [
    {
      name: "remember",
      title: "What is remembered",
      description: "Brings what is remembered of the user and the workspace into the conversation",
      render: async () =>
        memoryContext(await memory.snapshot(() => undefined), options) ?? "Nothing is remembered so far.",
    },
    ...commands.map(({ name, description, hint, toInstruction }) => ({
      name,
      description,
      arguments: [{ name: "words", description: hint }],
      render: ({ words = "" }: Readonly<Record<string, string>>) => toInstruction(words.trim()),
    })),
    ...(options.tools.has("save_insight")
      ? [
          {
            name: "meta_moment",
            description: "Pause and look at how you work together",
            render: () => metaMomentInstruction,
          },
        ]
      : []),
  ];
}
