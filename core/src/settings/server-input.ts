import { describeValue, flag, list, mapped, optional, record, required, text } from "./shape.js";
import type { Shape } from "./shape.js";
import type { ServerInput } from "./user-server.js";

const kinds = ["promptString", "pickString"] as const;

const kind: Shape<(typeof kinds)[number]> = {
  schema: { enum: kinds, description: "Whether any text is asked for, or one of `options`; told by them when absent." },
  read(value, place) {
    const known = kinds.find((one) => one === value);
    if (known !== undefined) return known;
    return place.report(
      `${place.label} must be "promptString" or "pickString", got ${describeValue(value)}.`,
      "Nothing is run to find a value: write the variable ${env:NAME} or ${secret:NAME} instead.",
    );
  },
};

/** Input in the format of VS Code's mcp.json. */
export const serverInput: Shape<ServerInput> = mapped(
  record(
    {
      id: required(text("Stands in `${input:ID}`.")),
      type: optional(kind),
      description: optional(text("What the user is asked.")),
      password: optional(flag("Whether it is hidden while it is typed, and kept as secrets are.")),
      default: optional(text("What is proposed.")),
      options: optional(list(text("A choice."), "What can be chosen.")),
    },
    { description: "What the user is asked for, once." },
  ),
  ({ id, description, password, default: proposed, options }) => ({
    id,
    isSecret: password === true,
    ...(description !== undefined && { description }),
    ...(proposed !== undefined && { default: proposed }),
    ...(options !== undefined && { options }),
  }),
);
