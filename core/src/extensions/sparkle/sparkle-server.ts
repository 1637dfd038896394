import { textSchema, textsSchema } from "../../base/mcp/tool-schema.js";
import type { JsonSchema } from "../../base/mcp/argument-check.js";
import type { McpServer } from "../../base/mcp/mcp-server.js";
import { type Prompt, type Tool, ToolServer } from "../../base/mcp/tool-server.js";
import { asObject, stringsOf, stringOf } from "../../base/rpc/json.js";
import { metaMomentInstruction, sparkleCommands } from "./commands.js";
import { memoryContext, toMemoryLines } from "./memory-context.js";
import type { SavedCheckpoint, SparkleMemory } from "./memory.js";
import { insightTypes } from "./notebook-entries.js";
import { memoryFault } from "./services.js";
import type { SparkleOptions, SparkleToolName } from "./sparkle-options.js";
import { boundedList, utf8Length } from "../../base/text-bounds.js";

/** Creates the MCP server `sparkle` for one session's memory, with the tools in the options. */
export function sparkleServer(memory: SparkleMemory, options: SparkleOptions, version: string): McpServer {
  return new ToolServer({
    name: "sparkle",
    version,
    instructions:
      "Remembers how the user likes to work and the state of the work in a workspace. Save things when the user agrees; never save " +
      "secrets.",
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
      description: "Adds what is remembered about the user and the workspace to the conversation",
      render: async () =>
        memoryContext(await memory.snapshot(() => undefined), options) ?? "Nothing is remembered yet.",
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

/** Maximum bytes that a tool call may store, and maximum bytes of a tool's answer. */
const kept = { insight: 8 * 1024, profile: 16 * 1024, memory: 16 * 1024, checkpoint: 64 * 1024 };
const answerLimit = 32 * 1024;

type SparkleTool = Tool & { readonly name: SparkleToolName };

const readOnly = { readOnlyHint: true, openWorldHint: false };
const adding = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

function sparkleTools(memory: SparkleMemory): readonly SparkleTool[] {
  return [...keepingTools(memory), ...readingTools(memory)];
}

function keepingTools(memory: SparkleMemory): SparkleTool[] {
  return [
    {
      name: "session_checkpoint",
      title: "Save a checkpoint",
      description:
        "Saves the state of the work in this workspace, so that a later session can continue: a checkpoint file, and a new entry of " +
        "the working memory. Use it when the user asks for it or work ends.",
      inputSchema: checkpointSchema,
      annotations: adding,
      async call(args, { signal }) {
        const content = bounded(args, "checkpoint_content", kept.checkpoint);
        const workingMemory = asObject(args["working_memory"]) ?? {};
        checkSize("working_memory", JSON.stringify(workingMemory), kept.memory);
        return checkpointAnswer(await memory.checkpoint(workingMemory, content, signal));
      },
    },
    {
      name: "save_insight",
      title: "Keep an insight",
      description:
        "Saves one lasting insight for later sessions. Use it when the user agrees, one insight per call, in the user's own words " +
        "where a phrase matters.",
      inputSchema: insightSchema,
      annotations: { ...adding, idempotentHint: true },
      call: (args, { signal }) => saveInsight(memory, args, signal),
    },
    {
      name: "update_collaborator_profile",
      title: "Update the collaborator profile",
      description:
        "Replaces the profile of how the user likes to work. Call fetch_profile_data first, and keep everything that is still true, " +
        "comments included. The previous profile is archived.",
      inputSchema: {
        properties: { content: textSchema("The whole new profile, in Markdown.") },
        required: ["content"],
      },
      annotations: { ...adding, destructiveHint: true },
      call: async (args, { signal }) =>
        `Wrote ${await memory.updateProfile(bounded(args, "content", kept.profile), signal)}.`,
    },
    {
      name: "ignore_sparkle_space",
      title: "Keep .sparkle-space out of git",
      description: 'Adds ".sparkle-space/" to the .gitignore of the workspace. Only after the user has agreed.',
      inputSchema: {},
      annotations: { ...adding, idempotentHint: true },
      call: () => memory.ignoreSparkleSpace(),
    },
  ];
}

function readingTools(memory: SparkleMemory): SparkleTool[] {
  const reading = { inputSchema: {}, annotations: readOnly };
  return [
    {
      name: "fetch_profile_data",
      title: "Read the profile",
      description:
        "The whole profile of how the user likes to work, the pattern anchors, and what is known about this workspace.",
      ...reading,
      call: () => profileAnswer(memory),
    },
    {
      name: "load_evolution",
      title: "Read what changed",
      description: "Changes in working with this user, the newest first.",
      ...reading,
      call: async () =>
        listed(await memory.notes("CollaborationEvolution"), answerLimit) ?? "Nothing has been saved yet.",
    },
    {
      name: "read_working_memory",
      title: "Read the working memory",
      description: "The state of the work in this workspace, as earlier sessions saved it, the newest first.",
      ...reading,
      async call() {
        const { entries, pinned } = await memory.workingMemory();
        const own = Object.keys(pinned).length === 0 ? [] : [pinned];
        const items = [...own, ...entries.toReversed()].map(toMemoryLines);
        return listed(items, answerLimit) ?? "The working memory of this workspace is empty.";
      },
    },
    {
      name: "list_checkpoints",
      title: "List checkpoints",
      description: "The names of this workspace's checkpoints, the newest first.",
      ...reading,
      call: async () => listed(await memory.checkpoints(), answerLimit) ?? "This workspace has no checkpoints.",
    },
    {
      name: "read_checkpoint",
      title: "Read a checkpoint",
      description: "The text of a checkpoint of this workspace.",
      inputSchema: { properties: { name: textSchema("From list_checkpoints; the newest one when absent.") } },
      annotations: readOnly,
      call: (args) => memory.readCheckpoint(text(args, "name")),
    },
  ];
}

const checkpointSchema: JsonSchema = {
  properties: {
    working_memory: {
      type: "object",
      description: "The facts that the next session needs first. Other members are allowed.",
      properties: {
        focus: textSchema("What is being worked on."),
        done: textsSchema("What is finished."),
        next_steps: textsSchema("What comes next."),
        open_questions: textsSchema("Questions that are still open."),
        decisions: textsSchema("Decisions, with their reasons."),
      },
    },
    checkpoint_content: textSchema("This session's events and its current state, in Markdown."),
  },
  required: ["working_memory", "checkpoint_content"],
};

const insightSchema: JsonSchema = {
  properties: {
    insight_type: {
      type: "string",
      enum: insightTypes,
      description:
        "PatternAnchor: an exact phrase that brings a way of working back. CollaborationEvolution: what changed in working together. " +
        "WorkspaceInsight: what is worth knowing about this workspace.",
    },
    content: textSchema("The insight, in Markdown."),
    context: { type: "string", description: "When it came up and why it matters." },
    tags: textsSchema("Words to find it by."),
  },
  required: ["insight_type", "content"],
};

async function saveInsight(
  memory: SparkleMemory,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<string> {
  const content = bounded(args, "content", kept.insight);
  const type = insightTypes.find((one) => one === args["insight_type"]) ?? "WorkspaceInsight";
  const context = text(args, "context");
  const tags = stringsOf(args["tags"]);
  checkSize("context and tags", [context, ...tags].join(" "), kept.insight);
  const saved = await memory.saveInsight({ type, content, tags, ...(context !== undefined && { context }) }, signal);
  if (saved.isKnown) return `${saved.file} already says this: nothing was added.`;
  const archived = saved.moved === 0 ? "" : ` The ${saved.moved} oldest entries moved to archive/ beside it.`;
  return `Kept in ${saved.file}.${archived}`;
}

function checkpointAnswer({ file, problem, moved, missingIgnoreLine }: SavedCheckpoint): string {
  const lines = [`Saved ${file}.`, problem ?? "The working memory has a new entry."];
  if (moved > 0) lines.push(`Oldest checkpoints moved to archive/ in .sparkle-space: ${moved}.`);
  if (missingIgnoreLine !== undefined) {
    lines.push(
      `.sparkle-space is new and git does not ignore it. Ask the user whether to add the line "${missingIgnoreLine}" to .gitignore; ignore_sparkle_space does it.`,
    );
  }
  return lines.join("\n");
}

async function profileAnswer(memory: SparkleMemory): Promise<string> {
  const profile = await memory.profile();
  const [anchors, insights] = await Promise.all([memory.notes("PatternAnchor"), memory.notes("WorkspaceInsight")]);
  const section = (title: string, body: string | undefined): string =>
    `# ${title}\n\n${body ?? "Nothing has been saved yet."}`;
  return [
    section("Collaborator profile (whole file)", profile.trim() === "" ? undefined : profile.trim()),
    section("Pattern anchors", listed(anchors, answerLimit / 2)),
    section("This workspace", listed(insights, answerLimit / 2)),
  ].join("\n\n");
}

function listed(items: readonly string[], limit: number): string | undefined {
  if (items.length === 0) return undefined;
  return boundedList(items, limit, (count) => `(${count} older left out: they are in the file)`);
}

function text(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = args[name];
  return stringOf(value);
}

function bounded(args: Readonly<Record<string, unknown>>, name: string, limit: number): string {
  const value = text(args, name) ?? "";
  if (value.trim() === "") throw memoryFault(`${name} is blank: there is nothing to save.`, "Write what to save.");
  checkSize(name, value, limit);
  return value;
}

function checkSize(name: string, value: string, limit: number): void {
  const size = utf8Length(value);
  if (size > limit) throw memoryFault(`${name} has ${size} bytes; the limit is ${limit}.`, "Shorten it.");
}
