import { attempt } from "../base/attempt.js";
import type { Place } from "../base/problem.js";
import { asObject } from "../base/rpc/json.js";
import {
  args,
  describeValue,
  flag,
  type JsonSchema,
  optional,
  record,
  required,
  text,
  warnOfUnknown,
} from "./shape.js";

/** Events of Claude Code's hooks that Symposium raises for every agent. */
export const hookEvents = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "Notification",
  "SubagentStop",
  "Stop",
  "SessionEnd",
] as const;
export type HookEvent = (typeof hookEvents)[number];

const seconds = {
  schema: { type: "number", exclusiveMinimum: 0, description: "Seconds before the hook is cancelled." },
  read(value: unknown, place: Place): number | null {
    if (typeof value === "number" && value > 0 && value <= 86_400) return value;
    return place.report(`${place.label} must be a number of seconds above 0, got ${describeValue(value)}.`);
  },
};

const shells = ["bash", "powershell"] as const;
const shell = {
  schema: { enum: shells, description: "Shell that runs `command`. Default: sh, or bash on Windows." },
  read(value: unknown, place: Place): (typeof shells)[number] | null {
    const found = shells.find((one) => one === value);
    return found ?? place.report(`${place.label} must be "bash" or "powershell", got ${describeValue(value)}.`);
  },
};

const handler = record(
  {
    type: required(text("`command`; hooks of other types are skipped.")),
    command: required(text("Shell command; with `args`, the program to start.")),
    args: optional(args),
    timeout: optional(seconds),
    if: optional(text("Permission rule that the tool call must match, such as `Bash(git *)`.")),
    shell: optional(shell),
    async: optional(flag("Whether the agent goes on without waiting. The hook then can't decide anything.")),
    statusMessage: optional(text("Ignored; accepted so that existing files need no change.")),
    once: optional(flag("Ignored; accepted so that existing files need no change.")),
  },
  { description: "A command that gets the event as JSON on its standard input." },
);
export type HookHandler = NonNullable<ReturnType<typeof handler.read>>;

export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly HookHandler[];
  /** Product that runs these hooks itself in its own agent. */
  readonly importedFrom?: "claude-code";
}
export type Hooks = Readonly<Partial<Record<HookEvent, readonly HookGroup[]>>>;

const groupSchema: JsonSchema = {
  type: "object",
  description: "Hooks for the occurrences that `matcher` selects.",
  properties: {
    matcher: {
      type: "string",
      description: "Tool names separated by `|`, or a JavaScript regular expression. Default: everything.",
    },
    hooks: { type: "array", items: handler.schema },
    importedFrom: {
      const: "claude-code",
      description: "Claude Code runs these hooks itself, so Symposium runs them only for other agents.",
    },
  },
  required: ["hooks"],
  patternProperties: { "^_": {} },
  additionalProperties: false,
};

export const hooksSchema: JsonSchema = {
  type: "object",
  description: "Commands to run at events of a session, in the format of Claude Code's hooks.",
  properties: Object.fromEntries(hookEvents.map((event) => [event, { type: "array", items: groupSchema }])),
  patternProperties: { "^_": {} },
  additionalProperties: false,
};

/** Parses `hooks`. Reports each unusable event, group and handler as a warning, and keeps the others. */
export function readHooks(value: unknown, at: Place): Hooks {
  if (value === undefined) return {};
  const place = at.as("warning");
  const members = asObject(value);
  if (!members) {
    place.report(`${place.label} must be an object, got ${describeValue(value)}.`, "No hook runs.");
    return {};
  }
  warnOfUnknown(members, hookEvents, place);
  const found = hookEvents.map((event) => [event, itemsOf(members[event], place.child(event), readGroup)] as const);
  return Object.fromEntries(found.filter(([, groups]) => groups.length > 0));
}

function readGroup(value: unknown, place: Place): HookGroup | null {
  const group = asObject(value);
  if (!group) return place.report(`${place.label} must be an object, got ${describeValue(value)}.`);
  warnOfUnknown(group, ["matcher", "hooks", "importedFrom"], place);
  const { matcher, importedFrom } = group;
  if (matcher !== undefined && (typeof matcher !== "string" || !isPattern(matcher))) {
    return place
      .child("matcher")
      .report(`${place.child("matcher").label} isn't a valid pattern.`, "Its hooks are skipped.");
  }
  return {
    ...(matcher !== undefined && { matcher }),
    hooks: itemsOf(group["hooks"], place.child("hooks"), readHandler),
    ...(importedFrom === "claude-code" && { importedFrom }),
  };
}

function readHandler(value: unknown, place: Place): HookHandler | null {
  const type = asObject(value)?.["type"];
  if (type === undefined || type === "command") return handler.read(value, place);
  return place.report(
    `${place.label} has the type ${describeValue(type)}; only "command" hooks run here.`,
    "It is skipped.",
  );
}

function itemsOf<T>(value: unknown, place: Place, read: (item: unknown, at: Place) => T | null): readonly T[] {
  if (value === undefined) return [];
  const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  if (!items) place.report(`${place.label} must be a list, got ${describeValue(value)}.`);
  return (items ?? []).flatMap((item, index) => read(item, place.child(index)) ?? []);
}

function isPattern(text: string): boolean {
  return attempt(() => new RegExp(text === "*" ? "" : text)) !== undefined;
}
