import type { Command } from "../base/command.js";
import { args, describeValue, env, list, mapped, optional, record, required, text } from "./shape.js";
import type { Shape } from "./shape.js";

/** Program in the format of an ACP McpServer: `{name, command, args, env: [{name, value}]}`. */
interface McpServerCommand {
  readonly name?: string;
  readonly command: Command;
}

const variable = record(
  {
    name: required(text("The variable's name.")),
    value: required<string>({
      schema: { type: "string" },
      read: (value, place) =>
        typeof value === "string" ? value : place.report(`${place.label} must be text.`, "Put it in quotation marks."),
    }),
  },
  { description: "An environment variable." },
);
const variables = list(variable, "Environment variables in ACP format.");

/** Environment variables as ACP's list or as an object. */
const environment: Shape<Readonly<Record<string, string>>> = {
  schema: { anyOf: [variables.schema, env.schema] },
  read(value, place) {
    if (!Array.isArray(value)) return env.read(value, place);
    const read = variables.read(value, place);
    return read && Object.fromEntries(read.map(({ name, value: given }) => [name, given]));
  },
};

const stdio: Shape<"stdio"> = {
  schema: { const: "stdio" },
  read(value, place) {
    if (value === "stdio") return value;
    return place.report(
      `${place.label} must be "stdio", got ${describeValue(value)}.`,
      "A component is a program that speaks ACP on stdio.",
    );
  },
};

export const mcpServerCommand: Shape<McpServerCommand> = mapped(
  record(
    {
      type: optional(stdio),
      name: optional(text("Display name.")),
      command: required(text("The program's name, looked up on PATH, or its path.")),
      args: optional(args),
      env: optional(environment),
    },
    { description: "A program that speaks ACP on stdio." },
  ),
  ({ name, command, args: given = [], env: variablesGiven = {} }) => ({
    ...(name === undefined ? {} : { name }),
    command: { command, args: given, env: variablesGiven },
  }),
);
