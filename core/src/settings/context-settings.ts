import { describeValue, flag, list, mapped, optional, record, type Shape, text } from "./shape.js";

export interface ContextSettings {
  readonly rules: boolean;
  readonly skills: boolean;
  readonly commands: boolean;
  /** Maximum bytes of rules that always apply. */
  readonly maxRulesBytes: number;
  /** Names of omitted items, as in the list of an agent's context. */
  readonly exclude: readonly string[];
}

export const defaultContextSettings: ContextSettings = {
  rules: true,
  skills: true,
  commands: true,
  maxRulesBytes: 8 * 1024,
  exclude: [],
};

const largestRules = 64 * 1024;

const bytes: Shape<number> = {
  schema: {
    type: "integer",
    minimum: 0,
    maximum: largestRules,
    default: defaultContextSettings.maxRulesBytes,
    description: "The most bytes of rules that every session gets. Files for which there is no room are named.",
  },
  read(value, place) {
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= largestRules) return value;
    return place.report(
      `${place.label} must be a whole number of bytes from 0 to ${largestRules}, got ${describeValue(value)}.`,
    );
  },
};

const given = record(
  {
    rules: optional(flag("Whether agents get the rules files that they do not read themselves.")),
    skills: optional(flag("Whether agents get the skills that they do not know themselves.")),
    commands: optional(flag("Whether the commands and prompts of all agents' folders are slash commands.")),
    maxRulesBytes: optional(bytes),
    exclude: optional(list(text("A name."), "Names, as `context` shows them, of what no session gets.")),
  },
  { description: "What sessions get besides your words: rules, skills and commands." },
);

export const contextSettings: Shape<ContextSettings> = {
  ...mapped(given, (said) => ({ ...defaultContextSettings, ...said })),
  schema: { ...given.schema, default: defaultContextSettings },
};
