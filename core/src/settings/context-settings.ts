import { flag, list, mapped, optional, record, type Shape, text, wholeNumber } from "./shape.js";

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

const given = record(
  {
    rules: optional(flag("Whether agents get the rules files that they do not read themselves.")),
    skills: optional(flag("Whether agents get the skills that they don't find themselves.")),
    commands: optional(flag("Whether commands and prompts from all agents' folders are available as slash commands.")),
    maxRulesBytes: optional(
      wholeNumber({
        unit: "bytes",
        minimum: 0,
        maximum: 64 * 1024,
        default: defaultContextSettings.maxRulesBytes,
        description:
          "Maximum size, in bytes, of the rules that each session gets. Files that don't fit are listed by name.",
      }),
    ),
    exclude: optional(list(text("A name."), "Names, as shown by `context`, of items that no session gets.")),
  },
  { description: "Rules, skills and commands that sessions get in addition to your prompts." },
);

export const contextSettings: Shape<ContextSettings> = {
  ...mapped(given, (said) => ({ ...defaultContextSettings, ...said })),
  schema: { ...given.schema, default: defaultContextSettings },
};
